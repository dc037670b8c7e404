# Ending either side of a call by force: the server and everybody else goes on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

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
my $long = q{SELECT count(items) FROM frequent_itemsets('dense', 'items', 2)};

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
	eventually(sub { ($workers = lasting_workers($other)) =~ / / }) or die 'no two workers come';
	return $new;
}

# The backend is terminated, in the middle of mining and of reading.
$session = start_call($long);
is(scalar(split(/ /, $workers)), 2, 'the call mines in workers');
$other->query("SELECT pg_terminate_backend($session->{pid})");
$session->finish;
like($session->{err}, qr/FATAL:  57P01:/, 'the terminated session says so');
no_leftovers($node, $before, 'pg_terminate_backend of the caller');

# How far the source has been read is seen from outside by a sequence.
$node->safe_psql('postgres', 'CREATE SEQUENCE read');
$session = GpufimTest::Session->new($node);
$session->send(q{SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[nextval(''read'')] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'items', 2)});
ok(eventually(sub { $other->query('SELECT last_value FROM read') > 1000 }), 'a call reads');
$other->query("SELECT pg_terminate_backend($session->{pid})");
$session->finish;
like($session->{err}, qr/FATAL:  57P01:/, 'it is terminated, too');
no_leftovers($node, $before, 'pg_terminate_backend of a reading caller');

# The client vanishes without a word.
$session = start_call($long);
$session->{psql}->kill_kill;
$other->query("SELECT pg_cancel_backend($session->{pid})");
ok(eventually(sub { worker_pids() eq '' }), 'a lost client and a cancel end the workers');
no_leftovers($node, $before, 'a lost client');

# One worker is terminated: an error of that call, not silence and not a wrong answer.
for my $which (0, 1)
{
	$session = start_call($long);
	my @pids = split / /, $workers;

	$other->query("SELECT pg_terminate_backend($pids[$which])");
	$session->finish;
	like($session->{err}, qr/^ERROR:  55000: a gpufim worker ended before its work was done\nDETAIL:.*\nHINT:  Run the call again\./m, 'a terminated worker makes its call fail');
	unlike($session->{err}, qr/57P01/, 'with nothing that a driver would take for the end of the session');
	is($session->query('SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)'), '3', 'its session goes on');
	$session->quit;
	no_leftovers($node, $before, "pg_terminate_backend of worker $which");
}

# The same while the session's process takes nothing, as when its client does not read: the workers,
# which wait for room in their queues, end at once all the same.
$session = start_call($long);
$session->freeze;
ok(eventually(sub { $other->query(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'gpufim worker' AND wait_event IS NOT NULL}) eq '2' }), 'workers wait for room');
$other->query("SELECT pg_terminate_backend($_)") for split / /, $workers;
ok(eventually(sub { worker_pids() eq '' }, 60), 'and are terminated');
$session->thaw;
$session->finish;
like($session->{err}, qr/^ERROR:  55000: a gpufim worker ended before its work was done$/m, 'which makes their call fail');
$session->quit;
no_leftovers($node, $before, 'pg_terminate_backend of workers that wait');

# A worker is cancelled: its call fails with that.
$session = start_call($long);
$other->query("SELECT pg_cancel_backend($_)") for split / /, $workers;
$session->finish;
like($session->{err}, qr/^ERROR:  57014:(?s:.*)CONTEXT:  gpufim worker$/m, 'a cancelled worker cancels its call');
is($session->query('SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)'), '3', 'the session goes on');
$session->quit;
no_leftovers($node, $before, 'pg_cancel_backend of workers');

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $postmaster, 'the server never restarted');

# kill -9 of a worker: the postmaster restarts everybody, as after any crash, and
# nothing of the call is left in the new life.
$session = start_call($long);
kill 'KILL', (split / /, $workers)[0];
$session->finish;
ok($session->{gone} || $session->{err} ne '', 'the crash reaches the session');
ok( eventually(
		sub {
			my $answer = '';
			$node->psql('postgres', 'SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)', stdout => \$answer);
			$answer eq '3';
		}),
	'the server comes back and mines');
$other = GpufimTest::Session->new($node);
no_leftovers($node, $before, 'a crash');

# Shutdown does not wait for a call.
$session = start_call($long);
ok($node->stop('fast', fail_ok => 1), 'a shutdown does not wait for a call');
done_testing();
