/* sql/gpufim--0.2.0--0.3.0.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpufim UPDATE TO '0.3.0'" to load this file. \quit

--
-- Functions are dropped below, because only so can their result types change.  Say
-- what depends on them, and what to do, before PostgreSQL offers DROP ... CASCADE.
--

DO LANGUAGE plpgsql $$
DECLARE
	path text := pg_catalog.current_setting('search_path');
	dependents text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	SELECT string_agg(DISTINCT format('%s depends on function %s()',
						   CASE WHEN r.oid IS NULL THEN pg_describe_object(d.classid, d.objid, d.objsubid)
								ELSE pg_describe_object('pg_class'::regclass, r.ev_class, 0) END,
						   p.proname), E'\n')
	INTO dependents
	FROM pg_extension AS e
		 JOIN pg_depend AS m ON m.refclassid = 'pg_extension'::regclass AND m.refobjid = e.oid
			AND m.deptype = 'e' AND m.classid = 'pg_proc'::regclass
		 JOIN pg_proc AS p ON p.oid = m.objid
		 JOIN pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid
		 LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
	WHERE e.extname = 'gpufim'
	  AND p.proname IN ('gpufim_last_run');
	IF dependents IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'dependent_objects_still_exist',
			MESSAGE = 'cannot update extension "gpufim" while other objects depend on functions whose result types change',
			DETAIL = dependents,
			HINT = 'Save their definitions, which pg_get_viewdef() and pg_get_functiondef() show, drop them, run ALTER EXTENSION gpufim UPDATE again, and create them anew.';
	END IF;
	PERFORM pg_catalog.set_config('search_path', path, true);
END
$$;

--
-- GPUs
--

CREATE OR REPLACE FUNCTION gpufim_devices(
	OUT kind text, OUT device int, OUT name text, OUT cores int,
	OUT instruction_set text, OUT memory_bytes bigint,
	OUT usable boolean, OUT reason text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpufim_devices'
LANGUAGE C STABLE PARALLEL RESTRICTED COST 1000 ROWS 2;
COMMENT ON FUNCTION gpufim_devices() IS
'Devices that can mine: the processors and the GPUs of this machine; reason says why one is not usable';

CREATE FUNCTION gpufim_reset() RETURNS void
AS 'MODULE_PATHNAME', 'gpufim_reset'
LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 10;
COMMENT ON FUNCTION gpufim_reset() IS
'Turns GPUs on again that were turned off after faults, and looks for GPUs anew';
REVOKE ALL ON FUNCTION gpufim_reset() FROM PUBLIC;

--
-- Seeing inside
--

DROP FUNCTION gpufim_last_run();

CREATE FUNCTION gpufim_last_run(
	OUT function text, OUT started timestamptz, OUT completed boolean,
	OUT rows_read bigint, OUT transactions bigint,
	OUT distinct_items bigint, OUT frequent_items bigint, OUT minsup bigint,
	OUT engine text, OUT strategy text, OUT device text, OUT workers int,
	OUT nodes bigint, OUT itemsets bigint, OUT itemsets_by_length bigint[],
	OUT read_ms float8, OUT encode_ms float8, OUT mine_ms float8,
	OUT emit_ms float8, OUT total_ms float8,
	OUT peak_memory_bytes bigint, OUT spilled_bytes bigint,
	OUT wait_ms float8, OUT gpu_candidates bigint,
	OUT gpu_transfer_ms float8, OUT gpu_transfer_bytes float8,
	OUT gpu_build_ms float8, OUT gpu_build_bytes float8,
	OUT gpu_count_ms float8, OUT gpu_count_bits float8,
	OUT gpu_return_ms float8, OUT gpu_return_bytes float8,
	OUT gpu_peak_memory_bytes bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpufim_last_run'
LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 10 ROWS 1;
COMMENT ON FUNCTION gpufim_last_run() IS
'What this session''s last mining call did and where its time went; no row before the first';
