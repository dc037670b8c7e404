# A transaction_set is the same value however it is made, sent or stored: serially, by several
# processes, by groups, from random parts, through text, binary and a dump.  What is damaged is an
# error.  The seed can be given in GPUFIM_SEED, the number of databases in GPUFIM_DATABASES, and that of
# mutations in GPUFIM_MUTATIONS.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = int(($ENV{GPUFIM_DATABASES} || 3000) / 300) || 1;
my $mutations = $ENV{GPUFIM_MUTATIONS} || 400;

note("GPUFIM_SEED=$seed");
srand($seed);

my $node = new_node('transaction_sets', conf => qq{
gpufim.workers = 0
max_worker_processes = 16
${GpufimTest::in_parallel}ignore_checksum_failure = on
});
my $session = GpufimTest::Session->new($node);

$session->query(q{
	-- so that small tables, too, are read in parallel; they are spread over many pages
	ALTER FUNCTION transaction_set_add(transaction_set, int[]) COST 10000;
	ALTER FUNCTION transaction_set_add(transaction_set, bigint[]) COST 10000;
	ALTER FUNCTION transaction_set_add(transaction_set, text[]) COST 10000;
	ALTER FUNCTION transaction_set_add(transaction_set, uuid[]) COST 10000;
	ALTER FUNCTION transaction(anyarray) COST 10000;
	ALTER FUNCTION transaction_set_add(transaction_set, anyelement, anycompatible) COST 10000;
	-- what a set has, in one text: its transactions and some of what is mined from it
	CREATE FUNCTION rows_of(s transaction_set) RETURNS text LANGUAGE sql STRICT PARALLEL SAFE AS $$
		SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '|' ORDER BY r)), '')
		FROM (SELECT ARRAY(SELECT i FROM unnest(r) AS i ORDER BY i COLLATE "C") AS r FROM transaction_set_rows(s) AS r) AS sorted $$;
	CREATE FUNCTION mined(s transaction_set, minsup float8) RETURNS text LANGUAGE sql STRICT PARALLEL RESTRICTED AS $$
		SELECT count(*) || ' ' || coalesce(md5(string_agg(items::text || support, '|' ORDER BY items::text COLLATE "C")), '')
		FROM frequent_itemsets(s, minsup, max_length => 3) $$;
});

# Serially, or by three workers and the leader in turns.
sub processes
{
	my ($several) = @_;

	$session->query($several ? 'SET max_parallel_workers_per_gather = 3; SET parallel_leader_participation = ' . (int(rand(2)) ? 'on' : 'off') :
		'SET max_parallel_workers_per_gather = 0');
	return;
}

# The aggregate over arrays of a type.
sub aggregate
{
	my ($type) = @_;

	return $type =~ /^(int|bigint|text|uuid)$/ ? 'transaction_set(items)' : 'transaction_set(transaction(items))';
}

# The items of the source, as types give them from the numbers 1 to $n.
my %items = (
	int => 'k * 7 - 20', bigint => 'k * 5000000000', text => q{repeat('x', k % 140) || k}, uuid => q{md5(k::text)::uuid}, numeric => 'k / 10.0',
	date => q{date '2000-01-01' + k}, 'double precision' => 'k / 3.0::float8', bytea => q{decode(md5(k::text), 'hex')},
	jsonb => 'to_jsonb(k)', interval => q{k * interval '1 hour'}, int4range => 'int4range(k, k + 5)');
my @types = sort keys %items;
my @ids = ('n', '(1000 - n)', '(n * 7919) % 1009', "'transaction ' || n", 'md5(n::text)::uuid', 'n::numeric', 'n / 2', 'n::smallint', 'n::float8', 'CASE WHEN n % 10 > 0 THEN n END');

