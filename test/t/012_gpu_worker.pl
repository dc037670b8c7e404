# The GPU worker, with a library that stands in for the real one: how it starts,
# what it says about devices, what it mines, and when it gives the devices up.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;
use Time::HiRes qw(sleep time);

my $library = fake_gpu();
my $node = new_node('gpu', conf => qq{
dynamic_shared_memory_type = mmap
max_worker_processes = 8
max_logical_replication_workers = 0
gpufim.cuda_library = '$library'
log_min_messages = debug1
gpufim.gpu_patience = '1h'
});
my ($session, $other, $before, $log);
my $workers = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'gpufim GPU worker'};
my $small = q{SELECT count(*) FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)};
my $ran = q{SELECT engine, strategy, device, workers FROM gpufim_last_run()};

# Every kind of call, as one line.
my $sum = q{
	SELECT kind, count(*), sum(support), sum(hashtextextended(items::text || support, 0))
	FROM unnest('{all,closed,maximal}'::text[]) AS kind, frequent_itemsets('baskets', 'items', 300, kind => kind, including => including)
	GROUP BY kind
	UNION ALL
	SELECT kind || ' counts', length, sum(itemsets), 0
	FROM unnest('{all,closed,maximal}'::text[]) AS kind, itemset_counts('baskets', 'items', 300, kind => kind, including => including)
	GROUP BY kind, length};
my $sums = qq{SELECT string_agg(s::text, ' ' ORDER BY s::text COLLATE "C") FROM (VALUES (NULL::text[]), ('{1,2}')) AS v(including), LATERAL ($sum) AS s};

# 200,000 items, and next to nothing to find: worth a GPU that has a context, not
# worth making one.
my $many = q{SELECT count(*) FROM frequent_itemsets('many', 'items', 0.1, max_length => 1)};

# Millions of supports to count, for few rows: more than any processor does within
# a millisecond, and nearly all of it mining.
my $long = q{SELECT count(*), sum(support), sum(hashtextextended(items::text || support, 0)) FROM frequent_itemsets('wide', 'items', 11, min_length => 6, max_length => 6)};
my $long_counts = q{SELECT string_agg(length || ' ' || itemsets, ', ' ORDER BY length) FROM itemset_counts('wide', 'items', 11, max_length => 6)};

$node->safe_psql('postgres', q{
	SELECT setseed(0.25);
} . random_table('baskets', 30, '0.75 - k * 0.012', 1500)
  . random_table('wide', 60, '0.3', 3000)
  . random_table('many', 20, '0.5', 20000));

# Does the server's log say so from place $log on?
sub logged
{
	my ($what) = @_;

	open(my $file, '<', $node->logfile) or die;
	seek($file, $log, 0);
	local $/;
	return <$file> =~ $what;
}

