# Parts of calls about products of sets: over random relations the union of all parts is the whole, to the row, each result in one
# part, although each part is computed from a copy that is read in another order, by another engine, strategy and number of workers.
# The fingerprint is the same for all parts, and another one when the data or an argument change.  Parts of a skewed relation have
# about the same work.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	how many pairs of relations, 5 if it is not set
#	GPUFIM_ENGINE		gpu for the GPU engine, which otherwise is the stand-in
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use List::Util qw(max min shuffle);
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $relations = $ENV{GPUFIM_DATABASES} || 5;
my $node = new_node('set_parts', conf => "max_worker_processes = 8\n" . (engine_conf() || "shared_preload_libraries = 'gpufim'\ngpufim.cuda_library = '" . fake_gpu() . "'\n"));
my ($calls, $divided, @failures) = (0, 0);

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

# A relation of keys and values with skewed numbers of pairs, which may repeat.  Now and then it has more values than a tile,
# or a key or a value that has all pairs.
sub random_relation
{
	my ($repeated) = @_;
	my $values = pick(random(1, 8), random(10, 80), 300, 1500);
	my $keys = pick(random(1, 10), random(10, 200));
	my $skewed = pick(1, 2, 4);
	my @pairs = map { [ int($keys * rand()**$skewed), int($values * rand()**pick(1, $skewed)) ] } 1 .. pick(random(1, 60), 600, 4000);

	push @pairs, map { [ 3, $_ ] } 0 .. $values - 1 if rand() < 0.2;
	push @pairs, map { [ $_, 5 ] } 0 .. $keys - 1 if rand() < 0.2;
	my %seen;

	return $repeated ? \@pairs : [ grep { !$seen{"@$_"}++ } @pairs ];
}

# The file of a table of pairs, in an order of its own, and a table of their arrays.
sub write_copy
{
	my ($name, $pairs) = @_;

	open(my $file, '>', $node->basedir . "/$name") or die $!;
	print $file "key-$_->[0]\tvalue-$_->[1]\n" foreach shuffle @$pairs;
	close $file;
	return "TRUNCATE $name, arrays_$name; COPY $name FROM '" . $node->basedir . "/$name'; INSERT INTO arrays_$name SELECT key, array_agg(value) FROM $name GROUP BY key ORDER BY random();\n";
}

# A function, and forms of a call of it that mean the same.  COPY stands for the name of a copy.
sub random_call
{
	my $k = pick(1, 3, 10, 1000);
	my $of_sets = pick(0.1, 0.3, 0.5, 0.8, 1) . ", '" . pick(qw(jaccard cosine overlap containment)) . "', " . pick('NULL', 'NULL', $k);
	my $of_items = "NULL::text, '" . pick(qw(cosine jaccard lift confidence leverage log_likelihood_ratio)) . "', " . pick(1, 1, 2, 4);
	my $minsup = pick(1, 2, 5, 0.1);
	my $right = pick('left_COPY', 'right_COPY');
	my $joined = "'left_COPY', 'key', 'value', '$right', 'key', 'value', " . pick(1, 1, 2, 3) . ', NULL::text, NULL::text';

	return pick(
		[ 'frequent_pairs', "'left_COPY', 'key', 'value', $minsup, NULL::text", "'arrays_left_COPY', 'items', $minsup, NULL::text",
			"(SELECT transaction_set(items) FROM arrays_left_COPY), NULL::text[], $minsup",
			"'left_COPY', 'key', 'value', $minsup", "'arrays_left_COPY', 'items', $minsup", "(SELECT transaction_set(items) FROM arrays_left_COPY), $minsup" ],
		[ 'join_project', $joined . pick('', ', false') ],
		[ 'join_project_count', $joined ],
		[ 'boolean_matrix_product', "'numbers_left_COPY', 'value', 'key', 'numbers_$right', 'key', 'value'" ],
		[ 'similar_sets', "'left_COPY', 'value', 'key', $of_sets" ],
		[ 'similar_sets', "'left_COPY', 'value', 'key', '$right', 'value', 'key', $of_sets" ],
		# these have the numbers of rows
		[ 'similar_sets', "'arrays_left_a', 'items', $of_sets" ],
		[ 'similar_items', "'left_COPY', 'key', 'value', $k, $of_items", "'arrays_left_COPY', 'items', $k, $of_items" ]);
}

# One of the forms, of one of the copies.
sub form_of { my ($forms, $copy) = @_; return pick(@$forms) =~ s/COPY/$copy/gr; }

# Settings that must not make a difference.
sub random_settings
{
	my ($function) = @_;

	# GPUs do not find all similar sets, whole or in parts
	return 'SET gpufim.workers = ' . random(0, 4) . '; SET gpufim.engine = ' . pick('cpu', $function eq 'similar_sets' ? 'auto' : 'gpu') . '; SET gpufim.strategy = ' . pick(qw(auto rows bits batmap prefix)) . ";\n";
}

