-- Rules applied to transactions: what each of these suggests that it does not hold
CREATE TABLE shop (id int, items text[]);
INSERT INTO shop VALUES (1, '{bread,butter,milk}'), (2, '{bread,butter}'), (3, '{beer,bread,beer,NULL}'), (4, '{bread,butter,jam,milk}'), (5, '{beer,crisps}'), (6, '{milk}'),
	(7, '{}'), (8, NULL), (NULL, '{beer}');
CREATE TABLE shop_items AS SELECT id, unnest(items) AS item FROM shop UNION ALL SELECT 9, NULL;
CREATE TABLE shop_rules AS SELECT * FROM association_rules('shop', 'items', 1, 0.5, max_consequent => 2);
SELECT * FROM rule_matches('shop_rules', 'shop', 'id', 'items') ORDER BY tid, confidence DESC, lift DESC, consequent;
-- By definition: rules whose antecedent the transaction holds and whose consequent it does not hold wholly, and the best of
-- each consequent.  Items are compared as text, so numbers have one digit here.
CREATE FUNCTION brute.matches(rules text, transactions text)
RETURNS TABLE (tid text, consequent text[], confidence float8, lift float8, antecedent text[]) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($query$
		SELECT DISTINCT ON (t.tid, r.c) t.tid, r.c, r.confidence, r.lift, r.a
		FROM (SELECT tid::text, array_remove(items::text[], NULL) FROM (%s) AS t(tid, items)) AS t(tid, items)
			 JOIN (SELECT ARRAY(SELECT DISTINCT i FROM unnest(antecedent::text[]) AS i ORDER BY 1), ARRAY(SELECT DISTINCT i FROM unnest(consequent::text[]) AS i ORDER BY 1), confidence::float8, lift::float8
				   FROM (%s) AS r WHERE array_position(antecedent, NULL) IS NULL AND array_position(consequent, NULL) IS NULL
					AND antecedent IS NOT NULL AND consequent IS NOT NULL AND confidence IS NOT NULL AND lift IS NOT NULL) AS r(a, c, confidence, lift)
			 ON t.items @> r.a AND NOT t.items @> r.c
		WHERE t.tid IS NOT NULL
		ORDER BY t.tid, r.c, r.confidence DESC, r.lift DESC, cardinality(r.a), r.a
		$query$, transactions, rules);
END
$$;
CREATE FUNCTION brute.compare_matches(call text, rules text, transactions text, OUT expected bigint, OUT missing bigint, OUT unexpected bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($query$
		WITH expected AS MATERIALIZED (SELECT * FROM brute.matches($1, $2)),
			 found AS MATERIALIZED (SELECT tid, consequent::text[], confidence, lift, antecedent::text[] FROM %s)
		SELECT (SELECT count(*) FROM expected), (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE found) AS m), (SELECT count(*) FROM (TABLE found EXCEPT ALL TABLE expected) AS u)
		$query$, call) USING rules, transactions INTO expected, missing, unexpected;
END
$$;
SELECT call, c.* FROM unnest(ARRAY[
	$$rule_matches('shop_rules', 'shop', 'id', 'items')$$, $$rule_matches('shop_rules', 'shop', 'id', 'items', NULL::text[])$$,
	$$rule_matches('shop_rules', 'shop_items', 'id', 'item')$$, $$rule_matches('(TABLE shop_rules)', '(SELECT * FROM shop_items ORDER BY md5(item), id DESC)', 'id', 'item', item_type => NULL::text[])$$]) AS call,
	brute.compare_matches(call, 'TABLE shop_rules', 'TABLE shop') AS c;
-- without ids, transactions have the numbers of their rows
SELECT call, c.* FROM unnest(ARRAY[$$rule_matches('shop_rules', 'shop', 'items')$$, $$rule_matches('shop_rules', 'shop', 'items', NULL::text[])$$]) AS call,
	brute.compare_matches(call, 'TABLE shop_rules', 'SELECT row_number() OVER (), items FROM shop') AS c;
