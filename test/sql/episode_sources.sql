-- Episodes over every kind of source and type, under the caller's privileges, and calls in all forms
CREATE TABLE log (id int PRIMARY KEY, kind text NOT NULL, at int NOT NULL, visitor text);
INSERT INTO log SELECT n, (ARRAY['open', 'read', 'close', 'read'])[n % 4 + 1], n * 5 % 37, 'v' || n % 3 FROM generate_series(1, 40) AS n;
CREATE FUNCTION episodes_of(source text, event_column name = 'kind', time_column name = 'at', partition_column name = 'visitor') RETURNS text LANGUAGE sql AS $$
	SELECT count(*) || ' ' || md5(string_agg(array_to_string(events, ',') || gaps::text || support || frequency, ' ' ORDER BY events COLLATE "C", gaps))
	FROM frequent_episodes(source, event_column, time_column, 3, '{"(0,5]","(5,10]"}', partition_column => partition_column)
$$;

-- sources
CREATE VIEW log_view AS SELECT at, kind, visitor FROM log ORDER BY md5(id::text);
CREATE MATERIALIZED VIEW log_matview AS SELECT * FROM log;
CREATE TEMP TABLE log_temp AS SELECT * FROM log;
CREATE TABLE log_parts (LIKE log) PARTITION BY LIST (visitor);
CREATE TABLE log_part0 PARTITION OF log_parts FOR VALUES IN ('v0');
CREATE TABLE log_others PARTITION OF log_parts DEFAULT;
INSERT INTO log_parts TABLE log;
CREATE TABLE "Odd ""Names""" AS SELECT kind AS "Kind", at AS "AT", visitor AS "a b" FROM log;
SELECT count(DISTINCT episodes_of(s)) AS results, min(episodes_of(s)) = episodes_of('"Odd ""Names"""', 'Kind', 'AT', 'a b') AS quoted
FROM unnest('{log,public.log,log_view,log_matview,log_temp,log_parts,(TABLE log),(SELECT * FROM log ORDER BY at DESC),"(SELECT kind, at, visitor FROM log UNION ALL SELECT kind, at, visitor FROM log_temp)"," (WITH l AS (SELECT * FROM log) SELECT * FROM l);"}'::text[]) AS s;
-- a query with parameters of its own, several calls in one statement, one inside another
SELECT visitor, (SELECT count(*) FROM frequent_episodes(format('(SELECT * FROM log WHERE visitor = %L)', visitor), 'kind', 'at', 2, '{"(0,10]"}')) FROM (SELECT DISTINCT visitor FROM log) AS v ORDER BY visitor;
SELECT count(*) FROM frequent_episodes('(SELECT ''a'' AS k, support AS t FROM frequent_episodes(''log'', ''kind'', ''at'', 2, ''{"(0,5]"}''))', 'k', 't', 1, '{"(0,5]"}');
DROP TABLE log_parts, "Odd ""Names""", log_temp;
DROP VIEW log_view;
DROP MATERIALIZED VIEW log_matview;

-- event types and partitions of any type; results in the type's order, as text or as they are
CREATE TYPE mood AS ENUM ('sad', 'glad');
SELECT type, (SELECT string_agg(events::text || support, ' ' ORDER BY events) FROM frequent_episodes(
	format('(SELECT (ARRAY[%L, %L]::%s[])[n %% 2 + 1] AS k, n AS t, (ARRAY[%2$L, %1$L]::%3$s[])[n / 2 %% 2 + 1] AS p FROM generate_series(1, 20) AS n)', a, b, type), 'k', 't', 5, '{"[1,1]"}', partition_column => 'p')) AS episodes
FROM (VALUES ('int4', '10', '9'), ('int8', '-1', '1'), ('text', 'b', 'a'), ('varchar(2)', 'b', 'a'), ('char(3)', 'b', 'a'), ('numeric', '10', '9.0'), ('float8', '-0', '1'), ('boolean', 't', 'f'),
			 ('date', '2000-01-02', '2000-01-01'), ('uuid', 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), ('mood', 'glad', 'sad'), ('xid', '2', '1'),
			 ('int4range', '[2,3)', '[1,3)'), ('jsonb', '{"a": 1}', '[]'), ('bytea', '\x02', '\x01'), ('tid', '(0,2)', '(0,1)'), ('interval', '1 day', '1 hour'), ('inet', '::1', '10.0.0.1'))
	 AS v(type, a, b);
