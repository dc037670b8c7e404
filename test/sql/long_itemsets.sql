-- Itemsets of more than 64 items, which are put together in another way than
-- shorter ones.  Here they are counted from definitions: a closed itemset is what
-- some set of the transactions have in common.
-- Strategies that go through all frequent itemsets level by level have no memory for
-- the subsets of so many items.
SET gpufim.strategy = 'auto';
SELECT setseed(0.75);
CREATE TABLE long_rows AS
	SELECT id, ARRAY(SELECT (k * 7919) % 1009 FROM generate_series(1, 150) AS k WHERE random() < 0.9 AND id IS NOT NULL ORDER BY random()) AS items
	FROM generate_series(1, 5) AS id;
INSERT INTO long_rows SELECT id, items[1 : 60 + id] FROM long_rows;

CREATE FUNCTION brute.long_rows(kind text) RETURNS TABLE (items int[], support bigint) LANGUAGE sql AS $$
	WITH numbered AS MATERIALIZED (
		SELECT row_number() OVER (ORDER BY id, cardinality(items))::int - 1 AS n, items FROM long_rows
	), common AS MATERIALIZED (
		SELECT DISTINCT ARRAY(SELECT unnest(items) INTERSECT SELECT unnest(other) INTERSECT SELECT unnest(third) ORDER BY 1) AS items
		FROM numbered AS a(n, items), numbered AS b(m, other), numbered AS c(l, third) WHERE n <= m AND m <= l
	), closed AS MATERIALIZED (
		SELECT items, (SELECT count(*) FROM long_rows AS r WHERE r.items @> c.items) AS support
		FROM common AS c WHERE cardinality(items) > 0
	)
	SELECT * FROM closed AS c
	WHERE kind = 'closed' OR NOT EXISTS (SELECT FROM closed AS d WHERE d.items @> c.items AND d.items <> c.items AND d.support >= 2 AND c.support >= 2)
$$;

-- those that up to three transactions have in common
SELECT count(*) > 50 AS many, max(cardinality(items)) > 100 AS long, min(cardinality(items)) < 64 AS and_short FROM brute.long_rows('closed');
SELECT count(*) FROM (
	SELECT * FROM brute.long_rows('closed') EXCEPT ALL
	SELECT items, support FROM frequent_itemsets('long_rows', 'items', 1, NULL::int[], kind => 'closed')) AS missing;
SELECT count(*) FROM frequent_itemsets('long_rows', 'items', 1, NULL::int[], kind => 'closed') AS f
WHERE support <> (SELECT count(*) FROM long_rows AS r WHERE r.items @> f.items) OR items <> ARRAY(SELECT unnest(f.items) ORDER BY 1);
-- as text, sorted as numbers
SELECT count(*) FROM (
	SELECT items::int[], support FROM frequent_itemsets('long_rows', 'items', 1, kind => 'closed') EXCEPT ALL
	SELECT items, support FROM frequent_itemsets('long_rows', 'items', 1, NULL::int[], kind => 'closed')) AS different;
SELECT count(*) FROM (
	SELECT * FROM brute.long_rows('maximal') AS b WHERE support >= 2 EXCEPT ALL
	SELECT items, support FROM frequent_itemsets('long_rows', 'items', 2, NULL::int[], kind => 'maximal')) AS missing;

-- A long prefix, with each set of what else there is: short steps between long itemsets.
CREATE TABLE prefixed AS
	SELECT ARRAY(SELECT k FROM generate_series(1, 80) AS k WHERE k % 8 <> 0 OR k / 8 <> id) AS items FROM generate_series(1, 10) AS id;
SELECT count(*), count(DISTINCT items), min(cardinality(items)), max(cardinality(items)),
	   bool_and(items @> ARRAY(SELECT k FROM generate_series(1, 80) AS k WHERE k % 8 <> 0)) AS prefixed,
	   bool_and(items = ARRAY(SELECT unnest(items) ORDER BY 1)) AS sorted,
	   bool_and(support = 80 - cardinality(items)) AS counted
FROM frequent_itemsets('prefixed', 'items', 1, NULL::int[], including => ARRAY(SELECT k::text FROM generate_series(80, 1, -1) AS k WHERE k % 8 <> 0));
-- the lengths around the border
SELECT cardinality(items) AS length, count(*), count(DISTINCT items), bool_and(items = ARRAY(SELECT unnest(items) ORDER BY 1)) AS sorted, min(support), max(support)
FROM frequent_itemsets('prefixed', 'items', 1, NULL::int[], including => ARRAY(SELECT k::text FROM generate_series(1, 69) AS k WHERE k % 8 <> 0), min_length => 62, max_length => 67)
GROUP BY 1 ORDER BY 1;
-- nested: each step is one item
CREATE TABLE nested AS SELECT ARRAY(SELECT 'item ' || (k * 7919) % 1009 FROM generate_series(1, n) AS k ORDER BY k DESC) AS items FROM generate_series(1, 200) AS n;
SELECT count(*), count(DISTINCT items), max(cardinality(items)), bool_and(support = 201 - cardinality(items)) AS counted,
	   bool_and(items = ARRAY(SELECT unnest(items) ORDER BY 1)) AS sorted, bool_and(n.nested @> f.items AND cardinality(n.nested) = cardinality(f.items)) AS right
FROM frequent_itemsets('nested', 'items', 1, kind => 'closed') AS f LEFT JOIN (SELECT cardinality(items) AS length, items AS nested FROM nested) AS n ON n.length = cardinality(f.items);
DROP TABLE long_rows, prefixed, nested;
DROP FUNCTION brute.long_rows(text);
-- a search that is deep, where little of the stack is left: no crash
CREATE TABLE deep AS SELECT ARRAY(SELECT item FROM generate_series(1, 1600) AS item WHERE item <> id) AS items FROM generate_series(1, 1600) AS id;
CREATE FUNCTION deep_down(levels int, mine bool) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF levels > 0 THEN
		RETURN deep_down(levels - 1, mine);
	END IF;
	RETURN CASE WHEN mine THEN (SELECT count(*) FROM frequent_itemsets('deep', 'items', 1, 'maximal')) END;
END
$$;
DO $$
DECLARE
	fit int := 1;
	too_many int := 20000;
	itemsets int;
	reason text;
BEGIN
	-- as much as the usual limit of the system allows
	BEGIN
		SET max_stack_depth = '7680kB';
	EXCEPTION WHEN invalid_parameter_value THEN
	END;
	SET gpufim.engine = cpu;
	SET gpufim.workers = 0;
	SET gpufim.strategy = 'bitmap';
	WHILE too_many > fit + 1 LOOP
		BEGIN
			PERFORM deep_down((fit + too_many) / 2, false);
			fit := (fit + too_many) / 2;
		EXCEPTION WHEN statement_too_complex THEN
			too_many := (fit + too_many) / 2;
		END;
	END LOOP;
	WHILE itemsets IS NULL AND reason IS DISTINCT FROM 'The search for long itemsets needs more of the stack than the system allows.' LOOP
		BEGIN
			itemsets := deep_down(fit, true);
		EXCEPTION WHEN statement_too_complex THEN
			GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
			fit := fit - 10;
		END;
	END LOOP;
	RAISE NOTICE '% itemsets with more of the stack', deep_down(1, true);
END
$$;
RESET max_stack_depth;
RESET gpufim.engine;
RESET gpufim.workers;
RESET gpufim.strategy;
DROP TABLE deep;
DROP FUNCTION deep_down;
