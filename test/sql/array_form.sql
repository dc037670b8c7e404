-- Array form: one row per transaction.
SELECT * FROM frequent_itemsets('baskets', 'items', 3) ORDER BY cardinality(items), items COLLATE "C";
SELECT items, support, round(frequency::numeric, 6) AS frequency
FROM frequent_itemsets('baskets', 'items', 0.5) ORDER BY items COLLATE "C";
-- frequency is support over all transactions
SELECT count(*), bool_and(frequency = support / 9.0::float8) FROM frequent_itemsets('baskets', 'items', 1);
-- against the brute force, every threshold at once
SELECT minsup, c.*
FROM generate_series(1, 7) AS minsup,
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, %s)', 'baskets', 'items', minsup),
				   'SELECT id, item FROM basket_items', minsup) AS c
ORDER BY minsup;
SELECT minsup, c.*
FROM unnest('{12,20,30,45,60,80,100,140,200}'::int[]) AS minsup,
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, %s)', 'numbers', 'items', minsup),
				   'SELECT id, item FROM number_items', minsup) AS c
ORDER BY minsup;
-- items come in the item type's order within an itemset, not in the text's
SELECT count(*), bool_and(items::int[] = (SELECT array_agg(i ORDER BY i) FROM unnest(items::int[]) AS i))
FROM frequent_itemsets('numbers', 'items', 30);
-- result columns
SELECT pg_typeof(items) AS items, pg_typeof(support) AS support, pg_typeof(frequency) AS frequency
FROM frequent_itemsets('baskets', 'items', 6) LIMIT 1;
-- argument names
SELECT * FROM frequent_itemsets(source => 'baskets', items_column => 'items', minsup => 4, kind => 'all',
								min_length => 2, max_length => 2, including => '{milk}', excluding => '{beer}')
ORDER BY items COLLATE "C";
-- nothing is frequent, and no rows at all
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 10);
CREATE TABLE no_baskets (LIKE baskets);
SELECT count(*) FROM frequent_itemsets('no_baskets', 'items', 1);
SELECT count(*) FROM frequent_itemsets('no_baskets', 'items', 0.5);
DROP TABLE no_baskets;
-- items that grow to both sides: each transaction has three itemsets of its own
SELECT count(*), min(support), max(support)
FROM frequent_itemsets('(SELECT ARRAY[n, -n] AS items FROM generate_series(1, 20000) AS n)', 'items', 1);
