# The ways of doc/distributed.md to mine what lies on several servers find what one server finds that
# has all transactions: over postgres_fdw, and on Citus where it is installed.  Three servers are the
# nodes; the first one is the coordinator, too, with a database of its own for postgres_fdw.  The seed can be given in
# GPUFIM_SEED, the number of databases in GPUFIM_DATABASES.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = int(($ENV{GPUFIM_DATABASES} || 3000) / 750) || 1;
my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
my %folder = map { chomp(my $path = `$pg_config --$_`); $_ => $path } qw(sharedir pkglibdir);
my $citus = -e "$folder{sharedir}/extension/citus.control";

note("GPUFIM_SEED=$seed");
srand($seed);
plan skip_all => 'neither postgres_fdw nor Citus is installed' if !$citus && !-e "$folder{sharedir}/extension/postgres_fdw.control";

my @nodes = map { new_node("distributed_$_", conf => "gpufim.workers = 0\n" . ($citus ? "shared_preload_libraries = 'citus'\n" : '')) } 1 .. 3;
my @kinds = qw(all closed maximal);

# A query that gives what was found, as one text, of a query with the columns items and support.
sub all_of
{
	my ($found) = @_;

	return qq{SELECT count(*) || ' ' || coalesce(md5(string_agg(items::text || support, '|' ORDER BY items::text COLLATE "C")), '') FROM ($found) AS found};
}

# Of all frequent itemsets, those of a kind.
sub of_kind
{
	my ($kind, $found) = @_;
	my %support = (closed => ' AND g.support = f.support', maximal => '');

	return "SELECT items, support FROM ($found) AS f" if $kind eq 'all';
	return "WITH f AS ($found) SELECT * FROM f WHERE NOT EXISTS (SELECT FROM f AS g, unnest(g.items) AS item WHERE array_remove(g.items, item) = f.items$support{$kind})";
}

# Items by their numbers, as several types have them; text[] is what itemsets are.
my %items = (int => 'k', bigint => 'k * 5000000000', text => q{'it,em ' || k}, uuid => q{md5(k::text)::uuid}, date => q{date '2000-01-01' + k});
my @types = sort keys %items;

# SQL for a table of transactions with the columns node, id and items; nodes have shares of their own, and maybe none.
sub random_transactions
{
	my ($name, $type) = @_;
	my ($rows, $nitems, $density) = (1 + int(rand(300)), 2 + int(rand(12)), 0.1 + rand(0.6));
	my ($first, $second) = sort { $a <=> $b } map { int(rand(2)) ? rand : int(rand(2)) } 1, 2;

	return (qq{SELECT setseed(} . rand() . qq{);
		CREATE TABLE $name AS SELECT CASE WHEN r < $first THEN 1 WHEN r < $second THEN 2 ELSE 3 END AS node, id, items
			FROM (SELECT random() AS r, id, (SELECT coalesce(array_agg($items{$type} ORDER BY k), '{}') FROM generate_series(1, $nitems) AS k WHERE random() < $density + id * 0) AS items
				  FROM generate_series(1, $rows) AS id) AS made;
	}, "$rows rows of $nitems items of type $type, density " . sprintf('%.2f', $density));
}

# The aggregate over arrays of a type.
sub aggregate
{
	my ($type) = @_;

	return $type eq 'date' ? 'transaction_set(transaction(items))' : 'transaction_set(items)';
}

sub random_minsup
{
	return (0.05, 0.07, 0.1, 0.2, 0.25, 1 / 3)[ rand 6 ];
}

