# Rows are handed out while they are found: the same ones as from a call that has ended before, for
# scans that go back or begin anew, too; a query that stops stops mining; and whatever ends it, nothing
# is left behind.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	how many random tables, 12 if it is not set
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $tables = $ENV{GPUFIM_DATABASES} || 12;
my $node = new_node(
	'rows_while_mining',
	conf => "max_worker_processes = 16\nwork_mem = '64kB'\nlog_temp_files = -1\n" . engine_conf());

note "seed $seed";
srand $seed;

# What is left when the query has not ended: a job on the GPU does not pause.
my $pauses = ($ENV{GPUFIM_ENGINE} || 'cpu') ne 'gpu';

$node->safe_psql('postgres', <<'SQL');
-- many more itemsets, episodes and pairs than anybody wants to wait for
CREATE TABLE dense AS SELECT array_agg(i) AS items FROM generate_series(1, 2000) AS n, generate_series(1, 60) AS i
	WHERE (n * 7919 + i * i * 31 + n * i) % 101 > 8 GROUP BY n;
CREATE TABLE stream AS SELECT n AS at, (n::bigint * n * 31 + n) % 97 % 23 AS kind FROM generate_series(1, 20000) AS n;
-- the rows of a call in full: PostgreSQL's own function scan keeps all of them first
CREATE FUNCTION sum_of(query text, OUT n bigint, OUT hash numeric) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT count(*), sum(hashtextextended(j::text, 0)) FROM (%s) AS j', query) INTO n, hash;
END
$$;
CREATE FUNCTION figures() RETURNS text LANGUAGE sql AS $$
	SELECT format('%s %s %s %s', itemsets, itemsets_by_length, completed, details) FROM gpufim_last_run() $$;
SQL

my $before = leftovers($node);

# Random tables
my ($calls, $wrong, $paused) = (0, 0, 0);
for my $table (1 .. $tables)
{
	my $s = rand;
	$node->safe_psql('postgres', qq{
		DROP TABLE IF EXISTS baskets, sure, pairs, events;
		SELECT setseed($s);} . random_table('baskets', 14 + int rand 8, 0.35 + rand 0.2, 300) . qq{
		CREATE TABLE sure AS SELECT items[1:12] AS items, 0.5 + random() / 2 AS p FROM baskets;
		CREATE TABLE pairs AS SELECT (random() * 2000)::int AS k, floor(random() * 900)::int AS v FROM generate_series(1, 30000);
		CREATE TABLE events AS SELECT n AS at, floor(random() * random() * 12)::int AS kind FROM generate_series(1, 3000) AS n;});
	for my $call (
		q{frequent_itemsets('baskets', 'items', 3, NULL::int[])}, q{frequent_itemsets('baskets', 'items', 2, 'closed')},
		q{frequent_itemsets('baskets', 'items', 4, 'maximal')}, q{association_rules('baskets', 'items', 12, 0.2, max_consequent => 2, adjust => 'none')},
		q{association_rules('baskets', 'items', 8, NULL::int[], 0.1, adjust => 'bh')}, q{probable_itemsets('sure', 'items', 'p', 1, 0.3)},
		q{frequent_episodes('events', 'kind', 'at', 20, '{"(0,4]"}', max_length => 4)},
		q{join_project('pairs', 'k', 'v', 'pairs', 'k', 'v', 1)}, q{frequent_pairs('pairs', 'k', 'v', 2)})
	{
		my $workers = int rand 4;
		my $memory = rand() < 0.5 ? '64kB' : '16MB';
		my $condition = $call =~ /join_project/ ? 'witnesses > 0' : $call =~ /probable/ ? 'probability > 0' : 'support > 0';
		my $query = "SELECT * FROM $call WHERE $condition";
		my $result = $node->safe_psql('postgres', qq{
			SET client_min_messages = error; SET gpufim.workers = $workers; SET work_mem = '$memory';
			SELECT * FROM sum_of('SELECT (j).* FROM (SELECT j FROM ' || \$\$$call\$\$ || ' AS j) AS s'); SELECT figures();
			SELECT * FROM sum_of(\$\$$query\$\$); SELECT figures();
			BEGIN; DECLARE c SCROLL CURSOR FOR $query; MOVE 700 FROM c; MOVE BACKWARD 300 FROM c; CREATE TEMP TABLE a (LIKE pg_class);
			COMMIT});
		my @lines = split /\n/, $result;
		$calls++;
		next if $lines[0] eq $lines[2] && $lines[1] eq $lines[3];
		$wrong++;
		diag "$call, $workers workers, $memory, setseed($s): $lines[0] $lines[1] and, while mining, $lines[2] $lines[3]";
	}
}
is($wrong, 0, "$calls calls give the same rows and figures while they mine as they do before");

