-- Parameters without types, as drivers send them that leave types to the server
PREPARE a3 AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3);
PREPARE a4 AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4);
PREPARE a5 AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4, $5);
PREPARE a6 AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4, $5, $6);
PREPARE a8 AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4, $5, $6, $7, $8);
PREPARE a9 AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4, $5, $6, $7, $8, $9);
PREPARE c3 AS SELECT sum(itemsets) FROM itemset_counts($1, $2, $3);
PREPARE c4 AS SELECT sum(itemsets) FROM itemset_counts($1, $2, $3, $4);
PREPARE c5 AS SELECT sum(itemsets) FROM itemset_counts($1, $2, $3, $4, $5);
-- array form: the same as with types
EXECUTE a3('baskets', 'items', '2');
EXECUTE a4('baskets', 'items', '0.4', 'closed');
EXECUTE a5('baskets', 'items', '2', 'closed', '2');
EXECUTE a6('baskets', 'items', '2', 'closed', '1', '2');
EXECUTE a8('baskets', 'items', '2', 'all', '1', NULL, '{bread}', '{milk}');
SELECT count(*), sum(support) FROM frequent_itemsets('baskets', 'items', 2::float8);
SELECT count(*), sum(support) FROM frequent_itemsets('baskets', 'items', 0.4, 'closed');
SELECT count(*), sum(support) FROM frequent_itemsets('baskets', 'items', 2, 'closed', 2);
SELECT count(*), sum(support) FROM frequent_itemsets('baskets', 'items', 2, 'closed', 1, 2);
SELECT count(*), sum(support) FROM frequent_itemsets('baskets', 'items', 2, 'all', 1, NULL, '{bread}', '{milk}');
-- pair form
EXECUTE a4('basket_items', 'id', 'item', '2');
EXECUTE a5('basket_items', 'id', 'item', ' 0.4 ', 'maximal');
EXECUTE a6('basket_items', 'id', 'item', '2', 'closed', '2');
EXECUTE a9('basket_items', 'id', 'item', '2', 'all', '1', '2', '{bread}', '{milk}');
SELECT count(*), sum(support) FROM frequent_itemsets('basket_items', 'id', 'item', 2);
SELECT count(*), sum(support) FROM frequent_itemsets('basket_items', 'id', 'item', 0.4, 'maximal');
SELECT count(*), sum(support) FROM frequent_itemsets('basket_items', 'id', 'item', 2, 'closed', 2);
SELECT count(*), sum(support) FROM frequent_itemsets('basket_items', 'id', 'item', 2, 'all', 1, 2, '{bread}', '{milk}');
-- counts
EXECUTE c3('baskets', 'items', '2');
EXECUTE c4('baskets', 'items', '2', 'closed');
EXECUTE c4('basket_items', 'id', 'item', '2');
EXECUTE c5('baskets', 'items', '2', 'all', '2');
EXECUTE c5('basket_items', 'id', 'item', '2', 'maximal');
SELECT sum(itemsets) FROM itemset_counts('baskets', 'items', 2, 'all', 2);
SELECT sum(itemsets) FROM itemset_counts('basket_items', 'id', 'item', 2, 'maximal');
-- by name
PREPARE named_array AS SELECT count(*), sum(support) FROM frequent_itemsets(source => $1, items_column => $2, minsup => $3,
	kind => $4, min_length => $5, max_length => $6, including => $7, excluding => $8, including_any => $9);
EXECUTE named_array('baskets', 'items', '2', 'all', '1', NULL, '{bread}', '{milk}', '{beer,eggs}');
SELECT count(*), sum(support) FROM frequent_itemsets('baskets', 'items', 2, 'all', 1, NULL, '{bread}', '{milk}', '{beer,eggs}');
PREPARE named_pairs AS SELECT count(*), sum(support) FROM frequent_itemsets(source => $1, tid_column => $2, item_column => $3, minsup => $4,
	kind => $5, min_length => $6, max_length => $7, including => $8, excluding => $9);
