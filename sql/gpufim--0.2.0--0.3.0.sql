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
