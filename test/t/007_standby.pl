# A hot standby mines as the primary does: nothing here writes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $primary = new_node('primary', allows_streaming => 1, conf => 'gpufim.workers = 2');
my $call = q{SELECT kind, count(*), sum(hashtextextended(items::text || support, 0))
	FROM unnest('{all,closed,maximal}'::text[]) AS kind, frequent_itemsets('baskets', 'items', 120, kind => kind) GROUP BY kind ORDER BY kind COLLATE "C"};
my ($tables, %calls) = family_calls();
my ($standby, $expected);

$primary->safe_psql('postgres', q{
	SELECT setseed(0.25);
} . random_table('baskets', 40, '0.7 - k * 0.012', 1500) . q{
	-- item n % 10 is frequent, the rest come once or a few times
	CREATE TABLE wide AS
		SELECT ARRAY(SELECT CASE k WHEN 1 THEN n % 10 ELSE 100 + (n * 7919::bigint + k * 104729) % 20011 END FROM generate_series(1, 30) AS k) AS items
		FROM generate_series(1, 50000) AS n;
} . $tables);
$primary->backup('base');
$standby = bare_node('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));

$expected = $primary->safe_psql('postgres', $call);
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'this is a standby');
is($standby->safe_psql('postgres', $call), $expected, 'it finds what the primary finds');
is($standby->safe_psql('postgres', "SET gpufim.workers = 0; $call"), $expected, 'without workers too');
is($standby->safe_psql('postgres', q{SET gpufim.memory_limit = '4MB'; SELECT count(*) FROM frequent_itemsets('wide', 'items', 1000);
	SELECT spilled_bytes > 0 FROM gpufim_last_run()}), "10\nt", 'spilling too');
is($standby->safe_psql('postgres', q{SELECT sum(itemsets) FROM itemset_counts('baskets', 'items', 120)}),
	$primary->safe_psql('postgres', q{SELECT count(*) FROM frequent_itemsets('baskets', 'items', 120)}), 'and counts');
is($standby->safe_psql('postgres', $calls{$_}), $primary->safe_psql('postgres', $calls{$_}), "$_ as well") foreach sort keys %calls;
like($standby->safe_psql('postgres', q{SELECT count(*) FROM gpufim_devices()}), qr/^[1-9]/, 'its devices are seen');
is($primary->safe_psql('postgres', "BEGIN READ ONLY; $call"), $expected, 'a read-only transaction likewise');
$standby->stop;
$primary->stop;
done_testing();