note("GPUFIM_SEED=$seed GPUFIM_DATABASES=$relations");
srand $seed;
$node->safe_psql('postgres', join '', map { "CREATE TABLE $_ (key text, value text); CREATE TABLE arrays_$_ (key text, items text[]); CREATE VIEW numbers_$_ AS SELECT substr(key, 5)::int AS key, substr(value, 7)::int AS value FROM $_;" } qw(left_a left_b right_a right_b));

for my $number (1 .. $relations)
{
	my $repeated = rand() < 0.3;
	my ($left, $right) = (random_relation($repeated), random_relation($repeated));
	my $script = "SET client_min_messages = error;\nSET max_parallel_workers_per_gather = 0;\n" . write_copy('left_a', $left) . write_copy('left_b', $left) . write_copy('right_a', $right) . write_copy('right_b', $right);
	my @expected;

	foreach my $try (1 .. 12)
	{
		my ($function, @forms) = @{ random_call() };
		my $counts = $function eq 'join_project_count';

		# a set has each pair once, and a table that has one twice is not quite the same
		@forms = ($forms[0]) if $repeated;
		my $parts = random(1, 9);
		my $whole = form_of(\@forms, 'a');

		# the forms without a part have the same results, but not all can be called with all of these arguments
		$whole =~ s/, NULL::text, '/, '/ if $function eq 'similar_items';
		$script .= "DROP TABLE IF EXISTS whole, united, prints;\nSET gpufim.workers = 0; SET gpufim.engine = cpu; SET gpufim.strategy = rows;\n"
		  . 'CREATE TEMP TABLE whole AS SELECT ' . ($counts ? 'r' : 'r::text') . " FROM $function($whole) AS r;\n"
		  . "CREATE TEMP TABLE united AS SELECT *, 0 AS part FROM whole WHERE false;\nCREATE TEMP TABLE prints (print text, counted bigint);\n";
		foreach my $part (shuffle 0 .. $parts - 1)
		{
			my $call = "$function(" . form_of(\@forms, pick('a', 'b')) . ", part => $part, parts => $parts)";

			$calls++;
			$script .= random_settings($function) . 'INSERT INTO united SELECT ' . ($counts ? 'r' : 'r::text') . ", $part FROM $call AS r;\n"
			  . "INSERT INTO prints SELECT fingerprint, 0 FROM gpufim_last_run();\n";
			$script .= "UPDATE prints SET counted = 1 WHERE (SELECT count(*) FROM $call) <> (SELECT count(*) FROM united WHERE part = $part);\n" if rand() < 0.3;
		}
		my $union = 'SELECT ' . ($counts ? 'sum(r)::bigint' : 'r') . ' FROM united';
		$script .= "SELECT (SELECT count(*) FROM ((TABLE whole EXCEPT ALL ($union)) UNION ALL (($union) EXCEPT ALL TABLE whole)) AS d), count(*) FILTER (WHERE counted <> 0), count(DISTINCT print), bool_and(print IS NULL), (SELECT count(DISTINCT part) FROM united) FROM prints;\n";
		push @expected, [ "relations $number: $function($forms[0]), $parts parts", $parts ];
	}
	my ($several, @wrong) = parts_that_fail($node, "relations $number", $script, \@expected);
	$divided += $several;
	push @failures, @wrong;
}
is(scalar @failures, 0, "$calls parts, united and counted") or diag("GPUFIM_SEED=$seed\n" . join("\n", @failures[ 0 .. min($#failures, 5) ]));
cmp_ok($divided, '>', $relations, 'results are in several parts');

# What changes a fingerprint, and what does not.
my $session = GpufimTest::Session->new($node);
$session->query(q{
	SET gpufim.engine = cpu;
	CREATE TABLE t AS SELECT n, unnest(ARRAY[n % 2, 2 + n % 3, 5 + n % 5, 10]) AS item FROM generate_series(1, 60) AS n;
	CREATE TABLE renumbered AS SELECT 1000 - n AS n, item::bigint FROM t ORDER BY random();
	CREATE TABLE more AS SELECT * FROM t UNION ALL SELECT 61, 0;
	CREATE TABLE other AS SELECT n, CASE item WHEN 10 THEN 11 ELSE item END AS item FROM t;
	CREATE TABLE moved AS SELECT n, CASE WHEN n = 1 AND item = 1 THEN 0 WHEN n = 2 AND item = 0 THEN 1 ELSE item END AS item FROM t;
	CREATE TABLE baskets AS SELECT array_agg(item) AS items FROM t GROUP BY n;
});

sub fingerprint
{
	my ($call) = @_;

	$session->query("SELECT count(*) FROM $call");
	return $session->query('SELECT fingerprint FROM gpufim_last_run()');
}

my $print = fingerprint(q{frequent_pairs('t', 'n', 'item', 5, NULL::int, part => 0, parts => 4)});
like($print, qr/^[0-9a-f]{16}$/, 'a fingerprint is shown');
is(fingerprint($_), $print, "the same fingerprint: $_")
  foreach q{frequent_pairs('t', 'n', 'item', 5, NULL::int, part => 3, parts => 4)},
  q{frequent_pairs('renumbered', 'n', 'item', 5, NULL::bigint, part => 1, parts => 4)},
  q{frequent_pairs('baskets', 'items', 5, NULL::int, part => 1, parts => 4)},
  q{frequent_pairs((SELECT transaction_set(items) FROM baskets), NULL::int[], 5, part => 2, parts => 4)};
my $joined = q{'t', 'n', 'item', 't', 'n', 'item', 1, NULL::int, NULL::int, part => 1, parts => 4};
is(fingerprint("join_project_count($joined)"), fingerprint("join_project_count(" . $joined =~ s/'t'/'renumbered'/gr =~ s/int,/bigint,/gr . ')'), 'the same fingerprint of keys with other numbers');
my %seen = ($print => 'the first call');
foreach my $call (
	q{frequent_pairs('t', 'n', 'item', 5, NULL::int, part => 0, parts => 3)},
	q{frequent_pairs('t', 'n', 'item', 6, NULL::int, part => 0, parts => 4)},
	(map { "frequent_pairs('$_', 'n', 'item', 5, NULL::int, part => 0, parts => 4)" } qw(more other moved)),
	"join_project_count($joined)", "join_project($joined)",
	(map { "join_project($_)" } $joined =~ s/1, NULL/2, NULL/r, $joined =~ s/'t'/'other'/r, $joined =~ s/'t'/'moved'/r),
	(map { "similar_sets('t', 'n', 'item', $_, part => 0, parts => 4)" } "0.5, 'jaccard', NULL", "0.6, 'jaccard', NULL", "0.5, 'cosine', NULL", "0.5, 'jaccard', 3", "0.5, 'jaccard', 4"),
	(map { "similar_items('$_, part => 0, parts => 4)" } "t', 'n', 'item', 3, NULL::int", "t', 'n', 'item', 4, NULL::int", "t', 'n', 'item', 3, NULL::int, 'lift'", "t', 'n', 'item', 3, NULL::int, min_support => 2", "moved', 'n', 'item', 3, NULL::int"),
	q{similar_sets('t', 'n', 'item', 't', 'n', 'item', 0.5, part => 0, parts => 4)})
{
	my $other = fingerprint($call);

	ok(!exists $seen{$other}, "another fingerprint: $call") or diag("that of $seen{$other}");
	$seen{$other} = $call;
}
is(fingerprint(q{frequent_pairs('t', 'n', 'item', 5)}), '', 'a call for the whole has none');
is($session->query(q{SELECT count(*) FROM (SELECT f.* FROM generate_series(0, 1023) AS p, frequent_pairs('t', 'n', 'item', 1, NULL::int, part => p, parts => 1024) AS f EXCEPT ALL SELECT * FROM frequent_pairs('t', 'n', 'item', 1, NULL::int)) AS d}), '0',
	'more parts than values');

# The partners of an item are in one part.
is($session->query(q{SELECT max(parts) FROM (SELECT count(DISTINCT p) AS parts FROM generate_series(0, 3) AS p, similar_items('t', 'n', 'item', 3, NULL::int, part => p, parts => 4) AS s GROUP BY item) AS i}), '1', 'partners are together');

# Parts of a relation in which few values have most of the pairs go through about as many paths each.
$session->query(q{SET gpufim.strategy = rows; SELECT setseed(0.5); CREATE TABLE skewed AS SELECT (2000 * random())::int AS n, (1000 * power(random(), 4))::int AS item FROM generate_series(1, 40000)});
foreach my $call (q{frequent_pairs('skewed', 'n', 'item', 2, NULL::int, %s)}, q{similar_items('skewed', 'n', 'item', 5, NULL::int, %s)}, q{join_project('skewed', 'n', 'item', 't', 'n', 'item', 2, NULL::int, NULL::int, true, %s)}, q{similar_sets('skewed', 'item', 'n', 0.5, 'jaccard', 3, %s)})
{
	my @paths = map { $session->query("SELECT count(*) FROM " . sprintf $call, "part => $_, parts => 4"); $session->query('SELECT nodes FROM gpufim_last_run()') } 0 .. 3;

	cmp_ok(max(@paths), '<', 1.15 * min(@paths), "paths of parts: @paths");
}

$session->quit;
$node->stop;
done_testing();
