# A server in single-user mode, which has no other processes, mines by itself.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $node = new_node('single');
my %calls = (
	frequent_itemsets => q{SELECT count(*) || ' ' || sum(support) FROM frequent_itemsets('baskets', 'items', 5)},
	probable_itemsets => q{SELECT count(*) || ' ' || sum(expected_support) FROM probable_itemsets('maybe', 'id', 'item', 'probability', 3, 0.5)},
	frequent_episodes => q{SELECT count(*) || ' ' || sum(support) FROM frequent_episodes('log', 'kind', 'at', 5, '{"(0,2]"}', max_length => 5)},
	episode_significance => q{SELECT count(*) || ' ' || sum(expected) FROM episode_significance('log', 'kind', 'at', 5, '{"(0,2]"}', max_length => 3, surrogates => 20, dither => 5, seed => 1)},
	join_project => q{SELECT join_project_count('maybe', 'id', 'item', 'maybe', 'id', 'item')::text});
my (%expected, $told);

# What a standalone server answers to statements without line breaks; options are its
# settings.
sub single_user
{
	my ($options, @statements) = @_;
	my $input = join("\n", @statements) . "\n";
	my $output = '';

	IPC::Run::run([ 'postgres', '--single', map({ ('-c', $_) } @$options), '-D', $node->data_dir, 'postgres' ],
		'<', \$input, '>', \$output, '2>&1', IPC::Run::timer($GpufimTest::patience));
	return $output;
}

$node->safe_psql('postgres', q{
	CREATE TABLE baskets AS SELECT ARRAY[n % 2, 2 + n % 3, 5 + n % 5] AS items FROM generate_series(1, 60) AS n;
	CREATE TABLE log AS SELECT n % 3 AS kind, n AS at FROM generate_series(1, 60) AS n;
	CREATE TABLE maybe AS SELECT n % 20 AS id, n % 3 AS item, 0.5::float8 AS probability FROM generate_series(1, 60) AS n});
$expected{$_} = $node->safe_psql('postgres', $calls{$_}) foreach keys %calls;
$node->stop;

foreach my $options ([], ['gpufim.workers=4'], ['shared_preload_libraries=gpufim'])
{
	my $how = $options->[0] || 'as it is';

	foreach my $function (sort keys %calls)
	{
		like(single_user($options, $calls{$function}), qr/ = "\Q$expected{$function}\E"/, "$function, $how");
	}
}
$told = single_user([ 'gpufim.engine=gpu' ], $calls{frequent_itemsets});
like($told, qr/ERROR:  there is no GPU that can mine/, 'no GPU is used');
like($told, qr/DETAIL:  There are no workers in single-user mode/, 'and that is said');
like(single_user([], q{SELECT count(*) || ' devices' FROM gpufim_devices()}), qr/ = "\d+ devices"/, 'devices are listed');
like(single_user([], q{SELECT count(*) || ' calls' FROM gpufim_progress}), qr/ = "0 calls"/, 'and so is what is running');
done_testing();
