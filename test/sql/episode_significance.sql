-- episode_significance: its forms, its columns and its errors.  What it counts is tested
-- by test/t/018_episode_significance.pl.
CREATE TABLE alarms AS
	SELECT m AS at, CASE m % 10 WHEN 0 THEN 'door' WHEN 3 THEN 'light' ELSE 'step' END AS kind
	FROM generate_series(0, 999) AS m WHERE m % 10 IN (0, 3) OR m % 7 = 0;

-- the light follows the door: that is what other times do not explain
SELECT array_to_string(events, ' ') AS events, gaps, support, expected < 50 AS rarer,
	round(p_value::numeric, 4) AS p_value, round(adjusted_p_value::numeric, 4) AS adjusted
FROM episode_significance('alarms', 'kind', 'at', 80, '{"[2,4]"}', dither => 5, surrogates => 99, seed => 1)
ORDER BY cardinality(events), events;

SELECT details - 'seed' AS details, itemsets, itemsets_by_length FROM gpufim_last_run();

-- all forms give the same
CREATE TEMP TABLE typed AS
	SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 5, surrogates => 20, seed => 7);
SELECT pg_typeof(events), count(*) FROM typed GROUP BY 1;
SELECT pg_typeof(events) FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', NULL::text[], dither => 5, surrogates => 20, seed => 7) LIMIT 1;
PREPARE untyped AS
	SELECT * FROM episode_significance($1, $2, $3, $4, $5, surrogates => $6, dither => $7, seed => $8)
	EXCEPT SELECT * FROM typed;
EXECUTE untyped('alarms', 'kind', 'at', '50', '{"[2,4]"}', '20', '5', '7');
PREPARE untyped_method AS
	SELECT count(*) FROM episode_significance($1, $2, $3, $4, $5, surrogates => $6, dither => $7, seed => $8, method => $9)
	WHERE p_value IS NULL AND cardinality(events) > 1;
EXECUTE untyped_method('alarms', 'kind', 'at', '50', '{"[1,10]"}', '20', '5', '7', 'move');
EXECUTE untyped_method('alarms', 'kind', 'at', '50', '{"[1,10]"}', '20', '5', '7', 'shift');
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', 1, NULL, NULL, NULL, NULL, 'all', 20, 5, 7)
EXCEPT SELECT * FROM typed;

-- of the episodes that are not asked for none is tested; those that are have the same p-values
CREATE TEMP TABLE any_of AS
	SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 5, surrogates => 20, seed => 7, including_any => '{light,door,bell}');
SELECT details ->> 'tested_episodes' AS tested, (SELECT count(*) FROM typed WHERE events && '{light,door}' AND cardinality(events) > 1) AS expected FROM gpufim_last_run();
SELECT count(*), (SELECT count(*) FROM typed WHERE events && '{light,door}') AS expected
FROM (SELECT events, gaps, support, expected, p_value FROM any_of INTERSECT ALL SELECT events, gaps, support, expected, p_value FROM typed) AS same;
PREPARE untyped_any AS
	SELECT count(*) FROM (SELECT * FROM episode_significance($1, $2, $3, $4, $5, surrogates => $6, dither => $7, seed => $8, including_any => $9)
		EXCEPT ALL SELECT * FROM any_of) AS d;
EXECUTE untyped_any('alarms', 'kind', 'at', '50', '{"[2,4]"}', '20', '5', '7', '{light,door}');

-- one surrogate; and nothing to test
SELECT count(*), bool_and(p_value IN (0.5, 1)) FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 5, surrogates => 1);
SELECT events, expected, p_value, adjusted_p_value FROM episode_significance('alarms', 'kind', 'at', 100, '{"(500,501)"}', dither => 5) ORDER BY events;
SELECT * FROM episode_significance('(SELECT * FROM alarms WHERE false)', 'kind', 'at', 1, '{"[2,4]"}', dither => 5);

-- types that have nothing to do with each other, each in three ticks of ten: the share of p-values of at most 0.05 is
-- close to that, as it is where the dither is longer than the stream, which a notice tells
SELECT setseed(0.5);
CREATE TABLE noise AS
	SELECT stream, kind, at FROM generate_series(1, 40) AS stream, generate_series(0, 499) AS at, generate_series(0, 3) AS kind
	WHERE random() < 0.3;
SET client_min_messages = warning;
SELECT method, dither, count(p_value), avg(p_value) BETWEEN 0.4 AND 0.65 AS even, avg((p_value <= 0.05)::int) <= 0.1 AS few
FROM unnest('{shift,move,window_shuffle}'::text[]) AS method, unnest('{25,1000000}'::int[]) AS dither, generate_series(1, 40) AS stream,
	episode_significance(format('(SELECT * FROM noise WHERE stream = %s)', stream), 'kind', 'at', 1, '{"(0,5]"}', min_length => 2, max_length => 2,
		dither => dither, surrogates => 99, seed => stream, method => method)
GROUP BY method, dither ORDER BY method, dither;
RESET client_min_messages;
SELECT count(*) FROM episode_significance('noise', 'kind', 'at', 1, '{"(0,5]"}', max_length => 1, partition_column => 'stream', dither => 499, surrogates => 1);
SELECT count(*) FROM episode_significance('noise', 'kind', 'at', 1, '{"(0,5]"}', max_length => 1, partition_column => 'stream', dither => 500, surrogates => 1);
SELECT count(*) FROM episode_significance('(SELECT kind, timestamp ''2020-01-01'' + at * interval ''1 s'' AS at FROM noise)', 'kind', 'at', 1, '{"(0,5]"}', max_length => 1, dither => 5000, surrogates => 1);
DROP TABLE noise;

-- what must not be
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}');
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 0);
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 'NaN');
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 0.9);
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 1e19);
SELECT * FROM episode_significance('(SELECT kind, at * 0.01 AS at FROM alarms)', 'kind', 'at', 50, '{"[0.02,0.04]"}', dither => 0.009);
SELECT * FROM episode_significance('(SELECT kind, at::float8 FROM alarms)', 'kind', 'at', 50, '{"[2,4]"}', dither => 1e400);
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 5, surrogates => 0);
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 5, surrogates => NULL);
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 5, kind => 'some');
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 5, method => 'jitter');
SELECT * FROM episode_significance('alarms', 'kind', 'at', 50, '{"[2,4]"}', dither => 5, method => NULL);

-- the planner expects as many rows as of frequent_episodes()
CREATE FUNCTION pg_temp.expected_rows(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan #>> '{0,Plan,Plan Rows}';
END
$$;
ANALYZE alarms;
SELECT pg_temp.expected_rows($$SELECT * FROM episode_significance('alarms', 'kind', 'at', 5, '{"[2,4]"}', dither => 5)$$) =
	pg_temp.expected_rows($$SELECT * FROM frequent_episodes('alarms', 'kind', 'at', 5, '{"[2,4]"}')$$) AS same,
	pg_temp.expected_rows($$SELECT * FROM episode_significance('alarms', 'kind', 'at', 5, '{"[2,4]"}', dither => 5)$$) <> 1000 AS estimated;
DROP TABLE alarms, typed;
