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
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(''' || source || ''', 90)', number),
				   format('SELECT id, %s FROM many', number), 90) AS c
ORDER BY n, f;
DROP TABLE many;
