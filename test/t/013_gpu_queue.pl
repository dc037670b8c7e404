# Jobs of several sessions in the queue of one GPU worker: they come one after the
# other, everybody sees its place, and every way to give a job up frees what it held.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;
use Time::HiRes qw(sleep);

my $library = fake_gpu();
my $node = new_node('gpu_queue', conf => qq{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
max_worker_processes = 8
gpufim.cuda_library = '$library'
gpufim.engine = gpu
gpufim.worker_idle_timeout = 0
});
my $setup = q{
	SELECT setseed(0.5);
} . random_table('many', 20, '0.5', 20000)
  . random_table('large', 60, '0.5', 8000)
  . random_table('dense', 60, '0.5', 400) . q{
	CREATE TABLE rare AS SELECT ARRAY[g, g + 1] AS items FROM generate_series(1, 200000) g;
};
# Mining without end, and little.
my $long = q{SELECT sum(itemsets) FROM itemset_counts('dense', 'items', 2, kind => 'closed')};
my $long_rows = q{SELECT count(items) FROM frequent_itemsets('dense', 'items', 2)};
my $short = q{SELECT count(*) FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)};
my $watcher = GpufimTest::Session->new($node);
my ($before, $postmaster, $worker, @sessions);

$node->safe_psql('postgres', $setup);
$postmaster = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

sub worker_pid
{
	return $watcher->query(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'gpufim GPU worker'});
}

sub place
{
	my ($session) = @_;

	return $watcher->query("SELECT phase, done, total FROM gpufim_progress WHERE pid = $session->{pid}");
}

# The segments that a process maps, with their sizes in kB.
sub segments
{
	my ($pid) = @_;
	my %size;

	open(my $file, '<', "/proc/$pid/maps") or die $!;
	while (<$file>)
	{
		$size{$3} = (hex($2) - hex($1)) / 1024 if m{^([0-9a-f]+)-([0-9a-f]+) .*/pg_dynshmem/mmap\.(\d+)};
	}
	return %size;
}

# The size of the largest segment that a process maps and that is not the server's own: statistics, which all
# processes map, may have one that is larger than what is mined.
my %own;
sub largest_segment
{
	my ($pid) = @_;
	my %size = segments($pid);

	delete @size{ keys %own };
	return (sort { $b <=> $a } values %size, 0)[0];
}

# A call that comes while the GPU is free, but finds another before it in the queue: the worker, which would
# take that at once, stands still until both are there.
sub start_behind
{
	my ($session, $calls) = @_;

	worker_is_idle($node);
	kill 'STOP', $worker;
	@sessions = (GpufimTest::Session->new($node));
	$sessions[0]->send($long);
	eventually(sub { place($sessions[0]) eq 'waiting|1|1' }) or die 'the first does not wait: ' . place($sessions[0]);
	$session->send($calls);
	eventually(sub { place($session) eq 'waiting|2|2' }) or die 'the second does not wait: ' . place($session);
	kill 'CONT', $worker;
	eventually(sub { place($sessions[0]) =~ /^mining/ }) or die 'the first is not taken: ' . place($sessions[0]);
	return;
}

# Until each of the sessions that mine has looked several times since whether it may change engines, or does.
sub let_look
{
	my (@those) = @_;
	my $found = sub { $watcher->query("SELECT coalesce(itemsets, 0) FROM gpufim_progress WHERE pid = $_[0]{pid}") };

	for my $session ((@those) x 3)
	{
		my $before = $found->($session);
		eventually(sub { $found->($session) ne $before || changes($session) }) or die 'a call stands still';
	}
	return;
}

# A call that is about to change engines waits for its workers.
sub changes
{
	my ($session) = @_;

	return $watcher->query("SELECT count(*) FROM pg_stat_activity WHERE pid = $session->{pid} AND wait_event = 'Extension'") eq '1';
}

# A session whose call is under way in the worker, and others behind it.
sub start
{
	my (@calls) = @_;
	my $n = 0;

	@sessions = map { GpufimTest::Session->new($node) } @calls;
	for my $session (@sessions)
	{
		$session->send(shift @calls);
		$n++;
		eventually(
			sub {
				place($session) =~ ($n == 1 ? qr/^mining/ : qr/^waiting\|$n\|/);
			}) or die "call $n is not where it should be: " . place($session);
	}
	return @sessions;
}

