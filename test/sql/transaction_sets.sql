-- transaction_sets: a source as a column of sets, and columns of sets as sources.
CREATE TABLE slips (day int, slip int, article text);
INSERT INTO slips SELECT n % 5, n, a
FROM generate_series(1, 200) AS n, unnest('{ale,bread,cheese,dates,eggs,figs}'::text[]) WITH ORDINALITY AS u(a, k)
WHERE (n * 37 >> (k - 1)::int) % 2 = 1;
CREATE TABLE bills AS SELECT day, slip, array_agg(article ORDER BY article DESC) AS articles FROM slips GROUP BY 1, 2;
CREATE TABLE day_sets AS SELECT day, transaction_set(articles) AS s FROM bills GROUP BY 1;
INSERT INTO day_sets VALUES (9, NULL);

-- a column of sets is mined as their union
SELECT * FROM brute.compare('SELECT items, support FROM frequent_itemsets(''day_sets'', ''s'', 20)', 'SELECT slip, article FROM slips', 20);
SELECT * FROM brute.compare('SELECT items, support FROM frequent_itemsets(''(SELECT s FROM day_sets WHERE day < 3)'', ''s'', 0.1, NULL::text[], kind => ''closed'')',
							'SELECT slip, article FROM slips WHERE day < 3', 12, 'closed');
SELECT * FROM brute.compare('SELECT items, support FROM frequent_itemsets(''day_sets'', ''s'', 3, ''closed'', 2, 4, ''{ale}'', ''{figs,gin}'')',
							'SELECT slip, article FROM slips', 3, 'closed', 2, 4, '{ale}', '{figs}');
SELECT rows_read, transactions, distinct_items FROM gpufim_last_run();
-- as are others, and rows of queries that make sets
SELECT * FROM brute.compare('SELECT items, support FROM frequent_itemsets(''(SELECT transaction(articles) AS one FROM bills)'', ''one'', 20)', 'SELECT slip, article FROM slips', 20);
SELECT * FROM brute.compare('SELECT items, support FROM frequent_itemsets(''(SELECT transaction_set(slip, article) FROM slips GROUP BY slip % 7)'', ''transaction_set'', 20)', 'SELECT slip, article FROM slips', 20);
-- every function that has an array form
SELECT (SELECT array_agg(c ORDER BY c) FROM itemset_counts('day_sets', 's', 5) AS c) = array_agg(c ORDER BY c) AS same FROM itemset_counts('bills', 'articles', 5) AS c;
SELECT (SELECT array_agg(r ORDER BY r) FROM association_rules('day_sets', 's', 5, 0.2) AS r) = array_agg(r ORDER BY r) AS same, count(*) FROM association_rules('bills', 'articles', 5, 0.2) AS r;
SELECT (SELECT array_agg(r ORDER BY r) FROM top_rules('day_sets', 's', 9, 2) AS r) = array_agg(r ORDER BY r) AS same, count(*) FROM top_rules('bills', 'articles', 9, 2) AS r;
SELECT (SELECT array_agg(i ORDER BY i) FROM top_itemsets('day_sets', 's', 9, 2) AS i) = array_agg(i ORDER BY i) AS same, count(*) FROM top_itemsets('bills', 'articles', 9, 2) AS i;
SELECT (SELECT array_agg(p ORDER BY p) FROM frequent_pairs('day_sets', 's', 0.05) AS p) = array_agg(p ORDER BY p) AS same, count(*) FROM frequent_pairs('bills', 'articles', 0.05) AS p;
SELECT (SELECT array_agg(i ORDER BY i) FROM similar_items('day_sets', 's', 3) AS i) = array_agg(i ORDER BY i) AS same, count(*) FROM similar_items('bills', 'articles', 3) AS i;
-- candidates are counted on processors only
SET gpufim.engine = cpu;
SELECT (SELECT array_agg(c ORDER BY c) FROM itemset_supports('day_sets', 's', '{"{ale,figs}","{}","{gin}"}') AS c) = array_agg(c ORDER BY c) AS same, count(*) FROM itemset_supports('bills', 'articles', '{"{ale,figs}","{}","{gin}"}') AS c;
RESET gpufim.engine;
-- where transactions have numbers, those of sets are numbered as they come
SELECT count(*), sum(similarity), min(tid1), max(tid2) FROM similar_sets('day_sets', 's', 0.99);
SELECT count(*), sum(similarity) FROM similar_sets('bills', 'slip', 'articles', 0.99);
CREATE TABLE advice AS SELECT * FROM association_rules('bills', 'articles', 1, 0.5);
SELECT count(*), count(DISTINCT tid), max(tid), round(sum(confidence)::numeric, 6) FROM rule_matches('advice', 'day_sets', 's');
SELECT count(*), count(DISTINCT tid), round(sum(confidence)::numeric, 6) FROM rule_matches('advice', 'bills', 'slip', 'articles');
-- calls without types
PREPARE untyped AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4);
EXECUTE untyped('day_sets', 's', '20', 'all');
EXECUTE untyped('bills', 'articles', '20', 'all');
PREPARE untyped_rules AS SELECT count(*), sum(support) FROM top_rules($1, $2, $3, $4);
EXECUTE untyped_rules('day_sets', 's', '9', '2');
-- no sets, empty ones, and sets without items
SELECT * FROM frequent_itemsets('(SELECT s FROM day_sets WHERE false)', 's', 0.1);
SELECT * FROM frequent_itemsets('(SELECT s FROM day_sets WHERE s IS NULL)', 's', 0.1, NULL::date[]);
SELECT * FROM frequent_pairs('(SELECT s FROM day_sets WHERE false)', 's', 1, NULL::int);
SET gpufim.engine = cpu;
SELECT * FROM itemset_supports('(SELECT transaction_set(NULL::int[]) AS s)', 's', '{"{}"}');
SELECT * FROM itemset_supports('(SELECT transaction(''{}''::int[]) AS s FROM generate_series(1, 3))', 's', '{"{}","{1}"}');
RESET gpufim.engine;
-- results in the items' type, or in a domain over it
CREATE DOMAIN article AS text;
SELECT pg_typeof(items), items FROM frequent_itemsets('day_sets', 's', 0.5, NULL::article[]) ORDER BY items LIMIT 1;
SELECT pg_typeof(items), items FROM frequent_itemsets('(SELECT transaction(''{2,10}''::int[]) AS s)', 's', 1, NULL::int[], min_length => 2);
SELECT pg_typeof(item1), item1, item2 FROM frequent_pairs('(SELECT transaction(''{2,10}''::int[]) AS s)', 's', 1, NULL::int);
CREATE DOMAIN day_sales AS transaction_set;
SELECT count(*) FROM frequent_itemsets('(SELECT s::day_sales FROM day_sets)', 's', 20);

