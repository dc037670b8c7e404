-- The k best: itemsets, and rules
CREATE TABLE top_baskets (id int, items text[]);
INSERT INTO top_baskets VALUES (1, '{bread,butter,milk}'), (2, '{bread,butter}'), (3, '{beer,bread}'), (4, '{bread,butter,jam,milk}'), (5, '{beer,crisps}'), (6, '{}'), (7, NULL);
CREATE VIEW top_pairs AS SELECT id, unnest(items) AS item FROM top_baskets;
SELECT * FROM top_itemsets('top_baskets', 'items', 3);
-- ties, and without them
SELECT * FROM top_itemsets('top_baskets', 'items', 2);
SELECT minsup, itemsets, details FROM gpufim_last_run();
SELECT * FROM top_itemsets('top_baskets', 'items', 2, ties => false);
SELECT minsup, itemsets, details FROM gpufim_last_run();
-- all there are
SELECT count(*) FROM top_itemsets('top_baskets', 'items', 2147483647);
SELECT minsup, itemsets, details FROM gpufim_last_run();
SELECT * FROM top_itemsets('top_baskets', 'items', 4, kind => 'closed', min_length => 2);
SELECT * FROM top_itemsets('top_baskets', 'items', 2, including => '{bread,milk}', excluding => '{butter}');
-- the required items alone are an itemset, too
SELECT * FROM top_itemsets('top_baskets', 'items', 1, including => '{bread,milk}', ties => false);
-- forms and types
SELECT * FROM top_itemsets('top_pairs', 'id', 'item', 3);
SELECT * FROM top_itemsets('top_baskets', 'items', '2', '2', '2', ties => 'false');
SELECT * FROM top_itemsets('top_pairs', 'id', 'item', '1', '2');
SELECT * FROM top_itemsets(source => 'top_pairs', tid_column => 'id', item_column => 'item', k => '1', kind => 'closed');
SELECT items[1] + 1 AS next, pg_typeof(items), support FROM top_itemsets('(VALUES (ARRAY[10, 9]), (ARRAY[9]))', 'column1', 2, NULL::int[], ties => false);
-- the sort order of the type, not of its text
SELECT items FROM top_itemsets('(VALUES (ARRAY[10, 9, 100]))', 'column1', 4, ties => false);
-- nothing
SELECT * FROM top_itemsets('(SELECT 1 AS t, 2 AS i WHERE false)', 't', 'i', 3);
SELECT * FROM top_itemsets('top_baskets', 'items', 3, min_length => 5);
SELECT * FROM top_itemsets('top_baskets', 'items', 3, including => '{wine}');
-- wrong
SELECT * FROM top_itemsets('top_baskets', 'items', 0);
SELECT * FROM top_itemsets('top_baskets', 'items', 10, kind => 'maximal');
SELECT * FROM top_itemsets('top_baskets', 'items', 10, kind => 'largest');
SELECT * FROM top_itemsets('top_baskets', 'items', 10, ties => NULL);
-- limits
SET gpufim.max_results = 5;
SELECT * FROM top_itemsets('top_baskets', 'items', 6);
SELECT count(*) FROM top_itemsets('top_baskets', 'items', 2, ties => false);
RESET gpufim.max_results;
-- a scan in FROM, or none; and the rows that are expected
EXPLAIN (COSTS OFF) SELECT * FROM top_itemsets('top_baskets', 'items', 3);
EXPLAIN (COSTS OFF) SELECT * FROM top_rules('top_baskets', 'items', 3, 1);
SELECT top_itemsets('top_baskets', 'items', 1);
CREATE TABLE top_noise AS SELECT t, (40 * (((t * 7919 + n * 104729) % 10007) / 10007.0) ^ 2)::int + t % 3 AS i FROM generate_series(1, 400) AS t, generate_series(1, 12) AS n;
ANALYZE top_noise;
EXPLAIN SELECT * FROM top_itemsets('top_noise', 't', 'i', 77);
EXPLAIN SELECT * FROM top_rules('top_noise', 't', 'i', 55, 4);

