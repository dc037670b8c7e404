# gpufim.memory_limit: rows beyond it spill, with the same result; the file
# obeys temp_file_limit; what still does not fit is an error with both numbers.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

# No parallel queries: their sessions keep segments of the server's own.
my $node = new_node('memory', conf => q{
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
my ($detail) = $session->{err} =~ /^DETAIL:  (.*)$/m;
my @kilobytes = sort { $a <=> $b } $detail =~ /(\d+) kB/g;
is($kilobytes[0], 8192, 'with what is allowed');
cmp_ok($kilobytes[-1], '>', 8192, 'and what is needed');
like($session->{err}, qr/^HINT:  .*gpufim\.memory_limit/m, 'and a hint');
is($session->query(q{RESET gpufim.memory_limit; SELECT count(*) FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)}), '3', 'the session goes on');
no_leftovers($node, $before, 'out of memory');
$_->quit for $session, $watcher;
$node->stop;
done_testing();
