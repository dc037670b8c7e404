# Association rules, the best itemsets and rules, best partners, suggestions, supports of candidates and mined sets: each call is
# ended at random moments, by a cancel or by statement_timeout, and made with random limits of memory and of results,
# alone and with workers.  It gives the right result, or the error that says why not, and leaves nothing behind.  Where memory is
# enough for the session alone, it is enough with workers, but for what they share with the session.
#
#	GPUFIM_SEED			the seed to run again (printed by each run); moments differ anyway
#	GPUFIM_DATABASES	how many times each call is tried in each way, 3 if it is not set
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use List::Util qw(max);
use Time::HiRes qw(sleep time);
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $times = $ENV{GPUFIM_DATABASES} || 3;
my $least = 384;	# kB, the lowest limit that can be set
my $for_workers = 128;	# kB, more than what a job shares with its workers
my $node = new_node('any_moment', conf => "shared_preload_libraries = 'gpufim'\ndynamic_shared_memory_type = mmap\nmax_parallel_workers_per_gather = 0\nmax_worker_processes = 8\n");
my $session = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);

note("GPUFIM_SEED=$seed GPUFIM_DATABASES=$times");
srand $seed;
$session->query(q{
	SET client_min_messages = warning;
	SELECT setseed(0.25);
	CREATE TABLE baskets AS SELECT n AS id, array_agg(k) AS items FROM generate_series(1, 2000) AS n, generate_series(1, 40) AS k
		WHERE random() < CASE WHEN (n * 7 + k * k) % 5 < 2 THEN 0.6 ELSE 0.1 END GROUP BY n;
	CREATE TABLE sets AS SELECT transaction_set(items) AS s FROM baskets;
	CREATE TABLE rules AS SELECT * FROM association_rules('baskets', 'items', 150, 0.3, adjust => 'none');
	CREATE TABLE asked AS SELECT array_agg(items::text) AS candidates FROM frequent_itemsets('baskets', 'items', 80);
	CREATE TABLE equal AS SELECT array_agg(k) AS items FROM generate_series(1, 40) AS k});

my @calls = (
	q{association_rules('baskets', 'items', 60, 0.5)},
	q{association_rules('baskets', 'items', 90, 0.3, max_consequent => NULL, kind => 'minimal', adjust => 'bonferroni', max_p => 0.5)},
	q{top_itemsets('baskets', 'items', 20000)},
	q{top_itemsets('(SELECT id, unnest(items) AS item FROM baskets)', 'id', 'item', 5000, kind => 'closed', ties => false)},
	q{top_rules('baskets', 'items', 5000, 60)},
	q{top_rules('baskets', 'items', 3000, 90, by => 'lift', max_consequent => 2, ties => false, adjust => 'none')},
	q{(SELECT * FROM frequent_itemsets('baskets', 'items', 1) ORDER BY support DESC, items LIMIT 5000)},
	q{rule_matches('rules', 'baskets', 'id', 'items')},
	q{asked, LATERAL itemset_supports('baskets', 'items', candidates)},
	q{similar_sets('baskets', 'id', 'items', 0.1, k => 5)},
	q{similar_items('baskets', 'items', 5, 'log_likelihood_ratio')},
	q{sets, LATERAL frequent_itemsets(s, 60)},
	q{sets, LATERAL association_rules(s, 80, 0.5)});

# What a call may answer.
sub is_right
{
	my ($found, $right, $error) = @_;

	return $session->{err} eq '' ? $found eq $right : $session->{err} =~ $error;
}