-- what the brute force finds with the threshold that results: all of it, and without ties a part in the order that is documented
CREATE FUNCTION pg_temp.differing(k int, kind text, min_length int, max_length int, including text[], OUT minsup bigint, OUT best text, OUT cut text) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE ours AS SELECT * FROM top_itemsets('top_noise', 't', 'i', k, min_length, max_length, kind, including);
	SELECT r.minsup FROM gpufim_last_run() AS r INTO minsup;
	CREATE TEMP TABLE theirs AS SELECT ARRAY(SELECT i::text FROM unnest(items) AS i ORDER BY i::int) AS items, support FROM brute.mine('SELECT t, i FROM top_noise', minsup, kind, min_length, max_length, including);
	CREATE TEMP TABLE few AS SELECT row_number() OVER () AS place, items FROM top_itemsets('top_noise', 't', 'i', k, NULL::int[], min_length, max_length, kind, including, ties => false);
	SELECT format('%s of %s', (SELECT count(*) FROM ((SELECT items, support FROM ours EXCEPT ALL TABLE theirs) UNION ALL (TABLE theirs EXCEPT ALL SELECT items, support FROM ours)) AS d), (SELECT count(*) FROM theirs)) INTO best;
	SELECT format('%s of %s', count(*) FILTER (WHERE t.items IS DISTINCT FROM f.items), count(*)) FROM few AS f FULL JOIN
		(SELECT row_number() OVER (ORDER BY support DESC, cardinality(items), items::int[]) AS place, items::int[] FROM theirs LIMIT k) AS t USING (place) INTO cut;
	DROP TABLE ours, theirs, few;
END
$$;
SELECT c.*, d.* FROM (VALUES (1, 'all', 1, NULL::int, NULL::text[]), (100, 'all', 1, NULL, NULL), (1000, 'all', 2, NULL, NULL), (1000, 'closed', 2, 3, NULL), (1500, 'closed', 3, NULL, NULL), (200, 'all', 3, 3, NULL), (150, 'all', 1, NULL, '{3,5}'), (100, 'closed', 3, 4, '{2}')) AS c (k, kind, min_length, max_length, including),
	LATERAL pg_temp.differing(k, kind, min_length, max_length, including) AS d;
-- rows come in that order
SELECT bool_and(place = by_order) FROM (SELECT row_number() OVER () AS place, row_number() OVER (ORDER BY support DESC, cardinality(items), items) AS by_order FROM top_itemsets('top_noise', 't', 'i', 1000, NULL::int[])) AS t;

-- rules
SELECT antecedent, consequent, support, antecedent_support AS of_a, consequent_support AS of_c, transactions AS n, round(confidence::numeric, 3) AS confidence, round(lift::numeric, 3) AS lift, round(p_value::numeric, 4) AS p, round(adjusted_p_value::numeric, 4) AS adjusted
FROM top_rules('top_baskets', 'items', 1, 2, max_consequent => 2);
SELECT minsup, itemsets, details FROM gpufim_last_run();
SELECT by, k, antecedent, consequent, support FROM unnest('{leverage,confidence,lift,chi_squared}'::text[]) AS by, generate_series(1, 3, 2) AS k, LATERAL top_rules('top_pairs', 'id', 'item', k, 1, NULL::text[], by, ties => false);
SELECT antecedent, consequent FROM top_rules('top_baskets', 'items', '1', '1', 'lift', '0.5', '2', '2', ties => 'false');
SELECT antecedent, consequent FROM top_rules('top_pairs', 'id', 'item', '1', '1', 'lift', ties => 'false');
-- no measure: every transaction has a
SELECT count(*) FROM top_rules('(VALUES (ARRAY[''a'', ''b'']), (ARRAY[''a'']))', 'column1', 10, 1, by => 'chi_squared');
SELECT count(*) FROM top_rules('top_baskets', 'items', 10, 100);
SELECT * FROM top_rules('top_baskets', 'items', 10, 1, by => 'interest');
SELECT * FROM top_rules('top_baskets', 'items', 0, 1);
SELECT * FROM top_rules('top_baskets', 'items', 10, 1, by => NULL);
-- as association_rules() gives them
WITH rules AS MATERIALIZED (SELECT r.*, leverage, chi_squared FROM association_rules('top_noise', 't', 'i', 6, NULL::int[], 0) AS r, rule_measures(r.support, antecedent_support, consequent_support, transactions) AS m)
SELECT by, count(*) FILTER (WHERE ours.* IS DISTINCT FROM theirs.*) AS differ, count(*) FROM unnest('{leverage,confidence,lift,chi_squared}'::text[]) AS by,
	LATERAL (SELECT row_number() OVER () AS place, antecedent, consequent, adjusted_p_value FROM top_rules('top_noise', 't', 'i', 1000, 6, NULL::int[], by, ties => false)) AS ours FULL JOIN
	LATERAL (SELECT row_number() OVER (ORDER BY CASE by WHEN 'leverage' THEN leverage WHEN 'confidence' THEN confidence WHEN 'lift' THEN lift ELSE chi_squared END DESC, support DESC, cardinality(antecedent), antecedent, consequent) AS place, antecedent, consequent, adjusted_p_value
		FROM rules LIMIT 1000) AS theirs USING (place)
GROUP BY by ORDER BY by;

