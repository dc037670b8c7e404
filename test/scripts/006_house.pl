# The house: which file may use which.  No two sources use each other's functions, not even by way of
# others.  What a header declares, another file uses.
# On all floors, no family's room looks into
# another's, and what families share looks into none.  Neither the engine nor device code
# knows PostgreSQL.
use strict;
use warnings;
use Test::More;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Find;

my $top = abs_path(dirname(__FILE__) . '/../..');
# Rooms of families, on every floor; not what rules are judged by, which families may share.
my @families = grep { !/^(?:cli|ancestors|rules)$/ } map { m{/src/engine/(\w+)/$} ? $1 : () } glob "$top/src/engine/*/";
my $family = join '|', @families, qw(itemsets probable episodes sets);
my (%text, %code, %includes);

find({ no_chdir => 1, wanted => sub {
	return unless /\.(?:c|h|cu)$/;
	open(my $file, '<', $_) or die "$_: $!";
	local $/;
	($text{ substr($_, length("$top/")) } = <$file>) =~ s/\r//g;
} }, "$top/src", "$top/cuda");
($code{$_} = $text{$_}) =~ s{/\*.*?\*/}{}gs foreach keys %text;

# The file that an include means, relative to the top; undef if it is not ours.
sub resolve
{
	my ($from, $name) = @_;

	foreach my $try (dirname($from) . "/$name", ($from =~ m{^cuda/} ? "cuda/$name" : ()), "src/$name")
	{
		return $try if exists $text{$try};
	}
	return;
}

# A path from a source to itself, or nothing.
sub circle
{
	my ($graph, $source, $state, @path) = @_;

	return [ @path, $source ] if ($state->{$source} || 0) == 1;
	return if $state->{$source};
	$state->{$source} = 1;
	foreach my $next (sort keys %{ $graph->{$source} })
	{
		my $found = circle($graph, $next, $state, @path, $source);
		return $found if $found;
	}
	$state->{$source} = 2;
	return;
}

