-- including keeps itemsets with all the named items; excluding takes items out
-- of the data before anything is counted.
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, including => '{milk}') ORDER BY cardinality(items), items COLLATE "C";
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, including => '{milk,beer}') ORDER BY cardinality(items), items COLLATE "C";
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, excluding => '{milk,beer}') ORDER BY cardinality(items), items COLLATE "C";
SELECT items, support FROM frequent_itemsets('basket_items', 'id', 'item', 3, including => '{milk}', excluding => '{beer}')
ORDER BY cardinality(items), items COLLATE "C";
-- excluding changes what is closed and maximal: without diapers, {beer,milk} is closed
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, kind => 'closed', excluding => '{diapers}')
ORDER BY cardinality(items), items COLLATE "C";
-- including does not: {beer,milk} stays out, {beer,diapers,milk} has its support
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, kind => 'closed', including => '{beer,milk}')
ORDER BY cardinality(items), items COLLATE "C";
SELECT kind, low, high, including, excluding, c.*
FROM unnest('{all,closed,maximal}'::text[]) WITH ORDINALITY AS k(kind, n),
	 (VALUES ('{1}'::text[], NULL::text[]), ('{2,5}', NULL), (NULL, '{1}'), (NULL, '{1,2,3,4,5,6,7,8,9,10,11,12,13,14}'),
			 ('{3}', '{2}'), ('{1,2,3,4,5}', '{6}'), ('{14,1}', '{7,9}'), ('{}', '{}'), ('{4,4,4}', '{5,5}'), ('{9}', '{99}')) AS f(including, excluding),
	 (VALUES (1, NULL), (2, 3)) AS l(low, high),
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, 15, kind => %L, min_length => %L, max_length => %L, including => %L, excluding => %L)',
						  'numbers', 'items', kind, low, high, including, excluding),
				   'SELECT id, item FROM number_items', 15, kind, low, high, including, excluding) AS c
ORDER BY n, low, including, excluding;
-- an item that is not in the data, infrequent or excluded cannot be in any itemset
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{caviar}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{butter}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{milk}', excluding => '{milk}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{beer,bread}');
-- including more items than max_length has room for
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{milk,beer}', max_length => 1);
-- excluding does not change N, nor does it drop the transactions it empties
SELECT items, support, frequency FROM frequent_itemsets('baskets', 'items', 0.5, excluding => '{beer}') ORDER BY items COLLATE "C";
-- the text is read by the item type's own input function
SELECT items, support FROM frequent_itemsets('numbers', 'items', 60, including => '{" 01 "}', max_length => 2) ORDER BY items;
SELECT items, support FROM frequent_itemsets('numbers', 'items', 100, including => '{two}');
SELECT items, support FROM frequent_itemsets('numbers', 'items', 100, excluding => '{two}');
SELECT items, support FROM frequent_itemsets('numbers', 'items', 100, excluding => '{99999999999}');
-- NULL items in the filters
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, including => '{milk,NULL}');
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, excluding => '{NULL,milk}');
-- filters of more than one dimension are read as their elements
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, including => '{{milk},{beer}}') ORDER BY items COLLATE "C";