# What every way to start it must give.
sub check_mining
{
	my ($how) = @_;
	my $expected = $session->query("SET gpufim.engine = cpu; $sums");

	like($expected, qr/all,\d{4}/, "$how: there is something to find");
	is($session->query($ran), 'cpu|bitmap|cpu|' . $session->query('SELECT workers FROM gpufim_last_run()'), "$how: engine cpu is the processor");
	$session->query('SET gpufim.engine = gpu');
	for my $strategy (qw(auto tensor dci_transaction dci_candidate tfl hil))
	{
		my $named = $strategy eq 'auto' ? 'tensor' : $strategy;

		# the stand-in says which strategy it was asked for
		is($session->query("SET gpufim.strategy = $strategy; $sums"), $expected, "$how: all that the library finds by strategy $strategy arrives");
		is($session->query($ran), "gpu|$named|gpu 0,1|1", "$how: and it was asked for that");
	}
	$session->query('RESET gpufim.strategy');

	# Strategies and engines choose each other.  A process that stands still in a small call would ask for workers.
	$session->query('SET gpufim.workers = 0');
	$session->query("SET gpufim.strategy = bitmap; $small");
	like($session->{err}, qr/ERROR:  22023:.*engine "gpu" has no strategy "bitmap" for frequent_itemsets\(\)\nHINT:  .*"auto", "tensor", "dci_transaction", "dci_candidate", "tfl", "hil"\./,
		"$how: a strategy of the CPU");
	$session->query("SET gpufim.engine = auto; $small");
	is($session->query($ran), 'cpu|bitmap|cpu|0', "$how: with auto it means the CPU");
	$session->query("SET gpufim.strategy = hil; $small");
	is($session->query($ran), 'gpu|hil|gpu 0,1|1', "$how: one that GPUs have means them");
	$session->query("SET gpufim.strategy = guessing");
	like($session->{err}, qr/ERROR:  22023:.*invalid value for parameter "gpufim.strategy": "guessing"\nHINT:  .*projected,.* tensor,/, "$how: one that none has");
	worker_is_idle($node);
	$session->query("RESET gpufim.strategy; $small");
	is($session->query($ran), 'cpu|projected|cpu|0', "$how: a small job is the CPU's");
	$session->query("SET gpufim.gpu_patience = 0; $small");
	is($session->query($ran), 'gpu|tensor|gpu 0,1|1', "$how: unless it may not wait");
	is($session->query("$sums"), $expected, "$how: with the same results");
	for my $patience (q{'1h'}, -1)
	{
		worker_is_idle($node);
		is($session->query("SET gpufim.gpu_patience = $patience; $many"), '20', "$how: a large job, patience $patience");
		is($session->query($ran), 'gpu|tensor|gpu 0,1|1', "$how: is the GPU's");
	}
	$session->query('RESET gpufim.gpu_patience; RESET gpufim.workers');

	# What takes long on the CPU ends on the GPU, with its workers or without, and gives nothing twice.
	for my $workers (0, 2)
	{
		$session->query("SET gpufim.engine = cpu; SET gpufim.workers = $workers");
		for my $query ($long, $long_counts)
		{
			my $rows = $session->query($query);

			like($rows, qr/^\d{3,}\||6 \d{3,}$/, "$how: there is something to find, $workers workers");
			worker_is_idle($node);
			# small enough a job, as far as anybody can tell beforehand, that the CPU begins
			is($session->query("SET gpufim.engine = auto; SET gpufim.gpu_patience = 1; $query"), $rows, "$how: what the CPU began, $workers workers");
			is($session->query($ran), 'gpu|tensor|gpu 0,1|1', "$how: the GPU has done");
			is($session->query("SET gpufim.gpu_patience = -1; $query"), $rows, "$how: or the CPU");
			like($session->query($ran), qr/^cpu\|bitmap\|cpu\|/, "$how: itself");
			$session->query('RESET gpufim.gpu_patience; SET gpufim.engine = cpu');
		}
	}
	# Nor does it when workers, who are called after 20 ms, come while the engine changes.
	{
		my $rows = $session->query("SET gpufim.engine = cpu; $long");
		my @calls = map { $session->query("SET gpufim.engine = auto; SET gpufim.gpu_patience = " . (19 + $_ % 5) . "; $long; SELECT engine FROM gpufim_last_run()") } 1 .. 10;

		is(scalar(grep { /^\Q$rows\E\n(cpu|gpu)$/ } @calls), 10, "$how: many that change while workers come");
		cmp_ok(scalar(grep { /gpu$/ } @calls), '>', 0, "$how: or some of them");
		$session->query('RESET gpufim.gpu_patience');
	}
	$session->query('SET gpufim.engine = gpu; SET gpufim.workers = 0');
	is($session->query("$sums"), $expected, "$how: a session that may not have other workers");
	$session->query('RESET gpufim.workers');

	is($session->query(qq{$small; SELECT wait_ms >= 0, gpu_candidates >= 0, gpu_count_ms >= 0, gpu_peak_memory_bytes > 0, total_ms >= wait_ms + mine_ms FROM gpufim_last_run()}),
		"3\nt|t|t|t|t", "$how: gpufim_last_run() has the engine's report");
	is($session->query(qq{SET gpufim.engine = cpu; $small; SELECT wait_ms IS NULL, gpu_count_ms IS NULL FROM gpufim_last_run(); SET gpufim.engine = gpu}),
		"3\nt|t", "$how: which the CPU has not");
	# A queue of half a megabyte is more than all else that a small call takes.
	is($session->query(qq{$small; SELECT peak_memory_bytes >= 512 * 1024 FROM gpufim_last_run(); SET gpufim.engine = cpu; $small; SELECT peak_memory_bytes < 512 * 1024 FROM gpufim_last_run(); SET gpufim.engine = gpu}),
		"3\nt\n3\nt", "$how: the memory of a call includes the queue from its worker");

	# Devices
	is($session->query(q{SELECT device, name, cores, instruction_set, memory_bytes, usable, reason FROM gpufim_devices() WHERE kind = 'gpu'}),
		"0|Stand-in|1|sm_90|1073741824|t|\n1|Stand-in|1|sm_90|1073741824|t|", "$how: the devices are shown");
	$session->query("SET gpufim.gpus = '1'; $small");
	is($session->query($ran), 'gpu|tensor|gpu 1|1', "$how: one device is enough");
	$session->query("SET gpufim.gpus = ' 1 , 0'; $small");
	is($session->query($ran), 'gpu|tensor|gpu 1,0|1', "$how: in the order given");
	$session->query("SET gpufim.gpus = '0,5'; $small");
	like($session->{err}, qr/ERROR:  55000:.*\nDETAIL:  .*GPU 5, which does not exist/, "$how: a device that is not there");
	$session->query("SET gpufim.engine = auto; SET gpufim.gpu_patience = 0; SET gpufim.workers = 0; $small");
	is($session->{err}, '', "$how: is no error with auto");
	is($session->query($ran), 'cpu|projected|cpu|0', "$how: but the CPU");

	# A query that wants only some rows does not wait until a GPU has found all
	$session->query("RESET gpufim.gpus; $small");
	like($session->query($ran), qr/^gpu/, "$how: with GPUs, auto takes them");
	for my $query ("SELECT items FROM few LIMIT 1", 'SELECT EXISTS (SELECT FROM few)', 'BEGIN; DECLARE c CURSOR FOR SELECT items FROM few; FETCH 1 FROM c; COMMIT',
		'SELECT items FROM few ORDER BY support LIMIT 1', 'SELECT sum(support) FROM few LIMIT 1')
	{
		(my $call = $query) =~ s/few/frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)/;
		$session->query($call);
		like($session->query($ran), $query =~ /ORDER|sum/ ? qr/^gpu/ : qr/^cpu/, "$how: $query");
	}
	$session->query('RESET gpufim.gpu_patience; RESET gpufim.workers; RESET gpufim.engine');

	# Memory
	$session->query("SET gpufim.engine = gpu; SET gpufim.gpu_memory_limit = '1kB'; SELECT count(*) FROM frequent_itemsets('baskets', 'items', 300)");
	like($session->{err}, qr/ERROR:  53200:.*out of memory on GPU \d\nDETAIL:  (\d+) bytes were needed for admitting the job, 1024 bytes were free\.\nHINT:  .*gpufim\.gpu_memory_limit/,
		"$how: a job that cannot fit is refused with numbers");
	$session->query("SET gpufim.max_gpu_memory_limit = '1kB'; SELECT count(*) FROM frequent_itemsets('baskets', 'items', 300)");
	like($session->{err}, qr/out of memory on GPU \d\nDETAIL:  .*\nHINT:  Raise "minsup", or set "gpufim\.engine" to "cpu"\.$/m, "$how: an administrator's limit is nothing to raise");
	$session->query('RESET gpufim.max_gpu_memory_limit');
	tell_gpu($node, 'greed', 1);
	$session->query("RESET gpufim.gpu_memory_limit; SELECT count(*) FROM frequent_itemsets('baskets', 'items', 300)");
	like($session->{err}, qr/ERROR:  53200: not enough memory for mining\nDETAIL:  .*\nHINT:  .*gpufim\.memory_limit/, "$how: the limit of host memory holds for the worker");
	tell_gpu($node, 'greed', 0);
	$session->query("SET gpufim.memory_limit = '400kB'; $small");
	like($session->{err}, qr/ERROR:  53200: not enough memory for the results of the GPU worker\nDETAIL:  .*\nHINT:  .*gpufim\.memory_limit/, "$how: and for the queue of its results");
	is($session->query("SET gpufim.engine = auto; SET gpufim.gpu_patience = 0; $small"), '3', "$how: without which engine auto takes the CPU");
	like($session->{err}, qr/^WARNING:  55000:.*so the processor mines instead\nDETAIL:  "gpufim\.memory_limit" does not allow/, "$how: and says so");
	$session->query('RESET gpufim.memory_limit; RESET gpufim.gpu_patience; SET gpufim.engine = gpu');
	is($session->query($small), '3', "$how: the session goes on");
	$session->query('RESET gpufim.engine');
	return;
}

