-- What the columns of probable_itemsets can be: types, NULLs, arrays of any shape; and
-- what is said of anything else
CREATE DOMAIN chance AS numeric CHECK (VALUE >= 0);
CREATE DOMAIN chances AS real[];
-- every type of numbers: one for the row, one for each item, one for the pair
CREATE FUNCTION as_type(type text) RETURNS TABLE (of_row text, of_items text, of_pairs text) LANGUAGE plpgsql AS $$
DECLARE
	source text := format('(SELECT id, items, item, p::%1$s AS p, ARRAY[p, 0, 1]::%1$s[] AS ps
		FROM (VALUES (1, ''{a,b,c}''::text[], ''a'', 1), (2, ''{b,a,c}'', ''b'', 1), (2, ''{a,b,c}'', ''a'', 0)) AS v(id, items, item, p))', type);
BEGIN
	RETURN QUERY SELECT (SELECT string_agg(p::text, ' ' ORDER BY items) FROM probable_itemsets(source, 'items', 'p', 1, max_length => 2) AS p),
		(SELECT string_agg(p::text, ' ' ORDER BY items) FROM probable_itemsets(source, 'items', 'ps', 1) AS p),
		(SELECT string_agg(p::text, ' ' ORDER BY items) FROM probable_itemsets(source, 'id', 'item', 'p', 1) AS p);
END
$$;
SELECT of_row, of_items, of_pairs, count(*), array_agg(type) AS types
FROM unnest('{int2,int4,int8,numeric,float4,float8,chance,"numeric(3,2)"}'::text[]) AS type, as_type(type) GROUP BY 1, 2, 3;
DROP FUNCTION as_type;
SELECT * FROM probable_itemsets('(SELECT ARRAY[1, 2] AS items, ARRAY[0.5, 0.25]::chances AS p)', 'items', 'p', 1, 0.1) ORDER BY items;
-- domains over domains, arrays of domains, domains over these; generated columns; partitions of partitions
CREATE DOMAIN likely AS chance CHECK (VALUE <= 1);
CREATE DOMAIN likelies AS likely[];
CREATE DOMAIN species AS text;
CREATE TABLE seen (night int, found species, tenths int, p likely GENERATED ALWAYS AS (tenths / 10.0) STORED) PARTITION BY RANGE (night);
CREATE TABLE seen_before PARTITION OF seen FOR VALUES FROM (MINVALUE) TO (2);
CREATE TABLE seen_since PARTITION OF seen DEFAULT PARTITION BY HASH (found);
CREATE TABLE seen_since_all PARTITION OF seen_since FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO seen VALUES (1, 'fox', 5), (1, 'owl', 5), (2, 'fox', 5), (3, 'owl', 10);
SELECT * FROM probable_itemsets('seen', 'night', 'found', 'p', 1, 0.1) ORDER BY items;
SELECT * FROM probable_itemsets('(SELECT array_agg(found)::species[] AS items, array_agg(p)::likelies AS p FROM seen GROUP BY night)', 'items', 'p', 1, 0.1) ORDER BY items;
SELECT * FROM probable_itemset_distribution('(SELECT array_agg(found)::species[] AS items, array_agg(p)::likelies AS p FROM seen GROUP BY night)', 'items', 'p', '{fox}');
SELECT * FROM probable_itemsets('(SELECT ARRAY[1, 2] AS items, 0.1::real AS p)', 'items', 'p', 1, 0.1, 2::int2);
SELECT * FROM probable_itemsets('(SELECT ARRAY[1, 2] AS items, 0.1::real AS p)', 'items', 'p', 1, 0.1) ORDER BY items;

