# Ctrl-C ends a call in every phase, on calls that would otherwise run for years,
# and leaves nothing behind.  How soon it does is measured by bench/run cancel.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

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

# Rows without end
my $endless = q{(SELECT ARRAY[n % 1000, n % 77, n % 31] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)};
my $endless_pairs = q{(SELECT n * 7919 % 1000003 AS tid, n % 1009 AS item FROM (SELECT generate_series(1::bigint, 2000000000) AS n) AS s)};
my $endless_new = q{(SELECT ARRAY[n, -n] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)};
my $endless_text = q{(SELECT ARRAY['item ' || n % 100000] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)};

# Scattered pairs, so that sorting them takes a while
sub many_pairs
{
	my ($rows) = @_;

	return "(SELECT n * 7919 % 1000003 AS tid, n * 31 % 1000033 AS item FROM (SELECT generate_series(1::bigint, $rows) AS n) AS s)";
}

# name, statement, phase to wait for, results to wait for
my @cases = (
	[ 'reading arrays', "SELECT count(*) FROM frequent_itemsets(\$\$$endless\$\$, 'items', 0.1)", 'reading' ],
	[ 'reading pairs', "SELECT count(*) FROM frequent_itemsets(\$\$$endless_pairs\$\$, 'tid', 'item', 0.1)", 'reading' ],
	[ 'reading new items', "SELECT count(*) FROM frequent_itemsets(\$\$$endless_new\$\$, 'items', 2)", 'reading' ],
	[ 'reading text', "SELECT count(*) FROM frequent_itemsets(\$\$$endless_text\$\$, 'items', 2)", 'reading' ],
	[ 'a source that sleeps', q{SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1] AS items FROM pg_sleep(100000))', 'items', 2)}, 'reading' ],
	[ 'mining in workers', q{SELECT count(items) FROM frequent_itemsets('dense', 'items', 2)}, 'mining' ],
	[ 'mining in the backend', q{SET gpufim.workers = 0; SELECT count(items) FROM frequent_itemsets('dense', 'items', 2)}, 'mining' ],
	[ 'mining closed', q{SELECT count(items) FROM frequent_itemsets('dense', 'items', 2, kind => 'closed')}, 'mining' ],
	[ 'mining maximal', q{SELECT count(items) FROM frequent_itemsets('dense', 'items', 8, kind => 'maximal')}, 'mining' ],
	[ 'counting', q{SELECT count(*) FROM itemset_counts('dense', 'items', 2)}, 'mining' ],
	[ 'counting in the backend', q{SET gpufim.workers = 0; SELECT count(*) FROM itemset_counts('dense', 'items', 2, kind => 'closed')}, 'mining' ],
	[ 'emitting', q{SELECT count(items) FROM frequent_itemsets('equal', 'items', 1)}, 'mining', 200000 ],
	[ 'emitting typed', q{SELECT count(items) FROM frequent_itemsets('equal', 'items', 1, NULL::int[])}, 'mining', 200000 ],
);

# Cancel a call in a phase: 57014 if that is how it ended, 0 if it had come to its
# end before.
sub cancel
{
	my ($sql, $phase, $results) = @_;

	$caller->send($sql);
	eventually(
		sub {
			$caller->finished or $watcher->query(
				"SELECT count(*) FROM gpufim_progress WHERE pid = $caller->{pid} AND phase = '$phase' AND coalesce(itemsets, 0) >= $results");
		}) or die "the call does not come to $phase";
	$watcher->query("SELECT pg_cancel_backend($caller->{pid})");
	$caller->finish;
	return 0 if $caller->{err} eq '';
	return $caller->{err} =~ /^ERROR:  57014: canceling statement due to user request$/m ? 57014 : $caller->{err};
}

sub session_goes_on
{
	my ($name) = @_;

	is($caller->query('RESET gpufim.workers; SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)'), '3', "$name: the session goes on");
	no_leftovers($node, $before, $name);
	return;
}

$before = leftovers($node);
for my $case (@cases)
{
	my ($name, $sql, $phase, $results) = @$case;

	is(cancel($sql, $phase, $results || 0), 57014, "$name: a cancel ends it") for 1 .. 2;
	session_goes_on($name);
}

# Encoding has an end.  Where that comes before the cancel, as many rows again are tried.
{
	my ($rows, $how) = (1000000, 0);

	for (; !$how && $rows <= 64000000; $rows *= 2)
	{
		my $pairs = many_pairs($rows);

		$how = cancel("SELECT count(*) FROM frequent_itemsets(\$\$$pairs\$\$, 'tid', 'item', 5)", 'encoding', 0);
	}
	is($how, 57014, 'encoding: a cancel ends it');
	session_goes_on('encoding');
}

# The timeout is the same signal by another road.
for my $sql (
	"SELECT count(*) FROM frequent_itemsets(\$\$$endless\$\$, 'items', 0.1)",
	q{SELECT count(items) FROM frequent_itemsets('dense', 'items', 2)},
	q{SELECT count(*) FROM itemset_counts('dense', 'items', 2, kind => 'maximal')},
	q{SELECT count(*) FROM frequent_itemsets('equal', 'items', 1)})
{
	$caller->query_with_timeout(300, $sql);
	like($caller->{err}, qr/ERROR:  57014:.*statement timeout/, 'statement_timeout ends the call');
}
no_leftovers($node, $before, 'statement_timeout');

# A cancel inside a subtransaction, caught, with more work after it.
$caller->send(q{
	DO $do$
	BEGIN
		PERFORM * FROM frequent_itemsets('dense', 'items', 2);
	EXCEPTION WHEN query_canceled THEN
		RAISE WARNING 'caught';
	END
	$do$;
	SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)});
ok(eventually(sub { $watcher->query("SELECT count(*) FROM gpufim_progress WHERE pid = $caller->{pid} AND phase = 'mining'") }), 'a call in a block');
$watcher->query("SELECT pg_cancel_backend($caller->{pid})");
is($caller->finish, '3', 'a cancelled call can be caught in a block');
like($caller->{err}, qr/WARNING:  01000: caught/, 'it was');
no_leftovers($node, $before, 'a caught cancel');

# An error of the caller's own while rows stream, and a cursor that is left alone.
$caller->query(q{SELECT 1 / (support - support) FROM frequent_itemsets('dense', 'items', 150)});
like($caller->{err}, qr/ERROR:  22012:/, 'an error above the call is that error');
$caller->query(q{BEGIN; DECLARE c CURSOR FOR SELECT * FROM frequent_itemsets('dense', 'items', 60); FETCH 1 FROM c; SAVEPOINT s; FETCH 1 FROM c; ROLLBACK TO s; ROLLBACK});
is($caller->{err}, '', 'a cursor is dropped in its middle');
no_leftovers($node, $before, 'an abandoned cursor');

$_->quit for $caller, $watcher;
$node->stop;
done_testing();
