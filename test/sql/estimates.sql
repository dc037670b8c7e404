-- How many rows the planner expects: the right order of magnitude
CREATE FUNCTION pg_temp.expected(call text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM ' || call INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
CREATE FUNCTION pg_temp.actual(call text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || call INTO n;
	RETURN n;
END
$$;
-- what a call is expected to return, if that is off by more than this factor, and by more than two rows
CREATE FUNCTION pg_temp.wrong(call text, factor float8) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN expected BETWEEN n / factor - 2 AND n * factor + 2 THEN '' ELSE expected || ' not ' || n END
	FROM (SELECT pg_temp.expected(call) AS expected, pg_temp.actual(call) AS n OFFSET 0) AS s
$$;
CREATE FUNCTION pg_temp.chance(key text) RETURNS float8 LANGUAGE sql AS 'SELECT (get_byte(decode(md5($1), ''hex''), 0) * 65536 + get_byte(decode(md5($1), ''hex''), 1) * 256 + get_byte(decode(md5($1), ''hex''), 2)) / 16777216.0';
CREATE TABLE random_baskets (id int, items int[], p float8, long numeric, ps float8[]) WITH (autovacuum_enabled = off);
INSERT INTO random_baskets SELECT id, items, p, p, array_fill(0.5::float8, ARRAY[cardinality(items)])
	FROM (SELECT id, ARRAY(SELECT k FROM generate_series(1, 30) AS k WHERE pg_temp.chance(id || ' ' || k) < 0.94 / k ORDER BY k) AS items, 0.05 + 0.1 * pg_temp.chance('p' || id) AS p
		  FROM generate_series(1, 2000) AS id) AS s;
CREATE TABLE random_items WITH (autovacuum_enabled = off) AS SELECT id, item, 0.5::float8 + id / 4000.0 AS p FROM random_baskets, unnest(items) AS item;
-- events at random, of 9 types, in a time of 100,000 and 5 partitions
CREATE TABLE noise WITH (autovacuum_enabled = off) AS
	SELECT chr(97 + (8 * pg_temp.chance('k' || n) ^ 2)::int) AS k, 100000 * pg_temp.chance('t' || n) AS t, (100000 * pg_temp.chance('t' || n))::numeric(9, 3) AS decimal,
		   (100000 * pg_temp.chance('t' || n))::int AS whole, timestamp '2026-01-01' + 100000 * pg_temp.chance('t' || n) * interval '1 s' AS at, n % 5 AS p
	FROM generate_series(1, 10000) AS n;
-- keys and values that come together at random: x evenly, y and k with a few that are common
CREATE TABLE random_pairs WITH (autovacuum_enabled = off) AS SELECT DISTINCT (300 * pg_temp.chance('k' || n) ^ 2)::int AS k, (400 * pg_temp.chance('x' || n))::int AS x, (500 * pg_temp.chance('y' || n) ^ 3)::int AS y FROM generate_series(1, 3000) AS n;
CREATE TABLE random_others WITH (autovacuum_enabled = off) AS SELECT DISTINCT (200 * pg_temp.chance('l' || n))::bigint AS k, (100 * pg_temp.chance('z' || n))::int AS z FROM generate_series(1, 1000) AS n;
-- not analyzed: what the functions declare
SELECT call, pg_temp.expected(call) FROM unnest(ARRAY[$$frequent_itemsets('random_baskets', 'items', 0.01)$$, $$itemset_counts('random_baskets', 'items', 0.01)$$, $$probable_itemsets('random_baskets', 'items', 'p', 0.01)$$, $$frequent_episodes('noise', 'k', 't', 100, '{"(0,10]"}')$$,
	$$episode_counts('noise', 'k', 't', 100, '{"(0,10]"}')$$, $$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'y')$$, $$boolean_matrix_product('random_pairs', 'x', 'k', 'random_pairs', 'k', 'y')$$, $$frequent_pairs('random_items', 'id', 'item', 2)$$, $$similar_sets('random_items', 'id', 'item', 0.5)$$, $$association_rules('random_items', 'id', 'item', 2)$$]) AS call;
ANALYZE random_baskets, random_items, noise, random_pairs, random_others;
-- values that are independent of each other: itemsets and pairs within a factor of 3, episodes and maximal itemsets of 5
SELECT call, pg_temp.wrong(call, 3) AS wrong
FROM unnest('{"0.5","0.1","0.01","0.003","20","200","0.01, max_length => 2","0.01, min_length => 3","0.01, kind => ''closed''","0.01, including => ''{2}''","0.01, including_any => ''{2,3,4}''","0.01, item_type => NULL::int[]"}'::text[]) AS arguments,
	 unnest(ARRAY[format($$frequent_itemsets('random_baskets', 'items', %s)$$, arguments), format($$frequent_itemsets('public.random_items', 'id', 'item', %s)$$, arguments)]) AS call;
SELECT call, pg_temp.wrong(call, 5) AS wrong
FROM unnest(ARRAY[$$frequent_itemsets('random_baskets', 'items', 0.01, kind => 'maximal')$$, $$itemset_counts('random_baskets', 'items', 0.01)$$, $$itemset_counts('random_items', 'id', 'item', 200)$$, $$probable_itemsets('random_baskets', 'items', 'p', 0.005)$$, $$probable_itemsets('random_baskets', 'items', 'long', 4)$$,
	$$probable_itemsets('random_baskets', 'items', 'ps', 0.01)$$, $$probable_itemsets('random_items', 'id', 'item', 'p', 0.01)$$, $$probable_itemsets('random_items', 'id', 'item', 'p', 100, 0.9, NULL::int[], max_length => 2)$$]) AS call;
SELECT arguments, pg_temp.wrong(call, 5) AS wrong
FROM unnest(ARRAY[$$'t', 20, '{"(0,10]"}'$$, $$'t', 200, '{"(0,10]","(10,30]"}'$$, $$'decimal', 0.005, '{"(0,20]"}'$$, $$'whole', 100, '{"(0,20]"}', 2, 2$$, $$'at', 100, '{"(5,30]"}', max_length => 3$$, $$'t', 100, '{"(0,20]"}', kind => 'maximal'$$,
	$$'t', 100, '{"(0,20]"}', including => '{a}'$$, $$'t', 100, '{"(0,20]"}', including_any => '{a,b}'$$, $$'t', 50, '{"(0,100]"}', partition_column => 'p', max_length => 3$$, $$'t', 700, '{"(0,)"}', max_length => 2$$, $$'t', 20000, '{"(0,1]"}'$$]) AS arguments,
	 LATERAL (SELECT 'frequent_episodes(''noise'', ''k'', ' || arguments || ')' AS call) AS c;
SELECT pg_temp.wrong($$episode_counts('noise', 'k', 't', 20, '{"(0,10]"}')$$, 2) AS wrong;
SELECT call, pg_temp.wrong(call, 3) AS wrong
FROM unnest(ARRAY[$$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x')$$, $$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x', 2)$$, $$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'y')$$, $$join_project('random_pairs', 'k', 'y', 'random_pairs', 'k', 'y', 3, NULL::int, NULL::int)$$, $$join_project('random_pairs', 'x', 'k', 'random_pairs', 'y', 'k')$$,
	$$join_project('random_pairs', 'k', 'x', 'random_others', 'k', 'z')$$, $$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x', 1000)$$, $$boolean_matrix_product('random_pairs', 'x', 'k', 'random_others', 'k', 'z')$$, $$boolean_matrix_product('random_pairs', 'k', 'x', 'random_pairs', 'x', 'k')$$,
	$$frequent_pairs('random_items', 'id', 'item', 0.01)$$, $$frequent_pairs('random_items', 'id', 'item', 200, NULL::int)$$, $$frequent_pairs('random_baskets', 'items', 20)$$, $$frequent_pairs('random_baskets', 'items', 2000)$$]) AS call;
