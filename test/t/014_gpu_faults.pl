# Faults of devices, injected: each is that job's error or, with engine auto, a
# warning and the CPU; none is the server's end.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $library = fake_gpu();
my $node = new_node('gpu_faults', conf => qq{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
max_worker_processes = 8
gpufim.cuda_library = '$library'
gpufim.gpu_patience = 0
});
my $short = q{SELECT count(*) FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)};
my $mine = q{SELECT count(*), sum(support), sum(hashtextextended(items::text || support, 0)) FROM frequent_itemsets('dense', 'items', 32)};
my $count = q{SELECT string_agg(c::text, ' ' ORDER BY length) FROM itemset_counts('dense', 'items', 32) AS c};
my $ran = q{SELECT engine, completed, itemsets, itemsets_by_length FROM gpufim_last_run()};
my $cannot = qr/^ERROR:  55000: there is no GPU that can mine/m;
my ($session, $other, $before, $postmaster, $expected, $counts, $run);

$node->safe_psql('postgres', q{
	SELECT setseed(0.5);
} . random_table('dense', 60, '0.5', 400) . q{
	CREATE ROLE somebody LOGIN;
});
$postmaster = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
$session = GpufimTest::Session->new($node);
$other = GpufimTest::Session->new($node);
$expected = $session->query("SET gpufim.engine = cpu; $mine");
($run = $session->query($ran)) =~ s/^cpu/gpu/;
$counts = $session->query($count);
like($expected, qr/^\d{5,}\|/, 'there is something to find, in many batches');

sub worker_pid
{
	return $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'gpufim GPU worker'});
}

sub inject
{
	my ($what, $n) = @_;

	return "RESET gpufim.inject_allocation_failure; RESET gpufim.inject_launch_failure; RESET gpufim.inject_device_loss; "
	  . ($what ? "SET gpufim.inject_$what = $n; " : '');
}

# Name, setting, when, error
my @faults = (
	[ 'an allocation at once', 'allocation_failure', 1,
		qr/53200: out of memory on GPU 0.*\nDETAIL:  (\d+) bytes were needed for allocating what was injected, \d+ bytes were free \(cudaErrorMemoryAllocation\)\.\nHINT:  Raise "minsup", or set "gpufim\.engine" to "cpu"\.$/m ],
	[ 'an allocation, with results on their way', 'allocation_failure', 12, qr/53200: out of memory on GPU 0.*\nDETAIL:  (\d+) bytes were needed/ ],
	[ 'a launch', 'launch_failure', 2, qr/58000: GPU 0 failed.*\nDETAIL:  cudaErrorLaunchFailure while counting\.\nHINT/ ],
	[ 'a device, with results on their way', 'device_loss', 7, qr/58000: GPU 0 failed.*\nDETAIL:  cudaErrorDevicesUnavailable while waiting for results\.\nHINT/ ]);

