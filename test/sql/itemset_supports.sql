-- The supports of itemsets that the call names
CREATE SCHEMA given;
SET search_path = given, public;
SET gpufim.engine = cpu;
CREATE TABLE shopping (id int, items text[]);
INSERT INTO shopping VALUES (1, '{bread,butter,milk}'), (2, '{bread,butter}'), (3, '{beer,bread}'), (4, '{bread,butter,jam,milk}'), (5, '{beer,crisps}'),
	-- what is there twice counts once, a NULL item is none, an empty array is a transaction, and NULL is none
	(6, '{beer,beer,NULL}'), (7, '{}'), (8, NULL);
CREATE TABLE shopped AS SELECT id, unnest(items) AS item FROM shopping;
-- in the order of the candidates, as they were given; with unknown items, twice, with an item twice, empty, and written in all ways
SELECT * FROM itemset_supports('shopping', 'items', ARRAY['{bread,butter}', '{beer}', '{caviar}', '{}', '{bread,caviar}', '{butter,bread}', '{bread,butter}', '{beer,beer}',
	' { "bread" , milk } ', '{"br\ead"}', '[5:6]={jam,milk}', '{{bread,butter},{jam,milk}}', '{Bread}', '{beer,crisps,jam}', '{nul}', '{"NULL"}', '{NULLS}']);
SELECT * FROM itemset_supports('shopped', 'id', 'item', '{"{bread,butter}","{}","{beer,crisps}","{caviar}"}');
SELECT support, candidate FROM itemset_supports('shopping', 'items', ARRAY[['{beer}', '{jam}'], ['{milk}', '{}']]);
SELECT frequency FROM itemset_supports('shopping', 'items', '{"{bread}"}');
-- none, and of no transactions a frequency is not known
SELECT * FROM itemset_supports('shopping', 'items', '{}');
SELECT * FROM itemset_supports('(SELECT items FROM shopping WHERE false)', 'items', '{"{bread}","{}"}');
SELECT * FROM itemset_supports('(SELECT NULL::text[] AS items)', 'items', '{"{bread}","{}"}');
SELECT * FROM itemset_supports('(VALUES (''{}''::text[]), (''{}''))', 'column1', '{"{bread}","{}"}');

