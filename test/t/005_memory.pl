# gpufim.memory_limit: rows beyond it spill, with the same result; the file
# obeys temp_file_limit; what still does not fit is an error with both numbers.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

# No parallel queries: their sessions keep segments of the server's own.
# how much memory merging saves depends on the order of the rows, so scans begin at the beginning
my $node = new_node('memory', conf => q{
synchronize_seqscans = off
dynamic_shared_memory_type = mmap
max_parallel_workers_per_gather = 0
gpufim.workers = 2
});
my $session = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);
my $before;

# 300000 transactions of 20 mostly infrequent items: frequent are 100 of 200000.
$node->safe_psql('postgres', q{
	CREATE TABLE wide AS
		SELECT n AS id, ARRAY(SELECT (CASE WHEN k <= 4 THEN (n * k) % 100 ELSE 1000 + (n::bigint * 7919 + k * 104729) % 1000003 END)::int
							  FROM generate_series(1, 20) AS k) AS items
		FROM generate_series(1, 300000) AS n;
	CREATE VIEW pairs AS SELECT id, unnest(items) AS item FROM wide;
	CREATE VIEW texts AS SELECT id, ARRAY(SELECT 'item ' || CASE WHEN i < 1000 THEN i ELSE 1000 + i % 20000 END FROM unnest(items) AS i) AS items FROM wide;
	CREATE VIEW scattered AS SELECT n % 30011 AS id, (n * 7919) % 211 AS item FROM generate_series(1::bigint, 3000000) AS n;
});
$before = leftovers($node);

