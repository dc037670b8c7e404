-- Wherever a FROM clause stands: functions, views, CTAS, joins, several calls in
-- one statement, calls within calls
CREATE VIEW frequent AS SELECT * FROM frequent_itemsets('baskets', 'items', 4);
SELECT items, support FROM frequent ORDER BY items COLLATE "C";
CREATE TABLE kept AS SELECT * FROM frequent_itemsets('baskets', 'items', 4);
INSERT INTO kept SELECT * FROM frequent_itemsets('baskets', 'items', 3) WHERE support = 3;
SELECT count(*) FROM kept;
-- from 17 on, what a materialized view runs does not see our search_path
CREATE MATERIALIZED VIEW kept_view AS SELECT items, support FROM frequent_itemsets('public.baskets', 'items', 5);
REFRESH MATERIALIZED VIEW kept_view;
SELECT count(*) FROM kept_view;
-- SQL functions, inlined and not, and plpgsql
CREATE FUNCTION mine_sql(minsup float8) RETURNS TABLE (items text[], support bigint) LANGUAGE sql STABLE AS
$$SELECT items, support FROM frequent_itemsets('baskets', 'items', minsup)$$;
CREATE FUNCTION mine_plpgsql(source text, minsup float8) RETURNS TABLE (items text[], support bigint) LANGUAGE plpgsql AS
$$BEGIN RETURN QUERY SELECT f.items, f.support FROM frequent_itemsets(source, 'items', minsup) AS f; END$$;
SELECT minsup, (SELECT count(*) FROM mine_sql(minsup)) AS sql, (SELECT count(*) FROM mine_plpgsql('baskets', minsup)) AS plpgsql
FROM generate_series(3, 6) AS minsup ORDER BY minsup;
-- a source that mines
SELECT items, support FROM frequent_itemsets($$(SELECT items FROM frequent_itemsets('baskets', 'items', 3))$$, 'items', 4) ORDER BY items COLLATE "C";
SELECT count(*) FROM frequent_itemsets($$(SELECT items FROM mine_plpgsql('baskets', 3))$$, 'items', 4);
SELECT items, support FROM frequent_itemsets('frequent', 'items', 3) ORDER BY items COLLATE "C";
-- calls side by side, with different arguments, and interleaved row by row
SELECT a.items, a.support, b.support
FROM frequent_itemsets('baskets', 'items', 4) AS a JOIN frequent_itemsets('basket_items', 'id', 'item', 4) AS b USING (items) ORDER BY 1;
SELECT n, f.items FROM generate_series(5, 6) AS n, frequent_itemsets('baskets', 'items', n) AS f ORDER BY n, items COLLATE "C";
SELECT (frequent_itemsets('baskets', 'items', 6)).support, (frequent_itemsets('baskets', 'items', 6)).frequency::numeric(9, 6);
SELECT count(*), sum(support), sum(n) FROM ROWS FROM (frequent_itemsets('baskets', 'items', 6), generate_series(1, 2)) AS r(items, support, frequency, n);
SELECT (SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3)) + (SELECT sum(itemsets) FROM itemset_counts('baskets', 'items', 3)) AS twice;
-- correlated: the source depends on the row
SELECT id, (SELECT string_agg(items::text, ' ' ORDER BY items COLLATE "C")
			FROM frequent_itemsets(format('(SELECT items FROM baskets WHERE id <> %s)', id), 'items', 6)) AS without
FROM baskets ORDER BY id;
-- prepared, with parameters; more than five times, so that the plan turns generic
PREPARE mine(text, float8) AS SELECT count(*) FROM frequent_itemsets($1, 'items', $2);
EXECUTE mine('baskets', 3);
EXECUTE mine('baskets', 4);
EXECUTE mine('baskets', 0.5);
EXECUTE mine('numbers', 60);
EXECUTE mine('numbers', 0.3);
EXECUTE mine('baskets', 3);
EXECUTE mine('baskets', 4);
DEALLOCATE mine;
-- the source changes between calls of one session
CREATE TABLE changing (items int[]);
SELECT count(*) FROM frequent_itemsets('changing', 'items', 1);
INSERT INTO changing VALUES ('{1,2}');
SELECT count(*) FROM frequent_itemsets('changing', 'items', 1);
ALTER TABLE changing ALTER items TYPE text[];
SELECT count(*) FROM frequent_itemsets('changing', 'items', 1);
ALTER TABLE changing RENAME items TO things;
SELECT count(*) FROM frequent_itemsets('changing', 'things', 1);
DROP TABLE changing;
-- triggers and constraints may call it
CREATE TABLE watched (items text[]);
CREATE TABLE alarm (found bigint);
CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN INSERT INTO alarm SELECT count(*) FROM frequent_itemsets('watched', 'items', 2); RETURN NULL; END$$;
CREATE TRIGGER watch AFTER INSERT ON watched FOR EACH ROW EXECUTE FUNCTION watch();
INSERT INTO watched VALUES ('{a,b}'), ('{a,c}');
INSERT INTO watched VALUES ('{b,a}');
TABLE alarm;
-- what the planner is told
EXPLAIN (COSTS OFF) SELECT * FROM frequent_itemsets('baskets', 'items', 4);
DROP VIEW frequent;
DROP TABLE kept, watched, alarm;
DROP MATERIALIZED VIEW kept_view;
DROP FUNCTION mine_sql, mine_plpgsql, watch;
