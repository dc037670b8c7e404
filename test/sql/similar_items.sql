-- What goes with what: for each item its k best partners
CREATE TABLE bought (customer int, product text);
INSERT INTO bought VALUES
	(1, 'bread'), (1, 'butter'), (1, 'milk'), (2, 'bread'), (2, 'butter'), (3, 'beer'), (3, 'bread'),
	(4, 'bread'), (4, 'butter'), (4, 'jam'), (4, 'milk'), (5, 'beer'), (5, 'crisps'),
	-- what is there twice counts once, a NULL item is none, and a NULL transaction is none
	(1, 'bread'), (6, NULL), (NULL, 'bread'), (NULL, 'crisps');
SELECT * FROM similar_items('bought', 'customer', 'product', 2) ORDER BY item, rank;
-- every measure, of all partners of two items
SELECT measure, item, other, rank, support, round(score::numeric, 12) AS score
FROM unnest('{cosine,jaccard,lift,confidence,leverage,log_likelihood_ratio}'::text[]) AS measure, similar_items('bought', 'customer', 'product', 10, measure)
WHERE item IN ('bread', 'beer') ORDER BY measure, item, rank;
-- only partners with enough in common
SELECT item, other, rank, support FROM similar_items('bought', 'customer', 'product', 10, min_support => 2) ORDER BY item, rank;
-- arrays, types, and k that is more than there are
SELECT * FROM similar_items('(SELECT array_agg(product) AS products FROM bought GROUP BY customer)', 'products', 2, 'confidence', 3) ORDER BY item, rank;
SELECT item || 'x' AS item, pg_typeof(other), rank FROM similar_items('bought', 'customer', 'product', 1, item_type => NULL::text) ORDER BY 1;
-- that would be the measure
SELECT * FROM similar_items('bought', 'customer', 'product', 1, NULL::text);
SELECT item + 1 AS next, other - 1 AS previous, pg_typeof(rank), score FROM similar_items('(VALUES (''{1,2}''::int[]), (''{2,3}''))', 'column1', 2147483647, NULL::int) ORDER BY 1, 2;
SELECT item + 1 AS next, other, score FROM similar_items('bought', 'product', 'customer', 1, NULL::int, 'jaccard', 2) ORDER BY 1;
-- equal scores: the partner that has more in common, then the smaller one in the order of its type
SELECT other, rank, support, score FROM similar_items('(VALUES (''{1,10}''::int[]), (''{1,10}''), (''{1,9}''), (''{1,100}''))', 'column1', 10, 'lift') WHERE item = '1' ORDER BY rank;
SELECT other FROM similar_items('(VALUES (ARRAY[''a'', ''B'', ''b'', ''A'', ''c'']))', 'column1', 10) WHERE item = 'a' ORDER BY rank;
-- nothing
SELECT * FROM similar_items('(SELECT 1 AS t, 2 AS i WHERE false)', 't', 'i', 3);
SELECT * FROM similar_items('(VALUES (NULL::int[]), (''{}''), (''{1,1}''), (''{1,NULL}''))', 'column1', 1);
SELECT * FROM similar_items('bought', 'customer', 'product', 1, min_support => 7);

CREATE TABLE sold AS SELECT t, CASE WHEN (t * 7 + n * 13) % 29 <> 0 THEN (40 * (((t * 7919 + n * 104729) % 10007) / 10007.0) ^ 2)::int - t % 3 END AS i FROM generate_series(1, 400) AS t, generate_series(1, 6) AS n;
INSERT INTO sold SELECT NULL, 3 FROM generate_series(1, 50);
INSERT INTO sold SELECT 1000 + n, NULL FROM generate_series(1, 30) AS n;
-- as SQL says it: a join of the table with itself, a group for each pair, and a window for each item
CREATE FUNCTION brute_partners(k int, measure text, min_support bigint) RETURNS TABLE (item int, other int, rank bigint, support bigint, score float8) LANGUAGE sql AS $$
	WITH d AS MATERIALIZED (SELECT DISTINCT t, i FROM sold WHERE t IS NOT NULL AND i IS NOT NULL),
		s AS MATERIALIZED (SELECT i, count(*) AS n FROM d GROUP BY i),
		p AS MATERIALIZED (SELECT a.i AS x, b.i AS y, count(*) AS o FROM d AS a JOIN d AS b ON a.t = b.t AND a.i <> b.i GROUP BY a.i, b.i HAVING count(*) >= min_support),
		m AS (SELECT x, y, o, a.n AS a, b.n AS b, (SELECT count(DISTINCT t) FROM sold) AS n FROM p JOIN s AS a ON a.i = x JOIN s AS b ON b.i = y),
		scored AS (
			SELECT x, y, o, CASE measure
				WHEN 'cosine' THEN (o::numeric(80, 50) / sqrt((a * b)::numeric(80, 50)))::float8
				WHEN 'jaccard' THEN o / (a + b - o)::float8
				WHEN 'lift' THEN (o * n) / (a * b)::float8
				WHEN 'confidence' THEN o / a::float8
				WHEN 'leverage' THEN (o * n - a * b) / (n * n)::float8
				ELSE sign(o * n - a * b) * (rule_measures(o, a, b, n)).log_likelihood_ratio END AS score
			FROM m),
		ranked AS (SELECT x, y, row_number() OVER (PARTITION BY x ORDER BY s.score DESC, o DESC, y) AS r, o, s.score FROM scored AS s)
	SELECT * FROM ranked WHERE r <= k
