-- Items of every kind of type.  One rule for all: the type's own equality
-- decides what is the same item, its own order sorts an itemset.
CREATE FUNCTION brute.by_type(source text) RETURNS TABLE (expected bigint, missing bigint, unexpected bigint, sorted boolean)
LANGUAGE plpgsql AS $$
-- Items are compared through their rank in the type's order, found by SQL; both
-- forms, transaction sets of both, and the typed result must give what the brute force gives.
DECLARE
	element text := (SELECT format_type(t.typelem, -1) FROM pg_type AS t, pg_attribute AS a
					 WHERE a.attrelid = source::regclass AND a.attname = 'items' AND t.oid = a.atttypid);
	form text;
	typed text;
BEGIN
	EXECUTE format('CREATE TEMP VIEW pairs AS SELECT id, item FROM %I, unnest(items) AS item', source);
	EXECUTE format('CREATE TEMP VIEW ranks AS SELECT item, dense_rank() OVER (ORDER BY item) AS rank
					FROM (SELECT DISTINCT item FROM pairs WHERE item IS DISTINCT FROM NULL) AS i');
	FOREACH form IN ARRAY ARRAY[format('%L, ''items'', 2', source),
								'''pairs'', ''id'', ''item'', 2',
								format('(SELECT transaction_set(transaction(items)) FROM %I), 2', source),
								'(SELECT transaction_set(id, item)::text::transaction_set FROM pairs), 2'] LOOP
		typed := CASE WHEN form ~ '^\(' THEN replace(form, ', 2', format(', NULL::%s[], 2', element)) ELSE format('%s, NULL::%s[]', form, element) END;
		FOR expected, missing, unexpected, sorted IN EXECUTE format($query$
			WITH mined AS MATERIALIZED (
				SELECT ARRAY(SELECT r.rank FROM generate_subscripts(items, 1) AS n JOIN ranks AS r ON r.item = f.items[n] ORDER BY n) AS ranks, support
				FROM (SELECT items::%1$s[], support FROM frequent_itemsets(%2$s)
					  UNION ALL
					  SELECT items, -support FROM frequent_itemsets(%3$s)) AS f
			), expected AS MATERIALIZED (
				SELECT array_agg(rank::bigint ORDER BY rank::bigint) AS ranks, support * sign AS support
				FROM brute.mine('SELECT p.id, r.rank FROM pairs AS p JOIN ranks AS r USING (item)', 2) WITH ORDINALITY AS b(items, support, n),
					 unnest(items) AS rank, unnest('{1,-1}'::int[]) AS sign
				GROUP BY n, sign, support
			)
			SELECT (SELECT count(*) FROM expected),
				   (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE mined) AS m),
				   (SELECT count(*) FROM (TABLE mined EXCEPT ALL TABLE expected) AS u),
				   (SELECT bool_and(ranks = (SELECT array_agg(r ORDER BY r) FROM unnest(ranks) AS r)) FROM mined)
			$query$, element, form, typed) LOOP
			RETURN NEXT;
		END LOOP;
	END LOOP;
	DROP VIEW ranks, pairs;
END
$$;

CREATE FUNCTION brute.baskets_of(type text, VARIADIC items text[]) RETURNS void LANGUAGE plpgsql AS $$
-- 24 baskets of up to 8 items: item k of the list is in basket n when bit k of n * 37 is set.
BEGIN
	EXECUTE format('CREATE TABLE typed (id int, items %s[])', type);
	FOR n IN 1 .. 24 LOOP
		EXECUTE 'INSERT INTO typed VALUES ($1, (SELECT array_agg(i ORDER BY k DESC) FROM unnest($2) WITH ORDINALITY AS u(i, k)
				 WHERE ($1 * 37 >> (k - 1)::int) % 2 = 1)::text::' || type || '[])' USING n, items;
	END LOOP;
END
$$;

SELECT brute.baskets_of('smallint', '-32768', '-1', '0', '1', '9', '10', '32767');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('int', '-2147483648', '-1', '0', '9', '10', '65536', '2147483647');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('bigint', '-9223372036854775808', '-1', '0', '4294967296', '4294967297', '9', '9223372036854775807');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('oid', '0', '1', '9', '10', '2147483648', '4294967295');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
-- text and its kin; lengths around the short varlena header, a toasted and a compressed one
SELECT brute.baskets_of('text', '', 'a', 'A', 'b', 'a b', 'NULL', '0');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('text', repeat('x', 125), repeat('x', 126), repeat('x', 127), repeat('x', 128), repeat('y', 3000), repeat('y', 100000), 'x');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('varchar(3)', 'a', 'ab', 'abc', 'b', '', 'A');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('char(4)', 'a', 'ab', 'abc', 'b', '', 'A');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('"char"', 'a', 'b', 'c', 'A', '0');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('name', 'a', 'b', 'c', 'A', 'pg_class');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('bytea', '\x', '\x00', '\x0000', '\xff', '\x6162');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
-- one value in several spellings
SELECT brute.baskets_of('numeric', '1.0', '1.00', '1', '-0.5', '-.50', '1e20', 'NaN', '0.1');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('float8', 'NaN', '-0', '0', '-Infinity', 'Infinity', '1e-320', '9', '10');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('real', 'NaN', '-0', '0', '-Infinity', 'Infinity', '0.1', '9', '10');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT items, support FROM frequent_itemsets('(VALUES (1, 1.0), (2, 1.00), (3, 1), (3, 2.50))', 'column1', 'column2', 3);
SELECT items = '{0}'::float8[], support FROM frequent_itemsets('(VALUES (''{-0}''::float8[]), (''{0}''))', 'column1', 2, NULL::float8[]);
SELECT items, support FROM frequent_itemsets('(VALUES (''{NaN}''::float8[]), (''{NaN}''))', 'column1', 2);
-- char(n) ignores trailing blanks, text does not
SELECT cardinality(items), support FROM frequent_itemsets('(VALUES (''{"a ",a}''::char(3)[]), (''{a}''))', 'column1', 2, kind => 'closed');
SELECT cardinality(items), support FROM frequent_itemsets('(VALUES (''{"a ",a}''::text[]), (''{a}''))', 'column1', 1, kind => 'maximal');
-- date and time
SELECT brute.baskets_of('date', '-infinity', '0044-03-15 BC', '1999-12-31', '2000-01-01', 'infinity');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SET timezone = 'UTC';
SELECT brute.baskets_of('timestamp', '-infinity', '2000-01-01 00:00', '2000-01-01 00:00:00.000001', '1970-01-01', 'infinity');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('timestamptz', '2000-01-01 00:00+00', '2000-01-01 01:00+01', '1970-01-01 00:00+00', 'infinity');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('interval', '1 day', '24 hours', '1 month', '30 days', '-1 second');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('time', '00:00', '24:00', '12:00:00.5', '12:00');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
-- the rest of the family
SELECT brute.baskets_of('boolean', 'true', 'false', 't', 'f', 'true');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('uuid', '00000000-0000-0000-0000-000000000000', 'A0EEBC999C0B4EF8BB6D6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('inet', '10.0.0.1', '10.0.0.1/32', '10.0.0.0/8', '::1', '9.0.0.1');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('macaddr', '08:00:2b:01:02:03', '08002b:010203', 'ff:ff:ff:ff:ff:ff', '00:00:00:00:00:00');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('jsonb', '{"a": 1, "b": 2}', '{"b":2,"a":1.0}', '[1]', '"x"', 'null', '{}');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('int4range', '[1,3)', '[1,2]', 'empty', '(,)', '[2,3)');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT brute.baskets_of('money', '1', '1.00', '-1', '1000');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
-- types of the user's own: enum (ordered as declared), domain, composite, domain over an array's element
CREATE TYPE size AS ENUM ('small', 'medium', 'large');
SELECT brute.baskets_of('size', 'large', 'small', 'medium');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
CREATE DOMAIN grade AS int CHECK (VALUE BETWEEN 1 AND 20);
SELECT brute.baskets_of('grade', '10', '9', '1', '20', '2');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
CREATE TYPE article AS (brand text, amount numeric);
SELECT brute.baskets_of('article', '(a,1)', '(a,1.0)', '(a,10)', '(b,)', '(,2)', '("x,y",2)');
SELECT * FROM brute.by_type('typed'); DROP TABLE typed;
SELECT items, support FROM frequent_itemsets('(VALUES (''{small,large,medium}''::size[]), (''{large,small}''))', 'column1', 2) ORDER BY cardinality(items), items;
SELECT items, support FROM frequent_itemsets('(VALUES (1, ROW(1, text ''a'')), (1, ROW(2, text ''b'')), (2, ROW(1, text ''a'')))', 'column1', 'column2', 1) ORDER BY items;
-- a domain over an array is an array
CREATE DOMAIN basket AS text[] CHECK (cardinality(VALUE) > 0);
SELECT items, support FROM frequent_itemsets('(SELECT items::basket FROM baskets)', 'items', 6) ORDER BY items COLLATE "C";
-- arrays as items of the pair form
SELECT items, support FROM frequent_itemsets('(VALUES (1, ''{1,2}''::int[]), (2, ''{1,2}''), (2, ''{3}''))', 'column1', 'column2', 1) ORDER BY cardinality(items), items;
-- a collation of the column's own
CREATE TABLE typed (id int, items text[] COLLATE "C");
INSERT INTO typed VALUES (1, '{b,a,B,A}'), (2, '{B,a}');
SELECT items, support FROM frequent_itemsets('typed', 'items', 1, kind => 'closed') ORDER BY cardinality(items);
SELECT * FROM brute.by_type('typed');
DROP TABLE typed;
-- vectors of the catalogs are arrays too: a primary key's columns
SELECT items, support FROM frequent_itemsets('(SELECT indkey::int2[] AS k FROM pg_index WHERE indrelid = ''baskets''::regclass)', 'k', 1);
-- types without an order or hash of their own
SELECT * FROM frequent_itemsets('(SELECT ''{"(0,0)"}''::point[] AS items)', 'items', 1);
SELECT * FROM frequent_itemsets('(SELECT ''{"1"}''::json[] AS items)', 'items', 1);
SELECT * FROM frequent_itemsets('(SELECT 1 AS id, ''(0,0)''::point AS item)', 'id', 'item', 1);
SELECT * FROM frequent_itemsets('(SELECT ''(0,0)''::point AS id, 1 AS item)', 'id', 'item', 1);
SELECT * FROM frequent_itemsets('(SELECT ''[1,2]''::json AS items)', 'items', 1);
SELECT * FROM frequent_itemsets('(SELECT ''{1,2}''::text AS items)', 'items', 1);
SELECT * FROM frequent_itemsets('(SELECT ''{1,2}'' AS items)', 'items', 1);
SELECT * FROM frequent_itemsets('(SELECT NULL AS items)', 'items', 1);
SELECT * FROM frequent_itemsets('(SELECT ''1 2''::int2vector AS items)', 'items', 1);
DROP TYPE size, article;
DROP DOMAIN grade, basket;
DROP FUNCTION brute.by_type(text), brute.baskets_of(text, text[]);
