-- A value is the same item, event type, transaction id or partition, however it is stored:
-- as it is, compressed, out of line, or both, and with a header of one byte or
-- of four.  All that is expected here is counted by SQL's own DISTINCT and GROUP BY.
-- Notices say that arrays are items, which is meant.
SET client_min_messages = warning;
CREATE FUNCTION brute.store(type text, VARIADIC list text[]) RETURNS TABLE (compressed boolean, out_of_line boolean, arrays_out_of_line boolean)
LANGUAGE plpgsql AS $$
-- Table "stored" has pairs of values of the type, and times, in every storage that there is,
-- table "stored_arrays" arrays of them; "names" has the first two values' text.
DECLARE
	storage text;
	n int := 0;
BEGIN
	EXECUTE format('CREATE TABLE stored (id %1$s, item %1$s, at int) WITH (toast_tuple_target = 128)', type);
	-- arrays of arrays are arrays of more dimensions
	EXECUTE format('CREATE TABLE stored_arrays (items %s[]) WITH (toast_tuple_target = 128)', rtrim(type, '[]'));
	CREATE TABLE names (included text[], excluded text[]) WITH (toast_tuple_target = 128);
	FOREACH storage IN ARRAY ARRAY['plain', 'main', 'external', 'pglz', 'lz4'] LOOP
		n := n + 1;
		BEGIN
			EXECUTE format(CASE WHEN storage IN ('pglz', 'lz4')
						   THEN 'ALTER TABLE stored ALTER id SET STORAGE extended, ALTER item SET STORAGE extended, ALTER id SET COMPRESSION %1$s, ALTER item SET COMPRESSION %1$s;
								 ALTER TABLE stored_arrays ALTER items SET STORAGE extended, ALTER items SET COMPRESSION %1$s;
								 ALTER TABLE names ALTER included SET STORAGE extended, ALTER excluded SET STORAGE external'
						   ELSE 'ALTER TABLE stored ALTER id SET STORAGE %1$s, ALTER item SET STORAGE %1$s;
								 ALTER TABLE stored_arrays ALTER items SET STORAGE %1$s' END, storage);
		EXCEPTION WHEN feature_not_supported THEN
			CONTINUE;			-- built without lz4
		END;
		-- what has to stay in the page is of the values that fit there
		EXECUTE format('INSERT INTO stored SELECT a, b, $2 * 100 + j FROM unnest($1) WITH ORDINALITY AS x(v, i), unnest($1) WITH ORDINALITY AS y(w, j), CAST(v AS %1$s) AS a, CAST(w AS %1$s) AS b
						WHERE (i * i + j * 3) %% 5 < 3 AND (i * 7 + j * 3 + $2) %% 4 < 3 AND ($3 <> ''plain'' OR pg_column_size(a) + pg_column_size(b) < 8000)', type)
			USING list, n, storage;
		CONTINUE WHEN type LIKE '%[]';
		EXECUTE 'INSERT INTO stored_arrays SELECT array_agg(item) FROM (SELECT DISTINCT id, item FROM stored) AS s GROUP BY id
				 HAVING $1 <> ''plain'' OR sum(octet_length(format(''%s'', item))) < 3000' USING storage;
	END LOOP;
	EXECUTE format('INSERT INTO names SELECT ARRAY[format(''%%s'', a)], ARRAY[format(''%%s'', b)] FROM CAST($1 AS %1$s) AS a, CAST($2 AS %1$s) AS b', type)
		USING list[1], list[2];
	RETURN QUERY SELECT (SELECT count(pg_column_compression(item)) > 0 FROM stored),
						pg_relation_size((SELECT reltoastrelid FROM pg_class WHERE oid = 'stored'::regclass)) > 0,
						pg_relation_size((SELECT reltoastrelid FROM pg_class WHERE oid = 'stored_arrays'::regclass)) > 0;
END
$$;

CREATE FUNCTION brute.compare_stored(pairs text, mined text, including text = NULL, excluding text = NULL) RETURNS TABLE (expected bigint, missing bigint, unexpected bigint)
LANGUAGE plpgsql AS $$
-- Itemsets of one item and of two.  Both queries give items in their own type.
BEGIN
	RETURN QUERY EXECUTE replace(replace($query$
		WITH pair AS MATERIALIZED (
			SELECT DISTINCT id, item FROM (@pairs) AS source(id, item)
			WHERE id IS NOT NULL AND item IS NOT NULL AND format('%s', item) IS DISTINCT FROM $2
		), expected AS MATERIALIZED (
			SELECT * FROM (
				SELECT ARRAY[format('%s', item)] AS items, count(*) AS support FROM pair GROUP BY item
				UNION ALL
				SELECT ARRAY[format('%s', a.item), format('%s', b.item)], count(*) FROM pair AS a JOIN pair AS b ON a.id = b.id AND a.item < b.item GROUP BY a.item, b.item
			) AS itemset WHERE $1 = ANY (items) OR $1 IS NULL
		), mined AS MATERIALIZED (
			SELECT ARRAY(SELECT format('%s', items[n]) FROM generate_subscripts(items, 1) AS n ORDER BY n) AS items, support FROM @mined
		)
		SELECT (SELECT count(*) FROM expected),
			   (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE mined) AS m),
			   (SELECT count(*) FROM (TABLE mined EXCEPT ALL TABLE expected) AS u)
		$query$, '@pairs', pairs), '@mined', mined)
	USING including, excluding;
END
$$;

CREATE FUNCTION brute.compare_stored_episodes(sample text = '') RETURNS TABLE (expected bigint, missing bigint, unexpected bigint)
LANGUAGE plpgsql SET gpufim.strategy = 'auto' AS $$
-- Whatever strategy of itemsets the server is set to, episodes have others.
-- Episodes of one event and of two, which are of different types and follow each other at once: so none overlap.
-- Those of two are counted, and their occurrences listed, by names that are out of line.
BEGIN
	CREATE TABLE episodes (events text[], id text, support bigint) WITH (toast_tuple_target = 128);
	ALTER TABLE episodes ALTER events SET STORAGE external;
	INSERT INTO episodes SELECT ARRAY[format('%s', a.item), format('%s', b.item)], format('%s', a.id), count(*)
		FROM stored AS a JOIN stored AS b ON b.id = a.id AND b.at = a.at + 1 AND NOT b.item = a.item GROUP BY a.item, b.item, a.id;
	RETURN QUERY EXECUTE format($query$
		WITH mined AS MATERIALIZED (
			SELECT ARRAY(SELECT format('%%s', events[n]) FROM generate_subscripts(events, 1) AS n ORDER BY n) AS events, NULL AS id, support
			FROM frequent_episodes('stored', 'item', 'at', 1, '{"[1,1]"}'%s, max_length => 2, partition_column => 'id')
			WHERE cardinality(events) = 1 OR NOT events[1] = events[2]
			UNION ALL SELECT events, NULL, count_episode('stored', 'item', 'at', events, '{"[1,1]"}', 'id') FROM episodes GROUP BY events
			UNION ALL SELECT events, partition, count(*)
			FROM (SELECT DISTINCT events FROM episodes) AS e, episode_occurrences('stored', 'item', 'at', events, '{"[1,1]"}', 'id') GROUP BY events, partition
		), expected AS MATERIALIZED (
			SELECT ARRAY[format('%%s', item)], NULL, count(*) FROM stored GROUP BY item
			UNION ALL SELECT events, NULL, sum(support) FROM episodes, generate_series(1, 2) AS twice GROUP BY events, twice
			UNION ALL TABLE episodes
		)
		SELECT (SELECT count(*) FROM expected),
			   (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE mined) AS m),
			   (SELECT count(*) FROM (TABLE mined EXCEPT ALL TABLE expected) AS u)
		$query$, sample);
	DROP TABLE episodes;
