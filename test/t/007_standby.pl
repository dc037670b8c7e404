# A hot standby mines as the primary does: nothing here writes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $primary = new_node('primary', allows_streaming => 1, conf => 'gpufim.workers = 2');
my $call = q{SELECT kind, count(*), md5(string_agg(items::text || support, ' ' ORDER BY items COLLATE "C"))
	FROM unnest('{all,closed,maximal}'::text[]) AS kind, frequent_itemsets('baskets', 'items', 60, kind => kind) GROUP BY kind ORDER BY kind COLLATE "C"};
my ($standby, $expected);

$primary->safe_psql('postgres', q{
	SELECT setseed(0.25);
	CREATE TABLE baskets AS
		SELECT (SELECT array_agg(k) FROM generate_series(1, 40) AS k WHERE random() < 0.7 - k * 0.012 + n * 0) AS items
		FROM generate_series(1, 1500) AS n;
});
$primary->backup('base');
$standby = $primary->can('get_new_node') ? $primary->get_new_node('standby') : PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));

$expected = $primary->safe_psql('postgres', $call);
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'this is a standby');
is($standby->safe_psql('postgres', $call), $expected, 'it finds what the primary finds');
is($standby->safe_psql('postgres', "SET gpufim.workers = 0; $call"), $expected, 'without workers too');
is($standby->safe_psql('postgres', q{SET gpufim.memory_limit = '64kB'; SELECT count(*) FROM frequent_itemsets('baskets', 'items', 900)}),
	$primary->safe_psql('postgres', q{SELECT count(*) FROM frequent_itemsets('baskets', 'items', 900)}), 'spilling too');
is($standby->safe_psql('postgres', q{SELECT sum(itemsets) FROM itemset_counts('baskets', 'items', 60)}),
	$primary->safe_psql('postgres', q{SELECT count(*) FROM frequent_itemsets('baskets', 'items', 60)}), 'and counts');
like($standby->safe_psql('postgres', q{SELECT count(*) FROM gpufim_devices()}), qr/^[1-9]/, 'its devices are seen');
is($primary->safe_psql('postgres', "BEGIN READ ONLY; $call"), $expected, 'a read-only transaction likewise');
$standby->stop;
$primary->stop;
done_testing();
