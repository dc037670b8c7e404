/* sql/gpufim--0.3.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpufim" to load this file. \quit

--
-- Frequent itemsets
--
-- VOLATILE and PARALLEL UNSAFE, because the source may be any query: it may call
-- functions that are.
--

CREATE FUNCTION frequent_itemsets(
	source text, items_column name, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL)
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION frequent_itemsets(text, name, float8, text, int, int, text[], text[]) IS
'Itemsets that occur in at least minsup of the source''s transactions, one row per transaction with an array of items';

CREATE FUNCTION frequent_itemsets(
	source text, items_column name, minsup float8, item_type anyarray,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL)
RETURNS TABLE (items anyarray, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION frequent_itemsets(text, name, float8, anyarray, text, int, int, text[], text[]) IS
'Itemsets that occur in at least minsup of the source''s transactions, one row per transaction with an array of items; results in the type of item_type';

CREATE FUNCTION frequent_itemsets(
	source text, tid_column name, item_column name, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL)
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION frequent_itemsets(text, name, name, float8, text, int, int, text[], text[]) IS
'Itemsets that occur in at least minsup of the source''s transactions, one row per transaction and item';

CREATE FUNCTION frequent_itemsets(
	source text, tid_column name, item_column name, minsup float8, item_type anyarray,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL)
RETURNS TABLE (items anyarray, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION frequent_itemsets(text, name, name, float8, anyarray, text, int, int, text[], text[]) IS
'Itemsets that occur in at least minsup of the source''s transactions, one row per transaction and item; results in the type of item_type';

--
-- How many frequent itemsets there would be
--

CREATE FUNCTION itemset_counts(
	source text, items_column name, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION itemset_counts(text, name, float8, text, int, int, text[], text[]) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, one row per transaction with an array of items';

CREATE FUNCTION itemset_counts(
	source text, items_column name, minsup float8, item_type anyarray,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION itemset_counts(text, name, float8, anyarray, text, int, int, text[], text[]) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, one row per transaction with an array of items; the source''s items must fit item_type';

CREATE FUNCTION itemset_counts(
	source text, tid_column name, item_column name, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION itemset_counts(text, name, name, float8, text, int, int, text[], text[]) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, one row per transaction and item';

CREATE FUNCTION itemset_counts(
	source text, tid_column name, item_column name, minsup float8, item_type anyarray,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION itemset_counts(text, name, name, float8, anyarray, text, int, int, text[], text[]) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, one row per transaction and item; the source''s items must fit item_type';

--
-- Seeing inside
--

CREATE FUNCTION gpufim_devices(
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

CREATE FUNCTION gpufim_progress(
	OUT pid int, OUT function text, OUT phase text, OUT level int,
	OUT done bigint, OUT total bigint, OUT elapsed interval,
	OUT itemsets bigint, OUT workers int)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gpufim_progress'
LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 10 ROWS 1;
COMMENT ON FUNCTION gpufim_progress() IS
'Mining calls that are running; use the view gpufim_progress';

CREATE VIEW gpufim_progress AS
	SELECT pid, function, phase, level, done, total, elapsed, itemsets, workers
	FROM gpufim_progress();
COMMENT ON VIEW gpufim_progress IS
'Mining calls that are running: of this session, or of all sessions if gpufim is in shared_preload_libraries';
GRANT SELECT ON gpufim_progress TO PUBLIC;
