# The k best itemsets of random databases against all itemsets by definition, in their order: every argument, form and
# strategy, and with any number of workers; some by a query of frequent_itemsets() with ORDER BY and LIMIT.  A brute force counts
# every part of every transaction.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	how many databases, 200 if it is not set
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use List::Util qw(max min sum);
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = $ENV{GPUFIM_DATABASES} || 200;
my $batch = 100;
my $node = new_node('top_itemsets', conf => "max_worker_processes = 8\n" . engine_conf());
my ($calls, $found, $tied, @failures) = (0, 0, 0);

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

# Transactions as [copies, items], of which some come together.  With thousands of copies, several supports share a range.
sub random_database
{
	my $nitems = pick(1, random(2, 6), random(4, 9));
	my $density = 0.1 + rand 0.8;
	my $noise = pick(0, 0.1, 0.4, 1);
	my $copies = pick(1, 1, 1, 3, 900);
	my @patterns = map { [ grep { rand() < $density } 1 .. $nitems ] } 1 .. random(1, 3);

	return [ map {
		my %has = map { $_ => 1 } @{ pick(@patterns) };
		[ random(1, $copies), [ grep { rand() < $noise ? rand() < $density : $has{$_} } 1 .. $nitems ] ]
	} 1 .. pick(random(1, 6), random(5, 30), random(20, 60)) ];
}

sub some_items { my ($p) = @_; return rand() < $p ? [ map { random(1, 9) } 1 .. random(1, 3) ] : undef; }

sub random_call
{
	my $call = {
		pairs => rand() < 0.3, text => rand() < 0.4, strategy => pick(strategies()), workers => random(0, 3),
		k => pick(1, random(1, 10), random(5, 60), random(1, 600)), kind => pick('all', 'all', 'closed'),
		min_length => pick(1, 1, 1, 2, 3), ties => pick(qw(true false)),
		including => some_items(0.15), excluding => some_items(0.15),
	};
	$call->{max_length} = $call->{min_length} + random(0, 2) if rand() < 0.3;
	# only the CPU has such a query look for the best
	$call->{query} = $call->{ties} eq 'false' && ($ENV{GPUFIM_ENGINE} || '') ne 'gpu' && rand() < 0.5;
	$call->{including_any} = some_items(0.5) if $call->{query};
	$call->{minsup} = $call->{query} ? pick(1, random(1, 10)) : 1;
	return $call;
}

sub size { return unpack '%32b*', pack 'N', $_[0]; }
sub bits { my ($items) = @_; return sum(0, map { 1 << $_ } keys %{ { map { $_ => 1 } @{ $items || [] } } }); }
sub items_of { my ($set) = @_; return grep { $set >> $_ & 1 } 0 .. 20; }

# The supports of all itemsets, by their items' bits.
sub supports
{
	my ($rows, $excluded) = @_;
	my (%count, %support);

	$count{ bits($_->[1]) & ~$excluded } += $_->[0] foreach @$rows;
	foreach my $row (keys %count)
	{
		for (my $part = $row; $part; $part = ($part - 1) & $row) { $support{$part} += $count{$row}; }
	}
	return \%support;
}