-- as many similar sets as sets
SELECT call, pg_temp.expected(call) = (SELECT count(DISTINCT id) FROM random_items) AS as_many
FROM unnest(ARRAY[$$similar_sets('random_items', 'id', 'item', 0.5)$$, $$similar_sets('random_items', 'id', 'item', 0.9, 'cosine')$$]) AS call;
SELECT pg_temp.expected($$similar_sets('random_baskets', 'items', 0.5)$$), pg_temp.expected($$similar_sets('random_baskets', 'id', 'items', 0.5, 'overlap')$$);
-- as many rules as itemsets of two items or more
SELECT pg_temp.expected($$association_rules('random_baskets', 'items', 0.01)$$) = pg_temp.expected($$frequent_itemsets('random_baskets', 'items', 0.01, min_length => 2)$$) AS as_many,
	pg_temp.expected($$association_rules('random_items', 'id', 'item', 0.01, NULL::text[], 0.5, max_length => 2)$$) = pg_temp.expected($$frequent_itemsets('random_items', 'id', 'item', 0.01, min_length => 2, max_length => 2)$$) AS as_many_pairs;
-- of one itemset or episode, what is declared
SELECT pg_temp.expected($$probable_itemset_distribution('random_baskets', 'items', 'p', '{1}')$$), pg_temp.expected($$episode_occurrences('noise', 'k', 't', '{a,b}', '{"(0,10]"}')$$);
-- fewer, the higher the threshold, the shorter the gaps and the more partitions
SELECT format, bool_and(e <= before) AS falls, max(e) > min(e) AS depends
FROM (SELECT format, pg_temp.expected(format(format, n)) AS e, lag(pg_temp.expected(format(format, n))) OVER (PARTITION BY format ORDER BY n) AS before
	  FROM unnest('{0.002,0.005,0.01,0.02,0.05,0.1,0.5,0.9}'::float8[]) AS n, unnest(ARRAY[$$frequent_itemsets('random_baskets', 'items', %s)$$, $$frequent_itemsets('random_items', 'id', 'item', %s)$$, $$itemset_counts('random_items', 'id', 'item', %s)$$, $$frequent_pairs('random_baskets', 'items', %s)$$,
		$$probable_itemsets('random_baskets', 'items', 'p', %s)$$, $$frequent_episodes('noise', 'k', 't', %s, '{"(0,10]"}')$$, $$episode_counts('noise', 'k', 't', %s, '{"(0,30]"}')$$, $$join_project('random_pairs', 'k', 'y', 'random_pairs', 'k', 'y', (%s * 1000)::int)$$]) AS format) AS s GROUP BY format;
