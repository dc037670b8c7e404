# What scripts/setup decides, and which PostgreSQL scripts/common.sh finds, on
# machines that are made up.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__);
use Installation;

my $INSTALL = 'root: -q install -y --no-install-recommends';
my $FIND = "bash -c '. scripts/common.sh && find_pg_config'";

# Run setup; it must end with this status and have asked apt-get for this.
sub setup_is
{
	my ($machine, $status, $asked, $name, %environment) = @_;
	my ($purpose) = delete $environment{purpose} || 'demo';
	my ($got, $output) = $machine->run("scripts/setup $purpose", %environment);

	is($got, $status, "$name: exit status") or diag($output);
	is($machine->asked, $asked, "$name: what apt-get was asked for") or diag($output);
	return $output;
}

sub machine_with
{
	my (@parts) = @_;
	my $machine = Installation->new;

	$machine->apt(default => 15, lists => 1);
	while (my ($part, $version) = splice(@parts, 0, 2))
	{
		$machine->$part($version);
	}
	return $machine;
}

my ($machine, $output, $status);

# Nothing is missing.
$machine = machine_with(server => 15, headers => 15);
$output = setup_is($machine, 0, '', 'everything there');
is($output, '', 'everything there: nothing is said');

# Parts of PostgreSQL are missing.
$machine = machine_with(server => 15);
$output = setup_is($machine, 0, "$INSTALL postgresql-server-dev-15\n", 'server without headers');
like($output, qr/missing: the development files of PostgreSQL 15$/m, 'server without headers: said');
unlike(Installation::read_file("$machine->{root}/clusters"), qr/./, 'server without headers: no stand-in cluster');

$machine = machine_with(client => 15, headers => 15);
setup_is($machine, 0, "$INSTALL postgresql-15\n", 'headers without server');
like(Installation::read_file("$machine->{root}/clusters"), qr{/15/gpufim-setup$},
	'headers without server: a cluster stood in while apt-get ran');
ok(!-e "$machine->{root}/etc/postgresql/15", 'headers without server: and went');

$machine = machine_with(headers => 15);
Installation::write_file("$machine->{root}/etc/postgresql/15/main/postgresql.conf", '');
setup_is($machine, 0, "$INSTALL postgresql-15\n", 'a cluster without server');
ok(-e "$machine->{root}/etc/postgresql/15/main/postgresql.conf", 'a cluster without server: it stays');
unlike(Installation::read_file("$machine->{root}/clusters"), qr/gpufim-setup/, 'a cluster without server: no other');

$machine = machine_with(client => 15);
setup_is($machine, 0, "$INSTALL postgresql-15 postgresql-server-dev-15\n", 'a client alone');

$machine = machine_with(server => 15, headers => 15);
$machine->remove('/usr/lib/postgresql/15/pgxs.mk');
setup_is($machine, 0, "$INSTALL postgresql-client-15\n", 'no pgxs.mk');

$machine = machine_with();
setup_is($machine, 0, "$INSTALL postgresql-15 postgresql-server-dev-15\n", 'no PostgreSQL');

# Several versions.
$machine = machine_with(server => 13, headers => 13, server => 15);
setup_is($machine, 0, "$INSTALL postgresql-server-dev-15\n", 'version 13 beside a 15 without headers');

$machine = machine_with(server => 13, headers => 13);
setup_is($machine, 0, "$INSTALL postgresql-15 postgresql-server-dev-15\n", 'version 13 alone');

$machine = machine_with(client => 17, server => 15, server => 14);
setup_is($machine, 0, "$INSTALL postgresql-server-dev-15\n", 'a client of 17 beside servers of 15 and 14');

$machine = machine_with(server => 17, server => 15, headers => 15);
setup_is($machine, 0, '', 'a 17 without headers beside a whole 15');
($status, $output) = $machine->run($FIND);
is($output, "$machine->{root}/usr/lib/postgresql/15/bin/pg_config\n", 'the whole 15 is taken');

$machine = machine_with(server => 14, headers => 14, server => 16, headers => 16, server => 9, headers => 9);
($status, $output) = $machine->run($FIND);
is($output, "$machine->{root}/usr/lib/postgresql/16/bin/pg_config\n", 'the newest is taken');

$machine = machine_with(server => 14, headers => 14, server => 16, headers => 16);
symlink("$machine->{root}/usr/lib/postgresql/14/bin/pg_config", "$machine->{root}/bin/pg_config");
($status, $output) = $machine->run($FIND);
is($output, "$machine->{root}/bin/pg_config\n", 'that on the PATH goes before the newest');

# PG_CONFIG is set.
$machine = machine_with(server => 14, headers => 14, server => 16, headers => 16);
my $named = "$machine->{root}/usr/lib/postgresql/14/bin/pg_config";
setup_is($machine, 0, '', 'PG_CONFIG is usable', PG_CONFIG => $named);
($status, $output) = $machine->run($FIND, PG_CONFIG => $named);
is($output, "$named\n", 'PG_CONFIG is usable: it is taken');

