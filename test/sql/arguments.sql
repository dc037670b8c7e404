-- Every argument of every function NULL or wrong: a clear error, and never more
-- than that.  Three parts: types, the source, and everything at once.

-- 1. NULL: an error that names the argument, except where NULL means "none"
SELECT * FROM frequent_itemsets(NULL, 'items', 3);
SELECT * FROM frequent_itemsets('baskets', NULL, 3);
SELECT * FROM frequent_itemsets('baskets', 'items', NULL);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, kind => NULL);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => NULL);
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, max_length => NULL, including => NULL, excluding => NULL);
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, NULL::text[]);
SELECT * FROM frequent_itemsets(NULL, 'items', 3, NULL::text[]);
SELECT * FROM frequent_itemsets('baskets', NULL, 3, NULL::text[]);
SELECT * FROM frequent_itemsets('baskets', 'items', NULL::float8, NULL::text[]);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, NULL::text[], kind => NULL);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, NULL::text[], min_length => NULL);
SELECT * FROM frequent_itemsets(NULL, 'id', 'item', 3);
SELECT * FROM frequent_itemsets('basket_items', NULL, 'item', 3);
SELECT * FROM frequent_itemsets('basket_items', 'id', NULL, 3);
SELECT * FROM frequent_itemsets('basket_items', 'id', 'item', NULL::float8);
SELECT * FROM frequent_itemsets('basket_items', 'id', 'item', 3, kind => NULL);
SELECT * FROM frequent_itemsets('basket_items', 'id', 'item', 3, min_length => NULL);
SELECT count(*) FROM frequent_itemsets('basket_items', 'id', 'item', 3, max_length => NULL, including => NULL, excluding => NULL);
SELECT * FROM frequent_itemsets('basket_items', NULL, 'item', 3, NULL::text[]);
SELECT * FROM itemset_counts(NULL, 'items', 3);
SELECT * FROM itemset_counts('baskets', NULL, 3);
SELECT * FROM itemset_counts('baskets', 'items', NULL);
SELECT * FROM itemset_counts('baskets', 'items', 3, kind => NULL);
SELECT * FROM itemset_counts('baskets', 'items', 3, min_length => NULL);
SELECT * FROM itemset_counts('basket_items', NULL, 'item', 3);
SELECT * FROM itemset_counts('basket_items', 'id', NULL, 3);

-- each argument of each function of the extension, in every form: the error names the argument, unless NULL means something
CREATE FUNCTION brute.literal(argument text, type text) RETURNS text LANGUAGE sql AS $$
SELECT CASE WHEN argument = 'time_type' THEN 'NULL::int[]' WHEN argument ~ '_type$' THEN CASE WHEN type ~ 'array' THEN 'NULL::text[]' ELSE 'NULL::text' END
	ELSE quote_literal(CASE
		WHEN argument ~ 'source$' THEN '(SELECT 1 AS n, ''a'' AS item, ''{a}''::text[] AS items, 0.5 AS p)'
		WHEN argument ~ '^(.*tid_column|time_column|.*_key|a_.*|b_.*)$' THEN 'n'
		WHEN argument ~ '^(.*item_column|event_column|partition_column|.*_value)$' THEN 'item'
		WHEN argument = 'items_column' THEN 'items' WHEN argument = 'probability_column' THEN 'p'
		WHEN argument = 's' THEN '{1,pg_catalog,text,pg_catalog,default,"","","","{a}",AgAA}'
		WHEN argument = 'kind' THEN 'all' WHEN argument = 'measure' THEN 'jaccard' WHEN argument = 'method' THEN 'move'
		WHEN argument ~ 'including' THEN '{a}' WHEN argument ~ 'excluding' THEN '{}' WHEN argument = 'adjust' THEN 'holm' WHEN argument = 'by' THEN 'lift' WHEN argument = 'max_length' THEN '2'
		WHEN argument = 'items' THEN '{a}' WHEN argument = 'candidates' THEN '{"{a}"}' WHEN argument = 'events' THEN '{a,a}' WHEN argument = 'gaps' THEN '{"(0,5]"}'
		WHEN argument = 'part' THEN '0' WHEN argument IN ('exact', 'witnesses') THEN 'true' ELSE '1' END) || '::' || type END
