-- Times of all types: the gaps' units, bounds as they are written, exactness, and what is not a time
CREATE FUNCTION supports(query text, gaps text[]) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(count_episode(query, 'column1', 'column2', '{a,b}', ARRAY[gap]::numrange[])::text, ' ' ORDER BY n) FROM unnest(gaps) WITH ORDINALITY AS g(gap, n)
$$;
-- two events, one tick apart, in all types; the gaps are a little shorter, just so, and a little longer
SELECT type, unit, supports(format('(VALUES (''a'', %1$s::%2$s), (''b'', %3$s::%2$s))', quote_literal(a), type, quote_literal(b)),
	ARRAY['(0,' || less || ']', '(0,' || length || ')', '(0,' || length || ']', '[' || length || ',' || length || ']', '(' || length || ',)', '[' || length || ',)', '(' || less || ',' || more || ')']) AS "< <) <] = ( [ <>"
FROM (VALUES
	('int2', 'one', '-32768', '32767', '65534.5', '65535', '65535.5'),
	('int4', 'one', '-2147483648', '2147483647', '4294967294', '4294967295', '4294967296'),
	('int8', 'one', '9223372036854775806', '9223372036854775807', '0.999999999999999999999', '1', '1.000000000000000000001'),
	('numeric', 'one', '0.000000000000000001', '0.000000000000000002', '0.0000000000000000009', '0.000000000000000001', '0.0000000000000000011'),
	('numeric', 'one', '-99999999999999999.5', '39999999999999999.5', '139999999999999998.99', '139999999999999999', '139999999999999999.01'),
	('numeric(6,2)', 'one', '1.005', '1.015', '0.0099', '0.01', '0.011'),
	('float4', 'one', '0.1', '0.35', '0.24999999', '0.25', '0.25000001'),
	('float8', 'one', '0.5', '0.75', '0.24999999999999998', '0.25', '0.25000000000000006'),
	('date', 'day', '1999-12-31', '2000-03-01', '60.5', '61', '61.5'),
	('time', 'second', '00:00', '23:59:59.999999', '86399.9999985', '86399.999999', '86400'),
	('timestamp', 'second', '1999-12-31 23:59:59.999999', '2000-01-01', '0.0000009', '0.000001', '0.0000011'),
	('timestamptz', 'second', '2026-03-29 01:59:59+01', '2026-03-29 03:00:00+02', '0.9999994', '1', '1.0000006'),
	('interval', 'second', '1 month', '30 days 00:00:01', '0.9999999', '1', '1.1'),
	('interval', 'second', '-1 day', '1 year', '31190399.999999', '31190400', '31190400.000001')
) AS v(type, unit, a, b, less, length, more);
-- the longest distances of int8, where signed arithmetic ends
SELECT gap, count_episode('(VALUES (''a'', int8 ''-9223372036854775808''), (''b'', int8 ''9223372036854775807''))', 'column1', 'column2', '{a,b}', ARRAY[gap]::numrange[])
FROM unnest('{"(0,)","(0,9223372036854775806]","[9223372036854775806,)","(0,18446744073709551616]","(0,1e100]"}'::text[]) AS gap;
SELECT count_episode('(VALUES (''a'', 1), (''b'', 2))', 'column1', 'column2', '{a,b}', '{"(0,9223372036854775807]"}');
SELECT count_episode('(VALUES (''a'', 1), (''b'', 2))', 'column1', 'column2', '{a,b}', '{"[1e30,)"}');
SELECT count_episode('(VALUES (''a'', 1), (''b'', 2))', 'column1', 'column2', '{a,b}', '{"(0,infinity]"}') AS infinite;
SELECT count_episode('(VALUES (''a'', date ''2000-01-01''), (''b'', ''2000-01-02''))', 'column1', 'column2', '{a,b}', '{"(0,86400]"}') AS days_not_seconds;
-- float8 as float8 has it: 0.3 - 0.2 is below 0.1, 0.4 - 0.3 above it
SELECT t, t + 0.1::float8 AS next, supports(format('(VALUES (''a'', %s::float8), (''b'', %s::float8))', t, t + 0.1::float8), '{"(0,0.1)","(0,0.1]","[0.1,0.1]","[0.1,1)","(0.1,1)"}') AS ") ] = [ ("
FROM unnest('{0.1,0.2,0.3,0.7}'::float8[]) AS t;
SELECT supports('(VALUES (''a'', -1.7e308::float8), (''b'', 1.7e308))', '{"(0,)","(0,1e308]","(1e308,)"}') AS beyond_float8,
	   supports('(VALUES (''a'', 0::float8), (''b'', 5e-324))', '{"(0,1]","(0,1e-400]","[1e-400,1]","(1e-323,1]"}') AS least_of_float8,
	   supports('(VALUES (''a'', 0::float8), (''b'', -0.0::float8))', '{"(0,1]"}') AS zeros;
