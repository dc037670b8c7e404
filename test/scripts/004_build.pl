# What the Makefile builds, when and for which GPUs, and where scripts/cluster builds
# it: in a small tree of the same form, with an nvcc that is made up.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use File::Find qw(find);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use lib dirname(__FILE__);
use Installation;

my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
my $folder = tempdir(CLEANUP => 1);
my $tree = "$folder/tree";
my $log = "$folder/compiled";

sub program
{
	my ($name, $text) = @_;

	Installation::write_file("$folder/$name", "#!/bin/bash\n$text");
	chmod 0755, "$folder/$name";
	return "$folder/$name";
}

sub source
{
	my ($path, $text) = @_;

	Installation::write_file("$tree/$path", "$text\n");
}

# The compilers write down what they compile.
my $cc = program('recording_cc', <<"END");
[[ " \$* " != *" -c "* ]] || echo "\${!#}" >>'$log'
exec cc "\$@"
END
my $nvcc = program('nvcc', <<"END");
case " \$* " in
	*" --list-gpu-code "*) printf 'sm_%s\\n' 75 80 86 ;;
	*" -c "*)
		echo "\${!#}" >>'$log'
		grep -o 'sm_[0-9]*' cuda/built_for >>'$folder/architectures'
		out=\$(sed 's/.* -o \\([^ ]*\\).*/\\1/' <<<"\$*")
		exec cc -x c -Icuda -MMD -MP -MF "\${!#}.d" -c -o "\$out" "\${!#}" ;;
	*" -shared "*) touch gpufim_cuda.so ;;
esac
END
my $other_pg_config = program('other_pg_config', <<"END");
'$pg_config' "\$@" | sed 's/^PostgreSQL /PostgreSQL 1/'
END

make_path($tree);
system("cp -R '$Installation::top/Makefile' '$Installation::top/scripts' '$Installation::top/gpufim.control' '$tree'") == 0
	or die 'could not copy';
source('sql/gpufim.sql', '');
source('src/engine/kissfft.mk', 'KISSFFT = no');
source('src/top.c', '#include "room/room.h"');
source('src/room/room.c', '#include "room.h"');
source('src/room/room.h', '#include "engine/engine.h"');
source('src/room/alone.c', 'extern int alone;');
source('src/engine/engine.h', '');
source('src/engine/engine.c', '#include "engine.h"');
source('src/engine/family/family.c', '#include "family.h"');
source('src/engine/family/family.h', '');
source('src/engine/ancestors/old/old.c', 'extern int old;');
source('src/engine/cli/fim.c', 'int main(void) { return 0; }');
source('cuda/device.cu', '#include "bits/bits.h"');
source('cuda/bits/bits.cu', '#include "bits.h"');
source('cuda/bits/bits.h', '#include "device.h"');
source('cuda/device.h', '');
source('cuda/bits/alone.cu', 'extern int alone;');
source('cuda/ancestors/old/old.cu', 'extern int alone;');

my @c = qw(src/top.c src/room/room.c src/room/alone.c src/engine/engine.c src/engine/family/family.c
	src/engine/ancestors/old/old.c);
my @cuda = qw(cuda/device.cu cuda/bits/bits.cu cuda/bits/alone.cu cuda/ancestors/old/old.cu);

# All files become older by a minute, so that what is written next is newer.
sub a_minute_passes
{
	find(sub {
			my $time = (lstat)[9];

			utime($time - 60, $time - 60, $_) if -f;
		}, $tree);
}

# Run make with these arguments; these sources and no others must be compiled.
sub builds
{
	my ($name, $arguments, @expected) = @_;

	unlink($log, "$folder/architectures");
	a_minute_passes();
	delete local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL CUDA CUDA_ARCH COPT)};
	my $output = `make -s -C '$tree' CC='$cc' PG_CONFIG='$pg_config' NVCC='$nvcc' $arguments 2>&1`;
	is($?, 0, "$name: make succeeds") or diag($output);
	is(join(' ', sort split(/\n/, Installation::read_file($log))), join(' ', sort @expected), $name) or diag($output);
}

