-- NULL as the aggregates treat it; duplicates; empty and multi-dimensional arrays
CREATE TABLE odd (items int[]);
INSERT INTO odd VALUES
	('{1,2}'),
	(NULL),						-- a row that is not there
	('{}'),						-- a transaction without items: counts in N
	('{NULL}'),					-- likewise, its item is ignored
	('{1,NULL,1,2,2,1,NULL}'),	-- each item once
	('{{1,3},{3,2}}'),			-- read as its elements
	('[5:7]={1,3,2}'),			-- whatever its lower bound
	('{{{1},{NULL}}}');
SELECT items, support, round(frequency::numeric, 6) AS frequency FROM frequent_itemsets('odd', 'items', 1) ORDER BY cardinality(items), items;
-- N is 7, so 3/7 < 0.43 <= 4/7: ceil(0.43 * 7) = 4
SELECT items, support FROM frequent_itemsets('odd', 'items', 0.43) ORDER BY items;
SELECT items, support FROM frequent_itemsets('(SELECT items::text[] FROM odd)', 'items', 0.43) ORDER BY items COLLATE "C";
-- only rows that are not there
SELECT count(*) FROM frequent_itemsets('(SELECT NULL::int[] AS items FROM generate_series(1, 3))', 'items', 1);
-- only transactions without items
SELECT count(*) FROM frequent_itemsets('(SELECT ''{}''::int[] AS items FROM generate_series(1, 3))', 'items', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT ''{NULL,NULL}''::int[] AS items FROM generate_series(1, 3))', 'items', 0.5);
-- pair form: a NULL transaction id is not there; a NULL item makes its transaction
-- known without being in it, so 1, 2, 3 and 4 make N = 4
CREATE TABLE odd_pairs (tid int, item text);
INSERT INTO odd_pairs VALUES (1, 'a'), (1, 'a'), (1, NULL), (2, NULL), (NULL, 'a'), (NULL, NULL), (3, 'a'), (3, 'b'), (4, 'b'), (1, 'b');
SELECT items, support, frequency FROM frequent_itemsets('odd_pairs', 'tid', 'item', 1) ORDER BY cardinality(items), items COLLATE "C";
SELECT count(*) FROM frequent_itemsets('(SELECT NULL::int AS tid, 1 AS item)', 'tid', 'item', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT 1 AS tid, NULL::int AS item)', 'tid', 'item', 1);
-- the empty text is an item like any other, and so is the text NULL
SELECT items, support FROM frequent_itemsets('(VALUES (''{"","NULL",a}''::text[]), (''{"","NULL"}''))', 'column1', 2) ORDER BY cardinality(items), items COLLATE "C";
-- results with items that need quoting survive the way through text
SELECT items, cardinality(items) FROM frequent_itemsets($$(SELECT ARRAY['a,b', '{c}', 'd"e', 'f\g', ' h ', 'null'] AS items)$$, 'items', 1, kind => 'closed');
-- a single row, a single item, and a very long transaction
SELECT * FROM frequent_itemsets('(SELECT ''{7}''::int[] AS items)', 'items', 1);
SELECT cardinality(items), support FROM frequent_itemsets('(SELECT array_agg(i) AS items FROM generate_series(1, 5000) AS i)', 'items', 1, kind => 'maximal');
DROP TABLE odd, odd_pairs;