SELECT pg_temp.expected($$frequent_episodes('noise', 'k', 't', 50, '{"(0,10]"}')$$) < pg_temp.expected($$frequent_episodes('noise', 'k', 't', 50, '{"(0,100]"}')$$) AS gaps,
	   pg_temp.expected($$frequent_episodes('noise', 'k', 't', 50, '{"(0,100]"}', partition_column => 'p')$$) < pg_temp.expected($$frequent_episodes('noise', 'k', 't', 50, '{"(0,100]"}')$$) AS partitions;
-- a row for each length, up to that of all items together
CREATE TABLE alike WITH (autovacuum_enabled = off) AS SELECT '{1,2,3,4}'::int[] AS items FROM generate_series(1, 16);
ANALYZE alike;
SELECT pg_temp.expected($$itemset_counts('alike', 'items', 16)$$), pg_temp.expected($$itemset_counts('alike', 'items', 1, max_length => 3)$$), pg_temp.expected($$frequent_itemsets('alike', 'items', 1.0)$$);
-- a partitioned table has statistics of all its partitions
CREATE TABLE parted (id int, items int[]) PARTITION BY RANGE (id);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (1000) WITH (autovacuum_enabled = off);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (1000) TO (3000) WITH (autovacuum_enabled = off);
INSERT INTO parted SELECT id, items FROM random_baskets;
ANALYZE parted;
SELECT pg_temp.expected($$frequent_itemsets('parted', 'items', 20)$$) - pg_temp.expected($$frequent_itemsets('random_baskets', 'items', 20)$$) AS difference;
-- what is not known is as declared, and wrong calls fail only when they run
SELECT call, pg_temp.expected(call) FROM unnest(ARRAY[$$frequent_itemsets('(SELECT * FROM random_baskets)', 'items', 0.01)$$, $$frequent_itemsets('nosuch', 'items', 0.01)$$, $$frequent_itemsets('no.such.table.there', 'items', 0.01)$$, $$frequent_itemsets('nosuch.random_baskets', 'items', 0.01)$$,
	$$frequent_itemsets('random_baskets', 'nosuch', 0.01)$$, $$frequent_itemsets('random_baskets', 'items', NULL::float8)$$, $$frequent_itemsets(NULL, 'items', 0.01)$$, $$frequent_itemsets('random_baskets', 'items', -1)$$, $$frequent_itemsets('random_baskets', 'items', 'NaN'::float8)$$, $$frequent_itemsets('"', 'items', 0.1)$$,
	$$frequent_itemsets('', 'items', 0.1)$$, $$frequent_itemsets('random_baskets', 'id', 0.1)$$, $$frequent_itemsets('gpufim_progress', 'pid', 0.1)$$, $$frequent_itemsets('random_baskets', 'items', random())$$, $$frequent_itemsets('random_baskets', 'items', '', 'all')$$, $$frequent_itemsets('random_baskets', 'items', 'half', 'all')$$,
	$$frequent_itemsets('random_items', 'id', 'item', NULL::text)$$, $$probable_itemsets('random_baskets', 'items', NULL, 0.1)$$, $$probable_itemsets('random_baskets', 'items', 'p', random())$$, $$frequent_episodes('noise', 'no', 't', 1, '{"(0,1]"}')$$, $$frequent_episodes('noise', 'k', 'k', 1, '{"(0,1]"}')$$,
	$$frequent_episodes('noise', 'k', 't', 100, '{"(0,10]"}', partition_column => 'no')$$, $$join_project('random_pairs', 'k', 'x', 'nothing', 'k', 'x')$$, $$join_project('random_pairs', 'no', 'x', 'random_pairs', 'k', 'x')$$, $$join_project('random_pairs', 'k', 'x', '(TABLE random_pairs)', 'k', 'x')$$, $$join_project('random_pairs', NULL, 'x', 'random_pairs', 'k', 'x')$$,
	$$join_project(NULL, 'k', 'x', 'random_pairs', 'k', 'x')$$, $$frequent_pairs('random_items', 'id', 'item', NULL)$$, $$frequent_pairs('random_baskets', 'id', 1)$$, $$similar_sets('random_items', 'no', 'item', 0.5)$$, $$similar_sets('nothing', 'items', 0.5)$$]) AS call;
