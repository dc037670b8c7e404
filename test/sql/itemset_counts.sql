-- itemset_counts says how many itemsets frequent_itemsets would give, by length
-- (names that do not occur are tried, too)
SET client_min_messages = warning;
SELECT * FROM itemset_counts('baskets', 'items', 3) ORDER BY length;
SELECT * FROM itemset_counts('basket_items', 'id', 'item', 3) ORDER BY length;
SELECT * FROM itemset_counts('baskets', 'items', 0.33, kind => 'maximal') ORDER BY length;
SELECT pg_typeof(length) AS length, pg_typeof(itemsets) AS itemsets FROM itemset_counts('baskets', 'items', 6);
-- the same as counting the rows, for every kind, limit and filter, in both forms
CREATE FUNCTION pg_temp.differ(arguments text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
	EXECUTE format('WITH listed AS (SELECT cardinality(items) AS length, count(*) AS itemsets FROM frequent_itemsets(%1$s) GROUP BY 1),
						 counted AS (SELECT length, itemsets FROM itemset_counts(%1$s))
					SELECT count(*) FROM ((TABLE listed EXCEPT ALL TABLE counted) UNION ALL (TABLE counted EXCEPT ALL TABLE listed)) AS d',
				   arguments) INTO n;
	RETURN n;
END
$$;
SELECT count(*) AS calls, sum(pg_temp.differ(format('%s, %s, kind => %L, min_length => %s, max_length => %L, including => %L, excluding => %L, including_any => %L',
													form, minsup, kind, low, high, including, excluding, any_of))) AS differences
FROM unnest('{"''numbers'', ''items''","''number_items'', ''id'', ''item''"}'::text[]) AS form,
	 unnest('{0.07,25,70,200}'::float8[]) AS minsup,
	 unnest('{all,closed,maximal}'::text[]) AS kind,
	 (VALUES (1, NULL), (2, 4), (7, NULL), (4, 3 + 1)) AS l(low, high),
	 (VALUES (NULL::text[], NULL::text[], NULL::text[]), ('{3}', NULL, NULL), ('{2,4}', '{1}', NULL), ('{77}', NULL, NULL), (NULL, NULL, '{1,3,9}'), ('{3}', '{2}', '{6,7}')) AS f(including, excluding, any_of);
-- against the brute force too
WITH expected AS (SELECT cardinality(items) AS length, count(*) AS itemsets
				  FROM brute.mine('SELECT id, item FROM number_items', 20) GROUP BY 1),
	 counted AS (SELECT length, itemsets FROM itemset_counts('numbers', 'items', 20))
SELECT (SELECT sum(itemsets) FROM expected) AS expected,
	   (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE counted) AS m) AS missing,
	   (SELECT count(*) FROM (TABLE counted EXCEPT ALL TABLE expected) AS u) AS unexpected;
-- nothing to count
SELECT * FROM itemset_counts('baskets', 'items', 100);
SELECT * FROM itemset_counts('(SELECT NULL::int[] AS items)', 'items', 1);
-- sixty equal items: 2^60 - 1 itemsets, counted by formula, binomials by length
SELECT sum(itemsets) = 2::numeric ^ 60 - 1 AS total, max(itemsets) = 118264581564861424 AS middle
FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 60) AS i)', 'items', 1);
SELECT * FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 60) AS i)', 'items', 1, max_length => 3) ORDER BY length;
SELECT * FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 60) AS i)', 'items', 1, kind => 'closed');
SELECT * FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 60) AS i)', 'items', 1, kind => 'maximal');
-- 66 choose 33 is below 2^63, 67 choose 33 is not
SELECT max(itemsets) FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 66) AS i)', 'items', 1);
SELECT max(itemsets) FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 67) AS i)', 'items', 1);
SELECT max(itemsets) FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 1000) AS i)', 'items', 1);
-- ... unless the lengths where it is are not asked for
SELECT * FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 1000) AS i)', 'items', 1, max_length => 4) ORDER BY length;
SELECT * FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 1000) AS i)', 'items', 1, min_length => 998) ORDER BY length;
-- and it is over in a moment
SELECT count(*), sum(itemsets) FROM itemset_counts('(SELECT array_agg(i) AS items FROM generate_series(1, 1000) AS i)', 'items', 1, kind => 'closed');
-- a type sample is checked, though nothing is listed
SELECT * FROM itemset_counts('numbers', 'items', 60, NULL::int[], max_length => 2) ORDER BY length;
SELECT * FROM itemset_counts('number_items', 'id', 'item', 60, NULL::int[], 'closed', 1, 2) ORDER BY length;
SELECT * FROM itemset_counts('numbers', 'items', 150, NULL::text[]);