sub check_faults
{
	my ($how) = @_;

	for my $fault (@faults)
	{
		my ($name, $setting, $n, $error) = @$fault;
		my $sticky = $setting ne 'allocation_failure';
		my $pid;

		$session->query('SELECT gpufim_reset(); SET gpufim.engine = gpu;' . inject() . $short);
		$pid = worker_pid();
		$session->query(inject($setting, $n) . $mine);
		like($session->{err}, qr/^ERROR:  $error/m, "$how: $name is an error with engine gpu");
		is($session->query($ran) =~ /^gpu\|f/ ? 1 : 0, 1, "$how: $name: gpufim_last_run says so");
		is($session->query(inject() . $short), '3', "$how: $name: the session goes on");
		is(worker_pid() eq $pid ? 'same' : 'another', $sticky ? 'another' : 'same', "$how: $name: which worker serves it");

		$session->query('SELECT gpufim_reset(); SET gpufim.engine = auto;' . inject());
		is($session->query(inject($setting, $n) . $mine), $expected, "$how: $name: with auto the result comes nonetheless");
		like($session->{err}, qr/^WARNING:  $error/m, "$how: $name: with a warning");
		is(() = $session->{err} =~ /^(WARNING|ERROR)/mg, 1, "$how: $name: one");
		is($session->query($ran), $run =~ s/^gpu/cpu/r, "$how: $name: gpufim_last_run counts it once");

		next if $n > 2;
		for my $workers (-1, 0)
		{
			$session->query("SELECT gpufim_reset(); SET gpufim.workers = $workers");
			is($session->query(inject($setting, 1) . $count), $counts, "$how: $name: counting likewise, gpufim.workers = $workers");
			like($session->{err}, qr/^WARNING/m, "$how: $name: with a warning");
		}
		$session->query('RESET gpufim.workers');
	}
	$session->query(inject());

	# Three faults within a minute turn a device off, the other goes on.
	$session->query('SELECT gpufim_reset(); SET gpufim.engine = gpu');
	$session->query(inject('allocation_failure', 1) . $short) for 1 .. 4;
	is($session->query(inject() . q{SELECT count(*) FROM gpufim_devices() WHERE kind = 'gpu' AND usable}), '2', "$how: jobs too large turn nothing off");
	for my $n (1 .. 3)
	{
		is($session->query(q{SELECT count(*) FROM gpufim_devices() WHERE kind = 'gpu' AND usable}), '2', "$how: no device is off before the third fault");
		$session->query(inject('launch_failure', 1) . $mine);
		like($session->{err}, qr/ERROR:  58000/, "$how: fault $n");
	}
	is($session->query(q{SELECT device, usable, reason FROM gpufim_devices() WHERE kind = 'gpu'}),
		"0|f|turned off after 3 faults within a minute, the last one cudaErrorLaunchFailure while counting; gpufim_reset() turns it on again\n1|t|",
		"$how: the device is off and gpufim_devices() says why");
	is($session->query(inject() . "$short; SELECT device FROM gpufim_last_run()"), "3\ngpu 1", "$how: the other one mines");
	$session->query("SET gpufim.gpus = '0'; $short");
	like($session->{err}, $cannot, "$how: the one that is off does not");
	like($session->{err}, qr/DETAIL:  GPU 0 is turned off after 3 faults.*cudaErrorLaunchFailure/, "$how: the error says why");
	is($session->query("SET gpufim.engine = auto; $short; SELECT device FROM gpufim_last_run()"), "3\ncpu", "$how: auto is the CPU then");
	is($session->{err}, '', "$how: silently");
	$session->query('SET gpufim.engine = gpu; RESET gpufim.gpus');
	$session->query(inject('launch_failure', 1) . $mine) for 1 .. 3;
	$session->query(inject() . $short);
	like($session->{err}, $cannot, "$how: six faults turn both off");
	$session->query('SELECT gpufim_reset()');
	is($session->query("$short; SELECT device FROM gpufim_last_run()"), "3\ngpu 0,1", "$how: gpufim_reset() turns them on");
	is($session->query(q{SELECT count(*) FROM gpufim_devices() WHERE kind = 'gpu' AND usable}), '2', "$how: as gpufim_devices() says");
	return;
}

check_faults('preloaded');

# Others do not notice a fault: the job that waits is mined by the next worker.
sub reaches
{
	my ($who, $phase) = @_;

	return eventually(sub { $node->safe_psql('postgres', "SELECT phase FROM gpufim_progress WHERE pid = $who->{pid}") eq $phase });
}

$session->query('SELECT gpufim_reset(); SET gpufim.engine = gpu');
$other->query('SET gpufim.engine = gpu');
hold_gpu($node);
$session->send(inject('device_loss', 7) . $mine);
ok(reaches($session, 'mining'), 'a job with a fault to come');
$other->send($short);
ok(reaches($other, 'waiting'), 'another behind it');
release_gpu($node);
is($other->finish, '3', 'a session that waits during a fault is served');
$session->finish;
like($session->{err}, qr/ERROR:  58000/, 'the other had it');
$session->query(inject());

