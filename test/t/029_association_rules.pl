# Association rules of random databases against rules made by definition: every argument, form, type and
# strategy, and with any number of workers.  A brute force gives supports, tests and p-values; what it does not share
# with the engine is the way in which rules are found.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	how many databases, 150 if it is not set
#	GPUFIM_ENGINE		gpu for the GPU engine, which finds the itemsets
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use List::Util qw(max min sum);
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = $ENV{GPUFIM_DATABASES} || 150;
my $batch = 100;
my $node = new_node('association_rules', conf => "max_worker_processes = 8\nwork_mem = '64MB'\n" . engine_conf());
my ($calls, $rules, @failures) = (0, 0);

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

# Transactions as arrays of item numbers, of which some come together.
sub random_database
{
	my $nitems = pick(2, random(3, 6), random(4, 8));
	my $density = 0.1 + rand 0.7;
	my $noise = pick(0, 0.1, 0.4, 1);
	my @patterns = map { [ grep { rand() < $density } 1 .. $nitems ] } 1 .. random(1, 3);

	return [ map {
		my %has = map { $_ => 1 } @{ pick(@patterns) };
		[ sort { $a <=> $b } grep { rand() < $noise ? rand() < $density : $has{$_} } 1 .. $nitems ]
	} 1 .. pick(random(1, 6), random(5, 30), random(20, 90)) ];
}

sub some_items { my ($p) = @_; return rand() < $p ? [ map { random(1, 9) } 1 .. random(1, 3) ] : undef; }

sub random_call
{
	my ($rows) = @_;
	my $call = {
		pairs => rand() < 0.4, text => rand() < 0.4, strategy => pick(strategies()), workers => random(0, 3),
		minsup => random(1, @$rows / 5 + 1), minconf => pick(0, 0, 0, 0.2, 0.5, 0.8, 1),
		min_length => pick(2, 2, 2, 1, 3), max_consequent => pick(1, 1, 1, 2, 3, undef),
		kind => pick(qw(all all minimal)), adjust => pick(qw(none bonferroni holm bh by)),
		minlift => pick((undef) x 4, 1, 1.2), min_improvement => pick((undef) x 6, 0, 0.05, 0.1),
		max_p => pick((undef) x 5, 0.0371, 0.2173, 0.7713),
		antecedent_including => some_items(0.15), antecedent_including_any => some_items(0.1), antecedent_excluding => some_items(0.1),
		consequent_including_any => some_items(0.1), consequent_excluding => some_items(0.1),
	};
	$call->{max_length} = $call->{min_length} + random(1, 2) if rand() < 0.3;
	return $call;
}

# The logarithm of a factorial, and of the sum of numbers given by logarithms.
my @log_factorial = (0);
sub log_factorial { my ($n) = @_; push @log_factorial, $log_factorial[-1] + log(scalar @log_factorial) while @log_factorial <= $n; return $log_factorial[$n]; }
sub log_choose { my ($n, $k) = @_; return log_factorial($n) - log_factorial($k) - log_factorial($n - $k); }

my %p_value;
sub p_value
{
	my ($s, $a, $c, $n) = @_;

	return $p_value{"$s $a $c $n"} //= sum map { $c - $_ > $n - $a ? 0 : exp(log_choose($a, $_) + log_choose($n - $a, $c - $_) - log_choose($n, $c)) } $s .. min($a, $c);
}

# The supports of all frequent itemsets, by their items' bits.
sub supports
{
	my ($rows, $minsup) = @_;
	my (%count, %support);

	$count{ sum(0, map { 1 << $_ } @$_) }++ foreach @$rows;
	foreach my $row (keys %count)
	{
		for (my $part = $row;; $part = ($part - 1) & $row)
		{
			$support{$part} += $count{$row};
			last unless $part;
		}
	}
	delete @support{ grep { $_ && $support{$_} < $minsup } keys %support };
	return \%support;
}

sub size { return unpack '%32b*', pack 'N', $_[0]; }
sub bits { my ($items) = @_; return defined $items ? sum(map { 1 << $_ } keys %{ { map { $_ => 1 } @$items } }) : undef; }

