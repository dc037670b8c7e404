# Jobs of several sessions in the queue of one GPU worker: they come one after the
# other, everybody sees its place, and every way to give a job up frees what it held.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;
use Time::HiRes qw(sleep time);

my $library = fake_gpu();
my $node = new_node('gpu_queue', conf => qq{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
max_worker_processes = 8
gpufim.cuda_library = '$library'
gpufim.engine = gpu
});
my $setup = q{
	SELECT setseed(0.5);
} . random_table('many', 20, '0.5', 20000)
  . random_table('wide', 80, '0.3', 5000)
  . random_table('dense', 60, '0.5', 400);
# Mining without end, and little.
my $long = q{SELECT sum(itemsets) FROM itemset_counts('dense', 'items', 2, kind => 'closed')};
my $long_rows = q{SELECT count(*) FROM frequent_itemsets('dense', 'items', 2)};
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
			}, 30) or die "call $n is not where it should be: " . place($session);
	}
	return @sessions;
}

sub cancel
{
	my ($session, $how) = @_;
	my $started = time;

	$watcher->query("SELECT $how($session->{pid})");
	$session->finish(30);
	return (time - $started) * 1000;
}

ok(eventually(sub { worker_pid() ne '' }, 10), 'there is a worker');
$worker = worker_pid();
$watcher->query($short);
$before = leftovers($node);

