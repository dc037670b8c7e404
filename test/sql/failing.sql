-- A source that fails after some rows: its error comes through, and the session goes on
\set SHOW_CONTEXT never
CREATE FUNCTION fails_at(n int, last int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF n = last THEN
		RAISE EXCEPTION 'row % fails', n USING ERRCODE = 'P0042', DETAIL = 'the detail', HINT = 'the hint';
	END IF;
	RETURN n;
END
$$;
DO $$
DECLARE
	state text; message text; detail text; hint text; kind text; source text;
BEGIN
	FOREACH kind IN ARRAY '{all,closed,maximal}'::text[] LOOP
		FOREACH source IN ARRAY ARRAY['(SELECT ARRAY[fails_at(n, 1)] AS items FROM generate_series(1, 30000) AS n)',
									  '(SELECT ARRAY[fails_at(n, 20000)] AS items FROM generate_series(1, 30000) AS n)',
									  '(SELECT ARRAY[fails_at(n, 30000)] AS items FROM generate_series(1, 30000) AS n)'] LOOP
			BEGIN
				PERFORM * FROM frequent_itemsets(source, 'items', 1, kind => kind);
				RAISE NOTICE 'no error';
			EXCEPTION WHEN SQLSTATE 'P0042' THEN
				GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
				RAISE NOTICE '% % % %: %', kind, state, message, detail, hint;
			END;
		END LOOP;
	END LOOP;
END
$$;
SELECT * FROM frequent_itemsets('(SELECT n AS id, fails_at(n, 5000) AS item FROM generate_series(1, 10000) AS n)', 'id', 'item', 1);
SELECT * FROM itemset_counts('(SELECT n AS id, fails_at(n, 5000) AS item FROM generate_series(1, 10000) AS n)', 'id', 'item', 1);
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
-- errors from the item type itself: a comparison that fails, an input function that fails
SELECT * FROM frequent_itemsets('(SELECT items::int[] FROM baskets)', 'items', 1);
CREATE FUNCTION shout(anyelement) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no such value: %', $1; END$$;
CREATE DOMAIN choosy AS int CHECK (VALUE < 3 OR shout(VALUE));
SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[n]::choosy[] AS items FROM generate_series(1, 2) AS n)', 'items', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[n]::choosy[] AS items FROM generate_series(1, 4) AS n)', 'items', 1);
SELECT count(*) FROM frequent_itemsets('(SELECT ''{1}''::choosy[] AS items)', 'items', 1, including => '{7}');
-- many failures in one session leave nothing behind
DO $$
BEGIN
	FOR n IN 1 .. 200 LOOP
		BEGIN
			PERFORM * FROM frequent_itemsets('(SELECT fails_at(n, 50) AS id, n AS item FROM generate_series(1, 60) AS n)', 'id', 'item', 1);
		EXCEPTION WHEN SQLSTATE 'P0042' THEN NULL;
		END;
	END LOOP;
END
$$;
SELECT count(*) AS workers FROM pg_stat_activity WHERE backend_type = 'gpufim worker' OR application_name LIKE 'gpufim worker%';
-- a call whose rows have megabytes each is cancelled before it has stored thousands of them
SET temp_file_limit = '4GB';
SET statement_timeout = 200;
SELECT count(*) FROM (SELECT frequent_itemsets('(SELECT 1 AS id, repeat(chr(64 + n), 200000) AS item FROM generate_series(1, 14) AS n)', 'id', 'item', 1) OFFSET 0) AS stored;
RESET statement_timeout;
RESET temp_file_limit;
DROP DOMAIN choosy;
DROP FUNCTION fails_at, shout;
