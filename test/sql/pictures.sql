-- Pictures: what the aggregates write, for any text, any number of rows and in any order of these
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA drawn;
SET search_path = drawn, public;
CREATE FUNCTION hits(picture text, pattern text) RETURNS bigint LANGUAGE sql AS $$SELECT count(*) FROM regexp_matches(picture, pattern, 'g')$$;
CREATE TABLE bought (items text[]);
INSERT INTO bought VALUES ('{bread,butter,milk}'), ('{bread,butter}'), ('{beer,bread}'), ('{bread,butter,jam,milk}'), ('{beer,crisps}');
CREATE TABLE found AS SELECT * FROM frequent_itemsets('bought', 'items', 2, 'closed');
CREATE TABLE rules AS SELECT * FROM association_rules('bought', 'items', 2, 0.7);

-- each of them, from what the functions return
SELECT itemsets_dot(items, support) FROM found;
SELECT rules_dot(antecedent, consequent, support, confidence, lift) FROM rules;
SELECT rules_vega(antecedent, consequent, support, confidence, lift) FROM rules;
SELECT rules_vega(antecedent, consequent, support, confidence, lift, 'matrix') FROM rules;
SELECT lengths_vega(length, itemsets) FROM itemset_counts('bought', 'items', 2);
SELECT distribution_vega(support, probability)
FROM probable_itemset_distribution('(VALUES (1, 1, 0.5), (2, 1, 0.75))', 'column1', 'column2', 'column3', '{1}');
SELECT episodes_vega(partition, times)
FROM episode_occurrences('(VALUES (1, ''a'', 10), (1, ''b'', 12), (2, ''a'', 7.5), (2, ''b'', 8))', 'column2', 'column3', '{a,b}', '{"(0,2]"}', partition_column => 'column1');

-- items in a type of their own; the type of the result
SELECT pg_typeof(itemsets_dot(items, support)), itemsets_dot(items, support)
FROM frequent_itemsets('(VALUES (ARRAY[1, 20]), (ARRAY[20]))', 'column1', 1, NULL::int[], 'closed');
SELECT pg_typeof(rules_vega(antecedent, consequent, support, confidence, lift))
FROM association_rules('(VALUES (ARRAY[1, 20]), (ARRAY[20]))', 'column1', 1, NULL::int[]);
-- dates are ISO 8601, whatever the session says
SET datestyle = 'German';
SELECT itemsets_dot(ARRAY['2026-05-01'::date], 1) ~ '"2026-05-01\\n1"';
RESET datestyle;

-- nothing to draw
SELECT itemsets_dot(items, support) FROM found WHERE false;
SELECT rules_dot(antecedent, consequent, support, confidence, lift) FROM rules WHERE false;
SELECT rules_vega(antecedent, consequent, support, confidence, lift)::jsonb = rules_vega(antecedent, consequent, support, confidence, lift, 'matrix')::jsonb AS same_spec,
	rules_vega(antecedent, consequent, support, confidence, lift)->'title'->>'text' AS title FROM rules WHERE false;
SELECT lengths_vega(support, support)->'data', distribution_vega(support, support)->'data' FROM rules WHERE false;
SELECT episodes_vega(NULL, items)->'title'->>'text' FROM found WHERE false;
-- a row with a NULL or with a number that is not finite is not drawn, and a NULL item is none; but there may be no partitions
SELECT itemsets_dot(items, support)
FROM (VALUES (NULL, 1), ('{a}'::text[], NULL), ('{b}', 'NaN'::float8), ('{c}', 'Infinity'), ('{d}', '-Infinity'), ('{e,NULL}', 5), ('{}', 6)) AS v(items, support);
CREATE TABLE partly AS
	SELECT * FROM (VALUES ('{a}'::text[], '{b}'::text[], 1::float8, 1::float8, 1::float8), (NULL, '{b}', 1, 1, 1), ('{a}', NULL, 1, 1, 1),
		('{a}', '{b}', NULL, 1, 1), ('{a}', '{b}', 1, NULL, 1), ('{a}', '{b}', 1, 1, NULL), ('{a}', '{b}', 1, 1, 'Infinity'))
		AS v(antecedent, consequent, support, confidence, lift);
SELECT count(*), rules_vega(antecedent, consequent, support, confidence, lift)->'title'->>'text' AS drawn,
	hits(rules_dot(antecedent, consequent, support, confidence, lift), '->') AS arrows FROM partly;
SELECT lengths_vega(length, number)->'data', distribution_vega(length, number)->'data'
FROM (VALUES (1, 10), (NULL, 20), (3, NULL), (2, 'NaN'::float8)) AS v(length, number);
SELECT episodes_vega(partition, times)->'data'
FROM (VALUES ('a', '{1,NULL,2}'::int[]), (NULL, '{3}'), ('b', NULL), ('c', '{}')) AS v(partition, times);

