# Where several processes that read a source need more memory than the limit allows, one of them reads again: a limit that is enough for
# one process is enough for several to read, and they give the same.  What several have read takes a little more memory afterwards, so where
# one process needs nearly all that the limit allows, a call of several may end with an error after reading.  Whatever ends a call, nothing
# stays behind.
#
#	GPUFIM_SEED			the seed to run again (printed by each run); moments differ anyway
#	GPUFIM_DATABASES	how many sources, 60 if it is not set
#	GPUFIM_FAULTS		how many moments to interrupt calls at, 30 if it is not set
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;
use Time::HiRes qw(time);

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $sources = $ENV{GPUFIM_DATABASES} || 60;
my $faults = $ENV{GPUFIM_FAULTS} || 30;
my $again = qr/DEBUG:.* one process reads again/;
my $node = new_node(
	'reading_again',
	conf => qq{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
autovacuum = off
log_statement = none
max_wal_senders = 0
max_worker_processes = 12
${GpufimTest::in_parallel}gpufim.workers = 0
gpufim.engine = cpu
});

$node->safe_psql('postgres', $GpufimTest::comparing);

# arrays of frequent items and of others, which each process numbers for itself; and pairs of them
$node->safe_psql('postgres', <<'SQL');
-- in the first row of a page, so that several processes read; true
CREATE FUNCTION pause(place tid) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE COST 1 AS $$
BEGIN
	IF place::text LIKE '%,1)' AND current_setting('max_parallel_workers_per_gather') <> '0' THEN
		PERFORM pg_sleep(0.0003);
	END IF;
	RETURN true;
END
$$;

CREATE PROCEDURE make_source(length int, items int, rows int, workers int, form text) LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS source;
	EXECUTE format('CREATE UNLOGGED TABLE source WITH (fillfactor = 60, parallel_workers = %s) AS SELECT k, '
				   'ARRAY(SELECT %s FROM generate_series(1, %s) AS j WHERE k > 0) AS items, 0.5::float8 AS p, array_fill(0.25::float8, ARRAY[%s]) AS ps FROM generate_series(1, %s) AS k',
				   workers, format(form, format('CASE WHEN j < 4 THEN j * 10 + floor(random() * 3)::int ELSE 100 + floor(random() * %s)::int END', items)), length, length, rows);
END
$$;

CREATE TABLE outcomes (seed float8, settings text, call text, problem text);
CREATE TABLE tallies (compared bigint, ended_later bigint);
CREATE PROCEDURE try(n int, first float8, calls text[], pairs text[]) LANGUAGE plpgsql AS $$
DECLARE
	workers int; call text; serial record; parallel record; kb int; compared int := 0; ended_later int := 0; leader text; settings text;
