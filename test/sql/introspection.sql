-- gpufim_last_run, gpufim_devices, gpufim_progress
-- before the session's first call there is no run
\c
SELECT count(*) FROM gpufim_last_run();
SELECT count(*) FROM frequent_itemsets('numbers', 'items', 0.1);
SELECT function, rows_read, transactions, distinct_items, frequent_items, minsup,
	   engine = CASE current_setting('gpufim.engine') WHEN 'gpu' THEN 'gpu' ELSE 'cpu' END AS engine, completed, spilled_bytes, itemsets
FROM gpufim_last_run();
SELECT itemsets = (SELECT count(*) FROM brute.mine('SELECT id, item FROM number_items', 20)) AS all_of_them,
	   started BETWEEN now() - interval '10 minutes' AND clock_timestamp() AS recent,
	   total_ms >= read_ms + encode_ms + mine_ms - 1 AND least(read_ms, encode_ms, mine_ms, emit_ms) >= 0 AS times_add_up,
	   peak_memory_bytes > 0 AS memory, strategy <> '' AS strategy, device <> '' AS device, workers >= 0 AS workers
FROM gpufim_last_run();
SELECT l.length, l.itemsets = c.itemsets AS same
FROM gpufim_last_run() AS r, unnest(r.itemsets_by_length) WITH ORDINALITY AS l(itemsets, length)
	 FULL JOIN (SELECT cardinality(items) AS length, count(*) AS itemsets
				FROM brute.mine('SELECT id, item FROM number_items', 20) GROUP BY 1) AS c USING (length)
ORDER BY length;
-- pair form; a row of an unknown transaction is read but is no transaction
SELECT count(*) FROM frequent_itemsets('(SELECT id, item FROM number_items UNION ALL VALUES (NULL, 1), (1, NULL))', 'id', 'item', 100, kind => 'closed');
SELECT function, rows_read = (SELECT count(*) + 2 FROM number_items) AS rows_read,
	   transactions = (SELECT count(DISTINCT id) FROM number_items) AS transactions, distinct_items, frequent_items, minsup, completed
FROM gpufim_last_run();
SELECT sum(itemsets) FROM itemset_counts('baskets', 'items', 3);
SELECT function, rows_read, transactions, distinct_items, frequent_items, minsup, itemsets, completed FROM gpufim_last_run();
-- an error is a run that was not completed
SELECT * FROM frequent_itemsets('(SELECT ARRAY[1 / (5 - n)] AS items FROM generate_series(1, 10) AS n)', 'items', 1);
SELECT function, transactions, completed, itemsets FROM gpufim_last_run();
-- nested: the outer call ends last
SELECT count(*) FROM frequent_itemsets('(SELECT * FROM frequent_itemsets(''baskets'', ''items'', 3))', 'items', 4);
SELECT rows_read, minsup FROM gpufim_last_run();
SELECT sum(itemsets) FROM itemset_counts('(SELECT * FROM frequent_itemsets(''baskets'', ''items'', 3))', 'items', 4);
SELECT function, started BETWEEN now() - interval '10 minutes' AND clock_timestamp() AS started, rows_read, transactions, minsup, itemsets, completed FROM gpufim_last_run();
-- the CPU is always there and usable
SELECT kind, device, name <> '' AS name, cores > 0 AS cores, instruction_set IN ('avx512', 'avx2', 'portable') AS instruction_set, memory_bytes > 0 AS memory, usable, reason
FROM gpufim_devices() WHERE kind = 'cpu';
SELECT count(*) FROM gpufim_progress;
-- a call sees itself: its source reads the view while it runs
SELECT items FROM frequent_itemsets('(SELECT ARRAY[function, phase, (pid = pg_backend_pid())::text, (elapsed >= interval ''0'')::text] AS items FROM gpufim_progress)',
									'items', 1, kind => 'closed');
