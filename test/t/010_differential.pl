# Thousands of small random databases against an independent brute force: every
# kind, limit, filter, form and strategy.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	how many databases, 1000 if it is not set
#	GPUFIM_ENGINE		gpu for the GPU engine and its strategies
#
# Many databases keep one core busy, so that runs with seeds of their own can go
# side by side.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = $ENV{GPUFIM_DATABASES} || 1000;
my $calls_each = 4;
my $batch = 250;
my $node = new_node('differential', conf => "max_worker_processes = 8\nwork_mem = '64MB'\n" . engine_conf());
my ($calls, $itemsets, @failures) = (0, 0);

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

# A database: transactions as arrays of item numbers, undef where NULL.
sub random_database
{
	my $nitems = pick(1, 2, random(3, 8), random(6, 12), random(6, 12), random(20, 40));
	my $rows = pick(0, 1, random(2, 10), random(5, 40), random(5, 40), random(60, 70), random(100, 600));
	my $density = $nitems > 12 ? rand 0.2 : 0.05 + rand 0.9;
	my $nulls = pick(0, 0, 0.05);
	my $patterns = random(1, 4);
	my @pattern = map { [ map { rand() < $density } 1 .. $nitems ] } 1 .. $patterns;
	my $noise = pick(0, 0.05, 0.3, 1);
	my @rows;

	for (1 .. $rows)
	{
		my $base = pick(@pattern);
		my @row = grep { rand() < $noise ? rand() < $density : $base->[ $_ - 1 ] } 1 .. $nitems;

		@row = () if rand() < 0.03;
		push @row, pick(@row) while @row && rand() < 0.2;
		push @row, undef if rand() < $nulls;
		for (my $i = $#row; $i > 0; $i--)
		{
			my $j = int rand($i + 1);
			@row[ $i, $j ] = @row[ $j, $i ];
		}
		push @rows, rand() < $nulls ? undef : \@row;
	}
	return \@rows;
}

# Arguments of a call.
sub random_call
{
	my ($rows) = @_;
	my $nrows = grep { defined } @$rows;
	my $call = {
		pairs => rand() < 0.5,
		text => rand() < 0.4,
		kind => pick(qw(all closed maximal)),
		low => pick(1, 1, 1, random(1, 4)),
		strategy => pick(strategies()),
		workers => pick(0, 2),
		including => rand() < 0.25 ? [ map { random(1, 9) } 1 .. random(0, 3) ] : undef,
		excluding => rand() < 0.25 ? [ map { random(1, 12) } 1 .. random(0, 4) ] : undef,
		including_any => rand() < 0.25 ? [ map { random(1, 12) } 1 .. random(0, 5) ] : undef,
	};

	$call->{high} = $call->{low} + random(0, 3) if rand() < 0.3;
	$call->{minsup} = rand() < 0.3 ? pick(0.01, 0.07, 0.1, 0.14, 0.28, 0.3, 0.5, 0.55, 0.9) : random(1, $nrows / 3 + 2);
	return $call;
}

# The threshold in integers: the fractions above are whole hundredths.
sub threshold
{
	my ($minsup, $n) = @_;
	my $hundredths = sprintf '%.0f', $minsup * 100;

	return $minsup if $minsup >= 1;
	return int(($hundredths * $n + 99) / 100) || 1;
}

# What the call should give, by definition: depth first over bit strings of
# transactions.  A frequent superset (of the same support) exists if and only if
# one with a single item more does.
sub brute_force
{
	my ($rows, $call) = @_;
	my %excluded = map { $_ => 1 } @{ $call->{excluding} || [] };
	my (%bits, $n, @frequent, @found, $minsup);

	$n = 0;
	for my $row (@$rows)
	{
		# a transaction without any row does not exist in pair form
		next if !defined $row || ($call->{pairs} && !@$row);
		for my $item (grep { defined } @$row)
		{
			next if $excluded{$item};
			$bits{$item} = '' unless defined $bits{$item};
			vec($bits{$item}, $n, 1) = 1;
		}
		$n++;
	}
	$minsup = threshold($call->{minsup}, $n);
	my @items = sort { $a <=> $b } keys %bits;
	my $width = int(($n + 7) / 8);
	$_ .= "\0" x ($width - length) for values %bits;

	my $grow;
	$grow = sub {
		my ($set, $set_bits, $next) = @_;

		for my $i ($next .. $#items)
		{
			my $new = $set_bits & $bits{ $items[$i] };
			my $support = unpack '%32b*', $new;

			next if $support < $minsup;
			push @frequent, [ [ @$set, $items[$i] ], $support, $new ];
			$grow->($frequent[-1][0], $new, $i + 1);
		}
	};
	$grow->([], "\xff" x $width, 0) if $n;
	undef $grow;    # it holds itself, and would never go

	for my $itemset (@frequent)
	{
		my ($set, $support, $set_bits) = @$itemset;
		my %in = map { $_ => 1 } @$set;
		my $least = $call->{kind} eq 'closed' ? $support : $minsup;

		next if @$set < $call->{low} || (defined $call->{high} && @$set > $call->{high});
		next if grep { !$in{$_} } @{ $call->{including} || [] };
		next if $call->{including_any} && !grep { $in{$_} } @{ $call->{including_any} };
		next if $call->{kind} ne 'all'
		  && grep { !$in{$_} && unpack('%32b*', $set_bits & $bits{$_}) >= $least } @items;
		push @found, [ $set, $support ];
	}
	return ($n, \@found);
}

# The same as text, the way the call's query writes it.
sub as_text
{
	my ($call, $n, $found) = @_;
	my (@lines, %lengths);

	for my $itemset (@$found)
	{
		my ($set, $support) = @$itemset;
		my @names = map { $call->{text} ? "i$_" : $_ } @$set;

		@names = sort @names if $call->{text};
		push @lines, '{' . join(',', @names) . '}:' . $support;
		$lengths{ scalar @$set }++;
	}
	return join(' ', sort @lines) . '|' . join(' ', map { "$_=$lengths{$_}" } sort { $a <=> $b } keys %lengths)
	  . '|' . (@$found ? 't' : '');
}

sub array_literal
{
	my ($items, $prefix) = @_;

	return 'NULL' unless $items;
	return "'{" . join(',', map { defined $_ ? "$prefix$_" : 'NULL' } @$items) . "}'";
}

sub statements
{
	my ($number, $call, $n) = @_;
	my $prefix = $call->{text} ? 'i' : '';
	my $item = $call->{text} ? q{''i'' || item} : 'item';
	my $source = $call->{pairs}
	  ? qq{'(SELECT tid, $item AS item FROM pairs WHERE n = $number)', 'tid', 'item'}
	  : $call->{text} ? qq{'(SELECT CASE WHEN items IS NOT NULL THEN ARRAY(SELECT ''i'' || item FROM unnest(items) AS item) END AS items FROM databases WHERE n = $number)', 'items'}
	  : qq{'(SELECT items FROM databases WHERE n = $number)', 'items'};
	my $arguments = sprintf "%s, %s, kind => '%s', min_length => %d, max_length => %s, including => %s, excluding => %s, including_any => %s",
	  $source, $call->{minsup}, $call->{kind}, $call->{low}, defined $call->{high} ? $call->{high} : 'NULL',
	  array_literal($call->{including}, $prefix), array_literal($call->{excluding}, $prefix), array_literal($call->{including_any}, $prefix);

	return "SET gpufim.strategy = $call->{strategy}; SET gpufim.workers = $call->{workers};\n"
	  . "WITH mined AS MATERIALIZED (SELECT items::text || ':' || support AS itemset, frequency = support / ${n}::float8 AS right FROM frequent_itemsets($arguments))\n"
	  . "SELECT (SELECT coalesce(string_agg(itemset, ' ' ORDER BY itemset COLLATE \"C\"), '') FROM mined)"
	  . " || '|' || (SELECT coalesce(string_agg(length || '=' || itemsets, ' ' ORDER BY length), '') FROM itemset_counts($arguments))"
	  . " || '|' || coalesce((SELECT bool_and(mined.right)::text FROM mined), '');\n";
}

note("GPUFIM_SEED=$seed GPUFIM_DATABASES=$databases");
srand $seed;
$node->safe_psql('postgres', q{
	CREATE TABLE databases (n int, tid int, items int[]);
	CREATE TABLE pairs (n int, tid int, item int, place float8);
	CREATE INDEX ON databases (n);
	CREATE INDEX ON pairs (n);
});

for (my $first = 1; $first <= $databases; $first += $batch)
{
	my $last = $first + $batch - 1 < $databases ? $first + $batch - 1 : $databases;
	my ($copy, $script, @expected, @calls, @scripts) = ('', '');

	for my $number ($first .. $last)
	{
		my $rows = random_database();
		my $tid = 0;

		$copy .= join "\t", $number, ++$tid, defined $_ ? substr(array_literal($_, ''), 1, -1) . "\n" : "\\N\n" for @$rows;
		for (1 .. $calls_each)
		{
			my $call = random_call($rows);
			my ($n, $found) = brute_force($rows, $call);

			push @expected, as_text($call, $n, $found);
			push @scripts, statements($number, $call, $n);
			$itemsets += @$found;
		}
	}
	# pairs come in an order of their own
	my $file = $node->basedir . '/databases';
	open(my $handle, '>', $file) or die "$file: $!";
	print $handle $copy;
	close $handle;
	$node->safe_psql('postgres', "TRUNCATE databases, pairs; COPY databases FROM '$file';
		SELECT setseed(0.1);
		INSERT INTO pairs SELECT n, tid, item, random() FROM databases, unnest(items) AS item ORDER BY 4;
		ANALYZE databases, pairs");
	$script = join '', @scripts;
	my ($out, $err) = ('', '');
	$node->psql('postgres', $script, stdout => \$out, stderr => \$err, on_error_stop => 0);
	my @answers = split /\n/, $out, -1;

	is(scalar @answers, scalar @expected, "databases $first to $last: every call answered") or diag(substr $err, 0, 2000);
	for my $i (0 .. $#expected)
	{
		$calls++;
		(my $answer = defined $answers[$i] ? $answers[$i] : '(none)') =~ s/true$/t/;
		next if $answer eq $expected[$i];
		push @failures, "$scripts[$i]expected $expected[$i]\ngot      $answer\n";
	}
}

is(scalar @failures, 0, sprintf '%d calls over %d databases, %d itemsets, as by brute force', $calls, $databases, $itemsets)
  or diag("GPUFIM_SEED=$seed\n" . join("\n", map { substr $_, 0, 3000 } @failures[ 0 .. ($#failures < 4 ? $#failures : 4) ]));
cmp_ok($itemsets, '>', $calls, 'and they were not empty');
$node->stop;
done_testing();
