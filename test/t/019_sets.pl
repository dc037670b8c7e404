# join_project, frequent_pairs, boolean_matrix_product, similar_sets and similar_items: random relations of
# all shapes against what plain SQL says, in every form, measure and strategy; then what
# every call must do: spill, obey its limit, show its progress and end when it is cancelled.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	ten times the number of inputs, 1000 if it is not set
#	GPUFIM_ENGINE		gpu for the GPU engine and its strategies
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use List::Util qw(max min);
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $inputs = int(($ENV{GPUFIM_DATABASES} || 1000) / 10) || 1;
my $node = new_node(
	'sets',
	conf => q{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
max_worker_processes = 8
max_parallel_workers_per_gather = 0
work_mem = '64MB'
jit = off
} . engine_conf());
my @strategies = grep { $node->psql('postgres', "LOAD 'gpufim'; SET gpufim.strategy = $_") == 0 } qw(auto rows bits batmap prefix);
# the most similar sets, and similar sets of two sources, are found on the processor only
my $on_gpu = ($ENV{GPUFIM_ENGINE} || 'cpu') eq 'gpu';
my ($calls, $rows, @failures) = (0, 0);

note("strategies: @strategies; GPUFIM_SEED=$seed");
srand $seed;

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

# An expression that gives numbers of about so many values, which repeat in one way or another; how
# many values at most; and which part of the rows has the most frequent one, about.
sub random_numbers
{
	my ($n, $rows) = @_;
	my $skewed = random(2, 6);
	my $few = $n < 2000 ? $n : 2000;

	return @{ pick(
		[ '7', 1, 1 ], [ 'n', $rows, 1 / ($rows + 1) ], [ "n % $n", $n, 1 / $n ],
		[ "(random() * $n)::int", $n + 1, 1 / $n ], [ "(random() * $n)::int", $n + 1, 1 / $n ],
		[ "(power(random(), $skewed) * $n)::int", $n + 1, (1 / $n)**(1 / $skewed) ],
		[ "(random() * $few)::int * 1000003 - 500000000", $few + 1, 1 / $few ]) };
}

# The same of a type, with NULLs now and then.
sub random_column
{
	my ($n, $rows, $type) = @_;
	my ($numbers, $distinct, $part) = random_numbers($n, $rows);

	# smallint has no room for the largest numbers
	($numbers, $distinct, $part) = ("($numbers) % 30000", $distinct < 60000 ? $distinct : 60000, $part + 1 / 30000)
	  if $type eq 'smallint';
	$numbers = "CASE WHEN random() < 0.1 THEN NULL ELSE $numbers END" if rand() < 0.3;
	return { sql => "(($numbers)::text)::$type", distinct => $distinct, part => $part };
}

sub random_type { return pick(qw(int int bigint smallint numeric text varchar float8)); }

# Types that SQL compares with =, and a few that it converts on the way.
sub random_key_types
{
	my @pair = @{ pick(map { [ split / / ] } 'int int', 'int bigint', 'smallint int', 'text text', 'text varchar', 'char(12) char(12)', 'numeric int', 'float4 float8', 'int float8') };

	return rand() < 0.5 ? @pair : reverse @pair;
}

# Up to a million rows, mostly few.
sub random_size
{
	my $size = int(30 / (rand() + 3e-5));

	return pick(0, 1, random(2, 10), $size, $size, $size, $size);
}

# Columns k and v, and k2 and v2 of the same types.
sub random_relation
{
	my ($key_type, $value_type) = @_;
	my $size = random_size();
	my $keys = pick(1, random(2, 10), random(5, 100), int($size / random(1, 50)) + 1, $size + 1);
	my $values = pick(1, random(2, 10), random(5, 100), int($size / random(1, 50)) + 1, $size + 1);

	return {
		size => $size,
		(map { ("k$_" => random_column($keys, $size, $key_type), "v$_" => random_column($values, $size, $value_type)) } '', 2) };
}

# About how many rows a join has at most, when each has forgotten which rows are equal.
sub most_paths
{
	my ($left, $left_columns, $right, $right_columns) = @_;
	my @most;

	for ([ $left, $left_columns, $right, $right_columns ], [ $right, $right_columns, $left, $left_columns ])
	{
		my ($one, $these, $other, $those) = @$_;
		my $pairs = min($one->{size}, $one->{"k$these"}{distinct} * $one->{"v$these"}{distinct});

		push @most, $pairs * min($other->{"v$those"}{distinct}, $other->{size} * $other->{"k$those"}{part});
	}
	return min(@most);
}

