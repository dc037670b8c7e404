-- rule_measures(): every measure against its definition, in numbers of many digits, and against tables of rows
SET extra_float_digits = -2;	-- the last digits are the C library's
\x on
SELECT * FROM rule_measures(30, 40, 50, 100);
-- a rule that always holds, and one that never does
SELECT * FROM rule_measures(40, 40, 50, 100);
SELECT * FROM rule_measures(0, 40, 50, 100);
\x off
RESET extra_float_digits;
-- as columns, as one value, for each row of a query; there is a row for NULL, too
SELECT (rule_measures(30, 40, 50, 100)).lift, (rule_measures(30, 40, 50, 100)).phi;
SELECT rule, lift, confidence
FROM (VALUES ('a', 30, 50), ('b', 10, 20), ('c', NULL, 20)) AS r(rule, support, consequent_support),
	LATERAL rule_measures(support, 40, consequent_support, 100) ORDER BY rule;
SELECT rule_measures(30, 40, NULL, 100) IS NULL AS nothing_for_null;
SELECT provolatile, proparallel, proisstrict, proretset FROM pg_proc WHERE proname = 'rule_measures';

-- what cannot be
DO $$
DECLARE
	call text;
	message text;
	detail text;
	hint text;
BEGIN
	FOREACH call IN ARRAY ARRAY['-1, 4, 5, 10', '1, -4, 5, 10', '1, 4, -5, 10', '0, 0, 0, -1', '5, 4, 6, 10', '5, 6, 4, 10',
		'5, 11, 6, 10', '5, 6, 11, 10', '1, 6, 6, 10', '0, 9007199254740992, 1, 9007199254740992', '1, 4, 5, 9007199254740993',
		'9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807'] LOOP
		BEGIN
			EXECUTE 'SELECT rule_measures(' || call || ')';
			RAISE EXCEPTION 'rule_measures(%) is allowed', call;
		EXCEPTION WHEN invalid_parameter_value THEN
			GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			RAISE NOTICE E'% ...\n%\n%\n%', call, message, detail, hint;
		END;
	END LOOP;
END $$;

