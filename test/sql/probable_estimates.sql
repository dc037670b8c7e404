-- How many rows the planner expects of probable_itemsets()
CREATE FUNCTION pg_temp.expected_rows(call text, function text DEFAULT 'probable_itemsets') RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM ' || function || '(' || call || ')' INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
CREATE FUNCTION pg_temp.actual_rows(call text, function text DEFAULT 'probable_itemsets') RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || function || '(' || call || ')' INTO n;
	RETURN n;
END
$$;
CREATE FUNCTION pg_temp.chance(key text) RETURNS float8 LANGUAGE sql AS 'SELECT get_byte(decode(md5($1), ''hex''), 0) / 255.0';
CREATE TABLE guesses AS
	SELECT id, items, 0.2 + 0.6 * pg_temp.chance('p' || id) AS p, (0.2 + 0.6 * pg_temp.chance('p' || id))::real AS short, (0.2 + 0.6 * pg_temp.chance('p' || id))::numeric AS long,
		   CASE WHEN pg_temp.chance('q' || id) < 0.5 THEN 0.25 ELSE 0.75 END AS common,
		   ARRAY(SELECT pg_temp.chance(id || 'i' || i) FROM unnest(items) AS i) AS ps
	FROM (SELECT id, ARRAY(SELECT k FROM generate_series(1, 20) AS k WHERE pg_temp.chance(id || ' ' || k) < 0.9 / k ORDER BY k) AS items
		  FROM generate_series(1, 1000) AS id) AS s;
CREATE TABLE guessed AS SELECT id, i AS item, c AS p FROM guesses, unnest(items, ps) AS u(i, c);
ALTER TABLE guesses SET (autovacuum_enabled = off);
SELECT pg_temp.expected_rows('''guesses'', ''items'', ''p'', 0.01');
ANALYZE guesses, guessed;
-- items that are independent: within a half of what there is
SELECT columns, arguments, count > 0 AS some, CASE WHEN expected BETWEEN count * 0.5 - 2 AND count * 2 + 2 THEN '' ELSE expected || ' not ' || count END AS wrong
FROM unnest('{"''guesses'', ''items'', ''p''","''guesses'', ''items'', ''short''","''guesses'', ''items'', ''long''","''guesses'', ''items'', ''common''","''guesses'', ''items'', ''ps''","''guessed'', ''id'', ''item'', ''p''"}'::text[]) AS columns,
	 unnest('{"0.1","0.02, NULL::float8","10","20, 0.9, max_length => 2","0.02, kind => ''maximal''","20, 0.5, NULL::int[]"}'::text[]) AS arguments,
	 LATERAL (SELECT pg_temp.expected_rows(columns || ', ' || arguments) AS expected) AS e,
	 LATERAL (SELECT pg_temp.actual_rows(columns || ', ' || arguments) AS count) AS r;
-- what is not known is as declared
SELECT DISTINCT pg_temp.expected_rows(call) FROM unnest(ARRAY[$$'(TABLE guesses)', 'items', 'p', 0.1$$, $$'guesses', 'nosuch', 'p', 0.1$$, $$'nosuch', 'items', 'p', 0.1$$,
	$$'guesses', 'items', NULL, 0.1$$, $$'guesses', 'items', 'p', random()$$, $$'guesses', 'items', 'p', '', '0.5'$$, $$'guessed', 'id', 'item', NULL, 0.1$$]) AS call;
SELECT pg_temp.expected_rows($$'guesses', 'items', 'nosuch', 0.1$$) > 0 AS goes_on, pg_temp.expected_rows($$'guesses', 'items', 'items', 0.1$$) > 0 AS goes_on;
-- calls without types: as with types
SELECT untyped, pg_temp.expected_rows(untyped) - pg_temp.expected_rows(typed) AS difference
FROM (VALUES ($$'guesses', 'items', 'p', '0.01'$$, $$'guesses', 'items', 'p', 0.01$$), ($$'guesses', 'items', 'p', '0.01', '0.5', '2', '3', '{1}', NULL, 'maximal'$$, $$'guesses', 'items', 'p', 0.01, 0.5, 2, 3, '{1}', NULL, 'maximal'$$),
	($$'guesses', 'items', 'ps', '10', '0.5', max_length => '2'$$, $$'guesses', 'items', 'ps', 10, 0.5, max_length => 2$$), ($$'guessed', 'id', 'item', 'p', '0.02'$$, $$'guessed', 'id', 'item', 'p', 0.02$$),
	($$'guessed', 'id', 'item', 'p', '0.02', NULL, '2', kind => 'maximal'$$, $$'guessed', 'id', 'item', 'p', 0.02, NULL, 2, kind => 'maximal'$$)) AS v(untyped, typed);
-- the distribution of the support of one itemset: within a half and twice of what there is
CREATE TABLE certain AS SELECT '{1,2}'::int[] AS items, 1.0::float8 AS sure, 0.001::float8 AS doubtful, 0.5::float8 AS even FROM generate_series(1, 10000);
ANALYZE certain;
SELECT arguments, n, CASE WHEN expected BETWEEN n * 0.5 - 2 AND n * 2 + 2 THEN '' ELSE expected || ' not ' || n END AS wrong
FROM unnest(ARRAY[$$'guesses', 'items', 'p', '{1}'$$, $$'guesses', 'items', 'common', '{2}'$$, $$'guesses', 'items', 'ps', '{1}'$$, $$'guesses', 'items', 'ps', '{1,2}'$$, $$'guessed', 'id', 'item', 'p', '{1}'$$, $$'guessed', 'id', 'item', 'p', '{1,3}'$$,
				  $$'certain', 'items', 'sure', '{1,2}'$$, $$'certain', 'items', 'doubtful', '{2}'$$, $$'certain', 'items', 'even', '{1,1}'$$]) AS arguments,
	 LATERAL (SELECT pg_temp.expected_rows(arguments, 'probable_itemset_distribution') AS expected, pg_temp.actual_rows(arguments, 'probable_itemset_distribution') AS n) AS e;
SELECT pg_temp.expected_rows($$'guesses', 'items', 'p', '{never}'$$, 'probable_itemset_distribution') BETWEEN 2 AND 22 AS as_for_what_is_not_common;
SELECT DISTINCT pg_temp.expected_rows(call, 'probable_itemset_distribution') FROM unnest(ARRAY[$$'(TABLE guesses)', 'items', 'p', '{1}'$$, $$'guesses', 'nosuch', 'p', '{1}'$$, $$'nosuch', 'items', 'p', '{1}'$$, $$'guesses', 'items', NULL, '{1}'$$, $$'guesses', 'items', 'p', '{}'$$,
	$$'guesses', 'items', 'p', NULL$$, $$'guesses', 'items', 'p', '{NULL}'$$, $$'guesses', 'id', 'p', '{1}'$$, $$'guessed', 'id', 'nosuch', 'p', '{1}'$$]) AS call;
DROP TABLE guesses, guessed, certain;