# Places
start($long, $short, $short, $short);
ok(eventually(sub { place($sessions[1]) eq 'waiting|2|4' }, 10), 'the second is next');
is(place($sessions[3]), 'waiting|4|4', 'the fourth comes after the third');
is($watcher->query(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'mining for itemset_counts() of process %'}), '1', 'the worker says what it does');
cmp_ok(cancel($sessions[2], 'pg_cancel_backend'), '<', 1000, 'one that waits is cancelled');
like($sessions[2]{err}, qr/57014/, 'with the usual error');
ok(eventually(sub { place($sessions[3]) eq 'waiting|3|3' }, 10), 'those behind it move up');
is($sessions[2]->send($long) // '', '', 'it comes again');
ok(eventually(sub { place($sessions[2]) eq 'waiting|4|4' }, 10), 'at the end');
cmp_ok(cancel($sessions[0], 'pg_cancel_backend'), '<', 1000, 'the one that mines is cancelled');
like($sessions[0]{err}, qr/57014/, 'with the usual error');
is($sessions[1]->finish(30), '3', 'the second has its turn');
is($sessions[3]->finish(30), '3', 'and the fourth before the third');
ok(eventually(sub { place($sessions[2]) =~ /^mining/ }, 10), 'which is mining now');
cancel($sessions[2], 'pg_cancel_backend');
is($_->query($short), '3', 'every session goes on') for @sessions;
$_->quit for @sessions;
no_leftovers($node, $before, 'a queue');

# Cancels of jobs that mine, in numbers: what is measured is the call's end and
# the time until the worker takes the next job.
my (@ends, @turns);
@sessions = map { GpufimTest::Session->new($node) } 1 .. 2;
for my $call ($long, $long_rows, $long, $long_rows, $long)
{
	my $started;

	$sessions[0]->send($call);
	eventually(sub { place($sessions[0]) =~ /^mining/ }, 30);
	$sessions[1]->send($short);
	eventually(sub { place($sessions[1]) =~ /^waiting/ }, 30);
	$started = time;
	$watcher->query("SELECT pg_cancel_backend($sessions[0]{pid})");
	eventually(sub { $sessions[0]{psql}->pump_nb; $sessions[0]{err} =~ /ERROR/ }, 30);
	push @ends, (time - $started) * 1000;
	is($sessions[1]->finish(30), '3', 'the one that waited is served');
	push @turns, (time - $started) * 1000;
	$sessions[0]->finish(100);
	like($sessions[0]{err}, qr/57014/, 'the other was cancelled');
}
note(sprintf 'errors after %s ms, next job done after %s ms', join(' ', map { sprintf '%.1f', $_ } @ends), join(' ', map { sprintf '%.1f', $_ } @turns));
cmp_ok(median(@ends), '<', 100, 'the median of the cancels is below 100 ms');
cmp_ok(median(@turns), '<', 200, 'and the worker is free soon');
$_->quit for @sessions;
no_leftovers($node, $before, 'cancels');

# Engine auto does not wait for long jobs: the CPU begins, and the GPU goes on when it is free.
{
	my $auto = 'SET gpufim.engine = auto; SET gpufim.gpu_patience = 5; SET gpufim.workers = 0';
	my $many = q{SELECT count(*) FROM frequent_itemsets('many', 'items', 0.1, max_length => 1)};
	my $ran = q{SELECT engine FROM gpufim_last_run()};
	my $waited = 'SELECT engine, wait_ms > 0 FROM gpufim_last_run()';
	my $waiting = "SELECT count(*) FROM gpufim_progress WHERE phase = 'waiting'";
	my $mined_for = "SELECT substring(query FROM '[0-9]+\$') FROM pg_stat_activity WHERE pid = $worker";

	is($watcher->query("$auto; $many; $ran"), "20\ngpu", 'with engine auto a large job is for a GPU that is free');
	start($long);
	sleep 0.05;
	is($watcher->query("$many; $waited"), "20\ncpu|", 'not for one that others have for long');

	# Several that the CPU has begun: one changes when the GPU is free, the others go on.
	push @sessions, map { GpufimTest::Session->new($node) } 1 .. 3;
	for my $session (@sessions[ 1 .. 3 ])
	{
		$session->query("$auto; SET gpufim.workers = 1");
		$session->send($long);
		ok(eventually(sub { place($session) =~ /^mining/ }, 30), 'the CPU begins it');
	}
	sleep 0.1;
	cancel($sessions[0], 'pg_cancel_backend');
	ok(eventually(sub { $watcher->query($mined_for) ne $sessions[0]{pid} }, 30), 'one changes');
	sleep 0.1;
	is($watcher->query($waiting), '0', 'and only one');
	cancel($_, 'pg_cancel_backend') for @sessions[ 1 .. 3 ];
	$_->quit for @sessions;

	# From the queue to the CPU and back
	my $rows = q{SELECT count(*), sum(support), sum(hashtextextended(items::text || support, 0)) FROM frequent_itemsets('wide', 'items', 3, max_length => 4)};
	my $expected = $watcher->query("SET gpufim.engine = cpu; $rows");

	start($long);
	push @sessions, GpufimTest::Session->new($node);
	$sessions[1]->query("$auto; SET gpufim.gpu_patience = '1s'");
	$sessions[1]->send("$rows; $waited");
	ok(eventually(sub { place($sessions[1]) =~ /^waiting/ }, 30), 'what others have just begun is waited for');
	ok(eventually(sub { place($sessions[1]) =~ /^mining/ }, 30), 'but not forever');
	$watcher->query("SELECT pg_cancel_backend($sessions[0]{pid})");
	like($sessions[1]->finish(60), qr/^\Q$expected\E\n(gpu|cpu)\|t$/, 'and the GPU may go on');
	$sessions[0]->finish(30);
	$_->quit for @sessions;

	# Leaving the queue takes memory to move the transactions to.
	start($long);
	$watcher->query("$auto; SET gpufim.gpu_patience = '1s'; SET statement_timeout = '3s'; SET gpufim.memory_limit = '2400kB'; $many");
	like($watcher->{err}, qr/57014/, 'without memory for the CPU a call waits on');
	cancel($sessions[0], 'pg_cancel_backend');

	# Nor is host memory that only the GPU's way lacks an error.
	is($watcher->query("SET gpufim.memory_limit = '3850kB'; $many; $ran"), "20\ncpu", 'without memory for the GPU worker the CPU mines');
	like($watcher->{err}, qr/WARNING:  53200: not enough memory for mining, so the processor mines instead\nDETAIL:  .*\nHINT:  Raise "gpufim.memory_limit"/, 'which it says');
	$watcher->query('RESET statement_timeout; RESET gpufim.memory_limit');
	$watcher->query('RESET gpufim.engine; RESET gpufim.gpu_patience; RESET gpufim.workers');
	$_->quit for @sessions;
	no_leftovers($node, $before, 'engines that change');
}

# Timeouts, waiting and mining
start($long);
$watcher->query("SET statement_timeout = 300; $short");
like($watcher->{err}, qr/57014.*statement timeout/, 'statement_timeout ends waiting');
$watcher->query('RESET statement_timeout');
ok(place($sessions[0]) =~ /^mining/, 'which disturbs nobody');
cancel($sessions[0], 'pg_cancel_backend');
$sessions[0]->query("SET statement_timeout = 300; $long");
like($sessions[0]{err}, qr/57014.*statement timeout/, 'statement_timeout ends mining');
$sessions[0]->quit;
no_leftovers($node, $before, 'timeouts');

# Sessions that are terminated, waiting and mining
start($long, $long, $short);
cancel($sessions[1], 'pg_terminate_backend');
like($sessions[1]{err}, qr/57P01/, 'a session that waits is terminated');
ok(eventually(sub { place($sessions[2]) eq 'waiting|2|2' }, 10), 'and leaves the queue');
cancel($sessions[0], 'pg_terminate_backend');
like($sessions[0]{err}, qr/57P01/, 'a session that mines is terminated');
is($sessions[2]->finish(30), '3', 'and makes room for the next');
$sessions[2]->quit;
is(worker_pid(), $worker, 'all of it with one worker');
no_leftovers($node, $before, 'terminated sessions');

# The worker is cancelled, which means nothing, and terminated.
start($long, $short);
$watcher->query("SELECT pg_cancel_backend($worker)");
sleep 0.3;
ok(place($sessions[0]) =~ /^mining/, 'pg_cancel_backend of the worker is nothing');
$watcher->query("SELECT pg_terminate_backend($worker)");
$sessions[0]->finish(30);
like($sessions[0]{err}, qr/^ERROR:  55000: the GPU worker did not do its work\nDETAIL:  It was terminated\.\nHINT/m, 'a terminated worker fails the job it had');
is($sessions[1]->finish(30), '3', 'the one that waited is served by the next worker');
isnt(worker_pid(), $worker, 'which is another');
is($sessions[0]->query($short), '3', 'and serves all');
$_->quit for @sessions;
no_leftovers($node, $before, 'a terminated worker');

# DROP DATABASE waits for nobody.
$node->safe_psql('postgres', 'CREATE DATABASE doomed');
$node->safe_psql('doomed', "CREATE EXTENSION gpufim; $setup");
$sessions[0] = GpufimTest::Session->new($node, 'doomed');
$sessions[0]->send($long);
ok(eventually(sub { place($sessions[0]) =~ /^mining/ }, 30), 'a job of a database');
my $started = time;
$watcher->query('DROP DATABASE doomed WITH (FORCE)');
is($watcher->{err}, '', 'that is dropped');
cmp_ok(time - $started, '<', 5, 'at once');
$sessions[0]->finish(30);
$node->safe_psql('postgres', 'CREATE DATABASE doomed');
$watcher->send($long);
ok(eventually(sub { $node->safe_psql('postgres', "SELECT phase FROM gpufim_progress WHERE pid = $watcher->{pid}") eq 'mining' }, 30), 'a job of another');
$started = time;
$node->safe_psql('postgres', 'DROP DATABASE doomed');
cmp_ok(time - $started, '<', 5, 'does not hold it up either');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($watcher->{pid})");
$watcher->finish(30);
no_leftovers($node, $before, 'DROP DATABASE');

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $postmaster, 'the server never restarted');
start($long, $short);
$started = time;
$node->stop('fast');
cmp_ok(time - $started, '<', 20, 'a fast shutdown is fast with jobs in the queue');

# A worker of one session only
$node->append_conf('postgresql.conf', q{shared_preload_libraries = ''});
$node->start;
$watcher = GpufimTest::Session->new($node);
$before = leftovers($node);
for my $how ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $session = GpufimTest::Session->new($node);

	$session->send($long);
	ok(eventually(sub { $watcher->query(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'mining for%'}) eq '1' }, 10), "a job in the session's own worker");
	cmp_ok(cancel($session, $how), '<', 1000, "$how ends it");
	if ($how eq 'pg_cancel_backend')
	{
		is($session->query($short), '3', 'the session goes on');
		$session->send($long);
		ok(eventually(sub { $watcher->query(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'mining for itemset%'}) eq '1' }, 10), 'with the next job');
		$watcher->query('SELECT pg_terminate_backend(' . worker_pid() . ')');
		$session->finish(30);
		like($session->{err}, qr/55000.*did not do its work\nDETAIL:  It was terminated/, 'its worker is terminated');
		is($session->query($short), '3', 'and comes again');
		$session->quit;
	}
	no_leftovers($node, $before, "$how of a session with a worker of its own");
}
$node->stop;
done_testing();
