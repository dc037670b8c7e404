-- A type sample makes the result's arrays of the items' own type.
SELECT items, support, pg_typeof(items) FROM frequent_itemsets('numbers', 'items', 90, NULL::int[]) ORDER BY items;
SELECT items, support, pg_typeof(items) FROM frequent_itemsets('number_items', 'id', 'item', 90, NULL::int[]) ORDER BY items;
SELECT items, support, pg_typeof(items) FROM frequent_itemsets('baskets', 'items', 4, NULL::text[]) ORDER BY items COLLATE "C";
-- it says the same as the plain form
SELECT count(*) FROM (SELECT items::int[], support, frequency FROM frequent_itemsets('numbers', 'items', 20)
					  EXCEPT ALL
					  SELECT items, support, frequency FROM frequent_itemsets('numbers', 'items', 20, NULL::int[])) AS missing;
SELECT count(*) FROM (SELECT items, support, frequency FROM frequent_itemsets('numbers', 'items', 20, NULL::int[])
					  EXCEPT ALL
					  SELECT items::int[], support, frequency FROM frequent_itemsets('numbers', 'items', 20)) AS unexpected;
-- the sample' value does not matter, only its type
SELECT items, support FROM frequent_itemsets('baskets', 'items', 6, '{x,y}'::text[]) ORDER BY items COLLATE "C";
-- all arguments after it
SELECT items, support FROM frequent_itemsets('numbers', 'items', 60, NULL::int[], kind => 'maximal', min_length => 2) ORDER BY items;
SELECT items, support FROM frequent_itemsets('numbers', 'items', 60, item_type => NULL::int[], max_length => 2, including => '{2}', excluding => '{1}')
ORDER BY items;
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, NULL::text[], 'closed', 2, 2, '{bread}', '{milk}') ORDER BY items COLLATE "C";
SELECT items, support FROM frequent_itemsets('basket_items', 'id', 'item', 3, NULL::text[], 'closed', 2, 2, '{bread}', '{milk}') ORDER BY items COLLATE "C";
-- types that have no typed array in the server's fast paths
SELECT items, pg_typeof(items), support
FROM frequent_itemsets('(VALUES (''{1.0,2.50}''::numeric[]), (''{1,2.5,3}''::numeric[]))', 'column1', 2, NULL::numeric[]) ORDER BY items;
SELECT items, pg_typeof(items), support
FROM frequent_itemsets('(VALUES (''{2024-01-31,infinity}''::date[]), (''{infinity}''::date[]))', 'column1', 1, NULL::date[]) ORDER BY items;
SELECT pg_typeof(antecedent), pg_typeof(consequent), count(*) FROM association_rules('numbers', 'items', 60, NULL::int[], 0.5) GROUP BY 1, 2;
-- a sample that does not fit
SELECT * FROM frequent_itemsets('numbers', 'items', 60, NULL::text[]);
SELECT * FROM frequent_itemsets('numbers', 'items', 60, NULL::bigint[]);
SELECT * FROM frequent_itemsets('number_items', 'id', 'item', 60, NULL::text[]);
SELECT * FROM frequent_itemsets('baskets', 'items', 6, NULL::varchar[]) ORDER BY items COLLATE "C";
-- what PostgreSQL adds to it differs between versions
\set VERBOSITY terse
SELECT * FROM frequent_itemsets('numbers', 'items', 60, NULL::int);
\set VERBOSITY default
-- PostgreSQL takes a column's type from the argument that the call has in the sample' place, even if that is another one; where the column is used, an error says so
CREATE TABLE placed AS SELECT n AS id, n % 3 AS item, ARRAY[n % 3, 3 + n % 2] AS items, 0.5::float8 AS p FROM generate_series(1, 12) AS n;
SELECT * FROM frequent_itemsets('placed', 'items', 6, kind => 'closed', item_type => NULL::int[]);
CREATE FUNCTION pg_temp.fails(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
	EXECUTE query;
	RETURN 'no error';
EXCEPTION WHEN datatype_mismatch THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws('; ', substring(hint from '(.*), with or'), substring(detail from 'is (of type .*)'));
END
$$;
CREATE VIEW misplaced AS SELECT * FROM frequent_itemsets('placed', 'items', 6, kind => 'closed', item_type => NULL::int[]);
SELECT query, pg_temp.fails(query) FROM unnest(ARRAY[
	$$SELECT * FROM misplaced$$, $$EXPLAIN SELECT items FROM misplaced$$, $$SELECT support, frequency FROM misplaced$$, $$SELECT count(*) FROM misplaced$$, $$SELECT 1 FROM misplaced WHERE items IS NOT NULL$$, $$SELECT 1 FROM misplaced ORDER BY items$$,
	$$SELECT (SELECT m.items::text || p.id FROM placed AS p LIMIT 1) FROM misplaced AS m$$, $$SELECT x.* FROM placed AS p, LATERAL frequent_itemsets('placed', 'items', p.id, kind => 'closed', item_type => NULL::int[]) AS x$$,
	$$SELECT (frequent_itemsets('placed', 'items', 6, kind => 'closed', item_type => NULL::int[])).*$$, $$SELECT (frequent_itemsets('placed', 'items', 6, kind => 'closed', item_type => NULL::int[])).support$$,
	$$SELECT b FROM ROWS FROM (generate_series(1, 2), frequent_itemsets('placed', 'items', 6, kind => 'closed', item_type => NULL::int[])) WITH ORDINALITY AS x (a, b, c, d, n)$$,
	$$SELECT * FROM frequent_itemsets(minsup => 6, items_column => 'items', source => 'placed', item_type => NULL::int[], kind => 'closed')$$,
	$$SELECT * FROM frequent_itemsets(item_type => NULL::int[], minsup => 6, items_column => 'items', source => 'placed')$$, $$SELECT * FROM frequent_itemsets('placed', 'id', 'item', 3, max_length => 2, item_type => NULL::int[])$$,
	$$SELECT * FROM probable_itemsets('placed', 'items', 'p', 3, 0.5, min_length => 1, item_type => NULL::int[])$$, $$SELECT * FROM probable_itemsets('placed', 'id', 'item', 'p', 2, 0.5, min_length => 1, item_type => NULL::int[])$$,
	$$SELECT * FROM frequent_episodes('placed', 'item', 'id', 3, '{"(0,5]"}', min_length => 1, event_type => NULL::int[])$$, $$SELECT events FROM episode_significance('placed', 'item', 'id', 3, '{"(0,5]"}', including => '{1}'::text[], event_type => NULL::int[], dither => 3, surrogates => 19)$$,
	$$SELECT * FROM episode_occurrences('placed', 'item', 'id', '{1,2}', '{"(0,5]"}', partition_column => 'p', time_type => NULL::int[])$$,
	$$SELECT * FROM frequent_pairs('placed', 'items', item_type => NULL::int, minsup => 3)$$, $$SELECT * FROM frequent_pairs('placed', 'id', 'item', item_type => NULL::int, minsup => 3)$$,
	$$SELECT * FROM join_project('placed', 'id', 'item', 'placed', 'id', 'p', right_type => NULL::float8, left_type => NULL::int)$$, $$SELECT * FROM join_project('placed', 'id', 'item', 'placed', 'id', 'p', left_type => NULL::int, right_type => NULL::float8, min_witnesses => 2)$$,
	$$SELECT join_project_count('placed', 'id', 'item', 'placed', 'id', 'p', right_type => NULL::float8, left_type => NULL::int)$$, $$SELECT * FROM itemset_counts('placed', 'items', 3, kind => 'closed', item_type => NULL::int[])$$]) AS query;
DROP VIEW misplaced;
DROP TABLE placed;
-- arrays whose indexes begin with 0
SELECT * FROM frequent_itemsets('(SELECT ''1 2''::int2vector AS items)', 'items', 1, NULL::int2vector);
SELECT * FROM probable_itemsets('(SELECT ''1 2''::oidvector AS items, 1 AS p)', 'items', 'p', 1, 0.5, NULL::oidvector);
SELECT * FROM episode_occurrences('(VALUES (1, 1::int2))', 'column1', 'column2', '{1}', '{}', NULL::int2vector);
SELECT items, array_lower(items, 1) FROM frequent_itemsets('(SELECT ''1 2''::int2vector AS items)', 'items', 1, NULL::int2[], 'closed');
-- an array whose type says nothing of its elements
CREATE TABLE regress_analyzed AS SELECT n % 2 AS bit FROM generate_series(1, 100) AS n;
ANALYZE regress_analyzed;
SELECT f.* FROM pg_stats, frequent_itemsets('numbers', 'items', 90, most_common_vals) AS f WHERE tablename = 'regress_analyzed';
DROP TABLE regress_analyzed;
