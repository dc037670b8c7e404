# Statements that try to drive the depth of a search, or its time, by arguments alone: each ends
# by itself, with the answer that is known or a proper error, and no process of the server dies.
# They need no table, and on both engines the same is expected.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $library = fake_gpu();
my $node = new_node('arguments', conf => qq{
shared_preload_libraries = 'gpufim'
gpufim.cuda_library = '$library'
gpufim.memory_limit = '256MB'
temp_file_limit = '1GB'
statement_timeout = '${GpufimTest::patience}s'
log_error_verbosity = verbose
});

# Sources.
my $too_deep = qr/ERROR:  (?:54001|53200): /;

# $rows equal rows of the items 1 to $n
sub rows
{
	my ($n, $rows) = @_;

	return sprintf q{'(SELECT ARRAY(SELECT generate_series(1, %d)) AS items FROM generate_series(1, %d))', 'items'}, $n, $rows || 1;
}

# $n rows, each of the items up to its number, or of all items but its number
sub stairs { my ($n) = @_; return qq{'(SELECT ARRAY(SELECT generate_series(1, r)) AS items FROM generate_series(1, $n) AS r)', 'items'} }
sub holes { my ($n) = @_; return qq{'(SELECT array_agg(i) AS items FROM generate_series(1, $n) AS r, generate_series(1, $n) AS i WHERE i <> r GROUP BY r)', 'items'} }

# two rows of $n items, half of which they share
sub halves { my ($n) = @_; return sprintf q{'(SELECT ARRAY(SELECT generate_series(r * %d, r * %d + %d)) AS items FROM generate_series(0, 1) AS r)', 'items'}, $n / 2, $n / 2, $n - 1 }
sub pairs { my ($n) = @_; return qq{'(SELECT 1 AS t, i FROM generate_series(1, $n) AS i)', 't', 'i'} }
sub likely { my ($n, $p, $rows) = @_; return sprintf q{'(SELECT ARRAY(SELECT generate_series(1, %d)) AS items, %s::float8 AS p FROM generate_series(1, %d))', 'items', 'p'}, $n, $p, $rows || 1 }
sub each_likely { my ($n, $p) = @_; return qq{'(SELECT ARRAY(SELECT generate_series(1, $n)) AS items, array_fill($p\::float8, ARRAY[$n]) AS p)', 'items', 'p'} }
sub names { my ($from, $to) = @_; return "ARRAY(SELECT i::text FROM generate_series($from, $to) AS i)" }

# events of different types, one each tick, or all of one type
sub chain { my ($n) = @_; return qq{'(SELECT t AS e, t FROM generate_series(1, $n) AS t)', 'e', 't'} }
sub ticks { my ($n) = @_; return qq{'(SELECT 1 AS e, t FROM generate_series(1, $n) AS t)', 'e', 't'} }
my $next = q{'{"(0,1]"}'};

sub itemsets { return "SELECT count(*) || ' ' || coalesce(max(cardinality(items)), 0) FROM frequent_itemsets(" . join(', ', @_) . ')' }
sub probable { return "SELECT count(*) || ' ' || coalesce(max(cardinality(items)), 0) FROM probable_itemsets(" . join(', ', @_) . ')' }
sub counts { return "SELECT count(*) || ' ' || sum(itemsets) FROM itemset_counts(" . join(', ', @_) . ')' }
sub episodes { return "SELECT count(*) || ' ' || coalesce(max(cardinality(events)), 0) FROM frequent_episodes(" . join(', ', @_) . ')' }
sub number { return "SELECT count(*) FROM " . join(', ', @_) }

my @statements;