sub cancel
{
	my ($session, $how) = @_;

	$watcher->query('SELECT ' . ($how || 'pg_cancel_backend') . "($session->{pid})");
	$session->finish;
	return $session->{err};
}

ok(eventually(sub { worker_pid() ne '' }), 'there is a worker');
$worker = worker_pid();
$watcher->query($short);
worker_is_idle($node);
$before = leftovers($node);

# Places
start($long, $short, $short, $short);
ok(eventually(sub { place($sessions[1]) eq 'waiting|2|4' }), 'the second is next');
is(place($sessions[3]), 'waiting|4|4', 'the fourth comes after the third');
ok(eventually(sub { $watcher->query(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'mining for itemset_counts() of process %'}) eq '1' }), 'the worker says what it does');
like(cancel($sessions[2]), qr/ERROR:  57014:/, 'one that waits is cancelled');
ok(eventually(sub { place($sessions[3]) eq 'waiting|3|3' }), 'those behind it move up');
$sessions[2]->send($long);
ok(eventually(sub { place($sessions[2]) eq 'waiting|4|4' }), 'it comes again, at the end');
like(cancel($sessions[0]), qr/ERROR:  57014:/, 'the one that mines is cancelled');
is($sessions[1]->finish, '3', 'the second has its turn');
is($sessions[3]->finish, '3', 'and the fourth before the third');
ok(eventually(sub { place($sessions[2]) =~ /^mining/ }), 'which is mining now');
cancel($sessions[2]);
is($_->query($short), '3', 'every session goes on') for @sessions;
$_->quit for @sessions;
no_leftovers($node, $before, 'a queue');

# One that mines is cancelled, and the worker takes the next.
@sessions = map { GpufimTest::Session->new($node) } 1 .. 2;
for my $call ($long, $long_rows)
{
	$sessions[0]->send($call);
	ok(eventually(sub { place($sessions[0]) =~ /^mining/ }), 'one mines');
	$sessions[1]->send($short);
	ok(eventually(sub { place($sessions[1]) eq 'waiting|2|2' }), 'another waits');
	like(cancel($sessions[0]), qr/ERROR:  57014:/, 'the first is cancelled');
	is($sessions[1]->finish, '3', 'and the other served');
}
$_->quit for @sessions;
no_leftovers($node, $before, 'cancels');

