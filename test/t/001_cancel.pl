# Ctrl-C answers within 100 ms in every phase, on calls that would otherwise run
# for a minute, and leaves nothing behind.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;
use Time::HiRes qw(sleep time);

# Preloaded, so that another session sees in which phase a call is.
my $node = new_node(
	'cancel',
	conf => q{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
max_worker_processes = 8
});
my $caller = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);
my $before;

$node->safe_psql('postgres', q{
	-- 60 random items in half of 400 transactions each: at minsup 1 far more
	-- itemsets than anybody can list
	SELECT setseed(0.5);
} . random_table('dense', 60, '0.5', 400) . q{
	CREATE TABLE equal AS SELECT array_agg(k) AS items FROM generate_series(1, 40) AS k;
});

# Rows without end, and so many scattered pairs that sorting them takes a while.
my $endless = q{(SELECT ARRAY[n % 1000, n % 77, n % 31] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)};
my $endless_pairs = q{(SELECT n * 7919 % 1000003 AS tid, n % 1009 AS item FROM (SELECT generate_series(1::bigint, 2000000000) AS n) AS s)};
my $endless_new = q{(SELECT ARRAY[n, -n] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)};
my $endless_text = q{(SELECT ARRAY['item ' || n % 100000] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)};
my $many_pairs = q{(SELECT n * 7919 % 1000003 AS tid, n * 31 % 1000033 AS item FROM (SELECT generate_series(1::bigint, 12000000) AS n) AS s)};

# name, statement, phase to wait for, rounds, results to wait for
my @cases = (
	[ 'reading arrays', "SELECT count(*) FROM frequent_itemsets(\$\$$endless\$\$, 'items', 0.1)", 'reading', 5 ],
	[ 'reading pairs', "SELECT count(*) FROM frequent_itemsets(\$\$$endless_pairs\$\$, 'tid', 'item', 0.1)", 'reading', 5 ],
	[ 'reading new items', "SELECT count(*) FROM frequent_itemsets(\$\$$endless_new\$\$, 'items', 2)", 'reading', 5 ],
	[ 'reading text', "SELECT count(*) FROM frequent_itemsets(\$\$$endless_text\$\$, 'items', 2)", 'reading', 5 ],
	[ 'a source that sleeps', q{SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1] AS items FROM pg_sleep(100))', 'items', 2)}, 'reading', 3 ],
	[ 'encoding', "SELECT count(*) FROM frequent_itemsets(\$\$$many_pairs\$\$, 'tid', 'item', 5)", 'encoding', 5 ],
	[ 'mining in workers', q{SELECT count(*) FROM frequent_itemsets('dense', 'items', 2)}, 'mining', 5 ],
	[ 'mining in the backend', q{SET gpufim.workers = 0; SELECT count(*) FROM frequent_itemsets('dense', 'items', 2)}, 'mining', 5 ],
	[ 'mining closed', q{SELECT count(*) FROM frequent_itemsets('dense', 'items', 2, kind => 'closed')}, 'mining', 5 ],
	[ 'mining maximal', q{SELECT count(*) FROM frequent_itemsets('dense', 'items', 8, kind => 'maximal')}, 'mining', 5 ],
	[ 'counting', q{SELECT count(*) FROM itemset_counts('dense', 'items', 2)}, 'mining', 5 ],
	[ 'counting in the backend', q{SET gpufim.workers = 0; SELECT count(*) FROM itemset_counts('dense', 'items', 2, kind => 'closed')}, 'mining', 5 ],
	[ 'emitting', q{SELECT count(*) FROM frequent_itemsets('equal', 'items', 1)}, 'mining', 5, 1000000 ],
	[ 'emitting typed', q{SELECT count(*) FROM frequent_itemsets('equal', 'items', 1, NULL::int[])}, 'mining', 3, 1000000 ],
);

# psql before 15 shows an error no sooner than the prompt: then the server's log
# says when it came.
my $shown_at_once = $node->safe_psql('postgres', 'SHOW server_version_num') >= 150000;

sub log_since
{
	my ($position) = @_;

	open(my $log, '<', $node->logfile) or die $node->logfile . ": $!";
	seek($log, $position, 0);
	local $/;
	return <$log> // '';
}