# All itemsets of one row, or of equal ones: n items have n! / (n - k)! / k! itemsets of k items.
foreach my $kind (qw(all closed maximal))
{
	my $of_kind = "kind => '$kind'";
	my $all = $kind eq 'all';

	push @statements,
	  [ itemsets(rows(100000), 1, 'min_length => 100000', $of_kind), '1 100000' ],
	  [ itemsets(rows(100000), 1, 'min_length => 100001', $of_kind), '0 0' ],
	  [ itemsets(rows(100000), 1, 'min_length => 2147483647', $of_kind), '0 0' ],
	  [ itemsets(rows(100000), 1, 'max_length => 1', $of_kind), $all ? '100000 1' : '0 0' ],
	  [ itemsets(rows(40, 3), 3, 'min_length => 39', $of_kind), $all ? '41 40' : '1 40' ],
	  [ itemsets(rows(200, 100), 100, 'min_length => 198', $of_kind), $all ? '20101 200' : '1 200' ],
	  [ itemsets(rows(1000), 1, 'min_length => 999', $of_kind), $all ? '1001 1000' : '1 1000' ],
	  [ itemsets(rows(100000), 1, 'min_length => 99999', $of_kind, "excluding => '{1}'"), '1 99999' ],
	  [ itemsets(rows(100000), 1, 'min_length => 100000', $of_kind, "including => '{1}'"), '1 100000' ],
	  [ itemsets(rows(100000), 1, $of_kind, 'including => ' . names(1, 100000)), '1 100000' ],
	  [ itemsets(rows(100000), 1, $of_kind, 'including => ' . names(6, 100000)), $all ? '32 100000' : '1 100000' ],
	  [ itemsets(rows(100000), 1, $of_kind, 'excluding => ' . names(11, 100000)), $all ? '1023 10' : '1 10' ],
	  [ itemsets(pairs(100000), 1, 'min_length => 100000', $of_kind), '1 100000' ],
	  [ itemsets(halves(100000), 2, 'min_length => 50000', $of_kind), '1 50000' ],
	  [ itemsets(halves(100000), 1, 'min_length => 100000', $of_kind), '2 100000' ],
	  [ itemsets(stairs(1000), 1, 'min_length => 1000', $of_kind), '1 1000' ],
	  [ itemsets(stairs(1000), 500, 'min_length => 501', $of_kind), '1 501' ],
	  [ itemsets(holes(300), 1, 'min_length => 299', $of_kind), '300 299' ],
	  [ itemsets(holes(100), 1, 'min_length => 98', $of_kind), $all ? '5050 99' : $kind eq 'closed' ? '5050 99' : '100 99' ],
	  [ probable(likely(100000, 0.9), 1, 'min_length => 100000', $of_kind), '1 100000' ],
	  [ probable(each_likely(100000, 0.999999), 1, 'min_length => 100000', $of_kind), '1 100000' ],
	  [ probable(likely(40, 1, 3), 3, 'min_length => 39', $of_kind), $all ? '41 40' : '1 40' ],
	  [ probable(likely(60, 0.9, 30), 20, 'min_length => 59', $of_kind), $all ? '61 60' : '1 60' ],
	  [ probable(likely(100000, 0.9), 1, 'min_length => 100001', $of_kind), '0 0' ],
	  [ episodes(chain(100000), 1, $next, 'min_length => 100000', $of_kind), '1 100000' ],
	  [ episodes(chain(100000), 1, $next, 'min_length => 99999', $of_kind), $all ? '3 100000' : '1 100000' ],
	  [ episodes(chain(100000), 1, $next, 'min_length => 100001', $of_kind), '0 0' ],
	  [ episodes(ticks(2000), 2, $next, 'min_length => 1000', $of_kind), '1 1000' ],
	  [ counts(rows(100000), 1, 'min_length => 100000', $of_kind), '1 1' ],
	  [ counts(holes(300), 1, 'min_length => 299', $of_kind), '1 300' ];
}