BEGIN
	FOR i IN 1 .. n LOOP
		SET client_min_messages = error;
		PERFORM setseed(((first + i * 0.00037)::numeric % 1)::float8);
		workers := 2 + floor(random() * 2);
		leader := pick('on', 'off');
		CALL make_source(10 + (random() * 20)::int, 20000 + (random() * 40000)::int, 2000 + (random() * 4000)::int, workers,
						 pick('%s', '%s', '''a long item of the number '' || %s', '(%s) * 1000003::bigint'));
		call := replace(pick(VARIADIC calls), 'PAIRS', pick(VARIADIC pairs));
		PERFORM set_config('gpufim.memory_limit', '1GB', false), set_config('max_parallel_workers_per_gather', '0', false);
		serial := result(call);
		-- several processes read only if there is a megabyte for each
		kb := greatest((workers + 1) * 1024, (SELECT peak_memory_bytes FROM gpufim_last_run()) / 1024 * (0.5 + 0.5 * random()));
		settings := format('%s kB, %s workers, leader %s', kb, workers, leader);
		PERFORM set_config('gpufim.memory_limit', kb * 3 / 4 || 'kB', false);
		serial := result(call);
		PERFORM set_config('gpufim.memory_limit', kb || 'kB', false), set_config('max_parallel_workers_per_gather', workers::text, false),
			set_config('parallel_leader_participation', leader, false);
		SET client_min_messages = debug1;
		parallel := result(call);
		SET client_min_messages = error;
		IF serial.state = '00000' THEN
			compared := compared + 1;
			IF parallel.state = '53200' AND (SELECT read_workers FROM gpufim_last_run()) > 0 THEN
				ended_later := ended_later + 1;
			ELSIF serial IS DISTINCT FROM parallel THEN
				INSERT INTO outcomes VALUES (((first + i * 0.00037)::numeric % 1)::float8, settings, call, format('%s, in parallel %s', serial, parallel));
			END IF;
		ELSIF parallel.state NOT IN ('00000', '53200') THEN
			INSERT INTO outcomes VALUES (((first + i * 0.00037)::numeric % 1)::float8, settings, call, format('%s, in parallel %s', serial, parallel));
		END IF;
		COMMIT;
	END LOOP;
	INSERT INTO tallies VALUES (compared, ended_later);
END
$$;
SQL

my $arrays = '(SELECT * FROM source WHERE pause(ctid))';
my @calls = (
	"SELECT f::text FROM frequent_itemsets('$arrays', 'items', 0.05) AS f",
	"SELECT f::text FROM itemset_counts('$arrays', 'items', 0.05) AS f",
	"SELECT f::text FROM frequent_itemsets('PAIRS', 't', 'i', 0.05) AS f",
	"SELECT f::text FROM association_rules('PAIRS', 't', 'i', 0.05) AS f",
	"SELECT items::text FROM probable_itemsets('$arrays', 'items', 'p', 0.02, 0.5)",
	"SELECT items::text FROM probable_itemsets('$arrays', 'items', 'ps', 0.02, 0.5)",
	"SELECT items::text FROM probable_itemsets('PAIRS', 't', 'i', 'p', 0.05, 0.5)",
	"SELECT f::text FROM frequent_episodes('PAIRS', 'i', 'k', 0.005, '{\"[1,3]\"}', max_length => 2) AS f",
	"SELECT f::text FROM frequent_episodes('PAIRS', 'i', 'k', 0.005, '{\"[1,1000]\"}', max_length => 2, partition_column => 't') AS f",
	"SELECT f::text FROM frequent_pairs('PAIRS', 't', 'i', 100) AS f",
	"SELECT f::text FROM similar_items('(SELECT k, i FROM source, unnest(items[1:4]) AS i WHERE pause(source.ctid))', 'k', 'i', 1) AS f",
	"SELECT f::text FROM similar_sets('PAIRS', 't', 'i', 0.9) AS f",
	"SELECT f::text FROM join_project('PAIRS', 'k', 'i', '(SELECT k, i FROM source, unnest(items[4:]) AS i WHERE k % 5 = 1 AND pause(source.ctid))', 'k', 'i', 2) AS f",
	"SELECT ARRAY(SELECT i FROM unnest(r) AS i ORDER BY i)::text FROM transaction_sets('PAIRS', 't', 'i') AS f (s), transaction_set_rows(s) AS r");
my @pairs = map { "(SELECT k, $_ AS t, i, p FROM source, unnest(items) AS i WHERE pause(source.ctid))" } 'k', 'k % 997', "k % 997 || \$t\$ of the transactions\$t\$";
my $before = leftovers($node);

note "seed $seed";
srand $seed;
my $lists = join ', ', map { my $list = $_; 'ARRAY[' . join(', ', map { "\$list\$$_\$list\$" } @$list) . ']' } \@calls, \@pairs;
my (undef, undef, $messages) = $node->psql('postgres', sprintf 'CALL try(%d, %.9f, %s)', $sources, rand, $lists);
my $times = () = $messages =~ /$again/g;
my ($compared, $later) = split /\|/, $node->safe_psql('postgres', 'SELECT sum(compared), sum(ended_later) FROM tallies');

unlike($messages, qr/^ERROR/m, 'all sources are tried') or diag $messages;
unlike($messages, qr/WARNING/, 'without warnings') or diag $messages;
is($node->safe_psql('postgres', 'SELECT * FROM outcomes LIMIT 10'), '', 'a limit that is enough for one process is enough for several to read');
note "$compared of $sources sources compared, $times read again, $later calls ended after reading";
cmp_ok($compared, '>', $sources / 2, 'of which one process reads most');
cmp_ok($later, '<=', 2 + $compared / 20, 'and few calls end after reading');
cmp_ok($times, '>', $sources / 40, 'some are read again after several processes');
no_leftovers($node, $before, 'reading again');

# A source with which this happens in nearly each call.
my $session = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);

$node->safe_psql('postgres', q{
	SELECT setseed(0.25);
	CALL make_source(30, 30000, 6000, 3, '''a long item of the number '' || %s');
	CREATE ROLE reader;
	GRANT CREATE ON SCHEMA public TO reader;
	CREATE FUNCTION definer(call text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$DECLARE r text; BEGIN EXECUTE call INTO r; RETURN r; END$$;
	CREATE FUNCTION caught(call text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		r text;
	BEGIN
		BEGIN
			EXECUTE call INTO r;
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
			RETURN r;
		END;
	END
	$$});
$session->query('SET gpufim.memory_limit = \'5MB\'; SET max_parallel_workers_per_gather = 3; SET parallel_leader_participation = off; SET client_min_messages = debug1');

my @digests = map { my $call = $_ =~ s/PAIRS/$pairs[1]/r; "SELECT count(*) || coalesce(md5(string_agg(r, '|' ORDER BY r)), '') FROM ($call) AS s (r)" } @calls[0, 2, 4, 7, 9];
push @digests, "SELECT count(*) FROM ($calls[12]) AS s" =~ s/PAIRS/$pairs[1]/r =~ s/f::text/1/r;
my @expected = map { $session->query("SET max_parallel_workers_per_gather = 0; $_; SET max_parallel_workers_per_gather = 3") } @digests;
ok(!(grep { $_ eq '' } @expected), 'one process has enough memory');
my ($good, $right) = ($digests[0], $expected[0]);

# PostgreSQL keeps segments for a session that has had workers
$session->query($_) foreach @digests;
$before = leftovers($node);

# One process reads again, or it happens that the memory is enough; in any way to call.
sub reads_again
{
	my ($name, $sql) = @_;
	my $reads_again = 0;

	for (1 .. 5)
	{
		is($session->query($sql), $right, "$name: the result is right") or diag $session->{err};
		unlike($session->{err}, qr/^(?:ERROR|WARNING)/m, "$name: without errors and warnings") or diag $session->{err};
		$reads_again = $session->{err} =~ $again;
		last if $reads_again;
	}
	ok($reads_again, "$name: one process reads again");
	return;
}

sub quoted { return '$q$' . $_[0] . '$q$' }

reads_again('alone', $good);
is($session->query('SELECT read_workers FROM gpufim_last_run()'), '0', 'of which the figures tell');
reads_again('in a transaction', "BEGIN; $good; COMMIT");
reads_again('read-only', "BEGIN READ ONLY; $good; COMMIT");
reads_again('serializable', "BEGIN ISOLATION LEVEL SERIALIZABLE; $good; COMMIT");
reads_again('behind a savepoint', "BEGIN; SAVEPOINT s; $good; ROLLBACK TO s; COMMIT");
reads_again('in a cursor', "BEGIN; DECLARE c CURSOR FOR $good; SAVEPOINT s; FETCH c; RELEASE s; CLOSE c; COMMIT");
reads_again('in a function of another user', 'SET ROLE reader; SELECT definer(' . quoted($good) . '); RESET ROLE');
reads_again('in a function that catches errors', 'SELECT caught(' . quoted($good) . ')');
reads_again('in a prepared statement', "PREPARE p AS $good; EXECUTE p; DEALLOCATE p");
reads_again('within a call', 'SELECT item FROM (SELECT unnest(items) AS item FROM frequent_itemsets(' . quoted("(SELECT ARRAY[r] AS items FROM ($good) AS s (r))") . ', $n$items$n$, 1)) AS s');
no_leftovers($node, $before, 'reading again in any way');

# Rows that this transaction has written are there, and locks and savepoints stay as they were.
$session->query('BEGIN; INSERT INTO source SELECT 7000 + n, ARRAY[$i$new$i$] FROM generate_series(1, 1000) AS n; SAVEPOINT s; LOCK TABLE outcomes IN SHARE MODE');
is($session->query(q{SELECT count(*) FROM frequent_itemsets('(SELECT * FROM source WHERE pause(ctid))', 'items', 1000) WHERE items = '{new}'}), '1', 'rows of its own')
  or diag $session->{err};
is($session->query(q{SELECT count(*) FROM pg_locks WHERE relation = 'outcomes'::regclass AND pid = pg_backend_pid() AND mode = 'ShareLock'}), '1', 'a lock stays');
$session->query('ROLLBACK TO s; ROLLBACK');
unlike($session->{err}, qr/^(?:ERROR|WARNING)/m, 'and so do savepoints');

# One process that finds the limit too low as well says so, without a word of others; errors of other kinds are what they were.
$session->query(q{SET gpufim.memory_limit = '4MB'; SELECT count(*) FROM frequent_itemsets('(SELECT k, i || k AS i FROM source, unnest(items) AS i)', 'k', 'i', 100)});
like($session->{err}, qr/^ERROR:  53200: not enough memory.*\nDETAIL:  .*\nHINT:  Raise "gpufim\.memory_limit", raise "minsup" where there is one, or select fewer rows or items\.\n/m, 'too little for one process');
unlike($session->{err}, qr/parallel worker/, 'which is the one that says so');
$session->query(q{SET gpufim.memory_limit = '5MB'; SELECT count(*) FROM frequent_itemsets('(SELECT 1 / (k - 5990) AS k, i FROM source, unnest(items) AS i)', 'k', 'i', 100)});
like($session->{err}, qr/^ERROR:  (?:22012|53200):/m, 'a source that fails');
$session->query(q{
	CREATE FUNCTION out_of_memory(k int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN IF k = 3000 THEN RAISE out_of_memory; END IF; RETURN k; END$$;
	SET gpufim.memory_limit = '1GB'; SELECT count(*) FROM frequent_itemsets('(SELECT out_of_memory(k::int) AS k, i FROM source, unnest(items) AS i)', 'k', 'i', 100)});
like($session->{err}, qr/^ERROR:  53200: 53200|^ERROR:  53200: out_of_memory/m, 'an error of a source that is out of memory by its own account') or diag $session->{err};
unlike($session->{err}, $again, 'is no reason to read again');
# workers that only pass rows on, as PostgreSQL would plan them for one process that reads, shall be too expensive
$session->query('SET parallel_tuple_cost = 10');
foreach my $state ('53100', '53000')
{
	$session->query(qq{
		CREATE OR REPLACE FUNCTION no_room(k int, leader int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS
			\$\$BEGIN IF pg_backend_pid() <> leader THEN RAISE SQLSTATE '$state'; END IF; RETURN k; END\$\$});
	my $few = sprintf 'SELECT sum(support) FROM frequent_itemsets($s$(SELECT no_room(k::int, %d) AS k, i FROM source, unnest(items) AS i)$s$, $t$k$t$, $i$i$i$, 100)',
	  $session->query('SELECT pg_backend_pid()');
	my $alone = $session->query("SET max_parallel_workers_per_gather = 0; $few; SET max_parallel_workers_per_gather = 3");
	is($session->query($few), $alone, "no room for workers ($state)") or diag $session->{err};
	like($session->{err}, $again, 'is a reason');
}
$session->query('RESET parallel_tuple_cost');
no_leftovers($node, $before, 'errors');

# Interrupts at moments that nobody chooses.
my %states = ('statement_timeout' => '57014', 'a cancel' => '57014', 'a cancelled worker' => '57014', 'a terminated worker' => '57P01|55000');
my (@bad, %ends);
my @times = map {
	my $start = time;

	$session->query("SET gpufim.memory_limit = '5MB'; $_");
	time - $start;
} @digests;
my $read_again = 0;

for my $round (1 .. $faults)
{
	my $n = int rand @digests;
	my $kind = (sort keys %states)[ rand 4 ];
	my $moment = rand $times[$n];
	my $what = "round $round: $kind after $moment of $times[$n] s: $digests[$n]";
	my ($result, $end) = interrupted($session, $watcher, $digests[$n], $kind, $moment);

	$ends{$kind}{$end}++;
	$read_again++ if $session->{err} =~ $again;
	push @bad, "$what: $end, $result, $session->{err}"
	  unless $end eq '00000' ? $result eq $expected[$n] : $end =~ /^(?:$states{$kind})$/;
	push @bad, "$what: $session->{err}" if $session->{err} =~ /WARNING/;
	push @bad, "$what: leaves " . leftovers($node) unless eventually(sub { leftovers($node) eq $before }, 20);
	last if @bad > 5;
}
note "$_: " . join ', ', map { my $kind = $_; map { "$ends{$kind}{$_} times $_" } sort keys %{ $ends{$kind} } } $_ foreach sort keys %ends;
note "$read_again calls had begun to read again";
is_deeply(\@bad, [], 'interrupts at any moment are clean errors, or the result is right');
is($session->query($good), $right, 'the session goes on');
no_leftovers($node, $before, 'interrupts');
$_->quit for $session, $watcher;
$node->stop;
done_testing();