# Engine auto does not wait for long jobs: the CPU begins, and the GPU goes on when it is free.
{
	my $auto = 'SET gpufim.engine = auto; SET gpufim.gpu_patience = 1; SET gpufim.workers = 0';
	my $many = q{SELECT count(*) FROM frequent_itemsets('many', 'items', 0.1, max_length => 1)};
	my $rare = q{SELECT count(*) FROM frequent_itemsets('rare', 'items', 2)};
	my $rare_probable = q{SELECT count(*) FROM probable_itemsets('(SELECT items, 1::float8 AS p FROM rare)', 'items', 'p', 2)};
	my $ran = q{SELECT engine FROM gpufim_last_run()};
	my $waited = 'SELECT engine, wait_ms > 0 FROM gpufim_last_run()';
	my $mining_workers = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'gpufim worker' AND query LIKE 'mining for %'};
	my $mined_for = "SELECT substring(query FROM '[0-9]+\$') FROM pg_stat_activity WHERE pid = $worker";

	$watcher->query($auto);
	worker_is_idle($node);
	is($watcher->query("SET gpufim.gpu_patience = '1h'; $many; $ran"), "20\ngpu", 'with engine auto a large job is for a GPU that is free');
	is($watcher->query("$_; $ran"), "199999\ncpu", 'but not one of so many rare items that a GPU would take long to count their pairs')
		for $rare, $rare_probable;
	start($long);
	$watcher->query('SELECT pg_sleep(0.1)');    # longer than its patience will be
	is($watcher->query("SET gpufim.gpu_patience = 1; $many; $waited"), "20\ncpu|", 'not for one that others have for long');
	cancel($sessions[0]);
	$sessions[0]->quit;

	# Several that the CPU has begun: when the GPU is free one changes to it, and the others go on however long
	# that one takes.  As long as its worker stands still it cannot give up what it has begun.
	{
		my (@workers, @changes, @others, @changed);

		start($long);
		push @sessions, map { GpufimTest::Session->new($node) } 1 .. 3;
		for my $session (@sessions[ 1 .. 3 ])
		{
			$session->query("$auto; SET gpufim.workers = 1");
			$session->send($long);
			eventually(sub { place($session) =~ /^mining/ }) or die 'the CPU does not begin: ' . place($session);
		}
		eventually(sub { (@workers = split /\n/, $watcher->query($mining_workers)) == 3 }) or die 'not all workers come';
		kill 'STOP', @workers;
		cancel($sessions[0]);
		eventually(sub { @changes = grep { changes($_) } @sessions[ 1 .. 3 ] }) or die 'none changes';
		let_look(@sessions[ 1 .. 3 ]);
		@changes = grep { changes($_) } @sessions[ 1 .. 3 ];
		is(scalar @changes, 1, 'of several that the CPU has begun one changes to a GPU that comes free');
		kill 'CONT', @workers;
		ok(eventually(sub { $watcher->query($mined_for) eq $changes[0]{pid} }), 'which mines for it');
		@others = grep { $_ != $changes[0] } @sessions[ 1 .. 3 ];
		let_look(@others);
		cancel($_) for @others, $changes[0];
		@changed = grep { $_->query('SELECT wait_ms IS NOT NULL FROM gpufim_last_run()') eq 't' } @sessions[ 1 .. 3 ];
		is(scalar @changed, 1, 'and the others have gone on');
		$_->quit for @sessions;
	}

	# One that may change and is cancelled before it does leaves the GPU to others.
	{
		my $session = GpufimTest::Session->new($node);
		my $pid;

		start($long);
		$session->query("$auto; SET gpufim.workers = 1");
		$session->send($long);
		eventually(sub { ($pid = $watcher->query($mining_workers)) =~ /^\d+$/ }) or die 'no worker comes';
		kill 'STOP', $pid;
		cancel($sessions[0]);
		ok(eventually(sub { changes($session) }), 'a call is about to change to a GPU');
		$watcher->query("SELECT pg_cancel_backend($session->{pid})");
		$session->finish;
		like($session->{err}, qr/ERROR:  57014:/, 'and is cancelled');
		kill 'CONT', $pid;
		start($long);
		$session->send($long);
		eventually(sub { place($session) =~ /^mining/ }) or die 'the CPU does not begin: ' . place($session);
		cancel($sessions[0]);
		ok(eventually(sub { $watcher->query($mined_for) eq $session->{pid} }), 'the next one may change');
		cancel($session);
		$_->quit for $session, @sessions;
	}

	# From the queue to the CPU, and from there back when the GPU is free: that takes the CPU for ever, and the GPU a
	# moment, because it is told to mine less.
	my $rows = q{SELECT count(*), sum(support), sum(hashtextextended(items::text || support, 0)) FROM frequent_itemsets('large', 'items', 2, min_length => LENGTH, max_length => LENGTH)};
	my ($few, $endless) = map { $rows =~ s/LENGTH/$_/gr } 2, 14;
	my $expected = $watcher->query("SET gpufim.engine = cpu; $few; SET gpufim.engine = auto");
	my ($kilobytes, $session) = (384, GpufimTest::Session->new($node));

	like($expected, qr/^\d{3,}\|/, 'there is something to find');
	$session->query($auto);
	start_behind($session, "$few; $waited");
	is($session->finish, "$expected\ncpu|t", 'from the queue to the CPU');
	cancel($sessions[0]);
	$sessions[0]->quit;
	start_behind($session, "$endless; $waited");
	ok(eventually(sub { place($session) =~ /^mining/ }), 'another goes there, too');
	tell_gpu($node, 'pairs', 1);
	cancel($sessions[0]);
	is($session->finish, "$expected\ngpu|t", 'from the queue to the CPU and back to the GPU');
	tell_gpu($node, 'pairs', 0);
	$sessions[0]->quit;

	# Leaving the queue takes memory to move the transactions to.  With the least that
	# lets a call come into the queue there is none.
	hold_gpu($node);
	start($long);
	for (;;)
	{
		$session->query("SET gpufim.engine = gpu; SET gpufim.memory_limit = '${kilobytes}kB'");
		$session->send($many);
		eventually(sub { $session->finished || place($session) =~ /^waiting/ }) or die 'a call neither waits nor fails';
		last unless $session->finished;
		$session->finish;
		last unless $session->{err} =~ /ERROR:  53200:/;
		$kilobytes = int($kilobytes * 1.05);
	}
	like(cancel($session), qr/ERROR:  57014:/, "$kilobytes kB are enough to wait for the GPU");
	cancel($sessions[0]);
	$_->quit for @sessions;
	release_gpu($node);
	$session->query("$auto; SET gpufim.memory_limit = '${kilobytes}kB'");
	start_behind($session, "$many; $waited");
	sleep 0.3;    # far longer than its patience
	like(place($session), qr/^waiting/, 'without memory for the CPU a call waits on');
	cancel($sessions[0]);
	$session->finish;
	$_->quit for $session, @sessions;

	# Nor is host memory that only the GPU's way lacks an error.
	tell_gpu($node, 'greed', 1);
	worker_is_idle($node);
	is($watcher->query("SET gpufim.gpu_patience = '1h'; $many; $ran"), "20\ncpu", 'without memory for the GPU worker the CPU mines');
	like($watcher->{err}, qr/WARNING:  53200: not enough memory for mining, so the processor mines instead\nDETAIL:  .*\nHINT:  Raise "gpufim.memory_limit"/, 'which it says');
	tell_gpu($node, 'greed', 0);
	$watcher->query('RESET gpufim.engine; RESET gpufim.gpu_patience; RESET gpufim.workers');
	no_leftovers($node, $before, 'engines that change');
}