# postgres_fdw: the nodes have the tables, and views that read them under the bare search_path that postgres_fdw sets.
SKIP:
{
	skip 'contrib/postgres_fdw is not installed', 1 unless -e "$folder{sharedir}/extension/postgres_fdw.control";
	$nodes[0]->safe_psql('postgres', 'CREATE DATABASE coordinator');
	$nodes[0]->safe_psql('coordinator', 'CREATE EXTENSION gpufim; CREATE EXTENSION postgres_fdw');
	my $coordinator = GpufimTest::Session->new($nodes[0], 'coordinator');
	my %columns = (sets_here => 'node int, s transaction_set', pair_sets_here => 'node int, s transaction_set', task => 'node int, minsup float8, kind text, candidates text[]',
		part_here => 'node int, items text[], support bigint, frequency float8', frequent_here => 'node int, candidate text, support bigint', supports_here => 'node int, candidate text, support bigint, frequency float8');
	# a table whose partitions are the nodes'
	my $united = sub {
		my ($table, $columns) = @_;

		return "DROP TABLE IF EXISTS $table; CREATE TABLE $table ($columns) PARTITION BY LIST (node);" .
		  join '', map { "CREATE FOREIGN TABLE ${table}_$_ PARTITION OF $table FOR VALUES IN ($_) SERVER node$_ OPTIONS (table_name '$table', fetch_size '" . ($table =~ /set/ ? 1 : 10000) . "');" } 1 .. 3;
	};
	my $answer = sub {
		my ($sql) = @_;
		my $out = $coordinator->query($sql);

		return $out . $coordinator->{err} =~ s/^NOTICE.*\n(?:(?:LOCATION|HINT|DETAIL|CONTEXT).*\n)*//gmr;
	};

	$coordinator->query("CREATE SERVER node$_ FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '" . $nodes[ $_ - 1 ]->host . "', port '" . $nodes[ $_ - 1 ]->port . "', dbname 'postgres', extensions 'gpufim', async_capable 'true'); CREATE USER MAPPING FOR CURRENT_USER SERVER node$_") for 1 .. 3;
	for my $n (1 .. 3)
	{
		$nodes[ $n - 1 ]->safe_psql('postgres', sprintf q{
			CREATE EXTENSION postgres_fdw;
			CREATE SERVER coordinator FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%s', dbname 'coordinator', fetch_size '1');
			CREATE USER MAPPING FOR CURRENT_USER SERVER coordinator;
			CREATE FOREIGN TABLE sets (s transaction_set) SERVER coordinator;
			CREATE VIEW run_here AS SELECT %d AS node, fingerprint FROM gpufim_last_run();
		}, $nodes[0]->host, $nodes[0]->port, $n);
	}
	$coordinator->query($united->('run_here', 'node int, fingerprint text'));
	for my $database (1 .. $databases)
	{
		my $type = $types[ ($database - 1) % @types ];
		my ($transactions, $name) = random_transactions('whole', $type);
		my $minsup = random_minsup();
		my $aggregate = aggregate($type);

		$_->safe_psql('postgres', qq{
			SET client_min_messages = error;
			DROP TABLE IF EXISTS baskets, pairs, task CASCADE;
			CREATE TABLE baskets (node int, id int, items $type\[]);
			CREATE TABLE pairs (node int, id int, item $type);
			CREATE TABLE task (node int, minsup float8, kind text, candidates text[]);
			CREATE OR REPLACE VIEW sets_here AS SELECT s FROM transaction_sets('public.baskets', 'items', 1000) AS s;
			CREATE OR REPLACE VIEW pair_sets_here AS SELECT s FROM transaction_sets('public.pairs', 'id', 'item') AS s;
			CREATE VIEW part_here AS SELECT node, f.* FROM task, frequent_itemsets('public.sets', 's', minsup, kind => task.kind, part => node - 1, parts => 3) AS f;
			CREATE VIEW frequent_here AS SELECT node, items::text AS candidate, support FROM task, frequent_itemsets('public.baskets', 'items', minsup);
			CREATE VIEW supports_here AS SELECT node, s.* FROM task, itemset_supports('public.baskets', 'items', candidates) AS s;
		}) for @nodes;
		is($answer->("SET client_min_messages = warning; SET enable_partitionwise_aggregate = on; DROP TABLE IF EXISTS whole; $transactions" . join('', map { $united->($_, $columns{$_}) } sort keys %columns) .
			$united->('baskets', "node int, id int, items $type\[]") . $united->('pairs', "node int, id int, item $type") .
			q{INSERT INTO baskets SELECT * FROM whole; INSERT INTO pairs SELECT node, id, item FROM whole, unnest(items || '{NULL}') AS item}), '', "$name: is made");

		my %expected = map { $_ => $answer->(all_of("SELECT items, support FROM frequent_itemsets('whole', 'items', $minsup, '$_')")) } @kinds;

		# (a) sets are made on the nodes, and mined as a column or as one
		for my $sets ('SELECT s FROM sets_here', 'SELECT s FROM pair_sets_here', "SELECT node, $aggregate AS s FROM baskets GROUP BY node", 'SELECT node, transaction_set(id, item) AS s FROM pairs GROUP BY node')
		{
			is($answer->(all_of("SELECT items, support FROM frequent_itemsets('($sets)', 's', $minsup, '$_')")), $expected{$_}, "$name: $sets, $_") for @kinds;
			is($answer->(all_of("SELECT items, support FROM (SELECT transaction_set_union(s) AS s FROM ($sets) AS sets) AS one, frequent_itemsets(one.s, $minsup)")), $expected{all}, "$name: $sets, united");
		}

		# (b) every node mines a part of a table of the coordinator's
		is($answer->('DROP TABLE IF EXISTS sets; CREATE TABLE sets AS SELECT s FROM sets_here'), '', "$name: sets at the coordinator");
		for my $kind (@kinds)
		{
			is($answer->("DELETE FROM task; INSERT INTO task SELECT n, $minsup, '$kind' FROM generate_series(1, 3) AS n; " . all_of('SELECT items, support FROM part_here')), $expected{$kind}, "$name: parts, $kind");
			is($answer->('SELECT count(DISTINCT fingerprint), count(*) FROM run_here'), '1|3', "$name: parts of one whole");
		}
		$answer->('DELETE FROM task');

		# (c) what is frequent on a node is counted on all
		is($answer->(qq{
			BEGIN;
			INSERT INTO task SELECT n, $minsup FROM generate_series(1, 3) AS n;
			UPDATE task SET candidates = (SELECT array_append(array_agg(DISTINCT candidate), '{}') FROM frequent_here);
			CREATE TEMPORARY TABLE found ON COMMIT DROP AS
				SELECT candidate::text[] AS items, sum(support)::bigint AS support FROM supports_here GROUP BY candidate;
			DELETE FROM found WHERE support < } . ($minsup =~ /333/ ? '1 / 3.0' : $minsup) . q{ * (SELECT support FROM found WHERE items = '{}') OR items = '{}'}), '', "$name: candidates");
		is($answer->(all_of(of_kind($_, 'SELECT * FROM found'))), $expected{$_}, "$name: counted on the nodes, $_") for @kinds;
		$answer->('DELETE FROM task; COMMIT');
	}

	# Where the aggregate is computed: on the nodes if PostgreSQL knows that they have more rows than they would send.
	my $grouped = 'EXPLAIN (VERBOSE, COSTS OFF) SELECT node, transaction_set(items) FROM many GROUP BY node';

	$_->safe_psql('postgres', q{CREATE TABLE many (node int, id int, items int[])}) for @nodes;
	$answer->($united->('many', 'node int, id int, items int[]') . 'INSERT INTO many SELECT n % 3 + 1, n, ARRAY[n % 2, 2 + n % 3] FROM generate_series(1, 3000) AS n; ANALYZE many');
	like($answer->($grouped), qr/Async Foreign Scan\n.*\n.*Aggregate on.*\n *Remote SQL: SELECT node, public\.transaction_set\(items\) FROM public\.many GROUP BY 1\n/, 'the nodes make the sets');
	unlike($answer->("SET enable_partitionwise_aggregate = off; $grouped"), qr/Remote SQL: SELECT node, public\.transaction_set/, 'not without partitionwise aggregates');
	$answer->('SET enable_partitionwise_aggregate = on; ' . join '; ', map { "ALTER SERVER node$_ OPTIONS (DROP extensions)" } 1 .. 3);
	unlike($answer->($grouped), qr/Remote SQL: SELECT node, public\.transaction_set/, 'nor if the servers have no extension');
	unlike($answer->('EXPLAIN (VERBOSE, COSTS OFF) SELECT transaction_set(items) FROM many'), qr/Remote SQL: SELECT public\.transaction_set/, 'nor without GROUP BY');
	$answer->(join '; ', map { "ALTER SERVER node$_ OPTIONS (ADD extensions 'gpufim')" } 1 .. 3);

	# What a node does not find, and what a transaction sees.
	$nodes[0]->safe_psql('postgres', q{CREATE VIEW unqualified AS SELECT items::text FROM frequent_itemsets('many', 'items', 0.5)});
	like($answer->('CREATE FOREIGN TABLE unqualified (items text) SERVER node1; SELECT count(*) FROM unqualified'), qr/^ERROR: .*relation "many" does not exist/m, 'postgres_fdw sets a bare search_path');
	$nodes[1]->safe_psql('postgres', q{CREATE OR REPLACE VIEW sets_here AS SELECT s FROM transaction_sets('public.many', 'items') AS s});
	$answer->('BEGIN; SELECT count(*) FROM sets_here_2');
	$nodes[1]->safe_psql('postgres', q{INSERT INTO many VALUES (2, 0, '{7}')});
	is($answer->('SELECT transactions FROM sets_here_2, transaction_set_info(s); COMMIT; SELECT transactions FROM sets_here_2, transaction_set_info(s)'), "1000\n1001", 'a transaction has one snapshot of a node');
	$answer->('BEGIN; INSERT INTO many VALUES (2, -1, NULL), (2, -2, \'{8}\')');
	is($nodes[1]->safe_psql('postgres', 'SELECT transactions FROM sets_here, transaction_set_info(s)'), '1001', 'what is not committed is seen by nobody else');
	is($answer->('SELECT transactions FROM sets_here_2, transaction_set_info(s); ROLLBACK'), '1002', 'but by the transaction itself');

	# Pairs that are distributed by item: no node has a transaction of two items.
	$nodes[$_]->safe_psql('postgres', 'TRUNCATE pairs') for 0 .. 2;
	my $item = { map { $_ => $items{$types[ ($databases - 1) % @types ]} =~ s/\bk\b/$_/gr } 1, 2 };
	$answer->("INSERT INTO pairs SELECT 1, n, $item->{1} FROM generate_series(1, 10) AS n UNION ALL SELECT 2, n, $item->{2} FROM generate_series(1, 10) AS n");
	is($answer->(q{SELECT max(cardinality(items)), round(max(support / frequency)) FROM frequent_itemsets('pair_sets_here', 's', 0.1)}), '1|20', 'pairs by item are transactions of one item');
	$coordinator->quit;
}

