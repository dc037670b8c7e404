-- Settings
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
SELECT name, vartype, context, enumvals, boot_val, coalesce(unit, '') AS unit
FROM pg_settings WHERE name IN ('gpufim.engine', 'gpufim.strategy', 'gpufim.workers', 'gpufim.memory_limit') ORDER BY name;
SELECT name FROM pg_settings WHERE name LIKE 'gpufim.%' AND short_desc = '';
-- the result does not depend on any of them
CREATE FUNCTION brute.fingerprint() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT md5(string_agg(kind || items::text || support, ' ' ORDER BY kind COLLATE "C", items COLLATE "C"))
	FROM unnest('{all,closed,maximal}'::text[]) AS kind, frequent_itemsets('numbers', 'items', 15, kind => kind)
$$;
SELECT brute.fingerprint() = md5(string_agg(kind || i::text || support, ' ' ORDER BY kind COLLATE "C", i COLLATE "C")) AS right
FROM unnest('{all,closed,maximal}'::text[]) AS kind, brute.mine('SELECT id, item FROM number_items', 15, kind) AS b,
	 LATERAL (SELECT array_agg(item::text ORDER BY item::int) FROM unnest(b.items) AS item) AS t(i);
SELECT brute.fingerprint() AS expected \gset
SELECT workers, strategy, engine, brute.fingerprint() = :'expected' AS same
FROM unnest('{0,1,2,4}'::int[]) AS workers, unnest('{auto,bitmap,projected,rows}'::text[]) AS strategy, unnest('{auto,cpu}'::text[]) AS engine,
	 LATERAL (SELECT set_config('gpufim.workers', workers::text, false), set_config('gpufim.strategy', strategy, false),
					 set_config('gpufim.engine', engine, false) OFFSET 0) AS s
ORDER BY 1, 2, 3;
RESET gpufim.workers;
RESET gpufim.strategy;
RESET gpufim.engine;
DROP FUNCTION brute.fingerprint;
-- values they do not take
SET gpufim.engine = 'abacus';
SET gpufim.engine = 'cpu';
SET gpufim.strategy = 'guessing';
-- a strategy of another engine
SET gpufim.strategy = 'tensor';
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
RESET gpufim.strategy;
RESET gpufim.engine;
SET gpufim.workers = -1;
SET gpufim.workers = 'many';
-- 17 and later name the unit
\set VERBOSITY sqlstate
SET gpufim.memory_limit = '1kB';
-- so little that no call can run
SET gpufim.memory_limit = '256kB';
\set VERBOSITY default
SET gpufim.memory_limit = '100MB';
SHOW gpufim.memory_limit;
RESET gpufim.memory_limit;
-- settings of GPUs are checked whether there is one or not
SELECT name, vartype, context, boot_val, coalesce(unit, '') AS unit
FROM pg_settings WHERE name LIKE 'gpufim.gpu%' OR name IN ('gpufim.worker_idle_timeout', 'gpufim.cuda_library') OR name LIKE 'gpufim.inject%' ORDER BY name COLLATE "C";
SET gpufim.gpus = '0, 1,3';
SHOW gpufim.gpus;
SET gpufim.gpus = 'first';
SET gpufim.gpus = '0,,1';
SET gpufim.gpus = '0,';
SET gpufim.gpus = '-1';
SET gpufim.gpus = '2,2';
SET gpufim.gpus = '16';
SET gpufim.gpus = '';
SET gpufim.gpu_memory_limit = '8GB';
SHOW gpufim.gpu_memory_limit;
RESET gpufim.gpu_memory_limit;
SET gpufim.worker_idle_timeout = '10s';
SHOW gpufim.worker_idle_timeout;
RESET gpufim.worker_idle_timeout;
SET gpufim.cuda_library = '/tmp/other';
-- the GPU engine's strategies are checked before the source is read
SET gpufim.engine = 'gpu';
SET gpufim.strategy = 'bitmap';
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
RESET gpufim.strategy;
-- after the source, since the GPU has to be asked for
SELECT count(*) FROM frequent_itemsets('nosuch', 'items', 3);
RESET gpufim.engine;
-- engine = gpu is an error where there is none, never a silent CPU run
DO $$
DECLARE usable bool := EXISTS (SELECT FROM gpufim_devices() WHERE kind = 'gpu' AND usable);
BEGIN
	SET LOCAL gpufim.engine = 'gpu';
	PERFORM * FROM frequent_itemsets('baskets', 'items', 3);
	RAISE NOTICE '%', CASE WHEN usable AND (SELECT engine FROM gpufim_last_run()) = 'gpu' THEN 'as asked' ELSE 'silently another engine' END;
EXCEPTION WHEN object_not_in_prerequisite_state THEN
	RAISE NOTICE '%', CASE WHEN NOT usable AND SQLERRM = 'there is no GPU that can mine' THEN 'as asked' ELSE SQLERRM END;
END
$$;
-- a setting of one transaction
BEGIN;
SET LOCAL gpufim.workers = 0;
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
COMMIT;
-- no memory for the data: an error that names what is needed and what is allowed,
-- whatever the numbers are
SET gpufim.memory_limit = '400kB';
DO $$
DECLARE message text; detail text; hint text; state text;
BEGIN
	PERFORM * FROM frequent_itemsets('(SELECT n AS id, n AS item FROM generate_series(1, 200000) AS n)', 'id', 'item', 1);
	RAISE NOTICE 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RAISE NOTICE '%: numbers: %, names the setting: %, hint: %', state, (message || ' ' || detail) ~ '\d.*\d',
		message || detail || hint LIKE '%gpufim.memory_limit%', hint <> '';
END
$$;
RESET gpufim.memory_limit;
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);

