/* sql/gpufim--0.2.0--0.3.0.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpufim UPDATE TO '0.3.0'" to load this file. \quit

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