-- numeric as a cast has it: of many digits and few, near 2^53 of the last one, short, long, compressed, out of line
CREATE TABLE decimals (id int GENERATED ALWAYS AS IDENTITY, n numeric);
ALTER TABLE decimals ALTER n SET STORAGE extended;
SELECT setseed(0.25);
INSERT INTO decimals (n) SELECT trunc((random()::numeric + random()::numeric * 1e-15) * ('1e' || digits)::numeric) * ('1e-' || scale)::numeric
FROM generate_series(1, 20) AS digits, generate_series(digits, 28) AS scale, generate_series(1, 10);
INSERT INTO decimals (n) SELECT (9007199254740992 + beyond) * ('1e-' || scale)::numeric FROM generate_series(-20, 60) AS beyond, generate_series(16, 24) AS scale;
INSERT INTO decimals (n) SELECT unnest('{1,1.0000000000000000000000000,0.10,0.000001,1e-22,1e-23,1e-100,4.94065645841246544e-290,0.0000000000000000000000000000000000001}'::numeric[]);
INSERT INTO decimals (n) SELECT ('0.' || repeat('12', 8000))::numeric;
INSERT INTO decimals (n) SELECT ('0.' || string_agg(trunc(random() * 10)::text, ''))::numeric FROM generate_series(1, 16000);
CREATE FUNCTION different(source text, columns text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT count(*) FROM decimals LEFT JOIN pg_temp.found(source, columns) AS f ON f.id = decimals.id
		WHERE expected_support IS DISTINCT FROM nullif(n::float8, 0));
END
$$;
CREATE FUNCTION pg_temp.found(source text, columns text) RETURNS TABLE (id int, expected_support float8) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT items[1], expected_support FROM probable_itemsets(%L, %s, 1e-300, NULL, NULL::int[], exact => false)', source, columns);
END
$$;
SELECT different('decimals', '''id'', ''id'', ''n''') AS of_pairs, different('(SELECT ARRAY[id] AS i, n FROM decimals)', '''i'', ''n''') AS of_row,
	different('(SELECT ARRAY[id] AS i, ARRAY[n] AS ns FROM decimals)', '''i'', ''ns''') AS of_items;
-- numbers of several lengths in an array
SELECT items[1] AS item, expected_support, ps[items[1]]::float8 = expected_support AS equal
FROM (VALUES ('{0.5,0.12345678901234567890,NULL,1,0.00001,0,0.3}'::numeric[])) AS v(ps),
	probable_itemsets(format('(SELECT ARRAY[1, 2, 3, 4, 5, 6, 7] AS i, %L::numeric[] AS ps)', ps), 'i', 'ps', 1e-9, NULL, NULL::int[], max_length => 1) ORDER BY item;
DROP FUNCTION different;
DROP TABLE decimals;

-- NULL: the row is not there, or the item of an array; 0: no item is, but the transaction
CREATE TABLE cases (what text, id int, items text[], p float8, ps float8[], item text);
INSERT INTO cases VALUES
	('all is there', 1, '{a,b}', 0.5, '{0.5,0.5}', 'a'),
	('no probability', 2, '{a,b}', NULL, NULL, 'a'),
	('no items', 3, NULL, 0.5, '{0.5}', NULL),
	('empty', 4, '{}', 0.5, '{}', 'b'),
	('zero', 5, '{a,b}', 0, '{0,0}', 'a'),
	('negative zero', 6, '{a,b}', '-0', '{-0,-0}', 'a'),
	('a probability is null', 7, '{a,b}', 0.5, '{NULL,0.5}', 'a'),
	('an item is null', 8, '{NULL,b}', 0.5, '{0.5,0.5}', NULL),
	('no transaction', NULL, '{a}', 1, '{0.5}', 'a'),
	('items twice', 9, '{a,b,a,b}', 0.5, '{0.5,0,0.5,0}', 'a'),
	('two dimensions', 10, '{{a,b},{c,a}}', 0.5, '{{0.5,0.5},{0.5,0.5}}', 'a'),
	('of other shapes', 11, '{{a,b},{c,a}}', 0.5, '[3:6]={0.5,0.5,0.5,0.5}', 'a');