# Without preload: nothing until a call wants the GPU, then a worker of the session's.
$session = GpufimTest::Session->new($node);
$other = GpufimTest::Session->new($node);
$before = leftovers($node);
$session->query("SET gpufim.engine = cpu; $small; SET gpufim.engine = auto; $small; $many");
is($other->query($workers), '0', 'nothing starts a worker but a call that wants it');
$session->query("SET gpufim.engine = gpu; $small");
is($other->query($workers), '1', 'the first one does');
is($other->query(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'gpufim GPU worker' AND datname IS NULL}), '1', 'it is connected to no database');
check_mining('dynamic');
is($other->query($workers), '1', 'all that was one worker');
$other->query("SET gpufim.engine = gpu; $small");
is($other->query($workers), '2', 'another session has another');
$other->quit;
$other = GpufimTest::Session->new($node);
ok(eventually(sub { $session->query($workers) eq '1' }), 'which ends with its session');
$session->query("SET gpufim.engine = gpu; SET gpufim.worker_idle_timeout = '1ms'; $small");
ok(eventually(sub { $other->query($workers) eq '0' }), 'the worker ends when it was idle long enough');
is($session->query("SET gpufim.worker_idle_timeout = '1h'; $small"), '3', 'the next call');
is($session->query($workers), '1', 'starts it again');
$session->quit;
no_leftovers($node, $before, 'the end of a session');

