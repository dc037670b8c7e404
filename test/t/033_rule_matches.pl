# rule_matches: random rules, applied to random transactions of many types, against the arrays' own operators in SQL, read by
# one process or by several; then what every call must do: spill, obey its limit, show its progress and end when it is
# cancelled.
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
my $node = new_node('rule_matches', conf => "max_worker_processes = 8\nmax_parallel_workers = 4\nwork_mem = '64MB'\njit = off\nshared_preload_libraries = 'gpufim'\n");
my $session = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);

note("GPUFIM_SEED=$seed GPUFIM_DATABASES=$databases");
srand $seed;

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

# What the call should give, by definition.  Arrays are compared and sorted in the type of the source's items.
sub by_definition
{
	my ($type) = @_;

	return qq{SELECT DISTINCT ON (t.t, r.c) t.t::text, r.c::text, r.confidence, r.lift, r.a::text
		FROM (SELECT t, coalesce(array_agg(i) FILTER (WHERE i IS NOT NULL), '{}') FROM pairs WHERE t IS NOT NULL GROUP BY t) AS t(t, items)
			JOIN (SELECT ARRAY(SELECT DISTINCT i FROM unnest(antecedent) AS i ORDER BY 1), ARRAY(SELECT DISTINCT i FROM unnest(consequent) AS i ORDER BY 1), confidence, lift
				  FROM rules WHERE antecedent IS NOT NULL AND array_position(antecedent, NULL) IS NULL AND array_position(consequent, NULL) IS NULL) AS r(a, c, confidence, lift)
			ON t.items \@> r.a AND NOT t.items \@> r.c
		ORDER BY t.t, r.c, r.confidence DESC, r.lift DESC, cardinality(r.a), r.a};
}

my %expression = (int => '(%s)::int', bigint => '(%s)::bigint * 100000000019', text => q{'item ' || (%s)}, long => q{repeat('long ', 50) || (%s)}, uuid => 'md5((%s)::text)::uuid',
	numeric => '(%s)::numeric / 8', date => q{date '2000-01-01' + (%s)::int});

sub number_of
{
	my ($type, $number) = @_;

	return sprintf $expression{$type}, $number;
}

