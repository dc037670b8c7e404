# Which GPUs device code is built for, with an nvcc and an nvidia-smi that are made
# up.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Installation;

# A machine whose GPUs have these compute capabilities, with an nvcc that knows
# these architectures.
sub machine
{
	my ($capabilities, @architectures) = @_;
	my $machine = Installation->new;
	my $code = join("\n", map { "sm_$_" } @architectures);
	my $arch = join("\n", map { "compute_$_" } @architectures);

	$machine->program('nvidia-smi', $capabilities =~ /^exit/ ? $capabilities : <<"END") if defined $capabilities;
[ "\$*" = '--query-gpu=compute_cap --format=csv,noheader' ] || exit 1
printf '$capabilities'
END
	$machine->program('nvcc', <<"END");
case \$1 in
	--list-gpu-code) echo '$code' ;;
	--list-gpu-arch) echo '$arch' ;;
	*) exit 1 ;;
esac
END
	return $machine;
}

# Machine code is written as a number, PTX as a number in parentheses.
sub built_for
{
	my ($machine, $arguments) = @_;
	my ($status, $output) = $machine->run("scripts/cuda-arch nvcc $arguments");

	return "status $status" if $status;
	$output =~ s/^-gencode=arch=compute_(\w+),code=sm_\1$/$1/mg;
	$output =~ s/^-gencode=arch=compute_(\w+),code=compute_\1$/($1)/mg;
	return join(' ', split(/\n/, $output));
}

my @cuda11 = (35, 37, 50, 52, 60, 61, 70, 72, 75, 80, 86, 87);
my @cuda13 = (75, 80, 86, 87, 88, 89, 90, 100, 110, 103, 120, 121);
my $major13 = '75 80 90a 100 110 120 (120)';

is(built_for(machine(undef, @cuda13), ''), $major13, 'no nvidia-smi: one of each generation');
is(built_for(machine('exit 9', @cuda13), ''), $major13, 'nvidia-smi finds no GPU');
is(built_for(machine("NVIDIA-SMI has failed because it could not communicate with the driver.\n", @cuda13), ''),
	$major13, 'nvidia-smi says something else');
is(built_for(machine('7.0\n', @cuda13), ''), $major13, 'a GPU that is too old');
is(built_for(machine(undef, @cuda11), ''), '75 80 (80)', 'an nvcc of before');
is(built_for(machine('8.6\n', @cuda13), ''), '86', 'one GPU');
is(built_for(machine('9.0\n9.0\n', @cuda13), ''), '90a', 'two GPUs of the kind that has instructions of its own');
is(built_for(machine('12.0\n7.5\n6.1\n', @cuda13), ''), '75 120', 'several kinds, one of them too old');
is(built_for(machine('10.0\n', @cuda11), ''), '(87)', 'a GPU that this nvcc does not know yet');
is(built_for(machine('8.0\n', @cuda13), 'native'), '80', 'native');
is(built_for(machine('8.0\n', @cuda13), 'major'), $major13, 'major, beside a GPU');
is(built_for(machine('8.0\n', @cuda13), 'all'), '75 80 86 87 88 89 90a 100 103 110 120 121 (121)', 'all');
is(built_for(machine('8.0\n', @cuda11), 'all'), '75 80 86 87 (87)', 'all that an nvcc of before knows');
is(built_for(machine('8.0\n', @cuda13), '75 86'), '75 86 (86)', 'numbers');
is(built_for(machine('8.0\n', @cuda13), '90a'), '90a', 'a number with a letter has no PTX');
is(built_for(machine('8.0\n', @cuda13), 'sm_80'), 'status 1', 'a name that is no number');
is(built_for(machine('8.0\n'), 'all'), 'status 1', 'an nvcc that knows none');

done_testing();