# In the background of nothing: gpufim_devices() alone asks, too.
$session = GpufimTest::Session->new($node);
is($session->query('SELECT count(*) FROM gpufim_devices()'), '3', 'gpufim_devices() starts a worker to ask');
is($session->query(q{SET gpufim.engine = gpu; SET max_parallel_workers_per_gather = 2; SELECT count(*) FROM gpufim_devices() WHERE usable}), '3', 'once');
$session->quit;

$session = GpufimTest::Session->new($node);
is($session->query(q{SET gpufim.worker_idle_timeout = '1ms'; SELECT count(*) FROM gpufim_devices()}), '3', 'another that ends soon');
ok(eventually(sub { $session->query($workers) eq '0' }), 'a worker that was only asked ends, too');
$_->quit for $session, $other;

# A call gives up to change to the GPU when three workers have ended before they found devices; the session's next call
# tries again.  On the CPU, these calls would not end, and the stand-in mines only pairs for them.
{
	my $call = q{SET gpufim.gpu_patience = '1ms'; SET gpufim.workers = 0; SELECT sum(itemsets) FROM itemset_counts('wide', 'items', 2)};
	my $stays = qr/the call stays on the CPU\n.*GPU worker ended while it was starting/;

	$session = GpufimTest::Session->new($node);
	$other = GpufimTest::Session->new($node);
	tell_gpu($node, $_, 1) for 'exit', 'pairs';
	$log = -s $node->logfile;
	$session->send($call);
	ok(eventually(sub { logged($stays) }), 'a call whose GPU workers end stays on the CPU');
	$other->query("SELECT pg_cancel_backend($session->{pid})");
	$session->finish;
	like($session->{err}, qr/^ERROR:  57014/, 'until it is cancelled');
	tell_gpu($node, 'exit', 0);
	$log = -s $node->logfile;
	$session->send($call);
	ok(eventually(sub { $session->finished || logged($stays) }), 'the next call, when workers do not end any more ...');
	ok(!logged($stays), '... does not give up ...');
	$other->query("SELECT pg_cancel_backend($session->{pid})") unless $session->finished;
	$session->finish;
	like($session->query($ran), qr/^gpu\|/, '... and ends on the GPU');
	tell_gpu($node, 'pairs', 0);
	$_->quit for $session, $other;
}

# A call that the source makes an error starts no worker before it says so.
$session = GpufimTest::Session->new($node);
$session->query(q{SET gpufim.engine = gpu; SELECT * FROM frequent_itemsets('nosuch', 'items', 1)});
like($session->{err}, qr/ERROR:  42P01:.*nosuch/, 'the source is looked at before the GPU is');
$session->query(q{SELECT * FROM frequent_itemsets('baskets', 'nosuch', 1)});
like($session->{err}, qr/ERROR:  42703:.*nosuch/, 'and so are its columns');
is($session->query($workers), '0', 'for which no worker has been started');
$session->quit;

# No worker slot for the moment, because workers on the CPU of the session's call before, which was cancelled,
# have not ended yet: the call waits for one.
for my $engine ('gpu', 'auto; SET gpufim.gpu_patience = 0')
{
	$session = GpufimTest::Session->new($node);
	$other = GpufimTest::Session->new($node);
	my $waits = qq{SELECT count(*) FROM pg_stat_activity WHERE pid = $session->{pid} AND wait_event = 'Extension'};
	my ($release) = held_workers($session, $other, 8, q{SET gpufim.engine = cpu; SELECT sum(itemsets) FROM itemset_counts('wide', 'items', 2)});

	$session->send("SET gpufim.engine = $engine; $small");
	ok(eventually(sub { $session->finished || $other->query($waits) eq '1' }), "engine $engine without a slot");
	ok(!$session->finished, 'waits for one ...');
	$release->();
	is($session->finish, '3', '... and goes on ...');
	is($session->{err}, '', '... without a word ...');
	like($session->query($ran), qr/^gpu\|/, '... on the GPU');
	$_->quit for $session, $other;
}

