/* sql/gpufim.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpufim" to load this file. \quit

--
-- How many rows the planner should expect
--

CREATE FUNCTION gpufim_itemsets_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_itemsets_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_itemsets_rows(internal) IS 'Planner support for functions that return itemsets';

CREATE FUNCTION gpufim_top_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_top_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_top_rows(internal) IS 'Planner support for functions that return the k best results';

CREATE FUNCTION gpufim_counts_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_counts_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_counts_rows(internal) IS 'Planner support for functions that count itemsets';

CREATE FUNCTION gpufim_distribution_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_distribution_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_distribution_rows(internal) IS 'Planner support for functions that return the distribution of a support';

CREATE FUNCTION gpufim_episodes_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_episodes_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_episodes_rows(internal) IS 'Planner support for functions that return episodes';

CREATE FUNCTION gpufim_episode_counts_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_episode_counts_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_episode_counts_rows(internal) IS 'Planner support for functions that count episodes';

CREATE FUNCTION gpufim_occurrences_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_occurrences_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_occurrences_rows(internal) IS 'Planner support for functions that return the occurrences of an episode';

CREATE FUNCTION gpufim_sets_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_sets_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_sets_rows(internal) IS 'Planner support for functions that return pairs of values';

CREATE FUNCTION gpufim_supports_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_supports_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_supports_rows(internal) IS 'Planner support for functions that return a row for each candidate';

CREATE FUNCTION gpufim_matches_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_matches_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_matches_rows(internal) IS 'Planner support for functions that apply rules';

--
-- Reading sources with several processes
--

CREATE FUNCTION gpufim_read_row(internal, bigint, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_read_row'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_read_row(internal, bigint, "any") IS 'Part of gpufim_read()';

CREATE FUNCTION gpufim_read_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gpufim_read_serialize'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_read_serialize(internal) IS 'Part of gpufim_read()';

CREATE FUNCTION gpufim_read_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_read_deserialize'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_read_deserialize(bytea, internal) IS 'Part of gpufim_read()';

CREATE FUNCTION gpufim_read_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_read_combine'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_read_combine(internal, internal) IS 'Part of gpufim_read()';

CREATE FUNCTION gpufim_read_finish(internal) RETURNS boolean
AS 'MODULE_PATHNAME', 'gpufim_read_finish'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_read_finish(internal) IS 'Part of gpufim_read()';

CREATE AGGREGATE gpufim_read(bigint, VARIADIC "any") (
	SFUNC = gpufim_read_row, STYPE = internal, FINALFUNC = gpufim_read_finish,
	COMBINEFUNC = gpufim_read_combine, SERIALFUNC = gpufim_read_serialize,
	DESERIALFUNC = gpufim_read_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpufim_read(bigint, "any") IS
'Takes the rows of a source in the processes that PostgreSQL reads it with; called by the functions of gpufim only';

--
-- Transactions as a value
--
-- The functions of the type and of its aggregates are STABLE at the most, because they look up types and collations by name.
--

CREATE TYPE transaction_set;

-- Planner support also loads the library before a query runs in parallel, when its settings could not be read any more.
CREATE FUNCTION gpufim_set_rows(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_set_rows'
LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_set_rows(internal) IS 'Planner support for functions of a transaction_set, and for transaction_sets()';

CREATE FUNCTION transaction_set_in(cstring) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_in'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION transaction_set_in(cstring) IS 'Input of type transaction_set';

CREATE FUNCTION transaction_set_out(transaction_set) RETURNS cstring
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_out'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION transaction_set_out(transaction_set) IS 'Output of type transaction_set';

CREATE FUNCTION transaction_set_recv(internal) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_recv'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION transaction_set_recv(internal) IS 'Binary input of type transaction_set';

CREATE FUNCTION transaction_set_send(transaction_set) RETURNS bytea
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_send'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION transaction_set_send(transaction_set) IS 'Binary output of type transaction_set';

CREATE TYPE transaction_set (
	INPUT = transaction_set_in, OUTPUT = transaction_set_out, RECEIVE = transaction_set_recv, SEND = transaction_set_send,
	ALIGNMENT = double, STORAGE = external);
COMMENT ON TYPE transaction_set IS 'Transactions as a value, encoded and compressed';

CREATE FUNCTION transaction(items anyarray) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction(anyarray) IS 'A transaction_set of one transaction, which has these items';

CREATE FUNCTION transaction_set_unite(transaction_set, transaction_set) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_unite'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 100
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_unite(transaction_set, transaction_set) IS
'Part of the aggregates that make a transaction_set: unites two partial states';

CREATE FUNCTION transaction_set_finish(transaction_set) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_finish'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_finish(transaction_set) IS
'Part of the aggregates that make a transaction_set: makes a value of a state';

CREATE FUNCTION transaction_set_add(transaction_set, text[]) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_add_array'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 20
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_add(transaction_set, text[]) IS 'Part of the aggregate transaction_set(text[])';

CREATE AGGREGATE transaction_set(items text[]) (
	SFUNC = transaction_set_add, STYPE = transaction_set, SSPACE = 8192,
	FINALFUNC = transaction_set_finish, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = transaction_set_unite, PARALLEL = SAFE);
COMMENT ON AGGREGATE transaction_set(text[]) IS 'The transactions of a group as a value, from an array of items for each transaction';

CREATE FUNCTION transaction_set_add(transaction_set, int[]) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_add_array'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 20
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_add(transaction_set, int[]) IS 'Part of the aggregate transaction_set(int[])';

CREATE AGGREGATE transaction_set(items int[]) (
	SFUNC = transaction_set_add, STYPE = transaction_set, SSPACE = 8192,
	FINALFUNC = transaction_set_finish, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = transaction_set_unite, PARALLEL = SAFE);
COMMENT ON AGGREGATE transaction_set(int[]) IS 'The transactions of a group as a value, from an array of items for each transaction';

CREATE FUNCTION transaction_set_add(transaction_set, bigint[]) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_add_array'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 20
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_add(transaction_set, bigint[]) IS 'Part of the aggregate transaction_set(bigint[])';

CREATE AGGREGATE transaction_set(items bigint[]) (
	SFUNC = transaction_set_add, STYPE = transaction_set, SSPACE = 8192,
	FINALFUNC = transaction_set_finish, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = transaction_set_unite, PARALLEL = SAFE);
COMMENT ON AGGREGATE transaction_set(bigint[]) IS 'The transactions of a group as a value, from an array of items for each transaction';

CREATE FUNCTION transaction_set_add(transaction_set, uuid[]) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_add_array'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 20
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_add(transaction_set, uuid[]) IS 'Part of the aggregate transaction_set(uuid[])';

CREATE AGGREGATE transaction_set(items uuid[]) (
	SFUNC = transaction_set_add, STYPE = transaction_set, SSPACE = 8192,
	FINALFUNC = transaction_set_finish, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = transaction_set_unite, PARALLEL = SAFE);
COMMENT ON AGGREGATE transaction_set(uuid[]) IS 'The transactions of a group as a value, from an array of items for each transaction';

CREATE FUNCTION transaction_set_add(transaction_set, anyelement, anycompatible) RETURNS transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_add_pair'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 20
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_add(transaction_set, anyelement, anycompatible) IS
'Part of the aggregate transaction_set(anyelement, anycompatible)';

CREATE AGGREGATE transaction_set(tid anyelement, item anycompatible) (
	SFUNC = transaction_set_add, STYPE = transaction_set, SSPACE = 8192,
	FINALFUNC = transaction_set_finish, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = transaction_set_unite, PARALLEL = SAFE);
COMMENT ON AGGREGATE transaction_set(anyelement, anycompatible) IS
'The transactions of a group as a value, from a transaction id and an item in each row';

CREATE AGGREGATE transaction_set(transaction_set) (
	SFUNC = transaction_set_unite, STYPE = transaction_set, SSPACE = 8192,
	FINALFUNC = transaction_set_finish, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = transaction_set_unite, PARALLEL = SAFE);
COMMENT ON AGGREGATE transaction_set(transaction_set) IS 'The transactions of all sets of a group as one value; the same as transaction_set_union, for sets of one transaction';

CREATE AGGREGATE transaction_set_union(transaction_set) (
	SFUNC = transaction_set_unite, STYPE = transaction_set, SSPACE = 8192,
	FINALFUNC = transaction_set_finish, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = transaction_set_unite, PARALLEL = SAFE);
COMMENT ON AGGREGATE transaction_set_union(transaction_set) IS 'The transactions of all sets of a group as one value';

-- Overloads with arguments of this domain never fit a call with literals better than those of text, name, int.
CREATE DOMAIN transaction_set_number AS int;
COMMENT ON DOMAIN transaction_set_number IS 'A number of items, as an argument of functions of a transaction_set';

-- The same where a source has k.
CREATE DOMAIN transaction_set_minsup AS float8;
COMMENT ON DOMAIN transaction_set_minsup IS 'A fraction or a number of transactions, as an argument of functions of a transaction_set';

CREATE FUNCTION transaction_set_info(
	s transaction_set, OUT transactions bigint, OUT items bigint, OUT entries bigint, OUT bytes bigint, OUT item_type text)
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_info'
LANGUAGE C STABLE STRICT PARALLEL SAFE
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_info(transaction_set) IS
'How many transactions and distinct items a transaction_set has, how many items all transactions have together, its size, and the type of the items';

CREATE FUNCTION transaction_set_items(s transaction_set)
RETURNS TABLE (item text, support bigint)
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_items'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_items(transaction_set) IS
'The items of a transaction_set, and how many transactions have each';

CREATE FUNCTION transaction_set_rows(s transaction_set)
RETURNS TABLE (items text[])
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_rows'
LANGUAGE C STABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_rows(transaction_set) IS
'The transactions of a transaction_set, each an array of its items';

CREATE FUNCTION transaction_set_items(s transaction_set, item_type anyarray)
RETURNS TABLE (item anyelement, support bigint)
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_items'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_items(transaction_set, anyarray) IS
'The items of a transaction_set, and how many transactions have each; items in the type of item_type';

CREATE FUNCTION transaction_set_rows(s transaction_set, item_type anyarray)
RETURNS TABLE (items anyarray)
AS 'MODULE_PATHNAME', 'gpufim_transaction_set_rows'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_set_rows(transaction_set, anyarray) IS
'The transactions of a transaction_set, each an array of its items; items in the type of item_type';

--
-- Frequent itemsets
--
-- VOLATILE and PARALLEL UNSAFE, because the source may be any query: it may call
-- functions that are.
--

CREATE FUNCTION frequent_itemsets(
	source text, items_column name, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION frequent_itemsets(text, name, float8, text, int, int, text[], text[], text[], int, int) IS
'Itemsets that occur in at least minsup of the source''s transactions, one row per transaction with an array of items';

CREATE FUNCTION frequent_itemsets(
	source text, items_column name, minsup float8, item_type anyarray,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items anyarray, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION frequent_itemsets(text, name, float8, anyarray, text, int, int, text[], text[], text[], int, int) IS
'Itemsets that occur in at least minsup of the source''s transactions, one row per transaction with an array of items; results in the type of item_type';

CREATE FUNCTION frequent_itemsets(
	source text, tid_column name, item_column name, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION frequent_itemsets(text, name, name, float8, text, int, int, text[], text[], text[], int, int) IS
'Itemsets that occur in at least minsup of the source''s transactions, one row per transaction and item';

CREATE FUNCTION frequent_itemsets(
	source text, tid_column name, item_column name, minsup float8, item_type anyarray,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items anyarray, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION frequent_itemsets(text, name, name, float8, anyarray, text, int, int, text[], text[], text[], int, int) IS
'Itemsets that occur in at least minsup of the source''s transactions, one row per transaction and item; results in the type of item_type';

CREATE FUNCTION frequent_itemsets(
	source text, tid_column text, item_column text, minsup text,
	kind text DEFAULT '', min_length text DEFAULT '', max_length text DEFAULT '',
	including text DEFAULT '', excluding text DEFAULT '', including_any text DEFAULT '',
	part text DEFAULT '', parts text DEFAULT '')
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION frequent_itemsets(text, text, text, text, text, text, text, text, text, text, text, text) IS
'Itemsets that occur in at least minsup of the source''s transactions, for calls with parameters that have no types: the arguments of either form by position, or those of the pair form by name';

CREATE FUNCTION frequent_itemsets(
	s transaction_set, minsup float8,
	min_length transaction_set_number DEFAULT 1, max_length transaction_set_number DEFAULT NULL, kind text DEFAULT 'all',
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	including_any text[] DEFAULT NULL,
	part transaction_set_number DEFAULT 0, parts transaction_set_number DEFAULT 1)
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION frequent_itemsets(transaction_set, float8, transaction_set_number, transaction_set_number, text, text[], text[], text[], transaction_set_number, transaction_set_number) IS
'Itemsets that occur in at least minsup of the transactions of a transaction_set';

CREATE FUNCTION frequent_itemsets(
	s transaction_set, item_type anyarray, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items anyarray, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_itemsets_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION frequent_itemsets(transaction_set, anyarray, float8, text, int, int, text[], text[], text[], int, int) IS
'Itemsets that occur in at least minsup of the transactions of a transaction_set; results in the type of item_type';

--
-- A source as a column of sets
--

CREATE FUNCTION transaction_sets(source text, items_column name, max_bytes int DEFAULT 67108864)
RETURNS SETOF transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_sets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 10
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_sets(text, name, int) IS
'The transactions of a source as values of about max_bytes at the most, one row per transaction with an array of items';

CREATE FUNCTION transaction_sets(source text, tid_column name, item_column name, max_bytes int DEFAULT 67108864)
RETURNS SETOF transaction_set
AS 'MODULE_PATHNAME', 'gpufim_transaction_sets_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 10
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION transaction_sets(text, name, name, int) IS
'The transactions of a source as values of about max_bytes at the most, one row per transaction and item';

--
-- The most frequent itemsets
--

CREATE FUNCTION top_itemsets(
	source text, items_column name, k int,
	min_length int DEFAULT 1, max_length int DEFAULT NULL, kind text DEFAULT 'all',
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, ties boolean DEFAULT true)
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_top_itemsets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_itemsets(text, name, int, int, int, text, text[], text[], boolean) IS
'The k most frequent itemsets, one row per transaction with an array of items';

CREATE FUNCTION top_itemsets(
	source text, items_column name, k int, item_type anyarray,
	min_length int DEFAULT 1, max_length int DEFAULT NULL, kind text DEFAULT 'all',
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, ties boolean DEFAULT true)
RETURNS TABLE (items anyarray, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_top_itemsets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_itemsets(text, name, int, anyarray, int, int, text, text[], text[], boolean) IS
'The k most frequent itemsets, one row per transaction with an array of items; results in the type of item_type';

CREATE FUNCTION top_itemsets(
	source text, tid_column name, item_column name, k int,
	min_length int DEFAULT 1, max_length int DEFAULT NULL, kind text DEFAULT 'all',
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, ties boolean DEFAULT true)
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_top_itemsets_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_itemsets(text, name, name, int, int, int, text, text[], text[], boolean) IS
'The k most frequent itemsets, one row per transaction and item';

CREATE FUNCTION top_itemsets(
	source text, tid_column name, item_column name, k int, item_type anyarray,
	min_length int DEFAULT 1, max_length int DEFAULT NULL, kind text DEFAULT 'all',
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, ties boolean DEFAULT true)
RETURNS TABLE (items anyarray, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_top_itemsets_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_itemsets(text, name, name, int, anyarray, int, int, text, text[], text[], boolean) IS
'The k most frequent itemsets, one row per transaction and item; results in the type of item_type';

CREATE FUNCTION top_itemsets(
	source text, tid_column text, item_column text, k text,
	min_length text DEFAULT '', max_length text DEFAULT '', kind text DEFAULT '',
	including text DEFAULT '', excluding text DEFAULT '', ties text DEFAULT '')
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_top_itemsets_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_itemsets(text, text, text, text, text, text, text, text, text, text) IS
'The k most frequent itemsets, for calls with parameters that have no types: the arguments of either form by position, or those of the pair form by name';

CREATE FUNCTION top_itemsets(
	s transaction_set, k int,
	min_length transaction_set_number DEFAULT 1, max_length transaction_set_number DEFAULT NULL, kind text DEFAULT 'all',
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, ties boolean DEFAULT true)
RETURNS TABLE (items text[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_top_itemsets_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 100
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION top_itemsets(transaction_set, int, transaction_set_number, transaction_set_number, text, text[], text[], boolean) IS
'The k most frequent itemsets of a transaction_set';

CREATE FUNCTION top_itemsets(
	s transaction_set, item_type anyarray, k int,
	min_length int DEFAULT 1, max_length int DEFAULT NULL, kind text DEFAULT 'all',
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, ties boolean DEFAULT true)
RETURNS TABLE (items anyarray, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_top_itemsets_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 100
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION top_itemsets(transaction_set, anyarray, int, int, int, text, text[], text[], boolean) IS
'The k most frequent itemsets of a transaction_set; results in the type of item_type';

--
-- Association rules
--

CREATE FUNCTION association_rules(
	source text, items_column name, minsup float8,
	minconf float8 DEFAULT 0.8, min_length int DEFAULT 2, max_length int DEFAULT NULL, max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm',
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_association_rules_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION association_rules(text, name, float8, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, int, int) IS
'Rules that transactions which hold the antecedent tend to hold the consequent, one row per transaction with an array of items';

CREATE FUNCTION association_rules(
	source text, items_column name, minsup float8, item_type anyarray,
	minconf float8 DEFAULT 0.8, min_length int DEFAULT 2, max_length int DEFAULT NULL, max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm',
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (antecedent anyarray, consequent anyarray, support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_association_rules_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION association_rules(text, name, float8, anyarray, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, int, int) IS
'Rules that transactions which hold the antecedent tend to hold the consequent, one row per transaction with an array of items; items in the type of item_type';

CREATE FUNCTION association_rules(
	source text, tid_column name, item_column name, minsup float8,
	minconf float8 DEFAULT 0.8, min_length int DEFAULT 2, max_length int DEFAULT NULL, max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm',
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_association_rules_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION association_rules(text, name, name, float8, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, int, int) IS
'Rules that transactions which hold the antecedent tend to hold the consequent, one row per transaction and item';

CREATE FUNCTION association_rules(
	source text, tid_column name, item_column name, minsup float8, item_type anyarray,
	minconf float8 DEFAULT 0.8, min_length int DEFAULT 2, max_length int DEFAULT NULL, max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm',
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (antecedent anyarray, consequent anyarray, support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_association_rules_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION association_rules(text, name, name, float8, anyarray, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, int, int) IS
'Rules that transactions which hold the antecedent tend to hold the consequent, one row per transaction and item; items in the type of item_type';

CREATE FUNCTION association_rules(
	source text, tid_column text, item_column text, minsup text,
	minconf text DEFAULT '', min_length text DEFAULT '', max_length text DEFAULT '', max_consequent text DEFAULT '',
	antecedent_including text DEFAULT '', antecedent_including_any text DEFAULT '',
	antecedent_excluding text DEFAULT '',
	consequent_including_any text DEFAULT '', consequent_excluding text DEFAULT '',
	minlift text DEFAULT '', min_improvement text DEFAULT '', kind text DEFAULT '',
	max_p text DEFAULT '', adjust text DEFAULT '',
	part text DEFAULT '', parts text DEFAULT '')
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_association_rules_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION association_rules(text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text) IS
'Rules that transactions which hold the antecedent tend to hold the consequent, for calls with parameters that have no types: the arguments of either form by position, or those of the pair form by name';

CREATE FUNCTION association_rules(
	s transaction_set, minsup float8,
	minconf float8 DEFAULT 0.8, min_length transaction_set_number DEFAULT 2, max_length transaction_set_number DEFAULT NULL,
	max_consequent transaction_set_number DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm',
	part transaction_set_number DEFAULT 0, parts transaction_set_number DEFAULT 1)
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_association_rules_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION association_rules(transaction_set, float8, float8, transaction_set_number, transaction_set_number, transaction_set_number, text[], text[], text[], text[], text[], float8, float8, text, float8, text, transaction_set_number, transaction_set_number) IS
'Rules that transactions which hold the antecedent tend to hold the consequent, of a transaction_set';

CREATE FUNCTION association_rules(
	s transaction_set, item_type anyarray, minsup float8,
	minconf float8 DEFAULT 0.8, min_length int DEFAULT 2, max_length int DEFAULT NULL, max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm',
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (antecedent anyarray, consequent anyarray, support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_association_rules_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION association_rules(transaction_set, anyarray, float8, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, int, int) IS
'Rules that transactions which hold the antecedent tend to hold the consequent, of a transaction_set; items in the type of item_type';

--
-- The best association rules
--

CREATE FUNCTION top_rules(
	source text, items_column name, k int, minsup float8,
	by text DEFAULT 'leverage',
	minconf float8 DEFAULT 0, min_length int DEFAULT 2, max_length int DEFAULT NULL, max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm', ties boolean DEFAULT true)
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_top_rules_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_rules(text, name, int, float8, text, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, boolean) IS
'The k best rules that transactions which hold the antecedent tend to hold the consequent, one row per transaction with an array of items';

CREATE FUNCTION top_rules(
	source text, items_column name, k int, minsup float8, item_type anyarray,
	by text DEFAULT 'leverage',
	minconf float8 DEFAULT 0, min_length int DEFAULT 2, max_length int DEFAULT NULL, max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm', ties boolean DEFAULT true)
RETURNS TABLE (antecedent anyarray, consequent anyarray, support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_top_rules_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_rules(text, name, int, float8, anyarray, text, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, boolean) IS
'The k best rules that transactions which hold the antecedent tend to hold the consequent, one row per transaction with an array of items; items in the type of item_type';

CREATE FUNCTION top_rules(
	source text, tid_column name, item_column name, k int, minsup float8,
	by text DEFAULT 'leverage',
	minconf float8 DEFAULT 0, min_length int DEFAULT 2, max_length int DEFAULT NULL, max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm', ties boolean DEFAULT true)
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_top_rules_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_rules(text, name, name, int, float8, text, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, boolean) IS
'The k best rules that transactions which hold the antecedent tend to hold the consequent, one row per transaction and item';

CREATE FUNCTION top_rules(
	source text, tid_column name, item_column name, k int, minsup float8, item_type anyarray,
	by text DEFAULT 'leverage',
	minconf float8 DEFAULT 0, min_length int DEFAULT 2, max_length int DEFAULT NULL, max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm', ties boolean DEFAULT true)
RETURNS TABLE (antecedent anyarray, consequent anyarray, support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_top_rules_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_rules(text, name, name, int, float8, anyarray, text, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, boolean) IS
'The k best rules that transactions which hold the antecedent tend to hold the consequent, one row per transaction and item; items in the type of item_type';

CREATE FUNCTION top_rules(
	source text, tid_column text, item_column text, k text, minsup text,
	by text DEFAULT '',
	minconf text DEFAULT '', min_length text DEFAULT '', max_length text DEFAULT '', max_consequent text DEFAULT '',
	antecedent_including text DEFAULT '', antecedent_including_any text DEFAULT '',
	antecedent_excluding text DEFAULT '',
	consequent_including_any text DEFAULT '', consequent_excluding text DEFAULT '',
	minlift text DEFAULT '', min_improvement text DEFAULT '', kind text DEFAULT '',
	max_p text DEFAULT '', adjust text DEFAULT '', ties text DEFAULT '')
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_top_rules_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100
SUPPORT gpufim_top_rows;
COMMENT ON FUNCTION top_rules(text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text) IS
'The k best rules, for calls with parameters that have no types: the arguments of either form by position, or those of the pair form by name';

CREATE FUNCTION top_rules(
	s transaction_set, k int, minsup transaction_set_minsup,
	minconf float8 DEFAULT 0, min_length transaction_set_number DEFAULT 2, max_length transaction_set_number DEFAULT NULL,
	max_consequent transaction_set_number DEFAULT 1, by text DEFAULT 'leverage',
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm', ties boolean DEFAULT true)
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_top_rules_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 100
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION top_rules(transaction_set, int, transaction_set_minsup, float8, transaction_set_number, transaction_set_number, transaction_set_number, text, text[], text[], text[], text[], text[], float8, float8, text, float8, text, boolean) IS
'The k best rules of a transaction_set';

CREATE FUNCTION top_rules(
	s transaction_set, item_type anyarray, k int, minsup float8,
	by text DEFAULT 'leverage',
	minconf float8 DEFAULT 0, min_length int DEFAULT 2, max_length int DEFAULT NULL,
	max_consequent int DEFAULT 1,
	antecedent_including text[] DEFAULT NULL, antecedent_including_any text[] DEFAULT NULL,
	antecedent_excluding text[] DEFAULT NULL,
	consequent_including_any text[] DEFAULT NULL, consequent_excluding text[] DEFAULT NULL,
	minlift float8 DEFAULT NULL, min_improvement float8 DEFAULT NULL, kind text DEFAULT 'all',
	max_p float8 DEFAULT NULL, adjust text DEFAULT 'holm', ties boolean DEFAULT true)
RETURNS TABLE (antecedent anyarray, consequent anyarray, support bigint, antecedent_support bigint, consequent_support bigint,
	transactions bigint, confidence float8, lift float8, p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_top_rules_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 100
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION top_rules(transaction_set, anyarray, int, float8, text, float8, int, int, int, text[], text[], text[], text[], text[], float8, float8, text, float8, text, boolean) IS
'The k best rules of a transaction_set; items in the type of item_type';

--
-- How many frequent itemsets there would be
--

CREATE FUNCTION itemset_counts(
	source text, items_column name, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20
SUPPORT gpufim_counts_rows;
COMMENT ON FUNCTION itemset_counts(text, name, float8, text, int, int, text[], text[], text[], int, int) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, one row per transaction with an array of items';

CREATE FUNCTION itemset_counts(
	source text, items_column name, minsup float8, item_type anyarray,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20
SUPPORT gpufim_counts_rows;
COMMENT ON FUNCTION itemset_counts(text, name, float8, anyarray, text, int, int, text[], text[], text[], int, int) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, one row per transaction with an array of items; the source''s items must fit item_type';

CREATE FUNCTION itemset_counts(
	source text, tid_column name, item_column name, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20
SUPPORT gpufim_counts_rows;
COMMENT ON FUNCTION itemset_counts(text, name, name, float8, text, int, int, text[], text[], text[], int, int) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, one row per transaction and item';

CREATE FUNCTION itemset_counts(
	source text, tid_column name, item_column name, minsup float8, item_type anyarray,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL, including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20
SUPPORT gpufim_counts_rows;
COMMENT ON FUNCTION itemset_counts(text, name, name, float8, anyarray, text, int, int, text[], text[], text[], int, int) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, one row per transaction and item; the source''s items must fit item_type';

CREATE FUNCTION itemset_counts(
	source text, tid_column text, item_column text, minsup text,
	kind text DEFAULT '', min_length text DEFAULT '', max_length text DEFAULT '',
	including text DEFAULT '', excluding text DEFAULT '', including_any text DEFAULT '',
	part text DEFAULT '', parts text DEFAULT '')
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20
SUPPORT gpufim_counts_rows;
COMMENT ON FUNCTION itemset_counts(text, text, text, text, text, text, text, text, text, text, text, text) IS
'Number of itemsets of each length, for calls with parameters that have no types: the arguments of either form by position, or those of the pair form by name';

CREATE FUNCTION itemset_counts(
	s transaction_set, minsup float8,
	min_length transaction_set_number DEFAULT 1, max_length transaction_set_number DEFAULT NULL, kind text DEFAULT 'all',
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	including_any text[] DEFAULT NULL,
	part transaction_set_number DEFAULT 0, parts transaction_set_number DEFAULT 1)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 20
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION itemset_counts(transaction_set, float8, transaction_set_number, transaction_set_number, text, text[], text[], text[], transaction_set_number, transaction_set_number) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, of a transaction_set';

CREATE FUNCTION itemset_counts(
	s transaction_set, item_type anyarray, minsup float8,
	kind text DEFAULT 'all', min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (length int, itemsets bigint)
AS 'MODULE_PATHNAME', 'gpufim_itemset_counts_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 20
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION itemset_counts(transaction_set, anyarray, float8, text, int, int, text[], text[], text[], int, int) IS
'Number of itemsets of each length that frequent_itemsets with these arguments would return, of a transaction_set; the items must fit item_type';

--
-- The supports of itemsets that are given
--

CREATE FUNCTION itemset_supports(source text, items_column name, candidates text[])
RETURNS TABLE (candidate text, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_itemset_supports_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_supports_rows;
COMMENT ON FUNCTION itemset_supports(text, name, text[]) IS
'Support of each candidate, an array literal of items, in the source''s transactions, one row per transaction with an array of items';

CREATE FUNCTION itemset_supports(source text, tid_column name, item_column name, candidates text[])
RETURNS TABLE (candidate text, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_itemset_supports_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_supports_rows;
COMMENT ON FUNCTION itemset_supports(text, name, name, text[]) IS
'Support of each candidate, an array literal of items, in the source''s transactions, one row per transaction and item';

--
-- Probable itemsets
--
-- The array form reads a number for each transaction or an array of one for each item;
-- which of the two, the column's type says.
--

CREATE FUNCTION probable_itemsets(
	source text, items_column name, probability_column name,
	minsup float8, minprob float8 DEFAULT 0.5,
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all', exact boolean DEFAULT true,
	including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items text[], probability float8, expected_support float8, occurrences bigint)
AS 'MODULE_PATHNAME', 'gpufim_probable_itemsets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION probable_itemsets(text, name, name, float8, float8, int, int, text[], text[], text, boolean, text[], int, int) IS
'Itemsets whose support is at least minsup with probability minprob, one row per transaction with an array of items and a probability, or an array of one for each item';

CREATE FUNCTION probable_itemsets(
	source text, items_column name, probability_column name,
	minsup float8, minprob float8, item_type anyarray,
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all', exact boolean DEFAULT true,
	including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items anyarray, probability float8, expected_support float8, occurrences bigint)
AS 'MODULE_PATHNAME', 'gpufim_probable_itemsets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION probable_itemsets(text, name, name, float8, float8, anyarray, int, int, text[], text[], text, boolean, text[], int, int) IS
'Itemsets whose support is at least minsup with probability minprob, one row per transaction with an array of items and a probability, or an array of one for each item; results in the type of item_type';

CREATE FUNCTION probable_itemsets(
	source text, tid_column name, item_column name, probability_column name,
	minsup float8, minprob float8 DEFAULT 0.5,
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all', exact boolean DEFAULT true,
	including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items text[], probability float8, expected_support float8, occurrences bigint)
AS 'MODULE_PATHNAME', 'gpufim_probable_itemsets_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION probable_itemsets(text, name, name, name, float8, float8, int, int, text[], text[], text, boolean, text[], int, int) IS
'Itemsets whose support is at least minsup with probability minprob, one row per transaction and item with its probability';

CREATE FUNCTION probable_itemsets(
	source text, tid_column name, item_column name, probability_column name,
	minsup float8, minprob float8, item_type anyarray,
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all', exact boolean DEFAULT true,
	including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items anyarray, probability float8, expected_support float8, occurrences bigint)
AS 'MODULE_PATHNAME', 'gpufim_probable_itemsets_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION probable_itemsets(text, name, name, name, float8, float8, anyarray, int, int, text[], text[], text, boolean, text[], int, int) IS
'Itemsets whose support is at least minsup with probability minprob, one row per transaction and item with its probability; results in the type of item_type';

CREATE FUNCTION probable_itemsets(
	source text, tid_column name, item_column name, probability_column name,
	minsup float8, minprob text,
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all', exact boolean DEFAULT true,
	including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items text[], probability float8, expected_support float8, occurrences bigint)
AS 'MODULE_PATHNAME', 'gpufim_probable_itemsets_minprob_text'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION probable_itemsets(text, name, name, name, float8, text, int, int, text[], text[], text, boolean, text[], int, int) IS
'Itemsets whose support is at least minsup with probability minprob, one row per transaction and item with its probability, for calls with a minprob that has no type, such as NULL';

CREATE FUNCTION probable_itemsets(
	source text, tid_column name, item_column name, probability_column name,
	minsup float8, minprob int,
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all', exact boolean DEFAULT true,
	including_any text[] DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (items text[], probability float8, expected_support float8, occurrences bigint)
AS 'MODULE_PATHNAME', 'gpufim_probable_itemsets_minprob_int'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION probable_itemsets(text, name, name, name, float8, int, int, int, text[], text[], text, boolean, text[], int, int) IS
'Itemsets whose support is at least minsup with probability minprob, one row per transaction and item with its probability, for calls with a minprob of 1, which is an integer as it stands';

CREATE FUNCTION probable_itemsets(
	source text, tid_column text, item_column text, probability_column text,
	minsup text DEFAULT '', minprob text DEFAULT '',
	min_length text DEFAULT '', max_length text DEFAULT '',
	including text DEFAULT '', excluding text DEFAULT '',
	kind text DEFAULT '', exact text DEFAULT '',
	including_any text DEFAULT '',
	part text DEFAULT '', parts text DEFAULT '')
RETURNS TABLE (items text[], probability float8, expected_support float8, occurrences bigint)
AS 'MODULE_PATHNAME', 'gpufim_probable_itemsets_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_itemsets_rows;
COMMENT ON FUNCTION probable_itemsets(text, text, text, text, text, text, text, text, text, text, text, text, text, text, text) IS
'Itemsets whose support is at least minsup with probability minprob, for calls with parameters that have no types: the arguments of either form by position, or those of the pair form by name';

CREATE FUNCTION probable_itemset_distribution(
	source text, items_column name, probability_column name, items text[])
RETURNS TABLE (support bigint, probability float8)
AS 'MODULE_PATHNAME', 'gpufim_probable_distribution_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_distribution_rows;
COMMENT ON FUNCTION probable_itemset_distribution(text, name, name, text[]) IS
'Distribution of the support of one itemset, one row per transaction with an array of items and a probability, or an array of one for each item';

CREATE FUNCTION probable_itemset_distribution(
	source text, tid_column name, item_column name, probability_column name, items text[])
RETURNS TABLE (support bigint, probability float8)
AS 'MODULE_PATHNAME', 'gpufim_probable_distribution_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_distribution_rows;
COMMENT ON FUNCTION probable_itemset_distribution(text, name, name, name, text[]) IS
'Distribution of the support of one itemset, one row per transaction and item with its probability';

--
-- Frequent episodes
--

CREATE FUNCTION frequent_episodes(
	source text, event_column name, time_column name, minsup float8, gaps numrange[],
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	partition_column name DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all',
	part int DEFAULT 0, parts int DEFAULT 1,
	including_any text[] DEFAULT NULL)
RETURNS TABLE (events text[], gaps numrange[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_episodes'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_episodes_rows;
COMMENT ON FUNCTION frequent_episodes(text, name, name, float8, numrange[], int, int, name, text[], text[], text, int, int, text[]) IS
'Sequences of event types, with one of the gaps between each two, that occur at least minsup times without overlapping';

CREATE FUNCTION frequent_episodes(
	source text, event_column name, time_column name, minsup float8, gaps numrange[],
	event_type anyarray,
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	partition_column name DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all',
	part int DEFAULT 0, parts int DEFAULT 1,
	including_any text[] DEFAULT NULL)
RETURNS TABLE (events anyarray, gaps numrange[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_episodes'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_episodes_rows;
COMMENT ON FUNCTION frequent_episodes(text, name, name, float8, numrange[], anyarray, int, int, name, text[], text[], text, int, int, text[]) IS
'Sequences of event types, with one of the gaps between each two, that occur at least minsup times without overlapping; results in the type of event_type';

CREATE FUNCTION frequent_episodes(
	source text, event_column text, time_column text, minsup text, gaps text,
	min_length text DEFAULT '', max_length text DEFAULT '',
	partition_column text DEFAULT '',
	including text DEFAULT '', excluding text DEFAULT '',
	kind text DEFAULT '',
	part text DEFAULT '', parts text DEFAULT '',
	including_any text DEFAULT '')
RETURNS TABLE (events text[], gaps numrange[], support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_episodes_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_episodes_rows;
COMMENT ON FUNCTION frequent_episodes(text, text, text, text, text, text, text, text, text, text, text, text, text, text) IS
'Sequences of event types, with one of the gaps between each two, that occur at least minsup times without overlapping, for calls with parameters that have no types';

CREATE FUNCTION episode_counts(
	source text, event_column name, time_column name, minsup float8, gaps numrange[],
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	partition_column name DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all',
	part int DEFAULT 0, parts int DEFAULT 1,
	including_any text[] DEFAULT NULL)
RETURNS TABLE (length int, episodes bigint)
AS 'MODULE_PATHNAME', 'gpufim_episode_counts'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20
SUPPORT gpufim_episode_counts_rows;
COMMENT ON FUNCTION episode_counts(text, name, name, float8, numrange[], int, int, name, text[], text[], text, int, int, text[]) IS
'Number of episodes of each length that frequent_episodes with these arguments would return';

CREATE FUNCTION episode_counts(
	source text, event_column name, time_column name, minsup float8, gaps numrange[],
	event_type anyarray,
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	partition_column name DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all',
	part int DEFAULT 0, parts int DEFAULT 1,
	including_any text[] DEFAULT NULL)
RETURNS TABLE (length int, episodes bigint)
AS 'MODULE_PATHNAME', 'gpufim_episode_counts'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20
SUPPORT gpufim_episode_counts_rows;
COMMENT ON FUNCTION episode_counts(text, name, name, float8, numrange[], anyarray, int, int, name, text[], text[], text, int, int, text[]) IS
'Number of episodes of each length that frequent_episodes with these arguments would return; the source''s event types must fit event_type';

CREATE FUNCTION episode_counts(
	source text, event_column text, time_column text, minsup text, gaps text,
	min_length text DEFAULT '', max_length text DEFAULT '',
	partition_column text DEFAULT '',
	including text DEFAULT '', excluding text DEFAULT '',
	kind text DEFAULT '',
	part text DEFAULT '', parts text DEFAULT '',
	including_any text DEFAULT '')
RETURNS TABLE (length int, episodes bigint)
AS 'MODULE_PATHNAME', 'gpufim_episode_counts_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 20
SUPPORT gpufim_episode_counts_rows;
COMMENT ON FUNCTION episode_counts(text, text, text, text, text, text, text, text, text, text, text, text, text, text) IS
'Number of episodes of each length that frequent_episodes with these arguments would return, for calls with parameters that have no types';

CREATE FUNCTION episode_significance(
	source text, event_column name, time_column name, minsup float8, gaps numrange[],
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	partition_column name DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all',
	surrogates int DEFAULT 1000, dither numeric DEFAULT NULL, seed bigint DEFAULT NULL,
	method text DEFAULT 'shift',
	including_any text[] DEFAULT NULL)
RETURNS TABLE (events text[], gaps numrange[], support bigint, expected float8,
	p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_episode_significance'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_episodes_rows;
COMMENT ON FUNCTION episode_significance(text, name, name, float8, numrange[], int, int, name, text[], text[], text, int, numeric, bigint, text, text[]) IS
'Episodes that frequent_episodes with these arguments would return, each compared with its support in random surrogates of the stream, in which what takes longer than dither is kept';

CREATE FUNCTION episode_significance(
	source text, event_column name, time_column name, minsup float8, gaps numrange[],
	event_type anyarray,
	min_length int DEFAULT 1, max_length int DEFAULT NULL,
	partition_column name DEFAULT NULL,
	including text[] DEFAULT NULL, excluding text[] DEFAULT NULL,
	kind text DEFAULT 'all',
	surrogates int DEFAULT 1000, dither numeric DEFAULT NULL, seed bigint DEFAULT NULL,
	method text DEFAULT 'shift',
	including_any text[] DEFAULT NULL)
RETURNS TABLE (events anyarray, gaps numrange[], support bigint, expected float8,
	p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_episode_significance'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_episodes_rows;
COMMENT ON FUNCTION episode_significance(text, name, name, float8, numrange[], anyarray, int, int, name, text[], text[], text, int, numeric, bigint, text, text[]) IS
'Episodes that frequent_episodes with these arguments would return, each compared with its support in random surrogates of the stream, in which what takes longer than dither is kept; results in the type of event_type';

CREATE FUNCTION episode_significance(
	source text, event_column text, time_column text, minsup text, gaps text,
	min_length text DEFAULT '', max_length text DEFAULT '',
	partition_column text DEFAULT '',
	including text DEFAULT '', excluding text DEFAULT '',
	kind text DEFAULT '',
	surrogates text DEFAULT '', dither text DEFAULT '', seed text DEFAULT '',
	method text DEFAULT '',
	including_any text DEFAULT '')
RETURNS TABLE (events text[], gaps numrange[], support bigint, expected float8,
	p_value float8, adjusted_p_value float8)
AS 'MODULE_PATHNAME', 'gpufim_episode_significance_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_episodes_rows;
COMMENT ON FUNCTION episode_significance(text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text) IS
'Episodes that frequent_episodes with these arguments would return, each compared with its support in random surrogates of the stream, in which what takes longer than dither is kept, for calls with parameters that have no types';

CREATE FUNCTION count_episode(
	source text, event_column name, time_column name, events text[], gaps numrange[],
	partition_column name DEFAULT NULL)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gpufim_count_episode'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION count_episode(text, name, name, text[], numrange[], name) IS
'Support of one episode: the largest number of its occurrences that do not overlap';

CREATE FUNCTION episode_occurrences(
	source text, event_column name, time_column name, events text[], gaps numrange[],
	partition_column name DEFAULT NULL)
RETURNS TABLE (partition text, times text[])
AS 'MODULE_PATHNAME', 'gpufim_episode_occurrences'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_occurrences_rows;
COMMENT ON FUNCTION episode_occurrences(text, name, name, text[], numrange[], name) IS
'Occurrences of one episode that do not overlap, as many as there can be, with the times of their events';

CREATE FUNCTION episode_occurrences(
	source text, event_column name, time_column name, events text[], gaps numrange[],
	time_type anyarray, partition_column name DEFAULT NULL)
RETURNS TABLE (partition text, times anyarray)
AS 'MODULE_PATHNAME', 'gpufim_episode_occurrences'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_occurrences_rows;
COMMENT ON FUNCTION episode_occurrences(text, name, name, text[], numrange[], anyarray, name) IS
'Occurrences of one episode that do not overlap, as many as there can be, with the times of their events in the type of time_type';

--
-- Products of sets
--
-- Some forms have two overloads, where the larger one takes a part and none of its arguments can be left out.  With defaults
-- for part and parts, calls of other forms would mean these, or nothing.
--

CREATE FUNCTION frequent_pairs(source text, items_column name, minsup float8)
RETURNS TABLE (item1 text, item2 text, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION frequent_pairs(text, name, float8) IS
'Pairs of items that at least minsup transactions have, one row per transaction with an array of items';

CREATE FUNCTION frequent_pairs(
	source text, items_column name, minsup float8, part transaction_set_number, parts transaction_set_number)
RETURNS TABLE (item1 text, item2 text, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION frequent_pairs(text, name, float8, transaction_set_number, transaction_set_number) IS
'Part of the pairs of items that at least minsup transactions have, one row per transaction with an array of items';

CREATE FUNCTION frequent_pairs(source text, items_column name, minsup float8, item_type anyelement)
RETURNS TABLE (item1 anyelement, item2 anyelement, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION frequent_pairs(text, name, float8, anyelement) IS
'Pairs of items that at least minsup transactions have, one row per transaction with an array of items; results in the type of item_type';

CREATE FUNCTION frequent_pairs(
	source text, items_column name, minsup float8, item_type anyelement, part int, parts int)
RETURNS TABLE (item1 anyelement, item2 anyelement, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION frequent_pairs(text, name, float8, anyelement, int, int) IS
'Part of the pairs of items that at least minsup transactions have, one row per transaction with an array of items; results in the type of item_type';

CREATE FUNCTION frequent_pairs(source text, tid_column name, item_column name, minsup float8)
RETURNS TABLE (item1 text, item2 text, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION frequent_pairs(text, name, name, float8) IS
'Pairs of items that at least minsup transactions have, one row per transaction and item';

CREATE FUNCTION frequent_pairs(
	source text, tid_column name, item_column name, minsup float8, part int, parts int)
RETURNS TABLE (item1 text, item2 text, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION frequent_pairs(text, name, name, float8, int, int) IS
'Part of the pairs of items that at least minsup transactions have, one row per transaction and item';

CREATE FUNCTION frequent_pairs(
	source text, tid_column name, item_column name, minsup float8, item_type anyelement,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (item1 anyelement, item2 anyelement, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION frequent_pairs(text, name, name, float8, anyelement, int, int) IS
'Pairs of items that at least minsup transactions have, one row per transaction and item; results in the type of item_type';

CREATE FUNCTION frequent_pairs(text, text, text, text)
RETURNS TABLE (item1 text, item2 text, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION frequent_pairs(text, text, text, text) IS
'Pairs of items that at least minsup transactions have, for calls with four parameters that have no types';

CREATE FUNCTION frequent_pairs(
	s transaction_set, minsup float8,
	part transaction_set_number DEFAULT 0, parts transaction_set_number DEFAULT 1)
RETURNS TABLE (item1 text, item2 text, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION frequent_pairs(transaction_set, float8, transaction_set_number, transaction_set_number) IS
'Pairs of items that occur together in at least minsup of the transactions of a transaction_set';

CREATE FUNCTION frequent_pairs(
	s transaction_set, item_type anyarray, minsup float8,
	part transaction_set_number DEFAULT 0, parts transaction_set_number DEFAULT 1)
RETURNS TABLE (item1 anyelement, item2 anyelement, support bigint, frequency float8)
AS 'MODULE_PATHNAME', 'gpufim_frequent_pairs_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION frequent_pairs(transaction_set, anyarray, float8, transaction_set_number, transaction_set_number) IS
'Pairs of items that occur together in at least minsup of the transactions of a transaction_set; items in the type of item_type';

CREATE FUNCTION join_project(
	left_source text, left_key name, left_value name,
	right_source text, right_key name, right_value name,
	min_witnesses bigint DEFAULT 1, witnesses boolean DEFAULT true)
RETURNS TABLE (left_value text, right_value text, witnesses bigint)
AS 'MODULE_PATHNAME', 'gpufim_join_project'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION join_project(text, name, name, text, name, name, bigint, boolean) IS
'Pairs of a left and a right value that at least min_witnesses different keys join, and how many do';

CREATE FUNCTION join_project(
	left_source text, left_key name, left_value name,
	right_source text, right_key name, right_value name,
	min_witnesses bigint, left_type anyelement, right_type anycompatible,
	witnesses boolean DEFAULT true, part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (left_value anyelement, right_value anycompatible, witnesses bigint)
AS 'MODULE_PATHNAME', 'gpufim_join_project'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION join_project(text, name, name, text, name, name, bigint, anyelement, anycompatible, boolean, int, int) IS
'Pairs of a left and a right value that at least min_witnesses different keys join, and how many do; results in the types of left_type and right_type';

CREATE FUNCTION join_project(
	left_source text, left_key name, left_value name,
	right_source text, right_key name, right_value name,
	left_type anyelement, right_type anycompatible,
	witnesses boolean DEFAULT true)
RETURNS TABLE (left_value anyelement, right_value anycompatible, witnesses bigint)
AS 'MODULE_PATHNAME', 'gpufim_join_project'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION join_project(text, name, name, text, name, name, anyelement, anycompatible, boolean) IS
'Pairs of a left and a right value that a key joins, and how many do; results in the types of left_type and right_type';

CREATE FUNCTION join_project_count(
	left_source text, left_key name, left_value name,
	right_source text, right_key name, right_value name,
	min_witnesses bigint DEFAULT 1)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gpufim_join_project_count'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION join_project_count(text, name, name, text, name, name, bigint) IS
'Number of rows that join_project with these arguments would return';

CREATE FUNCTION join_project_count(
	left_source text, left_key name, left_value name,
	right_source text, right_key name, right_value name,
	min_witnesses bigint, left_type anyelement, right_type anycompatible,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gpufim_join_project_count'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION join_project_count(text, name, name, text, name, name, bigint, anyelement, anycompatible, int, int) IS
'Number of rows that join_project with these arguments would return; the values must fit left_type and right_type';

CREATE FUNCTION join_project_count(
	left_source text, left_key name, left_value name,
	right_source text, right_key name, right_value name,
	left_type anyelement, right_type anycompatible)
RETURNS bigint
AS 'MODULE_PATHNAME', 'gpufim_join_project_count'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION join_project_count(text, name, name, text, name, name, anyelement, anycompatible) IS
'Number of rows that join_project with these arguments would return; the values must fit left_type and right_type';

CREATE FUNCTION boolean_matrix_product(
	a_source text, a_row name, a_column name,
	b_source text, b_row name, b_column name,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE ("row" bigint, "column" bigint)
AS 'MODULE_PATHNAME', 'gpufim_boolean_matrix_product'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION boolean_matrix_product(text, name, name, text, name, name, int, int) IS
'Cells of the product of two boolean matrices, given by the rows and columns of their cells';

CREATE DOMAIN transaction_set_measure AS text;
COMMENT ON DOMAIN transaction_set_measure IS 'A measure of the similarity of sets, as an argument of similar_sets for a part';

CREATE FUNCTION similar_sets(
	source text, tid_column name, item_column name, threshold float8,
	measure text DEFAULT 'jaccard', k int DEFAULT NULL)
RETURNS TABLE (tid1 text, tid2 text, overlap bigint, similarity float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_sets'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_sets(text, name, name, float8, text, int) IS
'Pairs of transactions whose sets of items are at least so similar, or for each transaction the k most similar others, one row per transaction and item, or per transaction with an array of items';

CREATE FUNCTION similar_sets(
	source text, tid_column name, item_column name, threshold float8, measure transaction_set_measure, k int,
	part transaction_set_number, parts transaction_set_number)
RETURNS TABLE (tid1 text, tid2 text, overlap bigint, similarity float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_sets'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_sets(text, name, name, float8, transaction_set_measure, int, transaction_set_number, transaction_set_number) IS
'Part of the pairs of transactions whose sets of items are at least so similar, or of the k most similar others of each, one row per transaction and item, or per transaction with an array of items';

CREATE FUNCTION similar_sets(
	source text, items_column name, threshold float8, measure text DEFAULT 'jaccard', k int DEFAULT NULL)
RETURNS TABLE (tid1 text, tid2 text, overlap bigint, similarity float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_sets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_sets(text, name, float8, text, int) IS
'Pairs of rows whose arrays of items are at least so similar as sets, or for each row the k most similar others; rows have numbers in their order, from 1 on';

CREATE FUNCTION similar_sets(
	source text, items_column name, threshold float8, measure text, k int,
	part transaction_set_number, parts transaction_set_number)
RETURNS TABLE (tid1 text, tid2 text, overlap bigint, similarity float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_sets_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_sets(text, name, float8, text, int, transaction_set_number, transaction_set_number) IS
'Part of the pairs of rows whose arrays of items are at least so similar as sets, or of the k most similar others of each; rows have numbers in their order, from 1 on';

CREATE FUNCTION similar_sets(
	left_source text, left_tid_column name, left_item_column name,
	right_source text, right_tid_column name, right_item_column name,
	threshold float8, measure text DEFAULT 'jaccard', k int DEFAULT NULL,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (tid1 text, tid2 text, overlap bigint, similarity float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_sets_two'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_sets(text, name, name, text, name, name, float8, text, int, int, int) IS
'Pairs of a left and a right transaction whose sets of items are at least so similar, or for each left transaction the k most similar right ones, from sources with one row per transaction and item, or per transaction with an array of items';

CREATE FUNCTION similar_sets(text, text, text, text, text DEFAULT '', text DEFAULT '')
RETURNS TABLE (tid1 text, tid2 text, overlap bigint, similarity float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_sets_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_sets(text, text, text, text, text, text) IS
'Pairs of sets of items that are at least so similar, for calls with four to six parameters that have no types';

CREATE FUNCTION similar_items(
	source text, items_column name, k int, measure text DEFAULT 'cosine', min_support bigint DEFAULT 1)
RETURNS TABLE (item text, other text, rank int, support bigint, score float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_items_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_items(text, name, int, text, bigint) IS
'For each item the k others that go best with it, one row per transaction with an array of items';

CREATE FUNCTION similar_items(
	source text, items_column name, k int, item_type anyelement,
	measure text DEFAULT 'cosine', min_support bigint DEFAULT 1)
RETURNS TABLE (item anyelement, other anyelement, rank int, support bigint, score float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_items_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_items(text, name, int, anyelement, text, bigint) IS
'For each item the k others that go best with it, one row per transaction with an array of items; results in the type of item_type';

CREATE FUNCTION similar_items(
	source text, items_column name, k int, item_type anyelement, measure text, min_support bigint,
	part int, parts int)
RETURNS TABLE (item anyelement, other anyelement, rank int, support bigint, score float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_items_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_items(text, name, int, anyelement, text, bigint, int, int) IS
'For each item of a part of the items the k others that go best with it, one row per transaction with an array of items; results in the type of item_type';

CREATE FUNCTION similar_items(
	source text, tid_column name, item_column name, k int,
	measure text DEFAULT 'cosine', min_support bigint DEFAULT 1)
RETURNS TABLE (item text, other text, rank int, support bigint, score float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_items'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_items(text, name, name, int, text, bigint) IS
'For each item the k others that go best with it, one row per transaction and item';

CREATE FUNCTION similar_items(
	source text, tid_column name, item_column name, k int, item_type anyelement,
	measure text DEFAULT 'cosine', min_support bigint DEFAULT 1,
	part int DEFAULT 0, parts int DEFAULT 1)
RETURNS TABLE (item anyelement, other anyelement, rank int, support bigint, score float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_items'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_items(text, name, name, int, anyelement, text, bigint, int, int) IS
'For each item the k others that go best with it, one row per transaction and item; results in the type of item_type';

CREATE FUNCTION similar_items(
	s transaction_set, k int, min_support bigint DEFAULT 1, measure text DEFAULT 'cosine')
RETURNS TABLE (item text, other text, rank int, support bigint, score float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_items_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION similar_items(transaction_set, int, bigint, text) IS
'The k items that go best with each item, by a measure of how well two items go together, in a transaction_set';

CREATE FUNCTION similar_items(
	s transaction_set, item_type anyarray, k int, measure text DEFAULT 'cosine', min_support bigint DEFAULT 1)
RETURNS TABLE (item anyelement, other anyelement, rank int, support bigint, score float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_items_set'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL RESTRICTED COST 1000 ROWS 1000
SUPPORT gpufim_set_rows;
COMMENT ON FUNCTION similar_items(transaction_set, anyarray, int, text, bigint) IS
'The k items that go best with each item, by a measure of how well two items go together, in a transaction_set; items in the type of item_type';

CREATE FUNCTION similar_items(
	source text, tid_column text, item_column text, k text,
	measure text DEFAULT '', min_support text DEFAULT '')
RETURNS TABLE (item text, other text, rank int, support bigint, score float8)
AS 'MODULE_PATHNAME', 'gpufim_similar_items_untyped'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 1000
SUPPORT gpufim_sets_rows;
COMMENT ON FUNCTION similar_items(text, text, text, text, text, text) IS
'For each item the k others that go best with it, for calls with parameters that have no types: the arguments of either form by position, or those of the pair form by name';

--
-- Rules
--

-- A later version adds columns at the end of the type, with ALTER TYPE ... ADD ATTRIBUTE.
CREATE TYPE gpufim_rule_measures AS (
	frequency float8, coverage float8, prevalence float8, confidence float8, lift float8, leverage float8,
	conviction float8,
	added_value float8, certainty float8, zhang float8, varying_liaison float8, standardized_lift float8,
	relative_risk float8, difference_of_confidence float8, odds_ratio float8, yule_q float8, yule_y float8,
	phi float8, kappa float8, relative_linkage_disequilibrium float8, collective_strength float8,
	klosgen float8,
	cosine float8, jaccard float8, kulczynski float8, max_confidence float8, all_confidence float8,
	imbalance float8,
	chi_squared float8, log_likelihood_ratio float8, fisher_p_value float8, fisher_log10_p_value float8,
	hyper_confidence float8, lerman float8, implication_index float8,
	mutual_information float8, j_measure float8, gini float8, lambda float8,
	laplace float8, importance float8, casual_confidence float8, casual_support float8,
	confirmed_confidence float8, counterexample_rate float8, least_contradiction float8, sebag float8,
	ralambondrainy float8, rule_power_factor float8);
COMMENT ON TYPE gpufim_rule_measures IS 'The row of rule_measures()';

CREATE FUNCTION rule_measures(
	support bigint, antecedent_support bigint, consequent_support bigint, transactions bigint)
RETURNS gpufim_rule_measures
AS 'MODULE_PATHNAME', 'gpufim_rule_measures'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION rule_measures(bigint, bigint, bigint, bigint) IS
'All measures of an association rule that follow from four numbers of transactions: of the rule, its antecedent, its consequent, and all';

CREATE FUNCTION rule_matches(rules text, source text, items_column name)
RETURNS TABLE (tid text, consequent text[], confidence float8, lift float8, antecedent text[])
AS 'MODULE_PATHNAME', 'gpufim_rule_matches_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100000
SUPPORT gpufim_matches_rows;
COMMENT ON FUNCTION rule_matches(text, text, name) IS
'Consequents of rules that apply to a transaction which does not hold them, each with the best of these rules, one row per transaction with an array of items; transactions have the numbers of their rows, from 1 on';

CREATE FUNCTION rule_matches(rules text, source text, items_column name, item_type anyarray)
RETURNS TABLE (tid text, consequent anyarray, confidence float8, lift float8, antecedent anyarray)
AS 'MODULE_PATHNAME', 'gpufim_rule_matches_array'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100000
SUPPORT gpufim_matches_rows;
COMMENT ON FUNCTION rule_matches(text, text, name, anyarray) IS
'Consequents of rules that apply to a transaction which does not hold them, each with the best of these rules, one row per transaction with an array of items; items in the type of item_type';

CREATE FUNCTION rule_matches(rules text, source text, tid_column name, item_column name)
RETURNS TABLE (tid text, consequent text[], confidence float8, lift float8, antecedent text[])
AS 'MODULE_PATHNAME', 'gpufim_rule_matches'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100000
SUPPORT gpufim_matches_rows;
COMMENT ON FUNCTION rule_matches(text, text, name, name) IS
'Consequents of rules that apply to a transaction which does not hold them, each with the best of these rules, one row per transaction and item, or per transaction with an array of items';

CREATE FUNCTION rule_matches(rules text, source text, tid_column name, item_column name, item_type anyarray)
RETURNS TABLE (tid text, consequent anyarray, confidence float8, lift float8, antecedent anyarray)
AS 'MODULE_PATHNAME', 'gpufim_rule_matches'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE COST 100000 ROWS 100000
SUPPORT gpufim_matches_rows;
COMMENT ON FUNCTION rule_matches(text, text, name, name, anyarray) IS
'Consequents of rules that apply to a transaction which does not hold them, each with the best of these rules, one row per transaction and item, or per transaction with an array of items; items in the type of item_type';

--
-- Pictures
--

CREATE FUNCTION gpufim_picture_row(internal, anyarray, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_picture_row'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_picture_row(internal, anyarray, float8) IS 'Part of itemsets_dot()';

CREATE FUNCTION gpufim_picture_row(internal, anyarray, anyarray, float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_picture_row'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_picture_row(internal, anyarray, anyarray, float8, float8, float8) IS
'Part of rules_dot() and rules_vega()';

CREATE FUNCTION gpufim_picture_row(internal, anyarray, anyarray, float8, float8, float8, text) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_picture_row'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_picture_row(internal, anyarray, anyarray, float8, float8, float8, text) IS
'Part of rules_vega()';

CREATE FUNCTION gpufim_picture_row(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_picture_row'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_picture_row(internal, float8, float8) IS
'Part of lengths_vega() and distribution_vega()';

CREATE FUNCTION gpufim_picture_row(internal, text, anyarray) RETURNS internal
AS 'MODULE_PATHNAME', 'gpufim_picture_row'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_picture_row(internal, text, anyarray) IS 'Part of episodes_vega()';

CREATE FUNCTION gpufim_itemsets_dot(internal) RETURNS text
AS 'MODULE_PATHNAME', 'gpufim_itemsets_dot'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_itemsets_dot(internal) IS 'Part of itemsets_dot()';

CREATE FUNCTION gpufim_rules_dot(internal) RETURNS text
AS 'MODULE_PATHNAME', 'gpufim_rules_dot'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_rules_dot(internal) IS 'Part of rules_dot()';

CREATE FUNCTION gpufim_rules_vega(internal) RETURNS json
AS 'MODULE_PATHNAME', 'gpufim_rules_vega'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_rules_vega(internal) IS 'Part of rules_vega()';

CREATE FUNCTION gpufim_lengths_vega(internal) RETURNS json
AS 'MODULE_PATHNAME', 'gpufim_lengths_vega'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_lengths_vega(internal) IS 'Part of lengths_vega()';

CREATE FUNCTION gpufim_episodes_vega(internal) RETURNS json
AS 'MODULE_PATHNAME', 'gpufim_episodes_vega'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_episodes_vega(internal) IS 'Part of episodes_vega()';

CREATE FUNCTION gpufim_distribution_vega(internal) RETURNS json
AS 'MODULE_PATHNAME', 'gpufim_distribution_vega'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION gpufim_distribution_vega(internal) IS 'Part of distribution_vega()';

CREATE AGGREGATE itemsets_dot(items anyarray, support float8) (
	SFUNC = gpufim_picture_row, STYPE = internal, FINALFUNC = gpufim_itemsets_dot, PARALLEL = SAFE);
COMMENT ON AGGREGATE itemsets_dot(anyarray, float8) IS
'The lattice of itemsets as a graph in DOT, which Graphviz draws: each itemset is linked to the next larger ones that contain it';

CREATE AGGREGATE rules_dot(antecedent anyarray, consequent anyarray, support float8, confidence float8, lift float8) (
	SFUNC = gpufim_picture_row, STYPE = internal, FINALFUNC = gpufim_rules_dot, PARALLEL = SAFE);
COMMENT ON AGGREGATE rules_dot(anyarray, anyarray, float8, float8, float8) IS
'Rules as a graph in DOT, which Graphviz draws: arrows from the items of antecedents to those of consequents';

CREATE AGGREGATE rules_vega(antecedent anyarray, consequent anyarray, support float8, confidence float8, lift float8) (
	SFUNC = gpufim_picture_row, STYPE = internal, FINALFUNC = gpufim_rules_vega, PARALLEL = SAFE);
COMMENT ON AGGREGATE rules_vega(anyarray, anyarray, float8, float8, float8) IS
'Rules as a picture in Vega-Lite: a point each, at its support and confidence, with its lift as the colour';

CREATE AGGREGATE rules_vega(antecedent anyarray, consequent anyarray, support float8, confidence float8, lift float8, form text) (
	SFUNC = gpufim_picture_row, STYPE = internal, FINALFUNC = gpufim_rules_vega, PARALLEL = SAFE);
COMMENT ON AGGREGATE rules_vega(anyarray, anyarray, float8, float8, float8, text) IS
'Rules as a picture in Vega-Lite, whose form is "scatter", a point for each rule, or "matrix", groups of antecedents against consequents';

CREATE AGGREGATE lengths_vega(length float8, number float8) (
	SFUNC = gpufim_picture_row, STYPE = internal, FINALFUNC = gpufim_lengths_vega, PARALLEL = SAFE);
COMMENT ON AGGREGATE lengths_vega(float8, float8) IS
'How many itemsets or episodes of each length there are, as a picture in Vega-Lite';

CREATE AGGREGATE episodes_vega(partition text, times anyarray) (
	SFUNC = gpufim_picture_row, STYPE = internal, FINALFUNC = gpufim_episodes_vega, PARALLEL = SAFE);
COMMENT ON AGGREGATE episodes_vega(text, anyarray) IS
'Occurrences of an episode on a line of time for each partition, as a picture in Vega-Lite';

CREATE AGGREGATE distribution_vega(support float8, probability float8) (
	SFUNC = gpufim_picture_row, STYPE = internal, FINALFUNC = gpufim_distribution_vega, PARALLEL = SAFE);
COMMENT ON AGGREGATE distribution_vega(float8, float8) IS
'The distribution of a support as a picture in Vega-Lite, with the probability of each support and of at least as much';

--
-- Seeing inside
--
-- Each function returns rows of a type of its own.  A later version adds columns at
-- the end of the type, with ALTER TYPE ... ADD ATTRIBUTE, and the function and what
-- depends on it stay.
--

CREATE TYPE gpufim_device AS (
	kind text, device int, name text, cores int,
	instruction_set text, memory_bytes bigint,
	usable boolean, reason text);
COMMENT ON TYPE gpufim_device IS 'A row of gpufim_devices()';

CREATE FUNCTION gpufim_devices() RETURNS SETOF gpufim_device
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

CREATE TYPE gpufim_run AS (
	function text, started timestamptz, completed boolean,
	rows_read bigint, transactions bigint,
	distinct_items bigint, frequent_items bigint, minsup bigint,
	engine text, strategy text, device text, workers int,
	nodes bigint, itemsets bigint, itemsets_by_length bigint[],
	read_ms float8, encode_ms float8, mine_ms float8,
	emit_ms float8, total_ms float8,
	peak_memory_bytes bigint, spilled_bytes bigint,
	wait_ms float8, gpu_candidates bigint,
	gpu_transfer_ms float8, gpu_transfer_bytes float8,
	gpu_build_ms float8, gpu_build_bytes float8,
	gpu_count_ms float8, gpu_count_bits float8,
	gpu_return_ms float8, gpu_return_bytes float8,
	gpu_peak_memory_bytes bigint, details jsonb, read_workers int,
	fingerprint text);
COMMENT ON TYPE gpufim_run IS 'A row of gpufim_last_run()';

CREATE FUNCTION gpufim_last_run() RETURNS SETOF gpufim_run
AS 'MODULE_PATHNAME', 'gpufim_last_run'
LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 10 ROWS 1;
COMMENT ON FUNCTION gpufim_last_run() IS
'What this session''s last mining call did and where its time went; no row before the first, after DISCARD ALL, and for roles that may not see it';

CREATE TYPE gpufim_call AS (
	pid int, function text, phase text, level int,
	done bigint, total bigint, elapsed interval,
	itemsets bigint, workers int);
COMMENT ON TYPE gpufim_call IS 'A row of gpufim_progress()';

CREATE FUNCTION gpufim_progress() RETURNS SETOF gpufim_call
AS 'MODULE_PATHNAME', 'gpufim_progress'
LANGUAGE C VOLATILE PARALLEL RESTRICTED COST 10 ROWS 1;
COMMENT ON FUNCTION gpufim_progress() IS
'Mining calls that are running; use the view gpufim_progress';

CREATE VIEW gpufim_progress AS
	SELECT pid, function, phase, level, done, total, elapsed, itemsets, workers
	FROM gpufim_progress() AS call;
COMMENT ON VIEW gpufim_progress IS
'Mining calls that are running: of this session, or of all sessions if gpufim is in shared_preload_libraries';
GRANT SELECT ON gpufim_progress TO PUBLIC;