$$;
CREATE FUNCTION differing(k int, measure text, min_support bigint) RETURNS text LANGUAGE sql AS $$
	WITH ours AS MATERIALIZED (SELECT item, other, rank::bigint, support, score FROM similar_items('sold', 't', 'i', k, NULL::int, measure, min_support)),
		theirs AS MATERIALIZED (SELECT * FROM brute_partners(k, measure, min_support))
	SELECT format('%s of %s', (SELECT count(*) FROM ((TABLE ours EXCEPT ALL TABLE theirs) UNION ALL (TABLE theirs EXCEPT ALL TABLE ours)) AS d), (SELECT count(*) FROM theirs))
$$;
SELECT measure, k, min_support, differing(k, measure, min_support)
FROM unnest('{cosine,jaccard,lift,confidence,leverage,log_likelihood_ratio}'::text[]) AS measure, (VALUES (1, 1), (5, 1), (5, 4), (1000, 1), (1000, 20)) AS v (k, min_support);
-- the log-likelihood ratio by its own formula
CREATE FUNCTION entropy(VARIADIC counts bigint[]) RETURNS float8 LANGUAGE sql AS 'SELECT sum(c * ln(c / s.n::float8)) FROM unnest($1) AS c, (SELECT sum(c) AS n FROM unnest($1) AS c) AS s WHERE c > 0';
WITH s AS (SELECT i, count(DISTINCT t) AS n FROM sold GROUP BY i), a AS (SELECT count(DISTINCT t) AS n FROM sold)
SELECT count(*), max(abs(abs(score) - 2 * (entropy(o.support, x.n - o.support, y.n - o.support, a.n - x.n - y.n + o.support) - entropy(x.n, a.n - x.n) - entropy(y.n, a.n - y.n)))) < 1e-9 AS same
FROM similar_items('sold', 't', 'i', 100, NULL::int, 'log_likelihood_ratio') AS o JOIN s AS x ON x.i = item JOIN s AS y ON y.i = other, a;
-- however it is found, and by whomever
CREATE FUNCTION digest() RETURNS text LANGUAGE sql AS $$ SELECT md5(string_agg(s::text, ' ' ORDER BY measure, item, rank)) FROM unnest('{cosine,lift,log_likelihood_ratio}'::text[]) AS measure, similar_items('sold', 't', 'i', 7, measure) AS s $$;
CREATE TABLE digests (strategy text, workers int, digest text);
DO $$
DECLARE
	strategy text;
BEGIN
	FOR strategy IN SELECT unnest('{auto,rows,bits,batmap,prefix}'::text[]) LOOP
		FOR workers IN 0..2 LOOP
			PERFORM set_config('gpufim.strategy', strategy, false), set_config('gpufim.workers', workers::text, false);
			INSERT INTO digests VALUES (strategy, workers, digest());
		END LOOP;
	END LOOP;
END
$$;
RESET gpufim.strategy;
RESET gpufim.workers;
SELECT count(*), count(DISTINCT digest) FROM digests;

