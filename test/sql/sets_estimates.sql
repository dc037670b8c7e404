-- How many rows the planner expects of products of sets
CREATE FUNCTION pg_temp.expected_rows(call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM ' || call INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
CREATE FUNCTION pg_temp.actual_rows(call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || call INTO n;
	RETURN n;
END
$$;
CREATE FUNCTION pg_temp.chance(key text) RETURNS float8 LANGUAGE sql AS 'SELECT (get_byte(decode(md5($1), ''hex''), 0) * 65536 + get_byte(decode(md5($1), ''hex''), 1) * 256 + get_byte(decode(md5($1), ''hex''), 2)) / 16777216.0';
-- keys and values that come together at random: x evenly, y and k with a few that are common
CREATE TABLE random_pairs AS SELECT DISTINCT (300 * pg_temp.chance('k' || n) ^ 2)::int AS k, (400 * pg_temp.chance('x' || n))::int AS x, (500 * pg_temp.chance('y' || n) ^ 3)::int AS y FROM generate_series(1, 3000) AS n;
CREATE TABLE random_others AS SELECT DISTINCT (200 * pg_temp.chance('l' || n))::bigint AS k, (100 * pg_temp.chance('z' || n))::int AS z FROM generate_series(1, 1000) AS n;
CREATE TABLE random_baskets AS SELECT id, ARRAY(SELECT i FROM generate_series(1, 40) AS i WHERE pg_temp.chance(id || ' ' || i) < 1.0 / i) AS items FROM generate_series(1, 1000) AS id;
CREATE TABLE random_items AS SELECT id, item FROM random_baskets, unnest(items) AS item;
ALTER TABLE random_pairs SET (autovacuum_enabled = off);
ALTER TABLE random_others SET (autovacuum_enabled = off);
ALTER TABLE random_baskets SET (autovacuum_enabled = off);
ALTER TABLE random_items SET (autovacuum_enabled = off);
-- not analyzed: what the functions declare
SELECT pg_temp.expected_rows($$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'y')$$), pg_temp.expected_rows($$frequent_pairs('random_items', 'id', 'item', 2)$$), pg_temp.expected_rows($$similar_sets('random_items', 'id', 'item', 0.5)$$);
ANALYZE random_pairs, random_others, random_baskets, random_items;
-- within a half and twice of what there is
SELECT call, CASE WHEN expected BETWEEN n * 0.5 - 2 AND n * 2 + 2 THEN '' ELSE expected || ' not ' || n END AS wrong
FROM unnest(ARRAY[$$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x')$$, $$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x', 2)$$, $$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x', 4, witnesses => false)$$,
	$$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'y')$$, $$join_project('random_pairs', 'k', 'y', 'random_pairs', 'k', 'y', 3, NULL::int, NULL::int)$$, $$join_project('random_pairs', 'k', 'y', 'random_pairs', 'k', 'y', 40)$$,
	$$join_project('random_pairs', 'x', 'k', 'random_pairs', 'y', 'k')$$, $$join_project('random_pairs', 'k', 'x', 'random_others', 'k', 'z')$$, $$join_project('random_others', 'k', 'z', 'random_pairs', 'k', 'y', 2)$$, $$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x', 1000)$$,
	$$boolean_matrix_product('random_pairs', 'x', 'k', 'random_others', 'k', 'z')$$, $$boolean_matrix_product('random_pairs', 'k', 'x', 'random_pairs', 'x', 'k')$$,
	$$frequent_pairs('random_items', 'id', 'item', 1)$$, $$frequent_pairs('random_items', 'id', 'item', 5, NULL::int)$$, $$frequent_pairs('random_items', 'id', 'item', 0.01)$$, $$frequent_pairs('random_items', 'id', 'item', 100)$$, $$frequent_pairs('random_items', 'id', 'item', 501)$$,
	$$frequent_pairs('random_baskets', 'items', 1)$$, $$frequent_pairs('random_baskets', 'items', 0.01, NULL::int)$$, $$frequent_pairs('random_baskets', 'items', 100)$$,
	$$similar_sets('random_items', 'item', 'id', 0.1)$$, $$similar_sets('random_items', 'item', 'id', 0.2, 'cosine')$$, $$similar_sets('random_items', 'item', 'id', 0.5, 'overlap')$$, $$similar_sets('random_items', 'item', 'id', 0.3, 'containment')$$,
	$$similar_sets('random_baskets', 'items', 0.7, 'containment')$$]) AS call,
	LATERAL (SELECT pg_temp.expected_rows(call) AS expected, pg_temp.actual_rows(call) AS n) AS e;