CREATE FUNCTION found(source text, columns text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
	EXECUTE format('SELECT string_agg(array_to_string(items, $1) || $2 || expected_support, $3 ORDER BY items)
		FROM probable_itemsets(%L, %s, 1, 0.1)', source, columns) INTO found USING '', ' ', ', ';
	RETURN (SELECT concat('of ', transactions, ': ', found) FROM gpufim_last_run());
END
$$;
SET client_min_messages = warning;
SELECT what, found(source, '''items'', ''p''') AS of_row, found(source, '''items'', ''ps''') AS of_items, found(source, '''id'', ''item'', ''p''') AS of_pairs
FROM (SELECT what, id, format('(SELECT * FROM cases WHERE what = %L)', what) AS source FROM cases) AS q ORDER BY id;
RESET client_min_messages;
DROP FUNCTION found;

\pset format unaligned
-- no probability
CREATE FUNCTION try(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; detail text; hint text;
BEGIN
	EXECUTE 'SELECT string_agg(p::text, '' '' ORDER BY items) FROM probable_itemsets(' || call || ') AS p' INTO message;
	RETURN message;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', SQLSTATE || ' ' || message, nullif(detail, ''), nullif(hint, ''));
END
$$;
SELECT p, try(format('$s$(VALUES (ARRAY[1], 0.5), (ARRAY[1,2], %s))$s$, ''column1'', ''column2'', 1', p)) AS of_row
FROM unnest(ARRAY['1.5', '-0.1', '''NaN''::float8', '''NaN''::numeric', '''Infinity''::float8', '-1e-320::float8', '1 + 1e-15::float8',
	'1 + 1e-17::float8', '2', '1e-320::float8', '1e-400::numeric', '''-Infinity''::float4']) AS p;
SELECT try('$s$(VALUES (ARRAY[''a'', ''b''], ARRAY[0.5, 1.5]))$s$, ''column1'', ''column2'', 1');
SELECT try('$s$(VALUES (ARRAY[NULL, ''b''], ARRAY[''NaN'', 0.5]::float8[]))$s$, ''column1'', ''column2'', 1');
SELECT try('$s$(SELECT 7 AS t, ''it,em'' AS i, 1.5::numeric AS p)$s$, ''t'', ''i'', ''p'', 1');
SELECT try('$s$(SELECT 7 AS t, NULL::text AS i, 1.5::real AS p)$s$, ''t'', ''i'', ''p'', 1');
SELECT try('$s$(SELECT NULL::int AS t, 1 AS i, 1.5::real AS p)$s$, ''t'', ''i'', ''p'', 1');
SELECT try('$s$(SELECT array_agg(repeat(''é'', 50)) AS items, 2 AS p FROM generate_series(1, 3))$s$, ''items'', ''p'', 1');
-- another length
SELECT try('$s$(VALUES (ARRAY[1], ARRAY[1]), (ARRAY[1, 2], ARRAY[0.5]))$s$, ''column1'', ''column2'', 1');
SELECT try('$s$(VALUES (ARRAY[1, 2], ARRAY[0.5, 0.5, 0.5]))$s$, ''column1'', ''column2'', 1');
SELECT try('$s$(VALUES (ARRAY[1, 2], ''{}''::float8[]))$s$, ''column1'', ''column2'', 1');
-- an item twice
SELECT try('$s$(VALUES (ARRAY[1, 2, 1], ARRAY[0.5, 0.5, 0.25]))$s$, ''column1'', ''column2'', 1');
SELECT try('$s$(VALUES (ARRAY[1, 2, 1], ARRAY[0.5, 0.5, 0]))$s$, ''column1'', ''column2'', 1');
SELECT try('$s$(VALUES (ARRAY[1, 2, 1], ARRAY[0.5, 0.5, NULL]))$s$, ''column1'', ''column2'', 1');
SELECT try('$s$(VALUES (ARRAY[1.0, 1.00], ARRAY[0.5, 0.6]))$s$, ''column1'', ''column2'', 1');
SELECT try('$s$(VALUES (1, ''a'', 0.5), (1, ''a'', 0.25)) AS v(t, "the item", p)$s$, ''t'', ''the item'', ''p'', 1');
SELECT try('$s$(SELECT * FROM (VALUES (1, ''a'', 0.5), (1, ''a'', 0.25)) AS v(t, "the item", p))$s$, ''t'', ''the item'', ''p'', 1');
SELECT try('$s$(SELECT * FROM (VALUES (1, ''a'', 0), (2, ''a'', 0.5), (1, ''a'', 0.25)) AS v(t, i, p))$s$, ''t'', ''i'', ''p'', 1');
SELECT try('$s$(SELECT * FROM (VALUES (1, ''a'', 0.5), (2, ''a'', 0.5), (1, ''a'', 0.5), (1, ''a'', NULL)) AS v(t, i, p))$s$, ''t'', ''i'', ''p'', 1');
SELECT try('$s$(SELECT n % 1000 AS t, n % 7 AS i, CASE n WHEN 69999 THEN 0.3 ELSE 0.25 END AS p FROM generate_series(0, 69999) AS n)$s$, ''t'', ''i'', ''p'', 10');
-- no number
SELECT type, try(format('$s$(SELECT ARRAY[1] AS items, NULL::%s AS p)$s$, ''items'', ''p'', 1', type)) AS of_row
FROM unnest('{text,boolean,money,json,oid,date,text[],"money[]",int4range}'::text[]) AS type;
SELECT try('$s$(SELECT 1 AS t, 1 AS i, ARRAY[0.5] AS p)$s$, ''t'', ''i'', ''p'', 1');
SELECT try('$s$(SELECT 1 AS items, 0.5 AS p)$s$, ''items'', ''p'', 1');
-- no column
SELECT try('''cases'', ''items'', ''nosuch'', 1');
SELECT try('''cases'', ''id'', ''nosuch'', ''p'', 1');
SELECT try('''cases'', ''items'', ''P'', 1');
SELECT try('''nosuch'', ''items'', ''p'', 1');
SELECT try('$s$(SELECT * FROM cases); SELECT 1$s$, ''items'', ''p'', 1');
SELECT try('$s$(SELECT items, p FROM cases FOR UPDATE)$s$, ''items'', ''p'', 1');
-- names that need quotes, and one that is no more than a name
CREATE TABLE "Odd ""Table" ("The ""Items" text[], "p; DROP TABLE cases" float8, "::" float8[]);
INSERT INTO "Odd ""Table" VALUES (ARRAY['a', 'b"c'], 0.5, '{0.25,0.5}');
SELECT * FROM probable_itemsets('"Odd ""Table"', 'The "Items', 'p; DROP TABLE cases', 1) ORDER BY items;
SELECT * FROM probable_itemsets('"Odd ""Table"', 'The "Items', '::', 1, 0.1) ORDER BY items;
SELECT count(*) FROM cases;

-- arguments
SELECT a, try('''cases'', ''items'', ''p'', ' || a) AS error
FROM unnest(ARRAY['0', '-1', '''NaN''', '1.5', 'NULL', '1, 0', '1, -0.5', '1, 1.1', '1, ''NaN''', '1, min_length => 0', '1, min_length => 3, max_length => 2',
	'1, kind => ''most''', '1, kind => NULL', '1, exact => NULL', '1, including => ''{a,NULL}''', '1, excluding => ARRAY[NULL]', '1, min_length => NULL',
	'1, 0.5, NULL::int[]', '100', '1, including => ''{caviar}''', '1, excluding => ''{caviar,oysters}'', max_length => 1, minprob => 0.99']) AS a;
SELECT try('NULL, ''items'', ''p'', 1');
SELECT try('''cases'', NULL, ''p'', 1');
SELECT try('''cases'', ''items'', NULL, 1');
SELECT try('''cases'', ''id'', ''item'', NULL, 1');
-- the type of the result
SELECT items, pg_typeof(items), occurrences FROM probable_itemsets('(SELECT ARRAY[10, 9, 1] AS i, 0.5 AS p)', 'i', 'p', 1, 0.5, NULL::int[], min_length => 3);
SELECT items, pg_typeof(items), occurrences FROM probable_itemsets('(SELECT ARRAY[10, 9, 1] AS i, 0.5 AS p)', 'i', 'p', 1, min_length => 3);
SELECT items[1] + items[2] AS sum FROM probable_itemsets('(SELECT 1 AS t, i, 0.5 AS p FROM generate_series(3, 4) AS i)', 't', 'i', 'p', 1, 0.1, NULL::int[], min_length => 2);
-- a number that float8 cannot hold: the cast's error, with the row and the column
SELECT * FROM probable_itemsets('(VALUES (''{a}''::text[], 0.5), (''{b}'', 1e-330))', 'column1', 'column2', 1);
SELECT * FROM probable_itemsets('(VALUES (''{a}''::text[], ARRAY[0.5]), (''{b}'', ARRAY[1e-330]))', 'column1', 'column2', 1);
SELECT * FROM probable_itemset_distribution('(VALUES (1, ''a'', 0.5), (1, ''b'', 1e310))', 'column1', 'column2', 'column3', '{a}');
