# Sources that are read by several processes give the same results as those that one process reads:
# random sources of every layout, with ids and items of many types, in any order, with any
# number of workers, and with so little memory that rows go to files.  Pairs give the same as the arrays
# that PostgreSQL makes of them, too, for which gpufim need not bring any rows together.
#
# Most sources are so small that one process would have read them before any other one has started.  So the
# processes pause now and then, where the source is a query that says so.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	how many sources, 200 if it is not set
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $sources = $ENV{GPUFIM_DATABASES} || 200;
my $batch = 200;
my $node = new_node(
	'parallel_reading',
	conf => "max_worker_processes = 12\nmax_parallel_workers = 8\nwork_mem = '64MB'\n" . engine_conf());

$node->safe_psql('postgres', $GpufimTest::comparing);
$node->safe_psql('postgres', <<'SQL');
CREATE TYPE colour AS ENUM ('red', 'green', 'blue', 'white', 'black');
CREATE DOMAIN word AS text;
CREATE TYPE two AS (a int, b text);

-- an expression of each type for a whole number
CREATE TABLE kinds (kind text PRIMARY KEY, expression text);
INSERT INTO kinds VALUES
	('int', '(%1$s)::int'), ('bigint', '(%1$s)::bigint * 100000000019'), ('smallint', '(%1$s)::smallint'),
	-- spread so far that many have the same lower bits
	('wide', '(%1$s)::int * 4096'), ('far', '(%1$s)::bigint * 68719480832'),
	('negative', '-(%1$s)::int'), ('text', '''key '' || %1$s'), ('long', 'repeat(''long '', 100) || %1$s'),
	('uuid', 'md5((%1$s)::text)::uuid'), ('numeric', '(%1$s)::numeric / 7'), ('float8', '(%1$s) / 3::float8'),
	('float4', '(%1$s) / 3::float4'), ('timestamp', 'timestamp ''2000-01-01'' + (%1$s) * interval ''1 s'''),
	('date', 'date ''2000-01-01'' + (%1$s)'), ('character', 'rpad(''k'' || %1$s, 6 + (%1$s) %% 3)::character(12)'),
	('name', '(''n'' || %1$s)::name'), ('bytea', 'decode(to_hex(4096 + %1$s), ''hex'')'),
	('interval', '(%1$s) * interval ''1 hour'''), ('range', 'int4range(%1$s, %1$s + 2)'), ('money', '(%1$s)::money'),
	('inet', '(''10.0.'' || (%1$s) / 256 || ''.'' || (%1$s) %% 256)::inet'), ('bit', '(%1$s)::bit(16)'),
	('jsonb', 'to_jsonb(''v'' || %1$s)'), ('boolean', '(%1$s) %% 2 = 0'), ('colour', '(enum_range(NULL::colour))[(%1$s) %% 5 + 1]'),
	('word', '(''w'' || %1$s)::word'), ('two', 'ROW(%1$s, ''b'')::two'), ('oid', '(3000000000 + %1$s)::oid');

CREATE TABLE outcomes (seed float8, layout text, id text, item text, settings text, call text, problem text);
CREATE TABLE tallies (calls bigint, shared bigint, read_workers bigint, spilled bigint);
CREATE TABLE errors (state text, message text);

-- in the first row of a page, where several processes read; true
CREATE FUNCTION pause(place tid) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
	IF place::text LIKE '%,1)' AND current_setting('max_parallel_workers_per_gather') <> '0' THEN
		PERFORM pg_sleep(0.001);
	END IF;
	RETURN true;
END
$$;