for my $database (1 .. $databases)
{
	my $type = $types[ ($database - 1) % @types ];
	my $id = $ids[ int rand @ids ];
	my ($rows, $nitems, $density) = (int(rand(3)) ? int(rand(300)) : int(rand(5000)), 1 + int(rand(60)), rand);
	my $name = "$type, id $id, $rows rows of $nitems items, density " . sprintf('%.2f', $density);
	my $aggregate = aggregate($type);
	my $minsup = 1 + int(rand($rows / 2));

	# "array" has NULLs, repeated items and empty arrays; "pair" has NULLs, too
	my $order = int(rand(2)) ? 'n' : 'random()';

	$session->query(qq{
		SELECT setseed(} . rand() . qq{);
		DROP TABLE IF EXISTS arrays, pairs CASCADE;
		CREATE TABLE arrays WITH (fillfactor = 10) AS SELECT n, CASE WHEN random() < 0.95 THEN items END AS items
			FROM (SELECT n, (SELECT coalesce(array_agg(CASE WHEN random() < 0.98 THEN $items{$type} END), '{}') FROM generate_series(1, $nitems) AS k,
							 generate_series(1, CASE WHEN random() < 0.1 THEN 2 ELSE 1 END) WHERE random() < $density * n / n) AS items
				  FROM generate_series(1, $rows) AS n) AS made;
		CREATE TABLE pairs WITH (fillfactor = 10) AS SELECT $id AS id, item FROM arrays, unnest(items) WITH ORDINALITY AS u(item, k) ORDER BY $order;
		ANALYZE arrays, pairs;
		CREATE VIEW of_pairs AS SELECT array_agg(DISTINCT item) FILTER (WHERE item IS DISTINCT FROM NULL) AS items FROM pairs WHERE id IS NOT NULL GROUP BY id});
	is($session->{err} =~ s/^NOTICE.*\n(DETAIL.*\n|drop cascades.*\n|LOCATION.*\n)*//gmr, '', "$name: is made");
	# what plain SQL says that a set has, and what is mined from the source
	my $rows_sql = q{SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, '|' ORDER BY r)), '') FROM (SELECT ARRAY(SELECT DISTINCT i::text COLLATE "C" FROM unnest(items) AS i WHERE i IS NOT NULL ORDER BY 1) AS r FROM %s WHERE items IS NOT NULL OR %s) AS sorted};
	my $mined_sql = q{SELECT count(*) || ' ' || coalesce(md5(string_agg(items::text || support, '|' ORDER BY items::text COLLATE "C")), '') FROM frequent_itemsets(%s, %s, max_length => 3)};
	my %expected = (
		arrays => $session->query(sprintf $rows_sql, 'arrays', 'false') . ' / ' . $session->query(sprintf $mined_sql, q{'arrays', 'items'}, $minsup),
		pairs => $session->query(sprintf $rows_sql, 'of_pairs', 'true') . ' / ' . $session->query(sprintf $mined_sql, q{'pairs', 'id', 'item'}, $minsup));

	# no rows make no set
	$session->query("SELECT count(*) FROM $_") eq '0' and $expected{$_} = '' for keys %expected;
	for my $several (0, 1)
	{
		my $way = $several ? 'in parallel' : 'serially';
		my $have = sub {
			my ($kind, $set, $from) = @_;
			my $sql = "WITH made AS MATERIALIZED (SELECT $set AS s FROM $from) SELECT rows_of(s) || ' / ' || mined(s, $minsup) FROM made";
			my $answer;

			processes($several);
			if ($several && $from !~ /\(/ && $session->query("SELECT count(*) FROM $from") > 100)
			{
				my $plan = $session->query("EXPLAIN $sql");
				$plan =~ /Partial Aggregate/ or fail("$name, $kind: the plan is parallel") or diag($plan);
			}
			$answer = $session->query($sql);
			$answer .= $session->{err} =~ s/^NOTICE.*\n(LOCATION.*\n|HINT.*\n)*//gmr;
			return $answer;
		};

		is($have->('arrays', $aggregate, 'arrays'), $expected{arrays}, "$name: arrays $way");
		is($have->('groups', 'transaction_set_union(s)', "(SELECT $aggregate AS s FROM arrays GROUP BY n % 7) AS g"), $expected{arrays}, "$name: the union of groups $way");
		is($have->('parts', 'transaction_set_union(s)', "(SELECT $aggregate AS s FROM (SELECT *, floor(random() * 5) AS part FROM arrays) AS a GROUP BY part) AS g"), $expected{arrays}, "$name: the union of random parts $way");
		is($have->('text', "($aggregate)::text::transaction_set", 'arrays'), $expected{arrays}, "$name: through text $way");
		is($have->('pairs', 'transaction_set(id, item)', 'pairs'), $expected{pairs}, "$name: pairs $way");
	}
	# and stored, in another database that binary and a dump have brought it to
	next if $database % 5;
	processes(0);
	my $file = $node->data_dir . '/sets.binary';

	$session->query("DROP TABLE IF EXISTS stored, received; CREATE TABLE stored AS SELECT $aggregate AS s FROM arrays; CREATE TABLE received (s transaction_set); COPY stored TO '$file' (FORMAT binary); COPY received FROM '$file' (FORMAT binary)");
	is($session->query('SELECT count(*) FROM stored, received WHERE stored.s::text IS DISTINCT FROM received.s::text'), '0', "$name: through binary");
	is($session->{err}, '', "$name: without an error");
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS copy');
	$node->safe_psql('postgres', 'CREATE DATABASE copy');
	$node->command_ok([ 'pg_dump', '-f', "$file.sql", '-t', 'stored', $node->connstr('postgres') ], "$name: is dumped");
	$node->safe_psql('copy', 'CREATE EXTENSION gpufim');
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', "$file.sql", $node->connstr('copy') ], "$name: is restored");
	is($node->safe_psql('copy', 'SELECT md5(s::text) FROM stored'), $session->query('SELECT md5(s::text) FROM stored'), "$name: the same from a dump");
}

