-- Functions of all families that return results have a scan of their own in FROM, and a FunctionScan where it has not learned what is asked for
SET gpufim.workers = 0;
CREATE TABLE scanned AS SELECT (n * 7919) % 60 AS k, (n * n) % 101 AS v FROM generate_series(1, 2000) AS n;
CREATE TABLE scanned_arrays AS SELECT k, array_agg(v) AS vs, array_agg('item ' || repeat('x', v * 3) || v) AS texts, (1 + k % 4) / 4.0 AS p
	FROM generate_series(1, 60) AS k, generate_series(1, 40) AS v WHERE (k * k * 31 + v * v * 17 + k * v * 7919) % 101 < 40 GROUP BY k;
CREATE TABLE scanned_events AS SELECT n AS at, (n * n * 31 + n) % 13 AS kind, n % 3 AS part, 'kind ' || (n * n * 31 + n) % 13 AS name FROM generate_series(1, 400) AS n;
-- itemsets of over 64 items
CREATE TABLE scanned_long AS SELECT n, array_agg(i) AS items FROM generate_series(1, 200) AS i, generate_series(1, 20) AS n WHERE i <= 60 OR i % 20 <> n GROUP BY n;
CREATE FUNCTION pg_temp.scan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Scan.*(Gpufim|join_project|frequent_pairs|similar_sets|boolean_matrix_product|rules|itemsets?|episodes?|[a-z]_counts|significance|distribution)' THEN RETURN btrim(line, ' ->'); END IF;
	END LOOP;
