-- Association rules against rules made by definition in SQL, with p-values in exact fractions.
\set VERBOSITY default

-- 90 baskets of 8 items, of which some come together
CREATE TABLE shop AS
	SELECT tid, array_remove(ARRAY[
		CASE WHEN a % 3 = 0 THEN 'ale' END, CASE WHEN a % 3 = 0 AND b % 4 > 0 OR b % 7 = 0 THEN 'bread' END, CASE WHEN b % 2 = 0 THEN 'cream' END,
		CASE WHEN b % 4 = 0 OR c % 5 = 0 THEN 'dill' END, CASE WHEN c % 2 = 0 AND a % 5 > 0 THEN 'eggs' END, CASE WHEN c % 4 = 0 THEN 'figs' END,
		CASE WHEN tid > 80 THEN 'gin' END, 'ham'], NULL) AS items
	FROM (SELECT tid, ('x' || left(md5('a' || tid), 7))::bit(28)::int AS a, ('x' || left(md5('b' || tid), 7))::bit(28)::int AS b, ('x' || left(md5('c' || tid), 7))::bit(28)::int AS c FROM generate_series(1, 88) AS tid) AS s
	UNION ALL VALUES (89, '{}'), (90, NULL::text[]);

-- The p-value: the share of all choices of c of n transactions that hold at least s of these a.
CREATE FUNCTION brute.choices(n bigint, k bigint) RETURNS numeric LANGUAGE sql IMMUTABLE AS
'SELECT CASE WHEN k < 0 OR k > n THEN 0 ELSE div(factorial(n), factorial(k) * factorial(n - k)) END';
CREATE FUNCTION brute.p_value(s bigint, a bigint, c bigint, n bigint) RETURNS numeric LANGUAGE sql IMMUTABLE AS
'SELECT sum(brute.choices(a, k) * brute.choices(n - a, c - k))::numeric(1000, 60) / brute.choices(n, c) FROM generate_series(s, least(a, c)) AS k';
CREATE FUNCTION brute.names(call jsonb, argument text) RETURNS text[] LANGUAGE sql IMMUTABLE AS
'SELECT CASE WHEN call ? argument THEN ARRAY(SELECT jsonb_array_elements_text(call -> argument)) END';

-- All that the definitions say of the baskets' rules, for arguments as an object
CREATE TABLE brute.frequent (minsup int, items text[], support bigint, PRIMARY KEY (minsup, items));
CREATE FUNCTION brute.support(of_minsup int, of_items text[]) RETURNS bigint LANGUAGE sql STABLE AS
'SELECT CASE WHEN of_items = ''{}'' THEN 89 ELSE (SELECT support FROM brute.frequent WHERE minsup = of_minsup AND items = of_items) END';
CREATE FUNCTION brute.part(items text[], mask int) RETURNS text[] LANGUAGE sql IMMUTABLE AS
'SELECT ARRAY(SELECT item FROM unnest(items) WITH ORDINALITY AS u(item, i) WHERE mask >> (i - 1)::int & 1 = 1 ORDER BY item COLLATE "C")';
CREATE FUNCTION brute.admits(call jsonb, a text[], c text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT cardinality(a) + cardinality(c) BETWEEN coalesce((call ->> 'min_length')::int, 2) AND coalesce((call ->> 'max_length')::int, 100)
		AND cardinality(c) <= CASE WHEN call ? 'max_consequent' THEN coalesce((call ->> 'max_consequent')::int, 100) ELSE 1 END
		AND a @> coalesce(brute.names(call, 'antecedent_including'), '{}') AND a && coalesce(brute.names(call, 'antecedent_including_any'), a)
		AND NOT a && coalesce(brute.names(call, 'antecedent_excluding'), '{}')
		AND c && coalesce(brute.names(call, 'consequent_including_any'), c) AND NOT c && coalesce(brute.names(call, 'consequent_excluding'), '{}') AND NOT c && coalesce(brute.names(call, 'antecedent_including'), '{}')
$$;
-- all pairs of sides that are frequent, together or not
CREATE FUNCTION brute.tests(call jsonb) RETURNS bigint LANGUAGE sql STABLE AS $$
	SELECT count(*) FROM brute.frequent AS a JOIN brute.frequent AS c ON c.minsup = a.minsup
	WHERE a.minsup = (call ->> 'minsup')::int AND (cardinality(c.items) > 1 OR NOT a.items && c.items) AND brute.admits(call, a.items, c.items)
$$;
CREATE FUNCTION brute.all_rules(call jsonb)
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint, p numeric) LANGUAGE sql STABLE AS $$
	SELECT a, c, support, brute.support((call ->> 'minsup')::int, a), brute.support((call ->> 'minsup')::int, c),
		   brute.p_value(support, brute.support((call ->> 'minsup')::int, a), brute.support((call ->> 'minsup')::int, c), 89)
	FROM (SELECT brute.part(items, mask) AS a, brute.part(items, ~mask) AS c, support
		  FROM brute.frequent, LATERAL generate_series(1, (1 << cardinality(items)) - 2) AS mask
		  WHERE minsup = (call ->> 'minsup')::int) AS divided
	WHERE brute.admits(call, a, c)