-- texts of any kind
CREATE TABLE odd (n int, item text);
INSERT INTO odd SELECT row_number() OVER (), item FROM unnest(ARRAY[
	'', ' ', '"', '\', '\"', '\\', '\n', '\N', '\l', '"]; n1 -> n2 [label="', '<b>bold</b>', '&amp;', '&#65;', '&', '<', '''', '`', '{a|b}', '%s%n',
	'/* */', '//', '#', '-->', E'a\nb', E'a\rb', E'a\tb', E'\x01\x1b\x1f\x7f', 'Käse', '奶酪', '🧀', U&'\2028', U&'\FFFE\FFFF', U&'\00A0', '</script>', 'null', '1']) AS item;
SELECT n, regexp_replace(itemsets_dot(ARRAY[item], 1), '^.*n1 \[label="(.*)\\n1", fillcolor.*$', '\1') AS label FROM odd GROUP BY n ORDER BY n;
-- in a picture of rules they are the same
SELECT count(*) FILTER (WHERE strpos(rules, regexp_replace(itemset, '^.*(\[label=".*)\\n1", fillcolor.*$', '\1"];')) > 0) AS equal, count(*)
FROM (SELECT itemsets_dot(ARRAY[item], 1) AS itemset, rules_dot(ARRAY[item], ARRAY[item, 'x'], 1, 1, 1) AS rules FROM odd GROUP BY n) AS p;
-- JSON has the very texts
SELECT count(*) FILTER (WHERE rule->>'antecedent' = a AND rule->>'consequent' = a || ' + ' || b) AS equal, count(*)
FROM (SELECT a.item AS a, b.item AS b, rules_vega(ARRAY[a.item], ARRAY[a.item, b.item], 1, 1, 1)::jsonb AS spec FROM odd AS a, odd AS b GROUP BY a.item, b.item) AS p,
	LATERAL jsonb_array_elements(spec->'data'->'values') AS rule;
SELECT count(*) FILTER (WHERE event->>'partition' = item) AS equal, count(*)
FROM (SELECT item, episodes_vega(item, '{1}'::int[])::jsonb AS spec FROM odd GROUP BY item) AS p, LATERAL jsonb_array_elements(spec->'data'->'values') AS event;
-- numbers
SELECT itemsets_dot(ARRAY[n::text], n) FROM (VALUES (0::float8), (0.123456), (1e-9), (9007199254740991), (1e300)) AS v(n);
SELECT hits(rules_dot(ARRAY[n::text], '{x}', n, n, n), 'penwidth=[0-3]\.\d\d, color="#[0-9a-f]{6}"') AS rules, hits(itemsets_dot(ARRAY[n::text], n), 'fillcolor="#[0-9a-f]{6}"') AS itemsets
FROM (VALUES (-1e308::float8), (-1), (0), (1e-307), (1), (1e308)) AS v(n);
SELECT string_agg(value->>'number', ' ') FROM (SELECT lengths_vega(n, n)::jsonb AS spec FROM (VALUES (0::float8), (0.1), (1e-9), (9007199254740991), (-1)) AS v(n)) AS s,
	LATERAL jsonb_array_elements(spec->'data'->'values') AS value;

-- times of each type, and the same as text
CREATE TABLE happened (partition int, event text, number int, fraction numeric, real float8, day date, at timestamp, at_zone timestamptz, clock time, span interval);
SET timezone = 'Europe/Berlin';
INSERT INTO happened
SELECT p, CASE n WHEN 1 THEN 'a' ELSE 'b' END, n, n / 10.0, n / 4.0, '2026-05-01'::date + n, '2026-05-01 08:00'::timestamp + n * interval '90 s',
	'2026-05-01 08:00+02'::timestamptz + n * interval '90 s', '08:00'::time + n * interval '90 s', n * interval '1 day 1.5 s'
FROM generate_series(1, 2) AS p, generate_series(1, 2) AS n;
CREATE FUNCTION times_of(time_column text, type text) RETURNS TABLE (typed jsonb, as_text jsonb, axis jsonb, same_axis boolean) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		SELECT jsonb_path_query_array(t, '$.data.values.time'), jsonb_path_query_array(x, '$.data.values.time'), t->'encoding'->'x', t->'encoding'->'x' = x->'encoding'->'x'
		FROM (SELECT episodes_vega(partition, times)::jsonb AS t
			  FROM episode_occurrences('happened', 'event', %1$L, '{a,b}', '{"(0,99]"}', NULL::%2$s[], partition_column => 'partition')) AS typed,
			 (SELECT episodes_vega(partition, times)::jsonb AS x
			  FROM episode_occurrences('happened', 'event', %1$L, '{a,b}', '{"(0,99]"}', partition_column => 'partition')) AS untyped$q$,
		time_column, type);