-- odd arguments: an end to counting
SELECT call, pg_temp.expected(call) BETWEEN 1 AND 1e6 AS bounded FROM unnest(ARRAY[$$frequent_itemsets('random_baskets', 'items', 1e-9)$$, $$frequent_itemsets('random_baskets', 'items', 'infinity')$$, $$frequent_itemsets('random_baskets', 'items', 0.5, min_length => 2147483647)$$, $$frequent_itemsets('random_baskets', 'items', 0.5, max_length => -5)$$,
	$$frequent_itemsets('random_baskets', 'items', 0.01, including => array_fill('1'::text, ARRAY[100000]))$$, $$frequent_episodes('noise', 'k', 't', 1, '{"(0,)"}')$$, $$frequent_episodes('noise', 'k', 't', 20000, '{"[0,1]",NULL,empty,"(,)","(infinity,)","(0,infinity)"}')$$,
	$$frequent_episodes('noise', 'k', 't', 1, array_fill('[0,1]'::numrange, ARRAY[100000]))$$, $$frequent_episodes('noise', 'k', 't', '100', '(0')$$, $$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x', -1)$$, $$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x', 9223372036854775807)$$,
	$$similar_sets('random_items', 'id', 'item', 'NaN'::float8)$$, $$episode_occurrences('noise', 'k', 't', array_fill('1'::text, ARRAY[100000]), '{}')$$]) AS call;
-- odd statistics: probabilities and times that are none
CREATE TABLE odd WITH (autovacuum_enabled = off) AS
	SELECT n % 100 AS id, n % 7 AS item, ARRAY[n % 7, n % 5] AS items, CASE WHEN n % 3 = 0 THEN 'NaN'::float8 WHEN n % 3 = 1 THEN -n ELSE 'infinity'::float8 END AS p, CASE WHEN n % 2 = 0 THEN 'infinity' ELSE '-infinity' END::timestamp AS t FROM generate_series(1, 1000) AS n;