-- domains
CREATE DOMAIN moment AS numeric(8, 2) CHECK (VALUE >= 0);
SELECT supports('(VALUES (''a'', 1.25::moment), (''b'', 2::moment))', '{"(0,0.75]","(0,0.75)"}');
DROP DOMAIN moment;

-- digits that come later are finer: what was read before is fitted to them, in order or not
SELECT * FROM episode_occurrences('(VALUES (''a'', 1), (''b'', 2.5), (''a'', 3.25), (''b'', 3.250000000000001))', 'column1', 'column2', '{a,b}', '{"(0,1.5]"}');
SELECT * FROM episode_occurrences('(VALUES (''b'', 2.5), (''a'', 1), (''b'', 3.250000000000001), (''a'', 3.25))', 'column1', 'column2', '{a,b}', '{"(0,1.5]"}');
SELECT * FROM episode_occurrences('(VALUES (''b'', 3), (''a'', 2.5), (''b'', 4), (''a'', 3.75))', 'column1', 'column2', '{a,b}', '{"(0,1.5]"}');

-- what is not a time
CREATE FUNCTION fails(query text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	PERFORM count_episode(query, 'column1', 'column2', '{a}', '{}');
	RAISE WARNING 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RAISE NOTICE '% %: % %', SQLSTATE, SQLERRM, detail, hint;
END
$$;
SELECT fails('(VALUES (''a'', ''NaN''::float8))');
SELECT fails('(VALUES (''a'', 1), (''b'', ''-infinity''::float4))');
SELECT fails('(VALUES (''a'', ''NaN''::numeric))');
SELECT fails('(VALUES (''a'', ''infinity''::numeric))');
SELECT fails('(VALUES (''a'', ''infinity''::date))');
SELECT fails('(VALUES (''a'', ''-infinity''::timestamp))');
SELECT fails('(VALUES (''a'', ''infinity''::timestamptz))');
SELECT fails('(VALUES (''a'', 1000000000000000000))') AS int8_is_fine;
SELECT fails('(VALUES (''a'', 1000000000000000000::numeric))');
SELECT fails('(VALUES (''a'', 0.0000000000000000001))');
SELECT fails('(VALUES (''a'', 99999999999999999.5), (''b'', 0.01))');
SELECT fails('(VALUES (''b'', 0.01), (''a'', 99999999999999999.5))');
SELECT fails('(VALUES (''a'', interval ''178000000 years''))');
SELECT fails('(VALUES (''a'', ''1''::text))');
SELECT fails('(VALUES (''a'', true))');
SELECT fails('(VALUES (''a'', ''12:00+01''::timetz))');
SELECT fails('(VALUES (''a'', ''1''::json))');
SELECT fails('(VALUES (''a'', ''1''::money))');
SELECT fails('(VALUES (''a'', ARRAY[1]))');

-- occurrences give the times as text, as the type has it, or in the type
SELECT type, o.times, e.times AS exact, pg_typeof(e.times)
FROM (VALUES ('numeric', '1.50', '2'), ('float4', '0.1', '0.3'), ('date', '2000-02-29', '2000-03-01'), ('time', '12:00', '12:00:00.5'),
			 ('timestamp', '2000-01-01', '2000-01-01 00:00:01'), ('interval', '1 month', '30 days 00:00:01'), ('int2', '-5', '-4')) AS v(type, a, b),
	 LATERAL episode_occurrences(format('(VALUES (''a'', %L::%s), (''b'', %L))', a, type, b), 'column1', 'column2', '{a,b}', '{"(0,2]"}') AS o,
	 LATERAL (SELECT o.times) AS e;
SELECT partition, times, pg_typeof(times) FROM episode_occurrences('(VALUES (''a'', 1.5::numeric(6,2)), (''b'', 2))', 'column1', 'column2', '{a,b}', '{"(0,2]"}', NULL::numeric[]);
SELECT partition, times, pg_typeof(times) FROM episode_occurrences('(VALUES (''a'', timestamp ''2000-01-01'', 7), (''b'', ''2000-01-01 00:00:01'', 7))', 'column1', 'column2', '{a,b}', '{"(0,2]"}', NULL::timestamp[], 'column3');
SELECT * FROM episode_occurrences('(VALUES (''a'', 1::int8), (''b'', 2))', 'column1', 'column2', '{a,b}', '{"(0,2]"}', NULL::int[]);
SELECT * FROM episode_occurrences('(VALUES (''a'', 1::float4), (''b'', 2))', 'column1', 'column2', '{a,b}', '{"(0,2]"}', time_type => NULL::float4[]);
CREATE TABLE rounded (k text, t numeric(6,2));
INSERT INTO rounded VALUES ('a', 1.5), ('b', 2);
SELECT * FROM episode_occurrences('rounded', 'k', 't', '{a,b}', '{"(0,2]"}');
DROP TABLE rounded;
DROP FUNCTION supports;
DROP FUNCTION fails;
