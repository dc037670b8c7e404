# The end of "make demo": one picture, which stays, and without Graphviz the way to it.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Installation;

# A tree with the demo, in which the server is one that only says which files it was given, and the picture.
sub demo
{
	my ($machine, $status) = @_;
	my $tree = "$machine->{root}/tree";

	Installation::write_file("$tree/scripts/$_", Installation::read_file("$Installation::top/scripts/$_")) foreach qw(demo common.sh);
	$machine->program('/tree/scripts/setup', 'echo "setup $*"');
	$machine->program('/tree/scripts/cluster', "echo \"cluster \$*\"\necho 'digraph rules { }' >&3\nexit $status");
	my $output = `env -i PATH=$machine->{root}/bin:$machine->{root}/tools TMPDIR=$machine->{root}/tmp bash $tree/scripts/demo 2>&1`;
	return ($? >> 8, $output, glob("$machine->{root}/tmp/*"));
}

sub machine
{
	my $machine = Installation->new;

	mkdir "$machine->{root}/tmp";
	return $machine;
}

my $machine = machine();
$machine->program('dot', 'echo "$*" >&2; [ "$1 $2" = "-Tsvg -o" ] && cat "$4" >"$3"');
my ($status, $output, @folders) = demo($machine, 0);
is($status, 0, 'the demo ends well');
is(scalar(@folders), 1, 'and leaves one folder');
like($output, qr/^setup demo\ncluster psql .*load\.sql .*demo\.sql .*picture\.sql$/m, 'what is needed is installed, and all runs on one server');
is(Installation::read_file("$folders[0]/rules.svg"), "digraph rules { }\n", 'in which there is a picture, drawn from what the server said');
like($output, qr/picture .* \Q$folders[0]\E\/rules\.svg$/m, 'that is said');
like($output, qr/xdg-open \Q$folders[0]\E\/rules\.svg$/m, 'and how to open it');
unlike($output, qr/install/, 'nothing need be installed');

$machine = machine();
($status, $output, @folders) = demo($machine, 0);
is($status, 0, 'the demo ends well without Graphviz');
is(Installation::read_file("$folders[0]/rules.dot"), "digraph rules { }\n", 'the graph is there');
like($output, qr/apt-get install graphviz.*\n.*dot -Tsvg -o rules\.svg \Q$folders[0]\E\/rules\.dot$/m, 'what to install is said, and what to do then');

$machine = machine();
($status, $output, @folders) = demo($machine, 3);
is($status, 3, 'if the server fails, so does the demo');
is(scalar(@folders), 0, 'and leaves nothing');

done_testing();
