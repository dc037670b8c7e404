-- Probable itemsets against brute force: both kinds of uncertainty in all forms, all
-- kinds of itemsets, thresholds from certain to impossible
CREATE TABLE sightings (id int, species text[], confidence float8, confidences float8[]);
-- 14 of them by a rule one can compute again; some items are certain wherever others are
INSERT INTO sightings
	SELECT n, array_agg(i ORDER BY (n * ascii(i)) % 7, i), (n * 37 % 101 + 1) / 102.0,
		   array_agg(CASE WHEN i IN ('a', 'b') THEN 1 ELSE (n * ascii(i) * 13 % 97 + 1) / 98.0 END ORDER BY (n * ascii(i)) % 7, i)
	FROM generate_series(1, 14) AS n, unnest('{a,b,c,d,e,f}'::text[]) AS i
	WHERE (n * n + ascii(i) * n) % 11 < 7
	GROUP BY n;
INSERT INTO sightings VALUES (15, '{}', 0.5, '{}'), (16, '{a,f}', 0, '{0,0}'), (17, '{a,c}', 1, '{0,1}'), (18, NULL, 0.5, NULL), (19, '{a}', NULL, NULL);
UPDATE sightings SET confidence = round(confidence::numeric, 3), confidences = ARRAY(SELECT round(c::numeric, 3) FROM unnest(confidences) WITH ORDINALITY AS u(c, n) ORDER BY n)
WHERE id < 18;
CREATE TABLE sighted AS SELECT id, s, c FROM sightings, unnest(species, confidences) AS u(s, c);
CREATE VIEW by_row AS SELECT id, s, confidence AS c FROM sightings, unnest(species) AS s;
SELECT count(*), count(DISTINCT s), min(c), max(c), count(*) FILTER (WHERE c = 1) AS certain FROM sighted;

SELECT items, round(probability::numeric, 12) AS probability, round(expected_support::numeric, 12) AS expected_support, occurrences
FROM probable_itemsets('sightings', 'species', 'confidence', 4) ORDER BY items;
SELECT items, round(probability::numeric, 12) AS probability, round(expected_support::numeric, 12) AS expected_support, occurrences
FROM probable_itemsets('sightings', 'species', 'confidences', 2, 0.9) ORDER BY items;

-- every kind, threshold and probability; only decisions, too
CREATE FUNCTION differences(cells text, by_row boolean, source text, columns text)
RETURNS TABLE (kind text, thresholds bigint, itemsets numeric, different numeric) LANGUAGE sql AS $$
	SELECT kind, count(*), sum(expected), sum(missing + unexpected)
	FROM unnest('{all,closed,maximal}'::text[]) AS kind, generate_series(1, 13, 3) AS minsup,
		 unnest('{0.000001,0.1,0.5,0.99,0.999999,NULL}'::numeric[]) AS minprob,
		 LATERAL brute.compare_probable(
			format('SELECT * FROM probable_itemsets(%L, %s, %s, %L::float8, kind => %L)', source, columns, minsup, minprob, kind),
			cells, by_row, minsup, minprob, kind)
	GROUP BY kind ORDER BY kind
$$;
SELECT * FROM differences('TABLE by_row', true, 'sightings', '''species'', ''confidence''');
SELECT * FROM differences('TABLE sighted', false, 'sightings', '''species'', ''confidences''');
SELECT * FROM differences('TABLE sighted', false, 'sighted', '''id'', ''s'', ''c''');
-- pairs that come apart, and that come twice
SELECT * FROM differences('TABLE sighted', false, '(SELECT * FROM sighted, generate_series(1, 2) ORDER BY md5(s || id || c))', '''id'', ''s'', ''c''');
DROP FUNCTION differences;

-- excluding, including and lengths, in both kinds of uncertainty; notices say where they contradict each other
SET client_min_messages = warning;
SELECT kind, lengths, including, excluding, sum(expected) AS expected, sum(missing) AS missing, sum(unexpected) AS unexpected
FROM unnest('{all,closed,maximal}'::text[]) AS kind, unnest('{1,2}'::int[]) AS lengths, unnest(ARRAY[NULL, '{b}', '{f,c}']) AS including, unnest(ARRAY[NULL, '{a}', '{b,d}']) AS excluding,
	 (VALUES (true, '''confidence''', 'TABLE by_row'), (false, '''confidences''', 'TABLE sighted')) AS form(by_row, p, cells),
	 LATERAL brute.compare_probable(
		format('SELECT * FROM probable_itemsets(''sightings'', ''species'', %s, 3, 0.2, kind => %L, min_length => %s, max_length => %s, including => %L::text[], excluding => %L::text[])', p, kind, lengths, lengths + 2, including, excluding),
		cells, by_row, 3, 0.2, kind, lengths, lengths + 2, including::text[], excluding::text[])
