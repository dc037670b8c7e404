# The k best rules of random databases against all rules in the order of their measure: every argument, form and strategy, and
# with any number of workers.  All rules come from association_rules(), which test 029 compares with a brute force, and the
# measures from rule_measures().
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	how many databases, 100 if it is not set
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use List::Util qw(min);
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = $ENV{GPUFIM_DATABASES} || 100;
my $batch = 50;
my $node = new_node('top_rules', conf => "max_worker_processes = 8\nwork_mem = '64MB'\n" . engine_conf());
my ($calls, $found, $tied, @failures) = (0, 0, 0);

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

sub random_database
{
	my $nitems = pick(2, random(3, 6), random(4, 8));
	my $density = 0.1 + rand 0.7;
	my $noise = pick(0, 0.1, 0.4, 1);
	my @patterns = map { [ grep { rand() < $density } 1 .. $nitems ] } 1 .. random(1, 3);

	return [ map {
		my %has = map { $_ => 1 } @{ pick(@patterns) };
		[ grep { rand() < $noise ? rand() < $density : $has{$_} } 1 .. $nitems ]
	} 1 .. pick(random(1, 6), random(5, 30), random(20, 90)) ];
}

sub some_items { my ($p) = @_; return rand() < $p ? [ map { random(1, 9) } 1 .. random(1, 3) ] : undef; }

sub random_call
{
	my ($rows) = @_;
	my $call = {
		pairs => rand() < 0.4, text => rand() < 0.4, strategy => pick(strategies()), workers => random(0, 3),
		k => pick(1, random(1, 8), random(5, 50), random(1, 400)), ties => pick(qw(true false)), by => pick(qw(leverage confidence lift chi_squared)),
		minsup => random(1, @$rows / 5 + 1), minconf => pick(0, 0, 0, 0.2, 0.5, 0.8),
		min_length => pick(2, 2, 2, 1, 3), max_consequent => pick(1, 1, 1, 2, 3, undef),
		kind => pick(qw(all all all minimal)), adjust => pick(qw(none none bonferroni holm)),
		minlift => pick((undef) x 3, 1, 1.2), min_improvement => pick((undef) x 6, 0, 0.05),
		max_p => pick((undef) x 5, 0.2173, 0.7713),
		antecedent_including => some_items(0.15), antecedent_including_any => some_items(0.1), antecedent_excluding => some_items(0.1),
		consequent_including_any => some_items(0.1), consequent_excluding => some_items(0.1),
	};
	$call->{max_length} = $call->{min_length} + random(1, 2) if rand() < 0.3;
	# for these, rules of two items tell how frequent itemsets have to be
	$call = { %$call, by => 'leverage', min_length => pick(1, 2), kind => 'all', adjust => 'none', map { $_ => undef } qw(min_improvement max_p), grep { /cluding/ } keys %$call } if rand() < 0.3;
	return $call;
}

sub array_literal
{
	my ($items, $prefix) = @_;

	return defined $items ? "'{" . join(',', map { "$prefix$_" } @$items) . "}'" : 'NULL';
}

# The statements that give all rules in their order, as they are to come, and the best ones.
sub statements
{
	my ($number, $call) = @_;
	my $prefix = $call->{text} ? 'i' : '';
	my $item = $call->{text} ? q{''i'' || item} : 'item';
	my $form = $call->{pairs} ? qq{'(SELECT tid, $item AS item FROM databases, unnest(items) AS item WHERE n = $number)', 'tid', 'item'}
	  : $call->{text} ? qq{'(SELECT ARRAY(SELECT ''i'' || item FROM unnest(items) AS item) AS items FROM databases WHERE n = $number)', 'items'}
	  : qq{'(SELECT items FROM databases WHERE n = $number)', 'items'};
	my $sample = $call->{text} ? '' : 'NULL::int[],';
	my @named = ("minconf => $call->{minconf}", "kind => '$call->{kind}'", "adjust => '$call->{adjust}'");
	my $row = q{format('%s>%s=%s %s %s %s %s %s %s %s', antecedent, consequent, support, antecedent_support, consequent_support, transactions, confidence, lift, p_value, adjusted_p_value)};

	push @named, map { "$_ => " . (defined $call->{$_} ? $call->{$_} : 'NULL') } qw(min_length max_length max_consequent minlift min_improvement max_p);
	push @named, map { "$_ => " . array_literal($call->{$_}, $prefix) } grep { /cluding/ } sort keys %$call;
	my $arguments = join ', ', @named;
	my $type = $call->{text} ? 'text' : 'int';
	return (
		"SET gpufim.strategy = $call->{strategy}; SET gpufim.workers = $call->{workers};\n",
		"SELECT coalesce(string_agg(measure || '#' || row, ';' ORDER BY measure DESC, support DESC, cardinality(antecedent) + cardinality(consequent), cardinality(antecedent), antecedent, consequent), '')"
		  . " FROM (SELECT *, $row AS row, (rule_measures(support, antecedent_support, consequent_support, transactions)).$call->{by} AS measure FROM association_rules($form, $call->{minsup}, $sample $arguments)) AS r WHERE measure <> 'NaN';\n",
		"SELECT coalesce(string_agg($row, ';'), '') FROM top_rules($form, $call->{k}, $call->{minsup}, $sample by => '$call->{by}', ties => $call->{ties}, $arguments);\n",
		"SELECT coalesce(details ->> 'ties', 'none') FROM gpufim_last_run();\n");
}

