-- What can be mined: everything that COPY takes, and what a FROM clause can name
CREATE SCHEMA shop;
CREATE TABLE shop.sales (id int, item text, price numeric);
INSERT INTO shop.sales SELECT id, item, id FROM basket_items;
CREATE VIEW shop.sales_view AS SELECT id AS v_id, upper(item) AS v_item FROM shop.sales;
CREATE MATERIALIZED VIEW shop.sales_matview AS SELECT * FROM shop.sales;
CREATE TABLE shop.parted (id int, item text) PARTITION BY RANGE (id);
CREATE TABLE shop.parted_low PARTITION OF shop.parted FOR VALUES FROM (0) TO (5);
CREATE TABLE shop.parted_high (item text, extra int, id int);
ALTER TABLE shop.parted_high DROP COLUMN extra;
ALTER TABLE shop.parted ATTACH PARTITION shop.parted_high FOR VALUES FROM (5) TO (100);
INSERT INTO shop.parted SELECT id, item FROM basket_items;
CREATE TABLE shop.parent (id int, item text);
CREATE TABLE shop.child (colour text) INHERITS (shop.parent);
INSERT INTO shop.parent SELECT id, item FROM basket_items WHERE id < 5;
INSERT INTO shop.child SELECT id, item, 'red' FROM basket_items WHERE id >= 5;
CREATE TEMP TABLE temporary AS SELECT id, item FROM basket_items;
CREATE UNLOGGED TABLE shop.unlogged AS SELECT id, item FROM basket_items;
CREATE TABLE shop.dropped (gone int, item text, also_gone text, id int, gen int GENERATED ALWAYS AS (id * 2) STORED);
INSERT INTO shop.dropped SELECT 1, item, 'x', id FROM basket_items;
ALTER TABLE shop.dropped DROP COLUMN gone, DROP COLUMN also_gone;

SELECT source, c.*
FROM unnest(ARRAY['basket_items', 'public.basket_items', 'shop.sales', 'shop.sales_matview', 'shop.parted', 'shop.parent', 'temporary',
				  'pg_temp.temporary', 'shop.unlogged', 'shop.dropped', ' shop . "sales" ', 'SHOP.Sales',
				  '(SELECT * FROM shop.sales)', '(TABLE shop.sales)', '  ( SELECT id, item FROM shop.sales ORDER BY item )  ',
				  E'(\n\tSELECT id, item -- a comment )\n\tFROM shop.sales /* another ( */\n)',
				  '/* a comment (SELECT 1) */ (SELECT id, item FROM shop.sales)', '/* of /* two */ ''levels */(TABLE shop.sales)',
				  E'-- a comment (\n-- of ;two lines\n(TABLE shop.sales) -- and behind', E' \n /**/-- both\r\t/**/ (TABLE shop.sales);',
				  '(WITH s AS (SELECT * FROM shop.sales) SELECT id, item FROM s)',
				  '(WITH RECURSIVE s(id, item, n) AS (SELECT id, item, 1 FROM shop.sales UNION ALL SELECT id, item, n + 1 FROM s WHERE n < 3) SELECT * FROM s)',
				  '(SELECT * FROM shop.sales WHERE id < 5 UNION ALL SELECT * FROM shop.sales WHERE id >= 5)',
				  '((SELECT id, item FROM shop.sales))',
				  '(SELECT id, item FROM shop.sales) ',
				  '(SELECT id, $dollar$)$dollar$ AS x, item FROM shop.sales)',
				  '(SELECT s.id, s.item FROM shop.sales AS s JOIN baskets AS b USING (id))',
				  '(SELECT id, item FROM shop.sales TABLESAMPLE BERNOULLI (100))',
				  '(SELECT DISTINCT ON (id, item) id, item, row_number() OVER () AS n FROM shop.sales)']) WITH ORDINALITY AS s(source, n),
	 brute.compare(format('SELECT items, support FROM frequent_itemsets(%L, %L, %L, 2)', source, 'id', 'item'),
				   'SELECT id, item FROM basket_items', 2) AS c
ORDER BY n;
SELECT items, support FROM frequent_itemsets('shop.sales_view', 'v_id', 'v_item', 5) ORDER BY items COLLATE "C";
-- part of the data
SELECT c.* FROM brute.compare($$SELECT items, support FROM frequent_itemsets('shop.parted_high', 'id', 'item', 2)$$,
							  'SELECT id, item FROM basket_items WHERE id >= 5', 2) AS c;
SELECT c.* FROM brute.compare($$SELECT items, support FROM frequent_itemsets('(SELECT * FROM ONLY shop.parent)', 'id', 'item', 1)$$,
							  'SELECT id, item FROM basket_items WHERE id < 5', 1) AS c;
