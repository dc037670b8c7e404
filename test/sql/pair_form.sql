-- Pair form: one row per (transaction, item), in any order.
SELECT * FROM frequent_itemsets('basket_items', 'id', 'item', 3) ORDER BY cardinality(items), items COLLATE "C";
SELECT items, support, round(frequency::numeric, 6) AS frequency
FROM frequent_itemsets('basket_items', 'id', 'item', 0.5) ORDER BY items COLLATE "C";
SELECT minsup, c.*
FROM unnest('{12,20,45,100}'::int[]) AS minsup,
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, %L, %s)', 'number_items', 'id', 'item', minsup),
				   'SELECT id, item FROM number_items', minsup) AS c
ORDER BY minsup;
-- rows grouped by transaction, scattered, and grouped by item
SELECT rows_by, c.*
FROM unnest('{"id, item","item % 3, md5(id::text || item)","item, id DESC"}'::text[]) AS rows_by,
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, %L, 20)',
						  '(SELECT id, item FROM number_items ORDER BY ' || rows_by || ')', 'id', 'item'),
				   'SELECT id, item FROM number_items', 20) AS c
ORDER BY rows_by;
-- transaction ids of other types: text, numeric with two spellings, date, composite
SELECT c.* FROM brute.compare($$SELECT items, support FROM frequent_itemsets(
	'(SELECT ''basket '' || id AS tid, item FROM basket_items ORDER BY item)', 'tid', 'item', 2)$$,
	'SELECT id, item FROM basket_items', 2) AS c;
SELECT * FROM frequent_itemsets('(VALUES (1.0, ''a''), (1.00, ''b''), (2, ''a''), (2.000, ''b''))', 'column1', 'column2', 1.0)
ORDER BY items COLLATE "C";
SELECT c.* FROM brute.compare($$SELECT items, support FROM frequent_itemsets(
	'(SELECT date ''2024-02-27'' + id AS tid, item FROM basket_items ORDER BY item)', 'tid', 'item', 2)$$,
	'SELECT id, item FROM basket_items', 2) AS c;
SELECT c.* FROM brute.compare($$SELECT items, support FROM frequent_itemsets(
	'(SELECT ROW(id % 3, id::text) AS tid, item FROM basket_items ORDER BY item)', 'tid', 'item', 2)$$,
	'SELECT id, item FROM basket_items', 2) AS c;
-- a pair that comes twice counts once; N is the number of distinct transactions
SELECT * FROM frequent_itemsets('(SELECT * FROM basket_items UNION ALL SELECT * FROM basket_items ORDER BY item)', 'id', 'item', 0.6)
ORDER BY items COLLATE "C";
-- named arguments
SELECT * FROM frequent_itemsets(source => 'basket_items', tid_column => 'id', item_column => 'item', minsup => 4,
								kind => 'all', min_length => 2, max_length => 2, including => '{milk}', excluding => '{beer}')
ORDER BY items COLLATE "C";
-- nothing is frequent, and no rows at all
SELECT count(*) FROM frequent_itemsets('basket_items', 'id', 'item', 10);
SELECT count(*) FROM frequent_itemsets('(SELECT * FROM basket_items WHERE false)', 'id', 'item', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT * FROM basket_items WHERE false)', 'id', 'item', 0.5);
