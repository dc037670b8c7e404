-- Products of sets: what random relations do not reach, beside t/019_sets.pl.
\set VERBOSITY default

CREATE TABLE l (k int, v text);
INSERT INTO l VALUES (1, 'a'), (1, 'a'), (1, 'b'), (2, 'a'), (NULL, 'c'), (3, NULL), (4, 'd');
CREATE TABLE r (k bigint, v date);
INSERT INTO r VALUES (1, '2020-01-01'), (2, '2020-01-01'), (2, NULL), (3, '2020-01-02'), (NULL, '2020-01-03'), (4, '2020-01-04');

-- NULL keys join nothing, NULL values are none, and what is there twice counts once
SELECT * FROM join_project('l', 'k', 'v', 'r', 'k', 'v') ORDER BY 1, 2;
SELECT * FROM join_project('l', 'k', 'v', 'r', 'k', 'v', 2) ORDER BY 1, 2;
SELECT * FROM join_project('l', 'k', 'v', 'r', 'k', 'v', witnesses => false) ORDER BY 1, 2;
SELECT left_value, right_value + 1 AS next, witnesses FROM join_project('l', 'k', 'v', 'r', 'k', 'v', 1, NULL::text, NULL::date) ORDER BY 1, 2;
SELECT pg_typeof(left_value), pg_typeof(right_value) FROM join_project('l', 'k', 'v', 'r', 'k', 'v', left_type => NULL::text, right_type => NULL::date) LIMIT 1;
SELECT join_project_count('l', 'k', 'v', 'r', 'k', 'v'), join_project_count('l', 'k', 'v', 'r', 'k', 'v', 2),
	join_project_count('l', 'k', 'v', 'r', 'k', 'v', NULL::text, NULL::date), join_project_count('l', 'k', 'v', 'r', 'k', 'v', 2, NULL::text, NULL::date);

-- nothing in one source, in the other one, or in common
SELECT count(*) FROM join_project('(SELECT 1 AS k, 2 AS v WHERE false)', 'k', 'v', 'r', 'k', 'v');
SELECT count(*) FROM join_project('r', 'k', 'v', '(SELECT 1 AS k, 2 AS v WHERE false)', 'k', 'v');
SELECT count(*) FROM join_project('l', 'k', 'v', '(SELECT 77 AS k, 2 AS v)', 'k', 'v');
SELECT * FROM frequent_pairs('(SELECT 1 AS t, 2 AS i WHERE false)', 't', 'i', 0.5);
SELECT * FROM frequent_pairs('(VALUES (NULL::int[]), (''{}''), (''{1,1}''), (''{1,NULL}''))', 'column1', 1);
SELECT * FROM similar_sets('(VALUES (NULL::int[]), (''{}''), (''{1,1}''), (''{1,NULL}''))', 'column1', 1);

-- a source that is named twice is read once
CREATE SEQUENCE reads;
SELECT count(*) FROM join_project('(SELECT k, k + 1 AS next, nextval(''reads'') FROM l)', 'k', 'next', '(SELECT k, k + 1 AS next, nextval(''reads'') FROM l)', 'next', 'k');
SELECT currval('reads') = count(*) AS once FROM l;
SELECT count(*) FROM join_project('(SELECT k, v, nextval(''reads'') FROM l)', 'k', 'v', '(SELECT k, v, nextval(''reads'') FROM l)', 'k', 'v');
SELECT currval('reads') = 2 * count(*) AS once FROM l;