GROUP BY kind, lengths, including, excluding HAVING sum(missing + unexpected) > 0 OR (kind = 'closed' AND excluding IS NULL) ORDER BY 1, 2, 3, 4;
-- one of several items
SELECT kind, lengths, including, any_of, sum(expected) AS expected, sum(missing) AS missing, sum(unexpected) AS unexpected
FROM unnest('{all,closed,maximal}'::text[]) AS kind, unnest('{1,2}'::int[]) AS lengths, unnest(ARRAY[NULL, '{b}']) AS including, unnest(ARRAY['{a,c}', '{c,d,f}', '{b,e}']) AS any_of,
	 (VALUES (true, '''confidence''', 'TABLE by_row'), (false, '''confidences''', 'TABLE sighted')) AS form(by_row, p, cells),
	 LATERAL brute.compare_probable(
		format('SELECT * FROM probable_itemsets(''sightings'', ''species'', %s, 3, 0.2, kind => %L, min_length => %s, max_length => %s, including => %L::text[], including_any => %L::text[])', p, kind, lengths, lengths + 2, including, any_of),
		cells, by_row, 3, 0.2, kind, lengths, lengths + 2, including::text[], NULL, any_of::text[])
GROUP BY kind, lengths, including, any_of HAVING sum(missing + unexpected) > 0 OR kind = 'closed' ORDER BY 1, 2, 3, 4;
-- of which some are certain in all transactions
CREATE TABLE certain AS
	SELECT t, i, CASE WHEN i <= 2 THEN 1 ELSE 0.5 + (t * i) % 4 / 8.0 END AS p FROM generate_series(1, 6) AS t, generate_series(1, 6) AS i WHERE i <= 2 OR (t + i) % 3 > 0;
SELECT kind, any_of, c.*
FROM unnest('{all,closed,maximal}'::text[]) AS kind, unnest(ARRAY['{1,2}', '{1,3}', '{3,4}', '{2,5}']) AS any_of,
	 brute.compare_probable(format('SELECT * FROM probable_itemsets(''certain'', ''t'', ''i'', ''p'', 2, 0.25, kind => %L, including_any => %L)', kind, any_of),
							'TABLE certain', false, 2, 0.25, kind, including_any => any_of::text[]) AS c
ORDER BY kind, any_of;
DROP TABLE certain;
RESET client_min_messages;

-- only decisions: the same itemsets, with bounds that are not above the probability and reach minprob
SELECT kind, minprob, count(*), count(*) FILTER (WHERE d.items IS NULL OR e.items IS NULL) AS different,
	   bool_and(d.probability <= e.probability * (1 + 1e-15) AND (d.probability >= minprob OR minprob IS NULL)) AS bounds,
	   bool_and(abs(d.expected_support - e.expected_support) < 1e-12 AND d.occurrences = e.occurrences) AS others
FROM unnest('{all,closed,maximal}'::text[]) AS kind, unnest('{0.01,0.5,0.9,NULL}'::float8[]) AS minprob,
	 LATERAL (SELECT * FROM probable_itemsets('sightings', 'species', 'confidence', 3, minprob, kind => kind)) AS e
	 FULL JOIN LATERAL (SELECT * FROM probable_itemsets('sightings', 'species', 'confidence', 3, minprob, kind => kind, exact => false)) AS d
	 ON d.items = e.items
GROUP BY kind, minprob ORDER BY kind, minprob;

-- what was shown, given as minprob, finds its itemset again
SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM probable_itemsets('sightings', 'species', 'confidence', minsup, r.probability) AS again
												 WHERE again.items = r.items)) AS again
FROM unnest('{1,4,8}'::int[]) AS minsup, LATERAL probable_itemsets('sightings', 'species', 'confidence', minsup, 1e-9) AS r;
SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM probable_itemsets('sighted', 'id', 's', 'c', minsup, r.probability) AS again
												 WHERE again.items = r.items)) AS again
FROM unnest('{1,3}'::int[]) AS minsup, LATERAL probable_itemsets('sighted', 'id', 's', 'c', minsup, 1e-9) AS r;

-- ties: a probability or an expected support that is just the threshold
SELECT items, probability FROM probable_itemsets('(VALUES (ARRAY[''a''], 0.5))', 'column1', 'column2', 1, 0.5);
SELECT items, probability FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, 0.5 AS p FROM generate_series(1, 101))', 'items', 'p', 51, 0.5);
SELECT items, probability FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, 0.5 AS p FROM generate_series(1, 10))', 'items', 'p', 10, 1 / 1024.0);
SELECT items, expected_support FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, 0.7 AS p FROM generate_series(1, 10))', 'items', 'p', 7, NULL);
SELECT items, expected_support FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, 0.1 AS p FROM generate_series(1, 30))', 'items', 'p', 3, NULL);
SELECT items, probability FROM probable_itemsets('(VALUES (ARRAY[''a''], 0.1::float8 + 0.2::float8))', 'column1', 'column2', 1, 0.3);
SELECT items, probability FROM probable_itemsets('(VALUES (ARRAY[''a''], 0.3::float8 - 1e-16))', 'column1', 'column2', 1, 0.3);
SELECT items, probability FROM probable_itemsets('(VALUES (ARRAY[''a''], 1))', 'column1', 'column2', 1, 1);
SELECT items, probability FROM probable_itemsets('(VALUES (ARRAY[''a''], 1 - 1e-16))', 'column1', 'column2', 1, 1);
SELECT items, probability FROM probable_itemsets('(VALUES (ARRAY[''a''], 1e-320))', 'column1', 'column2', 1, 1e-320);
SELECT items, occurrences FROM probable_itemsets('(VALUES (ARRAY[''a'', ''b''], ARRAY[1e-200, 1e-200]))', 'column1', 'column2', 1, NULL);

