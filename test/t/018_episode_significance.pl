# episode_significance: supports in surrogates against count_episode() on events that are
# moved here, by Philox written once more; p-values against their definitions; and what
# every call must do: the same with any number of workers, end when it is cancelled,
# obey its limit.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

# Preloaded, so that another session sees how far a call is.
my $node = new_node('significance', conf => "shared_preload_libraries = 'gpufim'\ndynamic_shared_memory_type = mmap\nmax_worker_processes = 8\n" . engine_conf());
my ($seed, $surrogates, $dither, $minsup) = (-7, 12, 4, 30);
my $mask = 0xffffffff;

# Where events go, written once more from doc/episode_significance.md and moves.h: the random bits of a type in a
# window by Philox 4x32-10, ...
sub window_bits
{
	my ($window, $type, $surrogate, $partition) = @_;
	my @c = ($window, $type, $surrogate, $partition);
	my @k = ($seed & $mask, ($seed >> 32) & $mask);

	for (1 .. 10)
	{
		my $p0 = 0xD2511F53 * $c[0];
		my $p1 = 0xCD9E8D57 * $c[2];

		@c = (($p1 >> 32) ^ $c[1] ^ $k[0], $p1 & $mask, ($p0 >> 32) ^ $c[3] ^ $k[1], $p0 & $mask);
		@k = (($k[0] + 0x9E3779B9) & $mask, ($k[1] + 0xBB67AE85) & $mask);
	}
	return $c[1] << 32 | $c[0];
}

# ... further ones by SplitMix64, ...
sub product_of_words { use integer; return $_[0] * $_[1]; }
sub sum_of_words { use integer; return $_[0] + $_[1]; }

sub further_bits
{
	my ($bits, $place) = @_;
	my $z = ~0 & sum_of_words($bits, product_of_words($place + 1, 0x9E3779B97F4A7C15));

	$z = ~0 & product_of_words($z ^ $z >> 30, 0xBF58476D1CE4E5B9);
	$z = ~0 & product_of_words($z ^ $z >> 27, 0x94D049BB133111EB);
	return $z ^ $z >> 31;
}

# ... and a number below $range.  That some bits are drawn again is for one in 2^58.
sub number_below
{
	my ($range, $bits) = @_;

	return (($bits >> 32) * $range + ((($bits & $mask) * $range) >> 32)) >> 32;
}

sub permuted
{
	my ($place, $size, $bits) = @_;

	if ($size <= 16)
	{
		for my $last (reverse 1 .. $size - 1)
		{
			my $other = number_below($last + 1, further_bits($bits, $last));

			$place = $place == $last ? $other : $place == $other ? $last : $place;
		}
		return $place;
	}
	my $digits = length sprintf '%b', $size - 1;
	my $low_digits = int($digits / 2);
	do
	{
		my ($low, $high) = ($place % 2**$low_digits, $place >> $low_digits);

		for my $round (map { 2 * $_ } 0 .. 5)
		{
			$high ^= further_bits($bits, $low * 12 + $round) % 2**($digits - $low_digits);
			$low ^= further_bits($bits, $high * 12 + $round + 1) % 2**$low_digits;
		}
		$place = $high << $low_digits | $low;
	} while ($place >= $size);
	return $place;
}

sub window_length
{
	my ($method, $d) = @_;

	return $method eq 'shift' ? 4 * $d : $method eq 'move' ? $d + 1 : 2 * $d + 1;
}

# How many windows there are between the first and the last time of a partition.
sub windows
{
	my ($method, $d, $span) = @_;

	return int(($span->{last} - $span->{first} - 2) / window_length($method, $d)) || 1;
}