# Each way to mine, and what searches for closed and maximal itemsets reach without a length.
foreach my $strategy (qw(auto bitmap projected rows))
{
	push @statements,
	  [ "SET gpufim.engine = cpu; SET gpufim.strategy = $strategy; " . itemsets(rows(100000), 1, 'min_length => 100000'), '1 100000' ],
	  [ "SET gpufim.engine = cpu; SET gpufim.strategy = $strategy; " . itemsets(holes(100), 1, 'min_length => 99'), '100 99' ],
	  [ "SET gpufim.engine = cpu; SET gpufim.strategy = $strategy; " . itemsets(stairs(1000), 1, "kind => 'closed'"), '1000 1000' ];
}

push @statements,
  [ itemsets(rows(28), 1, 'min_length => 28'), '1 28' ],
  [ itemsets(rows(31), 1, 'min_length => 31'), '1 31' ],
  [ itemsets(rows(60), 1, 'min_length => 60'), '1 60' ],
  [ itemsets(rows(60), 1, 'min_length => 30', 'max_length => 30', 'including => ' . names(1, 29)), '31 30' ],
  [ itemsets(rows(1000), 1, 'min_length => 2', 'max_length => 2'), '499500 2' ],
  [ itemsets(stairs(1000), 1, "kind => 'maximal'"), '1 1000' ],
  [ itemsets(holes(300), 1, "kind => 'maximal'"), '300 299' ],
  [ itemsets(halves(100000), 1, "kind => 'closed'"), '3 100000' ],
  [ itemsets(q{'(SELECT ARRAY[i] AS items FROM generate_series(1, 100000) AS i)', 'items'}, 1), '100000 1' ],
  [ itemsets(q{'(SELECT ARRAY[i] AS items FROM generate_series(1, 100000) AS i)', 'items'}, 1, 'min_length => 2'), '0 0' ],
  [ itemsets(q{'(SELECT ARRAY[i, 0] AS items FROM generate_series(1, 100000) AS i)', 'items'}, 1, 'min_length => 2'), '100000 2' ],
  [ itemsets(q{'(SELECT ARRAY[repeat(chr(97), 10000000), chr(98)] AS items)', 'items'}, 1), '3 2' ],
  [ itemsets(q{'(SELECT ARRAY(SELECT generate_series(1, 100000)) AS items)'}, q{'items'}, 1, 'NULL::int[]', 'min_length => 100000'), '1 100000' ],
  [ q{SELECT sum(n) FROM generate_series(1, 100) AS s, LATERAL (SELECT count(*) AS n FROM frequent_itemsets('(SELECT ARRAY[1, 2] AS items)', 'items', 1)) AS f}, 300 ],

  # numbers of itemsets that no number holds, and those that one does
  [ counts(rows(100000), 1), qr/ERROR:  22003: number of itemsets with 5 items is out of range/ ],
  [ counts(rows(100000), 1, 'max_length => 1'), '1 100000' ],
  [ counts(rows(60), 1), '60 1152921504606846975' ],
  [ counts(rows(62), 1, "kind => 'closed'"), '1 1' ],
  [ counts(stairs(1000), 1, "kind => 'closed'"), '1000 1000' ],

  # probabilities
  [ number(q{probable_itemset_distribution('(SELECT ARRAY[1] AS items, 0.5::float8 AS p FROM generate_series(1, 100000))', 'items', 'p', '{1}')}) . ' WHERE support = 50000', 1 ],
  [ number(sprintf q{probable_itemset_distribution(%s, %s)}, likely(100000, 0.5), names(1, 100000)), 2 ],
  [ probable(q{'(SELECT ARRAY[1] AS items, 0.5::float8 AS p FROM generate_series(1, 100000))', 'items', 'p'}, 50000), '1 1' ],
  [ probable(q{'(SELECT ARRAY[1] AS items, random() AS p FROM generate_series(1, 100000))', 'items', 'p'}, 40000, 0.999), '1 1' ],
  [ probable(likely(100000, 0.9), 1, 'NULL', 'min_length => 1'), '0 0' ],
  [ probable(likely(3000, 0.9), 1, 0.5, 'max_length => 1'), '3000 1' ],
  [ probable(likely(2000, 0.9), 1, 0.5, 'min_length => 1999'), '2001 2000' ],

  # episodes: of many types, of one type, of no time between events, and in many partitions
  [ episodes(ticks(3000), 3, $next, "kind => 'maximal'"), '1 1000' ],
  [ episodes(chain(1000), 1, $next, "kind => 'maximal'"), '1 1000' ],
  [ episodes(chain(300), 1, $next, 'min_length => 2'), '44850 300' ],
  [ episodes(q{'(SELECT e, 1 AS t FROM generate_series(1, 100000) AS e)', 'e', 't'}, 1, $next), '100000 1' ],
  [ episodes(q{'(SELECT e % 2 AS e, 1 AS t, e AS p FROM generate_series(1, 100000) AS e)', 'e', 't'}, 1, $next, q{partition_column => 'p'}), '2 1' ],
  [ episodes(q{'(SELECT e % 2 AS e, 1 AS t, e AS p FROM generate_series(1, 100000) AS e)', 'e', 't'}, 1, $next, q{partition_column => 'p'}, 'min_length => 3'), '0 0' ],
  [ episodes(chain(10), 1, '(SELECT array_agg(numrange(0, i, \'(]\')) FROM generate_series(1, 100000) AS i)'), qr/ERROR:  \w+: argument "gaps" must not have more than 1000 different gaps/ ],
  [ episodes(chain(2), 1, '(SELECT array_agg(numrange(0, i, \'(]\')) FROM generate_series(2, 1001) AS i)'), '1002 2' ],
  [ "SELECT count_episode(" . chain(100000) . ', ' . names(1, 100000) . q{, array_fill(numrange(0, 1, '(]'), ARRAY[99999]))}, 1 ],
  [ 'SELECT sum(cardinality(times)) FROM episode_occurrences(' . chain(100000) . ', ' . names(1, 100000) . q{, array_fill(numrange(0, 1, '(]'), ARRAY[99999]))}, 100000 ],
  [ number('episode_significance(' . chain(10000) . ", 1, $next, min_length => 10000, surrogates => 1, dither => 1, seed => 1)"), 1 ],
  [ number('episode_counts(' . ticks(1000) . ", 2, $next)"), 500 ],
  [ "SELECT length FROM episode_counts(" . chain(100000) . ", 1, $next, min_length => 100000)", 100000 ],

  # products of sets, which the stand-in for a GPU does not multiply
  [ q{SET gpufim.engine = cpu; SELECT join_project_count('(SELECT 1 AS k, v FROM generate_series(1, 3000) AS v)', 'k', 'v', '(SELECT 1 AS k, v FROM generate_series(1, 3000) AS v)', 'k', 'v')}, 9000000 ],
  [ q{SET gpufim.engine = cpu; SELECT join_project_count('(SELECT k, 1 AS v FROM generate_series(1, 100000) AS k)', 'k', 'v', '(SELECT k, 1 AS v FROM generate_series(1, 100000) AS k)', 'k', 'v', 100000)}, 1 ],
  [ 'SET gpufim.engine = cpu; ' . number(q{join_project('(SELECT ARRAY(SELECT generate_series(1, 100000)) AS k, 1 AS v)', 'k', 'v', '(SELECT ARRAY(SELECT generate_series(1, 100000)) AS k, 1 AS v)', 'k', 'v')}), 1 ],
  [ 'SET gpufim.engine = cpu; ' . number(q{similar_sets('(SELECT ARRAY(SELECT generate_series(1, 100000)) AS items FROM generate_series(1, 3))', 'items', 0.5)}), 3 ],
  [ 'SET gpufim.engine = cpu; ' . number(q{similar_sets('(SELECT ARRAY[i] AS items FROM generate_series(1, 100000) AS i)', 'items', 0.000001)}), 0 ],
  [ 'SET gpufim.engine = cpu; ' . number(q{frequent_pairs('(SELECT ARRAY(SELECT generate_series(1, 1000)) AS items)', 'items', 1)}), 499500 ],
  [ 'SET gpufim.engine = cpu; ' . number(q{frequent_pairs('(SELECT ARRAY(SELECT generate_series(1, 100000)) AS items)', 'items', 2)}), 0 ],

  # what a search or the server's own parser gives up
  [ itemsets(holes(1500), 1, 'min_length => 1499'), qr/^1500 1499$|$too_deep/ ],
  [ itemsets(stairs(1500), 1, "kind => 'closed'"), qr/^1500 1500$|$too_deep/ ],
  [ probable(likely(100000, 0.9), 1, 0.5, 'min_length => 99990'), qr/$too_deep/ ],
  [ q{SELECT count(*) FROM frequent_itemsets('(' || repeat('(', 100000) || 'SELECT ARRAY[1] AS items' || repeat(')', 100000) || ')', 'items', 1)}, qr/ERROR:  (?:54001|42601|53200|54000)/ ],
  [ q{SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1' || repeat(' + 1', 100000) || '] AS items)', 'items', 1)}, qr/^1$|ERROR:  54001/ ],
  # fewer, because the server's own parser reads the rest anew at each of these
  [ q{SELECT count(*) FROM frequent_itemsets('(' || repeat('/*', 5000) || 'SELECT ARRAY[1] AS items)', 'items', 1)}, qr/ERROR:  \w+/ ],
  [ q{SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1] AS items) ' || repeat('--' || chr(10), 100000), 'items', 1)}, qr/^1$|ERROR:  \w+/ ],
  [ q{SELECT count(*) FROM frequent_itemsets(repeat('"', 100001), 'items', 1)}, qr/ERROR:  \w+/ ],
  [ q{SELECT count(*) FROM frequent_itemsets(repeat('a.', 100000) || 'b', 'items', 1)}, qr/ERROR:  \w+/ ],
  [ q~SELECT count(*) FROM frequent_episodes('(SELECT 1 AS e, 1 AS t)', 'e', 't', 1, ('{' || repeat('{', 100000) || '}')::numrange[])~, qr/ERROR:  \w+/ ],
  [ q~SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[1] AS items)', 'items', 1, including => ('{' || repeat('1,', 1000000) || '1}')::text[])~, 1 ],
  [ q{SELECT count(*) FROM around_itself(1)}, qr/ERROR:  54001/ ];