END
$$;
EXPLAIN (VERBOSE, COSTS OFF) SELECT count(*) FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v');
EXPLAIN (VERBOSE, COSTS OFF) SELECT j.right_value, witnesses + 1 FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v', 1, NULL::int, NULL::int) AS j WHERE left_value < 5;
EXPLAIN (COSTS OFF) SELECT count(*) FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') AS a CROSS JOIN join_project('scanned', 'v', 'k', 'scanned', 'v', 'k') AS b CROSS JOIN (SELECT * FROM similar_sets('scanned', 'k', 'v', 0.5) AS a OFFSET 0) AS c;
EXPLAIN (VERBOSE, COSTS OFF) SELECT count(*) FROM frequent_itemsets('scanned', 'k', 'v', 0.1);
EXPLAIN (VERBOSE, COSTS OFF) SELECT j.support + 1 FROM frequent_itemsets('scanned_arrays', 'vs', 0.1, NULL::int[]) AS j WHERE items[1] < 5;
SELECT query, pg_temp.scan(query) FROM unnest(ARRAY[
	$$SELECT * FROM frequent_itemsets('scanned', 'k', 'v', 0.1)$$, $$SELECT * FROM frequent_itemsets('scanned', 'k', 'v', 0.1, NULL::int[])$$, $$SELECT support FROM frequent_itemsets('scanned_arrays', 'vs', 0.1)$$,
	$$SELECT FROM frequent_itemsets('scanned_arrays'::text, 'vs'::text, '0.1'::text, 'all'::text)$$, $$SELECT * FROM probable_itemsets('scanned_arrays', 'vs', 'p', 5)$$, $$SELECT * FROM probable_itemsets('scanned_arrays', 'vs', 'p', 5, 0.5, NULL::int[])$$,
	$$SELECT * FROM probable_itemsets('scanned', 'k', 'v', 'v', 5)$$, $$SELECT * FROM probable_itemsets('scanned', 'k', 'v', 'v', 5, NULL)$$, $$SELECT * FROM probable_itemsets('scanned', 'k', 'v', 'v', 5, 1)$$, $$SELECT * FROM probable_itemsets('scanned'::text, 'k'::text, 'v'::text, 'v'::text, '5'::text)$$,
	$$SELECT * FROM frequent_episodes('scanned_events', 'kind', 'at', 5, '{"(0,2]"}')$$, $$SELECT * FROM frequent_episodes('scanned_events', 'kind', 'at', 5, '{"(0,2]"}', NULL::int[])$$, $$SELECT * FROM frequent_episodes('scanned_events'::text, 'kind'::text, 'at'::text, '5'::text, '{"(0,2]"}'::text)$$,
	$$SELECT i FROM frequent_itemsets('scanned', 'k', 'v', 0.1) AS i$$, $$SELECT * FROM frequent_episodes('scanned_events', 'kind', 'at', 5, '{"(0,2]"}') WITH ORDINALITY$$, $$SELECT * FROM itemset_counts('scanned', 'k', 'v', 0.1)$$,
	$$SELECT * FROM episode_significance('scanned_events', 'kind', 'at', 5, '{"(0,2]"}', dither => 1)$$, $$SELECT * FROM episode_occurrences('scanned_events', 'kind', 'at', '{1,2}', '{"(0,2]"}')$$, $$SELECT * FROM probable_itemset_distribution('scanned_arrays', 'vs', 'p', '{1}')$$,
	$$SELECT * FROM association_rules('scanned', 'k', 'v', 0.1)$$, $$SELECT lift FROM association_rules('scanned_arrays', 'vs', 0.1, NULL::int[])$$, $$SELECT * FROM association_rules('scanned_arrays'::text, 'vs'::text, '0.1'::text, '0.5'::text)$$,
	$$SELECT * FROM frequent_pairs('scanned', 'k', 'v', 0.1)$$, $$SELECT * FROM frequent_pairs('(SELECT array_agg(v) AS vs FROM scanned GROUP BY k)', 'vs', 0.1, NULL::int)$$,
	$$SELECT tid1 FROM similar_sets('scanned', 'k', 'v', 0.5)$$, $$SELECT "row" FROM boolean_matrix_product('scanned', 'k', 'v', 'scanned', 'v', 'k')$$,
	$$SELECT 1 FROM generate_series(1, 2) AS m, join_project('scanned', 'k', 'v', 'scanned', 'k', 'v', m)$$,
	$$INSERT INTO scanned SELECT left_value::int, right_value::int FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v')$$,
	$$SELECT j FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') AS j$$,
	$$SELECT 1 FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') AS j WHERE j IS NULL$$,
	$$SELECT * FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') WITH ORDINALITY$$,
	$$SELECT * FROM ROWS FROM (join_project('scanned', 'k', 'v', 'scanned', 'k', 'v'), generate_series(1, 2))$$,
	$$SELECT 1 FROM scanned AS m, join_project((SELECT 'scanned' FROM scanned s WHERE s.k = m.k LIMIT 1), 'k', 'v', 'scanned', 'k', 'v')$$, $$SELECT 1 FROM join_project((SELECT 'scanned'), 'k', 'v', 'scanned', 'k', 'v')$$,
	$$UPDATE scanned SET k = 0 FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') WHERE left_value = v::text$$,
	$$DELETE FROM scanned USING join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') WHERE left_value = v::text$$,
	$$SELECT 1 FROM scanned, join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') WHERE left_value = v::text FOR UPDATE OF scanned$$]) AS query;

-- both have the same rows, from memory and from files, and so have queries that refer to a part of the columns, or to none
CREATE FUNCTION pg_temp.rows(call text, memory text, OUT n bigint, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE counted bigint;
	columns text;
	names text;
	part boolean;
BEGIN
	PERFORM set_config('work_mem', memory, true), set_config('client_min_messages', 'warning', true);
	EXECUTE format('CREATE TEMP TABLE by_scan AS SELECT * FROM %s', call);
	EXECUTE format('CREATE TEMP TABLE by_function_scan AS SELECT (j).* FROM (SELECT j FROM %s AS j) AS s', call);
	SELECT count(*) FROM by_scan INTO n;
	SELECT left('a, b, c, d', 3 * max(attnum) - 2) FROM pg_attribute WHERE attrelid = 'by_scan'::regclass INTO names;
	EXECUTE format('SELECT count(*) FROM %s', call) INTO counted;
	same := n = (SELECT count(*) FROM by_function_scan) AND NOT EXISTS (TABLE by_scan EXCEPT ALL TABLE by_function_scan) AND n = counted;
	FOREACH columns IN ARRAY '{a,b,"a, b",c,d,"a, d"}'::text[] LOOP
		CONTINUE WHEN right(columns, 1) > right(names, 1);
		EXECUTE format('SELECT NOT EXISTS (SELECT %1$s FROM by_scan AS j (%3$s) EXCEPT ALL SELECT %1$s FROM %2$s AS j (%3$s))', columns, call, names) INTO part;
		same := same AND part;
	END LOOP;
	DROP TABLE by_scan, by_function_scan;
END
$$;
CREATE TABLE scanned_names AS SELECT v, repeat('key ', k * 10) AS k, md5(v::text)::uuid AS id, ('name ' || v)::name AS name, CASE WHEN v % 2 = 0 THEN 'short ' ELSE repeat('long ', 100) END || v AS text FROM scanned;
SELECT r.*, call FROM unnest('{4MB,64kB}'::text[]) AS memory, unnest(ARRAY[
	$$frequent_itemsets('scanned_arrays', 'vs', 5)$$, $$frequent_itemsets('scanned_arrays', 'vs', 4, NULL::int[], 'closed', 2, 3)$$, $$frequent_itemsets('scanned_arrays', 'texts', 5, 'maximal')$$, $$frequent_itemsets('(SELECT k, unnest(vs) AS v, p FROM scanned_arrays)', 'k', 'v', 3, including => '{5,36}')$$,
	$$frequent_itemsets('(SELECT k, unnest(vs) AS v, p FROM scanned_arrays)', 'k', 'v', 6, NULL::int[])$$, $$frequent_itemsets('scanned_arrays'::text, 'vs'::text, '6'::text, 'all'::text)$$, $$frequent_itemsets('scanned_arrays', 'vs', 1000)$$, $$frequent_itemsets('scanned_arrays', 'vs', 5, including => '{999}')$$,
	$$frequent_itemsets('scanned_long', 'items', 17, 'closed')$$, $$frequent_itemsets('scanned_long', 'items', 17, NULL::int[], 'closed', including => ARRAY(SELECT i::text FROM generate_series(1, 200) AS i WHERE i <= 60 OR i % 20 = 1))$$,
	$$association_rules('scanned_arrays', 'vs', 8, 0.3)$$, $$association_rules('scanned_arrays', 'vs', 8, NULL::int[], 0.1, max_consequent => NULL, adjust => 'bh')$$, $$association_rules('scanned_arrays', 'texts', 8, 0.1, kind => 'minimal', adjust => 'none')$$, $$association_rules('(SELECT k, unnest(vs) AS v, p FROM scanned_arrays)', 'k', 'v', 8, 0.2, adjust => 'bonferroni')$$,
	$$probable_itemsets('scanned_arrays', 'vs', 'p', 4)$$, $$probable_itemsets('scanned_arrays', 'texts', 'p', 3, including => ARRAY['item ' || repeat('x', 15) || '5'])$$, $$probable_itemsets('scanned_arrays', 'vs', 'p', 5, NULL::float8, NULL::int[], kind => 'closed')$$, $$probable_itemsets('scanned_arrays', 'vs', 'p', 1000)$$,
	$$probable_itemsets('(SELECT k, unnest(vs) AS v, p FROM scanned_arrays)', 'k', 'v', 'p', 5, NULL)$$, $$probable_itemsets('(SELECT k, unnest(vs) AS v, p FROM scanned_arrays)', 'k', 'v', 'p', 5, 1)$$, $$probable_itemsets('scanned_arrays'::text, 'vs'::text, 'p'::text, '5'::text)$$,
	$$frequent_episodes('scanned_events', 'kind', 'at', 16, '{"(0,2]","(2,9]"}', max_length => 4)$$, $$frequent_episodes('scanned_events', 'kind', 'at', 8, '{"(0,5]"}', NULL::int[], kind => 'closed', max_length => 4, partition_column => 'part')$$, $$frequent_episodes('scanned_events', 'name', 'at', 4, '{"(0,5]"}', including => '{kind 0}', kind => 'closed', max_length => 3)$$,
	$$frequent_episodes('scanned_events'::text, 'kind'::text, 'at'::text, '30'::text, '{"(0,2]"}'::text)$$, $$frequent_episodes('scanned_events', 'kind', 'at', 1000, '{"(0,2]"}')$$,
	$$join_project('scanned', 'k', 'v', 'scanned', 'k', 'v')$$, $$join_project('scanned', 'k', 'v', 'scanned', 'k', 'v', 2, NULL::int, NULL::int)$$,
	$$join_project('scanned', 'k', 'v', 'scanned', 'k', 'v', witnesses => false)$$, $$join_project('scanned', 'k', 'v', 'scanned', 'v', 'k', NULL::int, NULL::int)$$,
	$$join_project('scanned_names', 'k', 'id', 'scanned_names', 'k', 'name', 1, NULL::uuid, NULL::name)$$, $$join_project('scanned_names', 'k', 'text', 'scanned_names', 'k', 'v')$$,
	$$join_project('scanned', 'k', 'v', '(SELECT 1 AS k, 2 AS v WHERE false)', 'k', 'v')$$,
	$$frequent_pairs('scanned', 'k', 'v', 2)$$, $$frequent_pairs('scanned_names', 'k', 'text', 1)$$, $$boolean_matrix_product('scanned', 'k', 'v', 'scanned', 'v', 'k')$$, $$boolean_matrix_product('scanned', 'k', 'v', 'scanned', 'k', 'v')$$,
	$$similar_sets('scanned', 'k', 'v', 0.1)$$, $$similar_sets('scanned', 'k', 'v', 0.1, 'containment')$$, $$similar_sets('(SELECT array_agg(v) AS vs FROM scanned GROUP BY k)', 'vs', 0.1)$$]) AS call,
	LATERAL pg_temp.rows(call, memory) AS r;

-- the function is called once, when the first row is wanted, and again when its arguments have changed
CREATE SEQUENCE calls;
PREPARE pairs (bigint) AS SELECT count(*), min(witnesses) FROM join_project('(SELECT k, v FROM scanned, (SELECT nextval(''calls'')) AS s)', 'k', 'v', 'scanned', 'k', 'v', $1);
SET plan_cache_mode = force_generic_plan;
EXECUTE pairs(1);
EXECUTE pairs(4);
SELECT last_value FROM calls;
SELECT v, (SELECT count(*) FROM join_project('(SELECT k, v FROM scanned, (SELECT nextval(''calls'')) AS s)', 'k', 'v', 'scanned', 'k', 'v', 4) WHERE left_value = m.v::text) AS n FROM (SELECT DISTINCT v FROM scanned ORDER BY v LIMIT 5) AS m;
SELECT last_value FROM calls;
SELECT m, count(*), min(witnesses) FROM unnest('{3,3,5,1,NULL}'::bigint[]) WITH ORDINALITY AS u(m, i), LATERAL join_project('(SELECT k, v FROM scanned, (SELECT nextval(''calls'')) AS s)', 'k', 'v', 'scanned', 'k', 'v', coalesce(m, 2)) GROUP BY m, i ORDER BY i;
SELECT last_value FROM calls;
SELECT 1 AS one FROM generate_series(1, 2) AS g LEFT JOIN join_project('(SELECT k, v FROM scanned, (SELECT nextval(''calls'')) AS s)', 'k', 'v', 'scanned', 'k', 'v') ON g > 5;
SELECT last_value BETWEEN 8 AND 9 AS at_most_once FROM calls;
RESET plan_cache_mode;

-- nor more often where no column is referred to; conditions and other rows' columns are none of its own
ALTER SEQUENCE calls RESTART;
PREPARE counted (bigint) AS SELECT count(*) FROM join_project('(SELECT k, v FROM scanned, (SELECT nextval(''calls'')) AS s)', 'k', 'v', 'scanned', 'k', 'v', $1);
EXECUTE counted(1);
EXECUTE counted(4);
SELECT last_value FROM calls;
SELECT count(*), sum(g) FROM generate_series(1, 3) AS g, join_project('(SELECT k, v FROM scanned, (SELECT nextval(''calls'')) AS s)', 'k', 'v', 'scanned', 'k', 'v') WHERE random() >= 0;
SELECT last_value FROM calls;
SELECT m, count(*), count(pairs) FROM unnest('{3,3,5,1,100,NULL}'::bigint[]) WITH ORDINALITY AS u(m, i)
	LEFT JOIN LATERAL (SELECT 1 AS pairs FROM join_project('(SELECT k, v FROM scanned, (SELECT nextval(''calls'')) AS s)', 'k', 'v', 'scanned', 'k', 'v', coalesce(m, 2))) AS j ON true GROUP BY m, i ORDER BY i;
SELECT last_value FROM calls;
SELECT count(*) FROM (SELECT FROM similar_sets('scanned', 'k', 'v', 0.1) LIMIT 5) AS s;
SELECT EXISTS (SELECT FROM frequent_pairs('scanned', 'k', 'v', 0.1)), EXISTS (SELECT FROM frequent_pairs('scanned', 'k', 'v', 1000));
SELECT count(witnesses), count(*) FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v', witnesses => false);

-- cursors go either way, begin anew, outlive their transaction and need not come to an end
BEGIN;
DECLARE both_ways SCROLL CURSOR FOR SELECT left_value, right_value, witnesses FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v', 1, NULL::int, NULL::int);
CREATE TEMP TABLE fetched (i int GENERATED ALWAYS AS IDENTITY, j text);
DO $$
DECLARE c refcursor := 'both_ways'; r record;
BEGIN
	FOR i IN 1 .. 40 LOOP FETCH c INTO r; INSERT INTO fetched (j) VALUES (r::text); END LOOP;
	FOR i IN 1 .. 39 LOOP FETCH BACKWARD FROM c INTO r; INSERT INTO fetched (j) VALUES (r::text); END LOOP;
END
$$;
SELECT count(DISTINCT a.j), count(*), bool_and(a.j = b.j) FROM fetched AS a JOIN fetched AS b ON a.i + b.i = 80;
DECLARE forward CURSOR WITH HOLD FOR SELECT * FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v');
MOVE 100 IN forward;
DECLARE unfinished CURSOR FOR SELECT * FROM similar_sets('scanned', 'k', 'v', 0.1);
MOVE 1 IN unfinished;
COMMIT;
MOVE 100 IN forward;
MOVE ALL IN forward;
CLOSE forward;
SELECT count(*) FROM (SELECT * FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') LIMIT 5) AS s;

-- a cursor need not be declared with SCROLL to go anywhere, from memory and from files; what it fetches is compared with what it fetched on its first way
CREATE TABLE walked AS SELECT (n * 7919) % 60 AS k, (n * n) % 401 AS v FROM generate_series(1, 4000) AS n;
CREATE FUNCTION pg_temp.walk(call text, columns text, memory text, OUT n int, OUT wrong int) LANGUAGE plpgsql AS $$
DECLARE c refcursor; r record; fetched text[]; got text; place int; step int;
BEGIN
	PERFORM set_config('work_mem', memory, true), set_config('client_min_messages', 'warning', true);
	OPEN c FOR EXECUTE format('SELECT %s FROM %s', columns, call);
	LOOP
		FETCH c INTO r;
		EXIT WHEN NOT FOUND;
		fetched := fetched || r::text;
	END LOOP;
	n := coalesce(cardinality(fetched), 0);
	wrong := 0;
	place := n + 1;
	FOR i IN 1 .. 200 LOOP
		step := CASE WHEN i % 7 = 0 THEN n + 5 WHEN i % 11 = 0 THEN -n ELSE (random() * 200)::int - 100 END;
		CASE i % 5
			WHEN 0 THEN FETCH RELATIVE step FROM c INTO r; place := place + step;
			WHEN 1 THEN FETCH PRIOR FROM c INTO r; place := place - 1;
			WHEN 2 THEN FETCH NEXT FROM c INTO r; place := place + 1;
			WHEN 3 THEN FETCH ABSOLUTE step FROM c INTO r; place := CASE WHEN step < 0 THEN n + 1 + step ELSE step END;
			WHEN 4 THEN FETCH BACKWARD FROM c INTO r; place := place - 1;
		END CASE;
		got := CASE WHEN FOUND THEN r::text END;
		place := least(greatest(place, 0), n + 1);
		IF got IS DISTINCT FROM fetched[nullif(place, n + 1)] THEN wrong := wrong + 1; END IF;
	END LOOP;
	CLOSE c;
END
$$;
SELECT memory, columns, w.*, call FROM unnest('{4MB,64kB}'::text[]) AS memory, unnest('{*,1}'::text[]) AS columns, unnest(ARRAY[
	$$frequent_itemsets('scanned_arrays', 'texts', 6)$$, $$frequent_itemsets('scanned_long', 'items', 17, 'closed')$$, $$probable_itemsets('scanned_arrays', 'vs', 'p', 4)$$,
	$$frequent_episodes('scanned_events', 'kind', 'at', 16, '{"(0,2]","(2,9]"}', NULL::int[], max_length => 4)$$, $$frequent_itemsets('scanned_arrays', 'vs', 1000)$$, $$frequent_itemsets('scanned_arrays', 'vs', 5, including => '{999}')$$,
	$$join_project('walked', 'k', 'v', 'walked', 'k', 'v', 1, NULL::int, NULL::int)$$, $$join_project('walked', 'k', 'v', 'scanned', 'k', 'v')$$,
	$$similar_sets('walked', 'k', 'v', 0.01, 'containment')$$, $$frequent_pairs('walked', 'k', 'v', 1)$$, $$boolean_matrix_product('walked', 'k', 'v', 'walked', 'v', 'k')$$,
	$$join_project('(SELECT 1 AS k, 2 AS v)', 'k', 'v', '(SELECT 1 AS k, 3 AS v)', 'k', 'v')$$, $$frequent_pairs('walked', 'k', 'v', 1000)$$]) AS call,
	LATERAL pg_temp.walk(call, columns, memory) AS w;
BEGIN;
DECLARE unscrolled CURSOR FOR SELECT left_value FROM join_project('walked', 'k', 'v', 'walked', 'k', 'v', 1, NULL::int, NULL::int) WHERE left_value = 2 AND right_value = 10;
MOVE ALL unscrolled;
FETCH PRIOR unscrolled;
MOVE BACKWARD ALL unscrolled;
FETCH 1 unscrolled;
ROLLBACK;

-- calls in calls, in the same query, and after one that failed
SELECT count(*) FROM join_project('(SELECT left_value, right_value FROM join_project(''scanned'', ''k'', ''v'', ''scanned'', ''k'', ''v'', 5))', 'left_value', 'right_value', '(SELECT v::text AS v, k FROM scanned)', 'v', 'k');
SELECT count(*) FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') AS a JOIN join_project('scanned', 'v', 'k', 'scanned', 'v', 'k') AS b ON a.left_value = b.right_value;
DO $$
BEGIN
	PERFORM 1 / (witnesses - 2) FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v');
EXCEPTION WHEN division_by_zero THEN
	RAISE NOTICE 'then % rows', (SELECT count(*) FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v'));
END
$$;

-- what is counted is neither listed nor limited, and shown as ever
CREATE FUNCTION pg_temp.counted(call text, OUT listed text, OUT same boolean, OUT spilled bigint) LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
	EXECUTE format('SELECT count(j) FROM %s AS j', call) INTO n;
	SELECT format('%s %s', itemsets, itemsets_by_length) FROM gpufim_last_run() INTO listed;
	PERFORM set_config('gpufim.max_results', '1', true);
	EXECUTE format('SELECT count(*) FROM %s AS j', call) INTO n;
	PERFORM set_config('gpufim.max_results', '0', true);
	SELECT format('%s %s', itemsets, itemsets_by_length) = listed AND n = itemsets, spilled_bytes FROM gpufim_last_run() INTO same, spilled;
END
$$;
SELECT left(listed, 60) AS listed, same, spilled, call FROM unnest(ARRAY[$$frequent_itemsets('scanned_arrays', 'vs', 5)$$, $$frequent_itemsets('scanned_arrays', 'vs', 4, 'closed', including => '{5}')$$, $$frequent_itemsets('scanned_long', 'items', 17, 'closed')$$, $$frequent_itemsets('scanned_arrays', 'vs', 5, including => '{999}')$$,
	$$probable_itemsets('scanned_arrays', 'vs', 'p', 4)$$, $$frequent_episodes('scanned_events', 'kind', 'at', 16, '{"(0,2]","(2,9]"}', max_length => 4)$$, $$frequent_pairs('scanned', 'k', 'v', 2)$$]) AS call, LATERAL pg_temp.counted(call) AS c;
SET gpufim.max_results = 1;
DO $$ BEGIN PERFORM support FROM frequent_itemsets('scanned_arrays', 'vs', 5) LIMIT 1; EXCEPTION WHEN configuration_limit_exceeded THEN RAISE NOTICE '%', SQLERRM; END $$;
SELECT count(1) FROM frequent_episodes('scanned_events', 'kind', 'at', 30, '{"(0,2]"}', max_length => 2);
RESET gpufim.max_results;
SELECT EXISTS (SELECT FROM probable_itemsets('scanned_arrays', 'vs', 'p', 4));
SELECT count(*) FROM frequent_itemsets('(SELECT array_agg(n) AS items FROM generate_series(1, 15) AS n)', 'items', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT array_agg(n) AS items FROM generate_series(1, 64) AS n)', 'items', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT array_agg(n) AS items FROM generate_series(1, 80) AS n)', 'items', 1);
-- EXPLAIN shows what the calls have done
CREATE FUNCTION pg_temp.explained(query text, options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (ANALYZE, COSTS OFF, SUMMARY OFF%s) %s', options, query) LOOP
		line := btrim(line);
		IF line ~ '^(Calls|Engine|Strategy|Workers|[A-Z][a-z]+ Time|Function Name|.*never executed)' THEN RETURN NEXT regexp_replace(line, '[0-9]+\.[0-9]+ ms', 'N ms'); END IF;
	END LOOP;
END
$$;
SET gpufim.engine = cpu;
SET gpufim.strategy = projected;
SELECT * FROM pg_temp.explained($$SELECT items FROM frequent_itemsets('scanned_arrays', 'vs', 5)$$, '');
SELECT * FROM pg_temp.explained($$SELECT count(*) FROM frequent_itemsets('scanned_arrays', 'vs', 5)$$, ', TIMING OFF');
RESET gpufim.strategy;
SELECT * FROM pg_temp.explained($$SELECT 1 FROM unnest('{4,4,5}'::float8[]) AS minsup, probable_itemsets('scanned_arrays', 'vs', 'p', minsup) WHERE occurrences > 0$$, ', TIMING OFF');
RESET gpufim.engine;
SELECT * FROM pg_temp.explained($$SELECT 1 FROM frequent_itemsets('scanned_arrays', 'vs', 5, including => '{999}') CROSS JOIN frequent_episodes('scanned_events', 'kind', 'at', 30, '{"(0,2]"}')$$, ', TIMING OFF');
-- a function that is dropped while it runs, here by its own source
CREATE FUNCTION passing(source text, items_column name, minsup float8, kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, including_any text[] DEFAULT NULL, part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items text[], support bigint, frequency float8)
AS '$libdir/gpufim', 'gpufim_frequent_itemsets_array' LANGUAGE C SUPPORT gpufim_itemsets_rows;
CREATE FUNCTION drop_passing() RETURNS boolean LANGUAGE plpgsql AS $$BEGIN DROP FUNCTION IF EXISTS passing; RETURN true; END$$;
CREATE FUNCTION pg_temp.explained_without(options text, OUT called text, OUT named text, OUT calls text) LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT support FROM passing(''(SELECT vs FROM scanned_arrays WHERE drop_passing())'', ''vs'', 9)';
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON%s) %s', options, query) INTO plan;
	called := plan -> 0 -> 'Plan' ->> 'Custom Plan Provider';
	named := plan -> 0 -> 'Plan' ->> 'Function Name';
	calls := plan -> 0 -> 'Plan' ->> 'Calls';
END
$$;
SET client_min_messages = warning;
BEGIN;
SELECT * FROM pg_temp.explained_without('');
ROLLBACK;
BEGIN;
SELECT * FROM pg_temp.explained_without(', VERBOSE');
ROLLBACK;
RESET client_min_messages;
DROP FUNCTION passing, drop_passing;
-- calls of other families in a call, with arguments of a row, in a row of functions, in the select list, and after errors in the middle
SELECT count(*), min(a.support), max(b.support) FROM frequent_itemsets('(SELECT items FROM frequent_itemsets(''scanned_arrays'', ''vs'', 7))', 'items', 100) AS a JOIN frequent_itemsets('scanned_arrays', 'vs', 9) AS b USING (items);
SELECT minsup, n, n = (SELECT count(*) FROM (SELECT frequent_itemsets('scanned_arrays', 'vs', minsup)) AS s) AS same FROM unnest('{5,9,9,NULL,12}'::float8[]) AS minsup, LATERAL (SELECT count(*) AS n, count(items) FROM frequent_itemsets('scanned_arrays', 'vs', coalesce(minsup, 11))) AS i WHERE minsup > 0;
SELECT count(*), count(a.items), count(b.events), max(ordinality) FROM ROWS FROM (frequent_itemsets('scanned_arrays', 'vs', 9), frequent_episodes('scanned_events', 'kind', 'at', 20, '{"(0,2]"}')) WITH ORDINALITY AS a (items, support, frequency, events) LEFT JOIN (SELECT events FROM frequent_episodes('scanned_events', 'kind', 'at', 20, '{"(0,2]"}')) AS b USING (events);
SELECT minsup, (SELECT count(DISTINCT items) || ' ' || max(items)::text FROM frequent_itemsets('scanned_arrays', 'vs', minsup, NULL::int[], min_length => 2) WHERE support >= 9) AS items FROM generate_series(10, 12) AS minsup;
SELECT * FROM frequent_itemsets('scanned_arrays', 'vs', NULL);
SELECT count(*) FROM frequent_itemsets('scanned_arrays', NULL, 5);
SELECT items[1] / (support - 5) FROM frequent_itemsets('scanned_arrays', 'vs', 5, NULL::int[]);
SELECT count(*), count(DISTINCT items) FROM (SELECT items FROM frequent_itemsets('scanned_arrays', 'vs', 5) LIMIT 100) AS s;
SELECT EXISTS (SELECT items FROM frequent_itemsets('scanned_arrays', 'vs', 5) WHERE support > 1000), EXISTS (SELECT items FROM frequent_itemsets('scanned_arrays', 'vs', 5) WHERE items = '{5}');
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT items, frequency FROM frequent_itemsets('scanned_arrays', 'vs', 11) ORDER BY support DESC, items;
DECLARE open SCROLL CURSOR FOR SELECT support FROM frequent_itemsets('scanned_arrays', 'vs', 5) WHERE items = '{5}';
FETCH 1 FROM held;
FETCH LAST FROM open;
FETCH FIRST FROM open;
SAVEPOINT a;
FETCH PRIOR FROM open;
DROP TABLE scanned_arrays;
FETCH NEXT FROM open;
ROLLBACK TO a;
FETCH ABSOLUTE 1 FROM open;
COMMIT;
FETCH 2 FROM held;
CLOSE ALL;
-- a plan is made anew when its function goes, and the library when the session is as new
PREPARE again AS SELECT count(*), count(items) FROM frequent_itemsets('scanned_arrays', 'vs', 11);
EXECUTE again;
BEGIN;
DROP EXTENSION gpufim CASCADE;
-- what PostgreSQL says beside it differs between versions
\set VERBOSITY terse
EXECUTE again;
\set VERBOSITY default
ROLLBACK;
EXECUTE again;
-- functions of others with the same support function are scanned as ever, whatever they return
CREATE FUNCTION rows_of_numbers(text, name, float8) RETURNS SETOF bigint LANGUAGE plpgsql SUPPORT gpufim_sets_rows AS 'BEGIN RETURN QUERY SELECT 7::bigint; END';
CREATE FUNCTION pairs_of_others(source text, tid_column name, item_column name, minsup float8) RETURNS TABLE (a text, b text, n bigint, f float8) LANGUAGE plpgsql SUPPORT gpufim_sets_rows AS 'BEGIN RETURN QUERY SELECT * FROM frequent_pairs($1, $2, $3, $4); END';
SELECT * FROM rows_of_numbers('scanned', 'k', 0.1);
SELECT count(*) FROM rows_of_numbers('scanned', 'k', 0.1);
SELECT min(n), count(*) FROM pairs_of_others('scanned', 'k', 'v', 0.1);
SELECT count(*) FROM pairs_of_others('scanned', 'k', 'v', 0.1);
EXPLAIN (COSTS OFF) SELECT n FROM pairs_of_others('scanned', 'k', 'v', 0.1);
DROP FUNCTION rows_of_numbers, pairs_of_others;
-- so are gpufim's own where the node would not obey what has been changed; plans are made anew then
PREPARE alike AS SELECT count(tid1) FROM similar_sets('scanned', 'k', 'v', 0.1, NULL);
EXPLAIN (COSTS OFF) EXECUTE alike;
BEGIN;
ALTER FUNCTION similar_sets(text, name, name, float8, text, int) STRICT;
EXPLAIN (COSTS OFF) EXECUTE alike;
EXECUTE alike;
ALTER FUNCTION similar_sets(text, name, name, float8, text, int) CALLED ON NULL INPUT SECURITY DEFINER;
EXPLAIN (COSTS OFF) EXECUTE alike;
ALTER FUNCTION similar_sets(text, name, name, float8, text, int) SECURITY INVOKER SET work_mem = '64kB';
EXPLAIN (COSTS OFF) EXECUTE alike;
ALTER FUNCTION similar_sets(text, name, name, float8, text, int) RESET ALL;
EXPLAIN (COSTS OFF) EXECUTE alike;
CREATE OR REPLACE FUNCTION similar_sets(source text, tid_column name, item_column name, threshold float8, measure text DEFAULT 'jaccard', k int DEFAULT NULL) RETURNS TABLE (tid1 text, tid2 text, overlap bigint, similarity float8) LANGUAGE sql VOLATILE AS 'VALUES (1, 2, 3, 4), (1, 2, 3, 4)';
EXPLAIN (COSTS OFF) EXECUTE alike;
EXECUTE alike;
ROLLBACK;
EXPLAIN (COSTS OFF) EXECUTE alike;
DEALLOCATE alike;
-- a parallel worker does not know the node
BEGIN;
ALTER FUNCTION similar_sets(text, name, name, float8, text, int) PARALLEL SAFE;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
ALTER TABLE walked SET (parallel_workers = 2);
SELECT count(*), count(DISTINCT tid1) FROM walked AS w JOIN similar_sets('scanned', 'k', 'v', 0.1) AS s ON tid1 = v::text;
ROLLBACK;
-- a condition of the user does not see what a security barrier hides
CREATE FUNCTION looked_at(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE NOTICE 'looked at %', $1; RETURN true; END $$;
CREATE VIEW barrier WITH (security_barrier) AS SELECT tid1 FROM similar_sets('scanned', 'k', 'v', 0.1) WHERE tid1 = '7' AND tid2 = '9';
SELECT * FROM barrier WHERE looked_at(tid1);
DROP VIEW barrier;
DROP FUNCTION looked_at;

-- privileges
CREATE ROLE regress_gpufim_scan;
CREATE FUNCTION scan_of_others(text, name, name, float8) RETURNS TABLE (tid1 text, tid2 text, overlap bigint, similarity float8) LANGUAGE sql SECURITY DEFINER AS $$ SELECT * FROM similar_sets($1, $2, $3, $4) $$;
BEGIN;
REVOKE EXECUTE ON FUNCTION frequent_pairs(text, name, name, float8) FROM PUBLIC;
GRANT SELECT ON scanned TO regress_gpufim_scan;
SET ROLE regress_gpufim_scan;
SELECT count(*) FROM similar_sets('scanned', 'k', 'v', 0.1);
SELECT count(*) FROM frequent_pairs('scanned', 'k', 'v', 0.1);
ROLLBACK;
SET ROLE regress_gpufim_scan;
SELECT count(*) FROM scan_of_others('scanned', 'k', 'v', 0.1);
SELECT count(*) FROM similar_sets('scanned', 'k', 'v', 0.1);
RESET ROLE;
DROP FUNCTION scan_of_others;
DROP ROLE regress_gpufim_scan;
DISCARD ALL;
SELECT count(*), count(items) FROM frequent_itemsets('scanned_arrays', 'vs', 11);
SET gpufim.workers = 0;
DROP TABLE scanned, scanned_names, scanned_arrays, scanned_events, scanned_long, walked;
DROP SEQUENCE calls;