# Move an event within its window; %$span has the times and types of the first and the last event of its partition, and its number.
sub moved_once
{
	my ($method, $d, $span, $at, $type, $surrogate, $halfway) = @_;
	my $length = window_length($method, $d);
	my $places = $span->{last} - $span->{first} - 1;
	my $place = $at - $span->{first} - 1;
	my ($number, $begin, $end);

	# the ends of a partition stay
	return $at if $at == $span->{first} || $at == $span->{last};
	if ($halfway)
	{
		my $half = int($length / 2);

		$number = $place < $half ? 0 : 1 + int(($place - $half) / $length);
		($begin, $end) = ($number > 0 ? $half + ($number - 1) * $length : 0, $half + $number * $length);
		$end = $places if $end > $places;
		$surrogate |= 0x80000000;
	}
	else
	{
		my $windows = windows($method, $d, $span);

		$number = int($place / $length);
		$number = $windows - 1 if $number >= $windows;
		($begin, $end) = ($number * $length, $number == $windows - 1 ? $places : ($number + 1) * $length);
	}
	# a type of an end rests in the window there, if it would be shifted
	return $at if $method eq 'shift'
	  && ($number == 0 && $type == $span->{first_type} || $number == windows($method, $d, $span) - 1 && $type == $span->{last_type});
	my $size = $end - $begin;
	my $bits = window_bits($number, $type, $surrogate, $span->{number});

	if ($method eq 'shift')
	{
		my $range = 2 * $d + 1 < $size ? 2 * $d + 1 : $size;

		$place = ($place - $begin + number_below($range, $bits) - int($range / 2)) % $size;
	}
	else
	{
		$place = permuted($place - $begin, $size, $bits);
	}
	return $span->{first} + 1 + $begin + $place;
}

# The time of an event in a surrogate, by way of the hidden stream.
sub moved
{
	my ($method, $d, $span, $at, $type, $surrogate) = @_;

	$at = moved_once($method, $d, $span, $at, $type, 0x7fffffff, 0);
	# a partition of one window is turned round in half of the surrogates
	$at = $span->{first} + $span->{last} - $at
	  if windows($method, $d, $span) == 1 && window_bits(0, 0xffffffff, $surrogate, $span->{number}) % 2;
	$at = moved_once($method, $d, $span, $at, $type, $surrogate, 1) if $method eq 'move';
	return moved_once($method, $d, $span, $at, $type, $surrogate, 0);
}

# Events in partitions of very different sizes; some rows are there twice.
srand 3;
my %seen;
my @events = map { [ int(rand 4)**2, int rand 600, qw(a b c d) [ rand() < 0.1 ? 3 : rand 3 ] ] } 1 .. 900;
my @rows = map { "($_->[0], $_->[1], '$_->[2]')" } @events, @events[ 1 .. 50 ];
@events = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] || $a->[2] cmp $b->[2] } grep { !$seen{"@$_"}++ } @events;
$node->safe_psql('postgres', "CREATE TABLE events (p int, at int, kind text); INSERT INTO events VALUES " . join(', ', @rows));

sub call
{
	my ($rest, $source) = (@_, 'events');

	return "episode_significance('$source', 'kind', 'at', $minsup, '{\"(0,5]\",\"[6,9)\"}', "
	  . "min_length => 2, max_length => 3, partition_column => 'p', surrogates => $surrogates, seed => $seed$rest)";
}