# A query that stops
my $session = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);
my $endless = q{frequent_itemsets('dense', 'items', 1, NULL::int[])};
my $endless_episodes = q{frequent_episodes('stream', 'kind', 'at', 30, '{"(0,6]"}')};
my $workers = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'gpufim worker'};
SKIP:
{
	skip 'GPUs do not pause', 23 unless $pauses;
	for my $call ($endless, $endless_episodes, q{probable_itemsets('(SELECT items, 1::float8 AS p FROM dense)', 'items', 'p', 1, 0.5)})
	{
		is($session->query("SELECT count(support) FROM (SELECT expected_support AS support FROM $call LIMIT 5) AS s"), 5, 'five rows of ever so many') if $call =~ /probable/;
		is($session->query("SELECT count(support) FROM (SELECT support FROM $call LIMIT 5) AS s"), 5, 'five rows of ever so many') unless $call =~ /probable/;
		is($session->query('SELECT completed FROM gpufim_last_run()'), 'f', 'the call has not completed');
		is($session->query("SELECT EXISTS (SELECT FROM $call)"), 't', 'there are some');
	}
	is($session->query("SELECT count(*) FROM (SELECT FROM $endless LIMIT 300000) AS s"), 300000, 'rows without columns');
	is($session->query("SELECT sum(n) FROM generate_series(1, 5) AS m, LATERAL (SELECT count(support) AS n FROM (SELECT support FROM frequent_itemsets('dense', 'items', m, NULL::int[]) LIMIT 1000 * m) AS s) AS t"),
		15000, 'a call for each row, each of which is stopped');
	is($session->query("SELECT count(*) FROM (SELECT a.support FROM (SELECT support, items FROM $endless LIMIT 400) AS a JOIN (SELECT support, items FROM $endless LIMIT 300) AS b ON a.items[1] IS NOT NULL) AS s"),
		120000, 'two calls at once');
	my $explained = $session->query("EXPLAIN (ANALYZE, TIMING OFF) SELECT (SELECT count(*) FROM (SELECT support FROM $endless LIMIT 300000) AS s WHERE support > n) FROM generate_series(1, 5) AS n");
	like($explained, qr/rows=300000 .*loops=5.*Calls: 2\b/s, 'a scan that begins anew with each row, and is not told before, keeps batches from the second time on');

	# Calls in sources
	my $inner = "SELECT support FROM $endless" =~ s/'/''/gr;
	$session->query(q{SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1, 2] AS items FROM generate_series(1, 50))', 'items', 10)});
	my $little = $session->query('SELECT peak_memory_bytes FROM gpufim_last_run()');
	$session->query("SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1, 2] AS items FROM ($inner LIMIT 50) AS s)', 'items', 10)");
	cmp_ok($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'), '<', 2 * $little, 'memory of a call that its source stops is not its own');
	$session->query("SELECT count(*) FROM frequent_pairs('(SELECT 1 AS k, 1 / (support - support) AS v FROM ($inner LIMIT 50) AS s)', 'k', 'v', 1)");
	is($session->query('SELECT function || completed FROM gpufim_last_run()'), 'frequent_pairsfalse', 'a call that fails together with one in its source is the last one');
	ok(eventually(sub { $watcher->query($workers) eq '0' }), 'workers have ended');

	# A cursor: the call goes on between two statements, and other calls begin and end meanwhile
	$session->query("SET gpufim.workers = 2; BEGIN; DECLARE c NO SCROLL CURSOR FOR SELECT items, support FROM $endless; DECLARE d SCROLL CURSOR FOR SELECT * FROM $endless_episodes");
	is($session->query('SELECT count(*) FROM gpufim_progress()'), 0, 'nothing runs before rows are asked for');
	my @first = split /\n/, $session->query('FETCH 100 FROM c');
	is(scalar @first, 100, 'the first rows');
	like($session->query('SELECT function, phase FROM gpufim_progress()'), qr/^frequent_itemsets\|mining$/, 'the call is shown while it goes on');
	my $forth = $session->query('FETCH 5000 FROM d');
	$session->query('MOVE BACKWARD 5001 FROM d; FETCH 5000 FROM c');
	is($session->query('FETCH 5000 FROM d'), $forth, 'the same rows again');
	$session->query('MOVE BACKWARD 2500 FROM d; MOVE 200000 FROM c');
	is($session->query('FETCH BACKWARD 1 FROM d'), (split /\n/, $forth)[2498], 'a row again, backward');
	is($session->query(q{SELECT sum(support) FROM frequent_itemsets('(SELECT ARRAY[1, 2] AS items)', 'items', 1)}), 3, 'another call meanwhile');
	is($session->query(q{SELECT function || completed FROM gpufim_last_run()}), 'frequent_itemsetstrue', 'and its figures');
	$session->query('SAVEPOINT s; FETCH 10 FROM c; SELECT 1 / 0; ROLLBACK TO s');
	is(scalar(split /\n/, $session->query('FETCH 10 FROM c')), 10, 'rows after an error in a subtransaction');
	$session->query('CLOSE c');
	is($session->query('SELECT function || completed FROM gpufim_last_run()'), 'frequent_itemsetsfalse', 'closing the cursor ends the call');
	$session->query('COMMIT');
	is($session->query('SELECT count(*) FROM gpufim_progress()'), 0, 'nothing is shown any more');
	no_leftovers($node, $before, 'a cursor');

	# Errors
	$session->query("SELECT 1 / (support - support) FROM $endless");
	like($session->{err}, qr/22012/, 'an error in the middle of a scan');
	$session->query("BEGIN; DECLARE c CURSOR FOR SELECT items FROM $endless; FETCH 10 FROM c; SELECT 1 / 0; COMMIT");
	no_leftovers($node, $before, 'an error');
	$session->query("BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR SELECT items FROM $endless; FETCH 10 FROM c; ROLLBACK TO s");
	ok(eventually(sub { $watcher->query($workers) eq '0' }), 'a subtransaction that is rolled back ends its calls');
	$session->query('COMMIT');
	$session->query("BEGIN; DECLARE c CURSOR FOR SELECT items FROM $endless; FETCH 10 FROM c");
	ok(eventually(sub { $watcher->query($workers) ne '0' }), 'workers mine for the cursor');
	$watcher->query(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'gpufim worker'});
	eventually(sub { $watcher->query($workers) eq '0' });
	$session->query('MOVE ALL FROM c');
	like($session->{err}, qr/a gpufim worker ended before its work was done/, 'a worker that is terminated between two statements');
	$session->query('COMMIT');
	like($session->query("SET statement_timeout = 300; SELECT count(support) FROM $endless; RESET statement_timeout") . $session->{err}, qr/57014/, 'a timeout');
	$session->query("BEGIN; DECLARE c CURSOR FOR SELECT items FROM $endless; FETCH 10 FROM c");
	$session->{psql}->kill_kill;
	no_leftovers($node, $before, 'a session that is gone');
}

