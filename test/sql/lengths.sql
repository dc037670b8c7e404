-- min_length and max_length filter what is found; closed and maximal are
-- decided before, among itemsets of every length.
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, min_length => 2) ORDER BY cardinality(items), items COLLATE "C";
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, min_length => 2, max_length => 2) ORDER BY items COLLATE "C";
-- {beer} has a frequent superset, so it does not become maximal by max_length
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, kind => 'maximal', max_length => 2) ORDER BY items COLLATE "C";
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, kind => 'maximal', max_length => 1) ORDER BY items COLLATE "C";
SELECT kind, lengths, c.*
FROM unnest('{all,closed,maximal}'::text[]) WITH ORDINALITY AS k(kind, n),
	 (VALUES (1, 1), (1, 3), (2, 2), (3, NULL), (4, 5), (1, 1000000), (6, 6), (2147483647, NULL)) AS l(low, high),
	 concat_ws('..', low, high) AS lengths,
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, 15, kind => %L, min_length => %L, max_length => %L)',
						  'numbers', 'items', kind, low, high),
				   'SELECT id, item FROM number_items', 15, kind, low, high) AS c
ORDER BY n, low, high;
-- a range without lengths in it
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => 3, max_length => 2);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => 0);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => -1);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, max_length => 0);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, max_length => -2147483648);
