-- How many rows the planner expects of probable_itemsets()
CREATE FUNCTION pg_temp.expected_rows(call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM probable_itemsets(' || call || ')' INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
CREATE FUNCTION pg_temp.actual_rows(call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE 'SELECT count(*) FROM probable_itemsets(' || call || ')' INTO n;
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
	$$'guesses', 'items', NULL, 0.1$$, $$'guesses', 'items', 'p', random()$$, $$'guesses', 'items', 'p', '0.1', '0.5'$$, $$'guessed', 'id', 'item', NULL, 0.1$$]) AS call;
SELECT pg_temp.expected_rows($$'guesses', 'items', 'nosuch', 0.1$$) > 0 AS goes_on, pg_temp.expected_rows($$'guesses', 'items', 'items', 0.1$$) > 0 AS goes_on;
DROP TABLE guesses, guessed;