my $before = leftovers($node);
foreach my $call (@calls)
{
	my $sql = "SELECT count(*), sum(hashtextextended(m::text, 0)) FROM $call AS m";
	my $began = time;
	my $right = $session->query("SET gpufim.workers = 0; SET gpufim.memory_limit = '1GB'; $sql");
	my $took = time - $began;
	# those that are as good as the last one are found, too, if the query has a LIMIT
	my ($needed, $rows) = split /\|/, $session->query('SELECT peak_memory_bytes / 1024, itemsets FROM gpufim_last_run()');
	my ($limit, $enough, %ended, @wrong);

	like($right, qr/^[1-9]\d+\|/, "$call: there is something to find") or diag($session->{err});
	foreach my $workers ((0, 2) x $times)
	{
		my $found;

		$limit = $workers ? $limit + $for_workers : $least + int(($needed - $least) * 1.1 * sqrt rand);
		$session->query("SET gpufim.workers = $workers");

		$found = $session->query("SET gpufim.memory_limit = '${limit}kB'; $sql");
		$ended{memory}++ if $session->{err} ne '';
		push @wrong, "$limit kB, $workers workers: $found $session->{err}"
		  unless is_right($found, $right, qr/^ERROR:  53200: not enough memory for/) && ($workers == 0 || !$enough || $session->{err} eq '');
		$enough = $session->{err} eq '';
		$session->query("SET gpufim.memory_limit = '1GB'");

		my $moment = max(1, int(1000 * $took * rand));
		$session->query_with_timeout($moment, $sql);
		$ended{timeout}++ if $session->{err} ne '';
		push @wrong, "$moment ms, $workers workers: $session->{out} $session->{err}"
		  unless is_right($session->{out} =~ s/\n\z//r, $right, qr/^ERROR:  57014: canceling statement due to statement timeout/);
		$session->query('ROLLBACK');

		$session->send($sql);
		sleep $took * rand;
		$watcher->query("SELECT pg_cancel_backend($session->{pid})");
		$found = $session->finish;
		$ended{cancel}++ if $session->{err} ne '';
		push @wrong, "a cancel, $workers workers: $found $session->{err}" unless is_right($found, $right, qr/^ERROR:  57014: canceling statement due to user request/);
	}
	is(scalar @wrong, 0, "$call: a right result or the error, " . join(', ', map { "$ended{$_} by $_" } sort keys %ended)) or diag(join "\n", @wrong);

	my $most = $rows - 1;
	$session->query("SET gpufim.max_results = $most; $sql");
	like($session->{err}, qr/^ERROR:  53400: the result would exceed "gpufim\.max_results" \($most\)/, "one result less than there are is too few") or diag($session->{err});
	is($session->query("SET gpufim.max_results = $rows; $sql"), $right, 'so many are enough') or diag($session->{err});
	$session->query('RESET gpufim.max_results');
	no_leftovers($node, $before, $call);
}

# With what the session needs alone, and little more, it starts over without the workers that have come.
{
	my $sql = q{SELECT count(*), sum(hashtextextended(m::text, 0)) FROM association_rules('baskets', 'items', 20, 0.9) AS m};
	my $right = $session->query("SET gpufim.workers = 0; SET gpufim.memory_limit = '1GB'; $sql");
	my $limit = $session->query('SELECT peak_memory_bytes / 1024 FROM gpufim_last_run()') + $for_workers;
	my @wrong;

	$session->query("SET client_min_messages = debug1; SET gpufim.workers = 3; SET gpufim.memory_limit = '${limit}kB'");
	ok(eventually(sub {
		my $found = $session->query($sql);

		push @wrong, "$found $session->{err}" if $found ne $right;
		return $session->{err} =~ /starting over without gpufim workers/ || @wrong;
	}), 'a session that has little memory starts over');
	is(scalar @wrong, 0, 'and finds the same') or diag("$right\n$wrong[0]");
	$session->query('SET client_min_messages = warning');
	no_leftovers($node, $before, 'starting over');
}

# With more ties than anybody can list, it is time or memory that ends the call.
$session->query('SET gpufim.workers = 0');
$session->query_with_timeout(300, q{SELECT count(items) FROM top_itemsets('equal', 'items', 10, ties => false)});
like($session->{err}, qr/^ERROR:  57014:/, 'a search through all ties can be ended');
$session->query(q{SET gpufim.memory_limit = '8MB'; SELECT count(items) FROM top_itemsets('equal', 'items', 10)});
like($session->{err}, qr/^ERROR:  53200: not enough memory for/, 'all ties do not fit');
$session->query('RESET gpufim.memory_limit');
no_leftovers($node, $before, 'ties');
is($session->query(q{SELECT count(*) FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)}), '3', 'the session goes on');

$_->quit for $session, $watcher;
$node->stop;
done_testing();