# What the best are of all.
sub cut
{
	my ($call, @all) = @_;
	my ($k, $last) = ($call->{k}, $#all);

	if (@all >= $k)
	{
		my ($score) = split /#/, $all[ $k - 1 ];

		for ($last = $k - 1; $last < $#all && (split /#/, $all[ $last + 1 ])[0] == $score; $last++) { }
	}
	my $ties = $last >= $k ? $last - $k + 1 : 0;
	$last = $k - 1 if $call->{ties} eq 'false' && $last >= $k;
	return ($ties, map { (split /#/)[1] } @all[ 0 .. $last ]);
}

note("GPUFIM_SEED=$seed GPUFIM_DATABASES=$databases");
srand $seed;
$node->safe_psql('postgres', 'CREATE TABLE databases (n int, tid int, items int[]); CREATE INDEX ON databases (n)');
for (my $first = 1; $first <= $databases; $first += $batch)
{
	my $last = min($first + $batch - 1, $databases);
	my ($copy, $script, @expected) = ('', '');

	for my $number ($first .. $last)
	{
		my $rows = random_database();

		foreach my $tid (0 .. $#$rows) { $copy .= "$number\t$tid\t{" . join(',', @{ $rows->[$tid] }) . "}\n"; }
		for (1 .. 3)
		{
			my $call = random_call($rows);
			my @statements = statements($number, $call);

			push @expected, [ $call, join '', @statements ];
			$script .= join '', @statements;
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

	is(scalar @answers, 3 * @expected, "databases $first to $last: every call answered") or diag(substr $err, 0, 2000);
	foreach my $i (0 .. $#expected)
	{
		my ($call, $statement) = @{ $expected[$i] };
		my ($all, $best, $told) = map { $_ // '' } @answers[ 3 * $i .. 3 * $i + 2 ];
		my ($ties, @best) = cut($call, split /;/, $all);
		my $wanted = join ';', @best;

		$calls++;
		$found += @best;
		$tied += $ties;
		push @failures, "$statement$best\nnot $wanted\n" if $best ne $wanted;
		# a call that finds out early that there is nothing has no figures
		push @failures, "$statement$told ties, not $ties\n" if $told ne $ties && !($told eq 'none' && !@best);
	}
}
is(scalar @failures, 0, "$calls calls over $databases databases, $found rules, the best of all")
  or diag("GPUFIM_SEED=$seed\n" . join("\n", map { substr $_, 0, 4000 } @failures[ 0 .. min($#failures, 4) ]));
cmp_ok($found, '>', 2 * $calls, 'and they were not empty');
cmp_ok($tied, '>', $calls / 10, 'and there were ties');

# Enough work that workers are worth starting.
my $session = GpufimTest::Session->new($node);
$session->query(q{SELECT setseed(0.25); CREATE TABLE baskets AS
	SELECT array_agg(k) AS items FROM generate_series(1, 2000) AS n, generate_series(1, 40) AS k WHERE random() < CASE WHEN (n * 7 + k * k) % 5 < 2 THEN 0.6 ELSE 0.1 END GROUP BY n});
foreach my $arguments (q{10000, 20}, q{10000, 20, by => 'lift', ties => false, adjust => 'none'}, q{10000, 20, by => 'chi_squared', minlift => 1}, q{10000, 30, by => 'confidence', max_consequent => 2})
{
	my $sql = "SELECT count(*), sum(row::numeric * hashtextextended(concat(antecedent, consequent, support, antecedent_support, consequent_support, adjusted_p_value), 0)), (SELECT details FROM gpufim_last_run()) FROM (SELECT *, row_number() OVER () AS row FROM top_rules('baskets', 'items', $arguments)) AS t";

	same_as_alone($session, $sql, qr/^\d{5,}\|/, "there are rules for $arguments");
}
$node->stop;
done_testing();
