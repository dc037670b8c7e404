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