-- sides of no item, of items that no transaction has, with repeated items and with nulls; ties; numbers that are no numbers; other columns
CREATE TABLE odd_rules (lift numeric, note text, consequent text[], confidence real, antecedent text[]);
INSERT INTO odd_rules VALUES (1, 'always', '{milk}', 0.5, '{}'), (1, 'always two', '{milk,bread}', 0.25, '{}'), (2, 'nothing', '{}', 1, '{beer}'), (2, 'unknown', '{caviar}', 0.75, '{beer}'),
	(2, 'never', '{milk}', 1, '{caviar}'), (2, 'repeated', '{jam,jam}', 0.5, '{bread,bread,butter}'), (2, 'the same', '{jam}', 0.5, '{butter,bread}'), (3, 'higher lift', '{jam}', 0.5, '{bread,milk}'),
	(2, 'shorter', '{salt}', 0.5, '{bread,milk}'), (2, 'shorter', '{salt}', 0.5, '{butter}'), (2, 'earlier', '{salt}', 0.5, '{bread}'), (2, 'its own', '{bread}', 1, '{bread,milk}'),
	(NULL, 'null', '{tea}', 1, '{bread}'), (1, 'null', NULL, 1, '{bread}'), (1, 'null', '{tea}', NULL, '{bread}'), (1, 'null', '{tea}', 1, NULL), (1, 'null', '{tea}', 1, '{bread,NULL}'), (1, 'null', '{tea,NULL}', 1, '{bread}'),
	('NaN', 'no number', '{rice}', 'NaN', '{milk}'), ('Infinity', 'no number', '{rice}', 1, '{butter}'), (-1, 'negative', '{peas}', -1, '{milk}'), (-1, 'negative', '{peas}', -2, '{butter}');
SELECT * FROM rule_matches('odd_rules', 'shop', 'id', 'items') ORDER BY tid, consequent;
SELECT c.* FROM brute.compare_matches($$rule_matches('odd_rules', 'shop', 'id', 'items')$$, 'TABLE odd_rules', 'SELECT * FROM shop WHERE items IS NOT NULL') AS c;
SELECT c.* FROM brute.compare_matches($$rule_matches('odd_rules', 'shop_items', 'id', 'item')$$, 'TABLE odd_rules', 'SELECT id, array_agg(item) FROM shop_items GROUP BY id') AS c;
-- nothing to apply, or nothing to apply it to
SELECT count(*) FROM rule_matches('(SELECT * FROM shop_rules LIMIT 0)', 'shop', 'id', 'items');
SELECT count(*) FROM rule_matches('shop_rules', '(SELECT * FROM shop LIMIT 0)', 'id', 'items');
SELECT count(*) FROM rule_matches('(SELECT * FROM odd_rules WHERE note = ''never'')', 'shop', 'id', 'items');
SELECT note, count(m.tid) FROM (VALUES ('always'), ('nothing'), ('unknown')) AS v(note), LATERAL rule_matches(format('(SELECT * FROM odd_rules WHERE note = %L)', note), 'shop', 'items') AS m GROUP BY note ORDER BY 1;
-- types of items: rules have them as text, or in the source's type, or in any other that reads the same
CREATE TABLE numbered (tid uuid, items int[]);
INSERT INTO numbered SELECT md5(n::text)::uuid, ARRAY(SELECT i FROM generate_series(1, 9) AS i WHERE hashint8extended(n * 100 + i, 0) & 7 < 3) FROM generate_series(1, 70) AS n;
CREATE TABLE number_rules AS SELECT * FROM association_rules('numbered', 'items', 3, 0.2, max_length => 4, max_consequent => 2);
SELECT items, c.* FROM unnest('{text,int,bigint,numeric,varchar}'::text[]) AS items,
	brute.compare_matches(format('rule_matches(''(SELECT antecedent::%s[], consequent::%1$s[], confidence, lift FROM number_rules)'', ''numbered'', ''tid'', ''items'', NULL::int[])', items), 'TABLE number_rules', 'TABLE numbered') AS c;
SELECT items, c.* FROM unnest('{text,varchar,uuid}'::text[]) AS items,
	LATERAL (SELECT CASE items WHEN 'uuid' THEN 'array_remove(ARRAY(SELECT md5(i::text)::uuid FROM unnest(%I) AS i), NULL)' ELSE '%I::' || items || '[]' END AS form) AS f,
	LATERAL (SELECT format('SELECT ' || form || ' AS antecedent, ' || replace(form, '%I', '%2$I') || ' AS consequent, confidence, lift FROM number_rules', 'antecedent', 'consequent') AS rules,
					format('SELECT tid, ' || form || ' AS items FROM numbered', 'items') AS source) AS q,
	brute.compare_matches(format('rule_matches(%L, %L, ''tid'', ''items'')', '(' || rules || ')', '(' || source || ')'), rules, source) AS c;
SELECT pg_typeof(tid) AS tid, pg_typeof(consequent) AS consequent, pg_typeof(antecedent) AS antecedent FROM rule_matches('number_rules', 'numbered', 'tid', 'items', NULL::int[]) LIMIT 1;
SELECT pg_typeof(tid) AS tid, pg_typeof(consequent) AS consequent, pg_typeof(antecedent) AS antecedent FROM rule_matches('number_rules', 'numbered', 'items') LIMIT 1;
-- arrays are sorted as their type is, not as text
SELECT antecedent, consequent FROM rule_matches('(SELECT ''{10,9,2}''::text[] AS antecedent, ''{30,4}''::text[] AS consequent, 1 AS confidence, 1 AS lift)', '(SELECT ARRAY[2, 9, 10] AS items)', 'items');
-- random rules and databases: many rules with parts of each other's antecedents, in few values
CREATE FUNCTION brute.hash(VARIADIC n bigint[]) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT (hashtextextended($1::text, 7) & 1048575)';
DO $$
DECLARE
	expected bigint := 0;
	wrong bigint := 0;
	c record;