# A cursor that outlives its transaction reads all rows at its end
$session = GpufimTest::Session->new($node);
my $held = q{SELECT items, support FROM frequent_itemsets('baskets', 'items', 3, NULL::int[]) WHERE support > 0};
$session->query("SET client_min_messages = error; BEGIN; DECLARE h CURSOR WITH HOLD FOR $held; FETCH 10 FROM h; COMMIT");
$session->query('MOVE BACKWARD ALL FROM h; MOVE ALL FROM h');
is($session->query('FETCH BACKWARD 1 FROM h') ne '', 1, 'a cursor that is held');
$session->query('CLOSE h');

# Loops
is($session->query(<<'SQL'), '', 'a loop that commits, and one that leaves');
DO $$
DECLARE
	n int := 0; all_rows int; r record;
BEGIN
	SELECT count(*) FROM frequent_itemsets('baskets', 'items', 3, NULL::int[]) INTO all_rows;
	FOR r IN SELECT * FROM frequent_itemsets('baskets', 'items', 3, NULL::int[]) WHERE support > 0 LOOP
		n := n + 1;
		IF n = 20 THEN COMMIT; END IF;
		BEGIN
			IF n % 10000 = 0 THEN PERFORM 1 / 0; END IF;
		EXCEPTION WHEN division_by_zero THEN NULL;
		END;
	END LOOP;
	IF n <> all_rows THEN RAISE 'a loop that commits has % rows, not %', n, all_rows; END IF;
	FOR r IN SELECT * FROM frequent_itemsets('baskets', 'items', 3, NULL::int[]) WHERE support > 0 LOOP
		EXIT;
	END LOOP;
END
$$
SQL
is($session->{err}, '', 'without an error');
$session->quit;
no_leftovers($node, $before, 'everything');
done_testing();