-- the most results of a call, for each function that returns what it finds
CREATE TABLE limited AS SELECT n % 20 AS id, n % 7 AS item, 0.5::float8 AS probability, n AS at FROM generate_series(1, 200) AS n;
CREATE TABLE limited_arrays AS SELECT id, array_agg(DISTINCT item) AS items, 0.5::float8 AS probability FROM limited GROUP BY id;
CREATE FUNCTION brute.with_most(most int, results text, call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
	detail text;
	hint text;
BEGIN
	PERFORM set_config('gpufim.max_results', most::text, true);
	EXECUTE format('SELECT count(%s) FROM %s', results, call) INTO n;
	RETURN n || ' rows';
EXCEPTION WHEN configuration_limit_exceeded THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	-- how many there are, and whether their lengths are known, depends on when the error comes
	RETURN SQLERRM || '; ' || ((regexp_match(detail, '^There are (\d+)'))[1]::bigint > most) || '; ' ||
		regexp_replace(detail, '\d+( \w+ so far\.).*', 'N\1') || ' ' || hint;
END
$$;
CREATE TABLE limited_calls (results text, call text);
INSERT INTO limited_calls VALUES
	('items', $$frequent_itemsets('limited_arrays', 'items', 1)$$),
	('items', $$frequent_itemsets('limited', 'id', 'item', 1, NULL::int[])$$),
	('items', $$frequent_itemsets('limited', 'id', 'item', 1, min_length => 2)$$),
	('confidence', $$association_rules('limited_arrays', 'items', 1, 0.1)$$),
	('confidence', $$association_rules('limited', 'id', 'item', 1, 0.1, max_consequent => 2, adjust => 'none')$$),
	('items', $$probable_itemsets('limited_arrays', 'items', 'probability', 1, 0.1)$$),
	('items', $$probable_itemsets('limited', 'id', 'item', 'probability', 1, NULL)$$),
	('support', $$probable_itemset_distribution('limited_arrays', 'items', 'probability', '{1}')$$),
	('events', $$frequent_episodes('limited', 'item', 'at', 1, '{"(0,5]"}', max_length => 3)$$),
	('events', $$episode_significance('limited', 'item', 'at', 1, '{"(0,5]"}', max_length => 2, surrogates => 19, dither => 5, seed => 1)$$),
	('times', $$episode_occurrences('limited', 'item', 'at', '{1,2}', '{"(0,5]"}')$$),
	('left_value', $$join_project('limited', 'id', 'item', 'limited', 'id', 'item')$$),
	('p', $$join_project('limited', 'id', 'item', 'limited', 'item', 'id') AS p$$),
	('similarity', $$similar_sets('limited', 'item', 'id', 0.01)$$),
	('"column"', $$boolean_matrix_product('(SELECT id, item FROM limited)', 'id', 'item', '(SELECT item, at FROM limited)', 'item', 'at')$$),
	('support', $$frequent_pairs('limited', 'id', 'item', 1)$$);
CREATE TABLE limited_found AS SELECT *, split_part(brute.with_most(0, results, call), ' ', 1)::int AS n FROM limited_calls;
SELECT n > 2 AS several, brute.with_most(n, results, call) = n || ' rows' AS all_of_them, call, brute.with_most(n - 1, results, call) AS one_too_many FROM limited_found;
-- what counts returns no results
SET gpufim.max_results = 1;
SELECT sum(itemsets) > 1 AS counted FROM itemset_counts('limited_arrays', 'items', 1);
SELECT sum(episodes) > 1 AS counted FROM episode_counts('limited', 'item', 'at', 1, '{"(0,5]"}', max_length => 3);
SELECT count_episode('limited', 'item', 'at', '{1,2}', '{"(0,5]"}') > 1 AS counted;
SELECT join_project_count('limited', 'id', 'item', 'limited', 'id', 'item') > 1 AS counted;
SELECT count(*) > 1 AS counted FROM join_project('limited', 'id', 'item', 'limited', 'id', 'item');
RESET gpufim.max_results;
SET gpufim.max_results = -1;
-- what is written to temporary files counts as spilled: these are results of over 1 MB
SET work_mem = '64kB';
SELECT count(whole) FROM frequent_itemsets('(VALUES (ARRAY(SELECT repeat(''x'', 400) || n FROM generate_series(1, 10) AS n)))', 'column1', 1) AS whole;
SELECT spilled_bytes BETWEEN 1024 * 2000 AND 1024 * 2600 AS results_spilled FROM gpufim_last_run();
-- a scan keeps what the engine writes, which is far less
SELECT count(items) FROM frequent_itemsets('(VALUES (ARRAY(SELECT repeat(''x'', 400) || n FROM generate_series(1, 17) AS n)))', 'column1', 1);
SELECT spilled_bytes BETWEEN 1024 * 1000 AND 1024 * 2600 AS results_spilled FROM gpufim_last_run();
RESET work_mem;
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
SELECT spilled_bytes FROM gpufim_last_run();
DROP TABLE limited, limited_arrays, limited_calls, limited_found;
DROP FUNCTION brute.with_most;
-- whoever is under the administrator's limit is not told to raise a setting
SET gpufim.max_memory_limit = '400kB';
CREATE ROLE regress_gpufim_limited;
SET ROLE regress_gpufim_limited;
DO $$
DECLARE hint text;
BEGIN
	SET LOCAL gpufim.memory_limit = '400kB';
	PERFORM * FROM frequent_itemsets('(SELECT n AS id, n AS item FROM generate_series(1, 200000) AS n)', 'id', 'item', 1);
EXCEPTION WHEN out_of_memory THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RAISE NOTICE '%', hint;
END
$$;
RESET ROLE;
DROP ROLE regress_gpufim_limited;
RESET gpufim.max_memory_limit;
