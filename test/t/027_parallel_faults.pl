# Whatever goes wrong while several processes read a source, in a worker or in the leader, early or late,
# is an error of its own kind, or the result is right; and nothing stays behind.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_FAULTS		how many moments to interrupt calls at, 320 if it is not set
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;
use Time::HiRes qw(time);

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $faults = $ENV{GPUFIM_FAULTS} || 320;
# preloaded, so that others see a call that goes on
my $node = new_node(
	'parallel_faults',
	conf => qq{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
autovacuum = off
max_connections = 20
max_wal_senders = 0
max_worker_processes = 12
${GpufimTest::in_parallel}parallel_leader_participation = off
max_parallel_workers_per_gather = 3
log_min_messages = error
gpufim.workers = 0
});
my $session = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);
my $modern = $watcher->query('SHOW server_version_num') >= 160000;
my $force = $modern ? 'debug_parallel_query' : 'force_parallel_mode';
my $temporary = $node->data_dir . '/base/pgsql_tmp';
my $small = 'WITH (fillfactor = 10, parallel_workers = 3)';

$node->safe_psql('postgres', <<"SQL");
CREATE TABLE pairs $small AS SELECT k, (k * 7919 % 5003)::int AS t, (k * k % 17)::int AS i, ((k * k % 17) * 0.05)::float8 AS p, 'item ' || k * k % 17 AS name
	FROM generate_series(1, 40000::bigint) AS k;
CREATE TABLE lists $small AS SELECT k, ARRAY[k % 7, 20 + k * k % 11, 40 + k % 13] AS items, ARRAY[0.5, 0.6, 0.7]::float8[] AS p FROM generate_series(1, 10000) AS k;
CREATE TABLE wide $small AS SELECT k, k % 100 AS t, 'a long item of number ' || k AS i FROM generate_series(1, 20000) AS k;
CREATE TABLE ones WITH (parallel_workers = 1) AS SELECT one FROM generate_series(1, 100) AS one;
CREATE DOMAIN few AS int CHECK (VALUE < 16);
ANALYZE;
SQL
$node->safe_psql('postgres', <<'SQL');
-- does what it is told to, in the process that it is called in, for one number
CREATE FUNCTION act(what text, n bigint, at bigint) RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE COST 10 AS $$
BEGIN
	IF n = at THEN
		CASE what
			WHEN 'raise' THEN RAISE EXCEPTION 'as told' USING ERRCODE = 'ZZ001', DETAIL = 'a detail', HINT = 'a hint';
			WHEN 'cancel' THEN PERFORM pg_cancel_backend(pg_backend_pid()), pg_sleep(60);
			WHEN 'terminate' THEN PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(60);
			WHEN 'write' THEN INSERT INTO ones VALUES (2);
		END CASE;
	END IF;
	RETURN n;
END
$$;

-- values with functions of their own, which may fail for one value, or in the leader alone
CREATE TYPE odd AS (n int);
CREATE FUNCTION odd_hash(odd) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
	IF $1.n = current_setting('my.bad_hash')::int AND coalesce(current_setting('my.leader', true)::int, pg_backend_pid()) = pg_backend_pid() THEN
		RAISE EXCEPTION 'no hash' USING ERRCODE = 'ZZ002';
	END IF;
	RETURN hashint4($1.n);
END
$$;
CREATE FUNCTION odd_equal(odd, odd) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
	IF $1.n = current_setting('my.bad_equal')::int AND coalesce(current_setting('my.leader', true)::int, pg_backend_pid()) = pg_backend_pid() THEN
		RAISE EXCEPTION 'not comparable' USING ERRCODE = 'ZZ003';
	END IF;
	RETURN $1.n = $2.n;
END
$$;
CREATE OPERATOR === (LEFTARG = odd, RIGHTARG = odd, FUNCTION = odd_equal, HASHES);
CREATE FUNCTION odd_order(odd, odd) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT btint4cmp($1.n, $2.n)';
CREATE FUNCTION odd_less(odd, odd) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1.n < $2.n';
CREATE OPERATOR <<< (LEFTARG = odd, RIGHTARG = odd, FUNCTION = odd_less);
CREATE OPERATOR CLASS odd_order_ops DEFAULT FOR TYPE odd USING btree AS OPERATOR 1 <<<, OPERATOR 3 ===, FUNCTION 1 odd_order(odd, odd);
CREATE OPERATOR CLASS odd_ops DEFAULT FOR TYPE odd USING hash AS OPERATOR 1 ===, FUNCTION 1 odd_hash(odd);
ALTER DATABASE postgres SET my.bad_hash = -1;
ALTER DATABASE postgres SET my.bad_equal = -1;
SQL
$_->quit for $session, $watcher;
$session = GpufimTest::Session->new($node);
$watcher = GpufimTest::Session->new($node);
my $postmaster = $watcher->query('SELECT pg_postmaster_start_time()');

# What may be left: segments, temporary files, processes, and calls that others see.
sub left
{
	my @segments = segments($node);
	my @files = glob "$temporary/*";

	return join ' ', scalar(@segments), scalar(@files), $watcher->query(q{SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'gpufim%' OR backend_type = 'parallel worker') || ' ' || count(*) FROM gpufim_progress});
}

my $nothing = left();

# What has once been left will be there later.
my $wait = 20;

sub nothing_left
{
	return 1 if eventually(sub { left() eq $nothing }, $wait);
	$wait = 0.2;
	return 0;
}