-- as SQL says it
CREATE FUNCTION differing(source text, type text, candidates text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format($query$
		WITH asked AS MATERIALIZED (SELECT c, n FROM unnest($1) WITH ORDINALITY AS u(c, n)),
			found AS MATERIALIZED (SELECT *, row_number() OVER () AS n FROM itemset_supports(%1$L, 'items', $1)),
			counted AS MATERIALIZED (SELECT n, (SELECT count(*) FROM %1$I AS t WHERE t.items @> a.c::%2$s[]) AS support FROM asked AS a),
			pairs AS MATERIALIZED (SELECT *, row_number() OVER () AS n FROM itemset_supports(%3$L, 'id', 'item', $1))
		SELECT format('%%s of %%s', count(*) FILTER (WHERE a.c IS DISTINCT FROM f.candidate OR f.support IS DISTINCT FROM c.support
			OR f.frequency IS DISTINCT FROM c.support::float8 / (SELECT count(*) FROM %1$I) OR (p.candidate, p.support) IS DISTINCT FROM (f.candidate, f.support)), count(*))
		FROM asked AS a FULL JOIN found AS f USING (n) FULL JOIN counted AS c USING (n) FULL JOIN pairs AS p USING (n)$query$,
		source, type, format('(SELECT id, item FROM %I LEFT JOIN unnest(items) AS item ON true)', source))
	INTO answer USING candidates;
	RETURN answer;
END
$$;
CREATE FUNCTION pg_temp.chance(key text) RETURNS float8 LANGUAGE sql AS 'SELECT (get_byte(decode(md5($1), ''hex''), 0) * 256 + get_byte(decode(md5($1), ''hex''), 1)) / 65536.0';
CREATE TABLE number_sets AS SELECT id, ARRAY(SELECT k FROM generate_series(1, 24) AS k WHERE pg_temp.chance(id || ' ' || k) < 1.5 / k ^ 0.7 ORDER BY pg_temp.chance('o' || id || ' ' || k)) AS items FROM generate_series(1, 300) AS id;
CREATE TABLE drawn AS SELECT n, ARRAY(SELECT k FROM generate_series(1, 25) AS k WHERE pg_temp.chance('c' || n || ' ' || k) < 0.05 + 0.15 * (n % 5 = 0)::int + 0.3 * (k < 5)::int ORDER BY pg_temp.chance('p' || n || ' ' || k)) AS items FROM generate_series(1, 800) AS n;
SELECT differing('number_sets', 'int', array_agg(items::text ORDER BY n)) FROM drawn;
CREATE TABLE big_numbers AS SELECT id, ARRAY(SELECT i * 10000000000 FROM unnest(items) AS i) AS items FROM number_sets;
SELECT differing('big_numbers', 'bigint', array_agg(ARRAY(SELECT i * 10000000000 FROM unnest(items) AS i)::text ORDER BY n)) FROM drawn;
CREATE TABLE words AS SELECT id, ARRAY(SELECT chr(64 + i) || ', "' || i || '"\' FROM unnest(items) AS i) AS items FROM number_sets;
SELECT differing('words', 'text', array_agg(ARRAY(SELECT chr(64 + i) || ', "' || i || '"\' FROM unnest(items) AS i)::text ORDER BY n)) FROM drawn;
CREATE TABLE names AS SELECT id, ARRAY(SELECT 'item ' || i FROM unnest(items) AS i) AS items FROM number_sets;
SELECT differing('names', 'text', array_agg(ARRAY(SELECT 'item ' || i FROM unnest(items) AS i)::text ORDER BY n)) FROM drawn;
CREATE TABLE ids AS SELECT id, ARRAY(SELECT md5(i::text)::uuid FROM unnest(items) AS i) AS items FROM number_sets;
SELECT differing('ids', 'uuid', array_agg(CASE WHEN n % 2 = 0 THEN ARRAY(SELECT md5(i::text)::uuid FROM unnest(items) AS i)::text ELSE upper(ARRAY(SELECT md5(i::text)::uuid FROM unnest(items) AS i)::text) END ORDER BY n)) FROM drawn;
-- the type's own equality decides: numbers, arrays as items
SELECT * FROM itemset_supports('(VALUES (ARRAY[1.50, 2]), (ARRAY[1.5]))', 'column1', '{"{1.5}","{1.500,2.0}","{ 1.50 }"}');
SELECT * FROM itemset_supports('(VALUES (1, ARRAY[1, 2]), (1, ARRAY[3]), (2, ARRAY[3]))', 'column1', 'column2', '{"{\"{1,2}\",\"{3}\"}","{\"{3}\"}","{\"{1}\"}"}');
-- the frequent itemsets have their own supports, and the only itemset that all transactions have is the empty one
SELECT count(*), count(*) FILTER (WHERE s.support = f.support AND s.frequency = f.frequency) AS same
FROM frequent_itemsets('number_sets', 'items', 2) AS f
	 JOIN itemset_supports('number_sets', 'items', (SELECT array_agg(DISTINCT items::text) FROM frequent_itemsets('number_sets', 'items', 2))) AS s ON s.candidate = f.items::text;

-- many candidates, in batches, and the same rows from a scan, from a function, and with few columns
CREATE TABLE many AS SELECT array_agg('{' || n % 30 || ',' || n / 30 % 27 || '}' ORDER BY n) AS candidates FROM generate_series(1, 20000) AS n;
SELECT count(*), count(*) FILTER (WHERE c = candidate) AS in_order, sum(support) = (SELECT sum(support) FROM many, itemset_supports('number_sets', 'items', candidates) WITH ORDINALITY) AS same
FROM many, ROWS FROM (unnest(candidates), itemset_supports('number_sets', 'items', candidates)) AS r(c, candidate, support, frequency);
SELECT count(*), max(frequency) > 0.5 AS more FROM many, itemset_supports('number_sets', 'items', candidates);
SELECT count(*) FROM many, itemset_supports('number_sets', 'items', candidates);
SELECT s.* FROM many, LATERAL (SELECT * FROM itemset_supports('number_sets', 'items', candidates) LIMIT 3) AS s;
EXPLAIN (COSTS OFF) SELECT support FROM itemset_supports('number_sets', 'items', '{"{1}"}');
BEGIN;
DECLARE supports SCROLL CURSOR FOR SELECT candidate, support FROM itemset_supports('number_sets', 'items', '{"{1}","{2}","{1,2}"}');
FETCH ALL FROM supports;
FETCH BACKWARD 2 FROM supports;
FETCH ABSOLUTE 3 FROM supports;
ROLLBACK;
SELECT itemset_supports('shopping', 'items', '{"{bread}","{beer}"}');

-- what the call did
SELECT count(*) FROM itemset_supports('number_sets', 'items', '{"{1}","{1,2}","{1,2}","{2,1,3}","{7,99}"}');
SELECT function, completed, transactions, distinct_items, frequent_items, engine, strategy, itemsets, details FROM gpufim_last_run();

-- how many rows the planner expects
CREATE FUNCTION planned(call text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM ' || call INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
SELECT call, planned(call) FROM unnest(ARRAY[$$itemset_supports('number_sets', 'items', '{"{1}","{2}","{3}"}')$$, $$itemset_supports('number_sets', 'id', 'items', ARRAY['{1}', random()::text])$$,
	$$itemset_supports('number_sets', 'items', '{}')$$, $$itemset_supports('number_sets', 'items', NULL)$$, $$itemset_supports('number_sets', 'items', (SELECT candidates FROM many))$$]) AS call;

-- arguments
SELECT * FROM itemset_supports('shopping', 'items', NULL);
SELECT * FROM itemset_supports('shopping', 'items', ARRAY['{bread}', NULL]);
SELECT * FROM itemset_supports('shopping', 'items', ARRAY['{bread}', '{bread,NULL}']);
SELECT * FROM itemset_supports('shopping', 'items', ARRAY['{bread}', '{bread,null}']);
\set VERBOSITY terse
SELECT * FROM itemset_supports('shopping', 'items', ARRAY['bread']);
SELECT * FROM itemset_supports('shopping', 'items', ARRAY['{}', '{bread,}']);
SELECT * FROM itemset_supports('shopping', 'items', ARRAY['{}', '']);
\set VERBOSITY default
SELECT * FROM itemset_supports('number_sets', 'items', ARRAY['{1}', '{2,x}']);
SELECT * FROM itemset_supports('shopping', NULL, '{}');
SELECT * FROM itemset_supports('shopping', 'nosuch', '{}');
SELECT * FROM itemset_supports('shopping', 'id', 'items', '{"{\"{beer,bread}\"}"}');
SET gpufim.max_results = 2;
SELECT count(support) FROM itemset_supports('shopping', 'items', '{"{bread}","{beer}","{jam}"}');
RESET gpufim.max_results;
-- only the processor has that
SET gpufim.engine = 'gpu';
SELECT * FROM itemset_supports('shopping', 'items', '{"{bread}"}');
SELECT * FROM itemset_supports('nosuch', 'items', '{"{bread}"}');
SET gpufim.engine = cpu;
-- strategies of other functions do not matter
SET gpufim.strategy = 'projected';
SELECT * FROM itemset_supports('shopping', 'items', '{"{bread}"}');
RESET gpufim.strategy;

-- parameters without types
PREPARE supports3 AS SELECT * FROM itemset_supports($1, $2, $3);
EXECUTE supports3('shopping', 'items', '{"{bread,butter}","{}"}');
PREPARE supports4 AS SELECT * FROM itemset_supports($1, $2, $3, $4);
EXECUTE supports4('shopped', 'id', 'item', '{"{bread,butter}","{}"}');
DEALLOCATE supports3;
DEALLOCATE supports4;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA given CASCADE;