# The worker, which maps the data of its job as the session does, lets them go before long, whether or not the
# session goes on, and however that ends.
SKIP:
{
	my $many = q{SELECT count(*) FROM frequent_itemsets('many', 'items', 0.1, max_length => 1)};
	my $session = GpufimTest::Session->new($node);
	my $data = 700;    # kB at least, which is more than a queue has

	skip 'the system does not say what a process maps', 12 unless -r "/proc/$worker/maps";
	worker_is_idle($node);
	%own = segments($session->{pid});
	cmp_ok(largest_segment($worker), '<', $data, 'a worker that is idle maps no data');
	hold_gpu($node);
	$session->send($many);
	ok(eventually(sub { largest_segment($worker) > $data }), 'one that mines does');
	cmp_ok(largest_segment($session->{pid}), '>', $data, 'so does the session');
	$session->freeze;
	release_gpu($node);
	worker_is_idle($node);
	cmp_ok(largest_segment($worker), '<', $data, 'the worker does not keep them for a session that stands still');
	cmp_ok(largest_segment($session->{pid}), '>', $data, 'which has them still');
	$session->thaw;
	is($session->finish, '20', 'and goes on');
	no_leftovers($node, $before, 'a session that stood still');
	$session->query($many =~ s/count\(\*\)/count(*) \/ 0/r);
	like($session->{err}, qr/ERROR:  22012/, 'a call is followed by an error');
	no_leftovers($node, $before, 'an error after a call');
	is($session->query("$many; SELECT pg_terminate_backend($worker)"), "20\nt", 'a worker is terminated after a call');
	my $ended = $worker;
	ok(eventually(sub { ($worker = worker_pid()) ne '' && $worker ne $ended }), 'and another comes');
	no_leftovers($node, $before, 'the end of a worker');
	$session->quit;
}

# Timeouts, waiting and mining
start($long);
$watcher->query_with_timeout(300, $short);
like($watcher->{err}, qr/ERROR:  57014:.*statement timeout/, 'statement_timeout ends waiting');
like(place($sessions[0]), qr/^mining/, 'which disturbs nobody');
cancel($sessions[0]);
$sessions[0]->query_with_timeout(300, $long);
like($sessions[0]{err}, qr/ERROR:  57014:.*statement timeout/, 'statement_timeout ends mining');
$sessions[0]->quit;
no_leftovers($node, $before, 'timeouts');

# Sessions that are terminated, waiting and mining
start($long, $long, $short);
like(cancel($sessions[1], 'pg_terminate_backend'), qr/FATAL:  57P01:/, 'a session that waits is terminated');
ok(eventually(sub { place($sessions[2]) eq 'waiting|2|2' }), 'and leaves the queue');
like(cancel($sessions[0], 'pg_terminate_backend'), qr/FATAL:  57P01:/, 'a session that mines is terminated');
is($sessions[2]->finish, '3', 'and makes room for the next');
$sessions[2]->quit;
is(worker_pid(), $worker, 'all of it with one worker');
no_leftovers($node, $before, 'terminated sessions');