# By each method, for p-values in ascending order, of m tests.
sub adjust
{
	my ($method, $m, @p) = @_;
	my ($most, $least) = (0, 1);
	my $factor = $method eq 'by' ? sum(0, map { 1 / $_ } 1 .. $m) : 1;

	return @p if $method eq 'none';
	return map { min(1, $m * $_) } @p if $method eq 'bonferroni';
	return map { $most = max($most, min(1, ($m - $_) * $p[$_])) } 0 .. $#p if $method eq 'holm';
	return reverse map { $least = min($least, $factor * $m * $p[$_] / ($_ + 1)) } reverse 0 .. $#p;
}

# Is the rule better than those with a part of its antecedent?
sub improves
{
	my ($call, $support, $a, $c) = @_;

	for (my $part = ($a - 1) & $a;; $part = ($part - 1) & $a)
	{
		my $more = $support->{ $a | $c } * $support->{$part} - $support->{ $part | $c } * $support->{$a};

		return 0 if $call->{kind} eq 'minimal' && $more <= 0;
		return 0 if defined $call->{min_improvement} && $more / ($support->{$a} * $support->{$part}) < $call->{min_improvement};
		return 1 unless $part;
	}
}

# Rules by definition: their key and numbers, and the number of tests.
sub brute_force
{
	my ($rows, $call) = @_;
	my @rows = $call->{pairs} ? grep { @$_ } @$rows : @$rows;
	my $n = @rows;
	my $support = supports(\@rows, $call->{minsup});
	my %named = map { $_ => bits($call->{$_}) } qw(antecedent_including antecedent_including_any antecedent_excluding consequent_including_any consequent_excluding);
	my $admits = sub {
		my ($a, $c) = @_;
		my $length = size($a) + size($c);

		return $a && $c && $length >= $call->{min_length} && !(defined $call->{max_length} && $length > $call->{max_length})
		  && !(defined $call->{max_consequent} && size($c) > $call->{max_consequent})
		  && !(defined $named{antecedent_including} && ($a & $named{antecedent_including}) != $named{antecedent_including})
		  && !(defined $named{antecedent_including} && $c & $named{antecedent_including})
		  && !(defined $named{antecedent_including_any} && !($a & $named{antecedent_including_any}))
		  && !(defined $named{antecedent_excluding} && $a & $named{antecedent_excluding})
		  && !(defined $named{consequent_including_any} && !($c & $named{consequent_including_any}))
		  && !(defined $named{consequent_excluding} && $c & $named{consequent_excluding});
	};
	my (@rules, %found);
	my $tests = 0;

	# sides that are frequent, together or not
	foreach my $a (keys %$support) { foreach my $c (keys %$support) { $tests++ if $admits->($a, $c) && (size($c) > 1 || !($a & $c)); } }
	foreach my $set (grep { $_ } keys %$support)
	{
		for (my $a = ($set - 1) & $set; $a; $a = ($a - 1) & $set)
		{
			my $c = $set & ~$a;

			next unless $admits->($a, $c);
			push @rules, [ $a, $c, p_value($support->{$set}, $support->{$a}, $support->{$c}, $n) ];
		}
	}
	@rules = sort { $a->[2] <=> $b->[2] } @rules;
	my @adjusted = adjust($call->{adjust}, $tests, map { $_->[2] } @rules);
	foreach my $i (0 .. $#rules)
	{
		my ($a, $c, $p) = @{ $rules[$i] };
		my ($both, $left, $right) = map { $support->{$_} } $a | $c, $a, $c;

		next if $both / $left < $call->{minconf};
		next if defined $call->{minlift} && $both * $n / ($left * $right) < $call->{minlift};
		next if defined $call->{max_p} && $adjusted[$i] > $call->{max_p};
		next unless improves($call, $support, $a, $c);
		$found{ join '>', map { my $side = $_; join ',', sort map { $call->{text} ? "i$_" : sprintf '%02d', $_ } grep { $side >> $_ & 1 } 0 .. 20 } $a, $c } =
		  [ $both, $left, $right, $n, $p, $adjusted[$i] ];
	}
	return (\%found, $tests);
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
	my $form = $call->{pairs} ? qq{'(SELECT tid, $item AS item FROM pairs WHERE n = $number)', 'tid', 'item'}
	  : $call->{text} ? qq{'(SELECT ARRAY(SELECT ''i'' || item FROM unnest(items) AS item) AS items FROM databases WHERE n = $number)', 'items'}
	  : qq{'(SELECT items FROM databases WHERE n = $number)', 'items'};
	my @arguments = ($form, $call->{minsup}, ($call->{text} || rand() < 0.5 ? () : 'NULL::int[]'), "minconf => $call->{minconf}", "kind => '$call->{kind}'", "adjust => '$call->{adjust}'");

	push @arguments, map { "$_ => " . (defined $call->{$_} ? $call->{$_} : 'NULL') } qw(min_length max_length max_consequent minlift min_improvement max_p);
	push @arguments, map { "$_ => " . array_literal($call->{$_}, $prefix) } grep { /cluding/ } sort keys %$call;
	return "SET gpufim.strategy = $call->{strategy}; SET gpufim.workers = $call->{workers};\n"
	  . "SELECT coalesce(string_agg(format('%s>%s=%s %s %s %s %s %s', array_to_string(antecedent" . ($call->{text} ? '' : '::int[]') . ", ','), array_to_string(consequent" . ($call->{text} ? '' : '::int[]')
	  . ", ','), support, antecedent_support, consequent_support, transactions, p_value, adjusted_p_value), ';'), '') FROM association_rules(" . join(', ', @arguments) . ");\n"
	  . "SELECT coalesce(details ->> 'tests', 'none') FROM gpufim_last_run();\n";
}

# What is wrong with an answer; undef if nothing is.
sub fault
{
	my ($call, $found, $tests, $answer, $tested) = @_;
	my %left = %$found;

	foreach my $rule (split /;/, $answer)
	{
		my ($key, @numbers) = split /[= ]/, $rule;
		my $wanted;

		$key = join '>', map { join ',', map { sprintf '%02d', $_ } split /,/ } split />/, $key unless $call->{text};
		$wanted = delete $left{$key} or return "unexpected $rule";
		return "wrong $rule, not @$wanted" if grep { $numbers[$_] != $wanted->[$_] } 0 .. 3;
		return "wrong $rule, not @$wanted" if grep { abs($numbers[$_] - $wanted->[$_]) > 1e-9 * $wanted->[$_] } 4, 5;
	}
	return 'missing ' . join(' ', keys %left) if %left;
	return $tested eq $tests || ($tested eq 'none' && $tests == 0) ? undef : "$tested tests, not $tests";
}

note("GPUFIM_SEED=$seed GPUFIM_DATABASES=$databases");
srand $seed;
$node->safe_psql('postgres', 'CREATE TABLE databases (n int, items int[]); CREATE TABLE pairs (n int, tid int, item int); CREATE INDEX ON databases (n); CREATE INDEX ON pairs (n)');
for (my $first = 1; $first <= $databases; $first += $batch)
{
	my $last = min($first + $batch - 1, $databases);
	my ($copy, $pairs, $script, @expected) = ('', '', '');

	for my $number ($first .. $last)
	{
		my $rows = random_database();

		$copy .= "$number\t{" . join(',', @$_) . "}\n" foreach @$rows;
		foreach my $tid (0 .. $#$rows) { $pairs .= "$number\t$tid\t$_\n" foreach @{ $rows->[$tid] }; }
		for (1 .. 3)
		{
			my $call = random_call($rows);
			my $statement = statement($number, $call);

			push @expected, [ $call, brute_force($rows, $call), $statement ];
			$script .= $statement;
		}
	}
	foreach my $table ([ databases => $copy ], [ pairs => $pairs ])
	{
		my $file = $node->basedir . "/$table->[0]";
		open(my $handle, '>', $file) or die "$file: $!";
		print $handle $table->[1];
		close $handle;
		$node->safe_psql('postgres', "TRUNCATE $table->[0]; COPY $table->[0] FROM '$file'; ANALYZE $table->[0]");
	}
	my ($out, $err) = ('', '');
	$node->psql('postgres', "SET client_min_messages = error; $script", stdout => \$out, stderr => \$err, on_error_stop => 0);
	my @answers = split /\n/, $out, -1;

	is(scalar @answers, 2 * @expected, "databases $first to $last: every call answered") or diag(substr $err, 0, 2000);
	foreach my $i (0 .. $#expected)
	{
		my ($call, $found, $tests, $statement) = @{ $expected[$i] };
		my $fault = fault($call, $found, $tests, $answers[ 2 * $i ] // '', $answers[ 2 * $i + 1 ] // '');

		$calls++;
		$rules += keys %$found;
		push @failures, "$statement$fault\n" if defined $fault;
	}
}
is(scalar @failures, 0, "$calls calls over $databases databases, $rules rules, as by brute force")
  or diag("GPUFIM_SEED=$seed\n" . join("\n", map { substr $_, 0, 3000 } @failures[ 0 .. min($#failures, 4) ]));
cmp_ok($rules, '>', $calls, 'and they were not empty');

# Where no item depends on another one, at most 5 of 100 databases may have a rule whose adjusted p-value is 0.05 or less.  If
# only those pairs counted as tests that are frequent together, nearly all would have one.  More than 25 of 200 come by
# chance in less than one of 100,000 runs.
my $session = GpufimTest::Session->new($node);
my $false = $session->query(q{
	CREATE FUNCTION draw(n int, OUT found boolean, OUT frequent boolean) LANGUAGE plpgsql AS $$
	BEGIN
		CREATE TEMP TABLE drawn AS SELECT array_agg(i) FILTER (WHERE random() < 0.02) AS items FROM generate_series(1, 1000) AS r(tid), generate_series(1, 100) AS ii(i) GROUP BY tid;
		found := EXISTS (SELECT FROM association_rules('drawn', 'items', 4, 0, max_p => 0.05));
		frequent := EXISTS (SELECT FROM association_rules('drawn', 'items', 4, 0));
		DROP TABLE drawn;
	END
	$$;
	SELECT count(*) FILTER (WHERE found), count(*) FILTER (WHERE frequent) FROM generate_series(1, 200) AS n, LATERAL draw(n)});
like($false, qr/^(?:1?\d|2[0-5])\|(?:19\d|200)$/, "false rules in few of 200 databases without structure, although nearly all have rules: $false");

# Enough work that workers are worth starting, in each of the tasks.
$node->safe_psql('postgres', q{SELECT setseed(0.25); CREATE TABLE baskets AS
	SELECT array_agg(k) AS items FROM generate_series(1, 2000) AS n, generate_series(1, 40) AS k WHERE random() < CASE WHEN (n * 7 + k * k) % 5 < 2 THEN 0.6 ELSE 0.1 END GROUP BY n});
foreach my $arguments (q{20, 0.6}, q{30, 0.5, adjust => 'by', max_consequent => 2, max_p => 0.3}, q{20, 0.1, adjust => 'none', kind => 'minimal'}, q{20, 0.5, adjust => 'bonferroni', max_p => 0.5})
{
	my $sql = "SELECT count(*), sum(support), sum(hashtextextended(concat(antecedent, consequent, support, antecedent_support, consequent_support, p_value, adjusted_p_value), 0)), (SELECT details FROM gpufim_last_run()) FROM association_rules('baskets', 'items', $arguments)";

	same_as_alone($session, $sql, qr/^\d{2,}\|/, "there are rules for $arguments");
}
$node->stop;

# A GPU finds the itemsets, and the rules are made of them on the CPU, whatever engine and strategy are set.
my $library = fake_gpu();
my $other = new_node('rules_on_gpu', conf => "shared_preload_libraries = 'gpufim'\ngpufim.cuda_library = '$library'\nmax_worker_processes = 8\n");
my $caller = GpufimTest::Session->new($other);
$caller->query(q{CREATE TABLE baskets AS SELECT ARRAY(SELECT k FROM generate_series(1, 12) AS k WHERE n * k % 7 < 3 OR n % k = 0) AS items FROM generate_series(1, 300) AS n});
foreach my $arguments (q{20, 0.5}, q{30, 0.5, max_consequent => 2, adjust => 'none'}, q{20, 0.1, antecedent_including => '{2}', adjust => 'bonferroni', max_p => 0.3})
{
	my $sql = "SELECT count(*), sum(hashtextextended(a::text, 0)) FROM association_rules('baskets', 'items', $arguments) AS a";
	my $on_cpu = $caller->query("SET gpufim.engine = cpu; $sql");

	is($caller->query("SET gpufim.engine = gpu; SET gpufim.strategy = tensor; $sql"), $on_cpu, "a GPU gives the same for $arguments");
	is($caller->query('RESET gpufim.strategy; SELECT engine FROM gpufim_last_run()'), 'gpu', 'it was used');
	like($on_cpu, qr/^\d{2,}\|/, 'there are rules');
}
$other->stop;
done_testing();
