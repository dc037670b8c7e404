# Any number of workers gives the same rows, and so do servers that have none to give.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $node = new_node('workers', conf => q{
dynamic_shared_memory_type = mmap
max_worker_processes = 8
max_logical_replication_workers = 0
});
my $session = GpufimTest::Session->new($node);
my $other = GpufimTest::Session->new($node);
my ($expected, $before);
my $sum = q{SELECT kind, count(*), sum(support), sum(hashtextextended(items::text || support, 0))
	FROM (VALUES ('all', 40), ('closed', 120), ('maximal', 60)) AS calls(kind, minsup), frequent_itemsets('baskets', 'items', minsup, kind => kind)
	GROUP BY kind ORDER BY kind COLLATE "C"};

# While its rows are read it takes a lock, by which others see that it has begun.
my $endless = q{SELECT count(items) FROM frequent_itemsets('(SELECT items FROM dense, pg_advisory_xact_lock_shared(1))', 'items', 2)};
my $used = 'SELECT workers FROM gpufim_last_run()';

# How many workers a long call has, and how many it has called: those that would have come
# later, too, which nobody could wait for.
sub workers_of
{
	my ($caller, $expected) = @_;
	my $begun = "SELECT count(*) FROM pg_locks WHERE pid = $caller->{pid} AND locktype = 'advisory'";
	my $started = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'gpufim worker'};
	my $found;

	$caller->send($endless);
	# a call that is cancelled before it has begun is none that gpufim_last_run() shows; and each worker has to take a
	# share, or it would be gone again
	eventually(sub { $other->query($begun) eq '1' && ($found = split / /, lasting_workers($other)) >= $expected });
	$other->query("SELECT pg_cancel_backend($caller->{pid})");
	$caller->finish;
	eventually(sub { $other->query($started) eq '0' });
	return "$found there, " . $caller->query($used) . ' called';
}

# Workers that come when nothing is left to do are not waited for, so that they
# help is shown by one of several calls, all of which find the same.  The last call
# of each query takes several times as long as a call mines before it asks for them.
sub same_with_workers
{
	my ($caller, $sql, $expected, $workers, $name) = @_;
	my ($helped, @wrong) = (0);

	eventually(
		sub {
			my $found = $caller->query($sql);

			push @wrong, $found . $caller->{err} if $found ne $expected || $caller->{err} ne '';
			$helped = $caller->query($used);
			$helped != 0 || @wrong;
		});
	is(scalar @wrong, 0, $name) or diag($wrong[0]);
	ok($helped >= 1 && $helped <= $workers, "$name, at least one of which helped and no more than $workers: $helped");
	return;
}

# Enough work that workers are worth starting.
$node->safe_psql('postgres', q{
	SELECT setseed(0.25);
} . random_table('baskets', 40, '0.75 - k * 0.012', 1500) . random_table('dense', 60, '0.5', 400) . random_table('many', 2000, '0.1', 200) . q{
	CREATE TABLE large AS SELECT array_agg(DISTINCT (random() * random() * 1000)::int) AS items FROM generate_series(1, 4000000) AS i GROUP BY i / 10;
});
$before = leftovers($node);