# a function that mines what it gives itself
$node->safe_psql('postgres', q{
	CREATE FUNCTION around_itself(n int) RETURNS SETOF text[] LANGUAGE sql AS
		$$ SELECT items FROM frequent_itemsets(format('(SELECT around_itself AS items FROM around_itself(%s))', n + 1), 'items', 1) $$});

my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

cmp_ok(scalar @statements, '>=', 100, 'there are many statements');
foreach my $engine (qw(cpu gpu))
{
	my $session = GpufimTest::Session->new($node);
	my $statement = 0;

	foreach my $case (@statements)
	{
		my ($sql, $expected) = @$case;
		my $told = ++$statement . " on $engine: " . substr($sql, 0, 240);
		my $out = $session->query("RESET ALL;\nSET gpufim.engine = $engine;\n$sql", 2 * $GpufimTest::patience);
		my $err = $session->{err};

		unlike($err, qr/statement timeout|server closed the connection|terminating connection/, "it ends by itself, $told");
		if (ref $expected)
		{
			like("$out$err", $expected, "and says why, $told");
		}
		else
		{
			is($out . ($err =~ /ERROR/ ? $err : ''), $expected, "with its answer, $told");
		}
	}
}
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'the server is the one that was started');
unlike(do { local (@ARGV, $/) = $node->logfile; <> }, qr/was terminated by|exited with exit code|reinitializ/, 'and no process of it died');
done_testing;
