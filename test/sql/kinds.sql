-- all, closed and maximal
SELECT * FROM frequent_itemsets('baskets', 'items', 3, kind => 'closed') ORDER BY cardinality(items), items COLLATE "C";
SELECT * FROM frequent_itemsets('baskets', 'items', 3, kind => 'maximal') ORDER BY cardinality(items), items COLLATE "C";
SELECT * FROM frequent_itemsets('basket_items', 'id', 'item', 3, kind => 'maximal') ORDER BY cardinality(items), items COLLATE "C";
SELECT kind, minsup, c.*
FROM unnest('{all,closed,maximal}'::text[]) WITH ORDINALITY AS k(kind, n), unnest('{9,12,25,50,90,150}'::int[]) AS minsup,
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, %s, kind => %L)', 'numbers', 'items', minsup, kind),
				   'SELECT id, item FROM number_items', minsup, kind) AS c
ORDER BY n, minsup;
-- an item that is in every transaction, and two that always come together
CREATE TABLE everywhere AS SELECT id, items || CASE WHEN items @> '{3}' THEN '{0,103}' ELSE '{0}'::int[] END AS items FROM numbers;
SELECT kind, minsup, c.*
FROM unnest('{all,closed,maximal}'::text[]) WITH ORDINALITY AS k(kind, n), unnest('{20,40,80,200}'::int[]) AS minsup,
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, %s, kind => %L)', 'everywhere', 'items', minsup, kind),
				   'SELECT id, unnest(items) FROM everywhere', minsup, kind) AS c
ORDER BY n, minsup;
DROP TABLE everywhere;
-- all transactions equal: one closed itemset, which is the maximal one
SELECT kind, items, support
FROM unnest('{closed,maximal}'::text[]) AS kind,
	 frequent_itemsets('(SELECT ''{a,b,c}''::text[] AS items FROM generate_series(1, 5))', 'items', 1, kind => kind) ORDER BY kind;
-- kinds are words, not abbreviations
SELECT * FROM frequent_itemsets('baskets', 'items', 3, kind => 'close');
SELECT * FROM frequent_itemsets('baskets', 'items', 3, kind => '');
SELECT * FROM frequent_itemsets('baskets', 'items', 3, kind => 'CLOSED');