-- keys are compared as SQL does it
CREATE FUNCTION same(lt text, lv text, rt text, rv text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	ours bigint;
	theirs bigint;
BEGIN
	EXECUTE format('SELECT join_project_count(%L, ''k'', ''v'', %L, ''k'', ''v'')',
				   format('(SELECT %L::%s AS k, 1 AS v)', lv, lt), format('(SELECT %L::%s AS k, 1 AS v)', rv, rt)) INTO ours;
	EXECUTE format('SELECT count(*) FROM (SELECT %L::%s AS k) AS l JOIN (SELECT %L::%s AS k) AS r USING (k)', lv, lt, rv, rt) INTO theirs;
	RETURN ours || CASE WHEN ours = theirs THEN ' as in SQL' ELSE ' WRONG' END;
EXCEPTION WHEN others THEN
	RETURN SQLERRM;
END $$;
SELECT lt, lv, rt, rv, same(lt, lv, rt, rv) FROM (VALUES
	('int2', '7', 'int8', '7'), ('int4', '7', 'numeric', '7.0'), ('int4', '7', 'float8', '7'), ('float4', '0.1', 'float8', '0.1'), ('float4', '0.5', 'float8', '0.5'),
	('float8', '0', 'float8', '-0'), ('float8', 'NaN', 'float4', 'NaN'), ('numeric', '1.10', 'numeric', '1.1'), ('numeric(5,1)', '1.1', 'numeric(8,3)', '1.100'),
	('text', 'x', 'varchar', 'x'), ('text', 'x', 'varchar(3)', 'x'), ('text', 'x', 'char(3)', 'x'), ('text', 'x ', 'char(3)', 'x'), ('char(5)', 'x', 'char(3)', 'x'), ('name', 'x', 'text', 'x'),
	('date', '2020-01-01', 'timestamp', '2020-01-01'), ('date', '2020-01-01', 'timestamptz', '2020-01-01'), ('timestamp', '2020-01-01 12:00', 'timestamptz', '2020-01-01 12:00'),
	('int4[]', '{1,2}', 'int4[]', '{1,2}'), ('int4[]', '{1,2}', 'int8[]', '{1,2}'), ('int4range', '[1,3)', 'int4range', '[1,2]'), ('uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'uuid', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'),
	('int4', '7', 'text', '7'), ('json', '{}', 'json', '{}'), ('jsonb', '{"a":1}', 'jsonb', '{"a": 1}'), ('bool', 't', 'int4', '1'), ('oid', '7', 'int4', '7'), ('interval', '1 day', 'interval', '24 hours'),
	('point', '(1,2)', 'point', '(1,2)'), ('date', '2020-01-01', 'int4', '7'), ('inet', '1.2.3.4', 'cidr', '1.2.3.4/32')) AS t (lt, lv, rt, rv);

-- a domain, a composite type, and an enum
CREATE DOMAIN small AS int CHECK (VALUE < 100);
CREATE TYPE place AS (x int, y text);
CREATE TYPE mood AS ENUM ('glad', 'sad');
SELECT same('small', '7', 'bigint', '7'), same('place', '(1,a)', 'place', '(1,a)'), same('mood', 'sad', 'mood', 'sad');

-- values stored out of line
CREATE TABLE long (k text, v text);
INSERT INTO long SELECT m || k, m || v FROM generate_series(1, 2) AS k, generate_series(1, 3) AS v, (SELECT string_agg(md5(n::text), '') AS m FROM generate_series(1, 200) AS n) AS s;
SELECT count(*), min(length(left_value)), sum(witnesses) FROM join_project('long', 'k', 'v', 'long', 'k', 'v');
SELECT count(*), min(length(item1)), sum(support) FROM frequent_pairs('long', 'k', 'v', 2, NULL::text);

-- values of every length, and alignments beside each other: as the rows of SQL
CREATE TABLE lengths AS SELECT n AS k, repeat('x', n) AS t, n::smallint AS s, (n % 2 = 0) AS b, n::numeric ^ (n % 40) AS d, n * interval '1 day' AS i, ARRAY[n, n] AS a, (repeat('y', n % 64))::name AS c FROM generate_series(0, 140) AS n;
CREATE FUNCTION differing(l text, r text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
	EXECUTE format('WITH ours AS MATERIALIZED (SELECT * FROM join_project(''lengths'', ''k'', %1$L, ''lengths'', ''k'', %2$L, left_type => (SELECT %1$I FROM lengths LIMIT 0), right_type => (SELECT %2$I FROM lengths LIMIT 0))),
		theirs AS MATERIALIZED (SELECT %1$I, %2$I, count(*) FROM lengths WHERE %1$I IS NOT NULL AND %2$I IS NOT NULL GROUP BY 1, 2)
		SELECT count(*) FROM ((TABLE ours EXCEPT ALL TABLE theirs) UNION ALL (TABLE theirs EXCEPT ALL TABLE ours)) AS d', l, r) INTO n;
	RETURN n;
END $$;
SELECT l, r, differing(l, r) FROM unnest('{t,s,b,d,i,a,c}'::text[]) AS l, unnest('{t,s,b,d,i,a,c}'::text[]) AS r WHERE l <> r AND differing(l, r) <> 0;
SELECT count(*) FROM join_project('lengths', 'k', 't', 'lengths', 'k', 'i') AS o FULL JOIN (SELECT t, i::text FROM lengths) AS s ON (left_value, right_value) = (t, i) WHERE t IS NULL OR witnesses IS DISTINCT FROM 1;

-- matrices have integers
SELECT * FROM boolean_matrix_product('(SELECT 1::smallint AS i, 2::smallint AS j)', 'i', 'j', '(SELECT 2::bigint AS j, 9223372036854775807 AS k)', 'j', 'k');
SELECT * FROM boolean_matrix_product('(SELECT 1 AS i, 2::numeric AS j)', 'i', 'j', '(SELECT 2 AS j, 3 AS k)', 'j', 'k');

-- similarity: a threshold that is just reached
SELECT measure, threshold, (SELECT count(*) FROM similar_sets('(VALUES (1, ARRAY[1,2,3,4]), (2, ARRAY[1,2,3,4,5]))', 'column1', 'column2', threshold, measure)) FROM (VALUES ('jaccard', 0.8::float8), ('jaccard', 0.8000000000000002), ('cosine', 0.8944271909999159), ('cosine', 0.894427190999916), ('overlap', 1), ('containment', 0.8), ('containment', 0.81)) AS t (measure, threshold);

-- the most similar sets: of the same similarity those with more in common, then the first ones; without a threshold, and of two sources
CREATE TABLE s AS SELECT * FROM (VALUES (1, '{1,2,3,4}'::int[]), (2, '{1,2}'), (3, '{3,4}'), (4, '{5,6}'), (5, '{1,2,3,4,5,6}'), (10, '{3,4}'), (11, NULL)) AS v(id, items);
CREATE TABLE t AS SELECT id::bigint, unnest(items)::text AS item FROM s WHERE id <> 3 UNION ALL SELECT 12, NULL UNION ALL SELECT NULL, '1' UNION ALL SELECT 13, '7';
SET gpufim.engine = cpu;
SELECT * FROM similar_sets('s', 'id', 'items', 0, k => 2) ORDER BY tid1::int, similarity DESC, overlap DESC, tid2::int;
SELECT * FROM similar_sets('s', 'id', 'items', 0.6, 'containment', 1) ORDER BY tid1::int, tid2::int;
SELECT * FROM similar_sets('(SELECT items FROM s ORDER BY id)', 'items', 0.4, 'overlap', 1) ORDER BY tid1::int, tid2::int;
SELECT * FROM similar_sets('s', 'id', 'items', '(SELECT id, item::int FROM t)', 'id', 'item', 0.75) ORDER BY tid1::int, tid2::int;
SELECT * FROM similar_sets('s', 'id', 'items', '(SELECT id, item::bigint FROM t)', 'id', 'item', 0, 'containment', 1) ORDER BY tid1::int, tid2::int;
-- keys that are in one source only count in the sizes of sets; in one source with itself, a set is most similar to itself
SELECT * FROM unnest('{jaccard,cosine,overlap,containment}'::text[]) AS measure, similar_sets('(SELECT 1 AS t, ARRAY[1,2,3,4,5] AS i)', 't', 'i', '(VALUES (7, 1), (7, 2), (7, 8), (8, 9))', 'column1', 'column2', 0.01, measure) ORDER BY 1;
SELECT count(*), sum(similarity) FROM similar_sets('s', 'id', 'items', 's', 'id', 'items', 1);
SELECT (SELECT count(*) FROM similar_sets('s', 'id', 'items', 's', 'id', 'items', 0.1, 'containment') WHERE tid1 <> tid2) - count(*) AS difference FROM similar_sets('s', 'id', 'items', 0.1, 'containment');
SELECT function, strategy, engine, itemsets, details->'left_values' AS left_values, details->'right_values' AS right_values FROM gpufim_last_run();
EXPLAIN (COSTS OFF) SELECT tid1 FROM similar_sets('s', 'id', 'items', 's', 'id', 'items', 1);
SELECT * FROM similar_sets('s', 'id', 'items', NULL);
SELECT * FROM similar_sets('s', 'id', 'items', 0, 'jaccard');
SELECT * FROM similar_sets('s', 'id', 'items', -0.5, k => 1);
SELECT * FROM similar_sets('s', 'id', 'items', 0.5, k => 0);
-- what PostgreSQL says beside it differs between versions
\set VERBOSITY terse
SELECT * FROM similar_sets('s', 'id', 'items', 't', 'id', 'item', 0.5);
\set VERBOSITY default
SELECT * FROM similar_sets('s', 'id', 'items', 't', 'id', 'nosuch', 0.5);
SELECT * FROM similar_sets('s', 'id', 'items', 't', 'id', 'item', NULL);
-- only the processor has these
SET gpufim.engine = 'gpu';
SELECT * FROM similar_sets('s', 'id', 'items', 0.5, k => 1);
SELECT count(*) FROM similar_sets('(SELECT items FROM s)', 'items', 0, 'cosine', 1);
SELECT * FROM similar_sets('s', 'id', 'items', 's', 'id', 'items', 0.5);
-- which is looked at after the sources
SELECT * FROM similar_sets('s', 'id', 'nosuch', 0.5, k => 1);
RESET gpufim.engine;
DROP TABLE s, t;

-- arguments
SELECT * FROM join_project('l', 'k', 'v', 'r', 'k', 'v', 0);
SELECT * FROM join_project('l', 'k', 'v', 'r', 'k', 'v', NULL);
SELECT * FROM join_project(NULL, 'k', 'v', 'r', 'k', 'v');
SELECT * FROM join_project('l', 'k', 'v', 'nosuch', 'k', 'v');
SELECT * FROM join_project('l', 'k', 'v', 'r', 'nosuch', 'v');
SELECT * FROM join_project('l', 'k', 'v', '(SELECT 1', 'k', 'v');
SELECT * FROM join_project('l', 'k', 'v', '(SELECT * FROM r FOR UPDATE)', 'k', 'v');
SELECT * FROM join_project('l', 'k', 'v', 'r', 'k', 'v', 1, NULL::int, NULL::date);
-- of a column that is on both sides, and so is read once
SELECT * FROM join_project('l', 'k', 'v', 'l', 'k', 'v', 1, NULL::text, NULL::int);
SELECT * FROM frequent_pairs('l', 'k', 'v', 0);
SELECT * FROM frequent_pairs('l', 'k', 'v', 100);
SELECT * FROM frequent_pairs('l', 'v', 1);
SELECT * FROM similar_sets('l', 'v', 'k', 0);
SELECT * FROM similar_sets('l', 'v', 'k', 1.5);
SELECT * FROM similar_sets('l', 'v', 'k', 'NaN'::float8);
SELECT * FROM similar_sets('l', 'v', 'k', 0.5, 'dice');
SELECT * FROM join_project('(SELECT k, v COLLATE "C" AS v FROM l)', 'v', 'k', '(SELECT k, v COLLATE "POSIX" AS v FROM l)', 'v', 'k');

-- privileges and row security are the caller's
CREATE ROLE regress_gpufim_sets;
SET ROLE regress_gpufim_sets;
SELECT * FROM join_project('l', 'k', 'v', 'r', 'k', 'v');
RESET ROLE;
GRANT SELECT ON l, r TO regress_gpufim_sets;
ALTER TABLE r ENABLE ROW LEVEL SECURITY;
CREATE POLICY one ON r USING (k = 1);
SET ROLE regress_gpufim_sets;
SELECT * FROM join_project('l', 'k', 'v', 'r', 'k', 'v') ORDER BY 1, 2;
RESET ROLE;
DROP TABLE r;
REVOKE ALL ON l FROM regress_gpufim_sets;
DROP ROLE regress_gpufim_sets;

-- a result that is too large for temporary files is told before it is there
CREATE TABLE e AS SELECT n % 100 AS k, n % 3000 AS v FROM generate_series(1, 200000) AS n;
SET work_mem = '64kB';
SET temp_file_limit = '300kB';
SELECT count(witnesses) FROM join_project('e', 'k', 'v', 'e', 'k', 'v');
SELECT itemsets, completed FROM gpufim_last_run();
-- columns that the query does not refer to take no room
SELECT count(*) FROM join_project('e', 'k', 'v', 'e', 'k', 'v');
SELECT count(right_value) FROM join_project('e', 'k', 'v', 'e', 'k', 'v');
SET temp_file_limit = '150kB';
SELECT count(left_value) FROM join_project('e', 'k', 'v', 'e', 'k', 'v', 1, NULL::int, NULL::int, witnesses => false);
SELECT count(left_value) FROM join_project('e', 'k', 'v', '(TABLE e)', 'k', 'v', witnesses => false);
SET temp_file_limit = '1000kB';
SELECT count(witnesses) FROM join_project('e', 'k', 'v', 'e', 'k', 'v');
SELECT count(*) FROM join_project('e', 'k', 'v', 'e', 'k', 'v') WITH ORDINALITY;
SELECT count(*) FROM join_project('e', 'k', 'v', 'e', 'k', 'v', 1, NULL::int, NULL::int, witnesses => false) WITH ORDINALITY;
SET temp_file_limit = '9000kB';
SELECT count(*) FROM join_project('e', 'k', 'v', 'e', 'k', 'v') WITH ORDINALITY;
-- counting first keeps the strategy that is set; at 1500 kB there is room, but that is not known before
CREATE TABLE f AS SELECT n % 100 AS k, n % 3000 AS v FROM generate_series(1, 100000) AS n WHERE n % 100 < 30;
SET temp_file_limit = '1500kB';
SET gpufim.strategy = 'batmap';
SELECT count(witnesses) FROM join_project('f', 'k', 'v', 'e', 'k', 'v');
SELECT strategy LIKE '%batmap%' AS batmap FROM gpufim_last_run();
RESET gpufim.strategy;
DROP TABLE f;
-- a single row may be too large
SET temp_file_limit = '150kB';
SELECT count(left_value) FROM join_project('(SELECT 1 AS k, repeat(''x'', 200000) AS v)', 'k', 'v', '(SELECT 1 AS k, 2 AS v)', 'k', 'v') WITH ORDINALITY;
RESET temp_file_limit;
RESET work_mem;
DROP TABLE e;

-- what the call did
SELECT count(*) FROM join_project('l', 'k', 'v', '(SELECT k, v || ''x'' AS v FROM l)', 'k', 'v');
SELECT function, completed, rows_read, transactions, distinct_items, frequent_items, itemsets, details->'left_pairs' AS left_pairs, details->'right_values' AS right_values, details->'common_keys' AS common_keys FROM gpufim_last_run();
SELECT key FROM gpufim_last_run(), jsonb_object_keys(details) AS key WHERE key LIKE '%prefix%';

-- parameters without types
PREPARE p AS SELECT * FROM join_project($1, $2, $3, $4, $5, $6) ORDER BY 1, 2;
EXECUTE p('l', 'k', 'v', 'l', 'k', 'v');
PREPARE q AS SELECT * FROM frequent_pairs($1, $2, $3);
EXECUTE q('(VALUES (ARRAY[1, 2]))', 'column1', 1);
DROP TABLE l, long, lengths;
