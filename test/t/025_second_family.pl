# A second family of functions takes a folder on each floor and one line in
# families.h.  A tiny one shows it, which sums a column (test/modules/sums): in a
# gpufim that is built of the very objects of the real one, but for the table of
# families.  What it does needs all that families share: reading, workers, GPUs,
# errors, cancel, progress, the memory limit.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use Cwd qw(abs_path);
use GpufimTest;
use Test::More;

my $modules = abs_path("$FindBin::RealBin/../modules/sums");
my $node = new_node('second_family', bare => 1, conf => qq{
dynamic_library_path = '$modules:\$libdir'
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
max_worker_processes = 8
gpufim.cuda_library = '$modules/fake_gpu.so'
gpufim.workers = 2
});
my $read = q{'numbers', 'item', 'value'};
my $sums = "SELECT count(*), sum(total), sum(hashtextextended(item || ' ' || total, 0)) FROM column_sums($read)";
my $total = "SELECT * FROM column_total($read)";
my $ran = q{SELECT engine, strategy, workers > 0, itemsets FROM gpufim_last_run()};
my $items = 10000;
my ($session, $other, $before, $expected_sums, $expected_total);

# The script of the extension, but for another library.
sub script
{
	open(my $file, '<', "$FindBin::RealBin/../../sql/gpufim.sql") or die $!;
	local $/;
	(my $script = <$file>) =~ s/^\\echo.*$//m;
	$script =~ s/MODULE_PATHNAME/gpufim/g;
	return $script;
}

$node->safe_psql('postgres', script() . qq{
	CREATE FUNCTION column_sums(source text, item_column name, value_column name)
		RETURNS TABLE (item text, total float8) AS 'gpufim' LANGUAGE C STRICT;
	CREATE FUNCTION column_total(source text, item_column name, value_column name)
		RETURNS TABLE (items bigint, total float8) AS 'gpufim' LANGUAGE C STRICT;
	CREATE TABLE numbers AS
		SELECT 'item ' || n % $items AS item, nullif(n % 1000, 7) AS value, ARRAY[n % 7, n % 11] AS items
		FROM generate_series(1, 50000) AS n;
	INSERT INTO numbers VALUES (NULL, 5), ('only null', NULL);
	ANALYZE numbers;
});
$session = GpufimTest::Session->new($node);
$other = GpufimTest::Session->new($node);
$before = leftovers($node);
my $grouped = 'SELECT item, sum(value)::float8 AS total FROM numbers WHERE item IS NOT NULL AND value IS NOT NULL GROUP BY item';
$expected_sums = $session->query("SELECT count(*), sum(total), sum(hashtextextended(item || ' ' || total, 0)) FROM ($grouped) AS g");
$expected_total = $session->query("SELECT count(*), sum(total) FROM ($grouped) AS g");
like($expected_sums, qr/^9\d{3}\|/, 'there are sums of thousands of items');

# On the CPU: alone, then with workers, which the strategy waits for.
$session->query('SET gpufim.engine = cpu');
is($session->query("SET gpufim.workers = 0; $sums"), $expected_sums, 'sums on the CPU');
like($session->query($ran), qr/^cpu\|plain\|f\|/, '... in the session itself');
is($session->query($total), $expected_total, 'a summary instead of rows');
$session->query('RESET gpufim.workers; SET gpufim.strategy = together');
is($session->query($sums), $expected_sums, 'sums by workers');
like($session->query($ran), qr/^cpu\|together\|t\|/, '... which there were');
is($session->query($total), $expected_total, "the workers' summaries are added");
no_leftovers($node, $before, 'a call with workers');

# The same values with both families in one statement.
is($session->query("RESET gpufim.strategy; SELECT (SELECT count(*) FROM frequent_itemsets('numbers', 'items', 0.001)) = 60, t.items > 9000 FROM column_total($read) AS t"),
	't|t', 'two families in one statement');
is($session->query("SELECT * FROM column_sums('(VALUES (2, 0.5), (1, 0.25), (2, NULL), (2, 1e300))', 'column1', 'column2') ORDER BY item"),
	"1|0.25\n2|1e+300", 'values are of any type of numbers');