for my $case (
	[ q{'wide', 'items', 2000}, 'arrays' ],
	[ q{'wide', 'items', 2000, kind => 'closed', including => '{4}'}, 'arrays with a filter' ],
	[ q{'texts', 'items', 2000}, 'text' ],
	[ q{'pairs', 'id', 'item', 2000}, 'pairs' ],
	[ q{'scattered', 'id', 'item', 1200, max_length => 2}, 'scattered pairs' ])
{
	my ($arguments, $name) = @$case;
	my $call = qq{SELECT count(*), sum(support), md5(string_agg(items::text || support, ' ' ORDER BY items COLLATE "C")) FROM frequent_itemsets($arguments)};
	my $roomy = $session->query("SET gpufim.memory_limit = '4GB'; $call");

	like($roomy, qr/^[1-9]\d+\|/, "$name: there is something to find");
	is($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '0', "$name: nothing spills with room for all");
	is($session->query("SET gpufim.memory_limit = '32MB'; $call"), $roomy, "$name: the same result from a spilled run");
	is($session->{err}, '', "$name: no error");
	cmp_ok($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '>', 1000000, "$name: rows were spilled");
	note("$name: " . $session->query('SELECT peak_memory_bytes, spilled_bytes FROM gpufim_last_run()'));
	cmp_ok($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'), '<=', 32 * 1024 * 1024, "$name: within the limit");
	$session->query("SET gpufim.memory_limit = '32MB'; SET temp_file_limit = '1MB'; $call");
	like($session->{err}, qr/ERROR:  53400:.*temp_file_limit/, "$name: temp_file_limit is obeyed");
	$session->query('RESET temp_file_limit');
	no_leftovers($node, $before, "$name, spilled");
}

# Rows stay in memory until what is read takes three quarters of the limit, which leaves a quarter for what follows.
for my $source (q{'wide', 'items'}, q{'pairs', 'id', 'item'})
{
	my $call = "SELECT count(*) FROM frequent_itemsets($source, 300000)";
	my %spilled;
	my $need;

	is($session->query("SET gpufim.engine = cpu; SET gpufim.memory_limit = '4GB'; $call"), '0', "$source: nothing is found, so that reading takes most");
	$need = $session->query('SELECT peak_memory_bytes / 1024 FROM gpufim_last_run()');
	for my $percent (65, 85)
	{
		my $limit = int($need * 100 / $percent);

		is($session->query("SET gpufim.memory_limit = '${limit}kB'; $call"), '0', "$source: the same with $percent % of the limit needed");
		$spilled{$percent} = $session->query('SELECT spilled_bytes FROM gpufim_last_run()');
	}
	is($spilled{65}, '0', "$source: 65 % of the limit stay in memory");
	cmp_ok($spilled{85}, '>', 0, "$source: of 85 % a part is spilled");
}
$session->query('RESET gpufim.engine');

# 400000 transactions of 20 items, in turns a thousand that differ and 3000 that are equal.
# All of them would take 34 MB when they are read, and then 70 MB in the database.  What
# is equal to a transaction shortly before is not kept.  With an item more each all
# differ, until they are merged in the database; some are left with all of their items
# or, where these are infrequent, with none.  In an order of its own each differs, too.
$node->safe_psql('postgres', q{
	CREATE TABLE equals AS
		SELECT n AS id, ARRAY(SELECT k * 1000 + CASE WHEN n % 4000 < 1000 THEN n / k % 997 ELSE 0 END FROM generate_series(1, 20) AS k) AS items
		FROM generate_series(1, 400000) AS n;
	CREATE TABLE mixed AS
		SELECT id, ARRAY(SELECT item FROM unnest(items) AS item ORDER BY hashint4(item # id)) AS items FROM equals WHERE id <= 100000;
	CREATE VIEW differing AS SELECT id, items || 100000 + id AS items FROM equals;
	CREATE VIEW equal_pairs AS SELECT id, unnest(items) AS item FROM equals;
});
for my $case (
	[ 'equals', 0, 2000, 30, 20 ], [ 'equals', 2, 2000, 30, 20 ], [ 'equals', 0, 50, 46, 44 ],
	[ 'differing', 0, 2000, 56, 36 ], [ 'differing', 2, 2000, 56, 36 ], [ 'differing', 0, 50, 74, 60 ],
	[ 'mixed', 0, 500, 14, 8 ])
{
	my ($table, $workers, $minsup, $most, $little) = @$case;
	my $name = "$table, minsup $minsup, $workers workers";
	my $sums = q{SELECT count(*), sum(support), md5(string_agg(item || ' ' || support, ',' ORDER BY item)) FROM};
	my $call = qq{$sums (SELECT items[1] AS item, support FROM frequent_itemsets('$table', 'items', $minsup, max_length => 1)) AS s};
	my $expected = $session->query(qq{$sums (SELECT item::text, count(*) AS support FROM $table, unnest(items) AS item GROUP BY item HAVING count(*) >= $minsup) AS s});

	is($session->query("SET gpufim.engine = cpu; SET gpufim.workers = $workers; SET gpufim.memory_limit = '4GB'; $call"), $expected, $name);
	cmp_ok($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'), '<', $most * 1024 * 1024, "$name: merged in time");
	note("$name: " . $session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'));
	is($session->query("SET gpufim.memory_limit = '${little}MB'; $call"), $expected, "$name: with less memory than all would take");
	is($session->{err}, '', "$name: no error");
	note("$name: " . $session->query('SELECT peak_memory_bytes, spilled_bytes FROM gpufim_last_run()'));
	no_leftovers($node, $before, $name);
}
# The pair form keeps all of them.
for my $more ('', q{, including => '{2000,3000}'}, q{, including => '{1001}'})
{
	my $sums = q{SELECT count(*), sum(support), sum(cardinality(items)), md5(string_agg(items::text || support, ',' ORDER BY items COLLATE "C")) FROM};
	my @found = map { $session->query(qq{SET gpufim.memory_limit = '4GB'; $sums frequent_itemsets($_, 100, kind => 'closed', max_length => 6$more)}) }
		(q{'equals', 'items'}, q{'equal_pairs', 'id', 'item'});

	like($found[0], qr/^[1-9]/, "equal transactions$more: there is something to find");
	is($found[0], $found[1], "equal transactions$more: the same by arrays and by pairs");
}
$session->query('RESET gpufim.engine; RESET gpufim.workers');

# A transaction that is equal to one before is not kept, but that one may have moved to the file meanwhile.
{
	my $arrays = '(SELECT CASE WHEN n % 2 = 0 THEN ARRAY[n % 50, 100 + n % 50, 200] ELSE ARRAY[n % 1000, 1000 + n % 919, 10000 + n % 997] END AS items FROM generate_series(1, 400000) AS n)';
	my $call = "SELECT count(*), md5(string_agg(f::text, '' ORDER BY f::text)) FROM frequent_itemsets('$arrays', 'items', 3000) AS f";
	my $roomy = $session->query("SET gpufim.memory_limit = '1GB'; $call");

	foreach my $limit ('8MB', '3MB', '1MB')
	{
		is($session->query("SET gpufim.memory_limit = '$limit'; $call"), $roomy, "equal transactions among others with $limit");
		cmp_ok($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '>', 0, '... some of which have moved to a file');
	}
}

# Pieces of transactions in random order that are too many for the memory left are divided in the file, again and again.
$session->query(q{
	SET max_parallel_workers_per_gather = 0;
	CREATE TEMP TABLE shuffled AS
		SELECT hashint4(n) & 65535 AS id, item, (17 - item % 17) / 20.0::float8 AS probability
		FROM generate_series(1, 400000) AS n, LATERAL (SELECT CASE WHEN n % 50 = 0 THEN n % 3 ELSE n % 997 END AS item) AS s});
# It does not help to divide those of one id again, or of ids of a type without hashes.
foreach my $id ('id', q{'transaction ' || id}, 'id::numeric', 'CASE WHEN id % 2 = 0 THEN id ELSE -1 END', '(id % 4000)::bit(32)')
{
	my $source = qq{'(SELECT ${\($id =~ s/'/''/gr)} AS id, item, probability FROM shuffled)', 'id', 'item'};
	my %call = (
		'pairs' => "SELECT count(*), md5(string_agg(f::text, '' ORDER BY f::text)) FROM frequent_itemsets($source, 1000) AS f",
		'uncertain pairs' => "SELECT count(*), md5(string_agg(f::text, '' ORDER BY f::text)) FROM probable_itemsets($source, 'probability', 1000, 0.5) AS f");

	foreach my $name (sort keys %call)
	{
		my $roomy = $session->query("SET gpufim.memory_limit = '1GB'; $call{$name}");
		my $limit = $id =~ /CASE|bit/ ? '8190kB' : '2MB';
		my $spilled;

		like($roomy, qr/^[1-9]\d*\|/, "$name, $id: there is something to find");
		is($session->query("SET gpufim.memory_limit = '$limit'; $call{$name}"), $roomy, "$name, $id: the same with $limit");
		$spilled = $session->query('SELECT spilled_bytes FROM gpufim_last_run()');
		cmp_ok($spilled, '>', 400000 * 12 * 3 / 2, "$name, $id: pieces have been divided");
		cmp_ok($spilled, '<', $name eq 'pairs' ? 22e6 : 45e6, "$name, $id: but not in vain") if $id =~ /CASE|bit/;
	}
}
$session->query('RESET max_parallel_workers_per_gather');

# A cancel and an error while there is a file.
sub has_file
{
	my @files = glob $node->data_dir . '/base/pgsql_tmp/*';

	return scalar @files;
}

$session->send(q{SET gpufim.memory_limit = '1MB';
	SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[n % 100] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'items', 0.5)});
ok(eventually(\&has_file), 'there is a file');
$watcher->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish;
like($session->{err}, qr/ERROR:  57014:/, 'a cancel while spilling');
no_leftovers($node, $before, 'a cancel while spilling');
$session->query(q{
	SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1 / (2000000 - n)] AS items FROM (SELECT generate_series(1, 3000000) AS n) AS s)', 'items', 0.5)});
like($session->{err}, qr/ERROR:  22012:/, 'an error while spilling');
no_leftovers($node, $before, 'an error while spilling');

# What does not fit: millions of distinct items, all frequent.
$session->query(q{SET gpufim.memory_limit = '8MB';
	SELECT count(*) FROM frequent_itemsets('(SELECT n AS id, n AS item FROM generate_series(1, 3000000) AS n)', 'id', 'item', 1)});
like($session->{err}, qr/^ERROR:  53200:/, 'out of memory is an error');
my ($needed, $allowed) = $session->{err} =~ /^DETAIL:  At least (\d+) kB are needed: .* allows (\d+) kB/m;
is($allowed, 8192, 'with what is allowed');
cmp_ok($needed, '>', 8192, 'and what is needed');
like($session->{err}, qr/^HINT:  .*gpufim\.memory_limit/m, 'and a hint');
is($session->query(q{RESET gpufim.memory_limit; SELECT count(*) FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)}), '3', 'the session goes on');
no_leftovers($node, $before, 'out of memory');
$_->quit for $session, $watcher;

# No structure grows faster than what is read and found.  What a call says that it
# took is compared with the process's address space, beyond what it has anyway.
sub measured
{
	my ($call, $limit) = @_;
	my $space = q{SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmPeak:\s+(\d+)'))[1]};
	my $own = GpufimTest::Session->new($node);
	my ($before, $result, $error, $peak, $after);

	$own->query(q{SET gpufim.engine = cpu; SET gpufim.workers = 0; SELECT count(*) FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)});
	$before = $own->query($space);
	$result = $own->query("SET gpufim.memory_limit = '$limit'; $call");
	$error = $own->{err};
	$peak = $own->query('SELECT peak_memory_bytes / 1024 FROM gpufim_last_run()');
	$after = $own->query($space);
	$own->quit;
	note("peak $peak kB, address space $before kB, then $after kB: $call");
	return ($result, $error, $peak, $after - $before);
}

SKIP:
{
	skip 'this system does not say how much memory a process has', 1 unless -r '/proc/self/status';

	# What the server takes for the query and its rows: work_mem, twice, and an array of the items.
	for my $case (
		[ q{SELECT count(*), min(cardinality(items)) FROM frequent_itemsets('(SELECT array_agg(g) AS items FROM generate_series(1, 30000) AS g)', 'items', 1, kind => 'closed')},
			'100MB', '1|30000', 16, 'a transaction of 30,000 items' ],
		[ q{SELECT count(*), min(cardinality(items)) FROM frequent_itemsets('(SELECT array_agg(g) AS items FROM generate_series(1, 50000) AS g)', 'items', 1, kind => 'maximal')},
			'100MB', '1|50000', 24, 'one of 50,000' ],
		[ q{SELECT count(*), min(cardinality(items)), max(cardinality(items)) FROM frequent_itemsets('(SELECT array_agg(g) AS items FROM generate_series(1, 20005) AS g)', 'items', 1, including => (SELECT array_agg(g::text) FROM generate_series(1, 20000) AS g))},
			'100MB', '32|20000|20005', 24, '20,000 names' ],
		[ q{SELECT count(*), sum(octet_length(array_to_string(items, ''))) FROM frequent_itemsets('(SELECT array_agg(repeat(''x'', CASE g WHEN 1 THEN 1000000 ELSE 10 END) || g) AS items FROM generate_series(1, 5000) AS g)', 'items', 1, kind => 'closed')},
			'100MB', '1|1068883', 24, 'one wide item among many' ],
		[ q{SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[''item '' || n, ''item '' || n + 100000] AS items FROM generate_series(1, 100000) AS n)', 'items', 1, max_length => 1)},
			'200MB', '200000', 100, 'many items' ])
	{
		my ($call, $limit, $expected, $most, $name) = @$case;
		my ($result, $error, $peak, $grown) = measured($call, $limit);

		is($result, $expected, "$name: the result");
		is($error, '', "$name: without an error");
		cmp_ok($grown, '<=', $most * 1024, "$name: takes memory as its input and output do");
		cmp_ok($peak, '>=', $grown - 12 * 1024, "$name: which is what it says");
	}

	# The lists of a long episode's prefixes would take the square of the events, whether it is found,
	# counted or listed: of three sizes, none takes more for an event than the smallest one.
	my $given = q{%1$s, 'k', 't', (SELECT array_agg((n %% 3)::text ORDER BY n) FROM generate_series(1, %2$d) AS n), (SELECT array_agg('[1,1]'::numrange) FROM generate_series(2, %2$d))};

	for my $case (
		[ 'the longest episode', q{SELECT max(length) FROM episode_counts(%1$s, 'k', 't', 1, '{"[1,1]"}', kind => 'maximal')}, 4000 ],
		[ 'the longest one, found under two gaps', q{SELECT max(length) FROM episode_counts(%1$s, 'k', 't', 1, '{"[1,1]","[%2$d,)"}', kind => 'maximal')}, 2000 ],
		[ 'counting a long episode', "SELECT %2\$d * count_episode($given)", 5000 ],
		[ 'listing its occurrence', "SELECT max(cardinality(times)) FROM episode_occurrences($given)", 5000 ])
	{
		my ($name, $form, $least) = @$case;
		my $first;

		for my $events ($least, 2 * $least, 4 * $least)
		{
			my $call = sprintf $form, "'(SELECT n % 3 AS k, n AS t FROM generate_series(1, $events) AS n)'", $events;
			my ($result, $error, $peak, $grown) = measured($call, '100MB');

			$first //= $peak;
			is($result, $events, "$name, $events events: the result");
			is($error, '', "$name, $events events: without an error");
			cmp_ok($peak, '<=', $first * $events / $least, "$name, $events events: takes memory as its events do");
			cmp_ok($peak, '>=', $grown - 12 * 1024, "$name, $events events: which is what it says");
		}
	}

	# The limit holds for what itemsets are put together in, too: in the call, and in a scan after it.
	my $long = q{frequent_itemsets('(SELECT array_agg(repeat(''x'', 2000) || g) AS items FROM generate_series(1, 20000) AS g)', 'items', 1, kind => 'closed')};
	my ($result, $error, $peak, $grown) = measured("SELECT count(whole) FROM $long AS whole", '160MB');
	like($error, qr/^ERROR:  53200: not enough memory for the itemsets found/, 'itemsets that do not fit are an error');
	cmp_ok($peak, '<=', 160 * 1024, 'within the limit');
	(undef, $error) = measured("SELECT count(items) FROM $long", '120MB');
	like($error, qr/^ERROR:  53200: not enough memory for the itemsets found/, 'in a scan, too');
	is((measured("SELECT count(support) FROM $long", '120MB'))[0], 1, 'where nobody asks for the items, there is enough');
}
# The error says which limit to try next, at least twice the one that was too low, so that following it
# leads to one that is enough in at most ten rounds.
$node->safe_psql('postgres', q{
	SET max_parallel_workers_per_gather = 0;
	CREATE TABLE narrow AS
		SELECT n AS id, ARRAY(SELECT DISTINCT (power((n::bigint * k * 7919) % 10007 / 10007.0, 4) * 20000)::int FROM generate_series(1, 15) AS k) AS items
		FROM generate_series(1, 20000) AS n;
	CREATE TABLE urls AS SELECT n AS session, 'https://www.example.com/' || md5((n % 30000)::text) AS url FROM generate_series(1, 60000) AS n;
	CREATE TABLE apart AS SELECT id, unnest(items) AS item FROM narrow ORDER BY id % 997;
	CREATE TABLE skewed AS
		SELECT ARRAY(SELECT DISTINCT (power((n::bigint * (2 * k + 1) * 7919) % 20011 / 20011.0, 4) * 3000)::int FROM generate_series(1, 8) AS k) AS items
		FROM generate_series(1, 15000) AS n;
	CREATE TABLE revisits AS SELECT n % 40007 AS id, n * 7919 % 211 AS item FROM generate_series(1::bigint, 400000) AS n;
	CREATE TABLE stream AS SELECT n AS at, n * 7919 % 1009 % 10 AS kind FROM generate_series(1, 100000) AS n;
	CREATE TABLE long_first AS
		SELECT array_agg(g) AS items FROM generate_series(1, 40000) AS g
		UNION ALL SELECT ARRAY[g % 7, g % 11, g % 13] FROM generate_series(1, 30000) AS g;
	ANALYZE narrow, skewed, urls, apart, revisits, long_first});
for my $call (
	q{frequent_itemsets('narrow', 'items', 0.002)},
	q{frequent_itemsets('narrow', 'items', 20, kind => 'maximal')},
	q{frequent_itemsets('skewed', 'items', 3, kind => 'closed')},
	q{itemset_counts('narrow', 'items', 5, kind => 'closed')},
	q{frequent_itemsets('narrow', 'items', 1, max_length => 1)},
	q{frequent_itemsets('long_first', 'items', 1, max_length => 1)},
	q{frequent_itemsets('apart', 'id', 'item', 0.002)},
	q{frequent_itemsets('apart', 'id', 'item', 20, kind => 'maximal')},
	q{frequent_itemsets('revisits', 'id', 'item', 20, max_length => 2)},
	q{frequent_itemsets('urls', 'session', 'url', 1, max_length => 1)},
	q{frequent_itemsets('(SELECT array_agg(g) AS items FROM generate_series(1, 30000) AS g)', 'items', 1, kind => 'closed')},
	q{frequent_itemsets('(SELECT ARRAY[repeat(''x'', 20000000), ''b''] AS items)', 'items', 1)},
	q{frequent_episodes('stream', 'kind', 'at', 300, '{"(0,10]"}', max_length => 4)},
	q{episode_significance('stream', 'kind', 'at', 3000, '{"(0,10]"}', max_length => 3, surrogates => 10, dither => 500, seed => 1)},
	q{episode_significance('(SELECT *, ''partition '' || at % 30011 AS p FROM stream)', 'kind', 'at', 3000, '{"(0,100000]"}', max_length => 2, partition_column => 'p', surrogates => 2, dither => 500, seed => 1)},
	q{probable_itemsets('(SELECT id, unnest(items) AS item, 0.5::float8 AS p FROM narrow)', 'id', 'item', 'p', 10, 0.5, max_length => 2)},
	q{probable_itemset_distribution('(SELECT ARRAY[1, 2] AS i, 0.5 AS p FROM generate_series(1, 300000))', 'i', 'p', '{1}')},
	q{similar_sets('apart', 'id', 'item', 0.9)},
	q{join_project('(SELECT n % 1000 AS k, n AS v FROM generate_series(1, 200000) AS n)', 'k', 'v', '(SELECT n % 1000 AS k, n % 10 AS v FROM generate_series(1, 200000) AS n)', 'k', 'v')})
{
	for my $case ([ 384, 0 ], [ 1024, 0 ], [ 384, 7 ])
	{
		my ($first, $workers) = @$case;
		my $own = GpufimTest::Session->new($node);

		$own->query('SET gpufim.engine = cpu');
		limits_are_told($own, "SELECT count(*) FROM $call", first => $first, workers => $workers);
		$own->quit;
	}
}
$session = GpufimTest::Session->new($node);

# Each worker has surrogates of its own, so that only as many come as there is room for them: whatever
# is enough for the session alone will do.
my $tested = q{SELECT count(*), sum(p_value) FROM episode_significance('stream', 'kind', 'at', 3000, '{"(0,10]"}', max_length => 3, surrogates => 20, dither => 500, seed => 1)};
my $alone = $session->query("SET gpufim.engine = cpu; SET gpufim.workers = 0; $tested");
my $enough = $session->query('SELECT peak_memory_bytes / 1024 + 256 FROM gpufim_last_run()');

cmp_ok($enough, '>', 8192, 'surrogates take much memory');
for my $limit ($enough, map { int($enough * $_) } 1.5, 2, 3)
{
	is($session->query("SET gpufim.workers = 7; SET gpufim.memory_limit = '${limit}kB'; $tested"), $alone, "surrogates with $limit kB and up to 7 workers");
	is($session->{err}, '', "no error with $limit kB");
	cmp_ok($session->query('SELECT peak_memory_bytes / 1024 FROM gpufim_last_run()'), '<=', $limit, "within $limit kB");
}
# (those that come when nothing is left to do are not counted, so that one of several calls shows it)
ok( eventually(
		sub {
			$session->query("SET gpufim.memory_limit = '1GB'; SET gpufim.workers = 2; " . $tested =~ s/surrogates => 20/surrogates => 100/r);
			$session->query('SELECT workers FROM gpufim_last_run()') > 0;
		}),
	'workers come where there is room');
cmp_ok($session->query('SELECT peak_memory_bytes / 1024 FROM gpufim_last_run()'), '>', 1.3 * $enough, 'and what they take is counted');

# What one episode has taken is given back before the next: many long ones take little more than few short ones.
$session->query(q{SET gpufim.workers = 0; SELECT count(*) FROM episode_significance('(SELECT at, kind % 3 AS kind FROM stream)', 'kind', 'at', 3000, '{"(0,10]"}', max_length => 7, surrogates => 2, dither => 500)});
cmp_ok($session->query('SELECT peak_memory_bytes / 1024 FROM gpufim_last_run()'), '<', 2 * $enough, 'long episodes on surrogates');
cmp_ok($session->query('SELECT itemsets FROM gpufim_last_run()'), '>', 500, 'of which there are many');
$session->query('RESET gpufim.memory_limit');
for my $workers (0, 2)
{
	$session->query("SET gpufim.engine = cpu; SET gpufim.workers = $workers; SET gpufim.memory_limit = '384kB'; SELECT count(items) FROM frequent_itemsets('narrow', 'items', 1)");
	like($session->{err}, qr/HINT:  (?!.*gpufim\.workers)/, "with $workers workers, the hint does not name them");
}

# The least limit that can be set is enough for a small call.
my $least = $session->query(q{RESET gpufim.workers; RESET gpufim.engine; SELECT min_val FROM pg_settings WHERE name = 'gpufim.memory_limit'});
for my $call (
	q{frequent_itemsets('(VALUES (ARRAY[1, 2]), (ARRAY[2, 3]))', 'column1', 1)},
	q{frequent_itemsets('(VALUES (ARRAY[''a'', ''b'']), (ARRAY[''b'', ''c'']))', 'column1', 1)},
	q{frequent_itemsets('(VALUES (1, ''a''), (1, ''b''), (2, ''b''), (2, ''c''))', 'column1', 'column2', 1)},
	q{frequent_itemsets('(VALUES (ARRAY[1, 2]), (ARRAY[2, 3]))', 'column1', 1, NULL::int[])})
{
	is($session->query("SET gpufim.memory_limit = '${least}kB'; SELECT count(*) FROM $call"), '5', "with $least kB: $call");
	is($session->{err}, '', 'without an error');
}
$session->query('SET gpufim.memory_limit = ' . ($least - 1));
like($session->{err}, qr/^ERROR:  22023: /, 'less is refused');

# A call that fails or is canceled says what it took until then.
$session->query('SET gpufim.workers = 0');
for my $call (
	q{frequent_itemsets('narrow', 'items', 20, kind => 'maximal')},
	q{probable_itemsets('(SELECT id, unnest(items) AS item, 0.5::float8 AS p FROM narrow WHERE id < 20000)', 'id', 'item', 'p', 10, 0.5, max_length => 2)},
	q{frequent_episodes('stream', 'kind', 'at', 3000, '{"(0,10]"}', max_length => 5)},
	q{episode_significance('stream', 'kind', 'at', 3000, '{"(0,10]"}', max_length => 3, surrogates => 10, dither => 500, seed => 1)})
{
	my $limit;

	$session->query("SET gpufim.memory_limit = '1GB'; SELECT count(*) FROM $call");
	$limit = int(0.9 * $session->query('SELECT peak_memory_bytes / 1024 FROM gpufim_last_run()'));
	$session->query("SET gpufim.memory_limit = '${limit}kB'; SELECT count(*) FROM $call");
	like($session->{err}, qr/^ERROR:  53200: not enough memory for mining/, "$limit kB are not enough: $call");
	my $peak = $session->query('SELECT peak_memory_bytes / 1024 FROM gpufim_last_run() WHERE NOT completed');

	cmp_ok($peak, '>', 0.8 * $limit, 'nearly all of which was taken');
	cmp_ok($peak, '<=', $limit + 64, 'and hardly more: a block of small allocations at most');
}

# The episodes found by this call take 48 MB, its events next to nothing; counting them on surrogates takes for ever.
SKIP:
{
	my $size = q{SELECT (regexp_match(pg_read_file('/proc/%d/status'), 'VmRSS:\s+(\d+)'))[1]};
	my $other = GpufimTest::Session->new($node);
	my $before;

	skip 'this system does not say how much memory a process has', 1 unless -r '/proc/self/status';
	$session->query(q{SET gpufim.memory_limit = '1GB'});
	$before = $other->query(sprintf $size, $session->{pid});
	$session->send(q{SELECT count(*) FROM episode_significance('(SELECT n % 3 AS kind, n AS at FROM generate_series(1, 2000) AS n)', 'kind', 'at', 1, '{"[1,1]"}', surrogates => 1000000, dither => 500)});
	ok(eventually(sub { $other->query(sprintf $size, $session->{pid}) > $before + 30 * 1024 }), 'a call takes memory');
	$other->query("SELECT pg_cancel_backend($session->{pid})");
	$session->finish;
	like($session->{err}, qr/^ERROR:  57014:/m, 'and is canceled');
	cmp_ok($session->query('SELECT peak_memory_bytes / 1024 FROM gpufim_last_run() WHERE NOT completed'), '>', 20 * 1024, 'what it took is counted');
	$other->quit;
}

# Results that take much of the disk: a notice says how much, each time it is four times as much.  These take
# 2^17 times 8.5 items of 404 bytes in the mean, 450 MB, and some 50 bytes each for the rest of the row.
my $long_items = q{(VALUES (ARRAY(SELECT repeat(chr(96 + n), 397) || 100 + n FROM generate_series(1, %d) AS n)))};
$session->query('RESET gpufim.memory_limit; RESET gpufim.workers');
is($session->query(sprintf "SELECT count(whole) FROM frequent_itemsets('$long_items', 'column1', 1) AS whole", 17), '131071', 'many results')
  or diag $session->{err};
like($session->{err}, qr/^NOTICE:  00000: the result of frequent_itemsets\(\) takes 2[5-9]\d MB of temporary files so far\nDETAIL:  There are \d{5,6} itemsets so far\. The most of one length, \d+, are of length \d+\.\nHINT:  Raise "minsup".*Set "gpufim\.max_results"/m, 'a notice says what they take');
is(() = $session->{err} =~ /^NOTICE/mg, 1, 'and it comes once');
my $taken = $session->query('SELECT spilled_bytes / 1000000 FROM gpufim_last_run()');
cmp_ok($taken, '>=', 450, 'what they take is counted, ...');
cmp_ok($taken, '<', 500, '... and not much more than their items');

# A call that finds too many ends, and nothing of it is left, also where workers find them.
{
	my $before = leftovers($node);

	$session->query(q{SET gpufim.max_results = 100000; SET gpufim.workers = 2});
	$session->query(q{SELECT count(items) FROM frequent_itemsets('(SELECT ARRAY(SELECT k FROM generate_series(1, 60) AS k WHERE (n * k * 7919) % 101 < 60) AS items FROM generate_series(1, 300) AS n)', 'items', 2)});
	like($session->{err}, qr/^ERROR:  53400: the result would exceed "gpufim\.max_results" \(100000\)\nDETAIL:  There are 1\d{5} itemsets so far\./m, 'a call without end finds too many');
	no_leftovers($node, $before, 'too many results');
}
$session->quit;
$node->stop;
done_testing();