-- the details of a run without what was expected of it, and by which strategy it has found pairs: forecasts look at a sample,
-- in which rows come in another order
CREATE FUNCTION found(details jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(key || ' ' || value, ', ' ORDER BY key)
	FROM (SELECT key, value FROM jsonb_each_text(details) WHERE key !~ '^(expected|found_by)_'
		  UNION ALL SELECT 'found', sum(value::bigint)::text FROM jsonb_each_text(details) WHERE key ~ '^found_by_' HAVING count(*) > 0) AS d
$$;

CREATE PROCEDURE try(n int, first float8) LANGUAGE plpgsql AS $$
DECLARE
	layout text; id text; item text; ids int; items int; rows int; sorted text; call text; memory text; workers int;
	serial record; parallel record; arrays record; helped bigint := 0; together bigint := 0; spilled bigint := 0; nulls float8; run record;
	-- whatever plan the source has, it is the same item
	including CONSTANT text := ', including => (SELECT array_agg(i::text) FROM (SELECT i FROM source WHERE i IS DISTINCT FROM NULL ORDER BY i::text COLLATE "C" LIMIT 1) AS s)';
	figures record; source text; id_of text; item_of text; columns text; special text; leader text; planned int; of_pairs text; of_arrays text;
BEGIN
	SET client_min_messages = error;
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	FOR i IN 1 .. n LOOP
		PERFORM setseed(((first + i * 0.00037)::numeric % 1)::float8);
		layout := pick('pairs', 'pairs', 'arrays', 'uncertain pairs', 'uncertain arrays', 'arrays of uncertain', 'events', 'events', 'partitioned events',
					   'relation', 'two relations', 'one source', 'sets of arrays');
		id := (SELECT kind FROM kinds ORDER BY random() LIMIT 1);
		item := (SELECT kind FROM kinds ORDER BY random() LIMIT 1);
		-- its columns are joined with each other
		IF layout = 'one source' THEN item := id; END IF;
		-- pairs so many that they are divided into partitions, or whose ids are integers and ascend
		special := CASE WHEN layout ~ 'pairs|relation$' THEN pick('many', 'ascending', '', '', '') WHEN layout = 'events' THEN pick('many', '') ELSE '' END;
		IF special = 'many' THEN id := pick('long', 'wide', 'far', id); END IF;
		IF special = 'ascending' THEN id := pick('int', 'smallint', 'wide', 'far'); END IF;
		id_of := (SELECT format(expression, 't') FROM kinds WHERE kind = id);
		item_of := (SELECT format(expression, 'i') FROM kinds WHERE kind = item);
		ids := pick(1, 5, 30, 100, 400);
		rows := pick(0, 1, 50, 300, 300, 1000, 3000);
		IF special = 'ascending' THEN rows := pick(300, 1000, 3000); END IF;
		IF special = 'many' THEN
			rows := CASE WHEN layout = 'events' THEN 20000 WHEN id = 'long' THEN 8000 ELSE 150000 END;
			ids := pick(100, 20000, 20000);
		END IF;
		-- a transaction that has all of 20 items would have a million itemsets
		items := CASE WHEN rows > 3 * ids THEN pick(1, 3, 8) ELSE pick(1, 3, 8, 20) END;
		nulls := pick(0, 0, 0.02);
		sorted := pick('t', 't', 't DESC', 'random()', 't % 7, t', 'random()');
		IF special = 'ascending' THEN sorted := 't'; END IF;
		IF special = 'many' AND (layout <> 'events' AND sorted = 't') THEN sorted := 'random()'; END IF;
		-- PostgreSQL plans no single worker that does everything
		leader := CASE WHEN special = 'many' AND id = 'long' THEN 'off' ELSE pick('on', 'off') END;
		workers := 1 + (leader = 'off')::int + floor(random() * 7)::int;
		planned := 1 + (leader = 'off')::int + CASE WHEN special = 'many' THEN pick(0, 0, 1) ELSE pick(0, 1, 2, 6) END;
		DROP TABLE IF EXISTS numbers, source, other;
		CREATE TEMP TABLE numbers AS
			SELECT CASE WHEN random() >= nulls THEN floor(random() * ids)::int END AS t,
				CASE WHEN random() >= nulls THEN floor(random() * random() * items)::int END AS i, round(random()::numeric, 2) AS p, k
			FROM generate_series(1, rows) AS k;
		columns := CASE
			WHEN layout IN ('pairs', 'relation', 'one source', 'two relations') THEN format('%s AS t, %s AS i', id_of, item_of)
			WHEN layout = 'uncertain pairs' THEN format('%s AS t, %s AS i, ((t + 1) * (i + 3) %% 101) / 100.0 AS p', id_of, item_of)
			WHEN layout = 'events' THEN format('%s AS i, (%s)::%s AS at', item_of,
				-- one after the other, many at the same time, before and after 0, far apart, and one long before all others
				pick('n', 'n / 60', 'n / 60 - 20', 'n * 40000', 'CASE n WHEN 7 THEN -2000000000 ELSE n END'), pick('int', 'bigint', 'float8', 'numeric'))
			WHEN layout = 'partitioned events' THEN format('%s AS t, %s AS i, n AS at', id_of, item_of)
			WHEN layout = 'uncertain arrays' THEN format('array_agg(%s) AS i, max(p) AS p', item_of)
			WHEN layout = 'arrays of uncertain' THEN format('array_agg(%s) AS i, array_agg(((t + 1) * (i + 3) %% 101) / 100.0%s) AS p', item_of, pick('', '::float8'))
			ELSE format('array_agg(%s) AS i', item_of) END;
		EXECUTE format('CREATE UNLOGGED TABLE source WITH (fillfactor = %s, autovacuum_enabled = false, parallel_workers = %s) AS SELECT %s FROM '
					   '(SELECT *, (row_number() OVER (ORDER BY %s)) / 2 AS n FROM numbers ORDER BY %s) AS s %s %s',
					   CASE WHEN special = 'many' THEN 100 ELSE 10 END, planned, columns, pick('random()', 'k'), sorted,
					   CASE WHEN layout ~ 'arrays' THEN 'GROUP BY t' ELSE '' END, CASE WHEN layout = 'events' THEN pick('ORDER BY n', '') ELSE '' END);
		source := pick('source', '(SELECT * FROM source)', '(SELECT * FROM source UNION ALL SELECT * FROM source)',
					   '(SELECT * FROM source WHERE pause(ctid))', '(SELECT * FROM source WHERE pause(ctid))', '(SELECT * FROM source WHERE pause(ctid))');
		IF special = 'ascending' THEN source := '(SELECT * FROM source WHERE pause(ctid))'; END IF;
		IF special = 'many' AND layout <> 'events' AND source ~ 'pause' THEN source := 'source'; END IF;
		IF layout ~ 'uncertain' AND source ~ 'UNION' THEN source := 'source'; END IF;
		-- a row of which a field is NULL is neither NULL nor not
		of_arrays := NULL;
		IF layout = 'pairs' THEN
			of_pairs := format('%s, kind => %L%s)', pick('0.05', '2', '0.3'), pick('all', 'closed', 'maximal'), pick('', including));
			of_arrays := format('SELECT f::text FROM frequent_itemsets(%L, ''i'', %s AS f',
				format('(SELECT array_agg(i) AS i FROM %s AS s WHERE t IS DISTINCT FROM NULL GROUP BY t)', source), of_pairs);
		ELSIF layout = 'uncertain pairs' THEN
			of_pairs := format('%s, %s%s)', pick('0.05', '0.3'), pick('0.5', '0.9'), pick('', including));
			of_arrays := format('SELECT (items, round(expected_support::numeric, 6), round(probability::numeric, 6), occurrences)::text FROM probable_itemsets(%L, ''i'', ''p'', %s',
				format('(SELECT array_agg(i) AS i, array_agg(p) AS p FROM %s AS s WHERE t IS DISTINCT FROM NULL AND p IS NOT NULL GROUP BY t)', source), of_pairs);
		END IF;
		call := CASE layout
			WHEN 'pairs' THEN format('SELECT f::text FROM frequent_itemsets(%L, ''t'', ''i'', %s AS f', source, of_pairs)
			WHEN 'arrays' THEN format('SELECT f::text FROM frequent_itemsets(%L, ''i'', %s, min_length => %s) AS f', source, pick('0.05', '2', '0.3'), pick(1, 1, 3))
			WHEN 'uncertain pairs' THEN format('SELECT (items, round(expected_support::numeric, 6), round(probability::numeric, 6), occurrences)::text FROM probable_itemsets(%L, ''t'', ''i'', ''p'', %s', source, of_pairs)
			WHEN 'uncertain arrays' THEN format('SELECT (items, round(expected_support::numeric, 6), round(probability::numeric, 6), occurrences)::text FROM probable_itemsets(%L, ''i'', ''p'', %s, 0.5)', source, pick('0.05', '0.3'))
			WHEN 'arrays of uncertain' THEN format('SELECT (items, round(expected_support::numeric, 6), round(probability::numeric, 6), occurrences)::text FROM probable_itemsets(%L, ''i'', ''p'', %s, 0.5)', source, pick('0.05', '0.3'))
			WHEN 'events' THEN format('SELECT f::text FROM frequent_episodes(%L, ''i'', ''at'', %s, ''{"[1,3]"}'', max_length => 3) AS f', source, pick('2', '0.1'))
			WHEN 'partitioned events' THEN format('SELECT f::text FROM frequent_episodes(%L, ''i'', ''at'', %s, ''{"[1,20]"}'', max_length => 3, partition_column => ''t'') AS f', source, pick('2', '0.1'))
			-- thousands of sets would have millions of similar pairs
			WHEN 'relation' THEN format('SELECT f::text FROM %s AS f', pick(format('frequent_pairs(%L, ''t'', ''i'', %s)', source, pick('2', '0.1')),
				format('similar_items(%L, ''t'', ''i'', 3)', source),
				CASE special WHEN '' THEN format('similar_sets(%L, ''t'', ''i'', 0.3)', source) ELSE format('frequent_pairs(%L, ''t'', ''i'', 3)', source) END))
			WHEN 'two relations' THEN format('SELECT f::text FROM join_project(%L, ''t'', ''i'', ''(SELECT * FROM source)'', ''t'', ''i'', %s) AS f', source, pick(1, 2, 5))
			WHEN 'one source' THEN format('SELECT f::text FROM join_project(%L, ''t'', ''i'', %L, ''i'', ''i'', %s) AS f', source, source, pick(1, 2))
			ELSE format('SELECT f::text FROM %s AS f', pick(format('frequent_pairs(%L, ''i'', %s)', source, pick('2', '0.1')), format('similar_items(%L, ''i'', 3)', source),
				format('similar_sets(%L, ''i'', 0.3)', source))) END;
		-- a megabyte for each process is what they need
		memory := CASE WHEN special = '' THEN pick('1GB', '1GB', '16MB', workers + pick(1, 2, 3) || 'MB', workers || 'MB')
			ELSE pick('1GB', '1GB', '1GB', workers + 1 || 'MB') END;
		PERFORM set_config('gpufim.memory_limit', memory, false), set_config('max_parallel_workers_per_gather', '0', false);
		serial := result(call);
		SELECT transactions, distinct_items, frequent_items, minsup, found(details) AS details FROM gpufim_last_run() INTO figures;
		arrays := CASE WHEN of_arrays IS NULL THEN serial ELSE result(of_arrays) END;
		PERFORM set_config('max_parallel_workers_per_gather', workers::text, false),
			set_config('parallel_leader_participation', leader, false);
		parallel := result(call);
		SELECT * FROM gpufim_last_run() INTO run;
		IF serial.state = '00000' AND parallel.state = '00000' AND layout !~ 'uncertain' AND
			figures IS DISTINCT FROM (run.transactions, run.distinct_items, run.frequent_items, run.minsup, found(run.details)) THEN
			parallel.result := parallel.result || format(', %s, not %s', (run.transactions, run.distinct_items, run.frequent_items, run.minsup, found(run.details)), figures);
		END IF;
		helped := helped + coalesce(run.read_workers, 0);
		together := together + (coalesce(run.read_workers, 0) > 1)::int;
		spilled := spilled + (coalesce(run.spilled_bytes, 0) > 0)::int;
		IF serial.state <> '00000' THEN INSERT INTO errors VALUES (serial.state, serial.result); END IF;
		IF serial.state <> parallel.state OR
			(serial.state <> arrays.state AND '53200' NOT IN (serial.state, arrays.state)) OR
			(serial.state = '00000' AND (serial.result <> parallel.result OR (arrays.state = '00000' AND serial.result <> arrays.result))) THEN
			INSERT INTO outcomes VALUES (((first + i * 0.00037)::numeric % 1)::float8, layout, id, item,
				format('%s ids, %s items, %s rows by %s, %s, %s workers, %s planned, leader %s', ids, items, rows, sorted, memory, workers, planned, leader), call,
				format('%s %s, in parallel %s %s, from arrays %s %s', serial.state, serial.result, parallel.state, parallel.result, arrays.state, arrays.result));
		END IF;
		COMMIT;
	END LOOP;
	INSERT INTO tallies VALUES (n, together, helped, spilled);
END
$$;
SQL

my $before = leftovers($node);

# rows of which nothing is kept, read by several processes
my %nothing = (
	pairs => q{frequent_itemsets('(SELECT * FROM nothing WHERE pause(ctid))', 't', 'i', 2)},
	arrays => q{frequent_itemsets('(SELECT a FROM nothing WHERE pause(ctid))', 'a', 2)},
	uncertain => q{probable_itemsets('(SELECT * FROM nothing WHERE pause(ctid))', 't', 'i', 'p', 2, 0.5)},
	events => q{frequent_episodes('(SELECT * FROM nothing WHERE pause(ctid))', 'i', 'at', 2, '{"[1,3]"}')},
	partitions => q{frequent_episodes('(SELECT * FROM nothing WHERE pause(ctid))', 'i', 'at', 2, '{"[1,3]"}', partition_column => 't')},
	relation => q{frequent_pairs('(SELECT * FROM nothing WHERE pause(ctid))', 't', 'i', 2)},
	rules => q{association_rules('(SELECT * FROM nothing WHERE pause(ctid))', 't', 'i', 2)});
$node->safe_psql('postgres', q{
	CREATE UNLOGGED TABLE nothing (t int, i text, a text[], p float8, at int) WITH (parallel_workers = 4, fillfactor = 10);
	INSERT INTO nothing (t, at) SELECT n, n FROM generate_series(1, 6000) AS n});
foreach my $layout (sort keys %nothing)
{
	is($node->safe_psql('postgres', qq{
		SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
		SET max_parallel_workers_per_gather = 4; SET client_min_messages = error;
		SELECT count(*) FROM $nothing{$layout};
		SELECT read_workers > 1 FROM gpufim_last_run();}), "0\nt", "$layout: rows of which nothing is kept");
}

# so many rows that each process takes several segments, whose memory is given back while several processes read what others have left
my $four = 'i + 1000 * copy AS i FROM much, generate_series(0, 3) AS copy';
# a GPU adds in the order of the transactions, on which the last digits depend
my $numbers = ($ENV{GPUFIM_ENGINE} || 'cpu') eq 'gpu' ? 'round(expected_support::numeric, 6), round(probability::numeric, 6)' : 'expected_support, probability';
my %much = (
	pairs => qq{frequent_itemsets('(SELECT t, $four)', 't', 'i', 60)},
	arrays => q{frequent_itemsets('(SELECT a || ARRAY[1000 + t, 100000 + at, 500000 + at / 3, 700000 + at / 5] AS a FROM much)', 'a', 60)},
	uncertain => qq{(SELECT items, $numbers, occurrences FROM probable_itemsets('(SELECT t, p, $four)', 't', 'i', 'p', 60, 0.5))},
	events => qq{frequent_episodes('(SELECT at, $four)', 'i', 'at', 60, '{"[1,3]"}')},
	ordered => q{frequent_episodes('(SELECT at, i + 1000 * copy AS i FROM ordered, generate_series(0, 3) AS copy)', 'i', 'at', 60, '{"[1,3]"}')},
	relation => qq{frequent_pairs('(SELECT t, $four)', 't', 'i', 8)},
	similar => qq{similar_sets('(SELECT t, $four)', 'i', 't', 0.9)});
$node->safe_psql('postgres', q{
	CREATE UNLOGGED TABLE much WITH (parallel_workers = 2) AS
		SELECT h % 60013 AS t, h / 65536 % 1000 AS i, 1 - h % 4 / 4.0::float8 AS p, h % 300000 AS at,
			ARRAY[h % 97, 100 + h / 97 % 89, 200 + h / 8633 % 83, 300 + h / 716539 % 79] AS a
		FROM (SELECT hashint4(n)::bigint + 2147483648 AS h FROM generate_series(1, 400000) AS n) AS rows;
	DELETE FROM much AS m USING (SELECT t, i, min(ctid) AS first FROM much GROUP BY t, i HAVING count(*) > 1) AS twice
		WHERE m.t = twice.t AND m.i = twice.i AND m.ctid <> twice.first;
	CREATE UNLOGGED TABLE ordered WITH (parallel_workers = 2) AS SELECT * FROM much ORDER BY at});
my $in_parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;';
foreach my $layout (sort keys %much)
{
	my $call = qq{SELECT count(*), md5(string_agg(r::text, '' ORDER BY r::text)) FROM $much{$layout} AS r};
	my @results = split /\n/, $node->safe_psql('postgres', qq{
		SET max_parallel_workers_per_gather = 0; $call;
		$in_parallel $call;
		SELECT read_workers > 1 FROM gpufim_last_run();});
	is($results[1], $results[0], "$layout: what many rows have");
	unlike($results[0], qr/^[0-9]\|/, "$layout: that is something");
	is($results[2], 't', "$layout: they are read by several processes");
}

# where results have the numbers of rows, one process reads these, in their order, which begins where another scan is unless told not to
my $matches = q{SELECT count(*), md5(string_agg(m::text, '' ORDER BY m::text)) FROM
	rule_matches('(SELECT ARRAY[5] AS antecedent, ARRAY[105] AS consequent, 0.5::float8 AS confidence, 2::float8 AS lift)', 'much', 'a') AS m};
my @matches = split /\n/, $node->safe_psql('postgres', qq{
	SET synchronize_seqscans = off;
	SET max_parallel_workers_per_gather = 0; $matches;
	$in_parallel $matches;
	SELECT read_workers FROM gpufim_last_run();});
is($matches[1], $matches[0], 'numbers of rows');
unlike($matches[0], qr/^[0-9]\|/, 'which many rows have');
is($matches[2], '0', 'and which one process has read');

# with less memory some of these rows move to files, or one process reads again; and what nobody reads is let go
my $found = q{SELECT count(*), sum(support) FROM};
my $few = qq{$found $much{pairs}; $found $much{arrays}};
my (undef, $results, $messages) = $node->psql('postgres', qq{
	$in_parallel SET client_min_messages = warning;
	SET gpufim.memory_limit = '24MB'; $found $much{pairs};
	SELECT read_workers > 1, spilled_bytes > 0 FROM gpufim_last_run();
	SET gpufim.memory_limit = '40MB'; $found $much{arrays};
	RESET gpufim.memory_limit; } . $few =~ s/60\)/1000000)/gr);