EXECUTE named_pairs('basket_items', 'id', 'item', '2', 'all', '1', '2', '{bread}', '{milk}');
PREPARE named_some AS SELECT count(*), sum(support) FROM frequent_itemsets(source => $1, tid_column => $2, item_column => $3, minsup => $4, excluding => $5);
EXECUTE named_some('basket_items', 'id', 'item', '2', '{milk}');
SELECT count(*), sum(support) FROM frequent_itemsets('basket_items', 'id', 'item', 2, excluding => '{milk}');
PREPARE mixed_array AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, kind => $4, max_length => $5);
EXECUTE mixed_array('baskets', 'items', '2', 'all', '1');
-- what comes by name belongs where its name says, in either form
PREPARE mixed AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4, max_length => $5, including => $6);
EXECUTE mixed('baskets', 'items', '2', 'all', '2', '{bread}');
EXECUTE mixed('basket_items', 'id', 'item', '2', '2', '{bread}');
SELECT count(*), sum(support) FROM frequent_itemsets('baskets', 'items', 2, 'all', max_length => 2, including => '{bread}');
PREPARE mixed5 AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4, $5, max_length => $6, excluding => $7);
EXECUTE mixed5('baskets', 'items', '2', 'all', '2', '2', '{milk}');
EXECUTE mixed5('basket_items', 'id', 'item', '2', 'all', '2', '{milk}');
SELECT count(*), sum(support) FROM frequent_itemsets('baskets', 'items', 2, 'all', 2, max_length => 2, excluding => '{milk}');
SELECT count(*), sum(support) FROM frequent_itemsets('basket_items', 'id', 'item', 2, 'all', max_length => 2, excluding => '{milk}');
-- the same when only some types are known
PREPARE texts(text, text, text, text) AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4);
EXECUTE texts('baskets', 'items', '2', 'closed');
EXECUTE texts('basket_items', 'id', 'item', '2');
PREPARE varchars(varchar, varchar, unknown, varchar) AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4);
EXECUTE varchars('baskets', 'items', '2', 'closed');
PREPARE number(unknown, unknown, float8, unknown) AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4);
EXECUTE number('baskets', 'items', 2, 'closed');
PREPARE last_number(unknown, unknown, unknown, int) AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4);
EXECUTE last_number('basket_items', 'id', 'item', 2);
PREPARE casts AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4::float8, min_length => 2);
EXECUTE casts('basket_items', 'id', 'item', 2);
-- which function a call takes: the typed one wherever it did before
CREATE VIEW v1 AS SELECT * FROM frequent_itemsets('baskets', 'items', '2', 'closed'::text, 1, 2, '{a}');
CREATE VIEW v2 AS SELECT * FROM frequent_itemsets('baskets', 'items', 0.5, 'closed');
CREATE VIEW v3 AS SELECT * FROM frequent_itemsets('basket_items', 'id', 'item', 2, 'closed', 1, 2, '{a}');
CREATE VIEW v4 AS SELECT * FROM frequent_itemsets('basket_items', 'id', 'item', 2, NULL::text[]);
CREATE VIEW v5 AS SELECT * FROM frequent_itemsets('baskets', 'items', '2', NULL::text[], 'closed');
CREATE VIEW v6 AS SELECT * FROM frequent_itemsets('baskets', 'items', '2', 'closed');
SELECT c.relname, d.refobjid::regprocedure AS function
FROM pg_class AS c JOIN pg_rewrite AS r ON r.ev_class = c.oid JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
WHERE c.relname ~ '^v\d$' AND d.refclassid = 'pg_proc'::regclass ORDER BY 1;
DROP VIEW v1, v2, v3, v4, v5, v6;
-- errors name arguments, and say what types there are
EXECUTE a4(NULL, 'id', 'item', '2');
EXECUTE a4('basket_items', NULL, 'item', '2');
EXECUTE a4('basket_items', 'id', NULL, '2');
EXECUTE a4('basket_items', 'id', 'item', NULL);
EXECUTE a5('basket_items', 'id', 'item', '2', NULL);
EXECUTE a4('baskets', NULL, '2', 'all');
EXECUTE a4('baskets', 'items', NULL, 'all');
EXECUTE a4('basket_items', 'id', 'item', 'many');
EXECUTE a4('basket_items', 'id', 'item', '1.5');
EXECUTE a4('baskets', 'items', 'many', 'all');
EXECUTE a5('baskets', 'items', '2', 'all', 'two');
EXECUTE a5('baskets', 'items', '2', 'all', '0');
EXECUTE a5('basket_items', 'id', 'item', '2', 'some');
PREPARE a10 AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
PREPARE a12 AS SELECT count(*), sum(support) FROM frequent_itemsets($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
EXECUTE a12('baskets', 'items', '2', 'all', '1', '2', '{bread}', '{milk}', '{jam}', '0', '1', '2');
EXECUTE a10('basket_items', 'id', 'item', '2', 'all', '1', '2', '{bread}', '{milk}', '{beer,eggs}');
DEALLOCATE ALL;