-- minsup: a fraction of all transactions, those with probability 0 and without items included
SELECT f, (SELECT count(*) FROM probable_itemsets('sightings', 'species', 'confidence', f)) AS itemsets, transactions, minsup
FROM unnest('{0.25,0.3,0.5}'::float8[]) AS f, LATERAL (SELECT transactions, minsup FROM gpufim_last_run() WHERE f > 0) AS l;
SELECT items FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, (n <= 7)::int AS p FROM generate_series(1, 100) AS n)', 'items', 'p', 0.07);
SELECT items FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, (n <= 7)::int AS p FROM generate_series(1, 100) AS n)', 'items', 'p', 0.07, NULL);
SELECT items FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, (n <= 7)::int AS p FROM generate_series(1, 100) AS n)', 'items', 'p', 0.0700001, NULL);
-- by expectation it is not rounded up
SELECT minsup, (SELECT max(expected_support) FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, 0.25 AS p FROM generate_series(1, 10))', 'items', 'p', minsup, NULL)) AS expected_support
FROM unnest('{0.2,0.25,0.26,0.3}'::float8[]) AS minsup;
SELECT minsup, (SELECT count(*) FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, 5 / 18.0 AS p FROM generate_series(1, 6))', 'items', 'p', minsup, NULL)) AS itemsets
FROM unnest(ARRAY[5 / 18.0, 0.2778]::float8[]) AS minsup;
-- and a fraction of type real is the decimal that it shows: 0.3 of 5 is 1.5
SELECT minsup, (SELECT count(*) FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, CASE WHEN n <= 3 THEN 0.5 ELSE 0 END AS p FROM generate_series(1, 5) AS n)', 'items', 'p', minsup, NULL)) AS itemsets
FROM unnest('{0.3,0.3001}'::real[]) AS minsup;
-- and a quotient means a whole number
SELECT minsup, (SELECT count(*) FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, (n < 6)::int AS p FROM generate_series(1, 6) AS n)', 'items', 'p', minsup, NULL)) AS itemsets
FROM unnest(ARRAY[5 / 6.0, (5 / 6.0)::float4, 0.84]::float8[]) AS minsup;
-- 0.625 is a decimal however many transactions there are: of 4,200,003 it is 2625001.875
SELECT expected_support FROM probable_itemsets('(SELECT ''{a}''::text[] AS items, CASE WHEN n <= 2625001 THEN 1 WHEN n = 2625002 THEN 0.9 ELSE 0 END AS p FROM generate_series(1, 4200003) AS n)', 'items', 'p', 0.625, NULL);
-- what is required need not reach the threshold twice
SELECT items, expected_support FROM probable_itemsets('(SELECT ''{a,b}''::text[] AS items, ARRAY[0.5, 1] AS p FROM generate_series(1, 10) AS n)', 'items', 'p', 5, NULL, including => '{a}') ORDER BY items;

-- what settled the itemsets
SELECT count(*) > 0 AS found FROM probable_itemsets('sightings', 'species', 'confidence', 3);
SELECT function, transactions, rows_read, itemsets > 0 AS found,
	   (SELECT array_agg(key ORDER BY key) FROM jsonb_object_keys(details) AS key) AS details,
	   (SELECT sum(value::bigint) > 0 FROM jsonb_each_text(details)) AS settled
FROM gpufim_last_run();
SELECT count(*) > 0 AS found FROM frequent_itemsets('baskets', 'items', 3);
SELECT function, details FROM gpufim_last_run();
-- by expectation, only items are kept whose expected support suffices, beside those that are required
SELECT count(*) > 0 AS found FROM probable_itemsets('sightings', 'species', 'confidence', 5, NULL);
SELECT distinct_items, frequent_items, (SELECT count(*) FROM (SELECT FROM by_row GROUP BY s HAVING sum(c) >= 5) AS h) AS high,
	   (SELECT count(*) FROM (SELECT FROM by_row WHERE c > 0 GROUP BY s HAVING count(*) >= 5) AS o) AS often
FROM gpufim_last_run();
SELECT count(*) > 0 AS found FROM probable_itemsets('sighted', 'id', 's', 'c', 2, NULL, including => '{c}');
SELECT distinct_items, frequent_items, 1 + (SELECT count(*) FROM (SELECT FROM sighted AS a JOIN sighted AS b USING (id) WHERE b.s = 'c' AND a.s <> 'c' GROUP BY a.s HAVING sum(a.c * b.c) >= 2) AS h) AS high,
	   1 + (SELECT count(*) FROM (SELECT FROM sighted AS a JOIN sighted AS b USING (id) WHERE b.s = 'c' AND a.s <> 'c' AND a.c * b.c > 0 GROUP BY a.s HAVING count(*) >= 2) AS o) AS often
FROM gpufim_last_run();