# Two tables whose joins SQL gets through.
sub random_relations
{
	my ($left_key, $right_key) = random_key_types();
	my ($left_value, $right_value) = (random_type(), random_type());

	while (1)
	{
		my ($l, $r) = (random_relation($left_key, $left_value), random_relation($right_key, $right_value));
		my $paths = max(most_paths($l, '', $l, ''), most_paths($l, '', $l, 2), most_paths($l, '', $r, ''));

		return (create_table('l', $l), create_table('r', $r)) if $paths < 200000 + 2 * $l->{size};
	}
}

sub create_table
{
	my ($name, $table) = @_;
	my $columns = join ', ', map { "$table->{$_}{sql} AS $_" } qw(k v k2 v2);

	return "CREATE TEMP TABLE $name AS SELECT $columns FROM generate_series(1, $table->{size}) AS n ORDER BY random();\n"
	  . ($table->{size} > 1000 ? "ANALYZE $name;\n" : '');
}

# An expression of n and the number of rows, for a matrix.
sub random_matrix
{
	my ($name, $index) = @_;
	my $rows = random(0, 400);
	my ($indexes, $shared) = (random_column(random(1, 100), $rows, pick('int', 'bigint', 'smallint')), random_column(random(1, 100), $rows, 'int'));

	return "CREATE TEMP TABLE $name AS SELECT $indexes->{sql} AS $index, $shared->{sql} AS j FROM generate_series(1, $rows) AS n;\n";
}

