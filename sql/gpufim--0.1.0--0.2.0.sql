/* sql/gpufim--0.1.0--0.2.0.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpufim UPDATE TO '0.2.0'" to load this file. \quit

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