-- a source as a column of sets
SELECT count(DISTINCT slip) AS transactions, count(*) AS entries FROM slips;
SELECT i.* FROM transaction_sets('bills', 'articles') AS s, transaction_set_info(s) AS i;
SELECT i.* FROM transaction_sets('slips', 'slip', 'article') AS s, transaction_set_info(s) AS i;
SELECT i.* FROM transaction_sets('day_sets', 's') AS s, transaction_set_info(s) AS i;
SELECT i.transactions FROM transaction_sets('(SELECT transaction_set(articles) AS s FROM bills)', 's') AS s, transaction_set_info(s) AS i;
SELECT function, rows_read, transactions, distinct_items, itemsets FROM gpufim_last_run();
SELECT count(*), sum(transactions), sum(entries), max(items) FROM transaction_sets('bills', 'articles', 1) AS s, transaction_set_info(s);
SELECT count(*), sum(transactions), sum(entries), max(items) FROM transaction_sets('slips', 'slip', 'article', 1) AS s, transaction_set_info(s);
SELECT count(*) > 1 AS several, sum(transactions), sum(entries), max(bytes) < 1000 AS small FROM transaction_sets('bills', 'articles', max_bytes => 1000) AS s, transaction_set_info(s);
SELECT * FROM brute.compare('SELECT items, support FROM frequent_itemsets(''(SELECT transaction_sets(''''slips'''', ''''slip'''', ''''article'''', 900) AS s)'', ''s'', 20)', 'SELECT slip, article FROM slips', 20);
SELECT * FROM brute.compare('SELECT items, support FROM frequent_itemsets(''(SELECT transaction_sets(''''day_sets'''', ''''s'''', 900) AS s)'', ''s'', 20)', 'SELECT slip, article FROM slips', 20);
SELECT function, rows_read, transactions FROM gpufim_last_run();
SELECT count(*) FROM transaction_sets('(SELECT articles FROM bills WHERE false)', 'articles');
SELECT count(*) FROM transaction_sets('(SELECT NULL::int[] AS i)', 'i');
SELECT i.transactions FROM transaction_sets('(SELECT ''{}''::int[] AS i)', 'i') AS s, transaction_set_info(s) AS i;
SELECT transaction_sets('(SELECT ''{1,2}''::int[] AS i)', 'i');
BEGIN;
SET LOCAL gpufim.max_results = 2;
SELECT count(*) FROM transaction_sets('bills', 'articles', 1);
ROLLBACK;