# A statement that counts the rows of two queries which the other one has not, and those
# of the first.
sub compare
{
	my ($ours, $theirs) = @_;

	# rows as a whole are not for the scan of pairs, which has all else
	$ours .= ' AS j WHERE j IS DISTINCT FROM NULL' if $ours =~ / FROM \w+\(/ && rand() < 0.3;
	return "WITH ours AS MATERIALIZED ($ours), theirs AS MATERIALIZED ($theirs) SELECT 'checked ' || (SELECT count(*) FROM "
	  . "((TABLE ours EXCEPT ALL TABLE theirs) UNION ALL (TABLE theirs EXCEPT ALL TABLE ours)) AS d) || ' ' || (SELECT count(*) FROM ours);\n";
}

sub join_cases
{
	my $least = pick(1, 1, 1, 2, 3);
	my ($one, @right) = (rand() < 0.3, 'r', 'k', 'v');
	my ($left_key, $left_value) = qw(k v);
	my $sql;

	# the same table on both sides: one relation, or two of one source
	@right = rand() < 0.5 ? ('l', 'k', 'v') : ('l', 'k2', 'v2') if $one;
	$sql = "FROM (SELECT DISTINCT k, v FROM l) AS l JOIN (SELECT DISTINCT $right[1] AS k, $right[2] AS v FROM $right[0]) AS r USING (k) "
	  . "WHERE l.v IS NOT NULL AND r.v IS NOT NULL GROUP BY l.v, r.v HAVING count(DISTINCT l.k) >= $least";
	my $arguments = "'l', 'k', 'v', '$right[0]', '$right[1]', '$right[2]', $least";

	return (
		compare("SELECT * FROM join_project($arguments)", "SELECT l.v::text, r.v::text, count(DISTINCT l.k) $sql"),
		compare("SELECT left_value, right_value, witnesses IS NULL FROM join_project($arguments, witnesses => false)", "SELECT l.v::text, r.v::text, true $sql"),
		compare("SELECT join_project_count($arguments)", "SELECT count(*) FROM (SELECT $sql) AS s"),
		compare("SELECT * FROM join_project($arguments, (SELECT v FROM l LIMIT 0), (SELECT $right[2] FROM $right[0] LIMIT 0))", "SELECT l.v, r.v, count(DISTINCT l.k) $sql"));
}

sub matrix_cases
{
	return compare(
		q{SELECT * FROM boolean_matrix_product('a', 'i', 'j', 'b', 'j', 'k')},
		q{SELECT DISTINCT i::bigint, k::bigint FROM a JOIN b USING (j) WHERE i IS NOT NULL AND k IS NOT NULL});
}

# Arrays keep their rows' numbers apart from those of ids.
sub pair_cases
{
	my $minsup = pick(1, 1, 2, 3, 5, '0.1', '0.02', '0.3');
	my $least = $minsup >= 1 ? $minsup : "greatest(ceil($minsup * (SELECT count(DISTINCT k) FROM l)), 1)";
	my $sql = sub { my ($text) = @_; return
		"SELECT a.v$text, b.v$text, count(DISTINCT a.k), count(DISTINCT a.k) / (SELECT count(DISTINCT k)::float8 FROM l) FROM (SELECT DISTINCT k, v FROM l) AS a JOIN (SELECT DISTINCT k, v FROM l) AS b ON a.k = b.k AND a.v < b.v GROUP BY a.v, b.v HAVING count(DISTINCT a.k) >= $least"; };

	return (
		compare("SELECT * FROM frequent_pairs('l', 'k', 'v', $minsup)", $sql->('::text')),
		compare("SELECT * FROM frequent_pairs('l', 'k', 'v', $minsup, (SELECT v FROM l LIMIT 0))", $sql->('')),
		compare("SELECT * FROM frequent_pairs('(SELECT array_agg(v) AS items FROM l WHERE k IS NOT NULL GROUP BY k UNION ALL SELECT NULL)', 'items', $minsup)", $sql->('::text')));
}

sub similar_cases
{
	my $measure = pick(qw(jaccard cosine overlap containment));
	my $threshold = pick(0.8, 0.5, 0.2, 1, 2 / 3, 1 / 3, 0.7071067811865475, rand(1) + 1e-9);
	my %similarity = (
		jaccard => 'o / (a.n + b.n - o)::float8',
		cosine => '(o::numeric(80, 50) / sqrt((a.n * b.n)::numeric(80, 50)))::float8',
		overlap => 'o / least(a.n, b.n)::float8',
		containment => 'o / a.n::float8');
	my $order = $measure eq 'containment' ? '<>' : '<';
	my $sql = sub {
		my ($from, $text) = @_;
		my $overlaps = "SELECT a.v AS x, b.v AS y, count(DISTINCT a.k) AS o FROM d AS a JOIN d AS b ON a.k = b.k AND a.v $order b.v GROUP BY a.v, b.v";

		return "WITH d AS MATERIALIZED (SELECT DISTINCT k, v FROM $from AS f), s AS MATERIALIZED (SELECT v, count(DISTINCT k) AS n FROM d GROUP BY v) "
		  . "SELECT x$text, y$text, o, $similarity{$measure} FROM ($overlaps) AS p JOIN s AS a ON a.v = x JOIN s AS b ON b.v = y WHERE $similarity{$measure} >= $threshold";
	};
	my $numbered = '(SELECT id AS v, k FROM l JOIN (SELECT v, row_number() OVER (ORDER BY v) AS id FROM (SELECT DISTINCT v FROM l WHERE v IS NOT NULL) AS d) AS r USING (v))';

	return (
		compare("SELECT * FROM similar_sets('l', 'v', 'k', $threshold, '$measure')", $sql->('l', '::text')),
		compare("SELECT * FROM similar_sets('(SELECT v, array_agg(k) AS ks FROM l GROUP BY v)', 'v', 'ks', $threshold, '$measure')", $sql->('l', '::text')),
		compare("SELECT tid1::int, tid2::int, overlap, similarity FROM similar_sets('(SELECT array_agg(k) AS ks FROM l WHERE v IS NOT NULL GROUP BY v ORDER BY v)', 'ks', $threshold, '$measure')", $sql->($numbered, '')));
}

# The most similar sets of each one, in one source and in two.  Those of two sources may have the same ids.
sub most_similar_cases
{
	my $measure = pick(qw(jaccard cosine overlap containment));
	my $threshold = pick(0, 0.8, 0.5, 0.2, 1, 1 / 3, rand(1) + 1e-9);
	my $most = pick('NULL', 1, 1, 2, 3, 10, random(1, 100), 1000000);
	my %similarity = (
		jaccard => 'o / (a.n + b.n - o)::float8',
		cosine => '(o::numeric(80, 50) / sqrt((a.n * b.n)::numeric(80, 50)))::float8',
		overlap => 'o / least(a.n, b.n)::float8',
		containment => 'o / a.n::float8');
	my @two = @{ pick([ 'r', 'k', 'v' ], [ 'l', 'k', 'v' ], [ 'l', 'k2', 'v2' ]) };
	my $sql = sub {
		my ($right, $key, $value, $apart) = @_;

		return "WITH l1 AS MATERIALIZED (SELECT DISTINCT k, v FROM l WHERE k IS NOT NULL AND v IS NOT NULL), r1 AS MATERIALIZED (SELECT DISTINCT $key AS k, $value AS v FROM $right WHERE $key IS NOT NULL AND $value IS NOT NULL), "
		  . 'ls AS MATERIALIZED (SELECT v, count(*) AS n FROM l1 GROUP BY v), rs AS MATERIALIZED (SELECT v, count(*) AS n FROM r1 GROUP BY v), '
		  . "p AS MATERIALIZED (SELECT x, y, o, $similarity{$measure} AS s FROM (SELECT l1.v AS x, r1.v AS y, count(*) AS o FROM l1 JOIN r1 ON l1.k = r1.k" . ($apart ? '' : ' AND l1.v <> r1.v') . ' GROUP BY 1, 2) AS o JOIN ls AS a ON a.v = x JOIN rs AS b ON b.v = y) '
		  . "SELECT x::text, y::text, o, s FROM (SELECT *, row_number() OVER (PARTITION BY x ORDER BY s DESC, o DESC, y) AS r FROM p WHERE s >= $threshold) AS p" . ($most eq 'NULL' ? '' : " WHERE r <= $most");
	};
	my $of_two = sub { my ($left, $right, $least) = @_; return "SELECT * FROM similar_sets($left, $right, $least, '$measure', $most)" };
	my $in_two = $threshold == 0 && $most eq 'NULL' ? '1e-300' : $threshold;
	my @arrays = (q{'(SELECT v, array_agg(k) AS ks FROM l GROUP BY v)', 'v', 'ks'}, "'(SELECT $two[2] AS v, array_agg($two[1]) AS ks FROM $two[0] GROUP BY 1)', 'v', 'ks'");
	my @cases = (
		compare($of_two->(q{'l', 'v', 'k'}, "'$two[0]', '$two[2]', '$two[1]'", $in_two), $sql->(@two, 1)),
		compare($of_two->(pick(q{'l', 'v', 'k'}, $arrays[0]), $arrays[1], $in_two), $sql->(@two, 1)));

	$most = 5 if $most eq 'NULL';
	return (@cases,
		compare("SELECT * FROM similar_sets('l', 'v', 'k', $threshold, '$measure', $most)", $sql->('l', 'k', 'v')),
		compare("SELECT * FROM similar_sets($arrays[0], $threshold, k => $most, measure => '$measure')", $sql->('l', 'k', 'v')));
}

# The log-likelihood ratio is that of rule_measures(), which has tests of its own.
sub partner_cases
{
	my $measure = pick(qw(cosine jaccard lift confidence leverage log_likelihood_ratio));
	my $most = pick(1, 1, 2, 3, 10, random(1, 100), 1000000);
	my $least = pick(1, 1, 1, 2, 3, 5);
	my %score = (
		jaccard => 'o / (a.n + b.n - o)::float8',
		cosine => '(o::numeric(80, 50) / sqrt((a.n * b.n)::numeric(80, 50)))::float8',
		lift => '(o * t.n) / (a.n * b.n)::float8',
		confidence => 'o / a.n::float8',
		leverage => '(o * t.n - a.n * b.n) / (t.n * t.n)::float8',
		log_likelihood_ratio => 'sign(o * t.n - a.n * b.n) * (rule_measures(o, a.n, b.n, t.n)).log_likelihood_ratio');
	my $sql = sub {
		my ($text) = @_;
		my $pairs = "SELECT a.v AS x, b.v AS y, count(*) AS o FROM d AS a JOIN d AS b ON a.k = b.k AND a.v <> b.v GROUP BY a.v, b.v HAVING count(*) >= $least";

		return "WITH d AS MATERIALIZED (SELECT DISTINCT k, v FROM l WHERE k IS NOT NULL AND v IS NOT NULL), s AS MATERIALIZED (SELECT v, count(*) AS n FROM d GROUP BY v), "
		  . "t AS MATERIALIZED (SELECT count(DISTINCT k) AS n FROM l), "
		  . "p AS MATERIALIZED (SELECT x, y, o, $score{$measure} AS score FROM ($pairs) AS p JOIN s AS a ON a.v = x JOIN s AS b ON b.v = y, t) "
		  . "SELECT x$text, y$text, r::int, o, score FROM (SELECT *, row_number() OVER (PARTITION BY x ORDER BY score DESC, o DESC, y) AS r FROM p) AS p WHERE r <= $most";
	};

	return (
		compare("SELECT * FROM similar_items('l', 'k', 'v', $most, '$measure', $least)", $sql->('::text')),
		compare("SELECT * FROM similar_items('l', 'k', 'v', $most, (SELECT v FROM l LIMIT 0), '$measure', $least)", $sql->('')),
		compare("SELECT * FROM similar_items('(SELECT array_agg(v) AS items FROM l WHERE k IS NOT NULL GROUP BY k UNION ALL SELECT NULL)', 'items', $most, '$measure', $least)", $sql->('::text')));
}

sub random_input
{
	my @statements = (
		"SELECT setseed(" . rand() . ");\n",
		'SET gpufim.strategy = ' . pick(@strategies) . '; SET gpufim.workers = ' . pick(0, 0, 0, 1, 2, random(3, 8)) . ";\n",
		random_relations(), random_matrix('a', 'i'), random_matrix('b', 'k'));
	my @cases = (join_cases(), matrix_cases(), pair_cases(), similar_cases(), partner_cases(), $on_gpu ? () : most_similar_cases());

	return (\@statements, \@cases);
}

my ($script, @cases) = ('');
for my $input (1 .. $inputs)
{
	my ($statements, $cases) = random_input();

	$script .= join('', @$statements, @$cases, "DROP TABLE l, r, a, b;\n");
	push @cases, map { [ join('', @$statements), $_ ] } @$cases;
	next if $input % 20 != 0 && $input != $inputs;

	my ($out, $err) = ('', '');
	$node->psql('postgres', "SET client_min_messages = warning;\n$script", stdout => \$out, stderr => \$err, on_error_stop => 0);
	my @answers = map { [ split / / ] } $out =~ /^checked (\d+ \d+)$/mg;

	is(scalar @answers, scalar @cases, "input $input of $inputs: every call answered") or diag(substr $err, 0, 3000);
	for my $i (0 .. $#cases)
	{
		$calls++;
		next unless $answers[$i];
		$rows += $answers[$i][1];
		push @failures, "$cases[$i][0]$cases[$i][1]" if $answers[$i][0] != 0;
	}
	($script, @cases) = ('');
}
is(scalar @failures, 0, "$calls calls over $inputs inputs, $rows rows, as SQL says")
  or diag("GPUFIM_SEED=$seed\n" . join("\n", map { substr $_, 0, 3000 } @failures[ 0 .. ($#failures < 4 ? $#failures : 4) ]));
cmp_ok($rows, '>', $calls, 'and they were not empty');

# Inputs of a million rows: a key in every row, a value in every row, all distinct, skewed.  SQL
# gets through all of them soon.
my $session = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);

for my $case (
	[ 'one key', '7', 'n % 500', 'n % 700' ], [ 'one value', 'n', '1', '2' ], [ 'all distinct', 'n', 'n', 'n' ],
	[ 'skewed', '(3000000 * power(random(), 2))::int', 'n % 3000', '(4000 * power(random(), 3))::int' ])
{
	my ($name, $key, $left, $right) = @$case;

	$session->query("DROP TABLE IF EXISTS big; CREATE TABLE big AS SELECT $key AS k, $left AS x, $right AS y FROM generate_series(1, 1000000) AS n");
	is($session->query(q{SELECT join_project_count('big', 'k', 'x', 'big', 'k', 'y')}),
		$session->query('SELECT count(*) FROM (SELECT DISTINCT a.x, b.y FROM (SELECT DISTINCT k, x FROM big) AS a JOIN (SELECT DISTINCT k, y FROM big) AS b USING (k)) AS s'),
		"a million rows, $name");
	is($session->{err}, '', 'without an error');
}

# Spilling: the same from memory and from a file.
my $before;
my $little = '20MB';

$session->query('CREATE TABLE wide AS SELECT n % 50021 AS k, n * 7919 % 1009 AS x, n * 104729 % 499 AS y FROM generate_series(1::bigint, 1500000) AS n');
$before = leftovers($node);
for my $case (
	[ q{join_project('wide', 'k', 'x', 'wide', 'k', 'y', 20)}, 'two relations', '44MB' ],
	[ q{join_project('(SELECT k, x FROM wide)', 'k', 'x', '(SELECT k, y FROM wide)', 'k', 'y', 20)}, 'two sources', '44MB' ],
	[ q{frequent_pairs('wide', 'k', 'x', 30)}, 'pairs', $little ],
	[ q{frequent_pairs('(SELECT array_agg(x) AS xs FROM wide GROUP BY k)', 'xs', 30)}, 'arrays', $little ],
	[ q{similar_sets('wide', 'x', 'k', 0.05)}, 'similar sets', $little ],
	[ q{similar_items('wide', 'k', 'x', 20)}, 'partners', $little ],
	$on_gpu ? () : ([ q{similar_sets('wide', 'x', 'k', 0.01, k => 5)}, 'the most similar sets', $little ],
		[ q{similar_sets('(SELECT x, k FROM wide)', 'x', 'k', '(SELECT y, k FROM wide)', 'y', 'k', 0.02)}, 'similar sets of two sources', '44MB' ]))
{
	my ($call, $name, $limit) = @$case;
	my $query = qq{SELECT count(*), md5(string_agg(c::text, ' ' ORDER BY c::text COLLATE "C")) FROM $call AS c};
	my $roomy = $session->query("SET gpufim.memory_limit = '2GB'; $query");

	like($roomy, qr/^[1-9]\d*\|/, "$name: there is something to find") or diag($session->{err});
	is($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '0', "$name: nothing spills with room for all");
	is($session->query("SET gpufim.memory_limit = '$limit'; SET gpufim.workers = 0; $query"), $roomy, "$name: the same result from a spilled run");
	is($session->{err}, '', "$name: no error");
	cmp_ok($session->query('SELECT spilled_bytes FROM gpufim_last_run()'), '>', 500000, "$name: rows were spilled");
	cmp_ok($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'), '<=', ($limit =~ /(\d+)/)[0] * 1024 * 1024, "$name: within the limit");
	no_leftovers($node, $before, "$name, spilled");
}

# Too little memory: the error says which limit to try next.
for my $call (q{join_project_count('wide', 'k', 'x', 'wide', 'k', 'y')}, q{frequent_pairs('wide', 'k', 'x', 30)})
{
	limits_are_told($session, "SELECT count(*) FROM $call");
}
$session->query('RESET gpufim.memory_limit; RESET gpufim.workers');

# Cancel, in every phase.
# nine million million pairs, which keep a GPU busy for some seconds, too
my $line = q{'(SELECT 1 AS k, n AS v FROM generate_series(1, 3000000) AS n)'};
for my $case (
	[ 'reading pairs', 'join_project_count', q{'(SELECT n % 1000 AS k, n % 77 AS v FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'k', 'v', 'wide', 'k', 'x'}, 'reading' ],
	[ 'reading the other source', 'join_project_count', q{'wide', 'k', 'x', '(SELECT n % 1000 AS k, n % 77 AS v FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'k', 'v'}, 'reading' ],
	[ 'reading arrays', 'similar_sets', q{'(SELECT ARRAY[n % 1000, n % 77 - 100] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'items', 0.5}, 'reading' ],
	[ 'multiplying', 'join_project_count', "$line, 'k', 'v', $line, 'k', 'v'", 'mining' ],
	[ 'choosing partners', 'similar_items', "$line, 'k', 'v', 5", 'mining' ])
{
	my ($name, $function, $arguments, $phase) = @$case;

	cancel_ends($node, $before, $session, $watcher, $function, $arguments, $phase, $name);
}
is($session->query(q{SELECT count(*) FROM frequent_pairs('(VALUES (ARRAY[1, 2]))', 'column1', 1)}), '1', 'the session goes on');

$_->quit for $session, $watcher;
$node->stop;
done_testing();
