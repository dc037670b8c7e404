-- What gpufim does, shown on real baskets; run after load.sql.
\set ON_ERROR_STOP on
\pset footer off

\echo
\echo 'The data: baskets of a British online shop for gifts (UCI Online Retail II, D. Chen, CC BY 4.0).'
\echo
\set ECHO queries
SELECT count(*) AS baskets, round(avg(cardinality(items)), 1) AS average_length,
       (SELECT count(*) FROM products) AS products
FROM baskets;

\echo '-- What is bought together most often?'
SELECT items, support, round(frequency::numeric, 4) AS frequency
FROM frequent_itemsets('baskets', 'items', 0.01, min_length => 2)
ORDER BY support DESC, items LIMIT 10;

\echo '-- What goes with one product? This time the source has a row for each basket and item.'
SELECT items, support
FROM frequent_itemsets('basket_lines', 'basket', 'item', 0.01,
                       min_length => 2, including => '{LUNCH BAG CARS BLUE}')
ORDER BY support DESC, items LIMIT 5;

\echo '-- How many would there be at a lower threshold? Counted, not listed.'
SELECT * FROM itemset_counts('baskets', 'items', 0.002) ORDER BY length;

\echo '-- The closed ones: no larger itemset is in the same number of baskets.'
SELECT cardinality(items) AS length, support, array_to_string(items, E'\n') AS items
FROM frequent_itemsets('baskets', 'items', 0.002, 'closed')
ORDER BY length DESC, support DESC, items LIMIT 2;

\echo '-- Uncertain data: suppose that the till recognises some products better than others. What is in'
\echo '-- at least 400 of the baskets with probability 0.9, and how near to the border is it?'
SELECT array_to_string(items, ' + ') AS items, occurrences, round(expected_support::numeric, 1) AS expected,
       trunc(probability::numeric, 4) AS probability
FROM probable_itemsets('(SELECT basket, item, 0.7 + length(item) % 4 / 10.0 AS certainty FROM basket_lines)',
                       'basket', 'item', 'certainty', 400, 0.9, min_length => 2)
ORDER BY probability, items LIMIT 5;

\echo '-- Joins of which only pairs are wanted: which products are bought by the same? At least half of the baskets'
\echo '-- with one of the two have both.'
SELECT tid1 AS item, tid2 AS other, overlap AS baskets, round(similarity::numeric, 3) AS similarity
FROM similar_sets('basket_lines', 'item', 'basket', 0.5)
ORDER BY similarity DESC, item LIMIT 5;

\echo '-- Event streams: the baskets come one after the other. Which products are sold again within the'
\echo '-- next two baskets, and how often, as a part of all their sales?'
SELECT events[1] AS item, support, round(frequency::numeric, 4) AS frequency
FROM frequent_episodes('basket_lines', 'item', 'basket', 100, '{"[1,2]"}', min_length => 2, max_length => 2)
WHERE events[1] = events[2]
ORDER BY frequency DESC, item LIMIT 5;

\echo '-- What the last call did:'
\x on
SELECT function, transactions, distinct_items, frequent_items, minsup, engine, workers, itemsets,
       round(total_ms::numeric) AS total_ms
FROM gpufim_last_run();
\x off
\set ECHO none

\echo 'To try more, with this data and a prompt:    make psql'
\echo 'To have it in a server of your own:          make && sudo make install'
\echo '                                             and there: CREATE EXTENSION gpufim;'
\echo 'This server has done its work and is being removed.'
\echo