# States that grow beyond copies, with groups that are sorted and groups that are hashed, in partitions and in little memory.
$session->query(q{
	DROP TABLE IF EXISTS stored CASCADE;
	CREATE TABLE big (g int, n int, items int[]) PARTITION BY HASH (g);
	CREATE TABLE big0 PARTITION OF big FOR VALUES WITH (MODULUS 2, REMAINDER 0);
	CREATE TABLE big1 PARTITION OF big FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	INSERT INTO big SELECT n % 5, n, ARRAY(SELECT 1 + (n::bigint * k * k) % 997 FROM generate_series(1, 12) AS k) FROM generate_series(1, 60000) AS n;
	ANALYZE big;
	CREATE VIEW big_pairs AS SELECT g, n, i FROM big, unnest(items) AS i;
});
for my $of ([ 'transaction_set(items)', 'big' ], [ 'transaction_set(n, i)', 'big_pairs' ], [ q{transaction_set(n, 'item ' || i)}, 'big_pairs' ])
{
	my ($set, $from) = @$of;
	my $sql = "SELECT string_agg(g || ': ' || rows_of(s), ', ' ORDER BY g) FROM (SELECT g, $set AS s FROM $from GROUP BY g) AS made";
	my $answer = $session->query("SET max_parallel_workers_per_gather = 0; SET gpufim.memory_limit = '1GB'; $sql");

	like($answer, qr/^0: 12000 \w+, 1: 12000 .*4: 12000 \w+$/, "$set: there is something");
	for my $settings ('SET enable_hashagg = off', 'SET enable_hashagg = on; SET enable_sort = off', q{SET work_mem = '64kB'},
		q{SET gpufim.memory_limit = '2MB'}, 'SET enable_partitionwise_aggregate = on', 'SET max_parallel_workers_per_gather = 3', 'SET enable_partitionwise_aggregate = on; SET max_parallel_workers_per_gather = 3')
	{
		is($session->query("BEGIN; SET LOCAL max_parallel_workers_per_gather = 0; $settings; $sql; ROLLBACK") . $session->{err}, $answer, "$set: $settings");
		$session->query('RESET ALL');
	}
}

# Partial states that the combine function gets as expanded objects.
is($session->query(q{SET enable_partitionwise_aggregate = on; SET max_parallel_workers_per_gather = 0;
	SELECT rows_of(s) FROM (SELECT transaction_set(n, item) AS s FROM (SELECT g, n, items[1] AS item FROM big) AS b) AS made}),
	$session->query(q{SET enable_partitionwise_aggregate = off; SELECT rows_of(s) FROM (SELECT transaction_set(ARRAY[items[1]]) AS s FROM big) AS made}), 'partial states of partitions');
$session->query('RESET ALL');