sub changes
{
	my ($path, $text) = @_;

	a_minute_passes();
	source($path, $text);
}

$ENV{PATH} = "$folder:$ENV{PATH}";
program('nvidia-smi', "echo 8.6\n");

builds('a fresh tree, without CUDA', 'CUDA=no', @c);
builds('again', 'CUDA=no');
ok(-e "$tree/gpufim.so" && !-e "$tree/gpufim_cuda.so", 'without CUDA there is no device code');
builds('now with CUDA, on two processors', '-j2', @cuda);
is(join(' ', split(/\n/, Installation::read_file("$folder/architectures"))), 'sm_86 sm_86 sm_86 sm_86', 'for the GPU of this machine');
ok(-e "$tree/gpufim_cuda.so", 'with CUDA there is device code');
builds('again, with CUDA', '');

changes('src/room/room.h', '');
builds('a header of two files changed', '', qw(src/top.c src/room/room.c));
changes('src/engine/engine.h', '');
builds('a header that they include no more', '', 'src/engine/engine.c');
changes('src/engine/family/family.h', '');
builds('a header of the engine', '', 'src/engine/family/family.c');
changes('cuda/device.h', '');
builds('a header of device code that another header includes', '', qw(cuda/device.cu cuda/bits/bits.cu));
changes('src/room/room.c', '');
unlink("$tree/src/engine/family/family.h");
changes('src/engine/family/family.c', '');
builds('a header that is gone', '', qw(src/room/room.c src/engine/family/family.c));
rename("$tree/cuda/device.cu", "$tree/cuda/device.c") or die $!;
builds('a source of device code that is C now', '', 'cuda/device.c');
rename("$tree/cuda/device.c", "$tree/cuda/device.cu") or die $!;
changes('cuda/device.cu', '#include "bits/bits.h"');
builds('and back', '', 'cuda/device.cu');
unlink("$tree/src/top.c.d", "$tree/cuda/bits/alone.cu.d");
builds('nobody knows what these include', '', qw(src/top.c cuda/bits/alone.cu));

builds('for all GPUs', 'CUDA_ARCH=all', @cuda);
is(Installation::read_file("$tree/cuda/built_for"), <<'END', 'for all GPUs: what nvcc is told');
-gencode=arch=compute_75,code=sm_75
-gencode=arch=compute_80,code=sm_80
-gencode=arch=compute_86,code=sm_86
-gencode=arch=compute_86,code=compute_86
END
builds('an installation keeps the choice', "install DESTDIR='$folder/installed'");
builds('and so does make', '');
builds('others are asked for', 'CUDA_ARCH="75 80"', @cuda);
builds('the same again', 'CUDA_ARCH="75 80"');
builds('this machine is asked for', 'CUDA_ARCH=native', @cuda);

builds('another PostgreSQL', "PG_CONFIG='$other_pg_config'", @c);
builds('the same PostgreSQL again', "PG_CONFIG='$other_pg_config'");
builds('back to the first', '', @c);
builds('nothing is left after make clean', 'clean');
builds('so all is built', '', @c, @cuda);
{
	delete local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL CUDA CUDA_ARCH COPT)};
	`make -s -C '$tree' CC='$cc' PG_CONFIG='$pg_config' NVCC='$nvcc' clean`;
}
my @left;
find(sub { push @left, $File::Find::name if /(\.(o|d|so)|built_for|^fim)$/ }, $tree);
is("@left", '', 'make clean leaves nothing that was built');

# Where scripts/cluster builds.  The command in the place of make says where it is
# and what it is told to build, and fails, which ends the script.
sub cluster
{
	my ($machine, %environment) = @_;
	my ($status, $output) = $machine->run("'$machine->{root}/clone/scripts/cluster' true", %environment);
	my @made = grep { /^make / } split(/\n/, $output);

	return join("\n", @made) || $output;
}

