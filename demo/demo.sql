-- What gpufim does, shown on real baskets; run after load.sql.
\set ON_ERROR_STOP on
\pset footer off
\pset linestyle ascii

\echo
\echo 'The data: baskets of a British online shop for gifts (UCI Online Retail II, D. Chen, CC BY 4.0).'
\echo
SELECT count(*) AS baskets, round(avg(cardinality(items)), 1) AS average_length,
	   (SELECT count(*) FROM products) AS products
FROM baskets;

\echo 'What is bought together most often?'
\echo
\echo '  SELECT * FROM frequent_itemsets(''baskets'', ''items'', 0.01, min_length => 2)'
\echo '  ORDER BY support DESC LIMIT 10;'
\echo
SELECT array_to_string(items, ', ') AS items, support, round(frequency::numeric, 4) AS frequency
FROM frequent_itemsets('baskets', 'items', 0.01, min_length => 2)
ORDER BY support DESC, items LIMIT 10;

\echo 'What goes with one product? (pairs of basket and item as the source, items that must be in it)'
\echo
\echo '  SELECT * FROM frequent_itemsets(''basket_lines'', ''basket'', ''item'', 0.01,'
\echo '      min_length => 2, including => ''{LUNCH BAG CARS BLUE}'') ORDER BY support DESC LIMIT 5;'
\echo
SELECT array_to_string(items, ', ') AS items, support
FROM frequent_itemsets('basket_lines', 'basket', 'item', 0.01,
					   min_length => 2, including => '{LUNCH BAG CARS BLUE}')
ORDER BY support DESC, items LIMIT 5;

\echo 'How many itemsets would a lower threshold give? Counted, not listed:'
\echo
\echo '  SELECT * FROM itemset_counts(''baskets'', ''items'', 0.002);'
\echo
SELECT * FROM itemset_counts('baskets', 'items', 0.002) ORDER BY length;

\echo 'Closed itemsets (no larger set has the same support) say the same in fewer rows:'
\echo
\echo '  SELECT * FROM frequent_itemsets(''baskets'', ''items'', 0.002, ''closed'')'
\echo '  ORDER BY cardinality(items) DESC, support DESC LIMIT 3;'
\echo
SELECT array_to_string(items, E',\n') AS items, support
FROM frequent_itemsets('baskets', 'items', 0.002, 'closed')
ORDER BY cardinality(items) DESC, support DESC, items LIMIT 3;

\echo 'What the last call did:'
\echo
\x on
SELECT function, transactions, distinct_items, frequent_items, minsup, engine, strategy, device,
	   workers, itemsets, round(read_ms::numeric, 1) AS read_ms, round(mine_ms::numeric, 1) AS mine_ms,
	   round(total_ms::numeric, 1) AS total_ms
FROM gpufim_last_run();
\x off

\echo 'To try more, with this data and a prompt:    make psql'
\echo 'To have it in a server of your own:          make && sudo make install'
\echo '                                             and there: CREATE EXTENSION gpufim;'
\echo 'This server has done its work and is being removed.'
\echo