-- the scan of results, and calls that only count
EXPLAIN (COSTS OFF) SELECT other FROM similar_items('sold', 't', 'i', 3);
SELECT count(*), (SELECT count(*) FROM similar_items('sold', 't', 'i', 3) WITH ORDINALITY) AS rows FROM similar_items('sold', 't', 'i', 3);
SET gpufim.engine = cpu;
SELECT count(*) FROM similar_items('sold', 't', 'i', 3, min_support => 40);
SELECT function, completed, transactions, distinct_items, frequent_items, itemsets, minsup, device, details->'left_pairs' AS left_pairs, details->'left_values' AS left_values FROM gpufim_last_run();
RESET gpufim.engine;
SELECT array_agg(rank), array_agg(score > 0) FROM (SELECT rank, score FROM similar_items('sold', 't', 'i', 3, NULL::int) WHERE item = 7 ORDER BY rank) AS s;
-- as many as the planner expects, more or less
ANALYZE sold;
CREATE FUNCTION planned(call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM ' || call INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
CREATE FUNCTION counted(call text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || call INTO n;
	RETURN n;
END
$$;
CREATE TABLE sold_arrays AS SELECT t, array_agg(DISTINCT i) AS items FROM sold WHERE i IS NOT NULL GROUP BY t;
ANALYZE sold_arrays;
SELECT call, planned(call) BETWEEN counted(call) / 2.0 AND counted(call) * 2.0 AS near
FROM unnest(ARRAY[$$similar_items('sold', 't', 'i', 3)$$, $$similar_items('sold', 't', 'i', 3, NULL::int, 'lift', 1)$$, $$similar_items('sold', 't', 'i', 1000)$$, $$similar_items('sold', 't', 'i', 1000, min_support => 10)$$,
	$$similar_items('sold_arrays', 'items', 3)$$, $$similar_items('sold_arrays', 'items', 1000, 'lift', 10)$$, $$similar_items('sold_arrays', 'items', '1000', 'lift', '10')$$, $$similar_items('sold', 't', 'i', '1000', 'lift', '10')$$]) AS call;
SELECT call, planned(call) FROM unnest(ARRAY[$$similar_items('sold', 't', 'nosuch', 3)$$, $$similar_items('sold', 't', 'i', NULL::int)$$, $$similar_items('sold', 't', 'i', -1)$$, $$similar_items('(TABLE sold)', 't', 'i', 3)$$, $$similar_items('sold', 't', 'i', '')$$]) AS call;

-- a result that is too large for temporary files is told before it is there
SET work_mem = '64kB';
SET temp_file_limit = '100kB';
SELECT count(score) FROM similar_items('(SELECT n % 100 AS k, n % 3000 AS v FROM generate_series(1, 6000) AS n)', 'k', 'v', 20);
SELECT itemsets, completed FROM gpufim_last_run();
SELECT count(score) FROM similar_items('(SELECT n % 100 AS k, n % 3000 AS v FROM generate_series(1, 6000) AS n)', 'k', 'v', 1);
RESET temp_file_limit;
-- several batches: what does not fit into one goes on in the next, with the next rank
SELECT count(*), count(DISTINCT (item, rank)), max(rank), bool_and(rank = n) AS in_order
FROM (SELECT *, row_number() OVER (PARTITION BY item ORDER BY score DESC, support DESC, other) AS n
	  FROM similar_items('(SELECT n % 7 AS k, n % 300 AS v FROM generate_series(1, 2100) AS n)', 'k', 'v', 250, NULL::int)) AS s;
RESET work_mem;

-- arguments
SELECT * FROM similar_items('bought', 'customer', 'product', 0);
SELECT * FROM similar_items('bought', 'customer', 'product', 1, min_support => 0);
SELECT * FROM similar_items('bought', 'customer', 'product', 1, 'overlap');
SELECT * FROM similar_items('bought', 'customer', 'product', 1, measure => NULL);
SELECT * FROM similar_items('bought', 'customer', 'nosuch', 1);
SELECT * FROM similar_items('bought', 'customer', 'product', 1, NULL::int);
SELECT * FROM similar_items('bought', 'customer', 'product', 1, measure => 'lift', item_type => NULL::int);

-- parameters without types
CREATE TABLE carts AS SELECT customer, array_agg(product) AS products FROM bought WHERE product IS NOT NULL AND customer IS NOT NULL GROUP BY customer;
PREPARE items3 AS SELECT item, other, rank FROM similar_items($1, $2, $3) ORDER BY item, rank;
EXECUTE items3('carts', 'products', '1');
PREPARE items4 AS SELECT item, other, rank FROM similar_items($1, $2, $3, $4) ORDER BY item, rank;
EXECUTE items4('bought', 'customer', 'product', '1');
EXECUTE items4('carts', 'products', ' 1 ', 'lift');
EXECUTE items4('bought', 'customer', 'product', 'one');
EXECUTE items4('bought', 'customer', 'product', NULL);
EXECUTE items4('carts', 'products', '1', NULL);
EXECUTE items4('bought', 'customer', 'product', '1.5');
PREPARE items5 AS SELECT item, other, rank, support FROM similar_items($1, $2, $3, $4, $5) ORDER BY item, rank;
EXECUTE items5('bought', 'customer', 'product', '1', 'confidence');
EXECUTE items5('carts', 'products', '1', 'confidence', '3');
PREPARE items6 AS SELECT item, other, rank, support FROM similar_items($1, $2, $3, $4, $5, $6) ORDER BY item, rank;
EXECUTE items6('bought', 'customer', 'product', '1', 'confidence', '3');
PREPARE names AS SELECT item, other FROM similar_items(source => $1, tid_column => $2, item_column => $3, k => $4, min_support => $5) ORDER BY item, rank;
EXECUTE names('bought', 'customer', 'product', '1', '3');
DROP FUNCTION brute_partners(int, text, bigint), differing(int, text, bigint), digest(), entropy(bigint[]), planned(text), counted(text);
DROP TABLE bought, sold, sold_arrays, carts, digests;
