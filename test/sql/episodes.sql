-- Episodes against their definitions: what an occurrence is, what overlaps, what counts
SET client_min_messages = warning;

-- The most occurrences that do not overlap, as the longest chain of them.
CREATE FUNCTION brute.longest_chain(starts numeric[], ends numeric[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	chain bigint[] := '{}';
BEGIN
	FOR i IN 1 .. coalesce(cardinality(starts), 0) LOOP
		chain[i] := 1 + coalesce((SELECT max(chain[j]) FROM generate_series(1, i - 1) AS j WHERE ends[j] < starts[i]), 0);
	END LOOP;
	RETURN coalesce((SELECT max(c) FROM unnest(chain) AS c), 0);
END
$$;
-- The frequent episodes of a query that gives (type, time, partition), level by level, with
-- all of their occurrences.
CREATE FUNCTION brute.episodes(stream text, minsup bigint, gaps numrange[], kind text = 'all',
							   min_length int = 1, max_length int = NULL,
							   including text[] = NULL, excluding text[] = NULL, including_any text[] = NULL)
RETURNS TABLE (events text[], gaps_between numrange[], support bigint, frequency float8) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE event (e text, t numeric, p text) ON COMMIT DROP;
	CREATE TEMP TABLE occurrence (es text[], gs numrange[], p text, s numeric, t numeric) ON COMMIT DROP;
	CREATE TEMP TABLE frequent (es text[], gs numrange[], n bigint) ON COMMIT DROP;
	EXECUTE format('INSERT INTO event SELECT DISTINCT * FROM (%s) AS s(e, t, p) WHERE e IS NOT NULL AND t IS NOT NULL AND p IS NOT NULL', stream);
	DELETE FROM event WHERE e = ANY (excluding);
	INSERT INTO occurrence SELECT ARRAY[e], '{}', p, t, t FROM event;
	WHILE EXISTS (SELECT FROM occurrence) LOOP
		INSERT INTO frequent
			SELECT es, gs, sum(n) FROM (SELECT es, gs, brute.longest_chain(array_agg(s ORDER BY t, s), array_agg(t ORDER BY t, s)) AS n
										 FROM occurrence GROUP BY es, gs, p) AS by_partition
			GROUP BY es, gs HAVING sum(n) >= minsup;
		CREATE TEMP TABLE longer ON COMMIT DROP AS
			SELECT DISTINCT o.es || event.e AS es, o.gs || g AS gs, o.p, o.s, event.t
			FROM occurrence AS o JOIN frequent AS f USING (es, gs) JOIN event USING (p) JOIN unnest(gaps) AS g ON event.t - o.t <@ g;
		TRUNCATE occurrence;
		INSERT INTO occurrence SELECT * FROM longer;
		DROP TABLE longer;
	END LOOP;
	RETURN QUERY SELECT es, gs, n, n::float8 / (SELECT min(c.n) FROM frequent AS c WHERE cardinality(c.es) = 1 AND c.es <@ f.es)
		FROM frequent AS f
		WHERE cardinality(es) >= min_length AND (cardinality(es) <= max_length) IS NOT FALSE AND es @> coalesce(including, '{}')
		  AND (es && including_any) IS NOT FALSE
		  AND (kind = 'all' OR NOT EXISTS (
			SELECT FROM frequent AS l
			WHERE cardinality(l.es) = cardinality(f.es) + 1 AND (kind = 'maximal' OR l.n = f.n)
			  AND ((l.es[:cardinality(f.es)] = f.es AND l.gs[:cardinality(f.gs)] = f.gs) OR (l.es[2:] = f.es AND l.gs[2:] = f.gs))));
	DROP TABLE event, occurrence, frequent;
END
$$;

-- the example of the documentation
CREATE TABLE example (kind text, at numeric);
INSERT INTO example VALUES ('a', 1), ('a', 2), ('b', 4), ('a', 4), ('b', 5), ('b', 9);
SELECT * FROM brute.episodes('SELECT kind, at, 1 FROM example', 1, '{"(0,5]"}', max_length => 2) ORDER BY events;
SELECT * FROM frequent_episodes('example', 'kind', 'at', 1, '{"(0,5]"}', max_length => 2) ORDER BY events;
SELECT count_episode('example', 'kind', 'at', '{a,b}', '{"(0,5]"}');
SELECT count_episode('(SELECT kind, CASE WHEN kind = ''a'' AND at = 4 THEN 4.5 ELSE at END AS at FROM example)', 'kind', 'at', '{a,b}', '{"(0,5]"}');
SELECT * FROM episode_occurrences('example', 'kind', 'at', '{a,b}', '{"(0,5]"}');

-- 72 events by a rule one can compute again, with ties, in three partitions; 20 of them come twice
CREATE TABLE stream AS
	SELECT substr('abacb', n * n % 11 % 5 + 1, 1) AS e, n * 7 % 50 * 0.5 AS t, n % 3 AS p FROM generate_series(1, 72) AS n
	UNION ALL SELECT substr('abacb', n * n % 11 % 5 + 1, 1), n * 7 % 50 * 0.5, n % 3 FROM generate_series(1, 20) AS n;
INSERT INTO stream VALUES (NULL, 1, 1), ('a', NULL, 1), ('a', 1, NULL);
CREATE FUNCTION differences(minsup float8, gaps numrange[], kind text, options text = '', by_partition boolean = true, brute_minsup bigint = NULL)
RETURNS TABLE (expected bigint, missing bigint, unexpected bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		WITH b AS MATERIALIZED (SELECT * FROM brute.episodes(%L, %s, %L, %L%s)),
			 m AS MATERIALIZED (SELECT * FROM frequent_episodes('stream', 'e', 't', %s, %L, kind => %L%s, partition_column => %L))
		SELECT (SELECT count(*) FROM b), (SELECT count(*) FROM (TABLE b EXCEPT ALL TABLE m) AS x), (SELECT count(*) FROM (TABLE m EXCEPT ALL TABLE b) AS x)
		$q$, CASE WHEN by_partition THEN 'SELECT e, t, p FROM stream' ELSE 'SELECT e, t, 1 FROM stream' END,
		coalesce(brute_minsup, minsup::bigint), gaps, kind, options, minsup, gaps, kind, options, CASE WHEN by_partition THEN 'p' END);
END
$$;
SELECT kind, minsup, gaps, d.*
FROM unnest('{all,closed,maximal}'::text[]) AS kind, unnest('{5,8}'::float8[]) AS minsup,
	 unnest('{"{\"(0,1]\"}","{\"(0,1]\",\"(1,2.5)\"}","{\"[0.5,2]\",\"[1,1]\",\"(0,0.5)\"}"}'::text[]) AS gaps,
	 differences(minsup, gaps::numrange[], kind) AS d
ORDER BY kind, minsup, gaps;
SELECT kind, d.* FROM unnest('{all,closed,maximal}'::text[]) AS kind, differences(8, '{"(0,1]","(20,)"}', kind, '', false) AS d;
-- the lengths and the types that are named only select, types that are excluded are not there
SELECT options, kind, d.*
FROM unnest(ARRAY[', min_length => 2', ', min_length => 2, max_length => 2', ', including => ''{a}''', ', including => ''{b,a,a}''', ', excluding => ''{a}''', ', including => ''{c}'', excluding => ''{a,b}''']) AS options,
	 unnest('{all,closed,maximal}'::text[]) AS kind, differences(5, '{"(0,2]"}', kind, options) AS d ORDER BY 1, 2;
-- so does one type of several, of which those that are not there, not frequent or excluded do not count
SELECT options, kind, d.*
FROM unnest(ARRAY[', including_any => NULL', ', including_any => ''{}''', ', including_any => ''{z}''', ', including_any => ''{c}''', ', including_any => ''{c,b,c,z}''', ', including_any => ''{a,b,c}''',
				  ', including => ''{b}'', including_any => ''{c}''', ', including => ''{b,a}'', including_any => ''{c,a}''', ', excluding => ''{a}'', including_any => ''{a}''', ', excluding => ''{a}'', including_any => ''{a,c}''',
				  ', including_any => ''{c}'', max_length => 2', ', including_any => ''{c}'', min_length => 3']) AS options,
	 unnest('{all,closed,maximal}'::text[]) AS kind, differences(5, '{"(0,2]"}', kind, options) AS d ORDER BY 1, 2;
SELECT kind, any_of, d.* FROM unnest('{all,closed,maximal}'::text[]) AS kind, unnest('{"{c}","{b,c}"}'::text[]) AS any_of, differences(9, '{"(0,1]","(20,)"}', kind, format(', including_any => %L', any_of), false) AS d;
SELECT * FROM episode_counts('stream', 'e', 't', 3, '{"(0,1]","(1,2.5)"}', partition_column => 'p', including_any => '{b,c}');
SELECT length, count(*) FROM brute.episodes('SELECT e, t, p FROM stream', 3, '{"(0,1]","(1,2.5)"}', including_any => '{b,c}') AS b, cardinality(b.events) AS length GROUP BY 1 ORDER BY 1;
-- partitions without any of them are left out, and types that are not frequent in the others
CREATE TABLE visits AS
	SELECT substr('abcdbadcx', (n * n + p) % (4 + p) + 1, 1) AS e, n % 17 AS t, p FROM generate_series(1, 40) AS n, generate_series(1, 5) AS p;
SELECT p, string_agg(DISTINCT e, '' ORDER BY e) AS types FROM visits GROUP BY p ORDER BY p;
SELECT any_of, kind, (SELECT (count(*), sum(cardinality(events) * support), round(sum(frequency)::numeric, 6)) FROM brute.episodes('SELECT e, t, p FROM visits', 5, '{"(0,1]"}', kind, including_any => any_of)) AS expected,
	(SELECT (count(*), sum(cardinality(events) * support), round(sum(frequency)::numeric, 6)) FROM frequent_episodes('visits', 'e', 't', 5, '{"(0,1]"}', kind => kind, including_any => any_of, partition_column => 'p')) AS found
FROM unnest(ARRAY['b', 'c,b', 'd,x']) AS names, string_to_array(names, ',') AS any_of, unnest('{all,closed,maximal}'::text[]) AS kind ORDER BY 1, 2;
-- an episode that has the required types has one of them, if one is required
SELECT (SELECT (count(*), sum(support)) FROM brute.episodes('SELECT e, t, p FROM visits', 5, '{"(0,1]"}', including => '{b}', including_any => '{b,x}')) AS expected,
	(SELECT (count(*), sum(support)) FROM frequent_episodes('visits', 'e', 't', 5, '{"(0,1]"}', including => '{b}', including_any => '{b,x}', partition_column => 'p')) AS found;
-- a fraction is one of all events that are there, each once
SELECT count(DISTINCT (e, t, p)) AS events, count(DISTINCT (e, t, p)) FILTER (WHERE e <> 'a') AS without_a FROM stream WHERE num_nulls(e, t, p) = 0;
SELECT * FROM differences(0.1, '{"(0,2]"}', 'all', brute_minsup => 8);
SELECT minsup, transactions AS events FROM gpufim_last_run();
SELECT count(*) FROM frequent_episodes('stream', 'e', 't', 0.1, '{"(0,2]"}', partition_column => 'p', excluding => '{a}');
SELECT minsup FROM gpufim_last_run();

-- counts, strategies, workers
SELECT * FROM episode_counts('stream', 'e', 't', 3, '{"(0,1]","(1,2.5)"}', partition_column => 'p');
SELECT length, count(*) FROM brute.episodes('SELECT e, t, p FROM stream', 3, '{"(0,1]","(1,2.5)"}') AS b, cardinality(b.events) AS length GROUP BY 1 ORDER BY 1;
DO $$
DECLARE
	setting text;
	counts text;
	first text;
BEGIN
	FOREACH setting IN ARRAY '{auto 0,propagate 2,state_machine 0,occurrence 2,two_pass 0}'::text[] LOOP
		PERFORM set_config('gpufim.strategy', split_part(setting, ' ', 1), true), set_config('gpufim.workers', split_part(setting, ' ', 2), true);
		SELECT md5(string_agg(f::text, ' ' ORDER BY events, gaps)) INTO counts FROM frequent_episodes('stream', 'e', 't', 3, '{"(0,1]","(1,2.5)"}', partition_column => 'p') AS f;
		first := coalesce(first, counts);
		IF counts IS DISTINCT FROM first THEN
			RAISE EXCEPTION 'strategy and workers "%" differ', setting;
		END IF;
	END LOOP;
END
$$;
SET gpufim.strategy = 'bitmap';
SET gpufim.engine = 'cpu';
SELECT * FROM frequent_episodes('stream', 'e', 't', 3, '{"(0,1]"}');
RESET gpufim.engine;
RESET gpufim.strategy;

-- one episode: its support is the one that mining finds, and its occurrences are as many
SELECT count(*), count(*) FILTER (WHERE f.support <> count_episode('stream', 'e', 't', f.events, f.gaps, 'p')) AS different,
	   count(*) FILTER (WHERE f.support <> (SELECT count(*) FROM episode_occurrences('stream', 'e', 't', f.events, f.gaps, 'p'))) AS others
FROM frequent_episodes('stream', 'e', 't', 4, '{"(0,1]","(1,2.5)"}', partition_column => 'p') AS f;
SELECT * FROM episode_occurrences('stream', 'e', 't', '{a,b,b}', '{"(0,1]","(0,2.5)"}', 'p') ORDER BY partition, times[1]::numeric;
-- by the one way that there is, under all of the family's strategies and under no others
DO $$
DECLARE
	wanted text;
	counted bigint;
	listed bigint;
	used text[];
BEGIN
	FOREACH wanted IN ARRAY '{auto,propagate,state_machine,occurrence,two_pass}'::text[] LOOP
		PERFORM set_config('gpufim.strategy', wanted, true);
		counted := count_episode('stream', 'e', 't', '{a,b}', '{"(0,1]"}', 'p');
		used[1] := strategy FROM gpufim_last_run();
		listed := count(*) FROM episode_occurrences('stream', 'e', 't', '{a,b}', '{"(0,1]"}', 'p');
		used[2] := strategy FROM gpufim_last_run();
		IF (counted, listed) <> (8, 8) OR used <> '{propagate,propagate}' THEN
			RAISE EXCEPTION 'strategy "%": % counted, % listed, by %', wanted, counted, listed, used;
		END IF;
	END LOOP;
END
$$;
SET gpufim.strategy = 'bitmap';
SET gpufim.engine = 'cpu';
SELECT count_episode('stream', 'e', 't', '{a,b}', '{"(0,1]"}', 'p');
SELECT * FROM episode_occurrences('stream', 'e', 't', '{a,b}', '{"(0,1]"}', 'p');
RESET gpufim.engine;
RESET gpufim.strategy;
-- in the order of partitions, which is that of their type, and of times
SELECT * FROM episode_occurrences('(VALUES (''a'', 1, 10), (''b'', 2, 10), (''a'', 7, 9), (''b'', 9, 9), (''a'', 3, 9), (''b'', 4, 9), (''c'', 1, 3))', 'column1', 'column2', '{a,b}', '{"(0,5]"}', 'column3');
SELECT * FROM episode_occurrences('(VALUES (''a'', 1, ''10''), (''b'', 2, ''10''), (''a'', 7, ''9''), (''b'', 9, ''9''), (''a'', 3, ''9''), (''b'', 4, ''9''))', 'column1', 'column2', '{a,b}', '{"(0,5]"}', 'column3');
SELECT count_episode('stream', 'e', 't', '{a}', '{}', 'p') AS single, (SELECT count(DISTINCT (t, p)) FROM stream WHERE e = 'a' AND num_nulls(t, p) = 0) AS counted;
SELECT count_episode('stream', 'e', 't', '{a,b}', '{"(0,)"}') AS unbounded, count_episode('stream', 'e', 't', '{a,b}', '{"(1000,)"}') AS never;
SET client_min_messages = notice;
SELECT count_episode('stream', 'e', 't', '{a,x,b,y}', '{"(0,1]","(0,1]","(0,1]"}');
SELECT * FROM episode_occurrences('stream', 'e', 't', '{x}', '{}');
-- nothing there, or nothing frequent
SELECT * FROM frequent_episodes('(SELECT * FROM stream WHERE false)', 'e', 't', 1, '{"(0,1]"}');
SELECT * FROM frequent_episodes('(SELECT * FROM stream WHERE false)', 'e', 't', 0.5, '{"(0,1]"}');
SELECT * FROM episode_counts('stream', 'e', 't', 1000, '{"(0,1]"}', including => '{z}', excluding => '{a,q,r}');
SELECT count_episode('(SELECT * FROM stream WHERE false)', 'e', 't', '{a}', '{}');
SELECT * FROM frequent_episodes('stream', 'e', 't', 20, '{"(0,1]"}', including => '{a}', excluding => '{a}');
SELECT count(*) FROM frequent_episodes('stream', 'e', 't', 20, '{"(0,1]"}', including_any => '{x,a,y}');
SELECT count(*) FROM frequent_episodes('stream', 'e', 't', 20, '{"(0,1]"}', including_any => '{a,NULL}');

-- no event follows another one within a gap, most likely because of the gaps' unit
SELECT count(*) FROM frequent_episodes('(VALUES (''a'', timestamp ''2020-01-01''), (''b'', ''2020-01-02''))', 'column1', 'column2', 1, '{"(0,5]","[7,10]"}');
SELECT * FROM episode_counts('(VALUES (''a'', date ''2020-01-01''), (''b'', ''2020-02-02''))', 'column1', 'column2', 1, '{"(0,5]"}');
SELECT count(*) FROM frequent_episodes('(VALUES (''a'', 1.5), (''b'', 10), (''b'', 1.25))', 'column1', 'column2', 1, '{"(0,0.2]","(0.25,8.5)"}', kind => 'maximal');
SELECT count(*) FROM frequent_episodes('(VALUES (''a'', 1.5::float8), (''b'', 10), (''b'', 1.25))', 'column1', 'column2', 1, '{"(0.25,8.5)"}');
SELECT count(*) FROM frequent_episodes('(VALUES (''a'', 1, 1), (''b'', 2, 2))', 'column1', 'column2', 1, '{"(0,5]"}', partition_column => 'column3');
PREPARE untyped AS SELECT count(*) FROM frequent_episodes($1, $2, $3, $4, $5);
EXECUTE untyped ('(VALUES (1, 1), (1, 7))', 'column1', 'column2', '2', '{"(0,6)"}');
DEALLOCATE untyped;
-- one does, or a single event is wanted, or there is only one
SELECT count(*) FROM frequent_episodes('(VALUES (''a'', 1.5), (''b'', 10), (''b'', 1.25))', 'column1', 'column2', 1, '{"(0,0.2]","(0.25,8.5]"}');
SELECT count(*) FROM frequent_episodes('(VALUES (''a'', 1, 1), (''b'', 9, 1), (''a'', 1, 2), (''b'', 6, 2))', 'column1', 'column2', 1, '{"(0,5]"}', partition_column => 'column3');
SELECT count(*) FROM frequent_episodes('(VALUES (''a'', 1), (''b'', 10))', 'column1', 'column2', 1, '{"(0,5]"}', max_length => 1);
SELECT count(*) FROM frequent_episodes('(VALUES (''a'', 1))', 'column1', 'column2', 1, '{"(0,5]"}');
-- a gap that is given twice is one
SELECT * FROM frequent_episodes('example', 'kind', 'at', 1, '{"(0,5]","(0,5]","(0,5.0]"}', min_length => 2, max_length => 2) ORDER BY events;
-- ones that mean the same to times that are whole are two
SELECT * FROM frequent_episodes('(SELECT kind, at::int FROM example)', 'kind', 'at', 1, '{"(0,5]","[1,6)"}', min_length => 2, max_length => 2) ORDER BY events, gaps;

-- neither when time begins nor the order of rows matters
SELECT count(DISTINCT result) FROM (
	SELECT (SELECT md5(string_agg(f::text, ' ' ORDER BY events, gaps)) FROM frequent_episodes(format('(SELECT e, t + %s AS t, p FROM stream ORDER BY %s)', shift, place), 'e', 't', 3, '{"(0,1]","(1,2.5)"}', partition_column => 'p') AS f)
	FROM unnest('{0,-1000000,0.000001,1e12}'::numeric[]) AS shift, unnest('{"p, t","t","md5(t::text || e || p)","t DESC"}'::text[]) AS place) AS all_of_them(result);

-- what a call did
SELECT count(*) FROM frequent_episodes('stream', 'e', 't', 15, '{"(0,1]"}', partition_column => 'p', max_length => 2);
SELECT function, rows_read, transactions, distinct_items, frequent_items, minsup, strategy, itemsets, itemsets_by_length, details FROM gpufim_last_run();
DROP FUNCTION differences;