sub clone
{
	my ($uid) = @_;
	my $machine = Installation->new;
	my $clone = "$machine->{root}/clone";

	make_path($clone);
	system("cp -R '$Installation::top/Makefile' '$Installation::top/scripts' '$clone'") == 0 or die 'could not copy';
	Installation::write_file("$clone/$_", '') foreach qw(src/a.c src/a.o src/built_for);
	$machine->server(15);
	$machine->headers(15);
	$machine->program('flock', '');
	$machine->program('id', "echo $uid");
	$machine->program('setpriv', 'while :; do case $1 in --*) flags="$flags $1"; shift ;; *) break ;; esac; done
AS="$flags " exec "$@"');
	$machine->program('make', "echo make \${AS}CUDA=\$CUDA \"\$*\" | sed 's,$machine->{root}/,,g'; exit 1");
	return $machine;
}

my $processors = `nproc`;
chomp $processors;
my $in_place = "--no-print-directory -s -C clone -j$processors PG_CONFIG=usr/lib/postgresql/15/bin/pg_config all";

my $machine = clone(1000);
is(cluster($machine), "make CUDA=no $in_place", 'without a GPU: built in the tree, no device code');
is(cluster($machine, CUDA => 'yes'), "make CUDA=yes $in_place", 'without a GPU: device code for who asks');
$machine->program('nvidia-smi', 'echo 8.0');
is(cluster($machine), "make CUDA= $in_place", 'with a GPU: device code if there is nvcc');
is(cluster($machine, CUDA => 'no'), "make CUDA=no $in_place", 'with a GPU: none for who asks');
$machine->program('nvidia-smi', 'echo 7.0');
is(cluster($machine), "make CUDA=no $in_place", 'a GPU that is too old is none');

my ($uid, $gid) = (stat "$machine->{root}/clone")[4, 5];
$machine = clone(0);
is(cluster($machine), "make --reuid=$uid --regid=$gid --clear-groups CUDA=no $in_place",
	'called by root: built in the tree by its owner');

SKIP:
{
	skip 'root may write everywhere', 2 if $> == 0;
	$machine = clone(1000);
	chmod 0444, "$machine->{root}/clone/src/a.o";
	unlike(cluster($machine), qr/-C clone /, 'not built in the tree: an object belongs to somebody else');
	$machine = clone(1000);
	chmod 0555, "$machine->{root}/clone/src";
	unlike(cluster($machine), qr/-C clone /, 'not built in the tree: a folder must not be written to');
	chmod 0755, "$machine->{root}/clone/src";
}

# Called by root, data that the server's user cannot read are copied for it: all folders that tests read, as far as
# they are there.
$machine = clone(0);
$machine->program('make', '');
$machine->program('chown', '');
$machine->program('setpriv', 'while :; do case $1 in --*) shift ;; *) break ;; esac; done
case $1 in
	ls) exit 1 ;;
	*/cluster) (cd "$GPUFIM_DATA" && echo copied */*); rm -rf "$3" ;;
	*) exec "$@" ;;
esac');
Installation::write_file("$machine->{root}/sets/$_", '') foreach qw(fimi/a uncertain/b reference/c others/d);
like(($machine->run("'$machine->{root}/clone/scripts/cluster' true", GPUFIM_DATA => "$machine->{root}/sets"))[1],
	qr{^copied fimi/a reference/c uncertain/b$}m, 'called by root: the data are copied for the user of the server');

# Warnings are shown, whatever the user's language.
$machine->program('make', 'case ${LC_ALL:-$LANG} in C) echo "a.c:1: warning: x" ;; *) echo "a.c:1: Warnung: x" ;; esac');
like(($machine->run("'$machine->{root}/clone/scripts/cluster' true"))[1], qr{^a.c:1: warning: x$}m, 'warnings of the build are shown');

done_testing();