-- frequent_itemsets() with ORDER BY and LIMIT looks for the best only
EXPLAIN (COSTS OFF) SELECT * FROM frequent_itemsets('top_noise', 't', 'i', 1) ORDER BY support DESC LIMIT 5 OFFSET 2;
SET gpufim.engine = cpu;
SELECT items FROM frequent_itemsets('top_noise', 't', 'i', 1, NULL::int[]) ORDER BY support DESC, items LIMIT 4;
SELECT minsup, itemsets, details FROM gpufim_last_run();
RESET gpufim.engine;
-- as a function does of which the planner knows nothing
CREATE FUNCTION pg_temp.all_of(minsup float8, kind text DEFAULT 'all', min_length int DEFAULT 1) RETURNS TABLE (items text[], support bigint, frequency float8) LANGUAGE plpgsql AS
	$$ BEGIN RETURN QUERY SELECT (f).* FROM (SELECT f FROM frequent_itemsets('top_noise', 't', 'i', minsup, kind, min_length) AS f OFFSET 0) AS g; END $$;
CREATE FUNCTION pg_temp.best(query text, OUT best text, OUT n bigint, OUT differ bigint) LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	best := 'all';
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || replace(query, 'F(', 'frequent_itemsets(''top_noise'', ''t'', ''i'', ') LOOP
		best := coalesce(substring(line, 'Most Frequent: (\d+)'), best);
	END LOOP;
	EXECUTE 'CREATE TEMP TABLE ours AS ' || replace(query, 'F(', 'frequent_itemsets(''top_noise'', ''t'', ''i'', ');
	EXECUTE 'CREATE TEMP TABLE theirs AS ' || replace(query, 'F(', 'pg_temp.all_of(');
	SELECT count(*) FROM ours INTO n;
	SELECT count(*) FROM ((TABLE ours EXCEPT ALL TABLE theirs) UNION ALL (TABLE theirs EXCEPT ALL TABLE ours)) AS d INTO differ;
	DROP TABLE ours, theirs;
END
$$;
SELECT query, b.* FROM unnest(ARRAY[
	$$SELECT * FROM F(4) AS f ORDER BY support DESC, items LIMIT 50$$,
	$$SELECT * FROM F(4) AS f ORDER BY frequency DESC, cardinality(items) DESC, items DESC LIMIT 20 OFFSET 33$$,
	$$SELECT support FROM F(100) AS f ORDER BY support DESC LIMIT 500$$,
	$$SELECT items[1] AS first, support / 2 AS half FROM F(2, 'closed', min_length => 2) AS f ORDER BY support DESC, items LIMIT 70$$,
	$$SELECT * FROM (SELECT * FROM F(4) AS f ORDER BY support DESC, items LIMIT 9) AS g WHERE cardinality(items) > 1 ORDER BY items$$,
	-- where that would be wrong
	$$SELECT * FROM F(4) AS f WHERE items @> '{3}' ORDER BY support DESC, items LIMIT 5$$,
	$$SELECT * FROM F(20) AS f ORDER BY support DESC FETCH FIRST 5 ROWS WITH TIES$$,
	$$SELECT * FROM F(20, 'maximal') AS f ORDER BY support DESC, items LIMIT 5$$,
	$$SELECT * FROM F(20) AS f ORDER BY support, items LIMIT 5$$,
	$$SELECT * FROM F(20) AS f ORDER BY items, support DESC LIMIT 5$$,
	$$SELECT * FROM F(20) AS f ORDER BY support DESC, items$$,
	$$SELECT support % 10 AS digit, count(*) FROM F(20) AS f GROUP BY 1 ORDER BY digit DESC LIMIT 5$$,
	$$SELECT DISTINCT support FROM F(20) AS f ORDER BY support DESC LIMIT 20$$,
	$$SELECT support, sum(support) OVER () FROM F(20) AS f ORDER BY support DESC LIMIT 5$$,
	$$SELECT support, generate_series(1, cardinality(items) - 1) FROM F(20) AS f ORDER BY support DESC, items LIMIT 5$$,
	$$SELECT * FROM F(20) AS f JOIN generate_series(1, 3) AS g ON g::text = items[1] ORDER BY support DESC, items LIMIT 5$$,
	$$SELECT * FROM F(20) AS f WHERE EXISTS (SELECT FROM generate_series(1, 3) AS g WHERE g::text = items[2]) ORDER BY support DESC, items LIMIT 5$$,
	$$SELECT items, support FROM F(20) AS f UNION ALL SELECT '{}', 30 ORDER BY support DESC, items LIMIT 5$$]) AS query, LATERAL pg_temp.best(query) AS b;

DROP VIEW top_pairs;
DROP TABLE top_baskets, top_noise;

-- the classes of other items, which are more frequent here, do not count
SELECT items, support FROM frequent_itemsets('(VALUES (ARRAY[1, 2]), (ARRAY[1, 3]), (ARRAY[1, 3]), (ARRAY[1, 2, 3]))', 'column1', 1, including_any => '{2}')
ORDER BY support DESC, items LIMIT 1;
