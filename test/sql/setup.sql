-- What the other tests share: a brute force that knows nothing of gpufim, and a
-- few small tables.
SET client_min_messages = warning;
-- The planner takes the brute force for more work than it is.
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = off', current_database()); END $$;
SET jit = off;
CREATE SCHEMA brute;

-- The frequent itemsets of a query that gives (tid, item) pairs, items as text.
-- The transactions that hold an itemset are bits.  "excluding" takes items out of the
-- data.  Of what remains, no further item is in all transactions of a closed itemset, and
-- none can be added to a maximal one so that it stays frequent; the limits filter last.
CREATE FUNCTION brute.mine(pairs text, minsup bigint, kind text = 'all',
						   min_length int = 1, max_length int = NULL,
						   including text[] = NULL, excluding text[] = NULL, including_any text[] = NULL)
RETURNS TABLE (items text[], support bigint)
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($query$
		WITH RECURSIVE pair AS MATERIALIZED (
			SELECT item, dense_rank() OVER (ORDER BY tid)::int AS place
			FROM (SELECT DISTINCT tid::text AS tid, item::text COLLATE "C" AS item
				  FROM (%s) AS source(tid, item)) AS named
			WHERE tid IS NOT NULL AND item IS NOT NULL
			  AND item <> ALL (coalesce($6, '{}'))
		), none AS MATERIALIZED (
			SELECT repeat('0', max(place))::bit varying AS rows FROM pair
		), vertical AS MATERIALIZED (
			SELECT item, bit_or(set_bit(none.rows, place - 1, 1)) AS rows
			FROM pair, none
			GROUP BY item
			HAVING count(*) >= $1
		), grown AS (
			SELECT ARRAY[item] AS items, item AS last, rows FROM vertical
			UNION ALL
			SELECT g.items || v.item, v.item, g.rows & v.rows
			FROM grown g
				 JOIN vertical v ON v.item > g.last
			WHERE bit_count(g.rows & v.rows) >= $1
		)
		SELECT f.items, bit_count(f.rows)
		FROM grown f
		WHERE cardinality(f.items) >= $3
		  AND cardinality(f.items) <= coalesce($4, cardinality(f.items))
		  AND f.items @> coalesce($5, '{}')
		  AND f.items && coalesce($7, f.items)
		  AND ($2 = 'all'
			   OR NOT EXISTS (SELECT FROM vertical v
							  WHERE v.item <> ALL (f.items)
								AND bit_count(f.rows & v.rows) >= CASE $2 WHEN 'maximal' THEN $1 ELSE bit_count(f.rows) END))
		$query$, pairs)
	USING minsup, kind, min_length, max_length, including, excluding, including_any;
END
$$;

CREATE FUNCTION brute.sorted(items text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE AS
'SELECT array_agg(item ORDER BY item COLLATE "C") FROM unnest(items) AS item';

-- Compares a query that gives (items, support) with the brute force: how many
-- itemsets the brute force finds, and how many rows either has and the other
-- has not (a row that comes twice counts as wrong).
CREATE FUNCTION brute.compare(mined text, pairs text, minsup bigint, kind text = 'all',
							  min_length int = 1, max_length int = NULL,
							  including text[] = NULL, excluding text[] = NULL, including_any text[] = NULL)
RETURNS TABLE (expected bigint, missing bigint, unexpected bigint)
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($query$
		WITH expected AS MATERIALIZED (
			SELECT items, support FROM brute.mine($1, $2, $3, $4, $5, $6, $7, $8)
		), mined AS MATERIALIZED (
			SELECT brute.sorted(items::text[]) AS items, support
			FROM (%s) AS result(items, support)
		)
		SELECT (SELECT count(*) FROM expected),
			   (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE mined) AS m),
			   (SELECT count(*) FROM (TABLE mined EXCEPT ALL TABLE expected) AS u)
		$query$, mined)
	USING pairs, minsup, kind, min_length, max_length, including, excluding, including_any;
END
$$;