# A session that has had a GPU worker knows the devices, so its job waits in the queue for the next worker.  The time
# in which that has to start, which is over at once here, does not begin before there is a slot for it.
{
	$session = GpufimTest::Session->new($node);
	$other = GpufimTest::Session->new($node);
	my $waits = qq{SELECT count(*) FROM pg_stat_activity WHERE pid = $session->{pid} AND wait_event = 'Extension'};
	$session->query("SET gpufim.engine = gpu; SET gpufim.worker_idle_timeout = '1ms'; $small");
	ok(eventually(sub { $other->query($workers) eq '0' }), 'a worker that has ended ...');
	my ($release) = held_workers($session, $other, 8, q{SET gpufim.engine = cpu; SELECT sum(itemsets) FROM itemset_counts('wide', 'items', 2)});

	$session->send("SET gpufim.engine = gpu; SET gpufim.inject_slowness = 0; $small");
	ok(eventually(sub { $session->finished || $other->query($waits) eq '1' }), '... whose session finds no slot for the next ...');
	sleep 0.3;
	ok(!$session->finished, '... goes on waiting for one ...');
	$other->query("SELECT pg_cancel_backend($session->{pid})");
	$session->finish;
	like($session->{err}, qr/^ERROR:  57014/, '... until it is cancelled');
	$session->send("RESET gpufim.inject_slowness; $small");
	ok(eventually(sub { $session->finished || $other->query($waits) eq '1' }), 'the next call waits, too');
	$release->();
	is($session->finish, '3', '... and is served when there is one');
	is($session->{err}, '', '... without a word');
	$_->quit for $session, $other;
}
no_leftovers($node, $before, 'a call that has waited for a slot');

# No worker slot: an error, or the CPU.
$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
$node->restart;
$session = GpufimTest::Session->new($node);
$session->query("SET gpufim.engine = gpu; $small");
like($session->{err}, qr/ERROR:  55000:.*no GPU that can mine\nDETAIL:  .*max_worker_processes/, 'without worker slots there is no GPU');
is($session->query("SET gpufim.engine = auto; SET gpufim.gpu_patience = 0; $small"), '3', 'but the CPU');
is($session->{err}, '', 'silently');
$other = GpufimTest::Session->new($node);
$log = -s $node->logfile;
$session->send(q{SET gpufim.gpu_patience = '1ms'; SELECT sum(itemsets) FROM itemset_counts('wide', 'items', 2)});
ok(eventually(sub { logged(qr/the call stays on the CPU\n.*max_worker_processes/) }), 'a call that would change to the GPU says to developers why it does not');
$other->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish;
like($session->{err}, qr/^ERROR:  57014/, 'and goes on until it is cancelled');
$_->quit for $session, $other;

# Preloaded: one for all, from the start.
$node->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'gpufim'
max_worker_processes = 8
});
$node->restart;
$session = GpufimTest::Session->new($node);
$other = GpufimTest::Session->new($node);
ok(eventually(sub { $session->query($workers) eq '1' }), 'preloaded, it is there');
$before = leftovers($node);
is($session->query("SET gpufim.gpu_patience = -1; $many"), '20', 'a large job, while there are no contexts');
like($session->query($ran), qr/^cpu\|bitmap\|cpu\|\d+$/, "is the CPU's");
$session->query('RESET gpufim.gpu_patience');
check_mining('preloaded');
$other->query("SET gpufim.engine = gpu; $small");
is($other->query($ran), 'gpu|tensor|gpu 0,1|1', 'another session');
is($other->query($workers), '1', 'has the same worker');
no_leftovers($node, $before, 'preloaded mining');

