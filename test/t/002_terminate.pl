# Ending either side of a call by force: the server and everybody else goes on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_node(
	'terminate',
	conf => q{
dynamic_shared_memory_type = mmap
max_worker_processes = 8
gpufim.workers = 2
restart_after_crash = on
});
my $other = GpufimTest::Session->new($node);
my ($before, $session, $workers, $postmaster);
my $long = q{SELECT count(*) FROM frequent_itemsets('dense', 'items', 2)};

$node->safe_psql('postgres', q{
	SELECT setseed(0.5);
} . random_table('dense', 60, '0.5', 400));
$postmaster = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
$before = leftovers($node);

sub worker_pids
{
	return $other->query(q{SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE backend_type LIKE 'gpufim%'});
}

# A call in its middle, its workers running.
sub start_call
{
	my ($sql) = @_;
	my $new = GpufimTest::Session->new($node);

	$new->send($sql);
	# they start one after the other
	eventually(sub { worker_pids() =~ / / }, 30);
	sleep 0.2;
	$workers = worker_pids();
	return $new;
}

# The backend is terminated, in the middle of mining and of reading.
$session = start_call($long);
is(scalar(split(/ /, $workers)), 2, 'the call mines in workers');
$other->query("SELECT pg_terminate_backend($session->{pid})");
$session->finish(30);
like($session->{err}, qr/57P01/, 'the terminated session says so');
no_leftovers($node, $before, 'pg_terminate_backend of the caller');

$session = GpufimTest::Session->new($node);
$session->send(q{SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[n] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'items', 2)});
sleep 0.7;
$other->query("SELECT pg_terminate_backend($session->{pid})");
$session->finish(30);
like($session->{err}, qr/57P01/, 'likewise while reading');
no_leftovers($node, $before, 'pg_terminate_backend of a reading caller');

# The client vanishes without a word.
$session = start_call($long);
$session->{psql}->kill_kill;
$other->query("SELECT pg_cancel_backend($session->{pid})");
ok(eventually(sub { worker_pids() eq '' }, 30), 'a lost client and a cancel end the workers');
no_leftovers($node, $before, 'a lost client');

# One worker is terminated: an error of that call, not silence and not a wrong answer.
for my $which (0, 1)
{
	$session = start_call($long);
	my @pids = split / /, $workers;

	if (!defined $pids[$which])
	{
		$other->query("SELECT pg_cancel_backend($session->{pid})");
		$session->finish(30);
		fail("there is a worker $which");
		next;
	}
	my $started = time;
	$other->query("SELECT pg_terminate_backend($pids[$which])");
	$session->finish(30);
	like($session->{err}, qr/^ERROR:  (?!XX)\w{5}:/, 'a terminated worker makes its call fail');
	note($session->{err});
	cmp_ok(time - $started, '<', 2, 'at once');
	is($session->query('SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)'), '3', 'its session goes on');
	$session->quit;
	no_leftovers($node, $before, "pg_terminate_backend of worker $which");
}

# A worker is cancelled: nobody's query, so it may be ignored or fail its call,
# but must not go wrong silently.
$session = start_call($long);
$other->query("SELECT pg_cancel_backend($_)") for split / /, $workers;
sleep 0.5;
$other->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish(30);
like($session->{err}, qr/57014/, 'a cancelled worker does not hang its call');
$session->quit;
no_leftovers($node, $before, 'pg_cancel_backend of workers');

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $postmaster, 'the server never restarted');

# kill -9 of a worker: the postmaster restarts everybody, as after any crash, and
# nothing of the call is left in the new life.
$session = start_call($long);
kill 'KILL', (split / /, $workers)[0];
$session->finish(60);
ok($session->{gone} || $session->{err} ne '', 'the crash reaches the session');
ok( eventually(
		sub {
			my $answer = '';
			$node->psql('postgres', 'SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)', stdout => \$answer);
			$answer eq '3';
		}, 60),
	'the server comes back and mines');
$other = GpufimTest::Session->new($node);
no_leftovers($node, $before, 'a crash');

# Shutdown does not wait for a call.
$session = start_call($long);
my $started = time;
$node->stop('fast');
cmp_ok(time - $started, '<', 20, 'a fast shutdown is fast with a call running');
done_testing();