-- The distribution of a sum of Bernoulli variables, from 0 on, in exact decimals.
CREATE FUNCTION brute.distribution(p numeric[]) RETURNS numeric[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	d numeric[] := '{1}';
	q numeric;
BEGIN
	FOREACH q IN ARRAY p LOOP
		SELECT array_agg(trim_scale(coalesce(d[i], 0) * (1 - q) + coalesce(d[i - 1], 0) * q) ORDER BY i) INTO d
		FROM generate_series(1, cardinality(d) + 1) AS i;
	END LOOP;
	RETURN d;
END
$$;

-- The probable itemsets of a query that gives (tid, item, probability), items as
-- text: under attribute uncertainty, or, with by_row, under tuple uncertainty, where
-- the probability is that of the transaction and stands with each of its items.
CREATE FUNCTION brute.probable(cells text, by_row boolean, minsup numeric, minprob numeric, kind text = 'all',
							   min_length int = 1, max_length int = NULL,
							   including text[] = NULL, excluding text[] = NULL, including_any text[] = NULL)
RETURNS TABLE (items text[], probability numeric, expected_support numeric, occurrences bigint)
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($query$
		WITH RECURSIVE cell AS MATERIALIZED (
			SELECT DISTINCT tid::text AS tid, item::text COLLATE "C" AS item, p::numeric AS p
			FROM (%s) AS source(tid, item, p)
			WHERE tid IS NOT NULL AND item IS NOT NULL AND p IS NOT NULL
			  AND item::text <> ALL (coalesce($6, '{}'))
		), vertical AS MATERIALIZED (
			SELECT item, array_agg(coalesce(p, 0) ORDER BY tid) AS p
			FROM (SELECT DISTINCT tid FROM cell) AS t CROSS JOIN (SELECT DISTINCT item FROM cell) AS i
				 LEFT JOIN cell USING (tid, item)
			GROUP BY item
		), grown AS (
			SELECT ARRAY[item] AS items, item AS last, p FROM vertical WHERE 0 < ANY (p)
			UNION ALL
			SELECT g.items || v.item, v.item, both_have.p
			FROM grown g
				 JOIN vertical v ON v.item > g.last
				 CROSS JOIN LATERAL (SELECT array_agg(CASE WHEN $8 AND a * b > 0 THEN a ELSE a * b END ORDER BY n)
									 FROM unnest(g.p, v.p) WITH ORDINALITY AS u(a, b, n)) AS both_have(p)
			WHERE 0 < ANY (both_have.p)
		), known AS MATERIALIZED (
			SELECT g.items, array_remove(g.p, 0) AS p, brute.distribution(array_remove(g.p, 0)) AS d
			FROM grown g
		), judged AS MATERIALIZED (
			SELECT k.items, d, cardinality(p)::bigint AS occurrences,
				   (SELECT sum(q) FROM unnest(p) AS q) AS expected_support,
				   (SELECT coalesce(sum(q), 0) FROM unnest(d[ceil($1)::int + 1:]) AS q) AS probability
			FROM known k
		), selected AS MATERIALIZED (
			SELECT * FROM judged j
			WHERE CASE WHEN $7 IS NULL THEN j.expected_support >= $1 ELSE j.probability >= $7 END
		)
		SELECT s.items, s.probability, s.expected_support, s.occurrences
		FROM selected s
		WHERE cardinality(s.items) >= $3
		  AND cardinality(s.items) <= coalesce($4, cardinality(s.items))
		  AND s.items @> coalesce($5, '{}')
		  AND s.items && coalesce($9, s.items)
		  AND ($2 <> 'maximal'
			   OR NOT EXISTS (SELECT FROM selected g
							  WHERE cardinality(g.items) > cardinality(s.items) AND g.items @> s.items))
		  AND ($2 <> 'closed'
			   OR NOT EXISTS (SELECT FROM judged g
							  WHERE cardinality(g.items) > cardinality(s.items) AND g.items @> s.items
								AND g.d = s.d))
		$query$, cells)
	USING minsup, kind, min_length, max_length, including, excluding, minprob, by_row, including_any;
END
$$;

-- Compares a query that gives what probable_itemsets() returns with the brute force:
-- how many itemsets there are, and how many rows either has and the other has not.
CREATE FUNCTION brute.compare_probable(mined text, cells text, by_row boolean, minsup numeric, minprob numeric,
									   kind text = 'all', min_length int = 1, max_length int = NULL,
									   including text[] = NULL, excluding text[] = NULL, including_any text[] = NULL)
RETURNS TABLE (expected bigint, missing bigint, unexpected bigint)
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($query$
		WITH expected AS MATERIALIZED (
			SELECT * FROM brute.probable($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		), mined AS MATERIALIZED (
			SELECT brute.sorted(items::text[]) AS items, probability, expected_support, occurrences
			FROM (%s) AS result(items, probability, expected_support, occurrences)
		), pairs AS MATERIALIZED (
			SELECT e.items AS e, m.items AS m
			FROM expected e
				 FULL JOIN mined m ON m.items = e.items AND m.occurrences = e.occurrences
					AND abs(m.probability - e.probability) <= 1e-12
					AND abs(m.expected_support - e.expected_support) <= 1e-12 * e.expected_support
		)
		SELECT (SELECT count(*) FROM expected),
			   (SELECT count(*) FROM pairs WHERE m IS NULL),
			   (SELECT count(*) FROM pairs WHERE e IS NULL) + (SELECT count(*) - count(DISTINCT m) FROM pairs WHERE m IS NOT NULL)
		$query$, mined)
	USING cells, by_row, minsup, minprob, kind, min_length, max_length, including, excluding, including_any;
END
$$;

-- The example of the textbooks: nine baskets of five items.
CREATE TABLE baskets (id int PRIMARY KEY, items text[]);
INSERT INTO baskets VALUES
	(1, '{bread,milk}'), (2, '{bread,diapers,beer,eggs}'), (3, '{milk,diapers,beer,cola}'),
	(4, '{bread,milk,diapers,beer}'), (5, '{bread,milk,diapers,cola}'), (6, '{beer}'),
	(7, '{milk,diapers,beer}'), (8, '{bread,butter,milk}'), (9, '{eggs,butter,bread}');
CREATE TABLE basket_items AS SELECT id, item FROM baskets, unnest(items) AS item;

-- 200 baskets of 14 numbers by a rule one can compute again, small numbers in more
-- of them than large ones.
CREATE TABLE numbers (id int PRIMARY KEY, items int[]);
INSERT INTO numbers
	SELECT n, coalesce((SELECT array_agg(k ORDER BY n * k % 5, k)
						FROM generate_series(1, 14) AS k
						WHERE (n * n + 3 * k * n + k) % 61 < 36 - 2 * k), '{}')
	FROM generate_series(1, 200) AS n;
CREATE TABLE number_items AS SELECT id, item FROM numbers, unnest(items) AS item;
SELECT count(*), sum(cardinality(items)), min(cardinality(items)), max(cardinality(items)) FROM numbers;
-- The brute force itself, on a case that can be done by hand.
SELECT * FROM brute.mine('SELECT id, item FROM basket_items', 3) ORDER BY cardinality(items), items;
SELECT * FROM brute.mine('SELECT id, item FROM basket_items', 3, 'closed') ORDER BY cardinality(items), items;
SELECT * FROM brute.mine('SELECT id, item FROM basket_items', 3, 'maximal') ORDER BY cardinality(items), items;
SELECT * FROM brute.mine('SELECT id, item FROM basket_items', 3, 'maximal', 2, 3, '{milk}', '{beer}');

-- The brute force of probable itemsets: one that can be done by hand, and the same by
-- summing over all worlds, the sets of transactions that exist.
SELECT brute.distribution('{0.5,0.2,1}') AS distribution;
SELECT * FROM brute.probable('VALUES (1, ''a'', 0.5), (1, ''b'', 0.5), (2, ''a'', 0.2), (3, ''b'', 1)', true, 1, 0.5) ORDER BY items;
SELECT * FROM brute.probable('VALUES (1, ''a'', 0.5), (1, ''b'', 0.4), (2, ''a'', 0.2), (3, ''b'', 1)', false, 1, 0.01) ORDER BY items;
WITH t (tid, item, p) AS (VALUES (1, 'a', 0.5), (1, 'b', 0.4), (2, 'a', 0.2), (2, 'b', 0.3), (3, 'b', 1), (3, 'a', 0.9)),
cell AS (SELECT row_number() OVER () - 1 AS bit, * FROM t),
world AS (
	SELECT w, (SELECT exp(sum(ln(CASE WHEN w >> bit::int & 1 = 1 THEN p ELSE 1.0000000000000000000000000000001 - p END))) FROM cell) AS chance,
		   (SELECT count(*) FROM (SELECT tid FROM cell WHERE w >> bit::int & 1 = 1 GROUP BY tid HAVING count(*) = 2) AS both_have) AS support
	FROM generate_series(0, 63) AS w)
SELECT support, round(sum(chance), 12) AS by_worlds,
	   round((brute.distribution('{0.2,0.06,0.9}'))[support + 1], 12) AS by_distribution
FROM world GROUP BY support ORDER BY support;