# Citus: the first node coordinates, and has shards, too.
SKIP:
{
	skip 'Citus is not installed', 1 unless $citus;
	for my $node (@nodes)
	{
		$node->safe_psql('postgres', 'SET client_min_messages = warning; CREATE DATABASE citus');
		$node->safe_psql('citus', 'CREATE EXTENSION citus; CREATE EXTENSION gpufim');
	}
	my $coordinator = GpufimTest::Session->new($nodes[0], 'citus');
	my $answer = sub {
		my ($sql) = @_;
		my $out = $coordinator->query($sql);

		return $out . $coordinator->{err} =~ s/^NOTICE.*\n(?:(?:LOCATION|HINT|DETAIL|CONTEXT).*\n)*//gmr;
	};
	# each node makes sets of what it has
	my $pieces = q{$source$(SELECT unnest(nullif(result, '')::transaction_set[]) AS s FROM run_command_on_all_nodes($$SELECT array_agg(s) FROM source_here('baskets') AS source, transaction_sets(source, 'items') AS s$$))$source$};
	# what is frequent on a node is counted on all
	my $candidates = q{SELECT array_append(array_agg(DISTINCT candidate), '{}') AS candidates
		FROM run_command_on_all_nodes($$SELECT array_agg(items::text) FROM source_here('baskets') AS source, frequent_itemsets(source, 'items', %s)$$),
			unnest(nullif(result, '')::text[]) AS candidate};
	my $counted = q{SELECT candidate::text[] AS items, sum(support)::bigint AS support
		FROM (%s) AS c, run_command_on_all_nodes(format($$SELECT array_agg(support) FROM source_here('baskets') AS source, itemset_supports(source, 'items', %%L)$$, candidates)),
			unnest(candidates, nullif(result, '')::bigint[]) AS s (candidate, support)
		GROUP BY candidate};

	# a node mines a part of the sets in a reference table
	my $parts = q{SELECT key::text[] AS items, value::bigint AS support
		FROM run_command_on_all_nodes($$SELECT json_object_agg(items::text, support)
			FROM (SELECT count(*) FILTER (WHERE groupid < (SELECT groupid FROM pg_dist_local_group)) AS part, count(*) AS parts FROM pg_dist_node) AS nodes,
				frequent_itemsets('sets', 's', %s, '%s', part => part::int, parts => parts::int)$$),
			json_each_text(nullif(result, '')::json)};

	note($answer->('SELECT citus_version()'));
	$answer->(sprintf q{SELECT citus_set_coordinator_host('%s', %d)}, $nodes[0]->host, $nodes[0]->port);
	$answer->(sprintf q{SELECT citus_add_node('%s', %d)}, $_->host, $_->port) for @nodes[1, 2];
	is($answer->(sprintf(q{SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)}, $nodes[0]->host, $nodes[0]->port) . q{;
		SET citus.shard_count = 7;
		CREATE FUNCTION source_here(relation regclass) RETURNS SETOF text LANGUAGE sql STABLE AS $$
			SELECT '(' || string_agg('SELECT * FROM ' || shard_name(logicalrelid, shardid), ' UNION ALL ') || ')'
			FROM pg_dist_shard
				JOIN (SELECT shardid, min(groupid) AS groupid FROM pg_dist_placement WHERE shardstate = 1 GROUP BY shardid) AS placement USING (shardid)
				JOIN pg_dist_local_group USING (groupid)
			WHERE logicalrelid = relation
			HAVING count(*) > 0 $$}), '', 'Citus has three nodes');
	for my $database (1 .. $databases)
	{
		my $type = $types[ ($database - 1) % @types ];
		my ($transactions, $name) = random_transactions('whole', $type);
		my $minsup = random_minsup();
		my $replication = 1 + $database % 2;
		my $aggregate = aggregate($type);

		$name = "Citus, $name, $replication placements";
		is($answer->("SET client_min_messages = warning; DROP TABLE IF EXISTS whole, baskets, pairs; $transactions; SET citus.shard_replication_factor = $replication;" . qq{
			CREATE TABLE baskets (node int, id int, items $type\[]);
			CREATE TABLE pairs (id int, item $type);
			DO \$\$ BEGIN PERFORM create_distributed_table('baskets', 'id'), create_distributed_table('pairs', 'id'); END \$\$;
			INSERT INTO baskets SELECT * FROM whole;
			INSERT INTO pairs SELECT id, item FROM whole, unnest(items || '{NULL}') AS item}), '', "$name: is made");

		my %expected = map { $_ => $answer->(all_of("SELECT items, support FROM frequent_itemsets('whole', 'items', $minsup, '$_')")) } @kinds;
		my $share = $minsup =~ /333/ ? '1 / 3.0' : $minsup;

		like($answer->("EXPLAIN (VERBOSE) SELECT $aggregate FROM baskets"), qr/worker_(binary_)?partial_agg\('\S*transaction_set/, "$name: the nodes make partial states") or diag $coordinator->{err};
		is($answer->(all_of("SELECT items, support FROM frequent_itemsets($_, 's', $minsup)")), $expected{all}, "$name: $_")
		  for "'(SELECT id % 5, $aggregate AS s FROM baskets GROUP BY 1)'", $pieces;
		for my $sets ("SELECT $aggregate AS s FROM baskets", 'SELECT transaction_set(transaction(items)) AS s FROM (SELECT array_agg(item) AS items FROM pairs GROUP BY id) AS p',
			"SELECT transaction_set_union(s) AS s FROM (SELECT id % 5, $aggregate AS s FROM baskets GROUP BY 1) AS groups",
			'SELECT transaction_set_union(s) AS s FROM (SELECT id, transaction_set(id, item) AS s FROM pairs GROUP BY id) AS p')
		{
			is($answer->(all_of("SELECT items, support FROM ($sets) AS one, frequent_itemsets(one.s, $minsup, kind => '$_')")), $expected{$_}, "$name: $sets, $_") for @kinds;
		}
		is($answer->("DROP TABLE IF EXISTS sets; CREATE TABLE sets AS SELECT $aggregate AS s FROM baskets GROUP BY id % 3; DO \$\$ BEGIN PERFORM create_reference_table('sets'); END \$\$"), '', "$name: sets on all nodes");
		is($answer->(all_of(sprintf $parts, $minsup, $_)), $expected{$_}, "$name: parts, $_") for @kinds;
		is($answer->('CREATE TEMPORARY TABLE found AS ' . sprintf($counted, sprintf($candidates, $minsup)) .
			"; DELETE FROM found WHERE support < $share * (SELECT support FROM found WHERE items = '{}') OR items = '{}'"), '', "$name: candidates");
		is($answer->(all_of(of_kind($_, 'SELECT * FROM found'))), $expected{$_}, "$name: counted on the nodes, $_") for @kinds;
		$answer->('DROP TABLE found');
	}

	# What tasks refuse, what the aggregate of pairs does, and what a transaction sees.
	like($answer->(q{SELECT count(*) FROM baskets, frequent_itemsets('baskets', 'items', id::float8)}), qr/^ERROR: .*cannot execute a distributed query from a query on a shard/m, 'a task reads no distributed table');
	like($answer->(q{SELECT count(*) FROM baskets WHERE EXISTS (SELECT FROM frequent_itemsets('baskets', 'items', 0.5) AS f WHERE f.support = baskets.id)}), qr/^ERROR: .*cannot push down this subquery/m, 'a call below the top level of FROM');
	like($answer->('SELECT transaction_set(id, item) FROM pairs'), qr/^ERROR: .*worker_partial_agg_sfunc could not confirm type correctness/m, 'partial states of pairs need the types of a call');
	my $seen = q{SELECT sum(nullif(result, '')::int) FROM run_command_on_all_nodes($$SELECT transactions FROM source_here('baskets') AS source, itemset_supports(source, 'items', '{"{}"}') AS s (candidate, transactions)$$)};
	my $before = $answer->('SELECT count(*) FROM baskets');

	is($answer->("BEGIN; INSERT INTO baskets VALUES (1, 1000000, '{}'); SELECT transactions FROM (SELECT transaction_set(transaction(items)) AS s FROM baskets) AS one, transaction_set_info(s)"), $before + 1, 'a transaction sees its own rows');
	is($answer->($seen), $before, 'but commands on nodes do not');
	is($answer->("COMMIT; $seen"), $before + 1, 'before they are committed');
	$coordinator->quit;
}
$_->stop for @nodes;
done_testing();
