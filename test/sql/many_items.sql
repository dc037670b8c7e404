-- More distinct items than are looked up one at a time: 400 transactions with 30 of
-- 40 common items, some of them twice, among 120 items that no other one has.
CREATE TABLE many (id int, item int);
INSERT INTO many
	SELECT t, CASE WHEN k <= 30 THEN (t * k * k + t % 7 * k) % 40 ELSE t * 150 + k END
	FROM generate_series(1, 400) AS t, generate_series(1, 150) AS k;
INSERT INTO many SELECT nullif(t % 5, 0) * 10, CASE WHEN t % 5 = 0 THEN t END FROM generate_series(1, 50) AS t;
SELECT count(*), count(DISTINCT item), count(DISTINCT (id, item)) FROM many;
-- dense and sparse numbers of every width, in array form and in pair form
SELECT number, form, c.*
FROM (VALUES (1, 'item'), (2, 'item::bigint'), (3, 'item::bigint * -1000000007'), (4, '(item - 32768)::smallint')) AS n(n, number),
	 (VALUES (1, 'arrays', '(SELECT array_agg(%s ORDER BY item * 31 %% 101) AS items FROM many WHERE id IS NOT NULL GROUP BY id)'', ''items'),
			 (2, 'pairs', '(SELECT id, %s AS item FROM many ORDER BY id, item * 31 %% 101)'', ''id'', ''item'),
			 (3, 'scattered pairs', '(SELECT id, %s AS item FROM many ORDER BY item * 31 %% 101, id)'', ''id'', ''item')) AS f(f, form, source),
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(''' || source || ''', 110)', number),
				   format('SELECT id, %s FROM many', number), 110) AS c
ORDER BY n, f;
DROP TABLE many;
-- each of 5,000 items is in as many transactions as SQL counts, wherever the
-- dictionary had to grow: with any other number there would be a difference
CREATE TABLE counted AS SELECT t AS id, (t * 31 + k * k) % 5000 + 1 AS item FROM generate_series(1, 3000) AS t, generate_series(1, 7) AS k;
CREATE FUNCTION pg_temp.differences(item text) RETURNS TABLE (items bigint, differences bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($query$
		WITH mined AS (SELECT items[1] AS item, support FROM frequent_itemsets('(SELECT id, %s AS item FROM counted)', 'id', 'item', 1, max_length => 1)),
			 counted AS (SELECT (%s)::text, count(DISTINCT id) FROM counted GROUP BY 1)
		SELECT (SELECT count(*) FROM counted),
			   (SELECT count(*) FROM (TABLE mined EXCEPT ALL TABLE counted) AS m) + (SELECT count(*) FROM (TABLE counted EXCEPT ALL TABLE mined) AS c)
		$query$, replace(item, '''', ''''''), item);
END
$$;
SELECT item, d.* FROM unnest('{item,item::bigint * -1000000007,item::numeric,item / 2.0::float8,(item - 2500)::smallint}'::text[] || 'item || '' pieces'''::text) AS item,
	 LATERAL pg_temp.differences(item) AS d;
DROP TABLE counted;
-- so many scattered pairs that items passed by reference are looked up together: each pair comes
-- twice, new items come all the time, and a number has several spellings
CREATE TABLE counted AS
	SELECT t * 10000000019 AS id, (t * 31 + k * k) % 5000 + 100 * k AS item
	FROM generate_series(1, 3000) AS t, generate_series(1, 20) AS k, generate_series(1, 2) AS twice ORDER BY k, twice, t;
SELECT item, d.* FROM unnest('{item,md5(item::text)::uuid}'::text[] || 'item || '' pieces'''::text || 'repeat(''long '', item % 20) || item'::text) AS item,
	 LATERAL pg_temp.differences(item) AS d;
WITH mined AS (SELECT items[1] AS item, support
			   FROM frequent_itemsets('(SELECT id, round(item::numeric, (id % 3)::int) AS item FROM counted)', 'id', 'item', 1, NULL::numeric[], max_length => 1)),
	 counted AS (SELECT item::numeric, count(DISTINCT id) FROM counted GROUP BY 1)
SELECT (SELECT count(*) FROM counted) AS items,
	   (SELECT count(*) FROM (TABLE mined EXCEPT ALL TABLE counted) AS m) + (SELECT count(*) FROM (TABLE counted EXCEPT ALL TABLE mined) AS c) AS differences;
DROP TABLE counted;