-- the best itemsets and rules of a set
SELECT f.* FROM day_sets, top_itemsets(s, 1, 2, kind => 'closed', excluding => '{figs}') AS f WHERE day = 0;
SELECT f.* FROM top_itemsets('(SELECT articles FROM bills WHERE day = 0)', 'articles', 1, 2, kind => 'closed', excluding => '{figs}') AS f;
SELECT (SELECT array_agg(f ORDER BY f) FROM day_sets, top_itemsets(s, NULL::text[], 5, 2, 3, ties => false) AS f WHERE day = 1) = array_agg(f ORDER BY f) AS same
FROM top_itemsets('(SELECT articles FROM bills WHERE day = 1)', 'articles', 5, 2, 3, ties => false) AS f;
SELECT (SELECT array_agg(f ORDER BY f) FROM day_sets, top_rules(s, 5, 2, 0.3, 2, 4, NULL, 'lift', '{ale}') AS f WHERE day = 1) = array_agg(f ORDER BY f) AS same, count(*)
FROM top_rules('(SELECT articles FROM bills WHERE day = 1)', 'articles', 5, 2, 'lift', 0.3, 2, 4, NULL, '{ale}') AS f;
SELECT (SELECT array_agg(f ORDER BY f) FROM day_sets, top_rules(s, NULL::text[], 5, 2, 'confidence') AS f WHERE day = 1) = array_agg(f ORDER BY f) AS same
FROM top_rules('(SELECT articles FROM bills WHERE day = 1)', 'articles', 5, 2, 'confidence') AS f;
EXPLAIN (COSTS OFF) SELECT f.* FROM day_sets, top_itemsets(s, 3) AS f;
EXPLAIN (COSTS OFF) SELECT f.* FROM day_sets, top_rules(s, 3, 2) AS f;
EXPLAIN (COSTS OFF) SELECT * FROM frequent_itemsets('day_sets', 's', 20);
EXPLAIN (COSTS OFF) SELECT * FROM transaction_sets('bills', 'articles');

-- what cannot be
SELECT * FROM frequent_itemsets('(SELECT s FROM day_sets UNION ALL SELECT transaction(''{1}''::int[]))', 's', 1);
SELECT * FROM frequent_pairs('(SELECT s FROM day_sets UNION ALL SELECT transaction(articles COLLATE "C") FROM bills)', 's', 1);
SELECT * FROM frequent_itemsets('day_sets', 's', 1, NULL::int[]);
SELECT * FROM frequent_pairs('day_sets', 's', 1, NULL::int);
SELECT * FROM frequent_itemsets('(SELECT ''{1,pg_catalog,int4,"","","",pg_catalog,int4,"{1,2}",BAAAAAIAAA==,"{7,8}"}''::transaction_set AS s)', 's', 1);
SELECT * FROM frequent_itemsets('day_sets', 'day', 's', 1);
SELECT * FROM similar_sets('day_sets', 'day', 's', 0.5);
SELECT * FROM probable_itemsets('(SELECT s, 0.5 AS p FROM day_sets)', 's', 'p', 1);
SELECT * FROM frequent_episodes('day_sets', 's', 'day', 1, '{"(0,1]"}');
SELECT * FROM transaction_sets('bills', 'articles', 0);
SELECT * FROM transaction_sets('bills', 'articles', 268435457);
SELECT * FROM transaction_sets('bills', 'articles', max_bytes => NULL);
SELECT * FROM transaction_sets('bills', 'slip');
SELECT * FROM transaction_sets('(SELECT ARRAY[point(0, 0)] AS p)', 'p');
SELECT * FROM transaction_sets('(SELECT ARRAY[ROW(1, 2)] AS r)', 'r');
SELECT f.* FROM day_sets, top_itemsets(s, 0) AS f;
SELECT f.* FROM day_sets, top_rules(s, 1, 1.5) AS f;
SELECT f.* FROM day_sets, top_itemsets(s, NULL::int[], 1) AS f;

DROP TABLE slips, bills, day_sets, advice;
DROP DOMAIN article, day_sales;