$session->query('SET client_min_messages = warning; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0');
$session->query("SELECT setseed(0." . ($seed % 1000000) . ')');
my ($found, @failures) = (0);
for my $number (1 .. $databases)
{
	my $items = random(1, pick(4, 10, 60));
	my $transactions = random(0, pick(5, 60, 400));
	my $rules = random(0, pick(3, 40, 300));
	my ($of_tids, $of_items) = (pick(sort keys %expression), pick(sort keys %expression));
	my $type = $of_items eq 'long' ? 'text' : $of_items;
	my ($density, $long) = (rand, rand() < 0.3 ? 6 : 3);
	my $nulls = pick(0, 0, 0.03);
	my $item = number_of($of_items, "floor(random() * random() * $items)::int");
	my $side = sub { my ($most) = @_; return "ARRAY(SELECT CASE WHEN random() >= $nulls THEN $item END FROM generate_series(1, floor(random() * $most)::int + n * 0))" };
	my $as_text = rand() < 0.5 ? '::text[]' : '';
	my $sample = rand() < 0.5 ? ", NULL::${type}[]" : '';
	my $source = pick(q{'pairs', 't', 'i'}, q{'(SELECT * FROM pairs ORDER BY random())', 't', 'i'}, q{'(SELECT t, array_agg(i) AS items FROM pairs GROUP BY t)', 't', 'items'});
	my $call = qq{rule_matches('(SELECT antecedent$as_text AS antecedent, consequent$as_text AS consequent, confidence, lift FROM rules)', $source$sample)};

	$session->query("DROP TABLE IF EXISTS pairs, rules; SET max_parallel_workers_per_gather = " . random(0, 2) . ";
		CREATE TABLE pairs AS SELECT CASE WHEN random() >= $nulls THEN " . number_of($of_tids, 't') . " END AS t, CASE WHEN random() >= $nulls THEN $item END AS i
			FROM generate_series(1, $transactions) AS t, generate_series(1, 1 + floor(random() * $items * $density)::int) AS k;
		CREATE TABLE rules AS SELECT " . $side->($long) . ' AS antecedent, ' . $side->(3) . " AS consequent, floor(random() * 5) / 4 AS confidence, floor(random() * 3) / 2 AS lift FROM generate_series(1, $rules) AS n;
		ANALYZE pairs, rules");
	my $answer = $session->query("WITH expected AS MATERIALIZED (" . by_definition($type) . "), mined AS MATERIALIZED (SELECT tid, consequent::text, confidence, lift, antecedent::text FROM "
		. "(SELECT tid, consequent::${type}[] AS consequent, confidence, lift, antecedent::${type}[] AS antecedent FROM $call) AS m)
		SELECT (SELECT count(*) FROM expected), (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE mined) AS m), (SELECT count(*) FROM (TABLE mined EXCEPT ALL TABLE expected) AS u)");
	my ($expected, $wrong) = $answer =~ /^(\d+)\|(.*)$/;

	$found += $expected // 0;
	push @failures, "database $number, tids of $of_tids, items of $of_items: $call: $answer $session->{err}" unless ($wrong // '') eq '0|0';
}
is(scalar @failures, 0, "$databases databases, $found suggestions, as by definition") or diag(join "\n", @failures[ 0 .. ($#failures < 4 ? $#failures : 4) ]);
cmp_ok($found, '>', 10 * $databases, 'and they were not empty');

# The result is the same if several processes read, and from a spilled run.
$session->query(q{RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; SET max_parallel_workers_per_gather = 0;
	CREATE TABLE wide AS SELECT n % 50021 AS k, (n * 7919 % 1009) AS x FROM generate_series(1::bigint, 1500000) AS n;
	CREATE TABLE wide_rules AS SELECT ARRAY[n % 1009, (n * n + 1) % 1009] AS antecedent, ARRAY[(n * 31) % 1009] AS consequent, n % 100 / 100.0 AS confidence, 1 AS lift FROM generate_series(1::bigint, 20000) AS n});
my $before = leftovers($node);
my $call = q{rule_matches('wide_rules', 'wide', 'k', 'x')};
my $query = qq{SELECT count(*), sum(hashtextextended(m::text, 0)) FROM $call AS m};
my $roomy = $session->query("SET gpufim.memory_limit = '2GB'; $query");

like($roomy, qr/^[1-9]\d*\|/, 'there is something to find') or diag($session->{err});
is($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '0', 'nothing spills with room for all');
is($session->query("SET max_parallel_workers_per_gather = 2; $query"), $roomy, 'the same result where several processes read');
cmp_ok($session->query('SELECT read_workers FROM gpufim_last_run()'), '>', 0, 'which they did');
is($session->query("SET max_parallel_workers_per_gather = 0; SET gpufim.memory_limit = '20MB'; $query"), $roomy, 'the same result from a spilled run') or diag($session->{err});
cmp_ok($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '>', 500000, 'rows were spilled');
cmp_ok($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'), '<=', 20 * 1024 * 1024, 'within the limit');
no_leftovers($node, $before, 'spilled');
limits_are_told($session, "SELECT count(*) FROM $call");

# Cancel, in every phase.
my $many = q{'(SELECT ARRAY[n % 100, n % 101] AS antecedent, ARRAY[n % 97] AS consequent, 1 AS confidence, 1 AS lift FROM (SELECT generate_series(1, 2000000000) AS n) AS s)'};
for my $case (
	[ 'reading rules', "$many, 'wide', 'k', 'x'", 'reading' ],
	[ 'reading pairs', q{'wide_rules', '(SELECT n % 1000 AS k, n % 77 AS x FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'k', 'x'}, 'reading' ],
	# at first sight of each of the million transactions, all of the rules
	[ 'applying rules', q{'(SELECT ARRAY[n % 400, n / 400] AS antecedent, ARRAY[1000 + n] AS consequent, 1 AS confidence, 1 AS lift FROM generate_series(1, 100000) AS n)',
		'(SELECT n, CASE WHEN n = 0 THEN (SELECT array_agg(i) FROM generate_series(0, 400) AS i) ELSE ARRAY[1, 2] || (SELECT array_agg(i) FROM generate_series(0, 400) AS i) END AS items FROM generate_series(0, 20000) AS n)', 'n', 'items'}, 'mining' ])
{
	my ($name, $arguments, $phase) = @$case;

	cancel_ends($node, $before, $session, $watcher, 'rule_matches', $arguments, $phase, $name);
}
is($session->query(q{SELECT count(*) FROM rule_matches('wide_rules', '(VALUES (ARRAY[1, 2]))', 'column1')}), '1', 'the session goes on') or diag($session->{err});

$_->quit for $session, $watcher;
$node->stop;
done_testing();