END
$$;

CREATE FUNCTION brute.by_storage(type text) RETURNS TABLE (form text, expected bigint, missing bigint, unexpected bigint)
LANGUAGE plpgsql AS $$
DECLARE
	is_array boolean := type LIKE '%[]';
	elements text := 'SELECT row_number, item FROM (SELECT row_number() OVER (), items FROM stored_arrays) AS s, unnest(items) AS item';
	pair text;
BEGIN
	FOR form, pair IN VALUES ('ids of the type', 'stored'),
							 ('ids that are integers', '(SELECT dense_rank() OVER (ORDER BY id) AS id, item FROM stored)') LOOP
		RETURN QUERY SELECT form, c.* FROM brute.compare_stored('SELECT * FROM ' || pair || ' AS p', format('frequent_itemsets(%L, ''id'', ''item'', 1, max_length => 2)', pair)) AS c;
		-- an array of arrays is of no type of its own
		IF NOT is_array THEN
			RETURN QUERY SELECT form || ', typed', c.* FROM brute.compare_stored('SELECT * FROM ' || pair || ' AS p', format('frequent_itemsets(%L, ''id'', ''item'', 1, NULL::%s[], max_length => 2)', pair, type)) AS c;
		END IF;
	END LOOP;
	RETURN QUERY SELECT 'including and excluding', c.*
		FROM names, brute.compare_stored('SELECT * FROM stored', 'frequent_itemsets(''stored'', ''id'', ''item'', 1, max_length => 2, including => (SELECT included FROM names), excluding => (SELECT excluded FROM names))', included[1], excluded[1]) AS c;
	IF NOT is_array THEN
		RETURN QUERY SELECT 'arrays', c.* FROM brute.compare_stored(elements, 'frequent_itemsets(''stored_arrays'', ''items'', 1, max_length => 2)') AS c;
		RETURN QUERY SELECT 'arrays, typed', c.* FROM brute.compare_stored(elements, format('frequent_itemsets(''stored_arrays'', ''items'', 1, NULL::%s[], max_length => 2)', type)) AS c;
		-- array_append() gives an array in the form in which it is worked on
		RETURN QUERY SELECT 'expanded arrays', c.* FROM brute.compare_stored(elements, 'frequent_itemsets(''(SELECT array_append(items, NULL) AS items FROM stored_arrays)'', ''items'', 1, max_length => 2)') AS c;
	ELSE
		RETURN QUERY SELECT 'expanded arrays', c.* FROM brute.compare_stored('SELECT id, array_append(item, NULL) FROM stored', 'frequent_itemsets(''(SELECT id, array_append(item, NULL) AS item FROM stored)'', ''id'', ''item'', 1, max_length => 2)') AS c;
	END IF;
	RETURN QUERY SELECT 'episodes', c.* FROM brute.compare_stored_episodes() AS c;
	IF NOT is_array THEN
		RETURN QUERY SELECT 'episodes, typed', c.* FROM brute.compare_stored_episodes(format(', NULL::%s[]', type)) AS c;
	END IF;
	DROP TABLE stored, stored_arrays, names;