is($session->query("SELECT count(*) FROM column_sums('(SELECT 1 AS a, 2 AS b WHERE false)', 'a', 'b')"), '0', 'no rows, no sums');

# Errors say what a column is for.
$session->query("SELECT * FROM column_sums('numbers', 'nothing', 'value')");
like($session->{err}, qr/^ERROR:  42703: column "nothing", named by "item_column", does not exist in relation "numbers"/m, 'a column that is not there');
$session->query("SELECT * FROM column_sums('numbers', 'value', 'item')");
like($session->{err}, qr/^ERROR:  42804: column "item", named by "value_column", is of type text, not a number/m, 'a value that is none');
$session->query('SET gpufim.strategy = bitmap');
$session->query($sums);
like($session->{err}, qr/^ERROR:  22023: engine "cpu" has no strategy "bitmap" for column_sums\(\)\nHINT:  .*"auto", "plain", "together", "endless", "greedy", "greedy_worker", "handover", "crowded_worker", "crowded_leader", "crowded_results", "crowded_error", "crowded_own_error", "known", "known_endless"/m, "another family's strategy");

# Memory: of the workers together, of the rows, and of the data.
$session->query(q{SET gpufim.strategy = greedy; SET gpufim.memory_limit = '32MB'});
$session->query($sums);
like($session->{err}, qr/^ERROR:  53200: not enough memory for mining/m, 'an engine that takes all memory is stopped');
$session->query('SET gpufim.strategy = greedy_worker');
$session->query($sums);
like($session->{err}, qr/^ERROR:  53200: not enough memory for mining\n(?:.*\n)*CONTEXT:  .*gpufim worker$/m, '... in a worker, too, whose error arrives');
no_leftovers($node, $before, 'a lack of memory');

