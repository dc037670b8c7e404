# Parts of calls: over random databases the union of all parts is the whole, to the row, each result in one part, although
# each part is mined from a copy that is read in another order, by another engine, strategy and number of workers.  The
# fingerprint is the same for all parts, and another one when the data or an argument change.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	how many databases, 6 if it is not set
#	GPUFIM_ENGINE		gpu for the GPU engine, which otherwise is the stand-in
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use List::Util qw(min shuffle);
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = $ENV{GPUFIM_DATABASES} || 6;
my $gpu_share = engine_conf() ? 0.7 : 0.3;
my $node = new_node('parts', conf => "max_worker_processes = 8\n" . (engine_conf() || "shared_preload_libraries = 'gpufim'\ngpufim.cuda_library = '" . fake_gpu() . "'\n"));
my ($calls, $divided, @failures) = (0, 0);

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

# Classes are divided where there are more than a thousand transactions; below, sets of rows may be gone through.
# Equal rows are merged, in some databases into few.  Item 1 is now and then in all rows, and item 2 comes with item 3.
sub random_rows
{
	my $nitems = pick(random(4, 10), random(10, 25), 70);
	my @share = map { rand()**pick(0.5, 1, 2) * ($nitems > 25 ? 0.3 : 1) } 1 .. $nitems;
	my $different = pick(20, 300, 2000);
	my @rows;

	$share[0] = 1 if rand() < 0.3;
	for my $n (1 .. pick(40, 1100, 1500))
	{
		my $row = $n > $different ? $rows[ rand @rows ] : [ grep { rand() < $share[ $_ - 1 ] } 1 .. $nitems ];

		$row = [ 2, @$row ] if grep({ $_ == 3 } @$row) && !grep { $_ == 2 } @$row;
		push @rows, $row;
	}
	return \@rows;
}

# Events of some sessions, several at a time now and then, in bursts of some types.
sub random_events
{
	my $types = pick(3, 8, 30);
	my $sessions = pick(1, 30);
	my (%seen, @events);

	foreach my $n (1 .. pick(300, 1500))
	{
		my $at = $n * pick(1, 2) + random(0, 5);
		my $type = int($types * rand()**2);
		my $event = join "\t", random(1, $sessions), $at, "item-" . ($type + 1);

		push @events, $event unless $seen{$event}++;
		push @events, join "\t", (split /\t/, $event)[0], $at + random(1, 3), "item-" . (($type + 1) % $types + 1) if rand() < 0.5;
	}
	return \@events;
}

# The file of a table of events, in an order of its own.
sub write_events
{
	my ($name, $events) = @_;

	open(my $file, '>', $node->basedir . "/events_$name") or die $!;
	print $file "$_\n" foreach shuffle @$events;
	close $file;
	return "TRUNCATE events_$name; COPY events_$name FROM '" . $node->basedir . "/events_$name';\n";
}

