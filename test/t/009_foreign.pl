# Foreign tables, of a file and of another server.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $node = new_node('foreign');
my $file = $node->basedir . '/baskets.csv';

sub answer
{
	my ($sql) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err);
	return $out . $err;
}

sub available
{
	my ($module) = @_;

	return answer("SELECT count(*) FROM pg_available_extensions WHERE name = '$module'") eq '1';
}

SKIP:
{
	skip 'contrib/file_fdw is not installed', 5 unless available('file_fdw');
	open(my $csv, '>', $file) or die "$file: $!";
	print $csv "1,milk,\"{milk,bread}\"\n1,bread,\"{bread}\"\n2,milk,\"{milk,bread}\"\n2,bread,\n3,eggs,{}\n";
	close $csv;
	$node->safe_psql('postgres', qq{
		CREATE EXTENSION file_fdw;
		CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
		CREATE FOREIGN TABLE in_file (id int, item text, items text[]) SERVER files OPTIONS (filename '$file', format 'csv');
		CREATE FOREIGN TABLE no_file (id int, item text) SERVER files OPTIONS (filename '$file.none', format 'csv');
	});
	is(answer(q{SELECT items, support FROM frequent_itemsets('in_file', 'id', 'item', 2) ORDER BY 1}), "{bread}|2\n{bread,milk}|2\n{milk}|2", 'pairs in a file');
	is(answer(q{SELECT items, support, frequency FROM frequent_itemsets('in_file', 'items', 0.5) ORDER BY 1}), "{bread}|3|0.75\n{bread,milk}|2|0.5\n{milk}|2|0.5", 'arrays in a file');
	is(answer(q{SELECT events, support FROM frequent_episodes('in_file', 'item', 'id', 1, '{"[1,1]"}', max_length => 2, including => '{eggs}') ORDER BY 1}),
		"{bread,eggs}|1\n{eggs}|1\n{milk,eggs}|1", 'events in a file');
	like(answer(q{SELECT * FROM frequent_itemsets('no_file', 'id', 'item', 2)}), qr/No such file/, 'a file that is not there');
	open($csv, '>>', $file) or die "$file: $!";
	print $csv "4,broken,\"{a\"\n";
	close $csv;
	like(answer(q{SELECT * FROM frequent_itemsets('in_file', 'items', 2)}), qr/malformed array literal/, 'a file that ends in nonsense');
}

SKIP:
{
	skip 'contrib/postgres_fdw is not installed', 7 unless available('postgres_fdw');
	$node->safe_psql('postgres', sprintf q{
		CREATE TABLE sales AS SELECT n %% 100 AS id, n * 7 %% 13 AS item FROM generate_series(1, 2000) AS n;
		CREATE EXTENSION postgres_fdw;
		CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%s', dbname 'postgres');
		CREATE USER MAPPING FOR CURRENT_USER SERVER loopback;
		CREATE FOREIGN TABLE far (id int, item int) SERVER loopback OPTIONS (table_name 'sales');
		CREATE TABLE parted (id int, item int) PARTITION BY RANGE (id);
		CREATE TABLE near PARTITION OF parted FOR VALUES FROM (0) TO (50);
		CREATE FOREIGN TABLE far_part PARTITION OF parted FOR VALUES FROM (50) TO (100) SERVER loopback OPTIONS (table_name 'far_half');
		CREATE VIEW far_half AS SELECT * FROM sales WHERE id >= 50;
		INSERT INTO near SELECT * FROM sales WHERE id < 50;
	}, $node->host, $node->port);
	my $local = answer(q{SELECT items, support FROM frequent_itemsets('sales', 'id', 'item', 20) ORDER BY items});
	isnt($local, '', 'there is something to find');
	is(answer(q{SELECT items, support FROM frequent_itemsets('far', 'id', 'item', 20) ORDER BY items}), $local, 'a table of another server');
	is(answer(q{SELECT items, support FROM frequent_itemsets('parted', 'id', 'item', 20) ORDER BY items}), $local, 'a foreign partition');

	# The same of events: an id is a time there.
	for my $call (q{frequent_episodes('%s', 'item', 'id', 100, '{"(0,3]"}', max_length => 3)}, q{episode_occurrences('%s', 'item', 'id', '{1,2}', '{"(0,3]"}')})
	{
		my ($found, @others) = map { answer('SELECT r FROM ' . sprintf($call, $_) . ' AS r ORDER BY r::text') } qw(sales far parted);

		like($found, qr/^\(/, 'there are events to find');
		is_deeply(\@others, [ $found, $found ], 'in a table of another server and in a foreign partition');
	}
}
$node->stop;
done_testing();
