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
	 unnest('{"",", NULL::text[]",", NULL::int[]"}'::text[]) AS witness,
	 unnest('{"NULL","''maximal''","''''"}'::text[]) AS kind,
	 unnest('{"1","NULL","-2147483648"}'::text[]) AS low,
	 unnest('{"NULL","1","-1"}'::text[]) AS high,
	 unnest('{"NULL","''{milk,NULL}''"}'::text[]) AS filter,
	 brute.error_of(format('SELECT count(*) FROM %s(%s, %s%s, kind => %s, min_length => %s, max_length => %s, including => %s, excluding => %8$s)',
						   function, source, minsup, witness, kind, low, high, filter)) AS e
GROUP BY function ORDER BY function;
RESET client_min_messages;
DROP FUNCTION brute.error_of;
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
