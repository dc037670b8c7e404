-- The distribution of an itemset's support, against the one in exact decimals
CREATE TABLE trials (id int, items text[], p numeric, ps numeric[]);
INSERT INTO trials
	SELECT n, array_agg(i ORDER BY i), n * 37 % 101 / 101.0, array_agg(CASE WHEN n * ascii(i) % 5 = 0 THEN 1 ELSE round((n * ascii(i) * 13 % 89) / 89.0, 3) END ORDER BY i)
	FROM generate_series(1, 40) AS n, unnest('{a,b,c,d}'::text[]) AS i
	WHERE (n * n + ascii(i) * n) % 11 < 8
	GROUP BY n;
UPDATE trials SET p = round(p, 3);
INSERT INTO trials VALUES (41, '{}', 0.5, '{}'), (42, '{a,b}', 0, '{0,0.5}'), (43, '{a}', NULL, NULL), (44, NULL, 0.5, '{}'), (45, '{a,a,b}', 0.5, '{0.25,0.25,1}');
CREATE TABLE tried AS SELECT id, item, u.p FROM trials, unnest(items, ps) AS u(item, p);

CREATE AGGREGATE pg_temp.product(numeric) (sfunc = numeric_mul, stype = numeric, initcond = 1);
-- the probabilities of the transactions that hold all of some items
CREATE FUNCTION pg_temp.of_rows(wanted text[]) RETURNS numeric[] LANGUAGE sql AS
	'SELECT array_agg(p) FROM trials WHERE items @> wanted AND p > 0';
CREATE FUNCTION pg_temp.of_pairs(wanted text[]) RETURNS numeric[] LANGUAGE sql AS
	'SELECT array_agg(p) FROM (SELECT pg_temp.product(p) AS p FROM (SELECT DISTINCT * FROM tried WHERE p > 0) AS t WHERE item = ANY (wanted) GROUP BY id HAVING count(*) = cardinality(wanted)) AS held';
SELECT wanted, form, cardinality(p) AS transactions, count(*) > 5 AS some, abs(sum(probability) - 1) < 1e-14 AS total,
	   count(*) FILTER (WHERE abs(probability - (brute.distribution(p))[support + 1]) > 1e-13) AS different
FROM unnest('{"{a}","{b,d}","{a,b,c}","{a,b,c,d}"}'::text[]) AS w(list), LATERAL (SELECT list::text[] AS wanted) AS l,
	 unnest('{rows,arrays,pairs}'::text[]) AS form,
	 LATERAL (SELECT CASE form WHEN 'rows' THEN pg_temp.of_rows(wanted) ELSE pg_temp.of_pairs(wanted) END AS p) AS q,
	 LATERAL (SELECT * FROM probable_itemset_distribution('trials', 'items', 'p', wanted) WHERE form = 'rows'
			  UNION ALL SELECT * FROM probable_itemset_distribution('trials', 'items', 'ps', wanted) WHERE form = 'arrays'
			  UNION ALL SELECT * FROM probable_itemset_distribution('(SELECT * FROM tried ORDER BY item, id)', 'id', 'item', 'p', wanted) WHERE form = 'pairs') AS d
GROUP BY wanted, form, p ORDER BY wanted, form;
-- its tails are what probable_itemsets() returns
SELECT count(*), count(*) FILTER (WHERE abs(probability - tail) > 1e-12) AS different, count(*) FILTER (WHERE abs(expected_support - mean) > 1e-12) AS means
FROM probable_itemsets('tried', 'id', 'item', 'p', 5, 1e-6) AS i,
	 LATERAL (SELECT sum(probability) FILTER (WHERE support >= 5) AS tail, sum(probability * support) AS mean FROM probable_itemset_distribution('tried', 'id', 'item', 'p', i.items)) AS d;
-- the order and number of names, and their types
SELECT * FROM probable_itemset_distribution('(SELECT ARRAY[1, 10] AS i, 0.5 AS p)', 'i', 'p', '{10,1,1.0}');
SELECT * FROM probable_itemset_distribution('(SELECT ARRAY[1.0, 10] AS i, 0.5 AS p)', 'i', 'p', '{10,1,1.00}');
-- what is not there
SELECT * FROM probable_itemset_distribution('trials', 'items', 'p', '{a,z}');
SELECT * FROM probable_itemset_distribution('trials', 'items', 'p', '{a,z,y}');
SELECT * FROM probable_itemset_distribution('(SELECT * FROM trials WHERE id = 42)', 'items', 'p', '{a}');
SELECT * FROM probable_itemset_distribution('(SELECT * FROM trials WHERE id = 42)', 'items', 'ps', '{a,b}');
SELECT * FROM probable_itemset_distribution('(SELECT * FROM trials WHERE false)', 'items', 'ps', '{a}');
SELECT * FROM probable_itemset_distribution('trials', 'items', 'p', '{}');
SELECT * FROM probable_itemset_distribution('trials', 'items', 'p', NULL);
SELECT * FROM probable_itemset_distribution('trials', 'items', 'p', '{a,NULL}');
SELECT * FROM probable_itemset_distribution('trials', 'id', 'items', 'p', NULL);
SELECT * FROM probable_itemset_distribution('(VALUES (ARRAY[1], 2))', 'column1', 'column2', '{1}');
-- long ones: what is too small to matter is left out, and nothing else
SELECT min(support) > 0 AS from_above, max(support) < 100000 AS to_below, count(*) < 10000 AS few, abs(sum(probability) - 1) < 1e-14 AS total,
	   abs(sum(probability * support) - 50000) < 1e-6 AS mean, abs(sum(probability) FILTER (WHERE support < 50000) - sum(probability) FILTER (WHERE support > 50000)) < 1e-14 AS even
FROM probable_itemset_distribution('(SELECT ''{x}''::text[] AS i, 0.5 AS p FROM generate_series(1, 100000))', 'i', 'p', '{x}');
SELECT support, abs(probability - binomial) < 1e-15 AS right
FROM probable_itemset_distribution('(SELECT ''{x}''::text[] AS i, 0.25 AS p FROM generate_series(1, 400))', 'i', 'p', '{x}') AS d,
	 LATERAL (SELECT factorial(400) / factorial(support) / factorial(400 - support) * 3::numeric ^ (400 - support) / 4::numeric ^ 400 AS binomial) AS b
WHERE support % 20 = 0 AND support BETWEEN 60 AND 140;
SELECT function, transactions, engine, device FROM gpufim_last_run();
-- the strategies are ways to mine; whichever is set, there is one way to the distribution
SET gpufim.engine = 'cpu';
SET gpufim.strategy = 'bounds';
DO $$ BEGIN PERFORM FROM probable_itemset_distribution('trials', 'items', 'p', '{a}'); END $$;
RESET gpufim.strategy;
RESET gpufim.engine;
DROP TABLE trials, tried;
