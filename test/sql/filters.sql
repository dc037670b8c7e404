-- including keeps itemsets with all the named items, including_any those with one of them at least; excluding takes
-- items out of the data before anything is counted.
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, including => '{milk}') ORDER BY cardinality(items), items COLLATE "C";
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, including => '{milk,beer}') ORDER BY cardinality(items), items COLLATE "C";
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, including_any => '{milk,beer}') ORDER BY cardinality(items), items COLLATE "C";
SELECT items, support FROM frequent_itemsets('basket_items', 'id', 'item', 3, including => '{bread}', including_any => '{milk,beer}')
ORDER BY cardinality(items), items COLLATE "C";
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
SELECT kind, low, high, including, excluding, any_of, c.*
FROM unnest('{all,closed,maximal}'::text[]) WITH ORDINALITY AS k(kind, n),
	 (VALUES (NULL::text[], NULL::text[], '{1,2}'::text[]), (NULL, NULL, '{14,9,11}'), ('{3}', '{2}', '{1,2,5}'), ('{1,5}', NULL, '{5,9}'), (NULL, '{4}', '{4,3,3}'),
			 (NULL, NULL, '{99,12}'), (NULL, NULL, '{1,2,3,4,5,6,7,8,9,10,11,12,13,14}'), ('{14}', NULL, '{13,12}')) AS f(including, excluding, any_of),
	 (VALUES (1, NULL), (2, 3)) AS l(low, high),
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, 15, kind => %L, min_length => %L, max_length => %L, including => %L, excluding => %L, including_any => %L)',
						  'numbers', 'items', kind, low, high, including, excluding, any_of),
				   'SELECT id, item FROM number_items', 15, kind, low, high, including, excluding, any_of) AS c
ORDER BY n, low, including, excluding, any_of;
-- items that are in all transactions, among those of which an itemset needs one and among the others
SELECT kind, n, any_of, c.*
FROM unnest('{all,closed,maximal}'::text[]) AS kind, unnest('{1,70}'::int[]) AS n,
	 unnest(ARRAY['{1,2}', '{1,3}', '{3,4}', '{2,5}']) AS any_of,
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(''(SELECT items || ARRAY[1, 2, %s] AS items FROM (VALUES (ARRAY[3, 4, 5]), (ARRAY[3]), (ARRAY[4]), (ARRAY[]::int[])) AS v(items), generate_series(1, %1$s))'', ''items'', 1, kind => %L, including_any => %L)', n, kind, any_of),
				   format('SELECT n * 10 + t, unnest(items || ARRAY[1, 2, %s]) FROM (VALUES (1, ARRAY[3, 4, 5]), (2, ARRAY[3]), (3, ARRAY[4]), (4, ARRAY[]::int[])) AS v(t, items), generate_series(1, %1$s) AS n', n),
				   1, kind, including_any => any_of::text[]) AS c
ORDER BY n, kind, any_of;
-- an item that is not in the data, infrequent or excluded cannot be in any itemset
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{caviar}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{butter}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{milk}', excluding => '{milk}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{beer,bread}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including_any => '{butter,caviar}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including_any => '{}');
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including => '{milk}', including_any => '{beer,eggs}', max_length => 1);
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, including_any => '{milk,beer}', excluding => '{beer,milk}');
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
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, including_any => '{milk,NULL}');
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, excluding => '{NULL,milk}');
-- filters of more than one dimension are read as their elements
SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, including => '{{milk},{beer}}') ORDER BY items COLLATE "C";
-- each filter makes the search shorter, and gives what can be picked from the result without it
CREATE FUNCTION draw(n int, i int) RETURNS bigint LANGUAGE sql IMMUTABLE AS
	'SELECT hashint8extended(n * 100 + i, 0) & 1023';
CREATE TABLE drawn AS
	SELECT n, ARRAY(SELECT i FROM generate_series(1, 40) AS i ORDER BY draw(n, i) * i, i LIMIT 12) AS items, 0.5 + n % 50 / 100.0 AS p
	FROM generate_series(1, 400) AS n;
CREATE TABLE sessions AS
	SELECT n, t, draw(n, t) * draw(n, t) * 12 / 1048576 AS e FROM generate_series(1, 200) AS n, generate_series(1, 12) AS t;
-- one partition, whose types change in the middle
CREATE TABLE phases AS
	SELECT t, draw(t, 0) * draw(t, 0) * 8 / 1048576 + CASE WHEN t > 1000 THEN 8 ELSE 0 END AS e FROM generate_series(1, 2000) AS t;
CREATE FUNCTION filtered(call text, result text, kind text)
RETURNS TABLE (filter text, shorter boolean, picked boolean) LANGUAGE plpgsql AS $$
DECLARE
	sums text := format('SELECT count(*), coalesce(sum(hashtextextended(ROW(%s)::text, 0)), 0) FROM %s, kind => %L', result, call, kind);
	condition text;
	without bigint;
	expected record;
	got record;
BEGIN
	EXECUTE sums || ')';
	SELECT nodes FROM gpufim_last_run() INTO without;
	FOR filter, condition IN VALUES
		('min_length => 7', 'cardinality(%s) >= 7'),
		('max_length => 2', 'cardinality(%s) <= 2'),
		($f$including => '{9}'$f$, $f$'9' = ANY (%s)$f$),
		($f$including_any => '{9,10}'$f$, $f$%s && '{9,10}'$f$),
		($f$excluding => '{1,2,3}'$f$, $f$NOT %s && '{1,2,3}'$f$)
	LOOP
		CONTINUE WHEN call LIKE '%episodes%' AND filter LIKE 'including_any%';
		EXECUTE sums || ', ' || filter || ')' INTO got;
		SELECT nodes < without FROM gpufim_last_run() INTO shorter;
		EXECUTE sums || ') WHERE ' || format(condition, split_part(result, ',', 1)) INTO expected;
		-- without an item, other itemsets are closed and maximal
		picked := CASE WHEN kind = 'all' OR filter NOT LIKE 'excluding%' THEN got = expected END;
		RETURN NEXT;
	END LOOP;
END $$;
SET gpufim.workers = 0;
SET gpufim.engine = cpu;
SELECT family, kind, f.*
FROM (VALUES (1, 'itemsets', $$frequent_itemsets('drawn', 'items', 12$$, 'items, support, frequency'),
			 (2, 'probable itemsets', $$probable_itemsets('drawn', 'items', 'p', 12, 0.5$$, 'items, occurrences'),
			 (3, 'episodes', $$frequent_episodes('sessions', 'e', 't', 10, '{"(0,2]"}', partition_column => 'n'$$, 'events, gaps, support, frequency'),
			 (4, 'one partition', $$frequent_episodes('phases', 'e', 't', 10, '{"(0,2]"}'$$, 'events, gaps, support, frequency')) AS c(n, family, call, result),
	unnest('{all,closed,maximal}'::text[]) WITH ORDINALITY AS k(kind, o),
	LATERAL filtered(call, result, kind) AS f
WHERE n < 4 OR filter NOT LIKE 'min_length%'
ORDER BY n, o, filter DESC;
-- what a shorter search is made of: short transactions are not mined, and a single one that is long enough is
SELECT frequent_items, nodes <= 1 AS hardly_any
FROM (SELECT count(*) FROM frequent_itemsets('(SELECT items[1:n % 4 + 1] AS items FROM drawn UNION ALL SELECT ARRAY[1, 2, 3, 4, 5])', 'items', 1, min_length => 5)) AS c,
	LATERAL (SELECT * FROM gpufim_last_run() WHERE c.count = 1) AS r;
RESET gpufim.engine;
RESET gpufim.workers;