# The worker is cancelled, which means nothing, and terminated.
start($long, $short);
$watcher->query("SELECT pg_cancel_backend($worker)");
like(cancel($sessions[0]), qr/ERROR:  57014: canceling statement due to user request$/m, 'a session is cancelled after its worker');
is($sessions[1]->finish, '3', 'the other one served');
is(worker_pid(), $worker, 'by the worker that pg_cancel_backend means nothing to');
$_->quit for @sessions;
start($long, $short);
$watcher->query("SELECT pg_terminate_backend($worker)");
$sessions[0]->finish;
like($sessions[0]{err}, qr/^ERROR:  55000: the GPU worker did not do its work\nDETAIL:  It was terminated\.\nHINT/m, 'a terminated worker fails the job it had');
is($sessions[1]->finish, '3', 'the one that waited is served by the next worker');
isnt(worker_pid(), $worker, 'which is another');
is($sessions[0]->query($short), '3', 'and serves all');
$_->quit for @sessions;
no_leftovers($node, $before, 'a terminated worker');

# The same while it waits for room in the queue of a session that takes nothing.
$worker = worker_pid();
start($long_rows);
$sessions[0]->freeze;
ok(eventually(sub { $watcher->query("SELECT state = 'active' AND wait_event IS NOT NULL FROM pg_stat_activity WHERE pid = $worker") eq 't' }), 'the worker waits for room');
$watcher->query("SELECT pg_terminate_backend($worker)");
ok(eventually(sub { my $other = worker_pid(); $other ne '' && $other ne $worker }, 60), 'and is terminated');
$sessions[0]->thaw;
$sessions[0]->finish;
like($sessions[0]{err}, qr/^ERROR:  55000: the GPU worker did not do its work\nDETAIL:  It ended before; /m, 'which fails the job');
is($sessions[0]->query($short), '3', 'and the next worker serves');
$_->quit for @sessions;
no_leftovers($node, $before, 'a worker that is terminated while it waits');

# DROP DATABASE waits for nobody.
$node->safe_psql('postgres', 'CREATE DATABASE doomed');
$node->safe_psql('doomed', "CREATE EXTENSION gpufim; $setup");
$sessions[0] = GpufimTest::Session->new($node, 'doomed');
$sessions[0]->send($long);
ok(eventually(sub { place($sessions[0]) =~ /^mining/ }), 'a job of a database');
$watcher->query('DROP DATABASE doomed WITH (FORCE)');
is($watcher->{err}, '', 'that is dropped');
$sessions[0]->finish;
$node->safe_psql('postgres', 'CREATE DATABASE doomed');
$sessions[0] = GpufimTest::Session->new($node);
$sessions[0]->send($long);
ok(eventually(sub { place($sessions[0]) =~ /^mining/ }), 'a job of another');
$node->safe_psql('postgres', 'DROP DATABASE doomed');
like(place($sessions[0]), qr/^mining/, 'does not hold it up either');
cancel($sessions[0]);
$sessions[0]->quit;
no_leftovers($node, $before, 'DROP DATABASE');

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $postmaster, 'the server never restarted');
start($long, $short);
ok($node->stop('fast', fail_ok => 1), 'a shutdown does not wait for jobs in the queue');

# A worker of one session only
$node->append_conf('postgresql.conf', q{shared_preload_libraries = ''});
$node->start;
$watcher = GpufimTest::Session->new($node);
$before = leftovers($node);
for my $how ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $session = GpufimTest::Session->new($node);
	my $mines = sub { $watcher->query(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'mining for itemset%'}) eq '1' };

	$session->send($long);
	ok(eventually($mines), "a job in the session's own worker");
	like(cancel($session, $how), $how eq 'pg_cancel_backend' ? qr/ERROR:  57014:/ : qr/FATAL:  57P01:/, "$how ends it");
	if ($how eq 'pg_cancel_backend')
	{
		is($session->query($short), '3', 'the session goes on');
		$session->send($long);
		ok(eventually($mines), 'with the next job');
		$watcher->query('SELECT pg_terminate_backend(' . worker_pid() . ')');
		$session->finish;
		like($session->{err}, qr/ERROR:  55000:.*did not do its work\nDETAIL:  It was terminated/, 'its worker is terminated');
		is($session->query($short), '3', 'and comes again');
		$session->quit;
	}
	no_leftovers($node, $before, "$how of a session with a worker of its own");
}
$node->stop;
done_testing();
