-- The extension's objects: signatures, properties, comments
SELECT p.proname, pg_get_function_arguments(p.oid) AS arguments
FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid
WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
  AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim')
  AND p.proname ~ '^(frequent_(itemsets|episodes)|itemset_counts|probable_itemset|episode_|count_episode)'
ORDER BY proname, pronargs, pg_get_function_arguments(p.oid) COLLATE "C";
SELECT p.proname, pg_get_function_result(p.oid) AS result, count(*)
FROM pg_proc AS p WHERE p.proname ~ '^(frequent_(itemsets|episodes)|itemset_counts|probable_itemset|episode_|count_episode)' GROUP BY 1, 2 ORDER BY proname, pg_get_function_result(p.oid) COLLATE "C";
-- none claims to be safer than it is: the source can be any query
SELECT proname, provolatile, proparallel, proisstrict, proretset, prosecdef, count(*), bool_and(procost > 1 AND prorows > 0) AS estimated
FROM pg_proc WHERE proname ~ '^(frequent_(itemsets|episodes)|itemset_counts|probable_itemset|episode_|count_episode)'
GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1;
-- everything has a comment, but for what comes with something else, like a view's
-- types, which newer versions count among the extension's objects
SELECT pg_describe_object(classid, objid, objsubid) AS uncommented
FROM pg_depend AS d
WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
  AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim')
  AND obj_description(objid, classid::regclass::text::name) IS NULL
  AND NOT EXISTS (SELECT FROM pg_depend AS i WHERE i.classid = d.classid AND i.objid = d.objid AND i.deptype = 'i')
ORDER BY pg_describe_object(classid, objid, objsubid) COLLATE "C";
SELECT obj_description(oid, 'pg_extension') AS comment, extrelocatable FROM pg_extension WHERE extname = 'gpufim';
-- callable from another schema, and movable
CREATE SCHEMA elsewhere;
ALTER EXTENSION gpufim SET SCHEMA elsewhere;
SELECT count(*) FROM elsewhere.frequent_itemsets('baskets', 'items', 3);
SELECT count(*) FROM elsewhere.gpufim_last_run();
SELECT count(*) FROM elsewhere.gpufim_progress;
-- what PostgreSQL adds to it differs between versions
\set VERBOSITY terse
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
\set VERBOSITY default
ALTER EXTENSION gpufim SET SCHEMA public;
DROP SCHEMA elsewhere;
-- drop and create again in one session
DROP EXTENSION gpufim;
-- what PostgreSQL adds to it differs between versions
\set VERBOSITY terse
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
\set VERBOSITY default
CREATE EXTENSION gpufim;
SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3);
