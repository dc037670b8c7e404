# What scripts/versions makes of what is there: of chroots that can be made or not, and of
# what runs in them, with programs in the place of debootstrap and unshare.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Installation;

# A machine whose mirror has all; suites end as these two say.
sub machine
{
	my ($trixie, $sid) = @_;
	my $machine = Installation->new;
	my $root = $machine->{root};

	Installation::write_file("$root/etc/os-release", "VERSION_CODENAME=bookworm\n");
	Installation::write_file("$root/trixie.suite", $trixie || "47 passed, 0 failed\nexit 0\n");
	Installation::write_file("$root/sid.suite", $sid || "45 passed, 0 failed, 2 skipped\nexit 0\n");
	$machine->program('flock', '');
	$machine->program('timeout', 'shift; exec "$@"');
	$machine->program('git', 'printf "scripts/setup\\0scripts/common.sh\\0"');
	$machine->program('apt-get', <<"END");
case \$1 in
	indextargets) printf 'http://mirror/security bookworm-security\\nhttp://mirror/debian bookworm\\n' ;;
	*) echo "\$*" >>'$root/asked'; exit 100 ;;
esac
END
	$machine->program('debootstrap', <<"END");
echo "debootstrap \$*" | sed 's,$root/,,' >>'$root/asked'
mkdir -p "\$3/etc/apt/apt.conf.d"
END
	# what is run in a chroot, which is the argument after the shell's script
	$machine->program('unshare', <<"END");
suite=\${8##*/}
suite=\${suite%.run}
case "\$*" in
	*'apt-get -q update') [ ! -e '$root/no_update' ] ;;
	*'cc --version') echo 'cc (Debian 14.2.0-19) 14.2.0' ;;
	*'clang --version') echo 'Debian clang version 21.1.8 (14)' ;;
	*'--version') echo "PostgreSQL 17.12 (Debian 17.12-1)" ;;
	*'make demo') echo 'a demo' ;;
	*scripts/suite* | *'make test') sed '\$d' '$root/'\$suite.suite; \$(tail -n 1 '$root/'\$suite.suite) ;;
esac
END
	return $machine;
}

# Run the script, which must end with this status and last line; returns what it printed.
sub versions_is
{
	my ($machine, $name, $arguments, $status, $last, %environment) = @_;
	my ($got, $output) = $machine->run("scripts/versions $arguments", GPUFIM_CHROOTS => "$machine->{root}/chroots", %environment);

	is($got, $status, "$name: exit status") or diag($output);
	is(($output =~ /([^\n]*)\n\z/)[0], $last, "$name: last line") or diag($output);
	return $output;
}

# The releases that debootstrap was asked for.
sub made
{
	my ($machine) = @_;

	return join(' ', $machine->asked =~ /^debootstrap \S+ (\S+)/mg);
}

my ($machine, $output);

$machine = machine();
$output = versions_is($machine, 'all pass', '--quick trixie sid', 0, '92 passed, 0 failed');
like($output, qr/^17\.12 \(trixie\) +gcc 14\.2\.0 +regress, isolation +47 passed, 0 failed$/m, 'all pass: the table says what ran');
is($machine->asked, join('', map { "debootstrap --variant=minbase $_ chroots/$_.new http://mirror/debian\n" } qw(trixie sid)),
	'the chroots are made from the mirror of this release');
versions_is($machine, 'again', '--quick trixie sid', 0, '92 passed, 0 failed');
is(made($machine), 'trixie sid', 'again: the chroots are kept');
utime(time - 8 * 86400, time - 8 * 86400, "$machine->{root}/chroots/sid");
versions_is($machine, 'after a week', '--quick trixie sid', 0, '92 passed, 0 failed');
is(made($machine), 'trixie sid sid', 'after a week: made again');
is(join(' ', map { s/.*\///r } glob("$machine->{root}/chroots/*")), 'lock sid trixie', 'what ran in them is gone');
$output = versions_is(machine(), 'the whole', 'trixie', 0, '96 passed, 0 failed');
like($output, qr/^17\.12 \(trixie\) +clang 21\.1\.8 +build +1 passed, 0 failed$/m, 'the whole: built with clang');

# What fails makes the whole fail.
versions_is(machine(undef, "40 passed, 7 failed\nexit 1\n"), 'tests fail', '--quick trixie sid', 1, '87 passed, 7 failed');
versions_is(machine("40 passed, 7 failed\nmake: *** Fehler 1\nexit 2\n"), 'make has the last word', 'trixie', 1, '82 passed, 14 failed');
versions_is(machine("error: a warning\nexit 2\n"), 'a build fails', '--quick trixie sid', 1, '45 passed, 1 failed');
versions_is(machine("47 passed, 0 failed\nexit 139\n"), 'an end with an error', '--quick trixie sid', 1, '92 passed, 1 failed');
$machine = machine();
$output = versions_is($machine, 'no such server', '--quick PG_CONFIG=/nowhere/pg_config', 1, '0 passed, 1 failed');
like($output, qr/cannot be used: there is no such program/, 'no such server: says so');
versions_is($machine, 'in the environment', '--quick', 1, '0 passed, 1 failed', PG_CONFIG => '/nowhere/pg_config');
is($machine->asked, '', 'a server needs no chroot');

# What cannot be tried does not.
$machine = machine();
$machine->program('debootstrap', 'exit 1');
$output = versions_is($machine, 'no answer', '--quick trixie sid', 0, '0 passed, 0 failed');
like($output, qr/^sid .* not tried: it could not be made from http:\/\/mirror\/debian$/m, 'no answer: the table says so');
$machine = machine();
versions_is($machine, 'made', '--quick trixie', 0, '47 passed, 0 failed');
Installation::write_file("$machine->{root}/no_update", '');
$output = versions_is($machine, 'no answer any more', '--quick trixie', 0, '0 passed, 0 failed');
like($output, qr/not tried: it could not be made/, 'no answer any more: the table says so');
$machine = machine();
$machine->remove('debootstrap');
$output = versions_is($machine, 'no debootstrap', '--quick sid', 0, '0 passed, 0 failed');
like($output, qr/not tried: debootstrap is not installed/, 'no debootstrap: the table says so');
like($machine->asked, qr/install -y --no-install-recommends debootstrap\n-q update\n/, 'no debootstrap: apt-get was asked for it');
$machine = machine();
$machine->program('id', 'echo 1000');
$output = versions_is($machine, 'not root', '--quick sid', 0, '0 passed, 0 failed');
like($output, qr/not tried: only root can make it/, 'not root: the table says so');

done_testing();