$$;
CREATE FUNCTION brute.rules(call jsonb)
RETURNS TABLE (antecedent text[], consequent text[], support bigint, antecedent_support bigint, consequent_support bigint, p numeric, adjusted numeric) LANGUAGE sql STABLE AS $$
	WITH tests AS MATERIALIZED (
		SELECT *, (SELECT brute.tests(call)) AS m, row_number() OVER (ORDER BY p) AS i FROM brute.all_rules(call)
	), adjusted AS MATERIALIZED (
		SELECT *, least(1, CASE coalesce(call ->> 'adjust', 'holm')
			WHEN 'none' THEN p
			WHEN 'bonferroni' THEN m * p
			WHEN 'holm' THEN max((m - i + 1) * p) OVER (ORDER BY i)
			WHEN 'bh' THEN min(m * p / i) OVER (ORDER BY i DESC)
			WHEN 'by' THEN (SELECT sum(1::numeric(30, 25) / k) FROM generate_series(1, m) AS k) * min(m * p / i) OVER (ORDER BY i DESC) END) AS adjusted
		FROM tests
	), improved AS MATERIALIZED (
		SELECT *, support::numeric / antecedent_support AS confidence,
			   (SELECT max(brute.support((call ->> 'minsup')::int, brute.part(antecedent || consequent, mask | ((1 << cardinality(consequent)) - 1 << cardinality(antecedent))))::numeric /
						   brute.support((call ->> 'minsup')::int, brute.part(antecedent, mask)))
				FROM generate_series(0, (1 << cardinality(antecedent)) - 2) AS mask) AS best
		FROM adjusted
	)
	SELECT antecedent, consequent, support, antecedent_support, consequent_support, p, adjusted
	FROM improved
	WHERE confidence >= coalesce((call ->> 'minconf')::numeric, 0.8)
	  AND confidence * 89 / consequent_support >= coalesce((call ->> 'minlift')::numeric, 0)
	  AND confidence - best >= coalesce((call ->> 'min_improvement')::numeric, -1)
	  AND (confidence > best OR coalesce(call ->> 'kind', 'all') = 'all')
	  AND adjusted <= coalesce((call ->> 'max_p')::numeric, 1)
$$;
INSERT INTO brute.frequent
	SELECT minsup, items, support FROM unnest('{2,6,20}'::int[]) AS minsup, brute.mine('SELECT tid, unnest(items) FROM shop', minsup);

