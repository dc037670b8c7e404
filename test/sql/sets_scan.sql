-- Products of sets in FROM have a scan of their own, and a FunctionScan where it has not learned what is asked for
CREATE TABLE scanned AS SELECT (n * 7919) % 60 AS k, (n * n) % 101 AS v FROM generate_series(1, 2000) AS n;
CREATE FUNCTION pg_temp.scan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Scan.*(Gpufim|join_project|frequent_pairs|similar_sets|boolean_matrix_product)' THEN RETURN btrim(line, ' ->'); END IF;
	END LOOP;
END
$$;
EXPLAIN (VERBOSE, COSTS OFF) SELECT count(*) FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v');
EXPLAIN (VERBOSE, COSTS OFF) SELECT j.right_value, witnesses + 1 FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v', 1, NULL::int, NULL::int) AS j WHERE left_value < 5;
EXPLAIN (COSTS OFF) SELECT count(*) FROM join_project('scanned', 'k', 'v', 'scanned', 'k', 'v') AS a CROSS JOIN join_project('scanned', 'v', 'k', 'scanned', 'v', 'k') AS b CROSS JOIN (SELECT * FROM similar_sets('scanned', 'k', 'v', 0.5) AS a OFFSET 0) AS c;
SELECT query, pg_temp.scan(query) FROM unnest(ARRAY[
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
	values_alone boolean;
BEGIN
	PERFORM set_config('work_mem', memory, true);
	EXECUTE format('CREATE TEMP TABLE by_scan AS SELECT * FROM %s', call);
	EXECUTE format('CREATE TEMP TABLE by_function_scan AS SELECT (j).* FROM (SELECT j FROM %s AS j) AS s', call);
	SELECT count(*) FROM by_scan INTO n;
	EXECUTE format('SELECT count(*) FROM %s', call) INTO counted;
	EXECUTE format('SELECT NOT EXISTS (SELECT a, b FROM %s AS j (a, b) EXCEPT ALL SELECT a, b FROM by_scan AS j (a, b))', call) INTO values_alone;
	same := n = (SELECT count(*) FROM by_function_scan) AND NOT EXISTS (TABLE by_scan EXCEPT TABLE by_function_scan) AND n = counted AND values_alone;
	DROP TABLE by_scan, by_function_scan;
END
$$;
CREATE TABLE scanned_names AS SELECT v, repeat('key ', k * 10) AS k, md5(v::text)::uuid AS id, ('name ' || v)::name AS name, CASE WHEN v % 2 = 0 THEN 'short ' ELSE repeat('long ', 100) END || v AS text FROM scanned;
SELECT r.*, call FROM unnest('{4MB,64kB}'::text[]) AS memory, unnest(ARRAY[
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
	FOR i IN 1 .. 600 LOOP
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
ALTER FUNCTION similar_sets(text, name, name, float8, text) STRICT;
EXPLAIN (COSTS OFF) EXECUTE alike;
EXECUTE alike;
ALTER FUNCTION similar_sets(text, name, name, float8, text) CALLED ON NULL INPUT SECURITY DEFINER;
EXPLAIN (COSTS OFF) EXECUTE alike;
ALTER FUNCTION similar_sets(text, name, name, float8, text) SECURITY INVOKER SET work_mem = '64kB';
EXPLAIN (COSTS OFF) EXECUTE alike;
ALTER FUNCTION similar_sets(text, name, name, float8, text) RESET ALL;
EXPLAIN (COSTS OFF) EXECUTE alike;
CREATE OR REPLACE FUNCTION similar_sets(source text, tid_column name, item_column name, threshold float8, measure text DEFAULT 'jaccard') RETURNS TABLE (tid1 text, tid2 text, overlap bigint, similarity float8) LANGUAGE sql VOLATILE AS 'VALUES (1, 2, 3, 4), (1, 2, 3, 4)';
EXPLAIN (COSTS OFF) EXECUTE alike;
EXECUTE alike;
ROLLBACK;
EXPLAIN (COSTS OFF) EXECUTE alike;
DEALLOCATE alike;
-- a parallel worker does not know the node
BEGIN;
ALTER FUNCTION similar_sets(text, name, name, float8, text) PARALLEL SAFE;
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
DROP TABLE scanned, scanned_names, walked;
DROP SEQUENCE calls;