$$;
CREATE FUNCTION brute.outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE call;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END
$$;
CREATE VIEW brute.arguments AS
	SELECT p.oid, p.proname, i, format_type(p.proargtypes[i - 1], NULL) AS type,
		   coalesce(nullif(p.proargnames[i], ''), (CASE p.proname WHEN 'frequent_pairs' THEN '{source,tid_column,item_column,minsup}' ELSE '{source,tid_column,item_column,threshold}' END::text[])[i]) AS argument
	FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim'),
		 generate_series(1, p.pronargs) AS i
	WHERE p.prokind = 'f' AND p.proname !~ '^(gpufim_|transaction)';
SET client_min_messages = warning;
SET gpufim.engine = cpu;
WITH calls AS (
	SELECT proname, argument, (
		SELECT format('SELECT count(*) FROM %s(%s)', n.proname, string_agg(CASE WHEN i = n.i AND argument !~ '_type$' THEN 'NULL::' || type ELSE brute.literal(argument, type) END, ', ' ORDER BY i))
		FROM brute.arguments WHERE oid = n.oid) AS call
	FROM brute.arguments AS n)
SELECT argument, array_agg(DISTINCT message) AS messages FROM calls, brute.outcome(call) AS message
WHERE argument !~ '_type$' AND message IS DISTINCT FROM format('argument "%s" must not be null', argument)
GROUP BY argument ORDER BY argument COLLATE "C";
RESET gpufim.engine;
-- where the form of the call is not plain from its types
SELECT call, brute.outcome('SELECT * FROM ' || call) FROM unnest(ARRAY[
	$$frequent_itemsets('x', 'items', NULL, 'closed')$$, $$frequent_itemsets('x', 'items', '1', NULL)$$, $$itemset_counts('x', 'items', '1', NULL)$$, $$frequent_itemsets('x', 'id', 'item', NULL)$$,
	$$probable_itemsets('x', 'items', 'p', NULL)$$, $$probable_itemsets('x', 'id', 'item', 'p', NULL)$$,
	$$association_rules('x', 'items', NULL, '0.5')$$, $$association_rules('x', 'items', '1', NULL)$$, $$association_rules('x', 'id', 'item', NULL)$$,
	$$frequent_pairs('x', 'items', NULL)$$, $$frequent_pairs('x', 'id', 'item', NULL)$$,
	$$similar_sets('x', 'items', NULL)$$, $$similar_sets('x', 'items', NULL, 'cosine')$$, $$similar_sets('x', 'items', '0.5', NULL)$$, $$similar_sets('x', 'id', 'item', NULL)$$]) AS call;
SELECT * FROM probable_itemsets('x', 'items', 'p', NULL, 0.5);
RESET client_min_messages;
DROP VIEW brute.arguments;
DROP FUNCTION brute.literal(text, text), brute.outcome(text);