# A cancel ends it, in the aggregate and in what reads a set.
for my $sql ('SELECT transaction_set(ARRAY[n, n + 1, n + 2]) FROM generate_series(1, 100000000) AS n',
	'SELECT transaction_set(n % 1000003, n) FROM generate_series(1::bigint, 100000000) AS n',
	q{SELECT transaction_set_union(s) FROM (SELECT transaction_set(items) AS s FROM big) AS one, generate_series(1, 100000)})
{
	$session->query_with_timeout(700, $sql);
	like($session->{err}, qr/^ERROR:  57014: canceling statement due to statement timeout/, "$sql is cancelled");
}

# Too little memory.
for my $set ('transaction_set(ARRAY[n, n + 1, n + 2])', 'transaction_set(n, -n)', 'transaction_set(transaction(ARRAY[n::numeric]))')
{
	$session->query("SET gpufim.memory_limit = '384kB'; SELECT $set FROM generate_series(1, 50000) AS n");
	like($session->{err}, qr/^ERROR:  53200: not enough memory for /, "$set: too little memory is an error");
	$session->query('RESET ALL');
}

# A set that would be too large to dump.
$session->query(q{SET gpufim.memory_limit = '4GB'; SELECT transaction_set(ARRAY[repeat('x', 100000000) || n]) FROM generate_series(1, 3) AS n});
like($session->{err}, qr/^ERROR:  54000: transaction set would be larger than 256 MB\nHINT:  Make several sets/m, 'a set that would be too large');
$session->query('RESET ALL');

# Another version of a collation by which items are equal.
SKIP:
{
	$session->query(q{CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false)});
	skip 'this server was built without ICU', 5 if $session->{err} ne '';
	$session->query(q{CREATE TABLE folded AS SELECT transaction_set(items) AS s FROM (VALUES ('{a,B}'::text[] COLLATE folded), ('{A,b,a}')) AS v(items)});
	is($session->query('SELECT lower(items::text), support FROM folded, frequent_itemsets(s, 2) ORDER BY 1'), "{a,b}|2\n{a}|2\n{b}|2", 'equal items');
	is($session->query(q{SELECT rows_of(s) = rows_of(s::text::transaction_set) FROM folded}), 't', 'through text');
	is($session->query(q{SELECT items, support FROM (SELECT transaction_set(id COLLATE folded, item) AS s FROM (VALUES ('a', 1), ('A', 2), ('b', 1)) AS v(id, item)) AS g,
		frequent_itemsets(s, 1) ORDER BY 1}), "{1}|2\n{1,2}|1\n{2}|1", 'equal ids of transactions of numbers');
	$session->query(q{SELECT regexp_replace(s::text, 'folded,[^,]*', 'folded,0.1')::transaction_set FROM folded});
	like($session->{err}, qr/^ERROR:  22000: transaction set was made with another version of collation public\.folded\nDETAIL:  The set was made with version "0\.1", and the version is now/, 'another version is an error');
	$session->query(q{SELECT regexp_replace(regexp_replace(s::text, 'public,folded,[^,]*', 'pg_catalog,C,""'), '\{a,B\}', '{a,A}')::transaction_set FROM folded});
	is($session->{err}, '', 'for other collations there is no version');
}