# A call whose cancel is timed: milliseconds from pg_cancel_backend to the error,
# and to the prompt, which comes when the server has removed its temporary files.
sub cancel
{
	my ($sql, $phase, $results, $delay) = @_;
	my $logged = -s $node->logfile;
	my $started;

	$caller->send($sql);
	eventually(
		sub {
			$caller->finished or $watcher->query(
				"SELECT count(*) FROM gpufim_progress WHERE pid = $caller->{pid} AND phase = '$phase' AND coalesce(itemsets, 0) >= $results");
		}, 90);
	sleep $delay;
	if ($caller->finished)
	{
		diag("it ended by itself: $caller->{out}$caller->{err}");
		return;
	}
	$started = time;
	$watcher->query("SELECT pg_cancel_backend($caller->{pid})");
	eventually(sub { $caller->{psql}->pump_nb; ($shown_at_once ? $caller->{err} : log_since($logged)) =~ /ERROR/ }, 100);
	my $error = (time - $started) * 1000;
	$caller->finish(100);
	return $caller->{err} =~ /57014/ ? [ $error, (time - $started) * 1000 ] : undef;
}

$before = leftovers($node);
for my $case (@cases)
{
	my ($name, $sql, $phase, $rounds, $results) = @$case;
	my @times = map { cancel($sql, $phase, $results || 0, 0.03 + 0.11 * $_) } 0 .. $rounds - 1;

	is(scalar(grep { !defined } @times), 0, "$name: every cancel came as an error in that phase");
	@times = grep { defined } @times;
	if (@times)
	{
		note(sprintf '%s: error after %s ms', $name, join ' ', map { sprintf '%.1f (prompt %.1f)', @$_ } @times);
		@times = map { $_->[0] } @times;
		cmp_ok(median(@times), '<', 100, sprintf '%s: the median of %d cancels is below 100 ms (%.1f)', $name, scalar @times, median(@times));
	}
	is($caller->query('RESET gpufim.workers; SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)'), '3', "$name: the session goes on");
	no_leftovers($node, $before, $name);
}

# The timeout is the same signal by another road.
for my $sql (
	"SELECT count(*) FROM frequent_itemsets(\$\$$endless\$\$, 'items', 0.1)",
	q{SELECT count(*) FROM frequent_itemsets('dense', 'items', 2)},
	q{SELECT count(*) FROM itemset_counts('dense', 'items', 2, kind => 'maximal')},
	q{SELECT count(*) FROM frequent_itemsets('equal', 'items', 1)})
{
	my $started = time;

	$caller->query("SET statement_timeout = 300; $sql");
	my $elapsed = (time - $started) * 1000;
	like($caller->{err}, qr/57014.*statement timeout/, 'statement_timeout ends the call');
	cmp_ok($elapsed, '<', 800, sprintf 'and soon: %.0f ms after a timeout of 300', $elapsed);
	$caller->query('RESET statement_timeout');
}
no_leftovers($node, $before, 'statement_timeout');

# A cancel inside a subtransaction, caught, with more work after it.
is( $caller->query(q{
	SET statement_timeout = 500;
	DO $do$
	BEGIN
		PERFORM * FROM frequent_itemsets('dense', 'items', 2);
	EXCEPTION WHEN query_canceled THEN
		RAISE WARNING 'caught';
	END
	$do$;
	RESET statement_timeout;
	SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)}),
	'3', 'a cancelled call can be caught in a block');
like($caller->{err}, qr/caught/, 'it was');
no_leftovers($node, $before, 'a caught cancel');

# An error of the caller's own while rows stream, and a cursor that is left alone.
$caller->query(q{SELECT 1 / (support - support) FROM frequent_itemsets('dense', 'items', 150)});
like($caller->{err}, qr/22012/, 'an error above the call is that error');
$caller->query(q{BEGIN; DECLARE c CURSOR FOR SELECT * FROM frequent_itemsets('dense', 'items', 60); FETCH 1 FROM c; SAVEPOINT s; FETCH 1 FROM c; ROLLBACK TO s; ROLLBACK});
is($caller->{err}, '', 'a cursor is dropped in its middle');
no_leftovers($node, $before, 'an abandoned cursor');

$_->quit for $caller, $watcher;
$node->stop;
done_testing();
