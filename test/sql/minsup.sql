-- minsup: a fraction of N below 1, in decimal arithmetic; a whole number from 1 up
CREATE TABLE hundred AS
	SELECT n AS id, ARRAY(SELECT k FROM generate_series(1, 100) AS k WHERE k >= n) AS items FROM generate_series(1, 100) AS n;
-- item k is in k of the 100 transactions, so the smallest frequent item is the threshold
SELECT minsup, min(items[1]::int) AS threshold, min(support) AS lowest_support
FROM unnest('{0.01,0.02,0.03,0.06,0.07,0.14,0.28,0.29,0.55,0.56,0.57,0.58,0.99,0.070000001,0.0699999999,0.005,1e-300,0.9999999999999999}'::float8[]) AS minsup,
	 frequent_itemsets('hundred', 'items', minsup, max_length => 1)
GROUP BY minsup ORDER BY minsup;
-- every percentage, against exact arithmetic: none may differ
SELECT count(*) AS percentages, count(*) FILTER (WHERE threshold <> percent) AS wrong
FROM generate_series(1, 99) AS percent,
	 LATERAL (SELECT min(items[1]::int) AS threshold
			  FROM frequent_itemsets('hundred', 'items', (percent / 100.0)::float8, max_length => 1)) AS t;
-- N = 9, thirds: ceil(0.3333 * 9) = 3, ceil(0.33334 * 9) = 4
SELECT minsup, min(items[1]::int) AS threshold
FROM unnest('{0.3333,0.33334}'::float8[]) AS minsup,
	 frequent_itemsets('(SELECT items[1:10 - id] AS items FROM (SELECT id, ''{9,8,7,6,5,4,3,2,1}''::int[] AS items FROM generate_series(1, 9) AS id) AS s)',
					   'items', minsup, max_length => 1)
GROUP BY minsup ORDER BY minsup;
-- counts
SELECT minsup, min(items[1]::int)
FROM unnest('{1,2,99,100}'::float8[]) AS minsup, frequent_itemsets('hundred', 'items', minsup, max_length => 1)
GROUP BY minsup ORDER BY minsup;
SELECT count(*) FROM frequent_itemsets('hundred', 'items', 101);
SELECT count(*) FROM frequent_itemsets('hundred', 'items', 1e15);
SELECT count(*) FROM frequent_itemsets('hundred', 'items', 1e300);
-- 1 is a count, not everything
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 1);
-- errors
SELECT * FROM frequent_itemsets('hundred', 'items', 0);
SELECT * FROM frequent_itemsets('hundred', 'items', '-0');
SELECT * FROM frequent_itemsets('hundred', 'items', -1);
SELECT * FROM frequent_itemsets('hundred', 'items', -0.5);
SELECT * FROM frequent_itemsets('hundred', 'items', 1.5);
SELECT * FROM frequent_itemsets('hundred', 'items', 2.0000001);
SELECT * FROM frequent_itemsets('hundred', 'items', 'NaN');
SELECT * FROM frequent_itemsets('hundred', 'items', 'Infinity');
SELECT * FROM frequent_itemsets('hundred', 'items', '-Infinity');
SELECT * FROM frequent_itemsets('basket_items', 'id', 'item', 'NaN'::float8);
SELECT * FROM itemset_counts('hundred', 'items', 0);
-- the threshold is checked before the source is read
SELECT * FROM frequent_itemsets('(SELECT 1 / 0)', 'items', 0);
DROP TABLE hundred;