# Sources in the pair form, and others; each with what may go wrong in it for row $at.
sub itemsets
{
	my ($columns, $where) = @_;

	return 'SELECT count(*) || $$ $$ || coalesce(sum(support), 0) FROM frequent_itemsets($$(SELECT ' . $columns . ' FROM pairs WHERE ' . ($where || 'true') . ')$$, $$t$$, $$i$$, 0.01)';
}

# A digest of what a call gives, and how many workers read.
my $workers_of_run = 'SELECT read_workers FROM gpufim_last_run()';

sub serial
{
	my ($call, $in) = @_;
	my $result = ($in || $session)->query("SET max_parallel_workers_per_gather = 0; $call; RESET max_parallel_workers_per_gather");

	die "$call: $session->{err}" if ($in || $session)->{err} =~ /ERROR/;
	return $result;
}

# A call gives the same with workers as without; they have read, or not if $workers is 0.
sub same
{
	my ($name, $call, $workers, $in) = @_;
	my $on = $in || $session;
	my $expected = serial($call, $on);
	my $result = $on->query($call);

	is($on->{err} . $result, $expected, "$name: the result is right");
	$result = $on->query($workers_of_run);
	$workers //= 1;
	ok($workers ? $result > 0 : $result eq '0', "$name: " . ($workers ? 'workers read' : 'no worker reads')) or diag("$result workers");
	return;
}

my $good = itemsets('*');
my $good_result = serial($good);
my $big = q{SELECT count(*) || ' ' || sum(support) FROM frequent_itemsets('(SELECT t % 1000 AS t, i FROM pairs UNION ALL SELECT 1000 + t % 999, i FROM pairs UNION ALL SELECT 2000 + t % 998, i FROM pairs UNION ALL SELECT 3000 + t % 997, i FROM pairs)', 't', 'i', 0.5)};

# What has failed leaves nothing, and its session goes on.
sub after
{
	my ($name) = @_;

	is($session->query($good), $good_result, "$name: the session goes on") or diag($session->{err});
	ok(nothing_left(), "$name: nothing stays behind") or diag(left(), ", not $nothing");
	return;
}

sub fails
{
	my ($name, $sql, $state) = @_;

	$session->query($sql);
	like($session->{err}, qr/^(?:ERROR|FATAL):  (?:$state):/m, "$name: an error of its own");
	return $session->{err};
}

same('a good call', $good);
same('the leader alone, with workers planned', "SET max_parallel_workers = 0; $good; RESET max_parallel_workers", 0);
ok(nothing_left(), 'good calls leave nothing behind');

# Errors: name, call, state, part of the message, what must be set, and where it comes from if that need not be a worker.
my $uncertain = 'SELECT count(*) FROM probable_itemsets($$(SELECT %s FROM pairs)$$, $$t$$, $$i$$, $$p$$, 0.01, 0.5)';
# ids so long that workers group them, and so slow that all of them take part
my $slow = 'ARRAY[ROW(t)::odd, ROW(t)::odd, ROW(t)::odd, ROW(t)::odd]';
my $arrays = 'SELECT count(*) FROM probable_itemsets($$(SELECT %s FROM lists)$$, $$items$$, $$p$$, 0.01, 0.5)';
my @cases = (
	[ 'division by zero', itemsets('t, 1 / (i - 4) AS i'), '22012' ],
	[ 'division by zero in the last row', itemsets('t, i / (40000 - k) AS i'), '22012' ],
	[ 'division by zero in the condition', itemsets('*', '1 / (k - 11000) = 0'), '22012' ],
	[ 'a function that raises', itemsets('act($a$raise$a$, k, 15000) AS t, i'), 'ZZ001', qr/as told\nDETAIL:  a detail\nHINT:  a hint/ ],
	[ 'a domain', itemsets('t, i::few AS i'), '23514', undef, undef, 'leader' ],
	[ 'a cast', itemsets('t, substr(name, 7 - (k = 9999)::int)::int AS i') =~ s/7 - /5 - /r, '22P02' ],
	[ 'a write', itemsets('act($a$write$a$, k, 15000) AS t, i'), '25000' ],
	[ 'a process that cancels itself', itemsets('act($a$cancel$a$, k, 15000) AS t, i'), '57014' ],
	[ 'a probability of 1.5', sprintf($uncertain, 't, i, CASE WHEN k = 15000 THEN 1.5 ELSE p END AS p'), '22003' ],
	[ 'two probabilities', sprintf($uncertain, 't, i, CASE WHEN k > 19900 THEN 0.123 ELSE 0.5 END AS p'), '22000', undef, undef, 'leader' ],
	[ 'two probabilities, in order', 'SELECT count(*) FROM probable_itemsets($$(SELECT k / 8 AS t, 1 AS i, CASE WHEN k % 1000 = 0 THEN 0.1 ELSE 0.5 END AS p FROM pairs)$$, $$t$$, $$i$$, $$p$$, 0.01, 0.5)', '22000', undef, undef, 'either' ],
	# of so many rows that processes write to shared memory
	[ 'the last of many rows', 'SELECT count(*) FROM frequent_itemsets($$(SELECT t + 5003 * copy AS t, i / (40000 - k) AS i FROM pairs, generate_series(1, 40) AS copy)$$, $$t$$, $$i$$, 2)', '22012' ],
	[ 'two probabilities in many rows', 'SELECT count(*) FROM probable_itemsets($$(SELECT t + 5003 * copy AS t, i, CASE WHEN k > 39900 THEN 0.1 ELSE 0.5 END AS p FROM pairs, generate_series(1, 40) AS copy)$$, $$t$$, $$i$$, $$p$$, 2, 0.5)', '22000', undef, undef, 'leader' ],
	[ 'not as many probabilities', sprintf($arrays, 'items, CASE WHEN k = 9000 THEN p[1:2] ELSE p END AS p'), '2202E' ],
	[ 'a bad probability in an array', sprintf($arrays, 'items, CASE WHEN k = 9000 THEN ARRAY[0.5, 7, 0.5] ELSE p END AS p'), '22003' ],
	[ 'a hash function that fails', itemsets('t, ROW(i)::odd AS i'), 'ZZ002', qr/no hash/, 'SET my.bad_hash = 13' ],
	[ 'an equality that fails', itemsets('t, ROW(i)::odd AS i'), 'ZZ003', qr/not comparable/, 'SET my.bad_equal = 13' ],
	[ 'too little memory', q{SELECT count(*) FROM frequent_itemsets('wide', 't', 'i', 2)}, '53200', qr/not enough memory/, q{SET gpufim.memory_limit = '512kB'}, 'either' ],
	[ 'a limit of temporary files', $big, '53400', undef, q{SET temp_file_limit = '16kB'; SET gpufim.memory_limit = '4MB'}, 'either' ]);