ANALYZE odd;
SELECT call, pg_temp.expected(call) BETWEEN 1 AND 1e6 AS bounded FROM unnest(ARRAY[$$probable_itemsets('odd', 'items', 'p', 0.1)$$, $$probable_itemsets('odd', 'id', 'item', 'p', 2)$$, $$frequent_episodes('odd', 'item', 'p', 2, '{"(0,1]"}')$$, $$frequent_episodes('odd', 'item', 't', 2, '{"(0,1]"}')$$]) AS call;
-- calls without types: as with types
SELECT untyped, pg_temp.expected(untyped) - pg_temp.expected(typed) AS difference
FROM (VALUES ($$frequent_itemsets('random_baskets', 'items', '0.01', 'all')$$, $$frequent_itemsets('random_baskets', 'items', 0.01, 'all')$$), ($$itemset_counts('random_baskets', 'items', ' 20 ', 'maximal', '2')$$, $$itemset_counts('random_baskets', 'items', 20, 'maximal', 2)$$),
	($$frequent_itemsets('random_baskets', 'items', '0.01', 'maximal', '1', '2', '{2}')$$, $$frequent_itemsets('random_baskets', 'items', 0.01, 'maximal', 1, 2, '{2}')$$), ($$frequent_itemsets('random_items', 'id', 'item', '0.01', 'maximal', '2', '3', '{2}')$$, $$frequent_itemsets('random_items', 'id', 'item', 0.01, 'maximal', 2, 3, '{2}')$$),
	($$frequent_itemsets(source => 'random_items', tid_column => 'id', item_column => 'item', minsup => '0.01', max_length => '2')$$, $$frequent_itemsets('random_items', 'id', 'item', 0.01, max_length => 2)$$),
	($$probable_itemsets('random_baskets', 'items', 'p', '0.002', '0.5', '1', '2')$$, $$probable_itemsets('random_baskets', 'items', 'p', 0.002, 0.5, 1, 2)$$), ($$probable_itemsets('random_items', 'id', 'item', 'p', '0.02', NULL, '2', kind => 'maximal')$$, $$probable_itemsets('random_items', 'id', 'item', 'p', 0.02, NULL, 2, kind => 'maximal')$$),
	($$frequent_episodes('noise', 'k', 't', '0.005', '{"(0,10]","[10.5,30)"}', '2', '3', 'p', '{a}', NULL, 'maximal')$$, $$frequent_episodes('noise', 'k', 't', 0.005, '{"(0,10]","[10.5,30)"}', 2, 3, 'p', '{a}', NULL, 'maximal')$$),
	($$episode_significance('noise', 'k', 't', '100', '{"(0,10]"}')$$, $$episode_significance('noise', 'k', 't', 100, '{"(0,10]"}')$$), ($$frequent_pairs('random_items', 'id', 'item', '5')$$, $$frequent_pairs('random_items', 'id', 'item', 5)$$), ($$frequent_pairs('random_baskets', 'items', '0.01', NULL)$$, $$frequent_pairs('random_baskets', 'items', 0.01)$$),
	($$similar_sets('random_items', 'id', 'item', ' 0.1')$$, $$similar_sets('random_items', 'id', 'item', 0.1)$$), ($$similar_sets('random_baskets', 'items', '0.7', 'containment')$$, $$similar_sets('random_baskets', 'items', 0.7, 'containment')$$)) AS v(untyped, typed);
PREPARE untyped AS SELECT * FROM frequent_itemsets($1, $2, $3, $4, $5);
EXPLAIN EXECUTE untyped('random_baskets', 'items', '1800', 'all', '1');
DEALLOCATE untyped;
PREPARE untyped AS SELECT item1, support FROM frequent_pairs($1, $2, $3, $4);
EXPLAIN (COSTS OFF) EXECUTE untyped('random_items', 'id', 'item', '300');
DEALLOCATE untyped;
-- no function that mines goes without an estimate
SELECT p.proname FROM pg_proc AS p JOIN pg_depend ON objid = p.oid AND classid = 'pg_proc'::regclass AND deptype = 'e'
WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim') AND proretset AND prosupport = 0 ORDER BY 1;
-- who may not read a table, or not all of its rows, does not learn from estimates what is in it
CREATE ROLE nosy;
CREATE SCHEMA closed_schema;
CREATE TABLE closed_schema.random_baskets AS SELECT * FROM random_baskets;
ANALYZE closed_schema.random_baskets;
GRANT SELECT ON closed_schema.random_baskets TO nosy;
CREATE FUNCTION pg_temp.nosy(OUT itemsets float8, OUT pairs float8, OUT products float8, OUT in_closed_schema float8) LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL ROLE nosy;
	itemsets := pg_temp.expected($call$frequent_itemsets('random_baskets', 'items', 0.5)$call$);
	pairs := pg_temp.expected($call$frequent_pairs('random_baskets', 'items', 0.5)$call$);
	products := pg_temp.expected($call$join_project('random_others', 'k', 'z', 'random_pairs', 'k', 'x')$call$);
	in_closed_schema := pg_temp.expected($call$frequent_itemsets('closed_schema.random_baskets', 'items', 0.5)$call$);
	RESET ROLE;
