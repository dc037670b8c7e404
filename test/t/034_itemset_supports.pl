# itemset_supports: random candidates over random databases against counting by definition, in both forms, with
# items of several types and any number of workers; frequent itemsets of real data, whose supports are known; little memory,
# cancelling, and what other sessions see.
#
#	GPUFIM_SEED			the seed to run again (printed by each run)
#	GPUFIM_DATABASES	how many databases, 500 if it is not set
#	GPUFIM_DATA			the folder of real data; without it those tests are skipped
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use List::Util qw(min shuffle);
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $databases = $ENV{GPUFIM_DATABASES} || 500;
my $batch = 250;
my $node = new_node('itemset_supports', conf => "shared_preload_libraries = 'gpufim'\nmax_worker_processes = 8\nwork_mem = '64MB'\nlog_error_verbosity = verbose\n");
my ($calls, $asked, $held, @failures) = (0, 0, 0);

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

# Items by their numbers: as a type of PostgreSQL shows them, and from there in a candidate.
my %types = (
	int => sub { return $_[0]; },
	bigint => sub { return $_[0] . '0000000000'; },
	text => sub { return "item-$_[0]"; },
	uuid => sub { return sprintf '%08x-1234-1234-1234-%012x', $_[0], $_[0]; });

sub random_rows
{
	my $nitems = pick(2, random(3, 8), random(5, 30));
	my $density = 0.05 + rand 0.7;

	return [ map { [ shuffle grep { rand() < $density } 1 .. $nitems ] } 1 .. pick(random(0, 6), random(5, 40)) ];
}

# Parts of rows, some with other items, whole and empty ones.
sub random_candidates
{
	my ($rows) = @_;

	return [ map {
		my $row = @$rows && rand() < 0.8 ? pick(@$rows) : [];
		my $part = rand();
		[ shuffle((grep { rand() < $part } @$row), rand() < 0.3 ? random(1, 31) : (), rand() < 0.1 && @$row ? $row->[0] : ()) ]
	} 1 .. pick(0, 1, random(2, 60)) ];
}

sub support
{
	my ($rows, $candidate) = @_;
	my $support = 0;

	foreach my $row (@$rows)
	{
		my %has = map { $_ => 1 } @$row;

		$support++ unless grep { !$has{$_} } @$candidate;
	}
	return $support;
}