# Whoever detaches the data of a call last has to free them: the worker, which keeps them for a moment.  Much data
# it does not keep.
{
	my $let_go = qr/GPU worker has let go of the data of its last job/;
	my $events = sub { return "SELECT count(*) FROM frequent_episodes('(SELECT n % 3 AS kind, n AS at FROM generate_series(1, $_[0]) AS n)', 'kind', 'at', 1, '{\"(0,2]\"}', max_length => 1); SELECT engine FROM gpufim_last_run()" };

	$session->query('SET gpufim.engine = gpu');
	$log = -s $node->logfile;
	is($session->query($events->(1000)), "3\ngpu", 'a call with few data');
	worker_is_idle($node);
	ok(logged($let_go), 'the worker keeps for a moment');
	no_leftovers($node, $before, 'a worker that is idle');
	$log = -s $node->logfile;
	is($session->query($events->(5_800_000)), "3\ngpu", 'a call with more than 64 MB');
	worker_is_idle($node);
	ok(!logged($let_go), 'of which the worker keeps nothing');
	no_leftovers($node, $before, 'a worker with much to do');
	$session->query('RESET gpufim.engine');
}
$log = -s $node->logfile;
$node->append_conf('postgresql.conf', q{gpufim.worker_idle_timeout = '10ms'});
$node->reload;
$session->query("SET gpufim.engine = gpu; $small");
ok(eventually(sub { logged(qr/GPU worker has given up its contexts/) }), 'idle, it gives up its contexts');
is($other->query($workers), '1', 'but stays');
is($session->query($small), '3', 'and mines again');
$node->append_conf('postgresql.conf', 'gpufim.worker_idle_timeout = 0');
$node->reload;
$_->quit for $session, $other;

# A library that is none, and none at all: the server starts and mines.
$node->append_conf('postgresql.conf', q{gpufim.cuda_library = '/dev/null'});
$node->restart;
$session = GpufimTest::Session->new($node);
is($session->query(q{SELECT usable, reason LIKE 'could not load library "/dev/null"%' FROM gpufim_devices() WHERE kind = 'gpu'}), 'f|t', 'gpufim_devices() says what is wrong with a library');
$session->query("SET gpufim.engine = gpu; $small");
like($session->{err}, qr/ERROR:  55000:.*no GPU that can mine\nDETAIL:  .*could not load library/, 'so does the error');
is($session->query("SET gpufim.engine = auto; SET gpufim.gpu_patience = 0; $small"), '3', 'auto is the CPU then');
is($session->{err}, '', 'silently');
$session->quit;

$node->append_conf('postgresql.conf', q{gpufim.cuda_library = '/nowhere/gpufim_cuda'});
$node->restart;
for my $how ('preloaded', 'dynamic')
{
	$session = GpufimTest::Session->new($node);
	is($session->query(q{SELECT count(*) FROM gpufim_devices() WHERE kind = 'gpu'}), '0', "$how, no library: there are no GPUs");
	is($session->query($workers), '0', "$how, no library: and no worker");
	$session->query("SET gpufim.engine = gpu; $small");
	like($session->{err}, qr/ERROR:  55000:.*no GPU that can mine\nDETAIL:  .*library/i, "$how, no library: the error says so");
	is($session->query("SET gpufim.engine = auto; SET gpufim.gpu_patience = 0; $small"), '3', "$how, no library: auto mines");
	is($session->{err}, '', "$how, no library: silently");
	$session->query("SET gpufim.strategy = tensor; $small");
	like($session->{err}, qr/ERROR:  22023:.*engine "cpu" has no strategy "tensor" for \w+\(\)/, "$how, no library: strategies are those of the CPU");
	$session->quit;
	next if $how eq 'dynamic';
	$node->append_conf('postgresql.conf', q{shared_preload_libraries = ''});
	$node->restart;
}

# The library that is installed, if there is one, with the devices that are there.
$node->append_conf('postgresql.conf', q{gpufim.cuda_library = '$libdir/gpufim_cuda'});
for my $how ('dynamic', 'preloaded')
{
	$node->append_conf('postgresql.conf', q{shared_preload_libraries = 'gpufim'}) if $how eq 'preloaded';
	$node->restart;
	$session = GpufimTest::Session->new($node);
	my $usable = $session->query(q{SELECT count(*) FROM gpufim_devices() WHERE kind = 'gpu' AND usable});
	is($session->query(q{SELECT count(*) FROM gpufim_devices() WHERE NOT usable AND reason IS NULL}), '0', "$how, as installed: what is not usable has a reason");
	is($session->query("SET gpufim.gpu_patience = 0; $small; SELECT engine FROM gpufim_last_run()"), $usable ? "3\ngpu" : "3\ncpu", "$how, as installed: auto mines");
	is($session->{err}, '', "$how, as installed: silently");
	$session->quit;
}
$node->stop;
done_testing();