END
$$;
GRANT SELECT ON random_others TO nosy;
SELECT * FROM pg_temp.nosy();
GRANT SELECT (items) ON random_baskets TO nosy;
SELECT itemsets FROM pg_temp.nosy();
GRANT SELECT ON random_baskets, random_pairs TO nosy;
SELECT itemsets < 20 AS itemsets, pairs < 20 AS pairs, products < 100000 AS products, in_closed_schema FROM pg_temp.nosy();
ALTER TABLE random_baskets ENABLE ROW LEVEL SECURITY;
SELECT itemsets, pairs FROM pg_temp.nosy();
-- a wrapper with the same support function gets an estimate if its arguments are in the same order, and never an error
CREATE FUNCTION wrapper(source text, items_column text, minsup float8) RETURNS TABLE (items text[]) LANGUAGE plpgsql SUPPORT gpufim_itemsets_rows ROWS 333 AS 'BEGIN END';
SELECT pg_temp.expected($$wrapper('odd', 'items', 0.001)$$) = pg_temp.expected($$frequent_itemsets('odd', 'items', 0.001)$$) AS same;
DROP FUNCTION wrapper;
CREATE FUNCTION pg_temp.planned(support text, arguments text, call text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE expected float8;
BEGIN
	-- only this language takes all types of arguments; the function is not called
	EXECUTE format('CREATE FUNCTION wrapper(%s) RETURNS SETOF int LANGUAGE internal SUPPORT %s ROWS 333 AS ''pg_num_nonnulls''', arguments, support);
	expected := pg_temp.expected(format('wrapper(%s)', call));
	DROP FUNCTION wrapper;
	RETURN expected;
END
$$;
SELECT arguments, min(expected) >= 1 AS some, max(expected) <= 1e6 AS bounded
FROM unnest('{gpufim_itemsets_rows,gpufim_counts_rows,gpufim_distribution_rows,gpufim_episodes_rows,gpufim_episode_counts_rows,gpufim_occurrences_rows,gpufim_sets_rows}'::text[]) AS support,
	(VALUES ('', ''), ('text, text, text, text', $$'odd', 'id', 'item', '2'$$), ('a text, b text, c text, d text, e text', $$'odd', 'id', 'item', '2', 'x'$$), ('VARIADIC "any"', $$'odd', 1, 2, 3, 4, 5, 6$$), ('source text, VARIADIC items "any"', $$'odd', 1, 'x', 3, 4$$), ('source text, VARIADIC items text[]', $$'odd', 'x', 'y'$$),
		('source text, tid_column int, item_column boolean, minsup jsonb, kind int, including int, excluding int, min_length text, max_length boolean, items int, events int, gaps int', $$'odd', 1, true, '{}', 1, 2, 3, '4', true, 5, 6, 7$$),
		('source bigint, items_column bigint, probability_column bigint, minsup bigint', '1, 2, 3, 4'), ('source text, items_column text, minsup int2, items int[], including int[], gaps int4range[]', $$'odd', 'items', 2::int2, '{1}', '{2}', '{"[1,2)"}'$$),
		('source text, event_column text, time_column text, minsup text, gaps int', $$'odd', 'item', 'id', '2', 5$$), ('left_source int, left_key int, left_value int, right_source int, right_key int, right_value int, min_witnesses text', $$1, 2, 3, 4, 5, 6, '7'$$),
		('source text, tid_column name, item_column name, threshold text, measure int', $$'odd', 'id', 'item', '0.5', 1$$)) AS w (arguments, call), LATERAL (SELECT pg_temp.planned(support, arguments, call) AS expected) AS p
GROUP BY arguments ORDER BY arguments;
SET client_min_messages = warning;
DROP SCHEMA closed_schema CASCADE;
DROP TABLE random_baskets, random_items, noise, random_pairs, random_others, alike, parted, odd;
DROP ROLE nosy;
