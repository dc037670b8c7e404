-- Calls of functions about products of sets that give no part mean what they meant before any form took one.  So two schemas get
-- functions that only tell their arguments: one with all forms, the other with forms that take no part.
SET client_min_messages = warning;
CREATE SCHEMA all_forms;
CREATE SCHEMA forms_without_parts;
SET search_path = '';
DO $$
DECLARE
	form record;
BEGIN
	FOR form IN
		SELECT proname, args, regexp_replace(args, ', part [^,]+, parts [^,]+$', '') AS others, args ~ 'parts \S+$' AS needs_part
		FROM pg_proc AS p, pg_get_function_arguments(p.oid) AS args
		WHERE pronamespace = 'public'::regnamespace AND proname IN ('frequent_pairs', 'join_project', 'join_project_count', 'similar_sets', 'similar_items')
	LOOP
		EXECUTE format('CREATE FUNCTION all_forms.%I(%s) RETURNS text LANGUAGE sql AS %L', form.proname, form.args,
					   format('SELECT %L', CASE WHEN form.needs_part THEN form.args ELSE form.others END));
		CONTINUE WHEN form.needs_part;
		EXECUTE format('CREATE FUNCTION forms_without_parts.%I(%s) RETURNS text LANGUAGE sql AS %L', form.proname, form.others,
					   format('SELECT %L', form.others));
	END LOOP;
END $$;
CREATE FUNCTION public.meaning(call text, schema text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	form text;
BEGIN
	PERFORM set_config('search_path', schema, true);
	EXECUTE 'SELECT ' || call INTO form;
	RETURN form;
EXCEPTION WHEN OTHERS THEN
	RETURN 'error ' || sqlstate;
END $$;
-- what is written for an argument of a type; names of sources and columns are all literals, or all have types
CREATE TABLE public.written AS
SELECT type::regtype, value, value !~ '''$' AS typed
FROM (VALUES ('text', ARRAY['''x''', '''x''::text']), ('name', ARRAY['''x''', '''x''::name']), ('bool', ARRAY['true', '''true''']),
	('float8', ARRAY['0.5', '5', '''5''', '5::float8']), ('int4', ARRAY['5', '''5''', '5::smallint']), ('int8', ARRAY['5', '''5''', '5::bigint']),
	('anyelement', ARRAY['NULL::int', 'NULL::smallint', 'NULL::bigint', 'NULL::text', 'NULL::name', 'NULL::bool', 'NULL::float8', 'NULL::uuid', 'NULL']),
	('anycompatible', ARRAY['NULL::int', 'NULL::bigint', 'NULL::text', 'NULL::bool', 'NULL']),
	('anyarray', ARRAY['NULL::int[]', 'NULL::text[]', 'NULL']), ('public.transaction_set', ARRAY['''x''', 'NULL::public.transaction_set'])) AS v (type, "values"),
	unnest("values") AS value;
-- calls by position with any number of arguments, and with the optional ones, or all, by name
CREATE TABLE public.calls AS
WITH RECURSIVE call AS (
	SELECT oid, 0 AS n, typed, named, '' COLLATE "C" AS args
	FROM pg_proc, unnest(ARRAY[false, true]) AS typed, unnest(ARRAY[false, true]) AS named
	WHERE pronamespace = 'forms_without_parts'::regnamespace AND NOT (named AND proargnames IS NULL)
	UNION ALL
	SELECT oid, n + 1, c.typed, now_named, args || CASE WHEN n > 0 THEN ', ' ELSE '' END || CASE WHEN now_named THEN proargnames[n + 1] || ' => ' ELSE '' END || value
	FROM call AS c JOIN pg_proc USING (oid) JOIN public.written AS w ON w.type = proargtypes[n] AND (n > 5 OR type NOT IN ('text'::regtype, 'name'::regtype) OR w.typed = c.typed),
		unnest(ARRAY[false, true]) AS now_named
	WHERE CASE WHEN named THEN now_named ELSE NOT now_named OR (proargnames IS NOT NULL AND n >= pronargs - pronargdefaults) END
)
SELECT DISTINCT proname || '(' || args || ')' AS call FROM call JOIN pg_proc USING (oid) WHERE n >= pronargs - pronargdefaults;
CREATE TABLE public.meanings AS
SELECT call, public.meaning(call, 'forms_without_parts') AS before, public.meaning(call, 'all_forms') AS now FROM public.calls;
SELECT count(*) > 5000 AS calls, count(*) FILTER (WHERE before !~ '^error') > 5000 AS mean_something FROM public.meanings;
SELECT * FROM public.meanings WHERE before !~ '^error' AND before <> now ORDER BY call COLLATE "C" LIMIT 20;
-- with a part, the form that is meant
SELECT call, public.meaning(call || ', part => 0, parts => 2)', 'all_forms') AS form
FROM unnest(ARRAY[
	$$frequent_pairs('t', 'items', 2$$, $$frequent_pairs('t', 'items', '0.5'$$, $$frequent_pairs('t', 'id', 'item', 2$$, $$frequent_pairs(NULL::public.transaction_set, 2$$,
	$$frequent_pairs('t', 'items', 2, NULL::int$$, $$frequent_pairs('t', 'items', '2', NULL::text$$,
	$$frequent_pairs('t', 'id', 'item', 2, NULL::int$$, $$frequent_pairs('t', 'id', 'item', '0.5', NULL::text$$, $$frequent_pairs(source => 't', tid_column => 'id', item_column => 'item', minsup => 2, item_type => NULL::int$$,
	$$frequent_pairs(NULL::public.transaction_set, NULL::int[], 2$$,
	$$join_project('r', 'k', 'v', 's', 'k', 'v', 1, NULL::int, NULL::text$$, $$join_project('r', 'k', 'v', 's', 'k', 'v', 1, NULL::int, NULL::text, false$$,
	$$join_project_count('r', 'k', 'v', 's', 'k', 'v', 1, NULL::int, NULL::text$$,
	$$similar_sets('t', 'id', 'item', 0.5, 'jaccard', NULL$$, $$similar_sets('t', 'id', 'item', '0.5', measure => 'cosine', k => 5$$, $$similar_sets('t', 'items', 0.5, 'jaccard', NULL$$, $$similar_sets('t', 'items', '0.5', 'jaccard', 3$$,
	$$similar_sets('r', 'id', 'item', 's', 'id', 'item', 0.5$$, $$similar_sets('r', 'id', 'item', 's', 'id', 'item', 1, 'cosine', 3$$,
	$$similar_items('t', 'items', 3, NULL::int, 'cosine', 1$$, $$similar_items('t', 'items', '3', NULL::text, min_support => 2, measure => 'lift'$$,
	$$similar_items('t', 'id', 'item', 3, NULL::int$$, $$similar_items('t', 'id', 'item', 3, NULL::text, min_support => 2$$]) AS call;
-- and none where a form takes no part
SELECT call, public.meaning(call || ', part => 0, parts => 2)', 'all_forms')
FROM unnest(ARRAY[
	$$join_project('r', 'k', 'v', 's', 'k', 'v'$$, $$join_project('r', 'k', 'v', 's', 'k', 'v', NULL::int, NULL::int$$, $$similar_sets('t', 'id', 'item', 0.5$$, $$similar_items('t', 'items', 3$$,
	$$similar_items('t', 'items', 3, NULL::int$$, $$similar_items(NULL::public.transaction_set, 3$$]) AS call;
RESET search_path;
DROP SCHEMA all_forms, forms_without_parts CASCADE;
DROP TABLE written, calls, meanings;
DROP FUNCTION meaning;