# A job that waits for a device which is turned off meanwhile
$session->query(q{SELECT gpufim_reset(); SET gpufim.gpus = '0'});
$session->query(inject('launch_failure', 1) . $mine) for 1 .. 2;
hold_gpu($node);
$session->send(inject('device_loss', 7) . $mine);
ok(reaches($session, 'mining'), 'a job with the third fault to come');
$other->query(q{SET gpufim.gpus = '0'});
$other->send($short);
ok(reaches($other, 'waiting'), 'another behind it for the same device');
release_gpu($node);
$other->finish;
like($other->{err}, qr/ERROR:  58000: GPU 0 failed.*\nDETAIL:  cudaErrorDevicesUnavailable while mining earlier jobs, and is turned off/, 'a job that waits for a device that goes off is told so');
$session->finish;
$other->query("SET gpufim.engine = auto; $short");
is($other->{err}, '', 'the next call knows');
$_->query('SELECT gpufim_reset(); RESET gpufim.gpus; SET gpufim.engine = gpu;' . inject()) for $session, $other;

# A reset while a job is mined holds nobody up.
hold_gpu($node);
$session->send($mine);
ok(reaches($session, 'mining'), 'a job is mined');
$node->safe_psql('postgres', 'SELECT gpufim_reset()');
$other->send($short);
ok(reaches($other, 'waiting'), 'during a reset the next one waits as usual');
$node->safe_psql('postgres', 'SELECT gpufim_reset()');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($session->{pid})");
release_gpu($node);
is($other->finish, '3', 'and is mined');
$session->finish;

# Who may do what
$node->safe_psql('postgres', 'SELECT gpufim_reset()');
isnt($node->psql('postgres', 'SET ROLE somebody; SELECT gpufim_reset()', stderr => \my $stderr), 0, 'not everybody may reset devices');
like($stderr, qr/permission denied for function gpufim_reset/, 'it takes a privilege');
for my $setting (qw(inject_allocation_failure inject_launch_failure inject_device_loss))
{
	isnt($node->psql('postgres', "SET ROLE somebody; SET gpufim.$setting = 1", stderr => \$stderr), 0, "nor inject faults: $setting");
	like($stderr, qr/permission denied to set parameter/, 'it takes a privilege, too');
}
isnt($node->psql('postgres', "SET gpufim.cuda_library = 'x'", stderr => \$stderr), 0, 'nobody names a library for a session');

$before = leftovers($node);
$session->query(inject('launch_failure', 2) . $mine);
$session->query(inject());
no_leftovers($node, $before, 'a fault');
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $postmaster, 'the server never restarted');
$_->quit for $session, $other;

# The same with a worker of the session's own
$node->append_conf('postgresql.conf', q{shared_preload_libraries = ''});
$node->restart;
$session = GpufimTest::Session->new($node);
$postmaster = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
$before = leftovers($node);
check_faults('dynamic');
$session->quit;
no_leftovers($node, $before, 'a session with faults');

# Faults that are further apart turn nothing off: there, any two are.
$node->append_conf('postgresql.conf', 'gpufim.inject_slowness = 0');
$node->restart;
$session = GpufimTest::Session->new($node);
$postmaster = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
$session->query('SET gpufim.engine = gpu; SET gpufim.inject_slowness = 100');
for my $n (1 .. 4)
{
	$session->query(inject('launch_failure', 1) . $mine);
	like($session->{err}, qr/ERROR:  58000/, "fault $n of those that are far apart");
}
is($session->query(inject() . q{SELECT count(*) FROM gpufim_devices() WHERE kind = 'gpu' AND usable}), '2', 'which turn no device off');
$session->quit;
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $postmaster, 'the server still never restarted');
$node->stop;
done_testing();