SELECT * FROM frequent_episodes('(SELECT ''[1]''::json AS k, 1 AS t)', 'k', 't', 1, '{"(0,1]"}');
SELECT events, pg_typeof(events), support FROM frequent_episodes('(SELECT n % 3 AS k, n AS t FROM generate_series(1, 30) AS n)', 'k', 't', 9, '{"(0,1]"}', NULL::int[], 2) ORDER BY events;
SELECT events, support FROM frequent_episodes('(SELECT (ARRAY[''glad'', ''sad'']::mood[])[n % 2 + 1] AS k, n AS t FROM generate_series(1, 9) AS n)', 'k', 't', 4, '{"(0,1]"}', event_type => NULL::mood[]) ORDER BY events;
SELECT events FROM frequent_episodes('log', 'kind', 'at', 4, '{"(0,5]"}', NULL::int[]);
SELECT * FROM episode_counts('log', 'kind', 'at', 4, '{"(0,5]"}', NULL::text[], max_length => 2);
SELECT * FROM episode_counts('log', 'kind', 'at', 4, '{"(0,5]"}', NULL::date[]);
SELECT count_episode('(SELECT n % 3 AS k, n AS t FROM generate_series(1, 30) AS n)', 'k', 't', '{0,01, 2}', '{"(0,1]","(0,1]"}');
SELECT count_episode('(SELECT n % 3 AS k, n AS t FROM generate_series(1, 30) AS n)', 'k', 't', '{zero}', '{}');
SELECT partition, times FROM episode_occurrences('(SELECT n % 2 = 0 AS p, ''x''::char(3) AS k, n AS t FROM generate_series(1, 6) AS n)', 'k', 't', '{"x  ",x}', '{"(0,2]"}', partition_column => 'p') ORDER BY 1, 2;

-- privileges and row security
SET client_min_messages = warning;
CREATE ROLE regress_gpufim_watcher;
RESET client_min_messages;
ALTER TABLE log ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON log TO regress_gpufim_watcher USING (visitor = 'v1');
SET ROLE regress_gpufim_watcher;
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"(0,5]"}');
SELECT count_episode('(SELECT * FROM log)', 'kind', 'at', '{open}', '{}');
RESET ROLE;
GRANT SELECT (kind, at, visitor) ON log TO regress_gpufim_watcher;
SET ROLE regress_gpufim_watcher;
SELECT count_episode('log', 'kind', 'at', '{read}', '{}'), (SELECT count(DISTINCT at) FROM log WHERE kind = 'read');
SELECT DISTINCT partition FROM episode_occurrences('log', 'kind', 'at', '{read}', '{}', 'visitor');
SELECT count_episode('log', 'id', 'at', '{1}', '{}');
RESET ROLE;
DROP POLICY own ON log;
REVOKE ALL ON log FROM regress_gpufim_watcher;
DROP ROLE regress_gpufim_watcher;

-- forms: by name, without types, in views and functions
SELECT count(*) FROM frequent_episodes(source => 'log', event_column => 'kind', time_column => 'at', minsup => 0.1, gaps => '{"(0,5]"}');
SELECT count(*) FROM frequent_episodes('log', 'kind', 'at', '4', '{"(0,5]"}');
SELECT count(*) FROM frequent_episodes('log', 'kind', 'at', 4, '{"(0,5]"}', 1, NULL, 'visitor', NULL, '{open}', 'maximal');
SELECT count(*) FROM frequent_episodes('log', 'kind', 'at', 4, ARRAY[numrange(0, 5, '(]')], 2, 2, 'visitor');
SELECT count(*), max(support) FROM frequent_episodes('log', 'kind', 'at', 4, '{"(0,5]"}', 1, NULL, 'visitor', NULL, NULL, 'closed', 0, 1, '{open,close}');
SELECT pg_typeof(events), count(*), max(support) FROM frequent_episodes('log', 'kind', 'at', 4, '{"(0,5]"}', NULL::text[], 1, NULL, 'visitor', NULL, NULL, 'closed', 0, 1, '{open,close}') GROUP BY 1;
PREPARE five AS SELECT count(*), max(support) FROM frequent_episodes($1, $2, $3, $4, $5);
EXECUTE five('log', 'kind', 'at', '4', '{"(0,5]"}');
EXECUTE five('log', 'kind', 'at', 'four', '{"(0,5]"}');
EXECUTE five('log', 'kind', 'at', '4', '(0,5]');
EXECUTE five('log', 'kind', 'at', '4', NULL);
PREPARE all_of_them AS SELECT count(*), max(support) FROM frequent_episodes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);
EXECUTE all_of_them('log', 'kind', 'at', '4', '{"(0,5]"}', '1', NULL, 'visitor', '{read}', NULL, 'closed');
PREPARE with_any AS SELECT count(*), max(support) FROM frequent_episodes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);
EXECUTE with_any('log', 'kind', 'at', '4', '{"(0,5]"}', '1', NULL, 'visitor', NULL, NULL, 'closed', '0', '1', '{open,close}');
PREPARE counted_any AS SELECT * FROM episode_counts($1, $2, $3, $4, $5, including_any => $6);
EXECUTE counted_any('log', 'kind', 'at', '4', '{"(0,5]"}', '{open,close}');
PREPARE counted AS SELECT * FROM episode_counts($1, $2, $3, $4, $5, max_length => $6);
EXECUTE counted('log', 'kind', 'at', '4', '{"(0,5]"}', '1');
PREPARE one AS SELECT count_episode($1, $2, $3, $4, $5);
EXECUTE one('log', 'kind', 'at', '{open,read}', '{"(0,5]"}');
PREPARE listed AS SELECT count(*) FROM episode_occurrences($1, $2, $3, $4, $5, $6);
EXECUTE listed('log', 'kind', 'at', '{open,read}', '{"(0,5]"}', 'visitor');
DEALLOCATE ALL;
CREATE VIEW follows AS SELECT * FROM frequent_episodes('log', 'kind', 'at', 4, '{"(0,5]"}', min_length => 2);
SELECT count(*) FROM follows;
BEGIN TRANSACTION READ ONLY;
SELECT count(*) FROM follows;
DECLARE c CURSOR FOR SELECT support FROM follows ORDER BY support DESC;
FETCH 1 FROM c;
COMMIT;
DROP VIEW follows;