for my $case (@cases)
{
	my ($name, $call, $state, $message, $set, $where) = @$case;
	my $error;

	$set //= 'SELECT';
	$error = fails("$name, in a worker", "$set; $call", $state);
	like($error, qr/^CONTEXT: .*parallel worker/ms, "$name: a worker's") unless $where;
	like($error, $message, "$name: all of the message") if $message;
	$session->query('RESET ALL');
	after("$name, in a worker");
	$error = fails("$name, in the leader", "$set; SET max_parallel_workers = 0; $call", $state);
	unlike($error, qr/parallel worker/, "$name: the leader's");
	$session->query('RESET ALL');
	after("$name, in the leader");
}

# Workers that group find two probabilities in one transaction, but not what the item is: the leader says so, whoever has the
# transaction.
for my $k (map { 3000 + 1777 * $_ } 1 .. 8)
{
	my $error = fails("two probabilities in row $k", sprintf($uncertain, "$slow AS t, 1 AS i, CASE WHEN k = $k THEN 0.25 ELSE 0.5 END AS p"), '22000');

	like($error, qr/item "1" is in one transaction with different probabilities, (?:0.5 and 0.25|0.25 and 0.5)\n/, 'all of the message');
	unlike($error, qr/parallel worker/, "the leader's");
}
after('two probabilities');

# Errors in the leader once it has all of the workers' parts.
for my $call (itemsets('t, ROW(i)::odd AS i'), itemsets('ROW(i)::odd AS t, i'),
	'SELECT count(*) FROM frequent_pairs($$(SELECT t, ROW(i)::odd AS i FROM pairs)$$, $$t$$, $$i$$, 2)')
{
	$session->query(q{SELECT set_config('my.leader', pg_backend_pid()::text, false); SET my.bad_hash = 13});
	unlike(fails("when parts are taken", $call, 'ZZ002'), qr/parallel worker/, 'in the leader alone');
	$session->query('RESET ALL');
	after('when parts are taken');
}
$session->query(q{SELECT set_config('my.leader', pg_backend_pid()::text, false); SET my.bad_hash = 13; SET gpufim.memory_limit = '4MB'});
fails('when parts are taken from files', itemsets('t, ROW(i)::odd AS i'), 'ZZ002');
$session->query('RESET ALL');
after('when parts are taken from files');

# A worker that is terminated by itself.
fails('a worker that is terminated', itemsets('act($a$terminate$a$, k, 15000) AS t, i'), '57P01');
after('a worker that is terminated');

# A folder that nobody may write to.
SKIP:
{
	skip 'root may write everywhere', 4 if $> == 0;
	mkdir $temporary;
	chmod 0500, $temporary;
	$nothing = left();
	$session->query(q{SET gpufim.memory_limit = '4MB'});
	# PostgreSQL gives the leader's own file no SQLSTATE
	fails('a folder that is not writable', $big, '42501|XX000');
	$session->query('RESET ALL');
	after('a folder that is not writable');
	chmod 0700, $temporary;
	$session->query(q{SET gpufim.memory_limit = '4MB'});
	same('when it is writable again', $big);
	$session->query('RESET ALL');
}

# Caught errors: nothing is left within the transaction either, and calls go on in it.
$session->query(q{
	CREATE FUNCTION caught(call text, OUT state text, OUT segments bigint) LANGUAGE plpgsql AS $$
	DECLARE
		before bigint := (SELECT count(*) FROM pg_ls_dir('pg_dynshmem'));
	BEGIN
		BEGIN
			EXECUTE call;
			state := '00000';
		EXCEPTION WHEN OTHERS OR query_canceled THEN
			state := SQLSTATE;
		END;
		segments := (SELECT count(*) FROM pg_ls_dir('pg_dynshmem')) - before;
	END
	$$});
$session->query('BEGIN');
for my $case (@cases)
{
	my ($name, $call, $state, undef, $set) = @$case;

	next if $set;
	like($session->query("SELECT state || ' ' || segments FROM caught(\$sql\$$call\$sql\$)"), qr/^(?:$state) 0$/, "$name, caught");
	is($session->query($good), $good_result, "$name: the transaction goes on");
}
$session->query('SAVEPOINT s');
fails('before a savepoint is rolled back', $cases[0][1], '22012');
$session->query('ROLLBACK TO s');
is($session->query($good), $good_result, 'after ROLLBACK TO');
$session->query('COMMIT');
after('a transaction with errors');