-- 2. Wrong: of the wrong type, of the wrong form, out of range
SELECT * FROM frequent_itemsets('baskets', 'items', 'three');
SELECT * FROM frequent_itemsets('baskets', 'items', 3, including => 'milk');
SELECT * FROM frequent_itemsets('baskets', 'items', 3, including => '{milk');
-- what PostgreSQL adds to it differs between versions
\set VERBOSITY terse
SELECT * FROM frequent_itemsets(1, 'items', 3);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => 1.5);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, max_length => 3000000000);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, colour => 'red');
SELECT * FROM frequent_itemsets('baskets', 'items');
\set VERBOSITY default
SELECT * FROM frequent_itemsets('baskets', 'items', 3, kind => 'frequent');
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => 0);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, max_length => 0);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, min_length => 3, max_length => 2);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, part => 4, parts => 4);
SELECT * FROM itemset_counts('baskets', 'items', 3, part => -1, parts => 4);
SELECT * FROM association_rules('baskets', 'items', 3, parts => 0);
SELECT * FROM frequent_itemsets('baskets', 'items', 3, parts => 1025);
SELECT * FROM frequent_itemsets('baskets', 'id', 3);
SELECT * FROM frequent_itemsets('baskets', 'basket', 3);
SELECT * FROM frequent_itemsets('no_such_table', 'items', 3);
SELECT * FROM itemset_counts('baskets', 'items', 3, kind => 'frequent');
SELECT * FROM itemset_counts('baskets', 'items', 3, min_length => 0);
SELECT * FROM itemset_counts('baskets', 'items', 3, max_length => 0);
SELECT * FROM itemset_counts('baskets', 'items', -3);
SELECT * FROM itemset_counts('no_such_table', 'items', 3);
SELECT * FROM itemset_counts('baskets', 'id', 3);
-- the error code, the argument's name and a hint, for programs that read them
CREATE FUNCTION brute.error_of(call text, OUT code text, OUT message text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE call;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
END
$$;
SELECT call, e.code, e.hint <> '' AS has_hint
FROM unnest('{"NULL, ''items'', 3","''baskets'', NULL, 3","''baskets'', ''items'', NULL","''baskets'', ''items'', 0","''baskets'', ''items'', 1.5",
			  "''baskets'', ''items'', ''NaN''","''baskets'', ''items'', 3, kind => ''some''","''baskets'', ''items'', 3, min_length => 0",
			  "''baskets'', ''items'', 3, max_length => 0","''baskets'', ''items'', 3, including => ''{NULL}''",
			  "''baskets'', ''nothing'', 3","''nothing'', ''items'', 3","''baskets'', ''id'', 3","''numbers'', ''items'', 3, including => ''{x}''",
			  "''numbers'', ''items'', 3, NULL::text[]","''(SELECT 1'', ''items'', 3","''(DELETE FROM baskets RETURNING items)'', ''items'', 3",
			  "''('', ''items'', 3","''(SELECT ''''{1}''''::json[] AS items)'', ''items'', 3"}'::text[]) WITH ORDINALITY AS c(call, n),
	 brute.error_of('SELECT * FROM frequent_itemsets(' || call || ')') AS e
ORDER BY n;

-- 3. No crash: every combination of good, NULL and bad values, for each function;
-- what matters is that each call ends in rows or in an error of a class that users
-- can cause (22: data, 42: syntax or access, 0A: not supported, 54: limits)
SET client_min_messages = warning;
SELECT function, count(*) AS calls,
	   count(*) FILTER (WHERE e.code IS NULL) AS fine,
	   count(*) FILTER (WHERE e.code !~ '^(22|42|0A|54)') AS surprising
FROM unnest('{frequent_itemsets,itemset_counts}'::text[]) AS function,
	 unnest('{"''baskets'', ''items''","NULL, ''items''","''baskets'', NULL","''baskets'', ''id''","''('', ''items''",
			  "''basket_items'', ''id'', ''item''","''basket_items'', NULL, ''item''","''basket_items'', ''item'', ''id''"}'::text[]) AS source,
	 unnest('{"3","NULL::float8","''-Infinity''","1e308"}'::text[]) AS minsup,
	 unnest('{"",", NULL::text[]",", NULL::int[]"}'::text[]) AS sample,
	 unnest('{"NULL","''maximal''","''''"}'::text[]) AS kind,
	 unnest('{"1","NULL","-2147483648"}'::text[]) AS low,
	 unnest('{"NULL","1","-1"}'::text[]) AS high,
	 unnest('{"NULL","''{milk,NULL}''"}'::text[]) AS filter,
	 brute.error_of(format('SELECT count(*) FROM %s(%s, %s%s, kind => %s, min_length => %s, max_length => %s, including => %s, excluding => %8$s)',
						   function, source, minsup, sample, kind, low, high, filter)) AS e
GROUP BY function ORDER BY function;
RESET client_min_messages;
DROP FUNCTION brute.error_of;
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
