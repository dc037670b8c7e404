# A server in single-user mode, which has no other processes, mines by itself.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $node = new_node('single');
my ($tables, %calls) = family_calls();
my (%expected, $told);

# What a standalone server answers to a statement, which must be one line there; options are
# its settings.
sub single_user
{
	my ($options, $statement) = @_;
	my $input = ($statement =~ s/\s+/ /gr) . "\n";
	my $output = '';

	IPC::Run::run([ 'postgres', '--single', map({ ('-c', $_) } @$options), '-D', $node->data_dir, 'postgres' ],
		'<', \$input, '>', \$output, '2>&1', IPC::Run::timeout($GpufimTest::patience));
	return $output;
}

$node->safe_psql('postgres', $tables);
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