BEGIN
	FOR d IN 1 .. 60 LOOP
		CREATE TEMP TABLE t AS SELECT t, ARRAY(SELECT i FROM generate_series(1, 3 + d % 6) AS i WHERE brute.hash(d, t, i) % 10 < 2 + d % 7 ORDER BY brute.hash(d, i)) AS items FROM generate_series(1, d) AS t;
		CREATE TEMP TABLE r AS SELECT ARRAY(SELECT i FROM generate_series(1, 3 + d % 6) AS i WHERE brute.hash(d, r, i, 1) % 10 < 1 + d % 4) AS antecedent,
			ARRAY(SELECT i FROM generate_series(1, 4 + d % 6) AS i WHERE brute.hash(d, r, i, 2) % 10 < 1 + d % 2) AS consequent, brute.hash(d, r, 3) % 4 / 4.0 AS confidence, brute.hash(d, r, 4) % 3 / 2.0 AS lift FROM generate_series(1, 4 * d) AS r;
		SELECT * FROM brute.compare_matches($q$rule_matches('r', 't', 't', 'items')$q$, 'TABLE r', 'TABLE t') INTO c;
		expected := expected + c.expected;
		wrong := wrong + c.missing + c.unexpected;
		DROP TABLE t, r;
	END LOOP;
	RAISE NOTICE '% suggestions, % wrong', expected, wrong;
END $$;
-- the figures of a call, and the scan
SELECT count(*) FROM rule_matches('number_rules', 'numbered', 'tid', 'items');
SELECT function, completed, rows_read, transactions, distinct_items, frequent_items, engine, strategy, itemsets, details FROM gpufim_last_run();
EXPLAIN (COSTS OFF) SELECT tid FROM rule_matches('number_rules', 'numbered', 'tid', 'items');
SELECT count(*), count(DISTINCT tid) FROM (SELECT rule_matches('number_rules', 'numbered', 'tid', 'items')) AS s, LATERAL (SELECT (rule_matches).*) AS m;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT * FROM rule_matches('shop_rules', 'shop', 'id', 'items');
MOVE 3 FROM c;
FETCH BACKWARD 1 FROM c;
COMMIT;
-- the rules and the source are read with the caller's privileges
CREATE ROLE regress_gpufim_matches;
SET ROLE regress_gpufim_matches;
SELECT count(*) FROM rule_matches('shop_rules', '(SELECT ''{a}''::text[] AS items)', 'items');
RESET ROLE;
GRANT SELECT ON shop_rules TO regress_gpufim_matches;
SET ROLE regress_gpufim_matches;
SELECT count(*) FROM rule_matches('shop_rules', 'shop', 'items');
RESET ROLE;
DROP OWNED BY regress_gpufim_matches;
DROP ROLE regress_gpufim_matches;
-- errors
SELECT * FROM rule_matches('(SELECT antecedent, consequent, confidence FROM shop_rules)', 'shop', 'items');
SELECT * FROM rule_matches('shop', 'shop', 'items');
SELECT * FROM rule_matches('(SELECT ''a'' AS antecedent, consequent, confidence, lift FROM shop_rules)', 'shop', 'items');
SELECT * FROM rule_matches('(SELECT antecedent, consequent, confidence::text, lift FROM shop_rules)', 'shop', 'items');
SELECT * FROM rule_matches('(SELECT antecedent, ARRAY[1] AS consequent, confidence, lift FROM shop_rules)', 'shop', 'items');
SELECT * FROM rule_matches('(SELECT ARRAY[point(1, 2)] AS antecedent, ARRAY[point(1, 2)] AS consequent, 1 AS confidence, 1 AS lift)', 'shop', 'items');
SELECT * FROM rule_matches('shop_rules', 'numbered', 'items');
SELECT * FROM rule_matches('no_rules', 'shop', 'items');
SELECT * FROM rule_matches('shop_rules', 'shop', 'nothing');
SELECT * FROM rule_matches('shop_rules', 'shop', 'id');
SELECT * FROM rule_matches('shop_rules', 'shop', 'id', 'items', NULL::int[]);
SELECT * FROM rule_matches('shop_rules', 'shop_items', 'id', 'item', NULL::int[]);
SET gpufim.max_results = 3;
SELECT * FROM rule_matches('shop_rules', 'shop', 'items');
RESET gpufim.max_results;
DROP TABLE shop, shop_items, shop_rules, odd_rules, numbered, number_rules;