-- where calls may stand: under a path with traps, in a materialized view, in blocks that fail, in a cursor that outlives its
-- transaction, over another family's rows
CREATE SCHEMA trap;
CREATE FUNCTION trap.boom(anyelement, anyelement) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trapped''; END';
CREATE OPERATOR trap.= (leftarg = anyelement, rightarg = anyelement, function = trap.boom);
CREATE OPERATOR trap.< (leftarg = anyelement, rightarg = anyelement, function = trap.boom);
CREATE TYPE trap.int4 AS (trapped int);
CREATE TYPE trap.text AS (trapped int);
CREATE TYPE trap.numrange AS (trapped int);
CREATE FUNCTION trap.lower(pg_catalog.numrange) RETURNS numeric LANGUAGE sql AS 'SELECT 1 / 0::numeric';
CREATE TABLE usual AS SELECT events, gaps, support FROM frequent_episodes('log', 'kind', 'at', 3, '{"(0,5]","(5,10]"}', partition_column => 'visitor');
CREATE MATERIALIZED VIEW kept AS SELECT events, gaps, support FROM frequent_episodes('public.log', 'kind', 'at', 3, '{"(0,5]","(5,10]"}', partition_column => 'visitor');
CREATE UNIQUE INDEX ON kept (events, gaps);
SET search_path = trap, pg_catalog, public;
CREATE TEMP TABLE trapped AS SELECT events, gaps, support FROM public.frequent_episodes('log', 'kind', 'at', 3, '{"(0,5]","(5,10]"}', partition_column => 'visitor');
SELECT public.count_episode('log', 'kind', 'at', '{open,read}', '{"(0,5]"}', 'visitor');
SELECT pg_catalog.count(*) FROM public.episode_occurrences('log', 'kind', 'at', '{open,read}', '{"(0,5]"}', NULL::pg_catalog.int4[], 'visitor');
SELECT pg_catalog.sum(episodes) FROM public.episode_counts('log', 'kind', 'at', 3, '{"(0,5]","(5,10]"}', partition_column => 'visitor', including => '{open}', excluding => '{close}');
SELECT pg_catalog.count(*) FROM public.episode_significance('log', 'kind', 'at', 3, '{"(0,5]"}', max_length => 2, surrogates => 5, dither => 3);
RESET search_path;
INSERT INTO log VALUES (41, 'open', 90, 'v1'), (42, 'open', 95, 'v1'), (43, 'open', 100, 'v1');
REFRESH MATERIALIZED VIEW CONCURRENTLY kept;
SELECT count(*) AS more FROM (TABLE kept EXCEPT TABLE usual) AS d;
DELETE FROM log WHERE id > 40;
REFRESH MATERIALIZED VIEW CONCURRENTLY kept;
SELECT (SELECT count(*) FROM usual) AS usual, (SELECT count(*) FROM usual NATURAL JOIN trapped) AS trapped, (SELECT count(*) FROM usual NATURAL JOIN kept) AS kept;
DO $$
DECLARE
	found bigint;
	failed text := '';