# The files of a table of arrays and of one of pairs, in an order of their own.
sub write_copy
{
	my ($name, $rows) = @_;

	open(my $arrays, '>', $node->basedir . "/arrays_$name") or die $!;
	open(my $pairs, '>', $node->basedir . "/pairs_$name") or die $!;
	foreach my $tid (shuffle 0 .. $#$rows)
	{
		my @items = map { "item-$_" } shuffle @{ $rows->[$tid] };

		print $arrays '{' . join(',', @items) . "}\n";
		# an item has the same probability in each copy
		print $pairs "$tid\t$_\t" . ((7 * $tid + ord(substr $_, -1)) % 11 + 1) / 12 . "\n" foreach @items, '\N';
	}
	close $arrays;
	close $pairs;
	return "TRUNCATE arrays_$name, pairs_$name; COPY arrays_$name FROM '" . $node->basedir . "/arrays_$name'; COPY pairs_$name FROM '" . $node->basedir . "/pairs_$name';\n";
}

# The first transactions with the probabilities of their items.
sub uncertain_source { my ($copy) = @_; return "'(SELECT * FROM pairs_$copy WHERE tid < 90)', 'tid', 'item', 'p'"; }

# Settings and a source, of those that must not make a difference.
sub random_circumstances
{
	my ($function) = @_;
	my $gpu = rand() < $gpu_share;
	my $probable = $function eq 'probable_itemsets';
	my $episodes = $function =~ /episode/;
	my @strategies = $gpu ? $probable || $episodes ? ('auto') : qw(auto auto tensor dci_transaction dci_candidate tfl hil) : $probable ? qw(auto bounds) : $episodes ? qw(auto propagate two_pass) : qw(auto bitmap projected rows);

	return ('SET gpufim.workers = ' . random(0, 3) . '; SET gpufim.engine = ' . ($gpu ? 'gpu' : 'cpu') . '; SET gpufim.strategy = ' . pick(@strategies) . ";\n",
		$episodes ? "'events_" . pick('a', 'b') . "', 'type', 'at'" : $probable ? uncertain_source(pick('a', 'b')) : pick(map { my $copy = $_; ("'arrays_$copy', 'items'", "'pairs_$copy', 'tid', 'item'", "(SELECT transaction_set(items) FROM arrays_$copy)") } 'a', 'b'));
}

# A call, and what of its rows is compared.
sub random_call
{
	my ($n, $wide) = @_;
	# many items are rare, and itemsets of three of them are to be frequent, too
	my $minsup = int($n * pick(0.1, 0.2, 0.4) * ($wide ? 0.15 : 1)) || 1;
	my $function = pick(qw(frequent_itemsets frequent_itemsets itemset_counts association_rules probable_itemsets frequent_episodes frequent_episodes episode_counts));
	my $named = "ARRAY['item-" . random(1, 6) . "', 'item-" . random(1, 6) . "']";

	return ($function, 'r::text', $minsup, pick('', ', minconf => 0.3') . pick('', ", minlift => 1.01", ', max_consequent => 2, max_length => 5', ", min_improvement => 0.001", ", kind => 'minimal'")
		  . pick('', ', max_p => 0.05') . ", adjust => '" . pick(qw(none bonferroni holm bh)) . "'" . pick('', '', ", antecedent_including_any => $named"))
	  if $function eq 'association_rules';
	return ($function, 'r.items::text || r.occurrences AS r', pick(8, 12, 20), pick('', ', minprob => 0.9', ', minprob => NULL::float8') . ", kind => '" . pick(qw(all closed maximal)) . "'" . pick('', ', exact => false')
		  . pick('', ', max_length => ' . random(1, 4)) . pick('', '', ", including => $named", ", including_any => $named", ", excluding => $named"))
	  if $function eq 'probable_itemsets';
	return ($function, $function eq 'episode_counts' ? 'r.length, r.episodes' : 'r::text', pick('0.02', '0.05'), ', gaps => ' . pick(q{'{"(0,4]"}'}, q{'{"(0,3]","(3,9]"}'}) . ", kind => '" . pick(qw(all closed maximal)) . "'"
		  . pick(', max_length => 1', map { ", max_length => $_" . pick('', '', ', min_length => 2') } 2 .. 4) . pick('', ", partition_column => 'session'") . pick('', '', ", including => $named", ", including_any => $named", ", excluding => $named"))
	  if $function =~ /episode/;
	return ($function, $function eq 'itemset_counts' ? 'r.length, r.itemsets' : 'r::text', $minsup, ", kind => '" . pick(qw(all closed maximal)) . "'"
		  . pick('', '', ', max_length => ' . random(1, 4)) . pick('', '', ', min_length => 1')
		  . pick('', '', ", including => $named", ", including_any => $named", ", excluding => $named"));
}

note("GPUFIM_SEED=$seed GPUFIM_DATABASES=$databases");
srand $seed;
$node->safe_psql('postgres', join '', map { "CREATE TABLE arrays_$_ (items text[]); CREATE TABLE pairs_$_ (tid int, item text, p float8); CREATE TABLE events_$_ (session int, at int, type text);" } 'a', 'b');

for my $number (1 .. $databases)
{
	my $rows = random_rows();
	my $events = random_events();
	my $script = "SET client_min_messages = error;\nSET max_parallel_workers_per_gather = 0;\n" . write_copy('a', $rows) . write_copy('b', $rows) . write_events('a', $events) . write_events('b', $events);
	my @expected;

	foreach my $try (1 .. 8)
	{
		my ($function, $compared, $minsup, $arguments) = random_call(scalar @$rows, scalar grep { @$_ && $_->[-1] > 25 } @$rows);
		my $parts = random(1, 9);
		$script .= "DROP TABLE IF EXISTS whole, united, prints;\n"
		  . "SET gpufim.workers = 0; SET gpufim.engine = cpu; SET gpufim.strategy = auto;\n"
		  . "CREATE TEMP TABLE whole AS SELECT $compared FROM $function(" . ($function eq 'probable_itemsets' ? uncertain_source('a') : $function =~ /episode/ ? "'events_a', 'type', 'at'" : "'arrays_a', 'items'") . ", $minsup$arguments) AS r;\n"
		  . "CREATE TEMP TABLE united AS SELECT *, 0 AS part FROM whole WHERE false;\nCREATE TEMP TABLE prints (print text, counted bigint);\n";
		foreach my $part (shuffle 0 .. $parts - 1)
		{
			my ($settings, $source) = random_circumstances($function);
			my $count = $function =~ /^frequent/ && rand() < 0.3 ? "(SELECT count(*) FROM $function($source, $minsup$arguments, part => $part, parts => $parts))" : 'NULL';

			$calls++;
			$script .= $settings . "INSERT INTO united SELECT $compared, $part FROM $function($source, $minsup$arguments, part => $part, parts => $parts) AS r;\n"
			  . "INSERT INTO prints SELECT fingerprint, CASE WHEN $count = (SELECT count(*) FROM united WHERE part = $part) THEN 0 WHEN $count IS NOT NULL THEN 1 ELSE 0 END FROM gpufim_last_run();\n";
		}
		my $union = $function =~ /^(itemset|episode)_counts/ ? "SELECT length, sum($1s)::bigint FROM united GROUP BY length" : 'SELECT r FROM united';
		$script .= "SELECT (SELECT count(*) FROM ((TABLE whole EXCEPT ALL ($union)) UNION ALL (($union) EXCEPT ALL TABLE whole)) AS d), count(*) FILTER (WHERE counted <> 0), count(DISTINCT print), bool_and(print IS NULL), (SELECT count(DISTINCT part) FROM united) FROM prints;\n";
		push @expected, [ "database $number: $function(..., $minsup$arguments), $parts parts", $parts ];
	}
	my ($several, @wrong) = parts_that_fail($node, "database $number", $script, \@expected);
	$divided += $several;
	push @failures, @wrong;
}
is(scalar @failures, 0, "$calls parts, united and counted") or diag("GPUFIM_SEED=$seed\n" . join("\n", @failures[ 0 .. min($#failures, 5) ]));
cmp_ok($divided, '>', $databases, 'results are in several parts');

# What changes a fingerprint, and what does not.
my $session = GpufimTest::Session->new($node);
$session->query(q{
	SET gpufim.engine = cpu;
	CREATE TABLE t AS SELECT n, ARRAY[n % 2, 2 + n % 3, 5 + n % 5, 10] AS items FROM generate_series(1, 60) AS n;
	CREATE TABLE uncertain AS SELECT n, unnest(items) AS item, 0.5::float8 AS p FROM t;
	CREATE TABLE doubted AS SELECT n, item, CASE WHEN n = 7 AND item = 10 THEN 0.25 ELSE p END AS p FROM uncertain;
	CREATE TABLE events AS SELECT session, 10 * session + at AS at, (session + at * at) % 7 AS type FROM generate_series(1, 12) AS session, generate_series(1, 9) AS at ORDER BY random();
	CREATE TABLE later AS SELECT session, CASE WHEN at = 57 THEN 58 ELSE at END AS at, type FROM events;
	CREATE TABLE backwards AS SELECT * FROM t ORDER BY n DESC;
	CREATE TABLE wide AS SELECT n, items::bigint[] FROM t;
	CREATE TABLE more AS SELECT * FROM t UNION ALL SELECT 61, ARRAY[0];
	CREATE TABLE other AS SELECT n, array_replace(items, 10, 11) AS items FROM t;
	CREATE TABLE moved AS SELECT n, CASE n WHEN 1 THEN ARRAY[0, 3, 6, 10] WHEN 2 THEN ARRAY[1, 4, 7, 10] ELSE items END AS items FROM t;
});

sub fingerprint
{
	my ($call) = @_;

	$session->query("SELECT count(*) FROM $call");
	return $session->query('SELECT fingerprint FROM gpufim_last_run()');
}

my $print = fingerprint(q{frequent_itemsets('t', 'items', 5, part => 0, parts => 4)});
like($print, qr/^[0-9a-f]{16}$/, 'a fingerprint is shown');
is(fingerprint($_), $print, "the same fingerprint: $_")
  foreach q{frequent_itemsets('t', 'items', 5, part => 3, parts => 4)},
  q{frequent_itemsets('backwards', 'items', 5, part => 1, parts => 4)},
  q{frequent_itemsets('wide', 'items', 5, part => 1, parts => 4)},
  q{frequent_itemsets('t', 'items', 5, min_length => 1, part => 1, parts => 4)},
  q{frequent_itemsets('(SELECT n, unnest(items) AS item FROM t)', 'n', 'item', 5, part => 1, parts => 4)},
  q{frequent_itemsets((SELECT transaction_set(items) FROM t), 5, part => 2, parts => 4)};
is(fingerprint(q{frequent_episodes('(SELECT * FROM events ORDER BY random())', 'type', 'at', 5, '{"(0,5]"}', part => 3, parts => 4)}), fingerprint(q{frequent_episodes('events', 'type', 'at', 5, '{"(0,5]"}', part => 1, parts => 4)}),
	'the same fingerprint of events in another order');
my %seen = ($print => 'the first call');
foreach my $call (
	q{frequent_itemsets('t', 'items', 5, part => 0, parts => 3)},
	q{frequent_itemsets('t', 'items', 6, part => 0, parts => 4)},
	q{frequent_itemsets('t', 'items', 5, 'closed', part => 0, parts => 4)},
	q{frequent_itemsets('t', 'items', 5, min_length => 2, part => 0, parts => 4)},
	q{frequent_itemsets('t', 'items', 5, max_length => 3, part => 0, parts => 4)},
	q{frequent_itemsets('t', 'items', 5, including => '{10}', part => 0, parts => 4)},
	q{frequent_itemsets('t', 'items', 5, including_any => '{10,1}', part => 0, parts => 4)},
	q{frequent_itemsets('t', 'items', 5, excluding => '{10}', part => 0, parts => 4)},
	q{itemset_counts('t', 'items', 5, part => 0, parts => 4)},
	q{frequent_itemsets('more', 'items', 5, part => 0, parts => 4)},
	q{frequent_itemsets('other', 'items', 5, part => 0, parts => 4)},
	q{frequent_itemsets('moved', 'items', 5, part => 0, parts => 4)},
	(map { "frequent_episodes('events', 'type', 'at', $_, part => 0, parts => 4)" } map { "5, '{\"(0,5]\"}'$_" } '', ", kind => 'closed'", ', min_length => 2', ', max_length => 3', ", including => '{1}'", ", including => '{2}'", ", including_any => '{1,2}'", ", including_any => '{1,3}'", ", excluding => '{1}'", ", partition_column => 'session'"),
	q{frequent_episodes('events', 'type', 'at', 5, '{"(0,6]"}', part => 0, parts => 4)},
	q{frequent_episodes('events', 'type', 'at', 6, '{"(0,5]"}', part => 0, parts => 4)},
	q{frequent_episodes('later', 'type', 'at', 5, '{"(0,5]"}', part => 0, parts => 4)},
	q{episode_counts('events', 'type', 'at', 5, '{"(0,5]"}', part => 0, parts => 4)},
	(map { "probable_itemsets('uncertain', 'n', 'item', 'p', $_, part => 0, parts => 4)" } '5', '6', '5, 0.6', '5, NULL::float8', "5, kind => 'closed'", '5, exact => false', "5, including => '{10}'"),
	q{probable_itemsets('doubted', 'n', 'item', 'p', 5, part => 0, parts => 4)},
	q{association_rules('t', 'items', 5, part => 0, parts => 4)},
	q{association_rules('t', 'items', 5, 0.7, part => 0, parts => 4)},
	q{association_rules('t', 'items', 5, max_consequent => 2, part => 0, parts => 4)},
	q{association_rules('t', 'items', 5, consequent_excluding => '{10}', part => 0, parts => 4)},
	q{association_rules('t', 'items', 5, kind => 'minimal', part => 0, parts => 4)},
	q{association_rules('t', 'items', 5, minlift => 1, part => 0, parts => 4)},
	q{association_rules('t', 'items', 5, min_improvement => 0, part => 0, parts => 4)},
	q{association_rules('t', 'items', 5, max_p => 0.5, part => 0, parts => 4)},
	q{association_rules('t', 'items', 5, adjust => 'none', part => 0, parts => 4)})
{
	my $other = fingerprint($call);

	ok(!exists $seen{$other}, "another fingerprint: $call") or diag("that of $seen{$other}");
	$seen{$other} = $call;
}
is(fingerprint(q{frequent_itemsets('t', 'items', 5)}), '', 'a call for the whole has none');

# Which engine mines a part.
$session->query('SET gpufim.engine = gpu');
foreach my $call (['gpu', q{frequent_itemsets('t', 'items', 5)}], ['gpu', q{itemset_counts('t', 'items', 5)}], ['gpu', q{probable_itemsets('uncertain', 'n', 'item', 'p', 5)}],
	['cpu', q{frequent_itemsets('t', 'items', 5, including_any => '{10,1}')}], ['cpu', q{frequent_episodes('events', 'type', 'at', 5, '{"(0,5]"}')}])
{
	my ($engine, $whole) = @$call;
	my $part = $whole =~ s/\)$/, part => 1, parts => 4)/r;

	$session->query("SELECT count(*) FROM $part");
	is($session->query('SELECT engine FROM gpufim_last_run()'), $engine, "on engine $engine: $part");
}
$session->query('SET gpufim.engine = cpu');

# Sorted and cut to a few rows, a part's rows are still its own.
is($session->query(q{SELECT count(*), count(DISTINCT i) FROM (SELECT items AS i FROM generate_series(0, 3) AS p, LATERAL (SELECT * FROM frequent_itemsets('t', 'items', 5, part => p, parts => 4) ORDER BY support DESC LIMIT 2) AS f) AS u}), '8|8',
	'the most frequent itemsets of each part');
is($session->query(q{SELECT count(*) FROM (SELECT f.* FROM generate_series(0, 1023) AS p, frequent_itemsets('t', 'items', 5, part => p, parts => 1024) AS f EXCEPT ALL SELECT * FROM frequent_itemsets('t', 'items', 5)) AS d}), '0',
	'more parts than itemsets');

$session->quit;
$node->stop;
done_testing();