-- The arguments in the form of a call
CREATE FUNCTION brute.arguments(call jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS
'SELECT string_agg(format(''%s => %s'', key, CASE jsonb_typeof(value) WHEN ''array'' THEN quote_literal(translate(value::text, ''[]'', ''{}'')) WHEN ''string'' THEN quote_literal(value #>> ''{}'') ELSE value::text END), '', '')
 FROM jsonb_each(call) WHERE key <> ''minsup''';
CREATE FUNCTION brute.check_rules(call jsonb, form text, OUT expected bigint, OUT missing bigint, OUT unexpected bigint, OUT wrong bigint, OUT tested text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format($query$
		WITH theirs AS MATERIALIZED (SELECT * FROM brute.rules($1)),
		ours AS MATERIALIZED (SELECT antecedent::text[] AS antecedent, consequent::text[] AS consequent, support, antecedent_support, consequent_support, transactions, confidence, lift, p_value, adjusted_p_value FROM association_rules(%s, %s%s))
		SELECT (SELECT count(*) FROM theirs),
			   (SELECT count(*) FROM (SELECT antecedent, consequent FROM theirs EXCEPT ALL SELECT antecedent, consequent FROM ours) AS m),
			   (SELECT count(*) FROM (SELECT antecedent, consequent FROM ours EXCEPT ALL SELECT antecedent, consequent FROM theirs) AS u),
			   (SELECT count(*) FROM ours AS o JOIN theirs AS t USING (antecedent, consequent)
				WHERE (o.support, o.antecedent_support, o.consequent_support, transactions) IS DISTINCT FROM (t.support, t.antecedent_support, t.consequent_support, %s)
				   OR confidence IS DISTINCT FROM o.support / o.antecedent_support::float8
				   OR abs(lift - o.support * transactions / (o.antecedent_support * o.consequent_support)::float8) > 1e-14 * lift
				   OR abs(ln(p_value::numeric) - ln(p)) > 1e-10 * (1 - ln(p)) OR abs(ln(adjusted_p_value::numeric) - ln(adjusted)) > 1e-10 * (1 - ln(adjusted)))
		$query$, form, call ->> 'minsup', coalesce(', ' || brute.arguments(call), ''), '89')
	INTO expected, missing, unexpected, wrong USING call;
	tested := CASE (SELECT details ->> 'tests' FROM gpufim_last_run()) WHEN brute.tests(call)::text THEN 'as many' ELSE coalesce(call ->> 'adjust', 'other') END;
END
$$;
-- the empty transaction counts in the array form, so that it does here, too
CREATE TABLE shop_items AS SELECT tid, unnest(items) AS item FROM shop UNION ALL VALUES (89, 'nothing');
SELECT call, r.*
FROM unnest(ARRAY['{}', '{"minconf": 0}', '{"minconf": 0.75, "adjust": "none"}', '{"minconf": 0.5, "adjust": "bonferroni"}', '{"minconf": 0.5, "adjust": "bh"}', '{"minconf": 0.5, "adjust": "by"}',
	'{"minconf": 0, "max_p": 0.05}', '{"minconf": 0, "max_p": 0.05, "adjust": "bonferroni"}', '{"minconf": 0, "max_p": 0.05, "adjust": "bh"}', '{"minconf": 0, "max_p": 0.05, "adjust": "by"}', '{"minconf": 0, "max_p": 0.05, "adjust": "none"}', '{"minconf": 0, "max_p": 0}',
	'{"minconf": 0.1, "max_consequent": 2}', '{"minconf": 0.1, "max_consequent": null, "adjust": "bh"}', '{"minconf": 0, "max_consequent": 3, "min_length": 3, "max_length": 4, "max_p": 0.2}', '{"minconf": 0, "min_length": 3, "max_length": 3}', '{"minconf": 0, "min_length": 1, "max_length": 2}',
	'{"minconf": 0, "kind": "minimal"}', '{"minconf": 0.2, "kind": "minimal", "max_consequent": null}', '{"minconf": 0, "min_improvement": 0}', '{"minconf": 0, "min_improvement": 0.1}', '{"minconf": 0.3, "min_improvement": 0.05, "max_consequent": 2, "kind": "minimal"}',
	'{"minconf": 0, "minlift": 1}', '{"minconf": 0.4, "minlift": 1.5, "max_consequent": 2}',
	'{"minconf": 0, "antecedent_including": ["ale"]}', '{"minconf": 0, "antecedent_including": ["ale", "cream"], "max_consequent": null}', '{"minconf": 0, "antecedent_including_any": ["bread", "figs", "none"]}', '{"minconf": 0, "antecedent_excluding": ["ham", "ale"]}',
	'{"minconf": 0, "consequent_including_any": ["ale", "gin"]}', '{"minconf": 0, "consequent_including_any": ["ale", "dill"], "max_consequent": 2}', '{"minconf": 0, "consequent_excluding": ["ham"], "max_consequent": 2}',
	'{"minconf": 0, "antecedent_excluding": ["ham", "eggs"], "consequent_excluding": ["ham", "ale"]}', '{"minconf": 0.2, "antecedent_including": ["ale"], "antecedent_including_any": ["dill", "eggs"], "antecedent_excluding": ["figs"], "consequent_excluding": ["ham"], "kind": "minimal", "max_p": 0.5, "adjust": "bh"}',
	'{"minconf": 0, "consequent_including_any": ["ale"], "antecedent_excluding": ["ale"], "min_improvement": 0.01}']::jsonb[]) WITH ORDINALITY AS c(arguments, i),
	LATERAL (SELECT arguments || jsonb_build_object('minsup', (ARRAY[6, 2, 20, 6, 6])[i % 5 + 1]) AS call) AS s,
	LATERAL brute.check_rules(call, CASE WHEN i % 2 = 0 THEN $$'shop', 'items'$$ ELSE $$'shop_items', 'tid', 'item'$$ END) AS r ORDER BY i;

-- a pair of items by hand: ale and bread
SELECT antecedent, consequent, support, antecedent_support, consequent_support, transactions, round(confidence::numeric, 4) AS confidence, round(lift::numeric, 4) AS lift, round(p_value::numeric, 12) AS p_value
FROM association_rules('shop', 'items', 2, 0, max_length => 2, antecedent_including => '{ale}', consequent_including_any => '{bread}', adjust => 'none');
SELECT count(*) FILTER (WHERE 'ale' = ANY (items) AND 'bread' = ANY (items)) AS both, count(*) FILTER (WHERE 'ale' = ANY (items)) AS ale, count(*) FILTER (WHERE 'bread' = ANY (items)) AS bread FROM shop;

-- all forms give the same
CREATE FUNCTION brute.same_rules(calls text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE first bigint;
	n bigint;
	hash text;
BEGIN
	FOR i IN 1 .. cardinality(calls) LOOP
		EXECUTE format('CREATE TEMP TABLE call_%s AS SELECT antecedent::text, consequent::text, support, antecedent_support, consequent_support, transactions, confidence, lift, p_value, adjusted_p_value FROM association_rules(%s)', i, calls[i]);
		EXECUTE format('SELECT count(*) FROM ((TABLE call_%1$s EXCEPT ALL TABLE call_1) UNION ALL (TABLE call_1 EXCEPT ALL TABLE call_%1$s)) AS d', i) INTO n;
		EXECUTE format('SELECT count(*) FROM call_%s', i) INTO first;
		RETURN NEXT first || ' rules, ' || n || ' other';
	END LOOP;
	FOR i IN 1 .. cardinality(calls) LOOP
		EXECUTE format('DROP TABLE call_%s', i);
	END LOOP;
END
$$;
CREATE TABLE filled AS SELECT tid, items FROM shop WHERE items <> '{}';
CREATE TABLE filled_items AS SELECT tid, unnest(items) AS item FROM filled;
SELECT brute.same_rules(ARRAY[$$'filled', 'items', 5, 0.7$$, $$'filled_items', 'tid', 'item', 5, 0.7$$, $$'filled', 'items', 5, NULL::text[], 0.7$$, $$'filled_items', 'tid', 'item', 5, NULL::text[], 0.7$$,
	$$'filled'::text, 'items'::text, '5'::text, '0.7'::text$$, $$'filled_items'::text, 'tid'::text, 'item'::text, '5'::text, '0.7'::text$$, $$source => 'filled_items'::text, tid_column => 'tid'::text, item_column => 'item'::text, minsup => '5'::text, minconf => '0.7'::text, adjust => 'holm'::text$$]);
SELECT brute.same_rules(ARRAY[$$'filled', 'items', 2, 0.1, 2, 3, 2, '{ale}', '{ale,cream}', '{gin}', '{bread,eggs}', '{ham}', 1.0, 0.01, 'minimal', 0.9, 'bh'$$,
	$$'filled'::text, 'items'::text, '2'::text, '0.1'::text, '2'::text, '3'::text, '2'::text, '{ale}'::text, '{ale,cream}'::text, '{gin}'::text, '{bread,eggs}'::text, '{ham}'::text, '1.0'::text, '0.01'::text, 'minimal'::text, '0.9'::text, 'bh'::text$$,
	$$'filled_items'::text, 'tid'::text, 'item'::text, '2'::text, '0.1'::text, '2'::text, '3'::text, '2'::text, '{ale}'::text, '{ale,cream}'::text, '{gin}'::text, '{bread,eggs}'::text, '{ham}'::text, '1.0'::text, '0.01'::text, 'minimal'::text, '0.9'::text, 'bh'::text$$]);
-- the items' own type
SELECT pg_typeof(antecedent), pg_typeof(consequent), antecedent, consequent FROM association_rules('(VALUES (''{1,12,7}''::int[]), (''{7,12}''), (''{1,7,12}''), (''{3}''))', 'column1', 2, NULL::int[], 1, min_length => 3, adjust => 'none') ORDER BY consequent;

-- nothing to be found, and why
SELECT * FROM association_rules('shop', 'items', 1000);
SELECT * FROM association_rules('shop', 'items', 2, antecedent_including => '{ale,tea}');
SELECT count(*) FROM association_rules('shop', 'items', 20, 0, antecedent_including => '{gin}');
SELECT count(*) FROM association_rules('shop', 'items', 20, 0, antecedent_including_any => '{gin}');
SELECT count(*) FROM association_rules('shop', 'items', 20, 0, consequent_including_any => '{}');
SELECT count(*) FROM association_rules('shop', 'items', 2, 0, antecedent_including => '{ale}', antecedent_excluding => '{ale}');
SELECT * FROM association_rules('(SELECT ''{}''::text[] AS items)', 'items', 1);
SELECT * FROM association_rules('(SELECT ''{a}''::text[] AS items WHERE false)', 'items', 0.5);

-- wrong arguments
SELECT * FROM association_rules('shop', 'items', 2, 1.5);
SELECT * FROM association_rules('shop', 'items', 2, 'NaN'::float8);
SELECT * FROM association_rules('shop', 'items', 2, minlift => -1);
SELECT * FROM association_rules('shop', 'items', 2, min_improvement => 2);
SELECT * FROM association_rules('shop', 'items', 2, max_p => -0.1);
SELECT * FROM association_rules('shop', 'items', 2, kind => 'closed');
SELECT * FROM association_rules('shop', 'items', 2, adjust => 'fdr');
SELECT * FROM association_rules('shop', 'items', 2, max_consequent => 0);
SELECT * FROM association_rules('shop', 'items', 2, min_length => 1, max_length => 1);
SELECT * FROM association_rules('shop', 'items', 2, min_length => 3, max_length => 2);

-- equal transactions of so many items that their itemsets are more than a tree can have, or than memory can hold
SELECT * FROM association_rules('(SELECT ARRAY(SELECT generate_series(1, 40)) AS items FROM generate_series(1, 2))', 'items', 2);
SET gpufim.memory_limit = '64MB';
\set VERBOSITY terse
SELECT * FROM association_rules('(SELECT ARRAY(SELECT generate_series(1, 25)) AS items FROM generate_series(1, 2))', 'items', 2);
RESET gpufim.memory_limit;

-- the least memory is enough for a few transactions
SET gpufim.engine = cpu;
SET gpufim.memory_limit = '384kB';
SELECT adjust, (SELECT count(*) FROM association_rules('(SELECT items FROM shop WHERE tid < 10)', 'items', 3, 0.5, adjust => adjust)) FROM unnest('{none,bonferroni,holm}'::text[]) AS adjust;
RESET gpufim.memory_limit;

RESET gpufim.engine;
-- p-values below the least float8 are 0, and rules are selected by their logarithms
SELECT adjust, count(*), max(p_value), max(adjusted_p_value) FROM unnest('{none,bonferroni,holm,bh,by}'::text[]) AS adjust,
	LATERAL association_rules('(SELECT CASE WHEN i % 2 = 0 THEN ''{a,b}'' ELSE ''{c}'' END::text[] AS items FROM generate_series(1, 20000) AS i)', 'items', 2, max_p => 0, adjust => adjust) GROUP BY adjust ORDER BY adjust;

DROP TABLE shop, shop_items, filled, filled_items, brute.frequent;
DROP FUNCTION brute.choices(bigint, bigint), brute.p_value(bigint, bigint, bigint, bigint), brute.names(jsonb, text), brute.support(int, text[]), brute.part(text[], int),
	brute.admits(jsonb, text[], text[]), brute.tests(jsonb), brute.all_rules(jsonb), brute.rules(jsonb), brute.arguments(jsonb), brute.check_rules(jsonb, text), brute.same_rules(text[]);

-- An item of which every antecedent needs one is frequent, but not together with the item that all have.
CREATE TABLE apart (items text[]);
INSERT INTO apart SELECT '{all,other}' FROM generate_series(1, 4);
INSERT INTO apart SELECT '{any}' FROM generate_series(1, 4);
SELECT antecedent, consequent FROM association_rules('apart', 'items', 3, 0, antecedent_including => '{all}', antecedent_including_any => '{any}', adjust => 'none');
SELECT antecedent, consequent FROM association_rules('apart', 'items', 3, 0, antecedent_including => '{all}', antecedent_including_any => '{any,all}', adjust => 'none');
DROP TABLE apart;
