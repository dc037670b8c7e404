# probable_itemsets: small random databases of both kinds of uncertainty against an
# independent brute force, in every form, kind and strategy, with thresholds that are
# just reached; then what every call must do: spill, obey its limit, show its progress
# and end when it is cancelled.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	ten times the number of databases, 1000 if it is not set
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = int(($ENV{GPUFIM_DATABASES} || 1000) / 10) || 1;
my $calls_each = 6;
my $batch = 100;
my @strategies;
my $node = new_node(
	'probable',
	conf => q{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
max_worker_processes = 8
max_parallel_workers_per_gather = 0
} . engine_conf());
my ($calls, $itemsets, $ties, @failures) = (0, 0, 0);

# Not every build has an FFT.
@strategies = ($ENV{GPUFIM_ENGINE} || 'cpu') eq 'gpu' ? qw(auto bounds fft fft_loop) :
  grep { $node->psql('postgres', "LOAD 'gpufim'; SET gpufim.strategy = $_") == 0 } qw(auto bounds fft);
note("strategies: @strategies");

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

# A database: rows of items with probabilities, and a probability for each row.  In one
# that is "plain" all of them are 0, 1/2 or 1 and so few that sums and products of them are
# exact, so that ties can be told.
sub random_database
{
	my $plain = rand() < 0.4;
	my $nitems = $plain ? random(1, 5) : random(1, 7);
	my $nrows = $plain ? random(0, 10) : pick(random(0, 3), random(2, 12), random(10, 40));
	my $density = 0.2 + rand 0.8;
	my $certain = pick(0, 0.3, 0.9);
	my $low = pick(0, 0, 0.5, 0.9);
	my $high = pick(1, 1, 0.1, 1e-3) + $low;
	my $chance = sub {
		return pick(0.5, 0.5, 0.5, 1, 0) if $plain;
		return rand() < 0.05 ? 0 : rand() < $certain ? 1 : rand() < 0.02 ? 1e-300 : sprintf('%.6g', $low + rand($high > 1 ? 1 - $low : $high - $low));
	};
	my @rows = map { { p => $chance->(), items => { map { rand() < $density ? ($_ => $chance->()) : () } 1 .. $nitems } } } 1 .. $nrows;

	return { plain => $plain, rows => \@rows, nitems => $nitems };
}

# The distribution of the number of those that happen.
sub distribution
{
	my @d = (1);

	for my $p (@_)
	{
		push @d, 0;
		$d[$_] = $d[$_] * (1 - $p) + ($_ > 0 ? $d[ $_ - 1 ] * $p : 0) for reverse 0 .. $#d;
	}
	return @d;
}

# All itemsets that have a probability above 0 anywhere: items, occurrences, expected
# support and distribution.  An underflow of products is no item's absence.
sub all_itemsets
{
	my ($database, $by_row, $excluding) = @_;
	my %excluded = map { $_ => 1 } @$excluding;
	my @items = grep { !$excluded{$_} } 1 .. $database->{nitems};
	my @found;

	for my $subset (1 .. 2**@items - 1)
	{
		my @set = map { $items[$_] } grep { $subset >> $_ & 1 } 0 .. $#items;
		my @p;

		for my $row (@{ $database->{rows} })
		{
			my $p = 1;
			my @each = map { $by_row ? (exists $row->{items}{$_} ? $row->{p} : 0) : $row->{items}{$_} || 0 } @set;

			next if grep { $_ == 0 } @each;
			if ($by_row) { $p = $row->{p} }
			else { $p *= $_ for @each }
			push @p, $p;
		}
		next unless @p;
		my $sum = 0;
		$sum += $_ for @p;
		push @found, { set => \@set, occurrences => scalar @p, expected => $sum, d => [ distribution(@p) ] };
	}
	return @found;
}