# With little memory parts go to files.
$session->query(q{SET gpufim.memory_limit = '4MB'});
same('little memory', $big);
like($session->query('SELECT spilled_bytes > 0, read_workers > 0 FROM gpufim_last_run()'), qr/^t\|t$/, 'in files');
$session->query('RESET ALL');
after('little memory');

# No segments are left: sessions that hold them all, but a few, with parallel queries within parallel queries.
{
	my @holders;
	my (%seen, %in_files);
	my $grouped = itemsets("$slow AS t, i");
	my $segments = sub { scalar(() = glob $node->data_dir . '/pg_dynshmem/mmap.*') };
	my $hold = sub {
		my ($depth) = @_;
		my $holder = GpufimTest::Session->new($node);

		$holder->query("SET application_name = 'holder'; SET max_parallel_workers = 0; SET parallel_leader_participation = on");
		$holder->send("SELECT hold($depth)");
		eventually(sub { $watcher->query("SELECT wait_event = 'PgSleep' FROM pg_stat_activity WHERE pid = $holder->{pid}") eq 't' }) or die 'no segments are held';
		push @holders, $holder;
	};
	my $let_go = sub {
		my $holder = pop @holders;

		$watcher->query("SELECT pg_terminate_backend($holder->{pid})");
		$holder->finish;
		eventually(sub { $watcher->query("SELECT count(*) FROM pg_stat_activity WHERE pid = $holder->{pid}") eq '0' });
	};

	$watcher->query(q{
		CREATE FUNCTION hold(depth int) RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE COST 100000 AS $$
		BEGIN
			IF depth = 0 THEN
				PERFORM pg_sleep(100000);
				RETURN 0;
			END IF;
			-- a query with INTO, or in an expression, would have no workers
			PERFORM count(*) FROM ones WHERE one = 1 AND hold(depth - one) = 0;
			RETURN 0;
		END
		$$});
	for (my $held = 0; $held < $segments->() && @holders < 15;)
	{
		$held = $segments->();
		$hold->(60);
	}
	my $all = $segments->();
	note "$all segments";
	# the last one has held nothing, and that before it some
	$let_go->();
	$let_go->();
	my $room = $all - $segments->();
	for my $free (0 .. 9)
	{
		$hold->($room - $free) if $room > $free;
		my $run = join ' ', $session->query($good), $session->query('SELECT read_workers, spilled_bytes > 0 FROM gpufim_last_run()');

		is($session->{err}, '', "$free segments free: no error");
		like($run, qr/^\Q$good_result\E /, "$free segments free: the result is right") or diag($run);
		$seen{ $run =~ s/^\Q$good_result\E //r =~ s/^[1-9]\d*/n/r } = 1;
		is($session->query($grouped), $good_result, "$free segments free: the result of workers that group is right") or diag($session->{err});
		$in_files{ $session->query('SELECT CASE WHEN spilled_bytes = 0 THEN 0 WHEN spilled_bytes < 1000000 THEN 1 ELSE 2 END FROM gpufim_last_run()') } .= " $free";
		$let_go->() if $room > $free;
	}
	note join ', ', sort keys %seen;
	ok($seen{'0|f'}, 'without any, the leader reads alone');
	ok($seen{'n|t'}, 'without enough of them, workers leave parts in files');
	ok($seen{'n|f'}, 'with enough of them, in segments');
	note join ', ', map { "$_: with$in_files{$_} free" } sort keys %in_files;
	ok($in_files{1}, 'without enough of them, workers leave groups in files');
	ok($in_files{0}, 'with enough of them, in segments');
	$let_go->() while @holders;
	after('no segments');
}

# What PostgreSQL must not have workers do.
$session->query('ALTER FUNCTION odd_hash(odd) PARALLEL UNSAFE');
same('a hash function that is not safe', itemsets('t, ROW(i)::odd AS i'), 0);
same('one of the elements of an array', 'SELECT count(*) || $$ $$ || sum(support) FROM frequent_itemsets($$(SELECT ARRAY[ROW(i)::odd, ROW(t % 7)::odd] AS i FROM pairs)$$, $$i$$, 0.01)', 0);
same('one of transaction ids', itemsets('ROW(t)::odd AS t, i'), 0);
$session->query('ALTER FUNCTION odd_hash(odd) PARALLEL RESTRICTED');
same('a hash function for the leader', itemsets('t, ROW(i)::odd AS i'), 0);
$session->query('ALTER FUNCTION odd_hash(odd) PARALLEL SAFE');
same('a hash function that is safe', itemsets('t, ROW(i)::odd AS i'));
$session->query('ALTER FUNCTION odd_equal(odd, odd) PARALLEL UNSAFE');
same('an equality that is not safe', itemsets('t, ROW(i)::odd AS i'), 0);
$session->query('ALTER FUNCTION odd_equal(odd, odd) PARALLEL SAFE');

# PostgreSQL can be told to give all of a plan to a worker, which nobody would hear of.
for my $mode ('on', 'regress')
{
	$session->query("SET $force = $mode");
	same("$force = $mode", $good);
	for my $source ('(SELECT * FROM pairs ORDER BY k LIMIT 10000)', '(SELECT k % 100 AS t, k % 13 AS i FROM generate_series(1, 1000) AS k)', '(VALUES (1, 2), (1, 3))')
	{
		my $call = "SELECT count(*) || ' ' || coalesce(sum(support), 0) FROM frequent_itemsets('$source', '" . ($source =~ /VALUES/ ? "column1', 'column2" : "t', 'i") . "', 1)";
		my $expected = serial($call);

		is($session->query($call), $expected, "$force = $mode: $source");
	}
	$session->query("RESET $force");
}
after($force);

# The aggregate is for functions of gpufim alone, however it is called.
for my $call (
	'gpufim_read(1, t)', 'gpufim_read(NULL, t)', 'gpufim_read(0, t)', 'gpufim_read(-1, t, i)', 'gpufim_read(k, t, i)', 'gpufim_read(1, t, i) OVER ()',
	'gpufim_read(1, t, i) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)', 'gpufim_read(DISTINCT 1, t)', 'gpufim_read(1, t ORDER BY i)',
	'gpufim_read(1, t) FILTER (WHERE k > 10)', 'gpufim_read(1, VARIADIC ARRAY[t, i])', 'gpufim_read(1, NULL::text, ROW(t))', 'gpufim_read(k, t, i, p, name)')
{
	for my $rest ('', 'WHERE k % 2 = 0 GROUP BY t', 'GROUP BY ROLLUP (t, i)')
	{
		next if $call =~ /OVER/ && $rest;
		fails("$call $rest", "SELECT count(*) FROM (SELECT $call AS read FROM pairs $rest) AS s WHERE read IS NOT NULL", '55000|42803');
	}
}
fails($_, "SELECT $_", '55000|42846|42883|0A000')
  for 'gpufim_read_row(NULL::internal, 1, 2)', 'gpufim_read_row(NULL, 1, VARIADIC ARRAY[1, 2])', 'gpufim_read_combine(NULL::internal, NULL::internal)',
  'gpufim_read_finish(NULL::internal)', 'gpufim_read_row(NULL::internal, 1)';
after('calls of the aggregate');

# Those who may read the query of a running call know its handle.  In a worker, within the call, and from another session.
$session->query(q{
	CREATE FUNCTION handle_of(query text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT substring(query FROM 'gpufim_read\((-?\d+)')::bigint$$;
	CREATE FUNCTION seen_handle() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$
	DECLARE
		handle bigint;
	BEGIN
		FOR i IN 1 .. 5000 LOOP
			PERFORM pg_stat_clear_snapshot();
			SELECT handle_of(query) FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND handle_of(query) IS NOT NULL LIMIT 1 INTO handle;
			EXIT WHEN handle IS NOT NULL;
			PERFORM pg_sleep(0.001);
		END LOOP;
		RETURN handle;
	END
	$$;
	CREATE FUNCTION in_worker(call text, n bigint, at bigint) RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$
	BEGIN
		IF n = at THEN
			EXECUTE format(call, handle_of(current_query()));
		END IF;
		RETURN n;
	END
	$$;
	-- in the leader, once; while its cursor is open, it has been done
	CREATE FUNCTION in_leader(call text, n bigint) RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$
	DECLARE
		done refcursor := 'done';
		kept refcursor := 'kept';
		first text;
	BEGIN
		IF pg_backend_pid() = current_setting('my.leader')::int AND NOT EXISTS (SELECT FROM pg_cursors WHERE name = 'done') THEN
			OPEN done FOR SELECT 1;
			IF call ~ '^CURSOR' THEN
				OPEN kept FOR EXECUTE format(substr(call, 8), seen_handle());
				FETCH kept INTO first;
			ELSE
				EXECUTE format(call, seen_handle());
			END IF;
		END IF;
		RETURN n;
	END
	$$});
fails('the handle in a worker', itemsets("in_worker(\$a\$$_\$a\$, k, 15000) AS t, i"), '55000')
  for 'SELECT gpufim_read(%s, n, n) FROM generate_series(1, 100) AS n', 'SELECT gpufim_read(%s, n, n) OVER (ORDER BY n) FROM generate_series(1, 100::bigint) AS n',
  'SELECT gpufim_read(%s, n::bigint, n) FROM generate_series(1, 100) AS n', 'SELECT gpufim_read(%1$s, n::bigint, n), gpufim_read(%1$s + 4294967296, n::bigint, n) FROM generate_series(1, 100) AS n';
fails('another handle of the same segment in a worker', itemsets("in_worker(\$a\$SELECT gpufim_read(%s + 4294967296, n::bigint, n) FROM generate_series(1, 100) AS n\$a\$, k, 15000) AS t, i"), '55000');
after('the handle in a worker');

my $prepare = q{SET parallel_leader_participation = on; SELECT set_config('my.leader', pg_backend_pid()::text, false)};
for my $call ('SELECT gpufim_read(%s, n, n) FROM generate_series(1, 100) AS n', 'SELECT gpufim_read(%s, n::text, n) FROM generate_series(1, 100) AS n',
	'SELECT gpufim_read(%s, n) FROM generate_series(1, 100) AS n', 'SELECT gpufim_read(%s + 1, n::bigint, n) FROM generate_series(1, 100) AS n',
	'SELECT gpufim_read(%s, i, t) FROM pairs')
{
	$session->query("$prepare; BEGIN");
	fails("in the leader: $call", itemsets("in_leader(\$a\$$call\$a\$, t) AS t, i"), '55000');
	$session->query('ROLLBACK');
}

# Whoever adds rows of the right types to a call of its own gets them.  But states that outlive the call, as those of cursors
# do, are of no use to the next one.
for my $call ('SELECT gpufim_read(%s, n::bigint, 3) OVER (ORDER BY n) FROM generate_series(1, 1000) AS n',
	'SELECT gpufim_read(%s, n::bigint, 3) FROM generate_series(1, 1000) AS n GROUP BY GROUPING SETS ((n %% 10), ())')
{
	$session->query("$prepare; BEGIN");
	like($session->query(itemsets("in_leader(\$a\$CURSOR $call\$a\$, t) AS t, i")), qr/^\d+ \d+$/, "a cursor within the call: $call") or diag($session->{err});
	is($session->query(q{SELECT count(*) FROM pg_cursors WHERE name = 'kept'}), '1', 'it is there afterwards');
	$session->query('SAVEPOINT s');
	$session->query('FETCH ALL FROM kept');
	like($session->{err}, qr/^ERROR:  55000:|^$/, 'and of no use');
	$session->query('ROLLBACK TO s');
	is($session->query($good), $good_result, 'later calls are right');
	# in the next call, with other types
	$session->query(q{CLOSE done; CLOSE kept});
	$session->query(itemsets("in_leader(\$a\$CURSOR $call\$a\$, t) AS t, i"));
	$session->query('CLOSE done');
	$session->query(itemsets('t, $b$x$b$ || in_leader($a$FETCH ALL FROM kept -- %s$a$, i) AS i'));
	like($session->{err}, qr/^ERROR:  (?:55000|42601|22023|0A000|25000|42P11):|^$/, 'nor in the next call') or diag($session->{err});
	$session->query('ROLLBACK');
}
ok($watcher->query('SELECT pg_postmaster_start_time()') eq $postmaster, 'the server goes on');
$session->query('RESET ALL');
after('cursors over states');

# The handle of another session's call.
{
	my $other = GpufimTest::Session->new($node);
	my $handle;

	$other->send(itemsets('act($a$raise$a$, k, -1) + (pg_sleep(0.01) IS NULL)::int AS t, i'));
	eventually(sub { $handle = $watcher->query(q{SELECT substring(query FROM 'gpufim_read\((-?\d+)')::bigint FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND query ~ 'gpufim_read\(' LIMIT 1}) });
	ok($handle, 'another session reads');
	like(fails('its handle', "SELECT gpufim_read($handle, k, i) FROM pairs", '55000'), qr/parallel worker/, 'workers do not read for it');
	fails("its handle: $_", $_, '55000')
	  for "SELECT gpufim_read($handle, k, i) FROM pairs LIMIT 1",
	  "SELECT gpufim_read($handle, k, i) OVER () FROM pairs", "SET parallel_leader_participation = on; SELECT gpufim_read($handle, k, i) FROM pairs";
	fails('its handle, within a call', itemsets("in_worker(\$a\$SELECT gpufim_read($handle, 1::bigint, 2)\$a\$, k, 15000) AS t, i"), '55000');
	$session->query($prepare);
	ok(!$other->finished, 'which goes on');
	$watcher->query("SELECT pg_cancel_backend($other->{pid})");
	$other->finish;
	like($other->{err}, qr/^ERROR:  57014:/, 'until it is cancelled');
	$other->quit;
	$session->query('RESET ALL');
	after("another session's handle");
}

# A call within a call, in a worker, in the leader, and in the leader with workers of its own: the nested one's tickets must not
# come to the wrong call.  A volatile function would keep the source a subquery, whose workers PostgreSQL 14 expects nothing of.
$session->query(q{
	CREATE FUNCTION nested(n bigint) RETURNS bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
	BEGIN
		RETURN CASE WHEN n % 5000 = 77 THEN (SELECT count(*) FROM frequent_itemsets('lists', 'items', 0.3)) ELSE n END;
	END
	$$});
same('a call within a call', itemsets('nested(k) AS t, i'));
same('in the leader alone', 'SET max_parallel_workers = 0; ' . itemsets('nested(k) AS t, i') . '; RESET max_parallel_workers', 0);
$session->query('SET parallel_leader_participation = on');
is($session->query(itemsets('nested(k) AS t, i')), serial(itemsets('nested(k) AS t, i')), 'in all processes');
# Workers of a query within that, which read for the call outside, give what they leave to a leader that reads something else.
$session->query(q{
	CREATE FUNCTION not_leader() RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS $$BEGIN RETURN pg_backend_pid() <> current_setting('my.leader')::int; END$$;
	CREATE FUNCTION inner_call(handle bigint) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS $$
	BEGIN
		IF NOT not_leader() THEN
			EXECUTE format('SELECT gpufim_read(%s, k, i) FROM pairs WHERE not_leader()', handle);
		END IF;
		RETURN true;
	END
	$$});
$session->query("$prepare; BEGIN");
unlike(fails('tickets of the call outside', itemsets(q{in_leader($a$SELECT count(*) FROM frequent_itemsets('(SELECT items FROM lists WHERE inner_call(%s))', 'items', 0.3)$a$, k) AS t, i}), '55000'),
	qr/parallel worker/, 'the leader does not take them');
$session->query('ROLLBACK; RESET ALL');
after('a call within a call');

# A function of an outer query's worker that calls.
$session->query(q{
	CREATE FUNCTION calls(one int) RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE COST 100000 AS
		$$BEGIN RETURN (SELECT sum(support) FROM frequent_itemsets('pairs', 't', 'i', 0.01)); END$$});
$session->query("SET $force = on");
same('a call in a worker of the query', 'SELECT count(*) FROM ones WHERE one < 3 AND calls(one) > 1000', 0);
$session->query("RESET $force");
after('a call in a worker');

# Privileges.
$node->safe_psql('postgres', q{
	CREATE ROLE reader LOGIN;
	CREATE DATABASE apart;
	GRANT SELECT (k, t, i) ON pairs TO reader;
	CREATE TABLE guarded WITH (fillfactor = 10, parallel_workers = 3) AS SELECT k, t, i FROM pairs;
	ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
	CREATE POLICY even ON guarded USING (t % 2 = 0);
	GRANT SELECT ON guarded TO reader;
	CREATE FUNCTION definer(call text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$DECLARE r text; BEGIN EXECUTE call INTO r; RETURN r; END$$});
my $reader = GpufimTest::Session->new($node);
$reader->query('SET ROLE reader');
my $columns = itemsets('t, i');
same('privileges on columns', $columns, 1, $reader);
$reader->query(itemsets('t, i, p'));
like($reader->{err}, qr/^ERROR:  42501:/m, 'no privilege on a column');
$reader->query(sprintf $uncertain, 't, i, p');
like($reader->{err}, qr/^ERROR:  42501:/m, 'nor for its values');
$reader->query(q{SELECT count(*) FROM frequent_itemsets('wide', 't', 'i', 0.1)});
like($reader->{err}, qr/^ERROR:  42501:/m, 'nor on a table');
my $guarded = q{SELECT count(*) || ' ' || sum(support) FROM frequent_itemsets('guarded', 't', 'i', 0.01)};
same('row security', $guarded, 1, $reader);
is($reader->query($guarded), $session->query($guarded =~ s/'guarded'/'(SELECT * FROM guarded WHERE t % 2 = 0)'/r), 'the rows that the policy lets through');
isnt($reader->query($guarded), $session->query($guarded), 'and no others');
is($reader->query("SELECT definer(\$d\$$guarded\$d\$)"), $session->query($guarded), 'a function of another user reads as that');
ok($reader->query("SELECT definer('$workers_of_run')") > 0, 'with workers');
$session->query('REVOKE EXECUTE ON FUNCTION gpufim_read(bigint, "any") FROM PUBLIC');
same('without the privilege to call the aggregate', $columns, 0, $reader);
$session->query('GRANT EXECUTE ON FUNCTION gpufim_read(bigint, "any") TO PUBLIC; REVOKE EXECUTE ON FUNCTION gpufim_read_row(internal, bigint, "any") FROM PUBLIC');
same("without the privilege to call the aggregate's part", $columns, 1, $reader);
$session->query('GRANT EXECUTE ON FUNCTION gpufim_read_row(internal, bigint, "any") TO PUBLIC');
same('with all privileges', $columns, 1, $reader);

# Without USAGE on the schema, a query that was parsed before still calls the function.
$node->safe_psql('apart', q{
	CREATE SCHEMA ext;
	CREATE EXTENSION gpufim SCHEMA ext;
	CREATE SCHEMA open;
	GRANT USAGE ON SCHEMA open TO reader;
	CREATE TABLE open.pairs WITH (fillfactor = 10, parallel_workers = 3) AS SELECT (k * 7919 % 5003)::int AS t, (k * k % 17)::int AS i FROM generate_series(1, 20000::bigint) AS k;
	GRANT SELECT ON open.pairs TO reader;
	CREATE FUNCTION open.call() RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT count(*) || ' ' || sum(support) FROM ext.frequent_itemsets('open.pairs', 't', 'i', 0.01); END;
	CREATE FUNCTION open.workers() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT read_workers FROM ext.gpufim_last_run(); END});
{
	my $apart = GpufimTest::Session->new($node, 'apart');
	my $expected = $apart->query('SELECT open.call()');

	ok($apart->query('SELECT open.workers()') > 0, 'in a schema of its own, workers read');
	$apart->query('SET ROLE reader');
	$apart->query('SELECT ext.frequent_itemsets($$(VALUES (1, 2))$$, $$column1$$, $$column2$$, 1)');
	like($apart->{err}, qr/^ERROR:  42501:/m, 'the schema is closed');
	is($apart->query('SELECT open.call()'), $expected, 'a function made before calls');
	is($apart->{err} . $apart->query('SELECT open.workers()'), '0', 'and one process reads');
	$apart->quit;
}
after('privileges');

# Rows that this transaction has written, savepoints, and what other sessions write.
for my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	my @results;

	$session->query("BEGIN ISOLATION LEVEL $level");
	same("$level: at first", $good);
	push @results, $session->query($good);
	$session->query('INSERT INTO pairs SELECT k, 100000 + k % 500, k % 3, 0.5, $$x$$ FROM generate_series(1, 3000) AS k');
	same("$level: rows of its own", $good);
	push @results, $session->query($good);
	$session->query('SAVEPOINT s; UPDATE pairs SET i = 16 - i WHERE t % 3 = 0; DELETE FROM pairs WHERE t % 10 = 1');
	same("$level: rows of a savepoint", $good);
	push @results, $session->query($good);
	isnt($results[2], $results[1], "$level: which are others");
	$session->query('ROLLBACK TO s');
	is($session->query($good), $results[1], "$level: after ROLLBACK TO");
	$watcher->query('BEGIN; INSERT INTO pairs SELECT k, 200000 + k % 500, 20, 0.5, $$x$$ FROM generate_series(1, 3000) AS k; COMMIT');
	same("$level: beside another session", $good);
	($level eq 'READ COMMITTED' ? \&isnt : \&is)->($session->query($good), $results[1], "$level: what it sees of that");
	$session->query('ROLLBACK');
	$watcher->query('DELETE FROM pairs WHERE t >= 200000');
	after($level);
}

# Temporary tables, cursors, prepared statements, and plans that others invalidate.
$session->query('CREATE TEMP TABLE own WITH (parallel_workers = 3) AS SELECT * FROM pairs');
same('a temporary table', $good =~ s/FROM pairs/FROM own/r, 0);
$session->query('DROP TABLE own; BEGIN');
# Workers that have just ended may still hold all places for a moment.
my $read_workers = 0;
for my $attempt (1 .. 20)
{
	$session->query('CLOSE c') if $attempt > 1;
	$session->query('DECLARE c CURSOR FOR ' . $good =~ s/count\(\*\).*?FROM/support FROM/r);
	is($session->query('FETCH 3 FROM c') =~ tr/\n//, 2, 'rows of a cursor');
	$read_workers = $session->query($workers_of_run);
	last if $read_workers > 0;
}
ok($read_workers > 0, 'workers have read');
is($session->query($good), $good_result, 'another call beside it');
$session->query('MOVE ALL FROM c; COMMIT');
is($session->{err}, '', 'the rest of the cursor');
$session->query("PREPARE p AS $good; PREPARE q (float8) AS SELECT count(*) FROM frequent_itemsets('pairs', 't', 'i', \$1)");
for my $change ('ALTER TABLE pairs ADD COLUMN more int DEFAULT 3', 'ALTER TABLE pairs ALTER COLUMN i TYPE bigint', 'ALTER TABLE pairs ALTER COLUMN i TYPE text', 'ALTER TABLE pairs SET (parallel_workers = 0)',
	'ALTER TABLE pairs SET (parallel_workers = 2)', 'ALTER TABLE pairs DROP COLUMN more', 'ALTER TABLE pairs ALTER COLUMN i TYPE int USING i::int')
{
	for (1 .. 3)
	{
		is($session->query('EXECUTE p'), $good_result, "before: $change");
		$session->query('EXECUTE q (0.01)');
	}
	$watcher->query($change);
	is($session->query('EXECUTE p'), $good_result, $change);
	is($session->query('EXECUTE q (0.01)'), $good_result =~ s/ .*//r, "with a parameter: $change");
}
$session->query('DEALLOCATE ALL');
after('prepared statements');

# Interrupts at moments that nobody chooses.
my @calls = ($good, itemsets('t, name AS i'), itemsets('name || t % 900 AS t, i'), itemsets('k / 5 AS t, i'),
	sprintf($uncertain, 't, i, 0.5::float8 AS p'), sprintf($arrays, '*'),
	q{SELECT count(*) FROM join_project('pairs', 't', 'i', 'pairs', 't', 'i', 3)}, q{SELECT count(*) FROM frequent_pairs('lists', 'items', 100)},
	q{SELECT count(*) FROM frequent_pairs('pairs', 't', 'i', 10)},
	q{SELECT count(*) FROM frequent_episodes('pairs', 'i', 'k', 2000, '{"[1,3]"}', max_length => 2)});
my (@bad, %ends);
my @expected = map { serial($_) } @calls;
my @times = map {
	my $call = $_;
	my $start = time;

	$session->query($call) for 1 .. 3;
	(time - $start) / 3;
} @calls;
my %states = (
	'statement_timeout' => '57014', 'a cancel' => '57014', 'a terminated leader' => '57P01', 'a cancelled worker' => '57014',
	'a terminated worker' => '57P01|55000');

note "seed $seed";
srand $seed;
for my $round (1 .. $faults)
{
	my $n = int rand @calls;
	my $kind = (sort keys %states)[ rand 5 ];
	my $memory = ('1536kB', '1536kB', '1GB')[ rand 3 ];
	my $participation = ('on', 'off')[ rand 2 ];
	my $moment = rand($times[$n]);
	my $what = "round $round: $kind, $memory, participation $participation, after $moment of $times[$n] s: $calls[$n]";
	my ($result, $end);

	$session->query("SET gpufim.memory_limit = '$memory'; SET parallel_leader_participation = $participation");
	($result, $end) = interrupted($session, $watcher, $calls[$n], $kind, $moment);
	$ends{$kind}{$end}++;
	# workers need more memory than one process does, and how much depends on who reads what
	push @bad, "$what: $end, $result, $session->{err}"
	  unless $end eq '00000' ? $result eq $expected[$n] || $session->{gone} : $end =~ /^(?:$states{$kind})$/ || $end eq '53200' && $memory ne '1GB';
	if ($kind eq 'a terminated leader')
	{
		$session->quit;
		$session = GpufimTest::Session->new($node);
	}
	elsif ($round % 10 == 0 && $session->query("RESET ALL; $good") ne $good_result)
	{
		push @bad, "$what: afterwards $session->{err}";
	}
	push @bad, "$what: leaves " . left() unless nothing_left();
	last if @bad > 5;
}
for my $kind (sort keys %ends)
{
	note "$kind: " . join ', ', map { "$ends{$kind}{$_} times $_" } sort keys %{ $ends{$kind} };
	ok($faults < 300 || (grep { $_ ne '00000' } keys %{ $ends{$kind} }), "$kind has ended calls");
}
is_deeply(\@bad, [], 'interrupts at any moment are clean errors, or the result is right');
$session->query('RESET ALL');
after('interrupts');

# Ids so long that helpers group them: calls that end while these leave what they have made.
{
	my $grouped = itemsets('repeat($b$long $b$, 30) || t AS t, i');
	my $ended = 0;
	my $start;

	same('long ids', $grouped);
	$start = time;
	$session->query($grouped);
	my $time = 1000 * (time - $start);
	for (1 .. 100)
	{
		$session->query(sprintf 'SET statement_timeout = %d', 10 + $time * (0.4 + rand 0.5));
		$session->query($grouped);
		$ended++ if $session->{err} =~ /^ERROR:  57014:/m;
		$session->query('RESET statement_timeout');
	}
	ok($ended > 10, 'calls have ended') or diag("$ended of 100");
	after('calls that end while helpers leave parts');
}
is($watcher->query('SELECT pg_postmaster_start_time()'), $postmaster, 'the server never restarted');
$_->quit for $session, $watcher, $reader;
done_testing();