$session->query('SET gpufim.workers = 0');
$expected = $session->query($sum);
like($expected, qr/^all\|\d{5,}\|/, 'there is something to find');
is($session->query('SELECT workers FROM gpufim_last_run()'), '0', 'workers = 0 mines in the backend');
for my $workers (1, 2, 4, 7)
{
	$session->query("SET gpufim.workers = $workers");
	is(workers_of($session, $workers), "$workers there, $workers called", "a long call has $workers workers");
	same_with_workers($session, $sum, $expected, $workers, "$workers workers find the same");
}
# The workers of a call with more data begin with listing the rows of its items, which takes longer than 20 ms.
{
	my $large = q{SELECT count(*), sum(support), sum(hashtextextended(items::text || support, 0)) FROM frequent_itemsets('large', 'items', 400)};
	my $probable = q{SELECT count(*), sum(expected_support), sum(hashtextextended(items::text || expected_support, 0))
		FROM probable_itemsets('(SELECT items, array_fill(0.5::float8, ARRAY[cardinality(items)]) AS p FROM large)', 'items', 'p', 300, 0.5)};
	my (@wrong, %ends);

	for my $call ($large, $probable)
	{
		$session->query('SET gpufim.workers = 0');
		my $alone = $session->query($call);

		like($alone, qr/^\d{3,}\|/, 'there is something to find in more data');
		$session->query('SET gpufim.workers = 3');
		same_with_workers($session, $call, $alone, 3, 'more data, which workers complete');
		# a session that waits for its part of that, or has one, can be cancelled as ever
		for my $moment (1 .. 20)
		{
			$session->send($call);
			select undef, undef, undef, rand(0.5);
			$other->query("SELECT pg_cancel_backend($session->{pid})");
			my $found = $session->finish;
			push @wrong, $found . $session->{err} if $found ne $alone && $session->{err} !~ /canceling statement due to user request/;
			$ends{ $found eq $alone ? 'done' : 'cancelled' }++;
		}
	}
	is("@wrong", '', 'calls that are cancelled at some moment end with the same rows or are cancelled');
	cmp_ok($ends{cancelled}, '>', 5, '... and some were');
	no_leftovers($node, $before, 'workers that complete data');
}

# A process that stands still for 20 ms in the middle of it asks for workers, but not every time.
my $small = 'SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)';
my $found;
ok(eventually(sub { ($found = $session->query($small)) ne '3' || $session->query($used) eq '0' }), 'a small job is mined in the backend');
is($found, '3', 'with its result');

# Workers are called after 20 ms of mining and not before, which is seen in calls that find too many itemsets: such
# a call says how many it has called, whether they have come or not.  Each mines for a little longer than the one
# before, so that on machines of any speed some end shortly before 20 ms; and many items let it look at the time often.
# It can keep all results in memory, or it would not wait.
my ($most, @early, @late) = (1000);
$session->query("SET gpufim.workers = 2; SET work_mem = '1GB'");
eventually(
	sub {
		$session->query("SET gpufim.max_results = $most; SELECT count(items) FROM frequent_itemsets('many', 'items', 1, max_length => 2)");
		my ($called, $ms) = split /\|/, $session->query('SELECT workers, mine_ms + emit_ms FROM gpufim_last_run()');

		push @{ $called ? \@late : \@early }, $ms;
		$most = $called || $most > 1000000 ? 1000 : int($most * 1.1);
		(grep { $_ < 20 } @late) || (grep { $_ < 200 } @late) && (grep { $_ > 5 && $_ < 20 } @early);
	},
	60);
note('without workers: ' . join(' ', @early) . ' ms; with workers: ' . join(' ', @late) . ' ms');
ok(!(grep { $_ < 20 } @late), 'no call of less than 20 ms has called workers');
ok((grep { $_ > 5 && $_ < 20 } @early), '... though some were not much shorter');
ok((grep { $_ < 200 } @late), '... and some have that were not much longer');
$session->query('RESET gpufim.max_results; RESET work_mem');

