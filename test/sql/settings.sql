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
