-- The demo's data: real baskets of an online shop, by product name, and real diaries of patients
CREATE SCHEMA shop;
SET search_path = shop, public;
CREATE TABLE products (code text PRIMARY KEY, name text NOT NULL);
\copy products FROM 'demo/products.csv' (FORMAT csv, HEADER)
CREATE TABLE coded (basket serial, codes text[]);
\copy coded (codes) FROM PROGRAM 'gzip -dc demo/baskets.gz'
CREATE TABLE lines AS SELECT basket, name AS item FROM coded, unnest(codes) AS code JOIN products USING (code);
CREATE TABLE sold (basket int, items text[]);
INSERT INTO sold SELECT basket, array_agg(item) FROM lines GROUP BY basket;
SELECT (SELECT count(*) FROM sold) > 20000 AS baskets, (SELECT count(*) FROM products) > 100 AS products;
ANALYZE;
CREATE TABLE found AS SELECT * FROM frequent_itemsets('sold', 'items', 0.02);
SELECT count(*) > 20 AS some, max(cardinality(items)) > 1 AS pairs, bool_and(support >= 0.02 * (SELECT count(*) FROM sold)) AS frequent FROM found;
-- the same in pair form
SELECT count(*) FROM (TABLE found EXCEPT ALL SELECT * FROM frequent_itemsets('lines', 'basket', 'item', 0.02)) AS missing;
SELECT count(*) FROM (SELECT * FROM frequent_itemsets('lines', 'basket', 'item', 0.02) EXCEPT ALL TABLE found) AS unexpected;
-- single items, pairs and triples by joins
CREATE TABLE single AS SELECT item, count(DISTINCT basket) AS support FROM lines GROUP BY item HAVING count(DISTINCT basket) >= 0.02 * (SELECT count(*) FROM sold);
CREATE TABLE kept AS SELECT DISTINCT basket, n FROM lines JOIN (SELECT item, row_number() OVER (ORDER BY item)::int AS n FROM single) AS s USING (item);
CREATE TABLE names AS SELECT row_number() OVER (ORDER BY item)::int AS n, item FROM single;
CREATE INDEX ON kept (n);
ANALYZE kept;
CREATE TABLE joined AS
	SELECT ARRAY[n] AS items, count(*) AS support FROM kept GROUP BY n
	UNION ALL
	SELECT ARRAY[a.n, b.n], count(*) FROM kept AS a JOIN kept AS b USING (basket) WHERE a.n < b.n GROUP BY a.n, b.n;
DELETE FROM joined WHERE support < 0.02 * (SELECT count(*) FROM sold);
ANALYZE joined;
INSERT INTO joined
	SELECT ARRAY[i, j, k], (SELECT count(*) FROM (SELECT basket FROM kept WHERE n IN (i, j, k) GROUP BY basket HAVING count(*) = 3) AS b)
	FROM (SELECT x.items[1], x.items[2], y.items[2]
		  FROM joined AS x JOIN joined AS y ON x.items[1] = y.items[1] AND x.items[2] < y.items[2]) AS candidate(i, j, k);
DELETE FROM joined WHERE support < 0.02 * (SELECT count(*) FROM sold);
CREATE TABLE found_numbers AS SELECT ARRAY(SELECT n FROM names WHERE item = ANY (items) ORDER BY n) AS items, support FROM found WHERE cardinality(items) <= 3;
SELECT cardinality(items) AS length, count(*) > 0 AS some FROM joined GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM (TABLE joined EXCEPT ALL TABLE found_numbers) AS missing;
SELECT count(*) FROM (TABLE found_numbers EXCEPT ALL TABLE joined) AS unexpected;
-- closed and maximal by their definition, from all
CREATE VIEW expected AS
	SELECT kind, items, support
	FROM unnest('{closed,maximal}'::text[]) AS kind, found AS f
	WHERE NOT EXISTS (SELECT FROM found AS g WHERE g.items @> f.items AND cardinality(g.items) > cardinality(f.items)
					  AND (kind = 'maximal' OR g.support = f.support));
CREATE VIEW mined AS
	SELECT kind, items, support FROM unnest('{closed,maximal}'::text[]) AS kind, frequent_itemsets('sold', 'items', 0.02, kind => kind);
SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE mined) AS missing;
SELECT count(*) FROM (TABLE mined EXCEPT ALL TABLE expected) AS unexpected;
SELECT c.length, c.itemsets = f.n AS same
FROM itemset_counts('sold', 'items', 0.02) AS c FULL JOIN (SELECT cardinality(items) AS length, count(*) AS n FROM found GROUP BY 1) AS f USING (length) ORDER BY 1;
-- pairs of events in the diaries: all occurrences by a join, then by the earliest end those that do not overlap
CREATE TABLE diaries (patient int, at timestamp, event text, value numeric);
\copy diaries FROM PROGRAM 'gzip -dc demo/diaries.csv.gz' (FORMAT csv, HEADER)
SELECT count(*), count(DISTINCT patient) AS patients, count(DISTINCT event) AS events FROM diaries;
CREATE FUNCTION pairs(least_hours int, most_hours int, minsup int) RETURNS TABLE (events text[], support bigint) LANGUAGE plpgsql AS $$
DECLARE
	occurrence record;
	free timestamp;
	patient int;
BEGIN
	FOR occurrence IN
		SELECT DISTINCT ARRAY[a.event, b.event] AS events, a.patient, a.at AS start, b.at AS "end"
		FROM diaries AS a JOIN diaries AS b ON b.patient = a.patient
			AND b.at > a.at + least_hours * interval '1 hour' AND b.at <= a.at + most_hours * interval '1 hour'
		ORDER BY 1, 2, 4, 3 DESC
	LOOP
		IF events IS DISTINCT FROM occurrence.events THEN
			IF support >= minsup THEN
				RETURN NEXT;
			END IF;
			events := occurrence.events;
			support := 0;
			patient := NULL;
		END IF;
		CONTINUE WHEN patient = occurrence.patient AND occurrence.start <= free;
		support := support + 1;
		patient := occurrence.patient;
		free := occurrence."end";
	END LOOP;
	IF support >= minsup THEN
		RETURN NEXT;
	END IF;
END
$$;
CREATE TABLE counted AS
	SELECT '(0,7200]'::numrange AS gap, * FROM pairs(0, 2, 20) UNION ALL SELECT '(7200,21600]', * FROM pairs(2, 6, 20);
CREATE TABLE episodes AS
	SELECT gaps[1] AS gap, events, support FROM frequent_episodes('diaries', 'event', 'at', 20, '{"(0,7200]","(7200,21600]"}', partition_column => 'patient', min_length => 2, max_length => 2);
SELECT count(*) > 100 AS some FROM episodes;
SELECT count(*) FROM (TABLE counted EXCEPT ALL TABLE episodes) AS missing;
SELECT count(*) FROM (TABLE episodes EXCEPT ALL TABLE counted) AS unexpected;
SET client_min_messages = warning;
DROP SCHEMA shop CASCADE;