-- A quotient as the page has it: infinite, or not defined.
CREATE FUNCTION quotient(over numeric, under numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN under <> 0 THEN over / under WHEN under = 0 AND over <> 0 THEN sign(over) * 'Infinity' END $$;
-- p * log(p / q), which is 0 for p = 0
CREATE FUNCTION cross_entropy(p numeric, q numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN p = 0 THEN 0 ELSE p * ln(p / q) END $$;
-- of the shares p and q
CREATE FUNCTION entropy(p numeric, q numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
	SELECT -cross_entropy(p, 1) - cross_entropy(q, 1) $$;

-- All measures but Fisher's, by the probabilities of the sides x and y.
CREATE FUNCTION definitions(a bigint, b bigint, c bigint, d bigint) RETURNS TABLE (measure text, value numeric)
LANGUAGE sql IMMUTABLE AS $$
	SELECT m.* FROM
		(SELECT (a + b + c + d)::numeric(80, 50) AS n) AS t,
		LATERAL (SELECT a / n AS xy, b / n AS x_, c / n AS _y, d / n AS __,
				 (a + b) / n AS x, (c + d) / n AS nx, (a + c) / n AS y, (b + d) / n AS ny OFFSET 0) AS p,
		LATERAL (SELECT quotient(xy, x) AS y_if_x, quotient(x_, x) AS ny_if_x, quotient(_y, nx) AS y_if_nx,
				 quotient(__, nx) AS ny_if_nx, quotient(xy, y) AS x_if_y, xy - x * y AS leverage, xy * __ - x_ * _y AS det,
				 quotient(xy, x * y) AS lift, greatest(x + y - 1, 1 / n) AS least, quotient(xy * __, x_ * _y) AS odds,
				 greatest(y, ny) AS most, cross_entropy(xy, x * y) + cross_entropy(x_, x * ny) AS info_x,
				 cross_entropy(_y, nx * y) + cross_entropy(__, nx * ny) AS info_nx OFFSET 0) AS q,
		LATERAL (VALUES
			('frequency', xy), ('coverage', x), ('prevalence', y), ('confidence', y_if_x), ('lift', lift),
			('leverage', leverage), ('conviction', quotient(x * ny, x_)),
			('added_value', y_if_x - y),
			('certainty', CASE WHEN y_if_x > y THEN quotient(y_if_x - y, 1 - y) WHEN y_if_x < y THEN quotient(y_if_x - y, y)
			 WHEN y_if_x = y THEN 0 END),
			('zhang', quotient(leverage, greatest(xy * (1 - x), x * (y - xy)))),
			('varying_liaison', lift - 1),
			('standardized_lift', CASE WHEN x * y > 0 THEN quotient(round(lift - least / (x * y), 40),
			 round(1 / greatest(x, y) - least / (x * y), 40)) END),
			('relative_risk', quotient(y_if_x, y_if_nx)), ('difference_of_confidence', y_if_x - y_if_nx), ('odds_ratio', odds),
			('yule_q', CASE WHEN odds = 'Infinity' THEN 1 ELSE quotient(odds - 1, odds + 1) END),
			('yule_y', CASE WHEN odds = 'Infinity' THEN 1 ELSE quotient(sqrt(odds) - 1, sqrt(odds) + 1) END),
			('phi', quotient(leverage, sqrt(x * nx * y * ny))),
			('kappa', quotient(xy + __ - x * y - nx * ny, 1 - x * y - nx * ny)),
			('relative_linkage_disequilibrium', CASE WHEN det > 0 THEN quotient(det, det + least(x_, _y))
			 ELSE quotient(det, det - least(xy, __)) END),
			('collective_strength', quotient((1 - x_ - _y) * (1 - x * y - nx * ny), (x * y + nx * ny) * (x_ + _y))),
			('klosgen', sqrt(xy) * (y_if_x - y)),
			('cosine', quotient(xy, sqrt(x * y))), ('jaccard', quotient(xy, x + y - xy)), ('kulczynski', (y_if_x + x_if_y) / 2),
			('max_confidence', CASE WHEN x * y > 0 THEN greatest(y_if_x, x_if_y) END),
			('all_confidence', quotient(xy, greatest(x, y))), ('imbalance', quotient(abs(x - y), x + y - xy)),
			('chi_squared', n * (quotient((xy - x * y) ^ 2, x * y) + quotient((x_ - x * ny) ^ 2, x * ny) +
			 quotient((_y - nx * y) ^ 2, nx * y) + quotient((__ - nx * ny) ^ 2, nx * ny))),
			('log_likelihood_ratio', 2 * n * (info_x + info_nx)),
			('lerman', quotient(sqrt(n) * (xy - x * y), sqrt(x * y))), ('implication_index', quotient(sqrt(n) * (x_ - x * ny), sqrt(x * ny))),
			('mutual_information', quotient(info_x + info_nx, least(entropy(x, nx), entropy(y, ny)))),
			('j_measure', info_x),
			('gini', x * (y_if_x ^ 2 + ny_if_x ^ 2) + nx * (y_if_nx ^ 2 + ny_if_nx ^ 2) - y ^ 2 - ny ^ 2),
			('lambda', quotient(round(greatest(xy, x_) + greatest(_y, __) - most, 40), 1 - most)),
			('laplace', (a + 1) / (a + b + 2)::numeric(80, 50)), ('importance', log((a + 1)::numeric(80, 50)) - log((b + 1)::numeric(80, 50))),
			('casual_confidence', (y_if_x + ny_if_nx) / 2), ('casual_support', xy + __), ('confirmed_confidence', y_if_x - ny_if_x),
			('counterexample_rate', quotient(a - b, a)), ('least_contradiction', quotient(xy - x_, y)), ('sebag', quotient(xy, x_)),
			('ralambondrainy', x_), ('rule_power_factor', xy * y_if_x)) AS m(measure, value) $$;

-- which measures these are not
SELECT attname FROM pg_attribute AS c WHERE attrelid = 'gpufim_rule_measures'::regclass
	AND NOT EXISTS (SELECT FROM definitions(1, 2, 3, 4) WHERE measure = attname) ORDER BY attnum;

-- Measures that differ from their definitions by more than the last three digits, for a table of tables.
CREATE FUNCTION wrong(tables text) RETURNS TABLE (cells bigint[], measure text, is text, should_be numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE 'SELECT ARRAY[a, b, c, d], m.measure, found, m.value
	FROM (SELECT a, b, c, d, to_jsonb(rule_measures(a, a + b, a + c, a + b + c + d)) AS row FROM ' || tables || ' AS t OFFSET 0) AS r,
		LATERAL definitions(a, b, c, d) AS m, LATERAL (SELECT row ->> m.measure AS found) AS f
	WHERE CASE WHEN found IS NULL OR m.value IS NULL THEN found IS NOT NULL OR m.value IS NOT NULL
		WHEN m.value IN (''Infinity'', ''-Infinity'') OR found IN (''Infinity'', ''-Infinity'') THEN found <> m.value::text
		ELSE abs(found::numeric - m.value) > 2e-14 * abs(m.value) + 1e-45 END';
END $$;

-- all tables of up to eight transactions
CREATE TABLE small_tables AS SELECT a, b, c, d FROM generate_series(0::bigint, 8) AS a, generate_series(0::bigint, 8 - a) AS b,
	generate_series(0::bigint, 8 - a - b) AS c, generate_series((a + b + c = 0)::int::bigint, 8 - a - b - c) AS d;
SELECT count(*) AS tables FROM small_tables;
SELECT * FROM wrong('small_tables') LIMIT 10;
-- random ones of all sizes up to 2^34, with empty cells
CREATE FUNCTION random_cell(i int, cell text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT ('x' || substr(md5(i || cell), 1, 8))::bit(32)::bigint >> (('x' || substr(md5(cell || i), 1, 8))::bit(32)::bigint % 36)::int $$;
CREATE TABLE random_tables AS SELECT random_cell(i, 'a') AS a, random_cell(i, 'b') AS b, random_cell(i, 'c') AS c, random_cell(i, 'd') AS d
FROM generate_series(1, 1000) AS i;
DELETE FROM random_tables WHERE a + b + c + d = 0;
SELECT bool_or(a = 0) AND bool_or(b = 0) AND bool_or(c = 0) AND bool_or(d = 0) AND bool_or(a + b + c + d > 1::bigint << 32) AS of_all_sizes
FROM random_tables;
SELECT * FROM wrong('random_tables') LIMIT 10;
-- nearly independent sides, and nearly as many examples as counterexamples, where differences almost cancel
SELECT * FROM wrong('(SELECT 1000000 + i % 7 - 3 AS a, 3000000 + i % 5 - 2 AS b, 2000000 + i % 3 - 1 AS c, 6000000::bigint AS d
	FROM generate_series(1::bigint, 105) AS i
	UNION ALL SELECT 1000000 + i, 1000000, 2000000 + i % 3, 2000000 FROM generate_series(1::bigint, 50) AS i)') LIMIT 10;

-- Fisher's test, by all outcomes with the same margins: the share of those ways in which at least support come together.
CREATE FUNCTION ways(n bigint, k bigint) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN k BETWEEN 0 AND n THEN factorial(n) / factorial(k) / factorial(n - k) ELSE 0 END $$;
CREATE FUNCTION fisher(a bigint, b bigint, c bigint, d bigint) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
	SELECT sum(ways(a + c, i) * ways(b + d, a + b - i)) * 1::numeric(80, 50) / ways(a + b + c + d, a + b)
	FROM generate_series(a, a + least(b, c)) AS i $$;
CREATE TABLE fisher_tables AS SELECT * FROM small_tables
	UNION SELECT a % 50, b % 50, c % 50, d % 50 FROM random_tables WHERE a % 50 + b % 50 + c % 50 + d % 50 > 0
	UNION SELECT a % 7, b % 100, c % 90, d % 1000 FROM (SELECT * FROM random_tables WHERE a + b + c + d > 1000 LIMIT 100) AS t;
SELECT count(*) > 1000 AS many_tables, count(*) FILTER (WHERE abs(m.fisher_p_value::numeric - p) > 2e-14 * p) AS wrong,
	count(*) FILTER (WHERE abs(m.fisher_log10_p_value::numeric - log(p)) > 2e-14 * -log(p) + 1e-45) AS wrong_logarithms,
	count(*) FILTER (WHERE abs(m.hyper_confidence::numeric - (1 - p)) > 2e-14 * (1 - p) + 1e-45) AS wrong_complements
FROM fisher_tables, LATERAL rule_measures(a, a + b, a + c, a + b + c + d) AS m, LATERAL fisher(a, b, c, d) AS p;

-- a table of rows, by PostgreSQL's aggregates
CREATE TABLE observed AS SELECT x, y FROM (VALUES (true, true, 300), (true, false, 100), (false, true, 250), (false, false, 777)) AS t(x, y, n),
	LATERAL generate_series(1, n);
SELECT confidence = avg(y::int) FILTER (WHERE x) AS confidence,
	abs(phi / corr(y::int, x::int) - 1) < 1e-13 AS phi,
	abs(leverage / covar_pop(y::int, x::int) - 1) < 1e-13 AS leverage,
	abs(difference_of_confidence / regr_slope(y::int, x::int) - 1) < 1e-13 AS difference_of_confidence,
	-- how much less the variance of y is within the groups
	abs(gini / 2 / (var_pop(y::int) - avg(x::int) * var_pop(y::int) FILTER (WHERE x) - avg((NOT x)::int) * var_pop(y::int) FILTER (WHERE NOT x)) - 1)
		< 1e-13 AS gini
FROM observed, rule_measures(300, 400, 550, 1427) GROUP BY confidence, phi, leverage, difference_of_confidence, gini;

SET extra_float_digits = -2;
-- The largest numbers, against 25 digits made by test/unit/fisher_references.py, where p is far below any float8 and where it is nearly 1.
SELECT fisher_p_value, abs(fisher_log10_p_value / (-1488522224.940213384307511 / ln(10::numeric)) - 1) < 1e-11 AS logarithm, hyper_confidence, lift
FROM rule_measures(1073741824, 1073741824, 1073741824, 2147483648);
SELECT fisher_p_value, abs(fisher_log10_p_value / (-4.656612874161594750947085e-10 / ln(10::numeric)) - 1) < 1e-11 AS logarithm, hyper_confidence, lift
FROM rule_measures(1, 2147483647, 1, 2147483648);
SELECT fisher_p_value, abs(fisher_log10_p_value / (-13762704943.25237435998583 / ln(10::numeric)) - 1) < 1e-11 AS logarithm, hyper_confidence, lift
FROM rule_measures(1000000000, 10000000000, 1000000000, 9007199254740992);
SELECT odds_ratio, chi_squared, phi FROM rule_measures(9007199254740991, 9007199254740991, 9007199254740991, 9007199254740992);
RESET extra_float_digits;

-- A type of another version may have fewer columns.
CREATE TYPE short_measures AS (frequency float8, coverage float8);
CREATE FUNCTION short_measures(bigint, bigint, bigint, bigint) RETURNS short_measures
	AS '$libdir/gpufim', 'gpufim_rule_measures' LANGUAGE C STRICT;
SELECT * FROM short_measures(3, 4, 5, 10);

DROP FUNCTION short_measures(bigint, bigint, bigint, bigint), fisher(bigint, bigint, bigint, bigint), ways(bigint, bigint),
	random_cell(int, text), wrong(text), definitions(bigint, bigint, bigint, bigint), entropy(numeric, numeric),
	cross_entropy(numeric, numeric), quotient(numeric, numeric);
DROP TYPE short_measures;
DROP TABLE small_tables, random_tables, fisher_tables, observed;
