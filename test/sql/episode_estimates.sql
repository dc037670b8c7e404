-- How many rows the planner expects of frequent_episodes() and episode_counts()
CREATE FUNCTION pg_temp.expected_rows(call text, function text = 'frequent_episodes') RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM ' || function || '(' || call || ')' INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
CREATE FUNCTION pg_temp.actual_rows(call text, function text = 'frequent_episodes') RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || function || '(' || call || ')' INTO n;
	RETURN n;
END
$$;
-- events at random: 8 types of different frequency, in a time of 100,000, and 5 partitions
CREATE FUNCTION pg_temp.chance(key text) RETURNS float8 LANGUAGE sql AS 'SELECT (get_byte(decode(md5($1), ''hex''), 0) * 65536 + get_byte(decode(md5($1), ''hex''), 1) * 256 + get_byte(decode(md5($1), ''hex''), 2)) / 16777216.0';
CREATE TABLE noise AS
	SELECT chr(97 + (8 * pg_temp.chance('k' || n) ^ 2)::int) AS k, 100000 * pg_temp.chance('t' || n) AS t, (100000 * pg_temp.chance('t' || n))::numeric(9, 3) AS decimal,
		   (100000 * pg_temp.chance('t' || n))::int AS whole, timestamp '2026-01-01' + 100000 * pg_temp.chance('t' || n) * interval '1 s' AS at, n % 5 AS p
	FROM generate_series(1, 10000) AS n;