sub check_surrogates
{
	my ($name, $method, $d, $rest, @types) = @_;
	my %number = map { $types[$_] => $_ } 0 .. $#types;
	my (@moved, %span, %taken);

	$name = "$method by $d, $name";
	for my $event (grep { exists $number{ $_->[2] } } @events)
	{
		my ($p, $at, $kind) = @$event;

		$span{$p} = { first => $at, first_type => $number{$kind}, number => scalar keys %span } unless $span{$p};
		@{ $span{$p} }{qw(last last_type)} = ($at, $number{$kind});
	}
	for my $s (0 .. $surrogates - 1)
	{
		for my $event (grep { exists $number{ $_->[2] } } @events)
		{
			my ($p, $at, $kind) = @$event;

			push @moved, "($s, $p, " . moved($method, $d, $span{$p}, $at, $number{$kind}, $s) . ", '$kind')";
			$taken{ $moved[-1] }++;
		}
	}
	is(scalar(keys %taken), scalar(@moved), "$name: no two events of a type at one time");

	my $wrong = $node->safe_psql('postgres', qq{
		SET client_min_messages = error;
		CREATE TABLE moved (s int, p int, at int, kind text);
		INSERT INTO moved VALUES } . join(', ', @moved) . qq{;
		CREATE TABLE given AS SELECT * FROM } . call(", dither => $d, method => '$method'$rest") . qq{;
		CREATE TABLE counted AS
			SELECT g.events, g.gaps, avg(c) AS expected, count(*) FILTER (WHERE c >= g.support) AS reached
			FROM given g, generate_series(0, $surrogates - 1) AS s,
				count_episode(format('(SELECT * FROM moved WHERE s = %s)', s), 'kind', 'at', g.events, g.gaps, 'p') AS c
			GROUP BY g.events, g.gaps;
		SELECT count(*) || ' episodes, wrong are ' ||
			count(*) FILTER (WHERE abs(g.expected - c.expected) > 1e-9 OR abs(g.p_value - (1.0 + reached) / (1 + $surrogates)) > 1e-12)
			FROM given g LEFT JOIN counted c USING (events, gaps) WHERE p_value IS NOT NULL});
	like($wrong, qr/^\d\d+ episodes, wrong are 0$/, "$name: supports in surrogates");

	# a type by itself is not tested where the method keeps what it does
	is($node->safe_psql('postgres', q{SELECT count(*) FROM given
			WHERE (p_value IS NULL) <> (} . ($method eq 'shift' ? 'true' : 'false') . q{ AND events[1] = ALL (events))
				OR (p_value IS NULL) <> (adjusted_p_value IS NULL) OR p_value IS NULL AND expected <> support}), 0, "$name: what is tested");
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM (
			SELECT p_value, adjusted_p_value,
				min(least(1, p_value * m / rank)) OVER (ORDER BY p_value DESC) AS wanted
			FROM (SELECT *, count(*) OVER () AS m, count(*) OVER (ORDER BY p_value) AS rank FROM given WHERE p_value IS NOT NULL) AS r) AS a
			WHERE abs(adjusted_p_value - wanted) > 1e-12}), 0, "$name: adjusted p-values");
	is($node->safe_psql('postgres', q{SELECT count(DISTINCT p_value) > 3 FROM given}), 't', "$name: p-values differ");
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM (SELECT events, gaps, support FROM given EXCEPT
			SELECT events, gaps, support FROM frequent_episodes('events', 'kind', 'at', } . $minsup . q{, '{"(0,5]","[6,9)"}',
				min_length => 2, max_length => 3, partition_column => 'p')) AS d}), 0, "$name: supports")
	  if $rest !~ /excluding/;
	$node->safe_psql('postgres', 'DROP TABLE moved, given, counted');
	return;
}

for my $method (qw(shift move window_shuffle))
{
	for my $d ($dither, 20, 1000)
	{
		check_surrogates('all types', $method, $d, '', qw(a b c d));
	}
	check_surrogates('a type excluded', $method, $dither, ", excluding => '{a}'", qw(b c d));
}

# Whichever strategy mines the episodes, these and what surrogates say of them are the same.
my %by_strategy;

