-- What a call sees: the snapshot of its query, the transaction's own changes included
CREATE TABLE ours (id int, item text);
INSERT INTO ours VALUES (1, 'a'), (1, 'b'), (2, 'a'), (2, 'b');
BEGIN;
INSERT INTO ours VALUES (3, 'a'), (3, 'b'), (3, 'c');
SELECT items, support FROM frequent_itemsets('ours', 'id', 'item', 1) ORDER BY cardinality(items), items COLLATE "C";
SAVEPOINT s;
DELETE FROM ours WHERE id < 3;
SELECT items, support FROM frequent_itemsets('ours', 'id', 'item', 1) ORDER BY cardinality(items), items COLLATE "C";
ROLLBACK TO s;
SELECT items, support FROM frequent_itemsets('ours', 'id', 'item', 3) ORDER BY cardinality(items), items COLLATE "C";
CREATE TABLE made_here AS SELECT * FROM ours;
SELECT count(*) FROM frequent_itemsets('made_here', 'id', 'item', 1);
ROLLBACK;
SELECT items, support FROM frequent_itemsets('ours', 'id', 'item', 1) ORDER BY cardinality(items), items COLLATE "C";
-- read-only, repeatable read and serializable transactions
BEGIN TRANSACTION READ ONLY;
SELECT count(*) FROM frequent_itemsets('ours', 'id', 'item', 1);
SELECT * FROM itemset_counts('ours', 'id', 'item', 1) ORDER BY length;
SELECT count(*) FROM gpufim_last_run();
COMMIT;
BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE;
SELECT count(*) FROM frequent_itemsets('ours', 'id', 'item', 1);
COMMIT;
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM frequent_itemsets('ours', 'id', 'item', 1);
INSERT INTO ours VALUES (4, 'z');
SELECT count(*) FROM frequent_itemsets('ours', 'id', 'item', 1);
ROLLBACK;
-- a source that writes is refused in a read-only transaction by what it calls, not by us
CREATE SEQUENCE some_sequence;
BEGIN TRANSACTION READ ONLY;
SELECT * FROM frequent_itemsets('(SELECT nextval(''some_sequence'') AS id, 1 AS item)', 'id', 'item', 1);
ROLLBACK;
-- an error leaves a subtransaction that can go on
BEGIN;
SAVEPOINT s;
SELECT * FROM frequent_itemsets('(SELECT id, 1 / (id - 2) AS item FROM ours)', 'id', 'item', 1);
ROLLBACK TO s;
SELECT count(*) FROM frequent_itemsets('ours', 'id', 'item', 1);
COMMIT;
-- caught in a block, many times
DO $$
DECLARE
	caught int := 0;
	found int := 0;
BEGIN
	FOR n IN 1 .. 50 LOOP
		BEGIN
			PERFORM * FROM frequent_itemsets('(SELECT id, 1 / (id - 2) AS item FROM ours)', 'id', 'item', 1);
		EXCEPTION WHEN division_by_zero THEN
			caught := caught + 1;
		END;
		found := found + (SELECT count(*) FROM frequent_itemsets('ours', 'id', 'item', 1));
	END LOOP;
	RAISE NOTICE 'caught %, found %', caught, found;
END
$$;
-- raised by the consumer of the rows
DO $$
DECLARE r record;
BEGIN
	FOR r IN SELECT * FROM frequent_itemsets('ours', 'id', 'item', 1) ORDER BY cardinality(items), items COLLATE "C" LOOP
		RAISE EXCEPTION 'stop at %', r.items;
	END LOOP;
EXCEPTION WHEN raise_exception THEN
	RAISE NOTICE '%', SQLERRM;
END
$$;
-- only part of the rows are fetched
SELECT count(*) FROM (SELECT * FROM frequent_itemsets('ours', 'id', 'item', 1) LIMIT 1) AS one;
SELECT EXISTS (SELECT FROM frequent_itemsets('numbers', 'items', 20));
-- cursors, held and scrolled
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT items, support FROM frequent_itemsets('ours', 'id', 'item', 1) ORDER BY cardinality(items), items COLLATE "C";
FETCH 2 FROM c;
DELETE FROM ours;
FETCH 2 FROM c;
FETCH BACKWARD 2 FROM c;
ROLLBACK;
BEGIN;
DECLARE h CURSOR WITH HOLD FOR SELECT items, support FROM frequent_itemsets('ours', 'id', 'item', 1) ORDER BY cardinality(items), items COLLATE "C";
COMMIT;
FETCH ALL FROM h;
CLOSE h;
BEGIN;
DECLARE c CURSOR FOR SELECT items FROM frequent_itemsets('numbers', 'items', 20);
SAVEPOINT s;
MOVE 1 FROM c;
ROLLBACK TO s;
MOVE 1 FROM c;
CLOSE c;
COMMIT;
DROP TABLE ours;
DROP SEQUENCE some_sequence;
