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
-- s / N means s, however it was computed
CREATE TABLE six AS SELECT CASE n WHEN 6 THEN '{b}'::text[] ELSE '{a}' END AS items FROM generate_series(1, 6) AS n;
SELECT * FROM frequent_itemsets('six', 'items', 5/6.0);
SELECT * FROM frequent_itemsets('six', 'items', 5::float8/6);
SELECT * FROM frequent_itemsets('six', 'items', (5::float4/6)::float8);
SELECT * FROM frequent_itemsets('six', 'items', 5::float4/6);
SELECT * FROM frequent_itemsets('six', 'items', 0.8333333333);
SELECT * FROM frequent_itemsets('six', 'items', 0.8333333334);
DROP TABLE six;
-- every quotient of sizes that do not divide well; item k is in k of the n transactions
CREATE FUNCTION brute.threshold(n int, minsup float8) RETURNS int LANGUAGE sql VOLATILE AS $$
	SELECT min(items[1]::int) FROM frequent_itemsets(
		format('(SELECT ARRAY(SELECT k FROM generate_series(1, %1$s) AS k WHERE k >= i) AS items FROM generate_series(1, %1$s) AS i)', n),
		'items', minsup, max_length => 1)
$$;
SELECT n, count(*) FILTER (WHERE brute.threshold(n, s::float8 / n) <> s) AS wrong_float8,
	   count(*) FILTER (WHERE brute.threshold(n, (s::numeric / n)::float8) <> s) AS wrong_numeric,
	   count(*) FILTER (WHERE brute.threshold(n, s::float4 / n::float4) <> s) AS wrong_float4,
	   count(*) FILTER (WHERE brute.threshold(n, s * (1::float8 / n)) <> s) AS wrong_product
FROM unnest('{3,7,49,97}'::int[]) AS n, generate_series(1, n - 1) AS s GROUP BY n ORDER BY n;
-- a typed decimal in each type
SELECT brute.threshold(100, 0.07), brute.threshold(100, '0.07'::float8), brute.threshold(100, 0.07::float4), brute.threshold(100, 7e-2),
	   brute.threshold(100, 0.0701::float4), brute.threshold(100, 0.071);
-- the frequency in each row finds the row again; of 1, which is a count, all rows are found
SELECT count(*) AS rows, count(*) FILTER (WHERE NOT found) AS lost, count(*) FILTER (WHERE lowest <> support AND frequency < 1) AS too_low
FROM frequent_itemsets('(SELECT items FROM numbers LIMIT 187)', 'items', 12) AS f,
	 LATERAL (SELECT bool_or(g.items = f.items) AS found, min(g.support) AS lowest
			  FROM frequent_itemsets('(SELECT items FROM numbers LIMIT 187)', 'items', f.frequency) AS g) AS again;
DROP FUNCTION brute.threshold;
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