-- and nothing stays behind when it is over, by success or by error
SELECT count(*) FROM gpufim_progress;
SELECT * FROM frequent_itemsets('(SELECT ARRAY[1 / (5 - n)] AS items FROM generate_series(1, 10) AS n)', 'items', 1);
SELECT count(*) FROM gpufim_progress;
-- no arguments to get wrong, but a call of each that is wrong
-- what PostgreSQL adds to it differs between versions
\set VERBOSITY terse
SELECT * FROM gpufim_last_run(1);
SELECT * FROM gpufim_devices('gpu');
SELECT * FROM gpufim_progress(NULL);
\set VERBOSITY default
INSERT INTO gpufim_progress (pid) VALUES (1);
-- the figures of a call are for members of the role that called
CREATE ROLE regress_gpufim_owner;
CREATE ROLE regress_gpufim_member IN ROLE regress_gpufim_owner;
CREATE ROLE regress_gpufim_stats IN ROLE pg_read_all_stats;
CREATE ROLE regress_gpufim_other;
CREATE TABLE private AS SELECT ARRAY[1, n] AS items FROM generate_series(1, 7) AS n;
ALTER TABLE private OWNER TO regress_gpufim_owner;
CREATE FUNCTION mine_private(source text) RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$ SELECT count(*) FROM frequent_itemsets(source, 'items', 3) $$;
ALTER FUNCTION mine_private OWNER TO regress_gpufim_owner;
CREATE FUNCTION pg_temp.seen_by(role text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE seen text;
BEGIN
	PERFORM set_config('role', role, true);
	SELECT coalesce(string_agg(concat_ws(' ', function, rows_read, completed), ', '), 'nothing') FROM gpufim_last_run() INTO seen;
	RESET ROLE;
	RETURN seen;
END
$$;
CREATE FUNCTION pg_temp.seen() RETURNS TABLE (role text, seen text) LANGUAGE sql AS $$
	SELECT r, pg_temp.seen_by('regress_gpufim_' || r) FROM unnest('{owner,member,stats,other}'::text[]) AS r
$$;
SET ROLE regress_gpufim_owner;
SELECT count(*) FROM frequent_itemsets('private', 'items', 3);
SELECT rows_read FROM gpufim_last_run();
RESET ROLE;
SELECT * FROM pg_temp.seen();
SELECT rows_read FROM gpufim_last_run();
SET SESSION AUTHORIZATION regress_gpufim_other;
SELECT rows_read FROM gpufim_last_run();
SELECT mine_private('private');
SELECT rows_read FROM gpufim_last_run();
SELECT mine_private('(SELECT ARRAY[1 / 0] AS items FROM private)');
SELECT rows_read FROM gpufim_last_run();
SELECT items FROM frequent_itemsets('(SELECT ARRAY[mine_private(''private'')] AS items)', 'items', 1);
SELECT rows_read FROM gpufim_last_run();
RESET SESSION AUTHORIZATION;
SELECT * FROM pg_temp.seen();
SET SESSION AUTHORIZATION regress_gpufim_member;
SELECT mine_private('private');
RESET SESSION AUTHORIZATION;
SELECT * FROM pg_temp.seen();
-- so are those of a call that runs: its own source may look at them, and a function of another role may not
CREATE FUNCTION look_at_progress() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ SELECT concat_ws(' ', function, phase) FROM gpufim_progress $$;
SELECT items FROM frequent_itemsets('(SELECT ARRAY[look_at_progress()] AS items)', 'items', 1);
ALTER FUNCTION look_at_progress OWNER TO regress_gpufim_other;
SELECT items FROM frequent_itemsets('(SELECT ARRAY[look_at_progress()] AS items)', 'items', 1);
ALTER FUNCTION look_at_progress OWNER TO regress_gpufim_stats;
SELECT items FROM frequent_itemsets('(SELECT ARRAY[look_at_progress()] AS items)', 'items', 1);
-- and there are none after DISCARD ALL, which leaves nothing else either
DISCARD PLANS;
DISCARD TEMP;
SELECT function FROM gpufim_last_run();
BEGIN;
DISCARD ALL;
ROLLBACK;
SELECT function FROM gpufim_last_run();
DISCARD ALL;
SELECT function FROM gpufim_last_run();
SELECT count(*) FROM frequent_itemsets('private', 'items', 3);
SELECT function FROM gpufim_last_run();
DROP FUNCTION mine_private, look_at_progress;
DROP TABLE private;
DROP ROLE regress_gpufim_member, regress_gpufim_stats, regress_gpufim_other, regress_gpufim_owner;