END
$$;

-- Texts that differ in nothing but one end, of lengths around the short header's,
-- that compress well, badly, and by half; all are sorted, none is written in two ways.
CREATE TABLE texts AS SELECT array_agg(t) AS list FROM (
	VALUES ('a'), (repeat('b', 126)), (repeat('b', 127)), (repeat('c', 3000)), (repeat('c', 2999) || 'd'),
		   ((SELECT string_agg(md5(g::text), '') FROM generate_series(1, 90) AS g)),
		   ((SELECT string_agg(md5(g::text), '') FROM generate_series(2, 91) AS g)),
		   (repeat((SELECT string_agg(md5(g::text), '') FROM generate_series(1, 60) AS g), 2)),
		   ((SELECT string_agg(md5(g::text), '') FROM generate_series(1, 900) AS g))) AS v(t);

CREATE FUNCTION brute.texts(form text, longest int = 100000) RETURNS text[] LANGUAGE sql AS $$ SELECT array_agg(DISTINCT format(form, left(t, longest)) COLLATE "C") FROM texts, unnest(list) AS t $$;

-- what is compared as bytes
SELECT * FROM brute.store('text', VARIADIC brute.texts('%s')); SELECT * FROM brute.by_storage('text');
SELECT * FROM brute.store('varchar', VARIADIC brute.texts('%s')); SELECT * FROM brute.by_storage('varchar');
SELECT * FROM brute.store('varchar(30000)', VARIADIC brute.texts('%s')); SELECT * FROM brute.by_storage('varchar(30000)');
SELECT * FROM brute.store('bpchar', VARIADIC brute.texts('%s')); SELECT * FROM brute.by_storage('bpchar');
SELECT * FROM brute.store('char(3000)', VARIADIC brute.texts('%s', 2900)); SELECT * FROM brute.by_storage('char(3000)');
SELECT * FROM brute.store('bytea', VARIADIC brute.texts('%s')); SELECT * FROM brute.by_storage('bytea');
-- what has a hash function
SELECT * FROM brute.store('numeric', '0', '1', '-1', (SELECT string_agg(n::text, '') FROM generate_series(100, 1500) AS n), (SELECT string_agg(n::text, '') FROM generate_series(100, 1500) AS n) || '.5', repeat('7', 4000));
SELECT * FROM brute.by_storage('numeric');
SELECT * FROM brute.store('jsonb', VARIADIC brute.texts('["%s"]')); SELECT * FROM brute.by_storage('jsonb');
SELECT * FROM brute.store('text[]', VARIADIC brute.texts('{x,%s}')); SELECT * FROM brute.by_storage('text[]');
SELECT * FROM brute.store('int[]', '{1}', '{2}', (SELECT array_agg(n)::text FROM generate_series(1, 900) AS n), (SELECT array_agg(n % 3)::text FROM generate_series(1, 900) AS n), (SELECT array_agg(n * n)::text FROM generate_series(1, 5000) AS n));
SELECT * FROM brute.by_storage('int[]');
SELECT * FROM brute.store('inet', '10.0.0.1', '10.0.0.0/8', '9.0.0.1', '::1', 'ffff::1/64'); SELECT * FROM brute.by_storage('inet');
CREATE TYPE text_range AS RANGE (subtype = text);
SELECT * FROM brute.store('text_range', VARIADIC brute.texts('[%s,~)')); SELECT * FROM brute.by_storage('text_range');
CREATE TYPE article AS (brand text, amount numeric);
SELECT * FROM brute.store('article', VARIADIC brute.texts('(%s,1)')); SELECT * FROM brute.by_storage('article');
CREATE DOMAIN word AS text CHECK (VALUE <> '');
SELECT * FROM brute.store('word', VARIADIC brute.texts('%s')); SELECT * FROM brute.by_storage('word');
-- what has an order only
SELECT * FROM brute.store('varbit', '0', '01', repeat('01', 600), repeat('01', 599) || '00', repeat('1', 30000), (SELECT string_agg(('x' || md5(g::text))::bit(128)::text, '') FROM generate_series(1, 200) AS g));
SELECT * FROM brute.by_storage('varbit');
SELECT * FROM brute.store('tsvector', VARIADIC brute.texts('''%s''', 2000)); SELECT * FROM brute.by_storage('tsvector');
-- a type of the user's own, by its functions for hashing and for ordering
SET client_min_messages = warning;
CREATE TYPE own;
CREATE FUNCTION own_in(cstring) RETURNS own LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION own_out(own) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE own (INPUT = own_in, OUTPUT = own_out, STORAGE = extended, COLLATABLE = true);
CREATE FUNCTION own_eq(own, own) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'texteq';
CREATE FUNCTION own_lt(own, own) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'text_lt';
CREATE FUNCTION own_le(own, own) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'text_le';
CREATE FUNCTION own_ge(own, own) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'text_ge';
CREATE FUNCTION own_gt(own, own) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT AS 'text_gt';
CREATE FUNCTION own_cmp(own, own) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'bttextcmp';
CREATE FUNCTION own_hash(own) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'hashtext';
CREATE OPERATOR = (LEFTARG = own, RIGHTARG = own, FUNCTION = own_eq, COMMUTATOR = =);
CREATE OPERATOR < (LEFTARG = own, RIGHTARG = own, FUNCTION = own_lt, COMMUTATOR = >);
CREATE OPERATOR <= (LEFTARG = own, RIGHTARG = own, FUNCTION = own_le);
CREATE OPERATOR >= (LEFTARG = own, RIGHTARG = own, FUNCTION = own_ge);
CREATE OPERATOR > (LEFTARG = own, RIGHTARG = own, FUNCTION = own_gt);
CREATE OPERATOR CLASS own_order DEFAULT FOR TYPE own USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 own_cmp(own, own);
SELECT * FROM brute.store('own', VARIADIC brute.texts('%s')); SELECT * FROM brute.by_storage('own');
CREATE OPERATOR CLASS own_hashing DEFAULT FOR TYPE own USING hash AS OPERATOR 1 =, FUNCTION 1 own_hash(own);
SELECT * FROM brute.store('own', VARIADIC brute.texts('%s')); SELECT * FROM brute.by_storage('own');