BEGIN
	FOR n IN 1 .. 12 LOOP
		BEGIN
			INSERT INTO log VALUES (40 + n, 'open', 100 * n, 'v1');
			SELECT count(*) INTO found FROM frequent_episodes(format('(SELECT kind, 1000 / (at - %s) AS at FROM log)', 9 * n), 'kind', 'at', 3, '{"(0,5]"}');
			PERFORM count_episode('log', CASE WHEN n % 3 > 0 THEN 'kind' END, 'at', '{open}', '{}');
			RAISE no_data_found;
		EXCEPTION WHEN OTHERS THEN failed := failed || ' ' || SQLSTATE;
		END;
	END LOOP;
	RAISE NOTICE '%, rows left: %', failed, (SELECT count(*) FROM log);
END
$$;
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT count(*) OVER (), events FROM frequent_episodes('log', 'kind', 'at', 3, '{"(0,5]","(5,10]"}', partition_column => 'visitor') ORDER BY events, gaps;
SAVEPOINT here;
SELECT count(*) FROM frequent_episodes('log', 'kind', 'at', 3, '{}');
ROLLBACK TO here;
COMMIT;
FETCH 1 FROM held;
CLOSE held;
SELECT items, support = (SELECT count(*) FROM usual WHERE items <@ events) AS right FROM frequent_itemsets('(SELECT events FROM frequent_episodes(''log'', ''kind'', ''at'', 3, ''{"(0,5]","(5,10]"}'', partition_column => ''visitor''))', 'events', 1) ORDER BY items;
DROP MATERIALIZED VIEW kept;
DROP TABLE usual, trapped;
SET client_min_messages = warning;
DROP SCHEMA trap CASCADE;
RESET client_min_messages;

-- arguments that are wrong
SELECT * FROM frequent_episodes(NULL, 'kind', 'at', 1, '{"(0,5]"}');
SELECT * FROM frequent_episodes('log', NULL, 'at', 1, '{"(0,5]"}');
SELECT * FROM frequent_episodes('log', 'kind', NULL, 1, '{"(0,5]"}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', NULL, '{"(0,5]"}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, NULL::numrange[]);
SELECT * FROM frequent_episodes('log', 'kind', 'at', 0, '{"(0,5]"}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1.5, '{"(0,5]"}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{NULL}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"(0,5]",empty}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"[0,5]"}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"(0,5]","[-1,2.50)"}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"(,)"}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"[0,0]"}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"(0,5]"}', 0);
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"(0,5]"}', 3, 2);
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"(0,5]"}', kind => 'some');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"(0,5]"}', including => '{NULL}');
SELECT * FROM frequent_episodes('log', 'kind', 'when', 1, '{"(0,5]"}');
SELECT * FROM frequent_episodes('log', 'kind', 'at', 1, '{"(0,5]"}', partition_column => 'who');
SELECT * FROM frequent_episodes('nothing', 'kind', 'at', 1, '{"(0,5]"}');
SELECT * FROM frequent_episodes('(SELECT * FROM log FOR UPDATE)', 'kind', 'at', 1, '{"(0,5]"}');
SELECT count(*) FROM frequent_episodes('log', 'kind', 'at', 9, (SELECT array_agg(numrange(n, n + 1, '(]')) FROM generate_series(0, 999) AS n), max_length => 2);
SELECT count(*) FROM frequent_episodes('log', 'kind', 'at', 40, (SELECT array_agg(numrange(n, n + 1, '(]')) FROM generate_series(0, 1000) AS n));
SELECT count_episode('log', 'kind', 'at', array_agg('read'::text), array_agg('(0,)'::numrange) FILTER (WHERE n > 1)) AS long_one FROM generate_series(1, 20000) AS n;
SELECT count_episode('log', 'kind', 'at', NULL, '{}');
SELECT count_episode('log', 'kind', 'at', '{}', '{}');
SELECT count_episode('log', 'kind', 'at', '{open,NULL}', '{"(0,5]"}');
SELECT count_episode('log', 'kind', 'at', '{open}', '{"(0,5]"}');
SELECT count_episode('log', 'kind', 'at', '{open,read}', '{}');
SELECT * FROM episode_occurrences('log', 'kind', 'at', '{open,read}', NULL);
DROP FUNCTION episodes_of;
DROP TABLE log;
DROP TYPE mood;