# What the call is to return, row by row, and the number of ties.
sub brute_force
{
	my ($rows, $call) = @_;
	my $support = supports($rows, bits($call->{excluding}));
	my ($needed, $any) = map { bits($call->{$_}) } qw(including including_any);
	my $n = sum(map { $_->[0] } grep { !$call->{pairs} || @{ $_->[1] } } @$rows) || 0;
	my %covered;

	foreach my $set (keys %$support) { foreach my $item (items_of($set)) {
		$covered{ $set & ~(1 << $item) } = 1 if ($support->{ $set & ~(1 << $item) } || 0) == $support->{$set};
	} }
	my @all = grep { $support->{$_} >= $call->{minsup} && ($_ & $needed) == $needed && (!defined $call->{including_any} || $_ & $any) && size($_) >= $call->{min_length} && !(defined $call->{max_length} && size($_) > $call->{max_length})
		  && !($call->{kind} eq 'closed' && $covered{$_}) } keys %$support;
	my %key = map { $_ => join ',', items_of($_) } @all;
	@all = sort { $support->{$b} <=> $support->{$a} || size($a) <=> size($b) || $key{$a} cmp $key{$b} } @all;

	my $k = $call->{k};
	my $ties = @all > $k ? grep { $support->{$_} == $support->{ $all[ $k - 1 ] } } @all[ $k .. $#all ] : 0;
	my $last = min(scalar @all, $call->{ties} eq 'true' ? $k + $ties : $k);
	# a query has a threshold of its own, which shows
	my $minsup = $call->{query} || @all < $k ? $call->{minsup} : $support->{ $all[ $k - 1 ] };

	return ([ map { "$key{$_}=$support->{$_}/$n" } @all[ 0 .. $last - 1 ] ], $ties, $minsup);
}

sub array_literal
{
	my ($items, $prefix) = @_;

	return defined $items ? "'{" . join(',', map { "$prefix$_" } @$items) . "}'" : 'NULL';
}

sub statement
{
	my ($number, $call) = @_;
	my $prefix = $call->{text} ? 'i' : '';
	my $item = $call->{text} ? q{''i'' || item} : 'item';
	my $rows = "databases, generate_series(1, copies) AS copy WHERE n = $number";
	my $form = $call->{pairs} ? qq{'(SELECT (tid, copy)::text AS tid, $item AS item FROM databases, generate_series(1, copies) AS copy, unnest(items) AS item WHERE n = $number)', 'tid', 'item'}
	  : $call->{text} ? qq{'(SELECT ARRAY(SELECT ''i'' || item FROM unnest(items) AS item) AS items FROM $rows)', 'items'}
	  : qq{'(SELECT items FROM $rows)', 'items'};
	my @arguments = ($form, $call->{query} ? $call->{minsup} : $call->{k}, ($call->{text} || rand() < 0.5 && !$call->{query} ? () : 'NULL::int[]'), "kind => '$call->{kind}'");
	my $best;

	push @arguments, map { "$_ => " . (defined $call->{$_} ? $call->{$_} : 'NULL') } qw(min_length max_length);
	push @arguments, map { "$_ => " . array_literal($call->{$_}, $prefix) } qw(including excluding), $call->{query} ? 'including_any' : ();
	push @arguments, "ties => $call->{ties}" unless $call->{query};
	$best = ($call->{query} ? 'frequent_itemsets(' : 'top_itemsets(') . join(', ', @arguments) . ')';
	$best = "(SELECT * FROM $best ORDER BY support DESC, cardinality(items), items LIMIT $call->{k}) AS s" if $call->{query};
	return "SET gpufim.strategy = $call->{strategy}; SET gpufim.workers = $call->{workers};\n"
	  . q{SELECT coalesce(string_agg(format('%s=%s/%s', replace(array_to_string(items, ','), 'i', ''), support, round(support / frequency)), ';'), '')}
	  . " FROM $best;\n"
	  . "SELECT coalesce(details ->> 'ties', 'none'), minsup FROM gpufim_last_run();\n";
}

note("GPUFIM_SEED=$seed GPUFIM_DATABASES=$databases");
srand $seed;
$node->safe_psql('postgres', 'CREATE TABLE databases (n int, tid int, copies int, items int[]); CREATE INDEX ON databases (n)');
for (my $first = 1; $first <= $databases; $first += $batch)
{
	my $last = min($first + $batch - 1, $databases);
	my ($copy, $script, @expected) = ('', '');

	for my $number ($first .. $last)
	{
		my $rows = random_database();

		foreach my $tid (0 .. $#$rows) { $copy .= "$number\t$tid\t$rows->[$tid][0]\t{" . join(',', @{ $rows->[$tid][1] }) . "}\n"; }
		for (1 .. 3)
		{
			my $call = random_call();
			my $statement = statement($number, $call);

			push @expected, [ $statement, brute_force($rows, $call) ];
			$script .= $statement;
		}
	}
	my $file = $node->basedir . '/databases';
	open(my $handle, '>', $file) or die "$file: $!";
	print $handle $copy;
	close $handle;
	$node->safe_psql('postgres', "TRUNCATE databases; COPY databases FROM '$file'; ANALYZE databases");
	my ($out, $err) = ('', '');
	$node->psql('postgres', "SET client_min_messages = error; $script", stdout => \$out, stderr => \$err, on_error_stop => 0);
	my @answers = split /\n/, $out, -1;

	is(scalar @answers, 2 * @expected, "databases $first to $last: every call answered") or diag(substr $err, 0, 2000);
	foreach my $i (0 .. $#expected)
	{
		my ($statement, $rows, $ties, $minsup) = @{ $expected[$i] };
		my ($answer, $figures) = map { $_ // '' } @answers[ 2 * $i, 2 * $i + 1 ];
		my $wanted = join ';', @$rows;

		$calls++;
		$found += @$rows;
		$tied += $ties;
		push @failures, "$statement$answer\nnot $wanted\n" if $answer ne $wanted;
		# a call that finds out early that there is nothing has no figures
		push @failures, "$statement$figures, not $ties|$minsup\n" if $figures ne "$ties|$minsup" && !($figures eq "none|$minsup" && !@$rows);
	}
}
is(scalar @failures, 0, "$calls calls over $databases databases, $found itemsets, as by brute force")
  or diag("GPUFIM_SEED=$seed\n" . join("\n", map { substr $_, 0, 3000 } @failures[ 0 .. min($#failures, 4) ]));
cmp_ok($found, '>', 2 * $calls, 'and they were not empty');
cmp_ok($tied, '>', $calls / 10, 'and there were ties');

# Enough work that workers are worth starting.
my $session = GpufimTest::Session->new($node);
$session->query(q{SELECT setseed(0.25); CREATE TABLE baskets AS
	SELECT array_agg(k) AS items FROM generate_series(1, 4000) AS n, generate_series(1, 60) AS k WHERE random() < CASE WHEN (n * 7 + k * k) % 5 < 2 THEN 0.5 ELSE 0.1 END GROUP BY n});
foreach my $arguments (q{400000}, q{400000, ties => false}, q{100000, kind => 'closed', min_length => 3}, q{100000, kind => 'closed', min_length => 3, ties => false}, q{300000, min_length => 2, excluding => '{7}', ties => false})
{
	my $sql = "SELECT count(*), (SELECT (details, minsup) FROM gpufim_last_run()), sum(row::numeric * hashtextextended(concat(items, support), 0)) FROM (SELECT items, support, row_number() OVER () AS row FROM top_itemsets('baskets', 'items', $arguments)) AS t";

	same_as_alone($session, $sql, qr/^\d{4,}\|/, "there are itemsets for $arguments");
}
$node->stop;
done_testing();