for my $strategy (qw(auto propagate state_machine occurrence two_pass))
{
	my ($rows, $used) = split /\n/, $node->safe_psql('postgres', "SET gpufim.strategy = $strategy;
		SELECT md5(string_agg(r::text, ';' ORDER BY r::text)) FROM " . call(", dither => $dither") . ' AS r;
		SELECT strategy FROM gpufim_last_run()');

	is($used, $strategy eq 'auto' ? 'propagate' : $strategy, "strategy $strategy is used");
	$by_strategy{$rows}++;
}
is(scalar(keys %by_strategy), 1, 'all strategies lead to the same result');

# The result depends neither on the order of rows nor on when time begins.  The type xid has no sort order.
for my $type ([ 'int', 'p' ], [ 'text', "''p'' || p" ], [ 'uuid', 'md5(p::text)::uuid' ], [ 'xid', 'p::text::xid' ])
{
	my ($name, $partition) = @$type;
	my @sources = map { "(SELECT $partition AS p, kind, at FROM events AS e ORDER BY $_)" } 'e.p, at', 'e.p DESC, at', 'at', 'at DESC', 'md5(e.p || kind || at)';
	my %found;

	for my $source (@sources, "(SELECT $partition AS p, kind, at - 100000 AS at FROM events)")
	{
		$found{ $node->safe_psql('postgres', "SELECT md5(string_agg(r::text, ';' ORDER BY r::text)) FROM " . call(", dither => $dither", $source) . ' AS r') }++;
	}
	is(scalar(keys %found), 1, "the same in any order of rows and at earlier times, with partitions of type $name");
}

# Times of other types move by as much as the same whole numbers, in their own units.
for my $type (['numeric(10,2)', '* 0.01', 0.01], ['timestamp', "* interval '1 microsecond' + timestamp '2020-01-01'", 1e-6],
	['bigint', '* 1', 1])
{
	my ($name, $scaled, $unit) = @$type;
	my $gaps = join ',', map { sprintf '"%s%.6f,%.6f%s"', @$_ } [ '(', 0, 5 * $unit, ']' ], [ '[', 6 * $unit, 9 * $unit, ')' ];
	my $columns = "array_to_string(events, ' '), support, expected, p_value, adjusted_p_value";
	my $source = "(SELECT p, kind, (at $scaled)" . ($name eq 'timestamp' ? '' : "::$name") . " AS at FROM events)";
	$source =~ s/'/''/g;
	my $other = "episode_significance('$source', 'kind', 'at', $minsup, '{$gaps}', min_length => 2, max_length => 3, "
	  . "partition_column => 'p', surrogates => $surrogates, seed => $seed, dither => " . sprintf('%.6f', $dither * $unit) . ')';
	is($node->safe_psql('postgres', "SELECT md5(string_agg(r::text, ';' ORDER BY r)) FROM (SELECT $columns FROM $other) AS r"),
		$node->safe_psql('postgres', "SELECT md5(string_agg(r::text, ';' ORDER BY r)) FROM (SELECT $columns FROM " . call(", dither => $dither") . ') AS r'),
		"the same of $name");
}

# With workers as without, in a call long enough for them to come.
$node->safe_psql('postgres', q{
	CREATE TABLE many AS SELECT (n * 7919) % 1000003 AS at, (n * n) % 23 AS kind FROM generate_series(1, 20000) AS n});
my $many = q{SELECT md5(string_agg(r::text, ';' ORDER BY r)) FROM episode_significance('many', 'kind', 'at', 200, '{"(0,100]"}',
	surrogates => 60, dither => 500, seed => 1) AS r};
my $alone = $node->safe_psql('postgres', "SET gpufim.workers = 0; $many");

my ($helped, @found);

# workers that come when nothing is left to do are not counted, so that one of several calls shows that they help
eventually(
	sub {
		my ($rows, $workers) = split /\n/, $node->safe_psql('postgres', "SET gpufim.workers = 3; $many; SELECT workers FROM gpufim_last_run()");

		push @found, $rows;
		$helped = $workers > 0;
	});
ok($helped, 'workers help');
is(scalar(grep { $_ ne $alone } @found), 0, 'with workers the same as without');
is($node->safe_psql('postgres', "SET gpufim.workers = 3; DO \$\$ BEGIN PERFORM * FROM episode_significance('many', 'kind', 'at', 200, '{\"(0,100]\"}', surrogates => 60, dither => 500, seed => 2); END \$\$;
	SELECT details ->> 'seed' FROM gpufim_last_run()"), 2, 'details say the seed');

sub drawn_seed
{
	return $node->safe_psql('postgres', q{
		DO $$ BEGIN PERFORM * FROM episode_significance('many', 'kind', 'at', 200, '{"(0,100]"}', surrogates => 1, dither => 500); END $$;
		SELECT details ->> 'seed' FROM gpufim_last_run()});
}
isnt(drawn_seed(), drawn_seed(), 'seeds are drawn');

# A call ends when it is cancelled among surrogates, and leaves nothing.
my ($stdout, $stderr);
my ($session, $watcher) = map { GpufimTest::Session->new($node) } 1 .. 2;

worker_is_idle($node) if engine_conf();
cancel_ends($node, leftovers($node), $session, $watcher, 'episode_significance', q{'many', 'kind', 'at', 200, '{"(0,100]"}', surrogates => 1000000, dither => 500},
	'mining', 'a call among surrogates', 'total = 1000000');
$_->quit for $session, $watcher;

$node->psql('postgres', "SET gpufim.workers = 0; SET gpufim.memory_limit = '2MB'; SELECT count(*) FROM episode_significance('many', 'kind', 'at', 200, '{\"(0,100]\"}', surrogates => 10, dither => 500)",
	stdout => \$stdout, stderr => \$stderr);
like($stderr, qr/gpufim\.memory_limit/, 'the limit of memory is obeyed');

$node->stop;
done_testing();