ALTER TABLE noise SET (autovacuum_enabled = off);
SELECT pg_temp.expected_rows($$'noise', 'k', 't', 100, '{"(0,10]"}'$$), pg_temp.expected_rows($$'noise', 'k', 't', 100, '{"(0,10]"}'$$, 'episode_counts');
ANALYZE noise;
-- within a half and twice of what there is
SELECT arguments, CASE WHEN expected BETWEEN n * 0.5 - 2 AND n * 2 + 2 THEN '' ELSE expected || ' not ' || n END AS wrong
FROM unnest(ARRAY[$$'t', 20, '{"(0,10]"}'$$, $$'t', 200, '{"(0,10]","(10,30]"}'$$, $$'decimal', 0.005, '{"(0,20]"}'$$, $$'whole', 100, '{"(0,20]"}', 2, 2$$, $$'at', 100, '{"(5,30]"}', max_length => 3$$,
				  $$'t', 100, '{"(0,20]"}', kind => 'maximal'$$, $$'t', 100, '{"(0,20]"}', max_length => 2, kind => 'maximal'$$, $$'t', 100, '{"(0,20]"}', kind => 'closed'$$, $$'t', 100, '{"(0,20]"}', including => '{a}'$$, $$'t', 50, '{"(0,100]"}', partition_column => 'p', max_length => 3$$,
				  $$'at', 60, '{"(0,50]"}', NULL::text[], 2, partition_column => 'p'$$, $$'t', 700, '{"(0,)"}', max_length => 2$$, $$'t', 20000, '{"(0,1]"}'$$]) AS arguments,
	 LATERAL (SELECT '''noise'', ''k'', ' || arguments AS call) AS c, LATERAL (SELECT pg_temp.expected_rows(call) AS expected, pg_temp.actual_rows(call) AS n) AS e;
SELECT pg_temp.expected_rows($$'noise', 'k', 't', 20, '{"(0,10]"}'$$, 'episode_counts') AS expected, pg_temp.actual_rows($$'noise', 'k', 't', 20, '{"(0,10]"}'$$, 'episode_counts') AS n;
-- an episode whose support just reaches the threshold counts
CREATE TABLE alike AS SELECT 'a' AS k, n AS t FROM generate_series(1, 1024) AS n;
ALTER TABLE alike SET (autovacuum_enabled = off);
ANALYZE alike;
SELECT minsup, pg_temp.expected_rows(call) AS expected, pg_temp.actual_rows(call) AS n
FROM unnest('{512,513}'::int[]) AS minsup, LATERAL (SELECT format($$'alike', 'k', 't', %s, '{"(0,)"}', max_length => 2$$, minsup) AS call) AS c;
DROP TABLE alike;
-- a limit to what is counted, and nothing that planning could fail on
SELECT pg_temp.expected_rows($$'noise', 'k', 't', 1, '{"(0,)"}'$$) AS many;
SELECT pg_temp.expected_rows(call) FROM unnest(ARRAY[$$'nothing', 'k', 't', 1, '{"(0,1]"}'$$, $$'noise', 'no', 't', 1, '{"(0,1]"}'$$, $$'noise', 'k', 'k', 1, '{"(0,1]"}'$$, $$'noise', 'k', 't', -1, '{"(0,1]"}'$$,
	$$'noise', 'k', 't', 20000, '{"[0,1]",NULL,empty,"(,)","(infinity,)"}'$$, $$'noise', 'k', 't', 100, '{"(0,10]"}', partition_column => 'no'$$, $$'(TABLE noise)', 'k', 't', 100, '{"(0,10]"}'$$, $$'noise', 'k', 't', '100', '(0'$$,
	$$'noise', 'k', 't', 9000, '{}'$$, $$'noise', 'k', 't', NULL, '{"(0,10]"}'$$]) AS call;
-- calls without types: as with types
SELECT function, untyped, pg_temp.expected_rows(untyped, function) - pg_temp.expected_rows(typed, function) AS difference
FROM (VALUES ($$'noise', 'k', 't', '100', '{"(0,10]"}'$$, $$'noise', 'k', 't', 100, '{"(0,10]"}'$$), ($$'noise', 'k', 't', '0.02', '{"(0,10]","[10.5,30)"}', '2', '3', 'p', '{a}', NULL, 'maximal'$$, $$'noise', 'k', 't', 0.02, '{"(0,10]","[10.5,30)"}', 2, 3, 'p', '{a}', NULL, 'maximal'$$),
	($$'noise', 'k', 't', '700', '{"(0,)"}', max_length => '2'$$, $$'noise', 'k', 't', 700, '{"(0,)"}', max_length => 2$$), ($$'noise', 'k', 't', '200', '{"(,5]",empty,"(7,3]"}'$$, $$'noise', 'k', 't', 200, '{"(,5]",empty}'$$)) AS v(untyped, typed),
	 unnest('{frequent_episodes,episode_counts,episode_significance}'::text[]) AS function;
-- occurrences of an episode: no more than events of its rarest type, which are as many in an orderly stream
CREATE TABLE orderly AS SELECT n AS t, CASE n % 4 WHEN 0 THEN 1 ELSE 2 END AS k, CASE WHEN n % 4 = 0 THEN 'x' WHEN n % 4 = 1 THEN 'rare ' || n % 400 END AS w FROM generate_series(1, 8000) AS n;
ALTER TABLE orderly SET (autovacuum_enabled = off);
SELECT pg_temp.expected_rows($$'orderly', 'k', 't', '{1,2}', '{"(0,2]"}'$$, 'episode_occurrences');
ANALYZE orderly;
-- and no more than these divided by how often the episode has the type, which also holds for very long episodes
SELECT pg_temp.expected_rows(call, 'episode_occurrences') FROM unnest(ARRAY[$$'orderly', 'k', 't', '{1,2,1,1}', '{}'$$, $$'orderly', 'k', 't', string_to_array(repeat('1,2,', 100) || '1', ','), '{}'$$,
	$$'orderly', 'k', 't', array_fill('1'::text, ARRAY[100000]), '{}'$$]) AS call;
SELECT arguments, pg_temp.expected_rows(arguments, 'episode_occurrences') AS expected, pg_temp.actual_rows(arguments, 'episode_occurrences') AS n
FROM unnest(ARRAY[$$'orderly', 'k', 't', '{1}', '{}'$$, $$'orderly', 'k', 't', '{1,2}', '{"(0,2]"}'$$, $$'orderly', 'k', 't', '{2,2,2}', '{"(0,2]","(0,2]"}'$$, $$'orderly', 'k', 't', '{2,1,2}', '{"(0,2]","(0,2]"}', NULL::int[]$$, $$'orderly', 'k', 't', '{1,3}', '{"(0,2]"}'$$,
	$$'orderly', 'w', 't', '{x,"rare 1"}', '{"(0,2]"}'$$, $$'orderly', 'w', 't', '{x,never}', '{"(0,2]"}'$$]) AS arguments;
SELECT pg_temp.expected_rows(call, 'episode_occurrences') FROM unnest(ARRAY[$$'nothing', 'k', 't', '{1}', '{"(0,1]"}'$$, $$'orderly', 'no', 't', '{1}', '{"(0,1]"}'$$, $$'orderly', 'k', 't', '{}', '{"(0,1]"}'$$, $$'orderly', 'k', 't', NULL, '{"(0,1]"}'$$,
	$$'orderly', 'k', 't', '{1,NULL}', '{"(0,1]"}'$$, $$'orderly', 'k', 't', '{one}', '{"(0,1]"}'$$, $$'(TABLE orderly)', 'k', 't', '{1}', '{"(0,1]"}'$$]) AS call;
DROP TABLE noise, orderly;