END $$;
\x on
SELECT * FROM times_of('number', 'int');
SELECT * FROM times_of('fraction', 'numeric');
SELECT * FROM times_of('real', 'float8');
SELECT * FROM times_of('day', 'date');
SELECT * FROM times_of('at', 'timestamp');
SELECT * FROM times_of('at_zone', 'timestamptz');
SET datestyle = 'SQL, DMY';
SELECT * FROM times_of('at', 'timestamp');
RESET datestyle;
\x off
SELECT spec->'encoding'->'x', jsonb_path_query_array(spec, '$.data.values.time')
FROM (SELECT episodes_vega(partition, times)::jsonb AS spec FROM episode_occurrences('happened', 'event', 'clock', '{a,b}', '{"(0,99]"}', NULL::time[], partition_column => 'partition')) AS e;
SELECT jsonb_path_query_array(episodes_vega('', ARRAY[span])::jsonb, '$.data.values.time') FROM happened;
SELECT episodes_vega('', ARRAY['1', 'tomorrow noon or so']);

-- the lines of a lattice: those between itemsets of which none lies between, by definition
CREATE TABLE sets AS
	SELECT DISTINCT ARRAY(SELECT 'i' || item FROM generate_series(1, 7) AS item WHERE hashint4(n * 8 + item) % 3 = 0) AS items FROM generate_series(1, 60) AS n;
CREATE TABLE lattice AS SELECT itemsets_dot(items, cardinality(items)) AS picture FROM sets;
CREATE TABLE nodes AS SELECT m[1] AS node, string_to_array(m[2], '\n') AS items
	FROM lattice, regexp_matches(picture, '(n\d+) \[label="((?:i\d\\n)*)\d"', 'g') AS m;
UPDATE nodes SET items = items[:cardinality(items) - 1];
CREATE TABLE linked AS SELECT a.items AS part, b.items AS whole
	FROM lattice, regexp_matches(picture, '(n\d+) -> (n\d+)', 'g') AS m JOIN nodes AS a ON a.node = m[1] JOIN nodes AS b ON b.node = m[2];
CREATE TABLE covers AS SELECT a.items AS part, b.items AS whole FROM sets AS a, sets AS b
	WHERE a.items <@ b.items AND a.items <> b.items
	  AND NOT EXISTS (SELECT FROM sets AS c WHERE a.items <@ c.items AND a.items <> c.items AND c.items <@ b.items AND c.items <> b.items);
SELECT (SELECT count(*) FROM (TABLE sets EXCEPT ALL SELECT items FROM nodes) AS lost) AS lost, (SELECT count(*) > 50 FROM covers) AS some,
	(SELECT count(*) FROM (TABLE covers EXCEPT ALL TABLE linked) AS missing) AS missing, (SELECT count(*) FROM (TABLE linked EXCEPT ALL TABLE covers) AS wrong) AS wrong;

-- more than can be drawn: the strongest of them
CREATE TABLE many AS
	SELECT ARRAY['i' || n] AS items, ARRAY['j' || n] AS other, ARRAY['hub'] AS hub, ARRAY['i' || n, 'i' || n + 1, 'i' || n + 2] AS long,
		n AS support, n / 1000.0 AS confidence, (n * 7919 % 1009)::float8 AS lift
	FROM generate_series(1, 1000) AS n;
SELECT hits(picture, 'n\d+ \[label') AS nodes, substring(picture from 'label="([^"]*)"\]') AS title, min(m[1]::int), max(m[1]::int)
FROM (SELECT itemsets_dot(items, support) AS picture FROM many) AS p, LATERAL regexp_matches(picture, 'label="i(\d+)\\n\1"', 'g') AS m GROUP BY picture;
SELECT hits(itemsets_dot(items, support), 'n\d+ \[label') AS nodes, itemsets_dot(items, support) ~ ' of ' AS says_so FROM many WHERE support <= 100;
CREATE FUNCTION shown(picture text) RETURNS TABLE (title text, boxes bigint, points bigint, arrows bigint) LANGUAGE sql AS $$
	SELECT substring(picture from 'label="([^\\"]*)'), hits(picture, '\ti\d+ \[label'), hits(picture, 'shape=point'), hits(picture, 'label="[\d.]+"\]') $$;
