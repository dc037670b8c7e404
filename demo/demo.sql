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

\echo '-- Event streams: what 70 patients with diabetes wrote down (UCI Diabetes, M. Kahn, CC BY 4.0). What comes before'
\echo '-- they feel that their blood sugar is too low? Each step takes up to two hours, or from two to six.'
SELECT array_to_string(events, ' > ') AS events, array_to_string(gaps, ' ') AS seconds, support,
       round(frequency::numeric, 3) AS frequency
FROM frequent_episodes('diary_events', 'event', 'at', 20, '{"(0,7200]","(7200,21600]"}',
                       partition_column => 'patient', min_length => 2, max_length => 3,
                       including => '{hypoglycemic symptoms}')
WHERE events[cardinality(events)] = 'hypoglycemic symptoms'
ORDER BY support DESC, events LIMIT 6;

\echo '-- And which of these is more than habit and chance? How often would they occur if all events of a kind came up to half a'
\echo '-- day earlier or later together?'
SELECT array_to_string(events, ' > ') AS events, support, round(expected::numeric, 1) AS expected,
       round(adjusted_p_value::numeric, 3) AS p_value
FROM episode_significance('diary_events', 'event', 'at', 20, '{"(0,7200]","(7200,21600]"}',
                          partition_column => 'patient', min_length => 2, max_length => 3,
                          including => '{hypoglycemic symptoms}', dither => 43200, seed => 1)
WHERE events[cardinality(events)] = 'hypoglycemic symptoms'
ORDER BY support / expected DESC, events LIMIT 6;

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