SELECT c.* FROM brute.compare($$SELECT items, support FROM frequent_itemsets('(SELECT * FROM shop.sales ORDER BY id LIMIT 10)', 'id', 'item', 1)$$,
							  'SELECT id, item FROM basket_items WHERE id <= 3 ', 1) AS c;
-- a set-returning function, VALUES, and an array built by the query
SELECT items, support FROM frequent_itemsets('(SELECT n % 3 AS t, n % 2 AS i FROM generate_series(1, 6) AS n)', 't', 'i', 3) ORDER BY cardinality(items), items;
SELECT items, support FROM frequent_itemsets('(VALUES (''{1,2}''::int[]), (''{2,3}''))', 'column1', 2);
SELECT c.* FROM brute.compare($$SELECT items, support FROM frequent_itemsets('(SELECT array_agg(item) AS x FROM shop.sales GROUP BY id)', 'x', 2)$$,
							  'SELECT id, item FROM basket_items', 2) AS c;
-- generated and whole-row columns, system columns
SELECT c.* FROM brute.compare($$SELECT items, support FROM frequent_itemsets('shop.dropped', 'gen', 'item', 2)$$,
							  'SELECT id, item FROM basket_items', 2) AS c;
SELECT count(*) FROM frequent_itemsets('shop.sales', 'ctid', 'item', 1);
SELECT count(*), max(support) FROM frequent_itemsets('shop.parted', 'tableoid', 'id', 1, max_length => 1);
-- names are looked up along the search path
SET search_path = shop, public;
SELECT count(*) FROM frequent_itemsets('sales', 'id', 'item', 5);
RESET search_path;
-- what cannot be mined
SELECT * FROM frequent_itemsets('sales', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('nowhere.sales', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('a.b.c.d', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('shop.sales', 'ID', 'item', 5);
SELECT * FROM frequent_itemsets('shop.sales', 'id', 'things', 5);
SELECT * FROM frequent_itemsets('shop.dropped', 'gone', 'item', 5);
SELECT * FROM frequent_itemsets('shop.sales', 'things', 5);
SELECT * FROM frequent_itemsets('shop.sales', 'item', 5);
SELECT * FROM frequent_itemsets('', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('  ', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('()', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT 1 AS id, 2 AS id, 3 AS item)', 'id', 'item', 1);
SELECT * FROM frequent_itemsets('SELECT id, item FROM shop.sales', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(nonsense)', 'id', 'item', 5);
CREATE INDEX sales_index ON shop.sales (id);
SELECT * FROM frequent_itemsets('shop.sales_index', 'id', 'item', 5);
CREATE TYPE shop.pair AS (id int, item text);
SELECT * FROM frequent_itemsets('shop.pair', 'id', 'item', 5);
CREATE SEQUENCE shop.numbers;
SELECT count(*) FROM frequent_itemsets('shop.numbers', 'last_value', 'log_cnt', 1);
-- only a query can be in the parentheses, and only one
SELECT * FROM frequent_itemsets('(DELETE FROM shop.sales RETURNING id, item)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(WITH d AS (DELETE FROM shop.sales RETURNING id, item) SELECT * FROM d)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT id, item FROM shop.sales); DROP TABLE shop.sales', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT id, item FROM shop.sales; DROP TABLE shop.sales)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT id, item FROM shop.sales) AS x; --', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT id, item INTO shop.stolen FROM shop.sales)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT id, item FROM shop.sales WHERE id = $1)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT 1), (SELECT 2)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT 1) UNION (SELECT 2)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('/* (SELECT 1) */ SELECT id, item FROM shop.sales', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('/* (SELECT 1) */ shop.sales', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('/* /* */ (SELECT id, item FROM shop.sales)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('-- (SELECT id, item FROM shop.sales)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets(E'--\n(SELECT id, item FROM shop.sales); DROP TABLE shop.sales', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('/**/ (SELECT 1), (SELECT 2)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(COPY shop.sales TO STDOUT)', 'id', 'item', 5);
SELECT * FROM frequent_itemsets('(EXPLAIN SELECT 1)', 'id', 'item', 5);
-- an unpopulated materialized view
CREATE MATERIALIZED VIEW shop.later AS SELECT * FROM shop.sales WITH NO DATA;
SELECT * FROM frequent_itemsets('shop.later', 'id', 'item', 5);
-- all of it is still there
SELECT count(*) FROM shop.sales;
SELECT to_regclass('shop.stolen') IS NULL AS nothing_stolen;
SET client_min_messages = warning;
DROP SCHEMA shop CASCADE;
DROP TABLE pg_temp.temporary;
