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
-- lists in the pair form: each is taken as one item, and a notice has the query that makes items of its elements
CREATE TABLE carts AS SELECT id, items, 0.5 AS p, to_jsonb(items) AS new, to_json(items) AS old, array_to_string(items, ',') AS tags, array_to_string(items, ', ') AS "Wide Tags", items::text AS arrays, to_json(items)::text AS texts
	FROM (VALUES (1, '{bread,milk}'::text[]), (2, '{milk,bread}'), (3, '{beer}')) AS v(id, items);
SELECT items, support FROM frequent_itemsets('carts', 'id', 'items', 1) ORDER BY items;
SELECT * FROM itemset_counts('carts', 'id', 'new', 1);
SELECT count(*) FROM frequent_itemsets('carts', 'id', 'tags', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT * FROM carts) -- all', 'id', 'Wide Tags', 1);
SELECT count(*) FROM probable_itemsets('carts', 'id', 'arrays', 'p', 1);
SELECT * FROM probable_itemset_distribution('carts', 'id', 'texts', 'p', ARRAY['["beer"]']);
SELECT count(*) FROM frequent_pairs('carts', 'id', 'items', 1);
SELECT count(*) FROM frequent_pairs('carts', 'id', 'tags', 1);
SELECT count(*) FROM similar_sets('carts', 'id', 'new', 0.5);
SELECT count(*) FROM similar_sets('carts', 'id', 'tags', 0.5);
PREPARE lists AS SELECT count(*) FROM frequent_itemsets($1, $2, $3, $4);
EXECUTE lists ('carts', 'id', 'items', '1');
DEALLOCATE lists;
SELECT count(*) FROM frequent_episodes('carts', 'items', 'id', 3, '{"(0,1]"}');
SELECT * FROM frequent_pairs('carts', 'id', 'old', 1);
SELECT * FROM similar_sets('carts', 'id', 'items', 0.5);
-- the queries do what is meant
SELECT items, support FROM frequent_itemsets('(SELECT id, unnest(items) AS items FROM carts)', 'id', 'items', 2, 'closed');
SELECT * FROM itemset_counts('(SELECT id, jsonb_array_elements_text(new) AS new FROM carts)', 'id', 'new', 2);
SELECT items, support FROM frequent_itemsets('(SELECT id, unnest(string_to_array(tags, '','')) AS tags FROM carts)', 'id', 'tags', 2, 'closed');
SELECT items, support FROM frequent_itemsets('(SELECT id, unnest(string_to_array("Wide Tags", '', '')) AS "Wide Tags" FROM (SELECT * FROM carts) -- all
AS source)', 'id', 'Wide Tags', 2, 'closed');
SELECT items, expected_support FROM probable_itemsets('(SELECT id, unnest(arrays::text[]) AS arrays, p FROM carts)', 'id', 'arrays', 'p', 1, kind => 'maximal');
SELECT * FROM probable_itemset_distribution('(SELECT id, jsonb_array_elements_text(texts::jsonb) AS texts, p FROM carts)', 'id', 'texts', 'p', '{beer}');
SELECT item1, item2, support FROM frequent_pairs('(SELECT id, json_array_elements_text(old) AS old FROM carts)', 'id', 'old', 1);
SELECT * FROM similar_sets('(SELECT unnest(string_to_array(tags, '','')) AS tags, id FROM carts)', 'id', 'tags', 0.5);
-- none of these are lists: commas in transactions of several items, jsonb of all kinds, keys of a join
SELECT count(*) FROM frequent_itemsets('(VALUES (1, ''Knuth, D.''), (1, ''Plass, M.''), (2, ''Knuth, D.''))', 'column1', 'column2', 1);
SELECT count(*) FROM frequent_pairs('(VALUES (1, ''Knuth, D.''), (2, ''Knuth, D.''), (1, ''Plass, M.''))', 'column1', 'column2', 1);
SELECT count(*) FROM similar_sets('(VALUES (1, ''Knuth, D.''), (2, ''Knuth, D.''), (1, ''Plass, M.''))', 'column1', 'column2', 0.1);
SELECT count(*) FROM frequent_itemsets('(VALUES (1, ''1''::jsonb), (2, ''[]''), (3, ''{"a": [1]}''))', 'column1', 'column2', 1);
SELECT count(*) FROM frequent_itemsets('(VALUES (1, ''bread''), (2, ''milk''))', 'column1', 'column2', 1);
SELECT count(*) FROM join_project('carts', 'items', 'tags', 'carts', 'items', 'tags');
DROP TABLE carts;
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
-- 100 percent that is taken as one transaction, and what may well be listed in full
SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[n % 3] AS items FROM generate_series(1, 100) AS n)', 'items', 1.0);
SELECT * FROM itemset_counts('(SELECT n AS id, n % 3 AS item FROM generate_series(1, 100) AS n)', 'id', 'item', 1.0);
SELECT * FROM episode_counts('(SELECT 1 AS e, n AS t FROM generate_series(1, 100) AS n)', 'e', 't', 1.0, '{"[60,)"}');
SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[n % 3] AS items FROM generate_series(1, 99) AS n)', 'items', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[n % 3] AS items FROM generate_series(1, 100) AS n)', 'items', 1, max_length => 2);
SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[n % 3] AS items FROM generate_series(1, 100) AS n)', 'items', 1, 'closed');
-- a function's call is no source
SELECT * FROM frequent_itemsets('generate_series(1,3)', 'items', 1);
SELECT * FROM join_project('lower(''X'')', 'a', 'b', 'baskets', 'a', 'b');
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
-- filters that leave nothing
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 1, including => '{bread,milk}', excluding => '{milk,caviar}');
SELECT count(*) FROM itemset_counts('basket_items', 'id', 'item', 1, including => '{bread}', excluding => '{bread}');
SELECT count(*) FROM itemset_counts('baskets', 'items', 1, including => '{bread,milk,milk}', max_length => 1);
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 1, including => '{bread,bread}', max_length => 1);
SELECT count(*) FROM frequent_itemsets('numbers', 'items', 100, including => '{1}', excluding => '{01}');
SELECT count(*) FROM probable_itemsets('(SELECT items, 0.5 AS p FROM baskets)', 'items', 'p', 1, including => '{bread,milk}', excluding => '{beer}', max_length => 1);
SELECT count(*) FROM frequent_episodes('basket_items', 'item', 'id', 1, '{"(0,5]"}', including => '{bread,milk}', excluding => '{milk}');
SELECT count(*) FROM episode_counts('basket_items', 'item', 'id', 1, '{"(0,5]"}', including => '{bread,milk}', max_length => 1);
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