SELECT s.* FROM (SELECT rules_dot(items, other, support, confidence, lift) AS picture FROM many) AS p, shown(picture) AS s;
SELECT s.* FROM (SELECT rules_dot(items, hub, support, confidence, lift) AS picture FROM many) AS p, shown(picture) AS s;
SELECT s.* FROM (SELECT rules_dot(items, hub, support, confidence, lift) AS picture FROM many WHERE support < 100) AS p, shown(picture) AS s;
SELECT s.* FROM (SELECT rules_dot(long, other, support, confidence, lift) AS picture FROM many) AS p, shown(picture) AS s;
SELECT s.* FROM (SELECT rules_dot(ARRAY['a', 'b'], ARRAY['c', 'd'], support, confidence, lift) AS picture FROM many) AS p, shown(picture) AS s;
-- a rule that does not fit leaves nothing behind, even if it is longer than a picture
SELECT s.* FROM (SELECT rules_dot(items, other, support, confidence, lift) AS picture
	FROM (SELECT items, other, support, confidence, lift FROM many WHERE support <= 49
		  UNION ALL SELECT '{x,y}', '{z}', 1, 1, 0.5) AS m) AS p, shown(picture) AS s;
SELECT n, s.* FROM (SELECT n, rules_dot(items, '{c}', 1, 1, 1) AS picture
	FROM unnest('{98,99,200}'::int[]) AS n, LATERAL (SELECT array_agg('i' || i) AS items FROM generate_series(1, n) AS i) AS rule GROUP BY n) AS p, shown(picture) AS s ORDER BY n;
-- those of most lift are drawn
SELECT count(*) = 50 AS fifty, min(lift) > (SELECT lift FROM many ORDER BY lift DESC OFFSET 50 LIMIT 1) AS strongest
FROM (SELECT rules_dot(items, other, support, confidence, lift) AS picture FROM many) AS p, regexp_matches(picture, '\[label="(i\d+)"\]', 'g') AS m JOIN many ON m[1] = items[1];

-- the order of rows makes no difference
CREATE FUNCTION pictures(OUT itemsets text, OUT rules text, OUT scatter text, OUT matrix text, OUT lengths text, OUT distribution text, OUT episodes text) LANGUAGE sql AS $$
	WITH shuffled AS MATERIALIZED (SELECT *, lift::int % 10 AS level FROM many ORDER BY random())
	SELECT itemsets_dot(items, level), rules_dot(items, other, level, confidence, level), rules_vega(long, other, support, level, level)::text,
		rules_vega(long, hub, level, level, level, 'matrix')::text, lengths_vega(level, support)::text, distribution_vega(level, confidence)::text,
		episodes_vega(level::text, ARRAY[support, support + 1])::text FROM shuffled $$;
SELECT count(DISTINCT itemsets) AS itemsets, count(DISTINCT rules) AS rules, count(DISTINCT scatter) AS scatter, count(DISTINCT matrix) AS matrix,
	count(DISTINCT lengths) AS lengths, count(DISTINCT distribution) AS distribution, count(DISTINCT episodes) AS episodes
FROM generate_series(1, 5) AS again, LATERAL (SELECT again, (pictures()).*) AS p;

-- one for each group, and over a window
SELECT level, hits(itemsets_dot(items, support), 'fillcolor="#') FROM (SELECT *, support % 3 AS level FROM many WHERE support <= 10) AS m GROUP BY level ORDER BY level;
SELECT support, hits(itemsets_dot(items, support) OVER (ORDER BY support DESC), 'fillcolor="#') FROM many WHERE support <= 4 ORDER BY support;
-- they do not keep others from running in parallel
SELECT proname, prokind, proparallel, count(*) FROM pg_proc WHERE proname ~ '^[^_]*_(dot|vega)$' GROUP BY 1, 2, 3 ORDER BY 1;

-- the form
SELECT rules_vega(antecedent, consequent, support, confidence, lift)::text = rules_vega(antecedent, consequent, support, confidence, lift, 'scatter')::text AS scatter,
	rules_vega(antecedent, consequent, support, confidence, lift)::text = rules_vega(antecedent, consequent, support, confidence, lift, NULL)::text AS by_default FROM rules;
SELECT rules_vega(antecedent, consequent, support, confidence, lift, 'graph') FROM rules;
SELECT rules_vega(antecedent, consequent, support, confidence, lift, CASE WHEN support > 2 THEN 'matrix' ELSE 'scatter' END) FROM rules;
\set VERBOSITY terse
SELECT itemsets_dot('bread', 1);

-- rows take no more memory than a call may, and each group has as much
SET gpufim.memory_limit = '2MB';
SELECT length(itemsets_dot(ARRAY[repeat('long ', 100) || i], i)) FROM generate_series(1, 10000) AS i;
SELECT length(rules_vega(ARRAY[i], ARRAY[i, i], i, i, i)::text) FROM generate_series(1, 10000) AS i;
SELECT length(lengths_vega(i, i)::text) FROM generate_series(1, 50000) AS i;
SELECT count(*), sum(drawn) FROM (SELECT strpos(itemsets_dot(ARRAY[repeat('long ', 100) || i], i), 'long') AS drawn FROM generate_series(1, 10000) AS i GROUP BY i % 10) AS d;
RESET gpufim.memory_limit;
SET client_min_messages = warning;
DROP SCHEMA drawn CASCADE;