my $expected = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $few") =~ s/\n/\nt|t\n/r;
is($messages . $results, "$expected\n0|\n0|", 'little memory, and nothing that is frequent');

# the leader reads rows that have no set, for which it has reserved room
is($node->safe_psql('postgres', q{
	CREATE FUNCTION is_process(pid int) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS $$
	BEGIN
		IF pg_backend_pid() = pid THEN
			PERFORM pg_sleep(0.002);
		END IF;
		RETURN pg_backend_pid() = pid;
	END $$;
	CREATE UNLOGGED TABLE many WITH (parallel_workers = 3, fillfactor = 10) AS SELECT n / 5 AS t, n % 7 AS i FROM generate_series(1, 20000) AS n;
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 3;
	SELECT format('(SELECT CASE WHEN NOT is_process(%s) THEN t END AS t, i FROM many)', pg_backend_pid()) AS source \gset
	SELECT count(*) > 0 FROM similar_sets(:'source', 't', 'i', 0.9);}), 't', 'the leader reads nothing but rows without values');

note "seed $seed";
srand $seed;
for (my $done = 0; $done < $sources; $done += $batch)
{
	$node->safe_psql('postgres', sprintf 'CALL try(%d, %.9f)', $batch, rand);
}
is($node->safe_psql('postgres', 'SELECT * FROM outcomes LIMIT 10'),
	'', 'several processes read what one reads');
my ($calls, $shared, $workers, $spilled) =
  split /\|/, $node->safe_psql('postgres', 'SELECT sum(calls), sum(shared), sum(read_workers), sum(spilled) FROM tallies');
my $failed = $node->safe_psql('postgres', 'SELECT count(*) FROM errors');
note "$calls sources, $shared read by several workers, $workers workers that read, $spilled with files, $failed errors";
note $node->safe_psql('postgres', 'SELECT count(*), state, left(min(message), 100) FROM errors GROUP BY state, left(message, 20) ORDER BY 1 DESC LIMIT 8');
cmp_ok($workers, '>', $calls / 4, 'workers have read');
cmp_ok($shared, '>', $calls / 10, 'several of them the same source');
# mining on a GPU takes some 18 MB of memory however little is mined
cmp_ok($failed, '<', $calls / (($ENV{GPUFIM_ENGINE} || 'cpu') eq 'gpu' ? 3 : 10), 'nearly all calls have results');
no_leftovers($node, $before, 'reading');
done_testing();
