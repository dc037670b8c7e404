# Surrogates on GPUs, which a call asks for after it has mined: the same result as on the
# CPU, whichever engine did the one and the other; faults as in any other job.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $library = fake_gpu();
my $node = new_node('gpu_surrogates', conf => qq{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
max_worker_processes = 8
gpufim.cuda_library = '$library'
gpufim.gpu_patience = '1h'
});
my $session = GpufimTest::Session->new($node);
# So few events are mined on the CPU, and so many surrogates are for a GPU.
my $call = q{SELECT count(*), md5(string_agg(r::text, ';' ORDER BY r)) FROM episode_significance('events', 'kind', 'at', 100, '{"(0,100]"}',
	surrogates => 300, dither => 500, seed => 1) AS r};
my $ran = 'SELECT engine, completed FROM gpufim_last_run()';
my ($expected, $before);

$session->query('CREATE TABLE events AS SELECT (n * 7919) % 1000003 AS at, (n * n) % 23 AS kind FROM generate_series(1, 15000) AS n');
$expected = $session->query("SET gpufim.engine = cpu; $call");
like($expected, qr/^\d\d+\|/, 'there is something to test');
is($session->query($ran), 'cpu|t', 'the CPU does it');

is($session->query("SET gpufim.engine = gpu; $call"), $expected, 'a GPU mines and counts surrogates');
is($session->query($ran), 'gpu|t', 'as gpufim_last_run says');
is($session->query("SET gpufim.strategy = state_machine; $call"), $expected, 'with another strategy, too');
$session->query('RESET gpufim.strategy');
worker_is_idle($node);
$before = leftovers($node);
for my $workers (0, 2)
{
	is($session->query("SET gpufim.engine = auto; SET gpufim.workers = $workers; $call"), $expected,
		"engine auto gives surrogates to a GPU, gpufim.workers = $workers");
	is($session->query($ran), 'gpu|t', 'as gpufim_last_run says');
}
is($session->query("SET gpufim.gpu_patience = 1; $call"), $expected, 'a call may change engines at any time');
$session->query("SET gpufim.gpu_patience = '1h'");
no_leftovers($node, $before, 'surrogates');

# Mining ends before so many launches, counting on surrogates does not.
$session->query("SELECT gpufim_reset(); SET gpufim.engine = gpu; SET gpufim.inject_launch_failure = 100; $call");
like($session->{err}, qr/^ERROR:  58000: GPU 0 failed/m, 'a fault among surrogates is an error with engine gpu');
is($session->query($ran), 'gpu|f', 'as gpufim_last_run says');
$session->query('SELECT gpufim_reset(); SET gpufim.engine = auto');
is($session->query($call), $expected, 'with engine auto the CPU counts');
like($session->{err}, qr/^WARNING:  58000: GPU 0 failed.*so the processor mines instead/m, 'which is a warning');
is($session->query("RESET gpufim.inject_launch_failure; $ran"), 'cpu|t', 'as gpufim_last_run says');

# A GPU fails while it mines: the data move before the CPU does the same, and then the surrogates.
$session->query('SELECT gpufim_reset(); SET gpufim.inject_launch_failure = 1; SET gpufim.gpu_patience = 0');
is($session->query($call), $expected, 'with a GPU that fails at once the CPU does everything');
# Or when it has given episodes: these are void, and found again.
$session->query('SELECT gpufim_reset(); RESET gpufim.inject_launch_failure; SET gpufim.inject_device_loss = 1');
is($session->query($call), $expected, 'what a GPU has given before it fails does not count');
like($session->{err}, qr/^WARNING:  58000: GPU 0 failed.*so the processor mines instead/m, 'it fails');
$session->query("SELECT gpufim_reset(); RESET gpufim.inject_device_loss; SET gpufim.gpu_patience = '1h'");

# Cancelled while surrogates wait for a GPU: it stands still.
my $watcher = GpufimTest::Session->new($node);

hold_gpu($node);
$session->send("SET gpufim.engine = auto; $call");
ok(eventually(sub { $watcher->query("SELECT count(*) FROM gpufim_progress WHERE pid = $session->{pid} AND phase = 'mining' AND total = 300") }),
	'surrogates are given to a GPU');
$watcher->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish;
like($session->{err}, qr/^ERROR:  57014: canceling statement due to user request$/m, 'a call whose surrogates wait is cancelled');
release_gpu($node);
is($session->query($call), $expected, 'and the next one served');
$watcher->quit;
$session->quit;
no_leftovers($node, $before, 'a cancelled call');
$node->stop;
done_testing();
