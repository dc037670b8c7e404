# A made-up machine for the tests of scripts/: a folder that stands for "/", with
# programs of ours and only those of the real machine that a script may use.
package Installation;

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);

our $top = abs_path(dirname(__FILE__) . '/../..');

# What scripts may use of the real machine.
my @tools = qw(awk bash cat chmod cmp cp dirname env find grep head ls mkdir mktemp mv nproc printf
	rm rmdir sed sh sort stat tail tar tee touch tr true);

sub write_file
{
	my ($path, $content) = @_;

	make_path(dirname($path));
	open(my $out, '>', $path) or die "could not write \"$path\": $!";
	print $out $content;
	close $out;
}

sub read_file
{
	my ($path) = @_;

	open(my $in, '<', $path) or return '';
	local $/;
	return scalar <$in>;
}

# A machine with a C compiler, make and Perl, whose user is root, and nothing else.
sub new
{
	my ($class) = @_;
	my $self = bless { root => tempdir(CLEANUP => 1) }, $class;

	make_path("$self->{root}/bin", "$self->{root}/tools");
	foreach my $tool (@tools)
	{
		my ($real) = grep { -x } map { "$_/$tool" } split(/:/, $ENV{PATH});
		symlink($real, "$self->{root}/tools/$tool") or die "could not link $tool: $!";
	}
	$self->program($_, 'exit 0') foreach qw(make perl prove xz);
	$self->program($_, 'cat >/dev/null') foreach qw(cc c++);
	$self->program('id', 'echo 0');
	return $self;
}

# A shell script on the machine's PATH, or at a path of its own.
sub program
{
	my ($self, $name, $text) = @_;
	my $path = $name =~ m{/} ? "$self->{root}$name" : "$self->{root}/bin/$name";

	write_file($path, "#!/bin/sh\n$text\n");
	chmod 0755, $path;
	return $path;
}

sub remove
{
	my ($self, $name) = @_;

	unlink($name =~ m{/} ? "$self->{root}$name" : "$self->{root}/bin/$name");
}

# What Debian's packages of PostgreSQL bring: the client has pg_config.
sub client
{
	my ($self, $version) = @_;
	my $folder = "/usr/lib/postgresql/$version";

	$self->program("$folder/bin/psql", '');
	$self->program("$folder/bin/pg_config", <<"END");
case \$1 in
	--version) echo 'PostgreSQL $version.4 (Debian $version.4-1)' ;;
	--bindir) echo '$self->{root}$folder/bin' ;;
	--pgxs) echo '$self->{root}$folder/pgxs.mk' ;;
	--includedir-server) echo '$self->{root}/usr/include/postgresql/$version/server' ;;
esac
END
	write_file("$self->{root}$folder/pgxs.mk", '');
	return "$self->{root}$folder/bin/pg_config";
}

sub server
{
	my ($self, $version) = @_;

	$self->program("/usr/lib/postgresql/$version/bin/$_", '') foreach qw(postgres initdb);
	return $self->client($version);
}

sub headers
{
	my ($self, $version) = @_;

	write_file("$self->{root}/usr/include/postgresql/$version/server/postgres.h", '');
	return $self->client($version);
}

# An apt-get that writes down what it is asked for, by whom and whether there was a
# cluster at that time, and that then installs packages of PostgreSQL as above.
# Options: default, the version that the package "postgresql" depends on; lists,
# whether the lists are there; fails, how often an installation fails.
sub apt
{
	my ($self, %options) = @_;
	my $root = $self->{root};
	my $ready = "$root/lists";
	my $made = "$root/made";

	write_file($ready, '') if $options{lists};
	write_file("$root/failures", $options{fails} || 0);

	# What a package holds is made now and moved to its place when it is installed.
	foreach my $version (13 .. 18)
	{
		foreach my $part (qw(client server headers))
		{
			my $other = bless { root => $root }, ref $self;

			$other->$part($version);
			make_path("$made/$part-$version");
			rename("$root/usr", "$made/$part-$version/usr") or die $!;
		}
	}
	$self->program('apt-cache', <<"END");
[ -e '$ready' ] || exit 100
case \${LC_ALL:-\$LANG} in
	C) depends='Depends' ;;
	*) depends='Hängt ab von' ;;
esac
[ "\$*" = 'depends postgresql' ] && echo "  \$depends: postgresql-$options{default}"
END
	$self->program('apt-get', <<"END");
case " \$* " in
	*" --simulate "*) [ -e '$ready' ]; exit ;;
esac
echo "\${AS:-root}: \$*" >>'$root/asked'
case " \$* " in
	*" update "*) : >'$ready' ;;
	*" install "*)
		ls -d '$root'/etc/postgresql/*/* >>'$root/clusters' 2>/dev/null
		[ -e '$ready' ] || exit 100
		n=\$(cat '$root/failures')
		if [ \$n -gt 0 ]; then
			echo \$((n - 1)) >'$root/failures'
			exit 100
		fi
		for package in "\$@"; do
			case \$package in
				postgresql-server-dev-*) parts='headers' ;;
				postgresql-client-*) parts='client' ;;
				postgresql-*) parts='client server' ;;
				*) continue ;;
			esac
			for part in \$parts; do
				cp -R '$made'/\$part-\${package##*-}/usr '$root/'
			done
		done ;;
esac
END
}

# Run one of the scripts there, as a user who reads German; returns its exit status and
# what it printed.
sub run
{
	my ($self, $command, %environment) = @_;
	my $output;

	local %ENV = (PATH => "$self->{root}/bin:$self->{root}/tools", HOME => $self->{root},
		GPUFIM_TEST_ROOT => $self->{root}, LANG => 'de_DE.UTF-8', %environment);
	$output = `cd '$top' && $command 2>&1`;
	return ($? >> 8, $output);
}

# What apt-get was asked for, one line a call.
sub asked
{
	my ($self) = @_;

	return read_file("$self->{root}/asked");
}

1;