-- rows of a table as sets: fewer, the higher the threshold, but not none
SELECT bool_and(expected <= before) AS fewer, min(expected) >= 1000 AS not_none FROM (SELECT pg_temp.expected_rows(format($$similar_sets('random_baskets', %s, %s)$$, columns, t)) AS expected, lag(pg_temp.expected_rows(format($$similar_sets('random_baskets', %s, %s)$$, columns, t))) OVER (PARTITION BY columns ORDER BY t) AS before
	FROM unnest('{0.1,0.3,0.5,0.7,0.9,1}'::float8[]) AS t, unnest(ARRAY[$$'items'$$, $$'id', 'items'$$]) AS columns) AS s;
-- what is not known is as declared, and wrong calls fail only when they run
SELECT pg_temp.expected_rows(call) FROM unnest(ARRAY[$$join_project('nothing', 'k', 'x', 'random_pairs', 'k', 'x')$$, $$join_project('random_pairs', 'k', 'x', 'nothing', 'k', 'x')$$, $$join_project('random_pairs', 'no', 'x', 'random_pairs', 'k', 'x')$$,
	$$join_project('random_pairs', 'k', 'x', '(TABLE random_pairs)', 'k', 'x')$$, $$join_project('random_pairs', NULL, 'x', 'random_pairs', 'k', 'x')$$, $$join_project(NULL, 'k', 'x', 'random_pairs', 'k', 'x')$$,
	$$join_project('random_pairs', 'k', 'x', 'random_pairs', 'k', 'x', -1)$$, $$boolean_matrix_product('random_pairs', 'x', 'k', 'no', 'k', 'z')$$, $$frequent_pairs('random_items', 'id', 'item', NULL)$$, $$frequent_pairs('random_items', 'id', 'item', -1)$$, $$frequent_pairs('random_items', 'id', 'item', 'NaN')$$,
	$$frequent_pairs('random_items', 'item', 0.1)$$, $$frequent_pairs('random_baskets', 'items', 2000)$$, $$frequent_pairs('random_baskets', 'id', 1)$$, $$similar_sets('random_items', 'id', 'item', NULL::float8)$$, $$similar_sets('random_items', 'id', 'item', 'NaN'::float8)$$, $$similar_sets('random_items', 'id', 'item', 1.5)$$,
	$$similar_sets('random_items', 'no', 'item', 0.5)$$, $$similar_sets('random_baskets', 'id', 0.5)$$]) AS call;
-- calls without types: as with types, and with the scan of pairs
SELECT untyped, pg_temp.expected_rows(untyped) - pg_temp.expected_rows(typed) AS difference
FROM (VALUES ($$frequent_pairs('random_items', 'id', 'item', '5')$$, $$frequent_pairs('random_items', 'id', 'item', 5)$$), ($$frequent_pairs('random_baskets', 'items', '0.01', NULL)$$, $$frequent_pairs('random_baskets', 'items', 0.01)$$),
	($$similar_sets('random_items', 'item', 'id', ' 0.1')$$, $$similar_sets('random_items', 'item', 'id', 0.1)$$), ($$similar_sets('random_baskets', 'items', '0.7', 'containment')$$, $$similar_sets('random_baskets', 'items', 0.7, 'containment')$$),
	($$similar_sets('random_items', 'item', 'id', 'half')$$, $$similar_sets('nothing', 'item', 'id', 0.1)$$)) AS v(untyped, typed);
PREPARE untyped AS SELECT item1, support FROM frequent_pairs($1, $2, $3, $4);
EXPLAIN (COSTS OFF) EXECUTE untyped('random_items', 'id', 'item', '300');
SELECT sum(support) FROM frequent_pairs('random_items', 'id', 'item', '300');
SELECT sum(support) FROM frequent_pairs('random_items', 'id', 'item', 300);
DEALLOCATE untyped;
-- who may not read a table does not learn from estimates what is in it
CREATE ROLE nosy_about_sets;
SET ROLE nosy_about_sets;
EXPLAIN SELECT * FROM frequent_pairs('random_items', 'id', 'item', 2);
RESET ROLE;
GRANT SELECT ON random_items TO nosy_about_sets;
SET ROLE nosy_about_sets;
EXPLAIN SELECT * FROM frequent_pairs('random_items', 'id', 'item', 100000);
RESET ROLE;
DROP TABLE random_pairs, random_others, random_baskets, random_items;
DROP ROLE nosy_about_sets;
