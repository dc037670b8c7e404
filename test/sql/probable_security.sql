-- Privileges and row security are those of any other query, also for probabilities
SET client_min_messages = warning;
CREATE ROLE regress_gpufim_analyst;
RESET client_min_messages;
CREATE SCHEMA lab;
GRANT USAGE ON SCHEMA lab TO regress_gpufim_analyst;
CREATE TABLE lab.readings (site text, sample int, found text[], certainty real, each real[]);
INSERT INTO lab.readings VALUES ('north', 1, '{lead,zinc}', 0.5, '{0.5,0.25}'), ('north', 2, '{lead}', 1, '{0.75}'), ('south', 3, '{zinc}', 1, '{1}');
SET ROLE regress_gpufim_analyst;
SELECT * FROM probable_itemsets('lab.readings', 'found', 'certainty', 1);
RESET ROLE;
-- columns that are read are enough
GRANT SELECT (found, certainty) ON lab.readings TO regress_gpufim_analyst;
SET ROLE regress_gpufim_analyst;
SELECT * FROM probable_itemsets('lab.readings', 'found', 'certainty', 1) ORDER BY items;
SELECT * FROM probable_itemsets('lab.readings', 'found', 'each', 1);
SELECT * FROM probable_itemsets('(SELECT * FROM lab.readings)', 'found', 'certainty', 1);
RESET ROLE;
-- rows that are hidden are not there, nor in messages
GRANT SELECT ON lab.readings TO regress_gpufim_analyst;
ALTER TABLE lab.readings ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_site ON lab.readings USING (site = 'north');
UPDATE lab.readings SET certainty = 1.5 WHERE site = 'south';
SELECT * FROM probable_itemsets('lab.readings', 'found', 'certainty', 1);
SET ROLE regress_gpufim_analyst;
SELECT * FROM probable_itemsets('lab.readings', 'found', 'certainty', 1) ORDER BY items;
SELECT * FROM probable_itemsets('lab.readings', 'found', 'each', 1, 0.9) ORDER BY items;
RESET ROLE;
-- a view does not change whose they are, a function can
CREATE VIEW lab.likely AS SELECT * FROM probable_itemsets('lab.readings', 'found', 'each', 1, 0.9);
CREATE FUNCTION lab.likely() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM probable_itemsets(''lab.readings'', ''found'', ''each'', 1, 0.9)';
GRANT SELECT ON lab.likely TO regress_gpufim_analyst;
SELECT count(*) FROM lab.likely;
SET ROLE regress_gpufim_analyst;
SELECT count(*) FROM lab.likely;
SELECT lab.likely();
RESET ROLE;
-- in a transaction that only reads, with a cursor, in parallel and nested
BEGIN READ ONLY;
DECLARE c CURSOR FOR SELECT * FROM probable_itemsets('lab.readings', 'found', 'each', 1, 0.9) ORDER BY items;
FETCH 1 FROM c;
ROLLBACK;
SELECT * FROM probable_itemsets($$(SELECT items, probability FROM probable_itemsets('lab.readings', 'found', 'each', 1, 0.1))$$, 'items', 'probability', 1, 0.9) ORDER BY items;
SELECT function, rows_read FROM gpufim_last_run();
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT * FROM probable_itemsets('lab.readings', 'found', 'each', 1, 0.9) ORDER BY items;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
PREPARE mine(float8, float8) AS SELECT * FROM probable_itemsets('lab.readings', 'found', 'each', $1, $2) ORDER BY items;
EXECUTE mine(1, 0.9);
EXECUTE mine(1, NULL);
DROP SCHEMA lab CASCADE;
DROP ROLE regress_gpufim_analyst;
