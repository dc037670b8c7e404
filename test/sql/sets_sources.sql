-- What the columns and sources of products of sets can be, against SQL's own join
CREATE DOMAIN weekday AS int CHECK (VALUE BETWEEN 1 AND 7);
CREATE TYPE feeling AS ENUM ('glad', 'sad');
CREATE TYPE spot AS (x numeric, y text);
-- the number of pairs and the sum of their witnesses, and how that differs from SQL
CREATE FUNCTION against_sql(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
	EXECUTE 'CREATE TEMP TABLE t ON COMMIT DROP AS ' || query;
	SELECT ours || CASE WHEN ours = theirs THEN '' ELSE ' not ' || theirs END INTO answer
	FROM (SELECT count(*) || ' ' || sum(witnesses) FROM join_project('t', 'k', 'v', 't', 'k2', 'v2')) AS o (ours),
		(SELECT count(*) || ' ' || sum(n) FROM (SELECT count(DISTINCT l.k) AS n FROM t AS l JOIN t AS r ON l.k = r.k2 WHERE l.v IS NOT NULL AND r.v2 IS NOT NULL GROUP BY l.v, r.v2) AS s) AS t (theirs);
	DROP TABLE t;
	RETURN answer;
EXCEPTION WHEN others THEN
	RETURN SQLERRM;
END
$$;
SELECT name, against_sql('SELECT ' || columns || ' FROM generate_series(1, 60) AS n') FROM (VALUES
	('numeric of several scales', $$(ARRAY[1.0, 1.00, 2, 'NaN'::numeric, 1e0])[1 + n % 5] AS k, (ARRAY[1.0, 1.00, 2])[1 + n % 3] AS v, (ARRAY[1::numeric, 'NaN', 2.000])[1 + n % 3] AS k2, n % 4 AS v2$$),
	('zeros and NaN', $$(ARRAY[0, '-0', 'NaN', 'inf', 1]::float8[])[1 + n % 5] AS k, (ARRAY[0, '-0', 'NaN']::float8[])[1 + n % 3] AS v, (ARRAY['-0', 'NaN', '-inf']::float4[])[1 + n % 3] AS k2, n % 4 AS v2$$),
	('integers of two lengths', $$n % 7 AS k, n % 5 AS v, (n % 11)::bigint AS k2, (n % 4)::smallint AS v2$$),
	('integers and decimals', $$n % 7 AS k, n % 5 AS v, n % 11 / 2.0 AS k2, n % 4 AS v2$$),
	('trailing blanks', $$(ARRAY['a', 'a ', 'b'])[1 + n % 3]::char(4) AS k, (ARRAY['x', 'x  '])[1 + n % 2]::char(5) AS v, (ARRAY['a  ', 'b'])[1 + n % 2]::char(9) AS k2, n % 4 AS v2$$),
	('jsonb', $$(ARRAY['{"a":1}', '{"a": 1.0}', '[1]', 'null'])[1 + n % 4]::jsonb AS k, (ARRAY['1', '1.0', '2'])[1 + n % 3]::jsonb AS v, (ARRAY['{"a":1.00}', '[1]'])[1 + n % 2]::jsonb AS k2, n % 4 AS v2$$),
	('enum', $$(ARRAY['glad', 'sad', NULL])[1 + n % 3]::feeling AS k, (ARRAY['glad', 'sad'])[1 + n % 2]::feeling AS v, (ARRAY['sad', NULL])[1 + n % 2]::feeling AS k2, n % 4 AS v2$$),
	('arrays as keys', $$(ARRAY['{1.0,2}', '{1,2.00}', '{}', '{NULL}'])[1 + n % 4]::numeric[] AS k, (ARRAY['{1}', '{1.0}'])[1 + n % 2]::numeric[] AS v, (ARRAY['{1,2}', '{NULL}'])[1 + n % 2]::numeric[] AS k2, n % 4 AS v2$$),
	('composite', $$ROW((ARRAY[1.0, 1, 2])[1 + n % 3], 'a')::spot AS k, ROW((ARRAY[1.0, 1])[1 + n % 2], 'b')::spot AS v, ROW((ARRAY[1.00, 2.0])[1 + n % 2], 'a')::spot AS k2, n % 4 AS v2$$),
	('domain', $$(1 + n % 7)::weekday AS k, (1 + n % 5)::weekday AS v, (1 + n % 6)::bigint AS k2, (1 + n % 4)::weekday AS v2$$),
	('interval', $$(ARRAY['1 day', '24 hours', '1 mon', '30 days'])[1 + n % 4]::interval AS k, n % 3 AS v, (ARRAY['24 hours', '1 mon'])[1 + n % 2]::interval AS k2, (ARRAY['1 day', '24 hours'])[1 + n % 2]::interval AS v2$$),
	('money, which only sorts', $$(n % 3)::money AS k, (n % 4)::money AS v, (n % 5)::money AS k2, 1 AS v2$$),
	('bit', $$(n % 3)::bit(4) AS k, (n % 4)::bit(4) AS v, (n % 5)::bit(4) AS k2, 1 AS v2$$),
	('tsvector', $$to_tsvector('simple', chr(97 + n % 3)) AS k, n % 3 AS v, to_tsvector('simple', chr(97 + n % 2)) AS k2, n % 5 AS v2$$),
	('range', $$int4range(n % 3, n % 3 + 2) AS k, n % 2 AS v, int4range(n % 3, n % 3 + 1, '[]') AS k2, int4range(n % 2, 5) AS v2$$),
	('character with varchar', $$(ARRAY['ab', 'ac ', 'b'])[1 + n % 3]::varchar AS k, n % 4 AS v, (ARRAY['ab', 'ac', 'b'])[1 + n % 3]::char(5) AS k2, n % 5 AS v2$$),
	('bits of two lengths', $$(ARRAY[B'101', B'1', B'110'])[1 + n % 3]::varbit AS k, n % 4 AS v, (ARRAY[B'101', B'111'])[1 + n % 2]::bit(3) AS k2, n % 5 AS v2$$),
	('names and single characters', $$(ARRAY['a', 'b', 'ab'])[1 + n % 3]::name AS k, n % 4 AS v, (ARRAY['a', 'c', 'ab'])[1 + n % 3]::"char" AS k2, n % 5 AS v2$$),
	('single characters and text', $$(ARRAY['a', 'b'])[1 + n % 2]::"char" AS k, n % 4 AS v, (ARRAY['a', 'c', 'ab'])[1 + n % 3] AS k2, n % 5 AS v2$$),
	('json has no =', $$'1'::json AS k, n AS v, '1'::json AS k2, n AS v2$$),
	('point has no =', $$point(n, 1) AS k, n AS v, point(n, 1) AS k2, n AS v2$$),
	('json as a value', $$n AS k, '1'::json AS v, n AS k2, n AS v2$$),
	('box has an = that is no equality', $$box(point(0, 0), point(n, 1)) AS k, n AS v, box(point(0, 0), point(n, 1)) AS k2, n AS v2$$)) AS c (name, columns);

-- what a source can be: the same rows of a table, in partitions, of a view, a materialized view, a temporary table, a function, a query with a cast
CREATE TABLE part (k int, v int) PARTITION BY HASH (k);
CREATE TABLE part0 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part1 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO part SELECT n % 17, n % 23 FROM generate_series(1, 200) AS n;
CREATE VIEW part_view AS SELECT v AS w, k FROM part;
CREATE MATERIALIZED VIEW part_copy AS TABLE part;
CREATE TEMP TABLE part_temp AS TABLE part;
ALTER TABLE part_temp ADD dropped int;
ALTER TABLE part_temp DROP dropped;
CREATE FUNCTION part_rows() RETURNS SETOF part LANGUAGE sql STABLE AS 'TABLE part';
CREATE FUNCTION pg_temp.n_pairs(l text) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE n bigint; BEGIN EXECUTE format('SELECT join_project_count(%s, %L, ''k'', ''v'', 5)', l, 'part') INTO n; RETURN n; END $$;
SELECT DISTINCT n = (SELECT count(*) FROM (SELECT FROM part AS a JOIN part AS b USING (k) GROUP BY a.v, b.v HAVING count(DISTINCT k) >= 5) AS s) AS equal FROM unnest(ARRAY[$$'part', 'k', 'v'$$, $$'part_view', 'k', 'w'$$, $$'part_copy', 'k', 'v'$$, $$'part_temp', 'k', 'v'$$, $$'pg_temp.part_temp', 'k', 'v'$$, $$'public.part', 'k', 'v'$$, $$'(SELECT * FROM part_rows())', 'k', 'v'$$,
	$$'(TABLE part UNION ALL TABLE part)', 'k', 'v'$$, $$'(SELECT k::bigint, v::text FROM part)', 'k', 'v'$$, $$'(WITH w AS MATERIALIZED (TABLE part) SELECT k AS "K", v AS "V""" FROM w)', 'K', 'V"'$$]) AS l, LATERAL (SELECT pg_temp.n_pairs(l)) AS s (n);

-- a generic plan, and a table that changes under it
SET plan_cache_mode = force_generic_plan;
PREPARE generic (text, bigint) AS SELECT count(*), sum(witnesses) FROM join_project($1, 'k', 'v', 'part', 'k', 'v', $2);
EXECUTE generic('part', 3);
EXECUTE generic('part_copy', 3);
INSERT INTO part SELECT n % 17, 100 FROM generate_series(1, 3) AS n;
EXECUTE generic('part', 3);
EXECUTE generic('part_copy', 3);
SELECT count(*), sum(n) FROM (SELECT count(DISTINCT k) AS n FROM part AS a JOIN part AS b USING (k) GROUP BY a.v, b.v HAVING count(DISTINCT k) >= 3) AS s;
SELECT count(*), sum(n) FROM (SELECT count(DISTINCT k) AS n FROM part_copy AS a JOIN part AS b USING (k) GROUP BY a.v, b.v HAVING count(DISTINCT k) >= 3) AS s;
RESET plan_cache_mode;

-- a cursor that is closed early, and one that goes on after its transaction
BEGIN;
DECLARE early CURSOR FOR SELECT * FROM join_project('part_copy', 'k', 'v', 'part_copy', 'k', 'v', witnesses => false);
FETCH 1 FROM early \gset
CLOSE early;
DECLARE late SCROLL CURSOR WITH HOLD FOR SELECT * FROM frequent_pairs('part_copy', 'v', 'k', 1, NULL::int) ORDER BY 1, 2;
COMMIT;
FETCH 2 FROM late;
FETCH LAST FROM late;
FETCH ABSOLUTE 1 FROM late;
CLOSE late;

-- an error inside a subtransaction, after which the same call works; what was not committed is seen
DO $$
DECLARE n bigint;
BEGIN
	FOR divisor IN 0 .. 1 LOOP
		BEGIN
			n := join_project_count(format('(SELECT k, v / (%s * k) AS v FROM part_copy WHERE k > 0)', divisor), 'k', 'v', 'part_copy', 'k', 'v');
			RAISE NOTICE 'divisor %: % rows', divisor, n > 0;
		EXCEPTION WHEN division_by_zero THEN
			RAISE NOTICE 'divisor %: %', divisor, SQLERRM;
		END;
	END LOOP;
END
$$;
BEGIN;
CREATE TABLE uncommitted AS SELECT 1 AS k, 2 AS v;
SAVEPOINT s;
INSERT INTO uncommitted VALUES (1, 3);
SELECT join_project_count('uncommitted', 'k', 'v', 'uncommitted', 'k', 'v');
ROLLBACK TO s;
SELECT join_project_count('uncommitted', 'k', 'v', 'uncommitted', 'k', 'v');
ROLLBACK;

-- a call within the source of a call, in a lateral join and in the list of results
SELECT count(*) FROM join_project($$(SELECT left_value, right_value FROM join_project('part_copy', 'k', 'v', 'part_copy', 'k', 'v', 1, NULL::int, NULL::int))$$, 'left_value', 'right_value', 'part_copy', 'v', 'k');
SELECT count(*) FROM (SELECT DISTINCT ab.w, c.k FROM (SELECT DISTINCT a.v, b.v AS w FROM part_copy AS a JOIN part_copy AS b USING (k)) AS ab JOIN part_copy AS c ON c.v = ab.v) AS s;
SELECT t.least, count(*) FROM (VALUES (1), (5), (8)) AS t (least), LATERAL join_project('part_copy', 'k', 'v', 'part_copy', 'k', 'v', t.least) GROUP BY 1 ORDER BY 1;
SELECT least, count(*) FROM unnest('{1,5,8}'::int[]) AS least, (SELECT count(DISTINCT k) AS n FROM part_copy AS a JOIN part_copy AS b USING (k) GROUP BY a.v, b.v) AS s WHERE n >= least GROUP BY 1 ORDER BY 1;
SELECT (frequent_pairs('(VALUES (ARRAY[1, 2]), (ARRAY[1, 2, 3]))', 'column1', 2)).*;

-- time is up: in reading, multiplying, and putting rows out
\set VERBOSITY terse
SET statement_timeout = '200ms';
SELECT join_project_count('(SELECT n % 10 AS k, n AS v FROM generate_series(1, 100000000) AS n)', 'k', 'v', 'part_copy', 'k', 'v');
SELECT join_project_count('part_copy', 'k', 'v', '(SELECT n % 10 AS k, n AS v FROM generate_series(1, 100000000) AS n)', 'k', 'v');
-- how far it comes, and so whether a notice of many results is seen, depends on the machine
SET client_min_messages = warning;
SELECT count(witnesses) FROM join_project('(SELECT 1 AS k, n AS v FROM generate_series(1, 20000) AS n)', 'k', 'v', '(SELECT 1 AS k, n AS v FROM generate_series(1, 20000) AS n)', 'k', 'v');
RESET statement_timeout;
DROP TABLE part CASCADE;
DROP TABLE part_temp;
DROP FUNCTION against_sql;
DROP TYPE feeling, spot;
DROP DOMAIN weekday;

-- dates beside timestamps: infinities are equal, and what is later than every timestamp is an error
SELECT * FROM join_project('(SELECT date ''infinity'' AS k, 1 AS v UNION ALL SELECT ''-infinity'', 2 UNION ALL SELECT ''294276-12-31'', 3)', 'k', 'v',
	'(SELECT timestamp ''infinity'' AS k, 1 AS v UNION ALL SELECT ''-infinity'', 2 UNION ALL SELECT ''294276-12-31'', 3)', 'k', 'v') ORDER BY 1;
SELECT * FROM join_project('(SELECT date ''294277-01-01'' AS k, 1 AS v)', 'k', 'v', '(SELECT timestamp ''2000-01-01'' AS k, 1 AS v)', 'k', 'v');
SELECT * FROM join_project('(SELECT date ''294277-01-01'' AS k, 1 AS v)', 'k', 'v', '(SELECT date ''294277-01-01'' AS k, 1 AS v)', 'k', 'v');

-- a function that one query calls cannot change what the other one reads, as in a join, nor a view, which a join has read before; what it inserts is not seen
CREATE TABLE one_side AS SELECT n AS k, n AS v FROM generate_series(1, 10) AS n;
CREATE TABLE other_side AS SELECT n AS k, n AS v FROM generate_series(1, 10) AS n;
CREATE VIEW other_view AS SELECT * FROM other_side;
CREATE FUNCTION attempt(statement text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 1;
EXCEPTION WHEN object_in_use THEN
	RAISE NOTICE '%', SQLERRM;
	RETURN 1;
END
$$;
SET client_min_messages = notice;
CREATE FUNCTION pg_temp.joins(statement text, reads text) RETURNS TABLE (left_first bigint, right_first bigint, sql bigint) LANGUAGE plpgsql AS $$
BEGIN
	left_first := (SELECT count(*) FROM join_project(format('(SELECT k, v, attempt(%L) FROM one_side WHERE k = 1)', statement), 'k', 'v', reads, 'k', 'v'));
	right_first := join_project_count(reads, 'k', 'v', format('(SELECT k, v, attempt(%L) FROM one_side WHERE k = 1)', statement), 'k', 'v');
	EXECUTE format('SELECT count(*) FROM (SELECT k, v, attempt(%L) FROM one_side WHERE k = 1 OFFSET 0) AS l JOIN %s USING (k)', statement, reads) INTO sql;
	RETURN NEXT;
END
$$;
SELECT * FROM pg_temp.joins('TRUNCATE other_side', 'other_side');
SELECT * FROM pg_temp.joins('ALTER TABLE other_side ALTER COLUMN k TYPE text', 'other_side');
SELECT * FROM pg_temp.joins('CREATE OR REPLACE VIEW other_view AS SELECT 1 AS k, 2 AS v', 'other_view');
DROP VIEW other_view;
SELECT * FROM pg_temp.joins('DROP TABLE other_side', 'other_side');
SELECT * FROM pg_temp.joins('TRUNCATE one_side', 'other_side');
SELECT * FROM pg_temp.joins('INSERT INTO other_side VALUES (1, 100)', 'other_side');
SELECT count(*) FROM other_side;
TRUNCATE one_side, other_side;
DROP TABLE one_side, other_side;
DROP FUNCTION attempt;

-- Values of at most 32 bytes are looked up many rows at a time, other values one by one.
CREATE TEMP TABLE words AS
SELECT i, CASE WHEN i % 17 <> 0 THEN repeat(chr(97 + i % 7), i % 50) END AS k,
	   CASE WHEN i % 13 <> 0 THEN i % 31 || repeat('x', i * 7 % 45) END AS v
FROM generate_series(1, 1000) AS i;
INSERT INTO words VALUES (1001, repeat('a', 10000), 'long'), (1002, 'a', repeat('b', 10000)), (1003, repeat('a', 10000), repeat('b', 10000));
CREATE FUNCTION pg_temp.joins_words(columns text) RETURNS TABLE (same boolean, same_beside_integers boolean) LANGUAGE plpgsql AS $$
DECLARE
	source text := format('(SELECT i, %s FROM words)', columns);
	expected bigint;
BEGIN
	EXECUTE format('SELECT count(DISTINCT (l.v, r.v)) FROM %1$s AS l JOIN %1$s AS r USING (k) WHERE l.v IS NOT NULL AND r.v IS NOT NULL', source)
		INTO expected;
	same := join_project_count(source, 'k', 'v', source, 'k', 'v') = expected;
	EXECUTE format('SELECT count(DISTINCT (l.i, r.v)) FROM %1$s AS l JOIN %1$s AS r USING (k) WHERE r.v IS NOT NULL', source) INTO expected;
	same_beside_integers := join_project_count(source, 'k', 'i', source, 'k', 'v') = expected;
	RETURN NEXT;
END
$$;
SELECT * FROM pg_temp.joins_words('k, v');
SELECT * FROM pg_temp.joins_words('k::bytea, v::bytea');
SELECT * FROM pg_temp.joins_words('left(k, 20)::char(20) AS k, left(v, 25)::char(25) AS v');
SELECT * FROM pg_temp.joins_words('md5(k)::uuid AS k, md5(v)::uuid AS v');
SELECT count(*) = (SELECT count(DISTINCT (l.v, r.v)) FROM words AS l JOIN words AS r USING (k) WHERE l.v IS NOT NULL AND r.v IS NOT NULL) AS same,
	   bool_and(witnesses = (SELECT count(DISTINCT l.k) FROM words AS l JOIN words AS r USING (k) WHERE l.v = p.left_value AND r.v = p.right_value)) AS same_witnesses
FROM join_project('words', 'k', 'v', 'words', 'k', 'v') AS p;
DROP TABLE words;
