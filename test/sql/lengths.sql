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
-- dense data, where most itemsets are frequent and some items are in every
-- transaction of others
CREATE TABLE dense AS
	SELECT n AS id, (SELECT array_agg(k) FROM generate_series(1, 9) AS k WHERE (n * k * 7 + n) % 5 < 3) AS items FROM generate_series(1, 20) AS n;
SELECT kind, lengths, sum(c.expected) AS expected, sum(c.missing) AS missing, sum(c.unexpected) AS unexpected
FROM unnest('{all,closed,maximal}'::text[]) WITH ORDINALITY AS k(kind, n), generate_series(1, 8, 7) AS minsup,
	 (VALUES (1, 1), (1, 3), (3, 4), (2, 8), (6, NULL)) AS l(low, high),
	 concat_ws('..', low, high) AS lengths,
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, %s, kind => %L, min_length => %L, max_length => %L)',
						  'dense', 'items', minsup, kind, low, high),
				   'SELECT id, unnest(items) FROM dense', minsup, kind, low, high) AS c
GROUP BY n, kind, lengths ORDER BY n, lengths COLLATE "C";
DROP TABLE dense;
-- a range without lengths in it
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => 3, max_length => 2);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => 0);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => -1);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, max_length => 0);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, max_length => -2147483648);
