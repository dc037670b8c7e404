-- How many rows the planner expects
CREATE FUNCTION brute.expected_rows(call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM ' || call INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
CREATE FUNCTION brute.actual_rows(call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || call INTO n;
	RETURN n;
END
$$;
CREATE TABLE independent AS
	SELECT id, ARRAY(SELECT k FROM generate_series(1, 30) AS k WHERE get_byte(decode(md5(id || ' ' || k), 'hex'), 0) < 240 / k ORDER BY k) AS items
	FROM generate_series(1, 2000) AS id;
CREATE TABLE independent_pairs AS SELECT id, item FROM independent, unnest(items) AS item;
-- not analyzed: what the functions declare
ALTER TABLE independent SET (autovacuum_enabled = off);
ALTER TABLE independent_pairs SET (autovacuum_enabled = off);
SELECT brute.expected_rows($$frequent_itemsets('independent', 'items', 0.01)$$), brute.expected_rows($$itemset_counts('independent', 'items', 0.01)$$);
ANALYZE independent, independent_pairs;
-- items that are independent: within a third of what there is
SELECT arguments, count > 0 AS some, expected BETWEEN count * 0.67 - 2 AND count * 1.5 + 2 AS near, CASE WHEN expected BETWEEN count * 0.67 - 2 AND count * 1.5 + 2 THEN '' ELSE expected || ' not ' || count END AS wrong
FROM unnest('{"0.5","0.1","0.01","0.003","20","200","0.01, max_length => 2","0.01, min_length => 3","0.01, kind => ''maximal''","0.01, kind => ''closed''","0.01, item_type => NULL::int[]"}'::text[]) AS arguments,
	 LATERAL (SELECT format($$frequent_itemsets('independent', 'items', %s)$$, arguments), format($$frequent_itemsets('public.independent_pairs', 'id', 'item', %s)$$, arguments)) AS c(call, pairs),
	 unnest(ARRAY[call, pairs]) AS one,
	 LATERAL (SELECT brute.expected_rows(one) AS expected) AS e,
	 LATERAL (SELECT brute.actual_rows(one) AS count) AS r;
-- fewer with an item that has to be there
SELECT brute.expected_rows($$frequent_itemsets('independent', 'items', 0.01)$$) > brute.expected_rows($$frequent_itemsets('independent', 'items', 0.01, including => '{2}')$$) AS fewer,
	   brute.expected_rows($$frequent_itemsets('independent', 'items', 0.01, including => '{2}')$$) > brute.expected_rows($$frequent_itemsets('independent', 'items', 0.01, including => '{2,3}')$$) AS fewer_still;
SELECT brute.expected_rows($$itemset_counts('independent', 'items', 0.01)$$) - count(*)  AS difference FROM itemset_counts('independent', 'items', 0.01);
-- of counts a row for each length, up to that of all items together
CREATE TABLE alike AS SELECT '{1,2,3,4}'::int[] AS items FROM generate_series(1, 16);
ALTER TABLE alike SET (autovacuum_enabled = off);
ANALYZE alike;
SELECT arguments, brute.expected_rows(call) AS expected, brute.actual_rows(call) AS n
FROM unnest('{"16","1","16, max_length => 3","16, including => ''{2}''","16, kind => ''maximal''"}'::text[]) AS arguments, LATERAL (SELECT format($$itemset_counts('alike', 'items', %s)$$, arguments) AS call) AS c;
DROP TABLE alike;
-- an end to counting
SELECT brute.expected_rows($$frequent_itemsets('independent', 'items', 1e-9)$$) AS at_most;
-- what is not known is as declared, and wrong calls fail only when they run
SELECT brute.expected_rows(call) FROM unnest(ARRAY[
	$$frequent_itemsets('(SELECT * FROM independent)', 'items', 0.01)$$, $$frequent_itemsets('nosuch', 'items', 0.01)$$,
	$$frequent_itemsets('no.such.table.there', 'items', 0.01)$$, $$frequent_itemsets('nosuch.independent', 'items', 0.01)$$,
	$$frequent_itemsets('independent', 'nosuch', 0.01)$$, $$frequent_itemsets('independent', 'items', NULL::float8)$$,
	$$frequent_itemsets(NULL, 'items', 0.01)$$, $$frequent_itemsets('independent', 'items', -1)$$, $$frequent_itemsets('"', 'items', 0.1)$$,
	$$frequent_itemsets('', 'items', 0.1)$$, $$frequent_itemsets('independent', 'id', 0.1)$$, $$frequent_itemsets('gpufim_progress', 'pid', 0.1)$$,
	$$frequent_itemsets('independent', 'items', random())$$, $$frequent_itemsets('independent', 'items', '0.5', random()::text)$$,
	$$frequent_itemsets('independent', 'items', '', 'all')$$, $$frequent_itemsets('independent', 'items', 'half', 'all')$$, $$frequent_itemsets('independent_pairs', 'id', 'item', NULL::text)$$]) AS call;
-- calls without types: as with types
SELECT untyped, brute.expected_rows('frequent_itemsets(' || untyped || ')') - brute.expected_rows('frequent_itemsets(' || typed || ')') AS difference,
	   brute.expected_rows('itemset_counts(' || untyped || ')') - brute.expected_rows('itemset_counts(' || typed || ')') AS of_counts
FROM (VALUES ($$'independent', 'items', '0.01', 'all'$$, $$'independent', 'items', 0.01, 'all'$$), ($$'independent', 'items', ' 20 ', 'maximal', '2'$$, $$'independent', 'items', 20, 'maximal', 2$$),
	($$'independent', 'items', '0.01', 'all', '1', '2', '{2,"3"}'$$, $$'independent', 'items', 0.01, 'all', 1, 2, '{2,3}'$$), ($$'independent', 'items', '0.01', 'all', max_length => '2', including => '{"2,","a\",b"}'$$, $$'independent', 'items', 0.01, 'all', max_length => 2, including => '{1,2}'$$),
	($$'independent', 'items', '0.01', 'all', including => '{}'$$, $$'independent', 'items', 0.01$$),
	($$'independent_pairs', 'id', 'item', '0.01'$$, $$'independent_pairs', 'id', 'item', 0.01$$), ($$'independent_pairs', 'id', 'item', '0.01', 'maximal', '2', NULL, '{2}'$$, $$'independent_pairs', 'id', 'item', 0.01, 'maximal', 2, NULL, '{2}'$$),
	($$source => 'independent_pairs', tid_column => 'id', item_column => 'item', minsup => '0.01', max_length => '2'$$, $$'independent_pairs', 'id', 'item', 0.01, max_length => 2$$)) AS v(untyped, typed);
PREPARE untyped AS SELECT * FROM frequent_itemsets($1, $2, $3, $4, $5);
EXPLAIN EXECUTE untyped('independent', 'items', '1900', 'all', '1');
DEALLOCATE untyped;
-- no function that mines goes without an estimate
SELECT p.proname FROM pg_proc AS p JOIN pg_depend ON objid = p.oid AND classid = 'pg_proc'::regclass AND deptype = 'e'
WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim') AND proretset AND prosupport = 0 ORDER BY 1;
-- who may not read a table does not learn from estimates what is in it
CREATE ROLE nosy;
GRANT USAGE ON SCHEMA brute TO nosy;
SET ROLE nosy;
SELECT brute.expected_rows($$frequent_itemsets('independent', 'items', 0.5)$$);
RESET ROLE;
GRANT SELECT ON independent TO nosy;
SET ROLE nosy;
SELECT brute.expected_rows($$frequent_itemsets('independent', 'items', 0.5)$$) < 20 AS allowed;
RESET ROLE;
ALTER TABLE independent ENABLE ROW LEVEL SECURITY;
SET ROLE nosy;
SELECT brute.expected_rows($$frequent_itemsets('independent', 'items', 0.5)$$);
RESET ROLE;
CREATE SCHEMA closed_schema;
CREATE TABLE closed_schema.independent AS SELECT * FROM independent;
ANALYZE closed_schema.independent;
GRANT SELECT ON closed_schema.independent TO nosy;
SET ROLE nosy;
SELECT brute.expected_rows($$frequent_itemsets('closed_schema.independent', 'items', 0.5)$$);
RESET ROLE;
-- a call that is planned where little of the stack is left
CREATE TABLE one_transaction AS SELECT 1 AS id, item FROM generate_series(1, 20000) AS item;
ANALYZE one_transaction;
CREATE FUNCTION expected_deep_down(levels int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF levels > 0 THEN
		RETURN expected_deep_down(levels - 1);
	END IF;
	RETURN brute.expected_rows($call$frequent_itemsets('one_transaction', 'id', 'item', 1)$call$);
END
$$;
DO $$
DECLARE
	fit int := 1;
	too_many int := 20000;
	expected int;
BEGIN
	-- as much as the usual limit of the system allows
	BEGIN
		SET max_stack_depth = '7680kB';
	EXCEPTION WHEN invalid_parameter_value THEN
	END;
	WHILE too_many > fit + 1 LOOP
		BEGIN
			expected := expected_deep_down((fit + too_many) / 2);
			fit := (fit + too_many) / 2;
		EXCEPTION WHEN statement_too_complex THEN
			too_many := (fit + too_many) / 2;
		END;
	END LOOP;
	RAISE NOTICE 'as many levels as fit: %, % rows', fit > 100, expected;
END
$$;
RESET max_stack_depth;
-- a wrapper with the same support function gets an estimate if its arguments have the same names and types, and never an error
CREATE TABLE wrapped AS SELECT n % 100 AS id, n % 7 AS item, ARRAY[n % 7, n % 11] AS items FROM generate_series(1, 1000) AS n;
ANALYZE wrapped;
CREATE FUNCTION wrapper(source text, items_column text, minsup float8) RETURNS TABLE (items text[]) LANGUAGE plpgsql SUPPORT gpufim_itemsets_rows ROWS 333 AS 'BEGIN END';
SELECT brute.expected_rows($$wrapper('wrapped', 'items', 0.001)$$) = brute.expected_rows($$frequent_itemsets('wrapped', 'items', 0.001)$$) AS same;
DROP FUNCTION wrapper;
CREATE FUNCTION pg_temp.planned(support text, arguments text, call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	-- only this language takes all types of arguments; the function is not called
	EXECUTE format('CREATE FUNCTION wrapper(%s) RETURNS SETOF int LANGUAGE internal SUPPORT %s ROWS 333 AS ''pg_num_nonnulls''', arguments, support);
	EXECUTE format('EXPLAIN (FORMAT JSON) SELECT * FROM wrapper(%s)', call) INTO plan;
	DROP FUNCTION wrapper;
	RETURN plan->0->'Plan'->>'Plan Rows';
END
$$;
SELECT arguments, array_agg(DISTINCT pg_temp.planned(support, arguments, call))
FROM unnest('{gpufim_itemsets_rows,gpufim_counts_rows,gpufim_distribution_rows,gpufim_episodes_rows,gpufim_episode_counts_rows,gpufim_occurrences_rows,gpufim_sets_rows}'::text[]) AS support,
	(VALUES ('', ''), ('text, text, text, text', $$'wrapped', 'id', 'item', '2'$$), ('a text, b text, c text, d text, e text', $$'wrapped', 'id', 'item', '2', 'x'$$),
		('VARIADIC "any"', $$'wrapped', 1, 2, 3, 4, 5, 6$$), ('source text, VARIADIC items "any"', $$'wrapped', 1, 'x', 3, 4$$), ('source text, VARIADIC items text[]', $$'wrapped', 'x', 'y'$$),
		('source text, tid_column int, item_column boolean, minsup jsonb, kind int, including int, excluding int, min_length text, max_length boolean, items int, events int, gaps int', $$'wrapped', 1, true, '{}', 1, 2, 3, '4', true, 5, 6, 7$$),
		('source bigint, items_column bigint, probability_column bigint, minsup bigint', '1, 2, 3, 4'), ('source text, items_column text, minsup int2, items int[], including int[], gaps int4range[]', $$'wrapped', 'items', 2::int2, '{1}', '{2}', '{"[1,2)"}'$$),
		('source text, event_column text, time_column text, minsup text, gaps int', $$'wrapped', 'item', 'id', '2', 5$$), ('source text, event_column text, time_column text, minsup int, events int[], gaps text', $$'wrapped', 'item', 'id', 2, '{1}', '(0,5]'$$),
		('left_source int, left_key int, left_value int, right_source int, right_key int, right_value int, min_witnesses text', $$1, 2, 3, 4, 5, 6, '7'$$),
		('source text, tid_column name, item_column name, threshold text, measure int', $$'wrapped', 'id', 'item', '0.5', 1$$)) AS w (arguments, call)
GROUP BY arguments ORDER BY arguments;
DROP TABLE wrapped;
SET client_min_messages = warning;
DROP SCHEMA closed_schema CASCADE;
DROP TABLE independent, independent_pairs, one_transaction;
DROP FUNCTION expected_deep_down;
DROP FUNCTION brute.expected_rows, brute.actual_rows;
REVOKE USAGE ON SCHEMA brute FROM nosy;
DROP ROLE nosy;
