-- What the other tests share: a brute force that knows nothing of gpufim, and a
-- few small tables.
SET client_min_messages = warning;
-- The planner takes the brute force for more work than it is.
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = off', current_database()); END $$;
SET jit = off;
CREATE SCHEMA brute;

-- The frequent itemsets of a query that gives (tid, item) pairs, items as text.
-- "excluding" takes items out of the data; closed and maximal are by definition,
-- among all frequent itemsets of what remains; the limits filter last.
CREATE FUNCTION brute.mine(pairs text, minsup bigint, kind text = 'all',
						   min_length int = 1, max_length int = NULL,
						   including text[] = NULL, excluding text[] = NULL)
RETURNS TABLE (items text[], support bigint)
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($query$
		WITH RECURSIVE vertical AS MATERIALIZED (
			SELECT item, array_agg(tid) AS tids
			FROM (SELECT DISTINCT tid::text AS tid, item::text COLLATE "C" AS item
				  FROM (%s) AS source(tid, item)) AS pair
			WHERE tid IS NOT NULL AND item IS NOT NULL
			  AND item <> ALL (coalesce($6, '{}'))
			GROUP BY item
			HAVING count(*) >= $1
		), grown AS (
			SELECT ARRAY[item] AS items, item AS last, tids FROM vertical
			UNION ALL
			SELECT g.items || v.item, v.item, both_have.tids
			FROM grown g
				 JOIN vertical v ON v.item > g.last
				 CROSS JOIN LATERAL (SELECT array_agg(tid)
									 FROM unnest(g.tids) AS tid
									 WHERE tid = ANY (v.tids)) AS both_have(tids)
			WHERE cardinality(both_have.tids) >= $1
		), frequent AS MATERIALIZED (
			SELECT grown.items, cardinality(tids)::bigint AS support FROM grown
		)
		SELECT f.items, f.support
		FROM frequent f
		WHERE cardinality(f.items) >= $3
		  AND cardinality(f.items) <= coalesce($4, cardinality(f.items))
		  AND f.items @> coalesce($5, '{}')
		  AND ($2 = 'all'
			   OR NOT EXISTS (SELECT FROM frequent g
							  WHERE cardinality(g.items) > cardinality(f.items)
								AND g.items @> f.items
								AND ($2 = 'maximal' OR g.support = f.support)))
		$query$, pairs)
	USING minsup, kind, min_length, max_length, including, excluding;
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
							  including text[] = NULL, excluding text[] = NULL)
RETURNS TABLE (expected bigint, missing bigint, unexpected bigint)
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($query$
		WITH expected AS MATERIALIZED (
			SELECT items, support FROM brute.mine($1, $2, $3, $4, $5, $6, $7)
		), mined AS MATERIALIZED (
			SELECT brute.sorted(items::text[]) AS items, support
			FROM (%s) AS result(items, support)
		)
		SELECT (SELECT count(*) FROM expected),
			   (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE mined) AS m),
			   (SELECT count(*) FROM (TABLE mined EXCEPT ALL TABLE expected) AS u)
		$query$, mined)
	USING pairs, minsup, kind, min_length, max_length, including, excluding;
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