sub tail
{
	my ($d, $from) = @_;
	my $sum = 0;

	# the small ones first
	$sum += $_ for sort { $a <=> $b } @$d[ $from .. $#$d ];
	return $sum;
}

sub random_call
{
	my ($database) = @_;
	my $nrows = @{ $database->{rows} };
	my $call = {
		form => pick(qw(row array pairs)),
		kind => pick(qw(all closed maximal)),
		low => pick(1, 1, 1, 2, 3),
		minsup => random(1, $nrows / 2 + 1),
		minprob => $database->{plain} ? pick(0.5, 0.5, 1, undef, 0.25, 0.75, random(1, 1023) / 1024) : pick(undef, 1e-6, 0.1, 0.5, 0.9, 0.99, 0.999999, rand),
		exact => rand() < 0.7,
		strategy => pick(@strategies),
		workers => pick(0, 0, 2),
		including => rand() < 0.25 ? [ map { random(1, 5) } 1 .. random(0, 2) ] : [],
		excluding => rand() < 0.25 ? [ map { random(1, 9) } 1 .. random(0, 2) ] : [],
		including_any => rand() < 0.25 ? [ map { random(1, 9) } 1 .. random(0, 4) ] : undef,
	};

	$call->{high} = $call->{low} + random(0, 2) if rand() < 0.3;
	return $call;
}

# What the call should give, by definition; nothing if a decision is too near for the
# arithmetic here.
sub brute_force
{
	my ($database, $call) = @_;
	my @all = all_itemsets($database, $call->{form} eq 'row', $call->{excluding});
	my $threshold = defined $call->{minprob} ? $call->{minprob} : $call->{minsup};
	my @found;

	for my $itemset (@all)
	{
		my $value;

		$itemset->{probability} = tail($itemset->{d}, $call->{minsup});
		$value = defined $call->{minprob} ? $itemset->{probability} : $itemset->{expected};
		return if !$database->{plain} && abs($value - $threshold) < 1e-9 * $threshold;
		$ties++ if $value == $threshold;
		$itemset->{selected} = $value >= $threshold;
	}
	for my $itemset (grep { $_->{selected} } @all)
	{
		my %in = map { $_ => 1 } @{ $itemset->{set} };
		my $n = keys %in;
		my @larger = grep { my $other = $_; @{ $other->{set} } > $n && $n == grep { $in{$_} } @{ $other->{set} } } @all;

		next if $n < $call->{low} || (defined $call->{high} && $n > $call->{high});
		next if grep { !$in{$_} } @{ $call->{including} };
		next if $call->{including_any} && !grep { $in{$_} } @{ $call->{including_any} };
		next if $call->{kind} eq 'maximal' && grep { $_->{selected} } @larger;
		next if $call->{kind} eq 'closed' && grep { "@{ $_->{d} }" eq "@{ $itemset->{d} }" } @larger;
		push @found, $itemset;
	}
	return \@found;
}

sub int_array { return "'{" . join(',', @_) . "}'"; }

sub statement
{
	my ($number, $call) = @_;
	my %source = (
		row => qq{'(SELECT items, p FROM databases WHERE n = $number)', 'items', 'p'},
		array => qq{'(SELECT items, ps FROM databases WHERE n = $number)', 'items', 'ps'},
		pairs => qq{'(SELECT tid, item, p FROM pairs WHERE n = $number)', 'tid', 'item', 'p'});
	my $arguments = sprintf "%s, %d, %s, kind => '%s', min_length => %d, max_length => %s, including => %s, excluding => %s, exact => %s, including_any => %s",
	  $source{ $call->{form} }, $call->{minsup}, defined $call->{minprob} ? $call->{minprob} : 'NULL', $call->{kind}, $call->{low}, defined $call->{high} ? $call->{high} : 'NULL',
	  int_array(@{ $call->{including} }), int_array(@{ $call->{excluding} }), $call->{exact} ? 'true' : 'false',
	  $call->{including_any} ? int_array(@{ $call->{including_any} }) : 'NULL';

	return "SET gpufim.strategy = $call->{strategy}; SET gpufim.workers = $call->{workers};\n"
	  . qq{SELECT 'found ' || coalesce(string_agg(array_to_string(items, ',') || ':' || probability || ':' || expected_support || ':' || occurrences, ' '), '') FROM probable_itemsets($arguments);\n};
}

# The differences between an answer and what it should be, in words.
sub differences
{
	my ($answer, $call, $expected) = @_;
	my %expected = map { join(',', @{ $_->{set} }) => $_ } @$expected;
	my @wrong;

	return 'no answer' unless defined $answer && $answer =~ s/^found ?//;
	for my $row (split / /, $answer)
	{
		my ($items, $probability, $support, $occurrences) = split /:/, $row;
		my $known = delete $expected{$items};

		if (!defined $known) { push @wrong, "unexpected $row"; next; }
		my $p = $known->{probability};
		push @wrong, "occurrences $row, not $known->{occurrences}" if $occurrences != $known->{occurrences};
		push @wrong, "expected support $row, not $known->{expected}" if abs($support - $known->{expected}) > 1e-12 * $known->{expected};
		push @wrong, "probability $row, not $p"
		  if $call->{exact} ? abs($probability - $p) > 2e-12 || ($p > 1e-100 && abs($probability - $p) > 2e-9 * $p) : $probability > $p * (1 + 1e-12);
		push @wrong, "probability $row below $call->{minprob}" if defined $call->{minprob} && $probability < $call->{minprob};
	}
	push @wrong, "missing $_" for sort keys %expected;
	return join '; ', @wrong;
}

note("GPUFIM_SEED=$seed");
srand $seed;
$node->safe_psql('postgres', q{
	CREATE TABLE databases (n int, tid int, items int[], p float8, ps float8[]);
	CREATE TABLE pairs (n int, tid int, item int, p float8, place float8);
	CREATE INDEX ON databases (n);
	CREATE INDEX ON pairs (n);
});

for (my $first = 1; $first <= $databases; $first += $batch)
{
	my $last = $first + $batch - 1 < $databases ? $first + $batch - 1 : $databases;
	my ($copy, @expected, @calls, @scripts) = ('');

	for my $number ($first .. $last)
	{
		my $database = random_database();
		my $tid = 0;

		for my $row (@{ $database->{rows} })
		{
			my @items = sort { rand() <=> 0.5 } keys %{ $row->{items} };

			push @items, pick(@items) if @items && rand() < 0.2;
			$copy .= join("\t", $number, ++$tid, '{' . join(',', @items) . '}', $row->{p}, '{' . join(',', map { $row->{items}{$_} } @items) . '}') . "\n";
		}
		for (1 .. $calls_each)
		{
			my $call = random_call($database);
			my $found = brute_force($database, $call);

			next unless $found;
			push @expected, $found;
			push @calls, $call;
			push @scripts, statement($number, $call);
			$itemsets += @$found;
		}
	}
	my $file = $node->basedir . '/databases';
	open(my $handle, '>', $file) or die "$file: $!";
	print $handle $copy;
	close $handle;
	$node->safe_psql('postgres', "TRUNCATE databases, pairs; COPY databases FROM '$file';
		SELECT setseed(0.1);
		INSERT INTO pairs SELECT n, tid, item, u.p, random() FROM databases, unnest(items, ps) AS u(item, p) ORDER BY 5;
		ANALYZE databases, pairs");
	my ($out, $err) = ('', '');
	$node->psql('postgres', 'SET client_min_messages = warning;' . join('', @scripts), stdout => \$out, stderr => \$err, on_error_stop => 0);
	my @answers = split /\n/, $out, -1;

	is(scalar @answers, scalar @expected, "databases $first to $last: every call answered") or diag(substr $err, 0, 2000);
	for my $i (0 .. $#expected)
	{
		my $wrong = differences($answers[$i], $calls[$i], $expected[$i]);

		$calls++;
		push @failures, "$scripts[$i]$wrong\n" if $wrong ne '';
	}
}
is(scalar @failures, 0, sprintf '%d calls over %d databases, %d itemsets, %d ties, as by brute force', $calls, $databases, $itemsets, $ties)
  or diag("GPUFIM_SEED=$seed\n" . join("\n", map { substr $_, 0, 3000 } @failures[ 0 .. ($#failures < 4 ? $#failures : 4) ]));
cmp_ok($itemsets, '>', $calls / 4, 'and they were not empty');
cmp_ok($ties, '>', $databases / 20, 'with thresholds that were just reached');

# The rest is about reading, and about the memory of the CPU engine and its workers.
if (($ENV{GPUFIM_ENGINE} || 'cpu') eq 'gpu')
{
	$node->stop;
	done_testing();
	exit;
}

# Spilling: the same from memory and from a file, for values in each layout.
my $session = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);
my $before;

$node->safe_psql('postgres', q{
	CREATE TABLE wide AS
		SELECT n AS id, items, (n * 37 % 101 + 1) / 102.0 AS p, ARRAY(SELECT (n * k % 97 + 1) / 98.0 FROM generate_series(1, 20) AS k) AS ps
		FROM (SELECT n, ARRAY(SELECT (CASE WHEN k <= 2 THEN (n * k) % 100 ELSE 1000 + (n::bigint * 7919 + k * 104729) % 20011 END)::int
							  FROM generate_series(1, 20) AS k) AS items
			  FROM generate_series(1, 60000) AS n WHERE n % 100 <> 0 OFFSET 0) AS s;
	CREATE VIEW pairs_of_wide AS SELECT id, u.item, min(u.p) AS p FROM wide, unnest(items, ps) AS u(item, p) GROUP BY id, u.item;
	CREATE VIEW scattered AS
		SELECT id, item, (id * item % 7 + 1) / 8.0 AS p
		FROM (SELECT n % 10007 AS id, CASE n % 5 WHEN 0 THEN n / 5 % 10 ELSE 1000 + n * 7919 % 20011 END AS item
			  FROM generate_series(1::bigint, 1000000) AS n OFFSET 0) AS s;
});
$before = leftovers($node);
for my $case (
	[ q{'wide', 'items', 'p', 250, 0.9}, 'rows', '7MB' ],
	[ q{'wide', 'items', 'ps', 250, 0.9}, 'arrays', '10MB' ],
	[ q{'pairs_of_wide', 'id', 'item', 'p', 250, 0.9}, 'pairs', '10MB' ],
	[ q{'scattered', 'id', 'item', 'p', 200, 0.9, max_length => 2}, 'scattered pairs', '12MB' ],
	[ q{'scattered', 'id', 'item', 'p', 500, NULL, max_length => 2, including => '{7}'}, 'scattered pairs with a filter', '12MB' ])
{
	my ($arguments, $name, $limit) = @$case;
	my $call = qq{SELECT count(*), md5(string_agg(items::text || round(probability::numeric, 10) || round(expected_support::numeric, 6) || occurrences, ' ' ORDER BY items COLLATE "C")) FROM probable_itemsets($arguments)};
	my $roomy = $session->query("SET gpufim.memory_limit = '2GB'; $call");

	like($roomy, qr/^[1-9]\d*\|/, "$name: there is something to find") or diag($session->{err});
	is($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '0', "$name: nothing spills with room for all");
	is($session->query("SET gpufim.memory_limit = '$limit'; $call"), $roomy, "$name: the same result from a spilled run");
	is($session->{err}, '', "$name: no error");
	cmp_ok($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '>', 500000, "$name: rows were spilled");
	cmp_ok($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'), '<=', ($limit =~ /(\d+)/)[0] * 1024 * 1024, "$name: within the limit");
	is($session->query("SET gpufim.memory_limit = '2GB'; SET gpufim.workers = 0; $call"), $roomy, "$name: the same without workers");
	$session->query('RESET gpufim.workers');
	no_leftovers($node, $before, "$name, spilled");
}
# pairs that contradict each other are found wherever they lie
$session->query(q{SET gpufim.memory_limit = '8MB'; SELECT * FROM probable_itemsets('(SELECT * FROM scattered UNION ALL SELECT 77, 1000 + id, 0.3 FROM generate_series(1, 20000) AS id)', 'id', 'item', 'p', 100)});
like($session->{err}, qr/ERROR:  22000: item "\d+" is in one transaction with different probabilities/, 'a contradiction in the file is found');
no_leftovers($node, $before, 'a contradiction');

# Too little memory: the error says which limit to try next.  What mining takes shows late where few of
# many items are frequent: the engine has taken little beside the rows when it fails first.
for my $call (q{'wide', 'items', 'p', 2}, q{'wide', 'items', 'ps', 250, exact => false}, q{'pairs_of_wide', 'id', 'item', 'p', 100, 0.9})
{
	limits_are_told($session, "SELECT count(items) FROM probable_itemsets($call, max_length => 1)");
}
$session->query('RESET gpufim.memory_limit; RESET gpufim.workers');

# Cancel, in every phase.
$node->safe_psql('postgres', q{
	CREATE TABLE dense AS
		SELECT array_agg(k) AS items, array_agg(0.9 + k / 1000.0) AS ps, 0.9 AS p
		FROM generate_series(1, 400) AS n, generate_series(1, 60) AS k WHERE hashint4(n * 100 + k) % 2 = 0 GROUP BY n});
for my $case (
	[ 'reading rows', q{'(SELECT ARRAY[n % 1000, n % 77] AS items, 0.5 AS p FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'items', 'p', 2}, 'reading' ],
	[ 'reading arrays', q{'(SELECT ARRAY[n % 1000, n % 77 - 100] AS items, ARRAY[0.5, 0.25] AS p FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'items', 'p', 2}, 'reading' ],
	[ 'reading pairs', q{'(SELECT n * 7919 % 1000003 AS tid, n % 1009 AS item, 0.5 AS p FROM (SELECT generate_series(1::bigint, 2000000000) AS n) AS s)', 'tid', 'item', 'p', 2}, 'reading' ],
	[ 'mining', q{'dense', 'items', 'p', 2, 0.9}, 'mining' ],
	[ 'mining each', q{'dense', 'items', 'ps', 2, 0.9, exact => false}, 'mining' ],
	[ 'mining closed', q{'dense', 'items', 'ps', 2, 0.9, kind => 'closed'}, 'mining' ],
	[ 'mining maximal', q{'dense', 'items', 'p', 8, NULL, kind => 'maximal'}, 'mining' ])
{
	my ($name, $arguments, $phase) = @$case;

	cancel_ends($node, $before, $session, $watcher, 'probable_itemsets', $arguments, $phase, $name);
}
# The distribution of one itemset, too: of many transactions, within the limit.
is($session->query(q{SET gpufim.memory_limit = '7MB'; SELECT abs(sum(probability) - 1) < 1e-12, abs(sum(support * probability) - 50000) < 1e-6 FROM probable_itemset_distribution('(SELECT n % 100000 AS id, n / 100000 AS item, CASE WHEN n < 100000 THEN 0.5 ELSE 1 END AS p FROM generate_series(0, 299999) AS n)', 'id', 'item', 'p', '{0,1}')}),
	't|t', 'a distribution over scattered pairs');
is($session->{err}, '', 'without an error');
cmp_ok($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '>', 100000, 'from a file');
$session->query(q{SET gpufim.memory_limit = '1MB'; SELECT count(*) FROM probable_itemset_distribution('(SELECT ARRAY[1] AS i, 0.5 AS p FROM generate_series(1, 1000000))', 'i', 'p', '{1}')});
like($session->{err}, qr/^ERROR:  53200: not enough memory for the probabilities of transactions/, 'or an error');
$session->send(q{RESET gpufim.memory_limit; SELECT count(*) FROM probable_itemset_distribution('(SELECT ARRAY[n % 1000] AS i, 0.5 AS p FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'i', 'p', '{1}')});
ok(eventually(sub { $watcher->query("SELECT count(*) FROM gpufim_progress WHERE pid = $session->{pid} AND function = 'probable_itemset_distribution' AND phase = 'reading'") }), 'others see it');
$watcher->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish;
like($session->{err}, qr/^ERROR:  57014: canceling statement due to user request$/m, 'and a cancel ends it');
no_leftovers($node, $before, 'a distribution');

is($session->query(q{SELECT count(*) FROM probable_itemsets('(VALUES (ARRAY[1, 2], 0.5))', 'column1', 'column2', 1)}), '3', 'the session goes on');

$_->quit for $session, $watcher;
$node->stop;
done_testing();
