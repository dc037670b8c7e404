-- A picture for the end of the demo; run after load.sql, with a file open as descriptor 3.
\set ON_ERROR_STOP on
\pset tuples_only on
\pset format unaligned
SELECT rules_dot(antecedent, consequent, support, confidence, lift)
FROM association_rules('baskets', 'items', 0.01, 0.65, kind => 'minimal') \g | cat >&3