# Workers come only as far as gpufim.memory_limit has room for them, at 1.5 MB each
# beside the 1 MB that is left to the backend.
my $all = q{SELECT count(*), sum(support), sum(hashtextextended(items::text || support, 0)) FROM frequent_itemsets('baskets', 'items', 40)};
my ($of_all) = $expected =~ /^all\|(.*)$/m;
$session->query("SET gpufim.workers = 7; SET gpufim.memory_limit = '4MB'");
is(workers_of($session, 1), '1 there, 1 called', 'a long call has one worker where there is memory for one');
same_with_workers($session, $all, $of_all, 1, 'one worker for which there is memory');
$session->query("SET gpufim.memory_limit = '2MB'");
is($session->query($all), $of_all, 'without memory for workers, the same');
is($session->{err}, '', 'and no error');
is($session->query($used), '0', 'and no worker');
cmp_ok($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'), '<=', 2 * 1024 * 1024, 'within the limit');
$session->query('RESET gpufim.memory_limit');
no_leftovers($node, $before, 'mining in workers');

# The source's own query may be planned in parallel: the same rows, shown by its plan.
SKIP:
{
	$session->query("LOAD 'auto_explain'");
	skip 'contrib/auto_explain is not installed', 2 if $session->{err} =~ /ERROR/;
	$session->query(q{SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
		SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET auto_explain.log_nested_statements = on; SET client_min_messages = log});
	is($session->query($sum), $expected, 'a parallel plan finds the same');
	like($session->{err}, qr/Gather.*Workers Launched: [1-9].*Parallel Seq Scan on baskets/s, 'and it was parallel');
	$session->quit;
	$session = GpufimTest::Session->new($node);
}

# The small calls of a transaction make do with the segments of the first, as long as no worker has seen these.  Afterwards
# there are none.
{
	my $caller = GpufimTest::Session->new($node);
	my $segments = sub { join(' ', sort glob $node->data_dir . '/pg_dynshmem/mmap.*') };
	my $others = $segments->();
	my ($first, $second, @wrong);

	$caller->query('SET gpufim.workers = 4; BEGIN');
	ok( eventually(
			sub {
				push @wrong, grep { $_ ne '3' } $caller->query($small);
				$first = $segments->();
				push @wrong, grep { $_ ne '3' } $caller->query($small);
				$second = $segments->();
				$first eq $second && split(/ /, $second) == 2 + split(/ /, $others);
			}),
		'small calls of a transaction have the same two segments') or diag("$first, then $second");
	same_with_workers($caller, $sum, $expected, 4, 'calls with workers in the same transaction');
	push @wrong, grep { $_ ne '3' } $caller->query($small);
	$caller->query('SAVEPOINT before; SELECT * FROM frequent_itemsets($$(SELECT ARRAY[1, 1 / 0])$$, $$array$$, 1); ROLLBACK TO before');
	push @wrong, grep { $_ ne '3' } $caller->query($small);
	is("@wrong", '', 'small calls before and after these, and after an error, are right');
	$caller->query('COMMIT');
	no_leftovers($node, $before, 'a transaction of small calls');
	$caller->quit;
}

# A call that finds all slots taken by workers of the session's call before, which was cancelled and
# whose workers have not ended yet, has its own as soon as they have.
{
	my $caller = GpufimTest::Session->new($node);
	my ($release, @held) = held_workers($caller, $other, 8, $endless);
	my $segments = sub { scalar(my @found = glob $node->data_dir . '/pg_dynshmem/mmap.*') };
	my $before_it = $segments->();
	my $others = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'gpufim worker' AND pid NOT IN (} . join(',', @held) . ')';

	$caller->send($endless);
	ok(eventually(sub { $segments->() >= $before_it + 3 }), 'a call that wants workers while those of the call before hold the slots');
	is($other->query($others), '0', 'mines alone ...');
	kill 'CONT', @held[0 .. 3];
	eventually(sub { $other->query($others) ne '0' });
	# it is some time until the others' slots are free
	sleep 1;
	$release->();
	ok(eventually(sub { $other->query($others) eq '8' }), '... and has its workers when the slots are free');
	$other->query("SELECT pg_cancel_backend($caller->{pid})");
	$caller->quit;
	no_leftovers($node, $before, 'workers that end late');
}

# Two calls at once share the slots.
my @sessions = map { GpufimTest::Session->new($node) } 1 .. 3;
$_->send("SET gpufim.workers = 4; $sum") for @sessions;
is($_->finish, $expected, 'calls side by side find the same') for @sessions;
$_->quit for @sessions;
no_leftovers($node, $before, 'calls side by side');
$session->quit;

# No slot at all, and one only.
$other->quit;
for my $slots (0, 1)
{
	$node->append_conf('postgresql.conf', "max_worker_processes = $slots");
	$node->restart;
	$session = GpufimTest::Session->new($node);
	$other = GpufimTest::Session->new($node);
	$session->query('SET gpufim.workers = 4');
	is(workers_of($session, $slots), "$slots there, $slots called", "a long call has $slots workers with max_worker_processes = $slots");
	is($session->query($sum), $expected, 'the same rows');
	is($session->{err}, '', 'without a word');
	cmp_ok($session->query($used), '<=', $slots, "with no more than $slots workers");
	same_with_workers($session, $sum, $expected, $slots, "the same with $slots workers") if $slots > 0;
	$_->quit for $session, $other;
}
no_leftovers($node, $before, 'a server without slots');
$node->stop;
done_testing();
