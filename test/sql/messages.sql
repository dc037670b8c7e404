-- Messages that say what to do
-- lists in another form than arrays
CREATE TABLE lists (id int, tags text, "Short Tags" varchar(20), old json, new jsonb, code int);
INSERT INTO lists VALUES (1, 'a,b', 'a,b', '["a","b"]', '["a","b"]', 1), (2, 'a', 'a', '["a"]', '["a"]', 2), (3, NULL, NULL, NULL, NULL, 3);
SELECT * FROM frequent_itemsets('lists', 'tags', 1);
SELECT * FROM frequent_itemsets('lists', 'Short Tags', 1);
SELECT * FROM frequent_itemsets('lists', 'old', 1);
SELECT * FROM frequent_itemsets('lists', 'new', 1);
SELECT * FROM frequent_itemsets('(SELECT * FROM lists WHERE tags <> '''')', 'tags', 1);
SELECT * FROM itemset_counts('lists', 'code', 1);
-- the queries do what is meant, of every row that has a list
CREATE FUNCTION follow_hint(items_column name, source text = 'lists') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
	PERFORM * FROM frequent_itemsets(source, items_column, 1::float8);
EXCEPTION WHEN datatype_mismatch THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	hint := substring(hint FROM '''(?:[^'']|'''')*''');
	RETURN QUERY EXECUTE format('SELECT f::text FROM frequent_itemsets(%s, %L, 1::float8) AS f ORDER BY items', hint, items_column);
END
$$;
SELECT * FROM follow_hint('tags');
SELECT * FROM follow_hint('Short Tags');
SELECT * FROM follow_hint('old');
SELECT * FROM follow_hint('new');
SELECT * FROM follow_hint('tags', '(SELECT * FROM lists WHERE tags <> '''')');
SELECT * FROM follow_hint('tags', '(SELECT * FROM lists); -- all');
DROP FUNCTION follow_hint;
-- semicolons at the end
SELECT count(*) FROM frequent_itemsets('(SELECT items FROM baskets);', 'items', 3);
SELECT count(*) FROM frequent_itemsets('(SELECT items FROM baskets;)', 'items', 3);
SELECT count(*) FROM frequent_itemsets(E' (SELECT items FROM baskets ; \n ) ; ;\n', 'items', 3);
SELECT count(*) FROM frequent_itemsets(E'(SELECT items FROM baskets -- all;\n)', 'items', 3);
SELECT count(*) FROM frequent_itemsets('(SELECT items FROM baskets); -- all of them', 'items', 3);
SELECT count(*) FROM frequent_itemsets(E'/* all */ (SELECT items FROM baskets; /* of; */ ; -- them;\n) /* ( */ ; /* ; */ ; -- )', 'items', 3);
SELECT * FROM frequent_itemsets('(SELECT ARRAY['';''] AS items)', 'items', 1);
SELECT * FROM frequent_itemsets('(SELECT ARRAY[1] AS ";")', ';', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT items FROM baskets); SELECT 1;', 'items', 3);
SELECT count(*) FROM frequent_itemsets('(SELECT items FROM baskets); -- all of them' || chr(10) || 'SELECT 1', 'items', 3);
SELECT count(*) FROM frequent_itemsets('((SELECT items FROM baskets;) ;)', 'items', 3);
SELECT count(*) FROM frequent_itemsets('(SELECT items FROM baskets); ''all of them', 'items', 3);
SELECT count(*) FROM frequent_itemsets('(SELECT 1; SELECT items FROM baskets;)', 'items', 3);
SELECT count(*) FROM frequent_itemsets(';', 'items', 3);
SELECT count(*) FROM frequent_itemsets('(;', 'items', 3);
SELECT count(*) FROM frequent_itemsets(';(SELECT items FROM baskets)', 'items', 3);
-- a threshold that nothing can reach, and one that everything can
SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1] AS items)', 'items', 2);
SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1] AS items)', 'items', 1e300);
SELECT sum(itemsets) FROM itemset_counts('(SELECT ARRAY[1] AS items WHERE false)', 'items', 1);
SELECT sum(itemsets) FROM itemset_counts('(SELECT ARRAY[1] AS items WHERE false)', 'items', 0.5);
SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1] AS items)', 'items', 1);
-- items that are not there
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 1, including => '{caviar}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 1, including => '{bread,caviar,oysters}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, excluding => '{caviar,bread}');
-- long names are cut, between characters
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 1, including => ARRAY[repeat('x', 100000)]);
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, excluding => ARRAY[repeat('x', 64), 'y' || repeat('é', 50000)]);
SELECT count(*) FROM frequent_itemsets('basket_items', 'id', 'item', 3, excluding => '{caviar}', including => '{oysters}');
SELECT count(*) FROM frequent_itemsets('numbers', 'items', 100, excluding => ARRAY(SELECT n::text FROM generate_series(1001, 1020) AS n));
-- named twice, once in another way
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, excluding => '{caviar,bread,caviar}');
SELECT count(*) FROM frequent_itemsets('numbers', 'items', 100, excluding => '{2001,02001,2002}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{bread}', excluding => '{milk}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{}', excluding => '{}');
-- strategies: refused at once, unless some engine has them
DO $$
DECLARE hint text;
BEGIN
	SET gpufim.strategy = 'nosuch';
EXCEPTION WHEN invalid_parameter_value THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	-- not every build has an FFT
	RAISE NOTICE '% %', SQLERRM, replace(hint, ' fft,', '');
END
$$;
\set VERBOSITY terse
SET gpufim.strategy = 'nosuch';
SET gpufim.strategy = '';
SET gpufim.strategy = 'bit';
SET gpufim.strategy = 'Bitmap';
SELECT set_config('gpufim.strategy', 'auto,', false);
ALTER ROLE CURRENT_USER SET gpufim.strategy = 'nosuch';
\set VERBOSITY default
-- and what was used is said, never "auto"
SET gpufim.engine = cpu;
CREATE FUNCTION used(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN (SELECT strategy FROM gpufim_last_run());
END
$$;
CREATE TABLE wide AS SELECT ARRAY(SELECT (n * k * 7919) % 1009 FROM generate_series(1, 20) AS k) AS items FROM generate_series(1, 500) AS n;
CREATE TABLE expression AS SELECT ARRAY(SELECT k FROM generate_series(1, 2000) AS k WHERE (k * n * 7919) % 11 < 6) AS items FROM generate_series(1, 8) AS n;
SELECT s AS setting, used($$SELECT count(*) FROM frequent_itemsets('baskets', 'items', 2)$$) AS few_items,
	   used($$SELECT count(*) FROM frequent_itemsets('wide', 'items', 9)$$) AS many_items,
	   used($$SELECT count(*) FROM frequent_itemsets('expression', 'items', 4, 'closed')$$) AS few_rows,
	   used($$SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1])', 'array', 1)$$) AS one_itemset
FROM unnest('{auto,bitmap,projected,rows}'::text[]) AS s, LATERAL set_config('gpufim.strategy', s, false) AS o;
SET gpufim.workers = 2;
SELECT used($$SELECT sum(itemsets) FROM itemset_counts('wide', 'items', 2)$$) <> 'auto' AS not_auto;
RESET gpufim.workers;
RESET gpufim.strategy;
RESET gpufim.engine;
DROP FUNCTION used;
DROP TABLE lists, wide, expression;