$machine = machine_with(server => 15, headers => 15, server => 13, headers => 13, server => 16, client => 17);
my %problems = (
	'/nowhere/pg_config' => qr/there is no such program/,
	'/usr/lib/postgresql/13/bin/pg_config' => qr/belongs to PostgreSQL 13, and 14 is the oldest/,
	'/usr/lib/postgresql/16/bin/pg_config' => qr/no header "postgres.h" in ".*16.server"/,
	'/usr/lib/postgresql/17/bin/pg_config' => qr/no program "postgres" in ".*17.bin"/,
	'/usr/lib/postgresql/15/bin/psql' => qr/does not say which version/);
foreach my $path (sort keys %problems)
{
	$output = setup_is($machine, 1, '', "PG_CONFIG=$path", PG_CONFIG => "$machine->{root}$path");
	like($output, qr/PG_CONFIG=\S+ cannot be used: .*$problems{$path}/, "PG_CONFIG=$path: says why");
	($status) = $machine->run($FIND, PG_CONFIG => "$machine->{root}$path");
	isnt($status, 0, "PG_CONFIG=$path: no other is taken for it");
}

# Not Debian.
$machine = Installation->new;
$machine->remove('make');
$output = setup_is($machine, 1, '', 'no apt-get');
like($output, qr/missing: make, PostgreSQL 14 or later with its development files\. Please install/,
	'no apt-get: what to install');

$machine = Installation->new;
$machine->server(15);
rename("$machine->{root}/usr", "$machine->{root}/opt") or die $!;
$machine->program('pg_config', "sed -i 's,/usr/,/opt/,' $machine->{root}/opt/lib/postgresql/15/bin/pg_config\n"
	. "exec $machine->{root}/opt/lib/postgresql/15/bin/pg_config \"\$@\"");
$output = setup_is($machine, 1, '', 'no apt-get, no headers');
like($output, qr/pg_config cannot be used: there is no header/, 'no apt-get, no headers: says so');

# Not root.
$machine = machine_with(server => 15);
$machine->program('id', 'echo 1000');
$output = setup_is($machine, 1, '', 'neither root nor sudo');
like($output, qr/missing: the development files of PostgreSQL 15\. Please run \".*\/scripts\/setup demo\" as root, or install sudo/,
	'neither root nor sudo: says so');

$machine->program('sudo', 'AS=sudo exec "$@"');
(my $by_sudo = $INSTALL) =~ s/root/sudo/;
$output = setup_is($machine, 0, "$by_sudo postgresql-server-dev-15\n", 'not root, but sudo');
like($output, qr/running sudo apt-get install postgresql-server-dev-15$/m, 'not root, but sudo: says so');

# apt-get's lists.
$machine = Installation->new;
$machine->apt(default => 15);
setup_is($machine, 0, "root: -q update\n$INSTALL postgresql-15 postgresql-server-dev-15\n", 'no lists');

$machine = Installation->new;
$machine->apt(default => 15, lists => 1, fails => 1);
$machine->server(15);
setup_is($machine, 0, "$INSTALL postgresql-server-dev-15\nroot: -q update\n$INSTALL postgresql-server-dev-15\n",
	'old lists');

$machine = Installation->new;
$machine->apt(default => 15, lists => 1, fails => 2);
$machine->client(15);
$output = setup_is($machine, 1,
	join("root: -q update\n", ("$INSTALL postgresql-15 postgresql-server-dev-15\n") x 2), 'apt-get fails');
like($output, qr/could not install what is missing/, 'apt-get fails: says so');
ok(!-e "$machine->{root}/etc/postgresql/15", 'apt-get fails: the cluster that stood in went');

$machine = Installation->new;
$machine->apt(default => 13, lists => 1);
$output = setup_is($machine, 1, '', 'apt-get offers version 13 only');
like($output, qr/apt-get offers no PostgreSQL 14 or later/, 'apt-get offers version 13 only: says so');

# Other programs.
$machine = machine_with(server => 15);
$machine->remove($_) foreach qw(make cc);
setup_is($machine, 0, "$INSTALL make gcc libc6-dev postgresql-server-dev-15\n", 'no compiler and no make');

$machine = machine_with(server => 15, headers => 15);
$machine->remove('prove');
$machine->program('perl', 'exit 1');
setup_is($machine, 0, '', 'the demo needs no Perl');
setup_is($machine, 0, "$INSTALL perl libipc-run-perl\n", 'the tests do', purpose => 'test');

$machine = machine_with(server => 15, headers => 15);
$machine->program('cc', 'cat >/dev/null; case "$*" in *sanitize*) exit 1 ;; esac');
$machine->remove('xz');
setup_is($machine, 0, "$INSTALL gcc xz-utils\n", 'the tests need sanitizers and, with data, xz',
	purpose => 'test', GPUFIM_DATA => '/data');

$machine = machine_with(server => 15, headers => 15);
$machine->program('c++', 'cat >/dev/null; case "$*" in *kissfft*) exit 1 ;; esac');
setup_is($machine, 0, '', 'the demo needs no KissFFT');
setup_is($machine, 0, "$INSTALL g++ libkissfft-dev\n", 'the tests need it', purpose => 'test');
$machine = Installation->new;
$machine->$_(15) foreach qw(server headers);
$machine->program('c++', 'exit 1');
setup_is($machine, 0, '', 'but do without where it cannot be installed', purpose => 'test');

done_testing();