note("GPUFIM_SEED=$seed GPUFIM_DATABASES=$databases");
srand $seed;
$node->safe_psql('postgres', join '', map { "CREATE TABLE arrays_$_ (n int, items $_\[]); CREATE TABLE pairs_$_ (n int, tid int, item $_); CREATE INDEX ON arrays_$_ (n); CREATE INDEX ON pairs_$_ (n);" } keys %types);
for (my $first = 1; $first <= $databases; $first += $batch)
{
	my $last = min($first + $batch - 1, $databases);
	my (%copy, @expected);
	my $script = "SET client_min_messages = error;\n";

	for my $number ($first .. $last)
	{
		my $rows = random_rows();
		my $type = pick(keys %types);
		my $name = $types{$type};

		foreach my $tid (0 .. $#$rows)
		{
			$copy{"arrays_$type"} .= "$number\t{" . join(',', map { $name->($_) } @{ $rows->[$tid] }) . "}\n";
			$copy{"pairs_$type"} .= "$number\t$tid\t" . (defined $_ ? $name->($_) : '\N') . "\n" foreach @{ $rows->[$tid] }, undef;
		}
		foreach my $form ('arrays', 'pairs')
		{
			my $candidates = random_candidates($rows);
			my @given = map { my $quote = rand() < 0.1; '{' . join($quote ? ' , ' : ',', map { $quote ? '"' . $name->($_) . '"' : $name->($_) } @$_) . '}' } @$candidates;
			my $columns = $form eq 'arrays' ? q{'items'} : q{'tid', 'item'};

			$script .= 'SET gpufim.workers = ' . random(0, 3) . ";\n"
			  . "SELECT coalesce(string_agg(format('%s=%s/%s', s.candidate, s.support, s.frequency), ';'), '') FROM itemset_supports('(SELECT * FROM ${form}_$type WHERE n = $number)', $columns, ARRAY["
			  . join(', ', map { "'$_'" } @given) . "]::text[]) AS s;\n";
			push @expected, [ $number, $rows, [ map { my $support = support($rows, $candidates->[$_]); [ $given[$_], $support, @$rows ? $support / @$rows : '' ] } 0 .. $#given ] ];
		}
	}
	foreach my $table (map { ("arrays_$_", "pairs_$_") } keys %types)
	{
		my $file = $node->basedir . "/$table";
		open(my $handle, '>', $file) or die "$file: $!";
		print $handle $copy{$table} // '';
		close $handle;
		$node->safe_psql('postgres', "TRUNCATE $table; COPY $table FROM '$file'; ANALYZE $table");
	}
	my ($out, $err) = ('', '');
	$node->psql('postgres', $script, stdout => \$out, stderr => \$err, on_error_stop => 0);
	my @answers = split /\n/, $out, -1;

	# psql() takes the last line's end away
	is(scalar @answers, scalar @expected, "databases $first to $last: every call answered") or diag(substr $err, 0, 2000);
	foreach my $i (0 .. $#expected)
	{
		my ($number, $rows, $wanted) = @{ $expected[$i] };
		my @found = map { [ m{^(.*)=(\d+)/(.*)$} ] } split /;/, $answers[$i] // '';

		$calls++;
		$asked += @$wanted;
		$held += grep { $_->[1] > 0 } @$wanted;
		push @failures, "database $number: $answers[$i], not " . join(' ', map { "$_->[0]=$_->[1]" } @$wanted)
		  if @found != @$wanted || grep {
			my ($is, $should) = ($found[$_], $wanted->[$_]);
			$is->[0] ne $should->[0] || $is->[1] != $should->[1] || ($should->[2] eq '' ? $is->[2] ne '' : abs($is->[2] - $should->[2]) > 1e-12)
		  } 0 .. $#$wanted;
	}
}
is(scalar @failures, 0, "$calls calls, $asked candidates, as by definition") or diag("GPUFIM_SEED=$seed\n" . join("\n", map { substr $_, 0, 2000 } @failures[ 0 .. min($#failures, 4) ]));
cmp_ok($held, '>', $asked / 5, 'many of them have a support');

# Real data: the frequent itemsets as candidates have the supports that they were found with.
my $session = GpufimTest::Session->new($node);
foreach my $case ([ 'fimi/chess.dat', 2100 ], [ 'fimi/mushroom.dat', 800 ], [ 'fimi/retail.dat', 60 ], [ 'fimi/T10I4D100K.dat', 50 ])
{
	my ($path, $minsup) = @$case;
	my $lines = data_file($path);

  SKIP:
	{
		skip "no $path", 2 unless defined $lines;
		my $file = $node->basedir . '/data';

		open(my $handle, '>', $file) or die "$file: $!";
		print $handle map { '{' . join(',', split ' ') . "}\n" } split /\n/, $$lines;
		close $handle;
		$session->query(qq{DROP TABLE IF EXISTS data, frequent; CREATE TABLE data (items int[]); COPY data FROM '$file' WITH (DELIMITER '|');
			CREATE TABLE frequent AS SELECT items::text AS items, support, frequency FROM frequent_itemsets('data', 'items', $minsup)});
		foreach my $workers (0, 2)
		{
			like($session->query(qq{SET gpufim.workers = $workers; SELECT count(*), count(*) FILTER (WHERE (f.support, f.frequency) IS DISTINCT FROM (s.support, s.frequency))
				FROM frequent AS f FULL JOIN (SELECT s.* FROM (SELECT array_agg(items ORDER BY random()) AS a FROM frequent) AS c, itemset_supports('data', 'items', a) AS s) AS s ON candidate = items}),
				qr/^[1-9]\d\d\d+\|0$/, "$path, $workers workers: the supports of frequent itemsets") or diag($session->{err});
		}
	}
}

# Enough work that workers are worth starting, with rows that are equal and those that are not.
$session->query(q{SELECT setseed(0.25); CREATE TABLE dense AS SELECT array_agg(k) AS items FROM generate_series(1, 100000) AS n, generate_series(1, 40) AS k WHERE random() < 0.5 + 0.4 * (n % 3 = k % 3)::int GROUP BY n;
	CREATE TABLE asked AS SELECT array_agg(c) AS a FROM (SELECT '{' || string_agg(k::text, ',') || '}' AS c FROM generate_series(1, 50000) AS n, generate_series(1, 40) AS k WHERE random() < 0.2 GROUP BY n) AS s});
foreach my $source ('dense', '(SELECT items FROM dense, generate_series(1, 1 + cardinality(items) % 3))')
{
	my $sql = "SELECT count(*), sum(support), sum(hashtextextended(candidate || ' ' || support, 0)) FROM asked, itemset_supports('$source', 'items', a)";
	my $alone = $session->query("SET gpufim.workers = 0; $sql");
	my ($helped, @other) = (0);

	like($alone, qr/^\d{5}\|[1-9]/, "$source: candidates are counted") or diag($session->{err});
	eventually(sub {
		my $found = $session->query("SET gpufim.workers = 3; $sql");

		push @other, $found if $found ne $alone;
		$helped = $session->query('SELECT workers FROM gpufim_last_run()');
		return $helped > 0 || @other;
	});
	is(scalar @other, 0, "$helped workers give the same") or diag("$alone\n$other[0]");
	cmp_ok($helped, '>', 0, 'they have helped');
}

# Little memory: rows move to a file; too little is told.
my $before = leftovers($node);
my $sql = q{SELECT count(*), sum(support) FROM asked, itemset_supports('(SELECT ARRAY(SELECT n * k % 5003 FROM generate_series(1, 30) AS k) || items AS items FROM (SELECT row_number() OVER () AS n, items FROM dense LIMIT 50000) AS s)', 'items', a)};
my $roomy = $session->query("SET gpufim.workers = 0; SET gpufim.memory_limit = '1GB'; $sql");
like($roomy, qr/^\d{5}\|[1-9]/, 'with room for all') or diag($session->{err});
my $limit = int($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()') * 0.9 / 1024);
is($session->query("SET gpufim.memory_limit = '${limit}kB'; $sql"), $roomy, "the same with $limit kB") or diag($session->{err});
cmp_ok($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'), '<=', $limit * 1024, 'within the limit');
limits_are_told($session, q{SELECT count(*) FROM asked, itemset_supports('dense', 'items', a)});
no_leftovers($node, $before, 'little memory');

# Cancelling, in every phase.
my $watcher = GpufimTest::Session->new($node);
my $endless = q{'(SELECT ARRAY[n % 1000, n % 77] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'items', '{"{1,2}"}'};
my $many = q{'(SELECT ARRAY[1, 2] AS items)', 'items', (SELECT array_agg(concat('{', n, ',', n %% 1000, ',', n %% 77, '}')) FROM generate_series(1, %d) AS n)};
my $heavy = q{'(SELECT items FROM dense, generate_series(1, 8))', 'items', (SELECT array_agg('{' || i[1] || ',' || i[2] || ',' || i[3] || ',' || i[4] || ',' || i[5] || '}') FROM (SELECT ARRAY[a, b, c, d, e] AS i FROM generate_series(1, 40) AS a, generate_series(1, a - 1) AS b, generate_series(1, b - 1) AS c, generate_series(1, c - 1) AS d, generate_series(1, d - 1) AS e) AS s)};
cancel_ends($node, $before, $session, $watcher, 'itemset_supports', $endless, 'reading', 'reading');
cancel_ends($node, $before, $session, $watcher, 'itemset_supports', [ map { sprintf $many, $_ } 500000, 2000000, 5000000 ], 'encoding', 'reading candidates');
cancel_ends($node, $before, $session, $watcher, 'itemset_supports', $heavy, 'mining', 'counting');
is($session->query(q{SELECT support FROM itemset_supports('(VALUES (ARRAY[1, 2]))', 'column1', '{"{2}"}')}), '1', 'the session goes on');

$_->quit for $session, $watcher;
$node->stop;
done_testing();
