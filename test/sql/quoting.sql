-- Names that need quotes, and names that try to be more than names
CREATE SCHEMA "My Shop";
CREATE TABLE "My Shop"."Order; DROP TABLE baskets; --" ("Tid ""1""" int, "it'em; --" text, "a.b" text[], "(x)" int[], "select" text[]);
INSERT INTO "My Shop"."Order; DROP TABLE baskets; --"
	SELECT id, item, ARRAY[item], ARRAY[id], ARRAY[item] FROM basket_items;
SELECT count(*) FROM frequent_itemsets('"My Shop"."Order; DROP TABLE baskets; --"', 'Tid "1"', 'it''em; --', 3);
SELECT count(*) FROM frequent_itemsets('"My Shop"."Order; DROP TABLE baskets; --"', 'a.b', 3);
SELECT count(*) FROM frequent_itemsets('"My Shop"."Order; DROP TABLE baskets; --"', '(x)', 3);
SELECT count(*) FROM frequent_itemsets('"My Shop"."Order; DROP TABLE baskets; --"', 'select', 3);
SELECT count(*) FROM frequent_itemsets('(SELECT "it''em; --" AS "x""y", "Tid ""1""" AS " " FROM "My Shop"."Order; DROP TABLE baskets; --")', ' ', 'x"y', 3);
-- a relation whose name begins like a query, or is a keyword
CREATE TABLE "(SELECT items FROM baskets)" AS SELECT '{1}'::int[] AS items;
SELECT items FROM frequent_itemsets('"(SELECT items FROM baskets)"', 'items', 1);
CREATE TABLE "table" AS SELECT '{2}'::int[] AS items;
SELECT items FROM frequent_itemsets('"table"', 'items', 1);
SELECT items FROM frequent_itemsets('table', 'items', 1);
-- column arguments are names: neither quoted nor expressions
SELECT count(*) FROM frequent_itemsets('basket_items', '"id"', 'item', 3);
SELECT count(*) FROM frequent_itemsets('basket_items', 'id', 'upper(item)', 3);
SELECT count(*) FROM frequent_itemsets('basket_items', 'id', 'item FROM baskets; DROP TABLE baskets; --', 3);
SELECT count(*) FROM frequent_itemsets('basket_items', 'id', 'basket_items.item', 3);
SELECT count(*) FROM frequent_itemsets('basket_items', 'id', '*', 3);
SELECT count(*) FROM frequent_itemsets('basket_items', 'id', '', 3);
SELECT count(*) FROM frequent_itemsets('(SELECT 1 AS "?column?", 2)', '?column?', 1);
-- source texts
SELECT count(*) FROM frequent_itemsets('basket_items; DROP TABLE baskets', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('basket_items, baskets', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('basket_items WHERE false', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('basket_items AS b(id, item)', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('generate_series(1, 3)', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('"basket_items', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('basket_items --', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('basket_items.', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('.basket_items', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('(SELECT * FROM basket_items)) AS x; DELETE FROM baskets; SELECT * FROM (SELECT 1', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets(E'(SELECT * FROM basket_items) -- \n; DELETE FROM baskets', 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets(repeat('x', 200), 'id', 'item', 3);
SELECT count(*) FROM frequent_itemsets('(' || repeat('(', 200) || 'SELECT id, item FROM basket_items' || repeat(')', 200) || ')', 'id', 'item', 3);
-- items that look like SQL or like arrays
SELECT items, support FROM frequent_itemsets($$(SELECT ARRAY['''); DROP TABLE baskets; --', '{a,b}', '%s', '$1'] AS items)$$, 'items', 1,
											 including => ARRAY['''); DROP TABLE baskets; --'], kind => 'closed');
SELECT count(*) FROM baskets;
SET client_min_messages = warning;
DROP SCHEMA "My Shop" CASCADE;
DROP TABLE "(SELECT items FROM baskets)", "table";