foreach my $file (sort keys %text)
{
	$includes{$file} = [ grep { defined } map { resolve($file, $_) } $text{$file} =~ /^#include "([^"]+)"/mg ];
}
cmp_ok(scalar(keys %text), '>', 100, 'there are files to look at');
cmp_ok(scalar(map { @$_ } values %includes), '>', 200, 'which include each other');

# A name means one function, in the server's library and in the GPU's, so that whoever looks for it finds one.
my (%defined_in, @twice);
foreach my $file (grep { /\.(?:c|cu)$/ } sort keys %code)
{
	push @{ $defined_in{$_} }, $file foreach $code{$file} =~ /^(?!(?:static|extern)\b)[\w* "]+[\s*](\w+)\([^;{}]*\)\s*\n\{/mg;
}
cmp_ok(scalar(keys %defined_in), '>', 500, 'there are functions');
push @twice, "$_: @{ $defined_in{$_} }" foreach grep { @{ $defined_in{$_} } > 1 } sort keys %defined_in;
is(join("\n", @twice), '', 'no two functions with external linkage have one name');

# Nor do two headers of a floor call different types by one name.
my (%type_in, @types_twice);
foreach my $header (grep { /\.h$/ } sort keys %code)
{
	my ($floor) = $header =~ m{^(cuda|src/engine|src)/};
	my %names = map { $_ => 1 } $code{$header} =~ /^\} (\w+);/mg, $code{$header} =~ /^(?:struct|enum|union) (\w+)\s*\{/mg;

	push @{ $type_in{"$floor: $_"} }, $header foreach keys %names;
}
cmp_ok(scalar(keys %type_in), '>', 300, 'there are types');
push @types_twice, "$_: @{ $type_in{$_} }" foreach grep { @{ $type_in{$_} } > 1 } sort keys %type_in;
is(join("\n", @types_twice), '', 'no two headers of a floor define types of one name');

# The files in which a word occurs outside comments and messages.  Tests and benchmarks use the engine, too.
my %users;
find({ no_chdir => 1, wanted => sub {
	return unless /\.(?:c|h|cu)$/ && open(my $file, '<', $_);
	local $/;
	(my $code = <$file>) =~ s{/\*.*?\*/|^\s*#include.*?$|"(?:\\.|[^"\\\n])*"}{}gsm;
	my %words = map { $_ => 1 } $code =~ /\w+/g;
	push @{ $users{$_} }, substr($File::Find::name, length("$top/")) foreach keys %words;
} }, map { "$top/$_" } qw(src cuda test bench));

# Does a source mean a static function of its own by this name?
sub defines_itself
{
	my ($source, $name) = @_;

	return $code{$source} =~ /^static\b[^;{}=]*?\b$name\(/m;
}

# A source and its kernels are one, in two languages.
sub story
{
	(my $story = shift) =~ s/(?:_kernels)?\.\w+$//;
	return $story;
}

# Which source calls, or otherwise names, functions of which other.
foreach my $floor (qw(src cuda))
{
	my (%graph, %state, $circle);

	foreach my $function (keys %defined_in)
	{
		my ($home) = @{ $defined_in{$function} };

		next unless $home =~ m{^$floor/};
		$graph{ story($_) }{ story($home) } = 1 foreach grep {
			m{^$floor/.*\.cu?$} && story($_) ne story($home) && !defines_itself($_, $function) } @{ $users{$function} };
	}
	cmp_ok(scalar(keys %graph), '>', 50, "there are sources in $floor that use others");
	foreach my $source (sort keys %graph)
	{
		last if $circle = circle(\%graph, $source, \%state);
	}
	is($circle ? join(' -> ', @$circle) : undef, undef, "no sources of $floor use each other in a circle");
}

# Does another file than the header and the one that defines the name use it?
# Background workers begin in functions that PostgreSQL finds by their names.
sub used_elsewhere
{
	my ($header, $name) = @_;

	return 1 if $name =~ /Main$/ || (() = $code{$header} =~ /\b$name\b/g) > 1;
	return grep { $_ ne $header &&
		($code{$_} || '') !~ /^(?!(?:static|extern)\b)[\w* "]+[\s*]$name\([^;{}]*\)\s*\n\{/m } @{ $users{$name} };
}

my @unused = map { my $header = $_;
	map { used_elsewhere($header, $_) ? () : "$header: $_" }
	$code{$header} =~ /^(?:pg_noreturn )?extern [^;{(]*?\b(\w+)\s*(?:\(|;|\[)/mg } grep { /\.h$/ } sort keys %text;
is_deeply(\@unused, [], 'what a header declares, another file uses');

# What a header says is of a file is there: functions under a title "X.c: ..." are defined in X.c or in its
# kernels, up to the next title.  And a file that a comment or a page names exists.
my (@misplaced, $titles, %known_file);
foreach my $header (grep { /\.h$/ } sort keys %text)
{
	my ($of, $names);

	while ($text{$header} =~ m{/\*(.*?)\*/|^extern [^;()]*?\b(\w+)\([^;]*;}gms)
	{
		if (defined $2)
		{
			push @misplaced, "$header: $2 is not in $names"
			  if $of && $defined_in{$2} && !grep { $of->{ basename(story($_)) } } @{ $defined_in{$2} };
		}
		elsif ($1 =~ /^[\s*]*((?:\w+\.cu?, )*\w+\.cu?): /)
		{
			$names = $1;
			$of = { map { story($_) => 1 } split /, /, $names };
			$titles++;
		}
	}
}
cmp_ok($titles, '>', 100, 'headers say what is where');
is_deeply(\@misplaced, [], 'and it is there');

find({ no_chdir => 1, wanted => sub { $known_file{ $1 } = 1 if m{([^/]+)$} } }, map { "$top/$_" } qw(src cuda test bench sql doc));
my %included = map { $_ => 1 } map { /^#include [<"]([^>"]+)/mg } values %text;
my @nowhere = map { my $file = $_;
	my %ours = map { $_ => 1 } join(' ', $text{$file} =~ m{/\*.*?\*/}gs) =~ m{\b((?:\w+/)*\w+\.(?:c|h|cu|cc|pl|sql))\b}g;

	map { m{(\w+\.\w+)$} && ($known_file{$1} || $included{$_}) ? () : "$file: $_" } sort keys %ours }
  sort keys %text;
foreach my $page (grep { !m{/bench/results/} } map { glob "$top/$_" } '*.md', '*/*.md', '*/*/*.md')
{
	open(my $file, '<', $page) or die "$page: $!";
	local $/;
	push @nowhere, map { "$page: $_" } grep { m{(\w+\.\w+)$} && !$known_file{$1} && !$included{$_} }
	  <$file> =~ m{`((?:\w+/)*(?!X)\w+\.(?:c|h|cu|cc|pl|sql))`}g;
}
is_deeply(\@nowhere, [], 'files that comments and pages name exist');

# Published systems that work in a family by name.
my %family_of = (gpudci => 'itemsets', gminer => 'itemsets', papriori => 'probable', episodes => 'episodes', batmap => 'sets');

# The room of a family that a file is in, if it is in one.
sub room
{
	my ($file) = @_;

	return $family_of{$1} || "no family of $1" if $file =~ m{^(?:src/engine|cuda)/ancestors/(\w+)/};
	return $file =~ m{^(?:src|src/engine|cuda)/($family)/} ? $1 : '';
}

# Of the published systems, ours use nothing: a family includes them where it chooses the strategy.
my $chooser = qr{^(?:src/engine/\w+/cpu_engine\.c|cuda/(\w+)/\1\.c)$};
my (@strangers, @lookers, @postgres, @descendants);
foreach my $file (sort keys %includes)
{
	foreach my $other (@{ $includes{$file} })
	{
		push @descendants, "$file includes $other"
		  if $other =~ m{/ancestors/(\w+)/} && $file !~ m{/ancestors/$1/} && $file !~ $chooser;
		# the command-line program may look everywhere
		next if room($other) eq '' || room($other) eq room($file) || $file =~ m{/engine/cli/};
		push @{ room($file) ? \@strangers : \@lookers }, "$file includes $other";
	}
	push @postgres, $file if $file =~ m{^(?:src/engine|cuda)/} && $text{$file} =~ /^#include "(?:postgres|utils|storage|work|read)\b/m;
}
is_deeply(\@strangers, [], "no family's room looks into another's");
is_deeply(\@descendants, [], 'what is ours uses nothing of the published systems');
is_deeply(\@lookers, [], 'what families share looks into no room');
is_deeply(\@postgres, [], 'neither the engine nor device code knows PostgreSQL');

# The features that files are compiled for, which isa.c must ask for, since other processors get other kernels.
my %features = map { $_ => 1 } map { map { split /,/ } $code{$_} =~ /target\("([^"]+)"\)/g } grep { m{^src/engine/} } keys %code;
my @unasked = grep { $code{'src/engine/isa.c'} !~ /cpu_supports\("$_"\)|\bHas\u$_\b/ } sort keys %features;
is_deeply(\@unasked, [], 'the processor is asked for all that kernels are compiled for');

done_testing();