# What is enough for the session alone is enough whatever its workers have taken when it runs short.
for my $who (qw(worker leader results error))
{
	$session->query("SET gpufim.workers = 1; SET gpufim.strategy = crowded_$who");
	for my $case ([ $sums, $expected_sums ], [ $total, $expected_total ])
	{
		my ($call, $expected) = @$case;

		next if $who eq 'results' && $call eq $total;    # it has no sink
		is($session->query($call), $expected, "without memory for the crowd ($who) the session goes on alone");
		is($session->{err}, '', '... and without a word');
		is($session->query('SELECT strategy, workers, peak_memory_bytes <= 32 * 1024 * 1024 FROM gpufim_last_run()'), "crowded_$who|0|t", '... as gpufim_last_run says');
	}
}
$session->query("SET gpufim.strategy = crowded_leader; SET client_min_messages = debug1; $total");
like($session->{err}, qr/^DEBUG:  .*starting over without gpufim workers, for which there is not enough memory$/m, '... but says so to who debugs');
# A lack of memory that has nothing to do with workers is an error of the call, also where they are short of it.
$session->query("RESET client_min_messages; SET gpufim.strategy = crowded_own_error; $total");
like($session->{err}, qr/^ERROR:  53200: not enough memory for mining/m, "the session's own lack of memory is an error");
no_leftovers($node, $before, "the session's own error in a crowd");
# What a process is known to take counts beside the results, and is reckoned with for each in the number of workers.
$session->query("RESET client_min_messages; SET gpufim.workers = 0; SET gpufim.strategy = known; SET gpufim.memory_limit = '8MB'");
$session->query($sums);
like($session->{err}, qr/^ERROR:  53200: not enough memory for mining\nDETAIL:  .* allows 8192 kB\. The next limit to try is 16384 kB\.$/m, 'what is known to be taken does not fit');
$session->query("SET gpufim.memory_limit = '16384kB'; $sums");
like($session->{err}, qr/ The next limit to try is 32768 kB\.$/m, '... nor in the next limit');
is($session->query("SET gpufim.memory_limit = '32768kB'; $sums"), $expected_sums, '... but in the one after that') or diag $session->{err};
$session->query("SET gpufim.strategy = known_endless; RESET gpufim.workers; SET gpufim.memory_limit = '54MB'");
$session->send($sums);
ok(eventually(sub { $other->query(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'gpufim worker'}) ne '0' }), 'there is memory for a worker ...');
$other->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish;
is($session->query('SELECT workers FROM gpufim_last_run()'), '1', '... but not for two');
$session->query('RESET client_min_messages; RESET gpufim.workers; RESET gpufim.strategy; SET gpufim.memory_limit = 1024');
$session->query($sums);
like($session->{err}, qr/^ERROR:  53200: not enough memory for (distinct items|the sums' data)/m, 'as are data that do not fit');
$session->query("SET gpufim.memory_limit = '3MB'");
is($session->query(q{SELECT count(*) FROM column_sums('(SELECT n % 10 AS item, n AS value FROM generate_series(1, 100000) AS n)', 'item', 'value')}),
	'10', 'rows beyond the limit ...') or diag $session->{err};
is($session->query('SELECT spilled_bytes > 0 AND peak_memory_bytes <= 3 * 1024 * 1024 FROM gpufim_last_run()'), 't', '... are spilled');
$session->query('RESET gpufim.memory_limit');
no_leftovers($node, $before, 'a lack of memory');

# Progress and cancel, with the task at a standstill.
for my $engine (qw(cpu gpu))
{
	$session->query("SET gpufim.engine = $engine; SET gpufim.strategy = endless");
	$session->send($sums);
	ok(eventually(sub { $other->query('SELECT function, phase, done, total FROM gpufim_progress') =~ /^column_sums\|mining\|0\|62\d$/ }),
		"progress on engine $engine in units of work") or diag $other->query('TABLE gpufim_progress');
	$other->query("SELECT pg_cancel_backend($session->{pid})");
	$session->finish;
	like($session->{err}, qr/^ERROR:  57014: canceling statement due to user request/m, 'it is cancelled');
	no_leftovers($node, $before, "a cancelled call on engine $engine");
}

# On the GPU, which does not need what the CPU engine does.
$session->query('SET gpufim.engine = gpu; RESET gpufim.strategy');
is($session->query($sums), $expected_sums, 'sums on a GPU');
like($session->query('SELECT engine, strategy, device, phase_count FROM (SELECT engine, strategy, device, workers AS phase_count FROM gpufim_last_run()) AS r'),
	qr/^gpu\|plain\|gpu 0,1\|1$/, '... that did it');
is($session->query($total), $expected_total, "the GPU worker's summary");
$session->query('SET gpufim.strategy = greedy');
$session->query($sums);
like($session->{err}, qr/^ERROR:  53200: not enough memory for mining/m, "the GPU worker's memory counts");
$session->query('RESET gpufim.strategy');
$session->query($sums);
ok(!-e $node->data_dir . '/fake_sums.released', 'what a family keeps is for its next task');
$session->query(q{SELECT * FROM frequent_itemsets('numbers', 'items', 0.5)});
like($session->query($ran), qr/^gpu\|tensor\|/, 'another family on the same GPU worker');
ok(-e $node->data_dir . '/fake_sums.released', "... has the first one's memory given back");
$session->query('SET gpufim.inject_device_loss = 2');
$session->query($sums);
like($session->{err}, qr/^ERROR:  58000: GPU \d failed/m, 'a lost device is an error');

# Engine auto: from one engine to the other, and no row comes twice.
$session->query('SET gpufim.engine = auto; SET gpufim.gpu_patience = 0');
is($session->query($sums), $expected_sums, 'a device that is lost between two batches');
like($session->{err}, qr/^WARNING:  58000: GPU \d failed, so the processor mines instead/m, '... is a warning');
like($session->query($ran), qr/^cpu\|/, '... and the CPU goes on, with data that were made for a GPU');
$session->query('RESET gpufim.inject_device_loss; SET gpufim.inject_launch_failure = 5');
is($session->query($total), $expected_total, 'a fault in the middle of a count');
like($session->{err}, qr/^WARNING:  58000: GPU \d failed/m, '... is a warning, too');
$session->query(q{RESET gpufim.inject_launch_failure; SET gpufim.gpu_patience = '1ms'; SET gpufim.strategy = handover});
is($session->query($sums), $expected_sums, 'a GPU takes over what takes the CPU long');
like($session->query($ran), qr/^gpu\|handover\|/, '... and it did');
is($session->query($total), $expected_total, 'what the CPU has counted before does not count twice');

$_->quit for $session, $other;
$node->stop;
done_testing();