# Mutations of the text form: all are read or are errors that say what is wrong.
$session->query(q{
	CREATE TABLE seeds AS
		SELECT 0 AS n, transaction_set(items)::text AS t FROM (SELECT ARRAY[n % 3, n % 5, n % 7] AS items FROM generate_series(1, 30) AS n) AS v
		UNION ALL SELECT 1, transaction_set(ARRAY['b' || n % 4, NULL, 'x "' || n % 3])::text FROM generate_series(1, 30) AS n
		UNION ALL SELECT 2, transaction_set(transaction(ARRAY[n % 4, n % 3] :: numeric[]))::text FROM generate_series(1, 30) AS n
		UNION ALL VALUES (3, '{1,pg_catalog,int4,"","","",pg_catalog,int4,"{1,2}",BAAAAAIAAA==,"{7,8}"}');
	CREATE FUNCTION mutated(t text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		-- mostly within the records
		at int := CASE WHEN random() < 0.2 THEN 1 + random() * length(t) ELSE length(t) - 2 - random() * 40 END;
		letters text := CASE WHEN random() < 0.2 THEN '=,{}" 19' ELSE 'ABCDEFGHQRYZabcdefghwxyz0123456789+/' END;
	BEGIN
		RETURN overlay(t PLACING substr(letters, 1 + (random() * (length(letters) - 1))::int, CASE WHEN random() < 0.9 THEN 1 ELSE 0 END) FROM greatest(at, 1) FOR (0.4 + random() * 0.7)::int);
	END $$;
	CREATE FUNCTION try_text(i int) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		m text;
		s transaction_set;
	BEGIN
		SELECT CASE WHEN random() < 0.5 THEN mutated(t) ELSE mutated(mutated(t)) END INTO m FROM seeds WHERE seeds.n = i % 4;
		s := m::transaction_set;
		IF s::text <> s::text::transaction_set::text THEN RAISE 'not the same'; END IF;
		IF i % 4 < 3 THEN PERFORM mined(s, 2), rows_of(s); END IF;
	END $$;
	-- how a statement with a number from 1 to n in it ends, and how often
	CREATE FUNCTION outcomes(n int, statement text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE codes text[] := '{}';
	BEGIN
		FOR i IN 1 .. n LOOP
			BEGIN
				EXECUTE format(statement, i);
				codes := codes || 'fine'::text;
			EXCEPTION WHEN OTHERS THEN
				codes := codes || SQLSTATE::text;
			END;
		END LOOP;
		RETURN (SELECT string_agg(code || ' ' || count, ', ') FROM (SELECT code, count(*) FROM unnest(codes) AS code GROUP BY code ORDER BY code COLLATE "C") AS s);
	END $$;
	SET client_min_messages = warning;
	SELECT setseed(} . rand() . q{)});
my $codes = $session->query("SELECT outcomes($mutations, 'SELECT try_text(%s)')");
note("text: $codes");
like($codes, qr/^(?:22(?:00[0-9]|02[0-9]|P0[0-9]|P0B) \d+, |42704 \d+, |42P22 \d+, |0A000 \d+, |54000 \d+, |53200 \d+, |XX001 \d+, )*fine \d+$/, 'mutations of the text form');
like($codes, qr/XX001/, 'some are damaged');

# The same for the binary form, a file for each.
{
	my $dir = $node->data_dir . '/mutations';
	my $bytes;

	mkdir $dir;
	$session->query(q{CREATE TABLE fuzzed (s transaction_set)});
	for my $seed (0 .. 3)
	{
		my $name = "$dir/seed";

		unlink $name;
		$session->query("COPY (SELECT t::transaction_set FROM seeds WHERE n = $seed) TO '$name' (FORMAT binary)");
		open(my $file, '<:raw', $name) or die "$name: $!";
		{ local $/; $bytes = <$file>; }
		close $file;
		for my $n (1 .. $mutations / 4)
		{
			my $mutation = $bytes;

			# behind the header, the number of fields, and the length, which are COPY's
			substr($mutation, 25 + int(rand(length($bytes) - 27)), 1) = chr(int(rand(3)) ? int(rand(256)) : int(rand(4))) for 0 .. int(rand(3));
			open(my $out, '>:raw', "$dir/" . ($seed + 4 * ($n - 1))) or die "$dir: $!";
			print $out $mutation;
			close $out;
		}
	}
	$codes = $session->query(qq{
		CREATE FUNCTION try_binary(i int) RETURNS void LANGUAGE plpgsql AS \$\$
		BEGIN
			EXECUTE format('COPY fuzzed FROM %L (FORMAT binary)', '$dir/' || i - 1);
			PERFORM mined(s, 2), rows_of(s) FROM fuzzed WHERE s::text !~ '"",pg_catalog,int4';
			TRUNCATE fuzzed;
		END \$\$;
		SELECT outcomes(} . 4 * int($mutations / 4) . q{, 'SELECT try_binary(%s)')});
	note("binary: $codes");
	like($codes, qr/^(?:0A000 \d+, |08P01 \d+, |22(?:00[0-9]|02[0-9]|P0[0-9]) \d+, |42704 \d+, |42P22 \d+, |54000 \d+, |53200 \d+, |XX001 \d+, )*fine \d+$/, 'mutations of the binary form');
	like($codes, qr/XX001/, 'some are damaged');
}

# Values that are damaged where they are stored.  Half of them get the checksum that their damaged bytes have, so that
# what is behind this check is seen, too.
{
	my @table = map { my $c = $_; $c = $c & 1 ? 0x82F63B78 ^ ($c >> 1) : $c >> 1 for 1 .. 8; $c } 0 .. 255;
	my $crc = sub { my $c = 0xFFFFFFFF; $c = $table[ ($c ^ $_) & 0xFF ] ^ ($c >> 8) for unpack 'C*', $_[0]; $c ^ 0xFFFFFFFF };
	my ($path, $bytes, $at, $found) = ('', '', 0, 0);

	$session->query(q{
		CREATE TABLE damaged (n serial, s transaction_set);
		ALTER TABLE damaged ALTER s SET STORAGE plain;
		INSERT INTO damaged (s) SELECT t::transaction_set FROM generate_series(1, 100), seeds WHERE seeds.n < 2;
		CHECKPOINT});
	$path = $node->data_dir . '/' . $session->query(q{SELECT pg_relation_filepath('damaged')});
	is($session->query(q{SELECT count(*) FROM damaged WHERE rows_of(s) IS NOT NULL}), '200', 'values before they are damaged');
	$session->quit;
	$node->stop;
	open(my $file, '+<:raw', $path) or die "$path: $!";
	{ local $/; $bytes = <$file>; }
	# the names follow a header of 72 bytes, whose version tells that it is one
	while (($at = index($bytes, "pg_catalog\0", $at)) >= 0)
	{
		my $start = $at - 72;
		my $size = unpack('L<', substr($bytes, $start, 4)) >> 2;
		my $where = int(rand(4)) ? 12 + int(rand($size - 12)) : 12 + int(rand(60));

		$at += 11;
		next if $size > 1000 || substr($bytes, $start + 8, 4) ne "\1\0\0\0";
		$found++;
		substr($bytes, $start + $where, 1) = chr(ord(substr($bytes, $start + $where, 1)) ^ (1 << int(rand(8))));
		substr($bytes, $start + 4, 4) = pack('L<', $crc->(substr($bytes, $start + 8, $size - 8))) if $found % 4 > 1;
		$at = $start + $size;
	}
	seek $file, 0, 0;
	print $file $bytes;
	close $file;
	is($found, 200, 'all values have been damaged');
	$node->start;
	$session = GpufimTest::Session->new($node);
	# a session's first call: the library must be loaded before the query runs in parallel, or it could not take settings from the configuration
	like($session->query('EXPLAIN (COSTS OFF) SELECT (transaction_set_info(transaction_set(items))).transactions FROM big'), qr/Gather/, 'a parallel plan');
	$session->quit;
	$session = GpufimTest::Session->new($node);
	is($session->query('SELECT (transaction_set_info(transaction_set(items))).transactions FROM big') . $session->{err}, '60000', 'without warnings in the first call of a session');
	is($session->query('SHOW gpufim.workers'), '0', 'with the settings of the configuration');
	$session->query('SET client_min_messages = warning');
	# where pages have checksums, as they have by default since 18, the server warns as it reads them
	$session->query('SELECT count(*) FROM damaged');
	for my $call ('mined(s, 2)', 'rows_of(s)', 's::text', 'transaction_set_info(s)', 'transaction_set_items(s)', 'transaction_set_union(s)',
		'(SELECT count(*) FROM similar_items(s, 2))', '(SELECT count(*) FROM association_rules(s, 2, 0.1))',
		map { "(SELECT count(*) FROM $_(''(SELECT s FROM damaged WHERE n = '' || n || '')'', ''s'', 2))" } 'frequent_itemsets', 'frequent_pairs')
	{
		$codes = $session->query("SELECT outcomes(200, 'SELECT $call FROM damaged WHERE n = %s')") . $session->{err};
		note("$call: $codes");
		like($codes, qr/^(?:(?:0A000|22000|22003|22021|22023|42704|42804|42P22|42883|53200|54000|XX001) \d+(?:, |$))*(?:fine \d+)?$/, "$call of damaged values");
		cmp_ok(($codes =~ /XX001 (\d+)/)[0], '>=', 80, "$call: what has another checksum is an error");
	}
}
$session->quit;
$node->stop;
done_testing();
