-- A type witness makes the result's arrays of the items' own type.
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
-- the witness' value does not matter, only its type
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
-- a witness that does not fit
SELECT * FROM frequent_itemsets('numbers', 'items', 60, NULL::text[]);
SELECT * FROM frequent_itemsets('numbers', 'items', 60, NULL::bigint[]);
SELECT * FROM frequent_itemsets('number_items', 'id', 'item', 60, NULL::text[]);
SELECT * FROM frequent_itemsets('baskets', 'items', 6, NULL::varchar[]) ORDER BY items COLLATE "C";
-- what PostgreSQL adds to it differs between versions
\set VERBOSITY terse
SELECT * FROM frequent_itemsets('numbers', 'items', 60, NULL::int);
\set VERBOSITY default
