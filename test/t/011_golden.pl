# Exact counts and lists on real sets, as published.  The sets and the figures
# are found through GPUFIM_DATA, a folder with fimi/, transactions/, reference/.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;
use Time::HiRes qw(time);

my ($node, %golden);

plan skip_all => 'GPUFIM_DATA is not set' unless $ENV{GPUFIM_DATA};
plan skip_all => 'xz is not installed' unless grep { -x "$_/xz" } split /:/, $ENV{PATH};
plan skip_all => "no data sets in GPUFIM_DATA=$ENV{GPUFIM_DATA}" unless -r "$ENV{GPUFIM_DATA}/reference/fimi04-golden.tsv.xz";

$node = new_node('golden', conf => "gpufim.workers = 2\ngpufim.memory_limit = '1GB'\n" . engine_conf());

# A set as a table of arrays; items are numbers, or names if quoted.
sub load
{
	my ($path, $table, $separator) = @_;
	my $lines = data_file($path);
	my $file = $node->basedir . "/$table";

	return 0 unless $lines;
	open(my $out, '>', $file) or die "$file: $!";
	for my $line (split /\r?\n/, $$lines)
	{
		my @items = split $separator, $line;

		next unless @items;
		if ($separator ne ' ' || $path !~ /\.dat$/)
		{
			s/(["\\])/\\$1/g, $_ = qq{"$_"} for @items;
		}
		(my $array = '{' . join(',', @items) . '}') =~ s/\\/\\\\/g;
		print $out "$array\n";
	}
	close $out;
	my $type = $path =~ /\.dat$/ ? 'int[]' : 'text[]';
	$node->safe_psql('postgres', "CREATE TABLE $table (items $type); COPY $table FROM '$file'; ANALYZE $table");
	return 1;
}

# The count of each kind by itemset_counts, and by listing where that is feasible.
sub check
{
	my ($table, $minsup, $kind, $expected) = @_;
	my $started = time;

	is($node->safe_psql('postgres', "SELECT coalesce(sum(itemsets), 0) FROM itemset_counts('$table', 'items', $minsup, kind => '$kind')"),
		$expected, "$table $minsup $kind, counted");
	is($node->safe_psql('postgres', "SELECT count(*) FROM frequent_itemsets('$table', 'items', $minsup, kind => '$kind')"),
		$expected, sprintf '%s %s %s, listed', $table, $minsup, $kind);
	note(sprintf '%.1f s', time - $started);
	return;
}

# A published list: "items (support)" or "items #SUP: support" a line, ids moved by some.
sub check_list
{
	my ($reference, $table, $minsup, $kind, $shift) = @_;
	my $lines = data_file("reference/$reference");
	my %expected;

	if (!$lines)
	{
		fail("$reference is not in GPUFIM_DATA");
		return;
	}
	for my $line (split /\r?\n/, $$lines)
	{
		next unless $line =~ /^([\d ]+?)\s*(?:\((\d+)\)|#SUP:\s*(\d+))/;
		my $support = defined $2 ? $2 : $3;
		my @items = sort { $a <=> $b } map { $_ - $shift } split ' ', $1;

		$expected{ '{' . join(',', @items) . "}:$support" } = 1;
	}
	my @found = split /\n/, $node->safe_psql('postgres', "SELECT items::text || ':' || support FROM frequent_itemsets('$table', 'items', $minsup, kind => '$kind')");
	my %found = map { $_ => 1 } @found;

	is(scalar @found, scalar keys %expected, "$reference: as many itemsets");
	is(scalar(grep { !$found{$_} } keys %expected), 0, "$reference: each of them, with its support");
	return;
}

{
	my $lines = data_file('reference/fimi04-golden.tsv');

	for (split /\n/, $$lines)
	{
		my @fields = split /\t/, $_, -1;

		$golden{"$fields[0] $fields[2]"}{ $fields[1] } = $fields[6] if defined $fields[6] && $fields[6] =~ /^\d+$/;
	}
}

for my $set (
	[ 'fimi/chess.dat', 'chess', 'chess.dat', 2000 ],
	[ 'fimi/mushroom.dat', 'mushroom', 'mushroom.dat', 500 ],
	[ 'fimi/retail.dat', 'retail', 'retail.dat', 20 ],
	[ 'fimi/connect.dat', 'connect', 'connect.dat', 50000 ],
	[ 'fimi/T10I4D100K.dat', 't10i4d100k', 'T10I4D100K.dat', 200 ])
{
	my ($path, $table, $name, $minsup) = @$set;

  SKIP:
	{
		my $counts = $golden{"$name $minsup"};

		skip "$path is not in GPUFIM_DATA", 6 unless load($path, $table, ' ');
		is(scalar keys %$counts, 3, "$name $minsup: a figure for each kind");
		check($table, $minsup, $_, $counts->{$_}) for sort keys %$counts;
	}
}

# Lists: closed itemsets of retail from Mahout's tests, all itemsets from SPMF.
check_list('mahout-retail-closed-minsup100.txt', 'retail', 100, 'closed', 0);
check_list('spmf-chess_ms2500.txt', 'chess', 2500, 'all', 0);
check_list('spmf-T10I4D100K_ms1000.txt', 't10i4d100k', 1000, 'all', 1);
check_list('spmf-retail_ms1000.txt', 'retail', 1000, 'all', 1);

# Counts of other programs' tests; text items.
for my $set (
	[ 'transactions/pima.D38.N768.C2.dat', 'pima', ' ', 20, 1803, 1489, 72 ],
	[ 'transactions/zutaten.txt', 'zutaten', ' ', 200, 184, 184, 92 ],
	[ 'transactions/groceries.csv', 'groceries', ',', 10, 13492, 13464, 7794 ],
	[ 'transactions/online-retail-baskets.csv', 'online_retail', ',', 288, 726, 726, 580 ],
	[ 'fimi/BMS-WebView-1.dat', 'bms1', ' ', 40, 48543, 29489, 9827 ],
	[ 'fimi/BMS-WebView-2.dat', 'bms2', ' ', 50, 70712, 53311, 6946 ])
{
	my ($path, $table, $separator, $minsup, @counts) = @$set;

  SKIP:
	{
		skip "$path is not in GPUFIM_DATA", 6 unless load($path, $table, $separator);
		check($table, $minsup, (qw(all closed maximal))[$_], $counts[$_]) for 0 .. 2;
	}
}

# The pair form says the same.
is($node->safe_psql('postgres', q{SELECT sum(itemsets) FROM itemset_counts('(SELECT ctid AS id, unnest(items) AS item FROM retail)', 'id', 'item', 20)}),
	$golden{'retail.dat 20'}{all}, 'retail in pair form');
$node->stop;
done_testing();
