# A column of transaction sets is mined as the source that the sets were made of, by all functions: one set, sets of random groups of
# transactions and those that transaction_sets() makes, also of a query whose sets several processes make.  Little memory, cancelling,
# what other sessions see, and who may read what.  The seed can be given in GPUFIM_SEED, the number of databases in GPUFIM_DATABASES.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = int(($ENV{GPUFIM_DATABASES} || 3000) / 600) || 1;

note("GPUFIM_SEED=$seed");
srand($seed);

my $node = new_node('set_sources', conf => qq{
gpufim.workers = 0
max_worker_processes = 16
$GpufimTest::in_parallel});
my $session = GpufimTest::Session->new($node);
my ($calls, @failures) = (0);

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

$session->query(q{
	SET client_min_messages = warning;
	ALTER FUNCTION transaction_set_add(transaction_set, anyelement, anycompatible) COST 10000;
	-- the rows of a query as one text
	CREATE FUNCTION rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE result text;
	BEGIN
		EXECUTE 'SELECT count(*) || '' '' || coalesce(md5(string_agg(q::text, ''|'' ORDER BY q::text COLLATE "C")), '''') FROM (' || query || ') AS q' INTO result;
		RETURN result;
	END $$});

# The items, as types give them from the numbers 1 to $n.
my %items = (
	int => 'k * 7 - 20', bigint => 'k * 5000000000', text => q{repeat('x', k % 140) || k}, uuid => q{md5(k::text)::uuid}, numeric => 'k / 10.0',
	date => q{date '2000-01-01' + k}, 'double precision' => 'k / 3.0::float8', bytea => q{decode(md5(k::text), 'hex')},
	jsonb => 'to_jsonb(k)', interval => q{k * interval '1 hour'}, int4range => 'int4range(k, k + 5)', bpchar => q{(repeat('y', k % 3) || k)::bpchar});
my @types = sort keys %items;

# The calls of all functions, whose first arguments are those of a source; %s has them.
sub calls
{
	my ($type, $minsup) = @_;
	my $sample = int(rand(2));
	my $array = $sample ? "NULL::${type}[], " : '';
	my $k = random(1, 12);

	return (
		"SELECT * FROM frequent_itemsets(%s, $minsup, ${array}max_length => 3)",
		"SELECT * FROM frequent_itemsets(%s, $minsup, ${array}kind => '" . pick('closed', 'maximal') . "', max_length => 4)",
		"SELECT * FROM itemset_counts(%s, $minsup, ${array}max_length => 3)",
		"SELECT * FROM association_rules(%s, $minsup, ${array}minconf => 0.3, max_length => 3)",
		"SELECT * FROM top_itemsets(%s, $k, ${array}max_length => 3)",
		"SELECT * FROM top_rules(%s, $k, $minsup, ${array}max_length => 3)",
		"SELECT * FROM frequent_pairs(%s, $minsup" . ($sample ? ", NULL::$type" : '') . ')',
		"SELECT item, rank, score FROM similar_items(%s, $k" . ($sample ? ", item_type => NULL::$type" : '') . ')',
		"SELECT * FROM itemset_supports(%s, (SELECT array_agg(items::text) FROM frequent_itemsets('arrays', 'items', $minsup, max_length => 2)) || '{\"{}\"}'::text[])",
		"SELECT similarity FROM similar_sets(%s, 0.6)",
		"SELECT consequent, confidence, antecedent FROM rule_matches('rules', %s" . ($sample ? ", NULL::${type}[]" : '') . ')');
}

for my $database (1 .. $databases)
{
	my $type = $types[ rand @types ];
	my ($rows, $nitems, $density) = (int(rand(3)) ? random(0, 60) : random(0, 400), random(1, 30), 0.05 + 0.4 * rand);
	my $name = "$type, $rows rows of $nitems items, density " . sprintf('%.2f', $density);
	my $minsup = random(1, 1 + $rows / 4);
	my $aggregate = $type =~ /^(int|bigint|text|uuid)$/ ? 'transaction_set(items)' : 'transaction_set(transaction(items))';
	my @calls = calls($type, $minsup);
	my $bytes = pick(1, random(500, 3000), random(1000, 100000));

	$session->query('SET max_parallel_workers_per_gather = ' . pick(0, 3) . '; SET parallel_leader_participation = ' . pick('on', 'off'));
	$session->query(qq{
		SELECT setseed(} . rand() . qq{);
		DROP TABLE IF EXISTS arrays, pairs, whole, days, rules CASCADE;
		CREATE TABLE arrays WITH (fillfactor = 10) AS SELECT n, CASE WHEN random() < 0.95 THEN items END AS items
			FROM (SELECT n, (SELECT coalesce(array_agg(CASE WHEN random() < 0.98 THEN $items{$type} END ORDER BY random()), '{}') FROM generate_series(1, $nitems) AS k,
							 generate_series(1, CASE WHEN random() < 0.1 THEN 2 ELSE 1 END) WHERE random() < $density * n / n) AS items
				  FROM generate_series(1, $rows) AS n) AS made;
		CREATE TABLE pairs WITH (fillfactor = 10) AS SELECT n, item FROM (SELECT n, CASE WHEN items = '{}' THEN '{NULL}' ELSE items END AS items FROM arrays) AS a,
			unnest(items) AS item ORDER BY random();
		CREATE TABLE whole AS SELECT $aggregate AS s FROM arrays;
		CREATE TABLE days AS SELECT part, $aggregate AS s FROM (SELECT *, floor(random() * } . random(1, 9) . qq{) AS part FROM arrays) AS a GROUP BY part;
		INSERT INTO days VALUES (-1, NULL);
		CREATE TABLE rules AS SELECT * FROM association_rules('arrays', 'items', $minsup, NULL::${type}[], minconf => 0.3, max_length => 3) LIMIT 500;
		ANALYZE arrays, pairs});
	is($session->{err}, '', "$name: is made");

	my @expected = map { $session->query('SELECT rows_of($q$' . sprintf($_, q{'arrays', 'items'}) . '$q$)') . $session->{err} } @calls;
	my %sources = (
		whole => q{'whole', 's'}, days => q{'days', 's'}, single => q{'(SELECT transaction(items) AS s FROM arrays)', 's'},
		pieces => "'(SELECT transaction_sets(''arrays'', ''items'', $bytes) AS s)', 's'",
		'pieces of pairs' => "'(SELECT transaction_sets(''pairs'', ''n'', ''item'', $bytes) AS s)', 's'",
		'pieces of sets' => "'(SELECT s FROM transaction_sets(''days'', ''s'', $bytes) AS s)', 's'",
		groups => "'(SELECT transaction_set(n, item) AS s FROM pairs GROUP BY n % 3)', 's'");
	for my $source (sort keys %sources)
	{
		for my $i (0 .. $#calls)
		{
			my $call = sprintf $calls[$i], $sources{$source};
			my $answer = $session->query("SELECT rows_of(\$q\$$call\$q\$)") . $session->{err};

			$calls++;
			# numbers of transactions may come in another order, but not more of them
			push @failures, "$name, $source, $bytes bytes: $call\n$answer\n$expected[$i]" if $answer ne $expected[$i];
		}
	}
	# and the set itself
	is($session->query("SELECT rows_of('SELECT f.* FROM whole, top_itemsets(s, NULL::${type}[], 5) AS f') = rows_of('SELECT * FROM top_itemsets(''arrays'', ''items'', 5, NULL::${type}[])')"
		. ", rows_of('SELECT f.* FROM whole, top_itemsets(s, 5) AS f') = rows_of('SELECT * FROM top_itemsets(''arrays'', ''items'', 5)')"
		. ", rows_of('SELECT f.* FROM whole, top_rules(s, NULL::${type}[], 5, $minsup, max_length => 3) AS f') = rows_of('SELECT * FROM top_rules(''arrays'', ''items'', 5, $minsup, NULL::${type}[], max_length => 3)')"
		. ", rows_of('SELECT f.* FROM whole, top_rules(s, 5, $minsup, max_length => 3) AS f') = rows_of('SELECT * FROM top_rules(''arrays'', ''items'', 5, $minsup, max_length => 3)')")
		. $session->{err}, 't|t|t|t', "$name: the best of the set") if $session->query('SELECT s IS NOT NULL FROM whole') eq 't';
	# as many transactions and items as there are, in sets that are no larger than they should be, but for the last transaction
	is($session->query("SELECT coalesce(sum(transactions), 0), coalesce(sum(entries), 0), coalesce(max(bytes), 0) <= $bytes + 20000 FROM transaction_sets('arrays', 'items', $bytes) AS s, transaction_set_info(s)"),
		$session->query('SELECT count(items), coalesce(sum(distinct_items), 0), true FROM arrays, (SELECT 1) AS one, LATERAL (SELECT count(DISTINCT i) AS distinct_items FROM unnest(items) AS i) AS d'), "$name: the sets have everything");
}
cmp_ok($calls, '>=', 7 * 11 * $databases, "$calls calls");
is(join("\n", @failures[ 0 .. ($#failures < 4 ? $#failures : 4) ]), '', 'all answers are those of the arrays');

# More than there is memory for: the same rows, and what had to go to files.
$session->query(q{
	RESET max_parallel_workers_per_gather;
	CREATE TABLE big AS SELECT n, ARRAY(SELECT 1 + (n::bigint * k * k) % 4999 FROM generate_series(1, 20) AS k) AS items FROM generate_series(1, 40000) AS n;
	CREATE TABLE big_days AS SELECT n % 10 AS day, transaction_set(items) AS s FROM big GROUP BY 1;
	ANALYZE big});
my $counted = q{(SELECT string_agg(support::text, ',') FROM itemset_supports(%s, '{"{}","{2}","{2,5}","{17,4990}"}'))};
my $expected = $session->query('SELECT ' . sprintf $counted, q{'big', 'items'});
like($expected, qr/^40000,\d+,\d+,\d+$/, 'there is something');
$session->query(q{SET gpufim.memory_limit = '2MB'});
is($session->query('SELECT ' . sprintf $counted, q{'big_days', 's'}) . $session->{err}, $expected, 'sets in little memory');
is($session->query('SELECT peak_memory_bytes <= 2 * 1024 * 1024, spilled_bytes > 0 FROM gpufim_last_run()'), 't|t', 'as much as is allowed, and files');
for my $from (q{'big', 'items'}, q{'(SELECT n, unnest(items) AS item FROM big)', 'n', 'item'}, q{'big_days', 's'})
{
	is($session->query("CREATE TABLE pieces AS SELECT s FROM transaction_sets($from) AS s; SELECT peak_memory_bytes <= 2 * 1024 * 1024 FROM gpufim_last_run()"), 't', "$from: sets are made in little memory");
	is($session->query('SELECT count(*) > 5, max(bytes) < 260000 FROM pieces, transaction_set_info(s)'), 't|t', "$from: they are smaller then");
	is($session->query('SELECT ' . sprintf($counted, q{'pieces', 's'}) . '; DROP TABLE pieces') . $session->{err}, $expected, "$from: and mean the same");
}
$session->query(q{RESET gpufim.memory_limit; CREATE TABLE big_set AS SELECT transaction_set(ARRAY[n, n + 1, n + 2]) AS s FROM generate_series(1, 40000) AS n});
$session->query(q{SET gpufim.memory_limit = '384kB'; SELECT count(*) FROM frequent_itemsets('big_set', 's', 100)});
like($session->{err}, qr/^ERROR:  53200: not enough memory for a transaction set$/m, 'too little memory for a set');
$session->query(q{RESET gpufim.memory_limit});

# A cancel ends it.
for my $call (q{frequent_itemsets('(SELECT s FROM big_days, generate_series(1, 100000))', 's', 1000000)}, q{frequent_pairs('(SELECT s FROM big_days, generate_series(1, 100000))', 's', 1000000)},
	q{transaction_sets('(SELECT items FROM big, generate_series(1, 100000))', 'items')}, q{transaction_sets('(SELECT s FROM big_days, generate_series(1, 100000))', 's')})
{
	$session->query_with_timeout(200, "SELECT count(*) FROM $call");
	like($session->{err}, qr/^ERROR:  57014: canceling statement due to statement timeout/, "$call is cancelled");
}

# The source is read as the user may read it.
$session->query(q{
	CREATE ROLE reader;
	CREATE TABLE secret AS TABLE big_days;
	CREATE TABLE rows_for AS TABLE big_days;
	ALTER TABLE rows_for ENABLE ROW LEVEL SECURITY;
	CREATE POLICY some_days ON rows_for USING (day < 3);
	GRANT SELECT ON rows_for TO reader;
	SET ROLE reader});
for my $call (q{frequent_itemsets('secret', 's', 1)}, q{transaction_sets('secret', 's')})
{
	$session->query("SELECT count(*) FROM $call");
	like($session->{err}, qr/^ERROR:  42501: permission denied for table secret/, "$call of a table that may not be read");
}
is($session->query(q{SELECT sum(transactions) FROM transaction_sets('rows_for', 's') AS s, transaction_set_info(s)}), '12000', 'row security');
is($session->query(q{SELECT max(support) FROM itemset_supports('rows_for', 's', '{"{}"}')}), '12000', 'row security of mining');
$session->query('RESET ROLE');
$session->quit;
$node->stop;
done_testing();