RESET client_min_messages;
-- a composite value in the form in which PL/pgSQL works on it
CREATE FUNCTION article_of(brand text) RETURNS article LANGUAGE plpgsql AS $$
DECLARE a article; BEGIN a.brand := brand; a.amount := 1; RETURN a; END $$;
SELECT count(*), min(support), max(support) FROM frequent_itemsets('(SELECT k AS id, article_of(t) AS item FROM texts, unnest(list) AS t, generate_series(1, 3) AS k)', 'id', 'item', 3, max_length => 1);

-- what a query stores of the results is valid, and of the values' lengths
CREATE TABLE url_log (session int, url text);
INSERT INTO url_log SELECT s, (SELECT string_agg(md5(g::text), '') FROM generate_series(1, 90) AS g) FROM generate_series(1, 4) AS s;
SELECT count(*), max(support), max(octet_length(items[1])) FROM frequent_itemsets('url_log', 'session', 'url', 1);

DROP TABLE url_log, texts;
DROP FUNCTION article_of(text);
SET client_min_messages = warning;
DROP TYPE own CASCADE;
RESET client_min_messages;
DROP TYPE article, text_range;
DROP DOMAIN word;
DROP FUNCTION brute.store(text, text[]), brute.compare_stored(text, text, text, text), brute.compare_stored_episodes(text), brute.by_storage(text), brute.texts(text, int);
