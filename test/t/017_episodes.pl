# frequent_episodes and the other functions about episodes: small random streams of events,
# with ties, events that are there several times and partitions, in all types of times,
# against an exhaustive search for occurrences and a dynamic programme that picks the most
# that do not overlap; then what every call must do: sort, spill, obey its limit, show its
# progress and end when it is cancelled.
#
#	GPUFIM_SEED		the seed to run again (printed by each run)
#	GPUFIM_STREAMS	the number of streams, 300 if it is not set
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $seed = $ENV{GPUFIM_SEED} || time ^ $$;
my $streams = $ENV{GPUFIM_STREAMS} || 300;
my $calls_each = 6;
my $batch = 100;
my @strategies = (qw(auto propagate state_machine occurrence two_pass), (($ENV{GPUFIM_ENGINE} || "cpu") eq "gpu" ? "occurrence_scan" : ()));
my $node = new_node(
	'episodes',
	conf => q{
shared_preload_libraries = 'gpufim'
dynamic_shared_memory_type = mmap
max_worker_processes = 8
max_parallel_workers_per_gather = 0
} . engine_conf());
my ($calls, $episodes, $occurrences, @failures) = (0, 0, 0);

# A time is a number of ticks, v, to the streams, and all of them are later by some number
# that makes no difference.  For each type of times: what makes one of both, how many of the
# units in which gaps are given a tick is, and the least and greatest that they may be later.
my @times = (
	[ 'int2', '(v + later)::int2', 1, -32768, 32737 ],
	[ 'int4', '(v + later)::int4', 1, -2147483648, 2147483617 ],
	[ 'int8', 'v + later', 1, -9223372036854775807, 9223372036854775777 ],
	[ 'numeric', '(v + later) * 0.25 + 100000000000', 0.25, -1_000_000_000_000_000, 1_000_000_000_000_000 ],
	[ 'numeric', 'trim_scale((v + later) * 0.25)', 0.25, -100, 100 ],
	[ 'numeric', '((v + later) * 0.5)::numeric(10, 1)', 0.5, -1999999998, 1999999900 ],
	[ 'numeric', '(v + later) * 0.50000000000000000000000000', 0.5, -100_000_000_000_000_000, 100_000_000_000_000_000 ],
	[ 'float4', '((v + later) * 0.5)::float4', 0.5, -16777216, 16777186 ],
	[ 'float8', '(v + later)::float8 * 0.1::float8', 0.1, -1000, 1000 ],
	[ 'float8', '(v + later)::float8 * 1e300::float8', 1e300, -1000, 1000 ],
	[ 'float8', '(v + later)::float8 * 0.5::float8', 0.5, -9_007_199_254_740_992, 9_007_199_254_740_960 ],
	[ 'date', "date '1999-12-20' + (v + later)::int", 1, -2451000, 2145031000 ],
	[ 'time', "time '00:00' + (v + later) * interval '0.5 s'", 0.5, 0, 2 * 86400 - 31 ],
	[ 'timestamp', "timestamp '1999-12-31 23:59:55' + (v + later) * interval '0.25 s'", 0.25, -10_000_000_000, 10_000_000_000 ],
	[ 'timestamp', "timestamp '0001-01-01 BC' + (v + later) * interval '0.25 s'", 0.25, -10_000_000_000, 10_000_000_000 ],
	[ 'timestamptz', "timestamptz '2026-03-29 01:59:58+01' + (v + later) * interval '0.25 s'", 0.25, -10_000_000_000, 10_000_000_000 ],
	[ 'timestamp', "timestamp '294276-12-31' + (v + later) * interval '1 us'", 0.000001, -1_000_000_000_000_000, 10_000_000_000 ],
	[ 'interval', "interval '1 month' + (v + later) * interval '0.5 s'", 0.5, -10_000_000_000, 10_000_000_000 ]);

sub random { my ($low, $high) = @_; return $low + int rand($high - $low + 1); }
sub pick { return $_[ rand @_ ]; }

sub random_stream
{
	my $ntypes = random(1, 4);
	my $nevents = pick(random(0, 3), random(2, 12), random(10, 30));
	my $ticks = pick(3, 10, 30);
	my $partitions = pick(0, 0, 1, 3);
	my @events = map { { type => chr(96 + random(1, $ntypes)), v => random(0, $ticks), partition => random(1, $partitions || 1) } } 1 .. $nevents;

	# in order sometimes
	@events = sort { $a->{partition} <=> $b->{partition} || $a->{v} <=> $b->{v} } @events if rand() < 0.3;
	return { events => \@events, has_partitions => $partitions > 0, ntypes => $ntypes };
}

# A bound in ticks, as numeric writes it in units.
sub in_units
{
	my ($ticks, $unit) = @_;
	my $text = $unit == 1e300 ? $ticks . ($ticks > 0 ? '0' x 300 : '') : sprintf '%.8f', $ticks * $unit;

	$text =~ s/\.?0+$// if $text =~ /\./;
	return $text;
}

sub random_gap
{
	my ($unit) = @_;
	my $low = random(0, 8) / 2;
	my $high = $low + random(1, 8) / 2;

	# only float8 rounds, so that its bounds are at ticks, where rounding matters
	($low, $high) = (int $low, int $high + 1) if $unit == 0.1 || $unit == 1e300 || rand() < 0.3;
	return {
		low => $low, high => rand() < 0.1 ? undef : $high,
		low_in => $low > 0 && rand() < 0.5, high_in => rand() < 0.5 };
}

sub gap_text
{
	my ($gap, $unit) = @_;
	my $high = defined $gap->{high} ? in_units($gap->{high}, $unit) : '';

	return ($gap->{low_in} ? '[' : '(') . in_units($gap->{low}, $unit) . ",$high" . ($high ne '' && $gap->{high_in} ? ']' : ')');
}

# The type's own arithmetic: that of float8, which is Perl's, or exact in ticks.
sub admits
{
	my ($gap, $call, $from, $to) = @_;
	my ($unit, $later) = @$call{qw(unit later)};
	my $rounded = $unit == 0.1 || $unit == 1e300;
	my $length = $rounded ? ($to + $later) * $unit - ($from + $later) * $unit : $to - $from;
	my $low = $rounded ? 0 + in_units($gap->{low}, $unit) : $gap->{low};
	my $high = !defined $gap->{high} ? undef : $rounded ? 0 + in_units($gap->{high}, $unit) : $gap->{high};

	return ($gap->{low_in} ? $length >= $low : $length > $low)
	  && (!defined $high || ($gap->{high_in} ? $length <= $high : $length < $high));
}

# The events that count, each once, by partition and type; excluded ones are not there.
sub distinct_events
{
	my ($stream, $excluding, $by_partition) = @_;
	my %excluded = map { $_ => 1 } @$excluding;
	my (%seen, %events);

	for my $event (@{ $stream->{events} })
	{
		my $partition = $by_partition ? $event->{partition} : 0;

		next if $excluded{ $event->{type} } || $seen{"$event->{type} $event->{v} $partition"}++;
		push @{ $events{$partition}{ $event->{type} } }, $event->{v};
	}
	return \%events;
}

# The most of some occurrences that do not overlap, each [start, end]: by dynamic
# programming over those that end first.
sub most
{
	my @occurrences = sort { $a->[1] <=> $b->[1] } @_;
	my @best = (0);

	for my $i (0 .. $#occurrences)
	{
		my $before = $i;

		$before-- while $before > 0 && $occurrences[ $before - 1 ][1] >= $occurrences[$i][0];
		push @best, $best[$before] + 1 > $best[$i] ? $best[$before] + 1 : $best[$i];
	}
	return $best[-1];
}

# All occurrences of an episode that is one event longer than one whose occurrences are
# known, by partition.  Those that begin and end alike are one.
sub extend
{
	my ($events, $found, $gap, $call, $type) = @_;
	my %longer;

	for my $partition (keys %$found)
	{
		my %pairs;

		for my $occurrence (@{ $found->{$partition} })
		{
			for my $v (@{ $events->{$partition}{$type} || [] })
			{
				$pairs{"$occurrence->[0] $v"} ||= [ $occurrence->[0], $v ] if admits($gap, $call, $occurrence->[1], $v);
			}
		}
		$longer{$partition} = [ values %pairs ];
	}
	return \%longer;
}

sub support
{
	my ($found) = @_;
	my $sum = 0;

	$sum += most(@{ $found->{$_} }) for keys %$found;
	return $sum;
}

sub occurrences_of_type
{
	my ($events, $type) = @_;

	return { map { my $partition = $_; ($partition => [ map { [ $_, $_ ] } @{ $events->{$partition}{$type} || [] } ]) } keys %$events };
}

# All frequent episodes; undef if they are too many.
sub all_episodes
{
	my ($events, $call, $minsup) = @_;
	my $gaps = $call->{gaps};
	my %types = map { map { $_ => 1 } keys %$_ } values %$events;
	my (@frequent, @level);

	for my $type (sort keys %types)
	{
		my $found = occurrences_of_type($events, $type);
		my $episode = { types => [$type], gaps => [], found => $found, support => support($found) };

		push @level, $episode if $episode->{support} >= $minsup;
	}
	my @singles = map { $_->{types}[0] } @level;
	my %count = map { $_->{types}[0] => $_->{support} } @level;
	while (@level)
	{
		my @next;

		push @frequent, @level;
		return if @frequent > 400;
		for my $episode (@level)
		{
			for my $g (0 .. $#$gaps)
			{
				for my $type (@singles)
				{
					my $found = extend($events, $episode->{found}, $gaps->[$g], $call, $type);
					my $support = support($found);

					push @next, { types => [ @{ $episode->{types} }, $type ], gaps => [ @{ $episode->{gaps} }, $g ], found => $found, support => $support }
					  if $support >= $minsup;
				}
			}
		}
		@level = @next;
	}
	for my $episode (@frequent)
	{
		my @counts = sort { $a <=> $b } map { $count{$_} } @{ $episode->{types} };

		$episode->{frequency} = $episode->{support} / $counts[0];
		$episode->{words} = join ' ', map { ($_ > 0 ? $episode->{gaps}[ $_ - 1 ] : ()), $episode->{types}[$_] } 0 .. $#{ $episode->{types} };
	}
	return \@frequent;
}

sub random_call
{
	my ($stream) = @_;
	my $time = pick(@times);
	my ($type, $expression, $unit, @range) = @$time;
	my $later = pick(@range, map { sprintf '%.0f', $range[0] + rand() * ($range[1] - $range[0]) } 1 .. 2);
	my %gaps = map { my $gap = random_gap($unit); (gap_text($gap, $unit) => $gap) } 1 .. random(1, 3);
	my $call = {
		type => $type, time => $expression =~ s/later/(int8 '$later')/r, unit => $unit, later => $later, gaps => [ @gaps{ sort keys %gaps } ],
		kind => pick(qw(all all closed maximal)),
		low => pick(1, 1, 1, 2, 3),
		minsup => random(1, 4),
		by_partition => $stream->{has_partitions} && rand() < 0.8,
		strategy => pick(@strategies),
		workers => pick(0, 0, 2),
		repeat_gap => rand() < 0.2,
		including => rand() < 0.2 ? [ map { pick(qw(a b c)) } 1 .. random(0, 2) ] : [],
		including_any => rand() < 0.2 ? [ map { pick(qw(a b c d x)) } 1 .. random(0, 3) ] : undef,
		excluding => rand() < 0.2 ? [ map { pick(qw(a b c d x)) } 1 .. random(0, 2) ] : [],
	};

	$call->{high} = $call->{low} + random(0, 2) if rand() < 0.3;
	$call->{part} = random(1, 19) if rand() < 0.3;
	return $call;
}

# What the call should give, by definition.
sub brute_force
{
	my ($stream, $call) = @_;
	my $events = distinct_events($stream, $call->{excluding}, $call->{by_partition});
	my @found;

	if (defined $call->{part})
	{
		my $n = 0;

		$n += @$_ for map { values %$_ } values %$events;
		$call->{minsup} = int(($call->{part} * $n + 19) / 20) || 1;
	}
	my $all = all_episodes($events, $call, $call->{minsup}) or return;
	for my $episode (@$all)
	{
		my %in = map { $_ => 1 } @{ $episode->{types} };
		my $n = @{ $episode->{types} };
		my $words = $episode->{words};
		my @longer = grep { my $other = $_->{words}; length $other > length $words && (index($other, "$words ") == 0 || $other =~ / \Q$words\E$/) } @$all;

		next if $n < $call->{low} || (defined $call->{high} && $n > $call->{high});
		next if grep { !$in{$_} } @{ $call->{including} };
		next if $call->{including_any} && !grep { $in{$_} } @{ $call->{including_any} };
		next if $call->{kind} eq 'maximal' && @longer;
		next if $call->{kind} eq 'closed' && grep { $_->{support} == $episode->{support} } @longer;
		push @found, $episode;
	}
	return \@found;
}

sub text_array { return "'{" . join(',', map { "\"$_\"" } @_) . "}'"; }

sub source
{
	my ($number, $call) = @_;
	my $source = "(SELECT k, $call->{time} AS t, p FROM streams WHERE n = $number)";

	$source =~ s/'/''/g;
	return "'$source', 'k', 't'";
}

sub gap_texts { my ($call, @gaps) = @_; return map { gap_text($_, $call->{unit}) } @gaps; }

sub mining_arguments
{
	my ($number, $call) = @_;
	my @gaps = gap_texts($call, @{ $call->{gaps} });

	push @gaps, $gaps[0] if $call->{repeat_gap};
	return sprintf "%s, %s, %s, kind => '%s', min_length => %d, max_length => %s, partition_column => %s, including => %s, excluding => %s, including_any => %s",
	  source($number, $call), defined $call->{part} ? $call->{part} / 20 : $call->{minsup}, text_array(@gaps), $call->{kind}, $call->{low},
	  defined $call->{high} ? $call->{high} : 'NULL', $call->{by_partition} ? q{'p'} : 'NULL',
	  text_array(@{ $call->{including} }), text_array(@{ $call->{excluding} }),
	  $call->{including_any} ? text_array(@{ $call->{including_any} }) : 'NULL';
}

# Mining, counting, and one episode with its occurrences as ticks.
sub statement
{
	my ($number, $call, $episode) = @_;
	my $arguments = mining_arguments($number, $call);
	my $one = join ', ', source($number, $call), text_array(@{ $episode->{types} }), text_array(gap_texts($call, map { $call->{gaps}[$_] } @{ $episode->{gaps} })),
	  $call->{by_partition} ? q{'p'} : 'NULL';

	return "SET gpufim.strategy = $call->{strategy}; SET gpufim.workers = $call->{workers};\n"
	  . "SELECT 'mined ' || coalesce(string_agg(array_to_string(events, ' ') || ';' || array_to_string(gaps, ' ') || ';' || support || ';' || frequency, '|'), '') FROM frequent_episodes($arguments);\n"
	  . "SELECT 'counted ' || coalesce(string_agg(length || ':' || episodes, ' ' ORDER BY length), '') FROM episode_counts($arguments);\n"
	  . "SELECT 'support ' || count_episode($one);\n"
	  . "SELECT 'occurrences ' || coalesce(string_agg(coalesce(o.partition, '0') || ':' || (SELECT string_agg((SELECT min(v)::text FROM streams WHERE n = $number AND $call->{time} = u.t::$call->{type}), ' ' ORDER BY u.o) FROM unnest(o.times) WITH ORDINALITY AS u(t, o)), ',' ORDER BY ordinality), '')"
	  . " FROM episode_occurrences($one) WITH ORDINALITY AS o;\n";
}

sub differences
{
	my ($answer, $call, $expected) = @_;
	my @wrong;
	my %expected = map { join(';', join(' ', @{ $_->{types} }), join(' ', gap_texts($call, map { $call->{gaps}[$_] } @{ $_->{gaps} }))) => $_ } @$expected;

	return 'no answer' unless defined $answer && $answer =~ s/^mined ?//;
	for my $row (split /\|/, $answer)
	{
		my ($types, $gaps, $support, $frequency) = split /;/, $row;
		my $known = delete $expected{"$types;$gaps"};

		if (!defined $known) { push @wrong, "unexpected $row"; next; }
		push @wrong, "support $row, not $known->{support}" if $support != $known->{support};
		push @wrong, "frequency $row, not $known->{frequency}" if $frequency != $known->{frequency};
	}
	push @wrong, "missing $_" for sort keys %expected;
	return join '; ', @wrong;
}

sub wrong_counts
{
	my ($answer, $expected) = @_;
	my %counts;

	$counts{ scalar @{ $_->{types} } }++ for @$expected;
	my $right = 'counted ' . join ' ', map { "$_:$counts{$_}" } sort { $a <=> $b } keys %counts;
	return $answer eq $right ? '' : "$answer, not $right";
}

# A single episode: any types and gaps, frequent or not.
sub random_episode
{
	my ($call) = @_;
	my $length = random(1, 4);

	return { types => [ map { pick(qw(a a b b c d x)) } 1 .. $length ], gaps => [ map { random(0, $#{ $call->{gaps} }) } 2 .. $length ] };
}

sub support_of
{
	my ($stream, $call, $episode) = @_;
	my $events = distinct_events($stream, [], $call->{by_partition});
	my $found = occurrences_of_type($events, $episode->{types}[0]);

	$found = extend($events, $found, $call->{gaps}[ $episode->{gaps}[ $_ - 1 ] ], $call, $episode->{types}[$_]) for 1 .. $#{ $episode->{types} };
	return support($found);
}

# Are these occurrences of the episode, which do not overlap, in order, and as many as there are?
sub wrong_occurrences
{
	my ($answer, $stream, $call, $episode, $support) = @_;
	my $events = distinct_events($stream, [], $call->{by_partition});
	my (%end, $n);

	return 'no answer' unless defined $answer && $answer =~ s/^occurrences ?//;
	for my $occurrence (split /,/, $answer)
	{
		my ($partition, $times) = split /:/, $occurrence;
		my @v = split / /, $times;

		return "times of $occurrence" if @v != @{ $episode->{types} };
		for my $i (0 .. $#v)
		{
			return "no event $i of $occurrence" unless grep { $_ == $v[$i] } @{ $events->{$partition}{ $episode->{types}[$i] } || [] };
			return "gap $i of $occurrence" if $i > 0 && !admits($call->{gaps}[ $episode->{gaps}[ $i - 1 ] ], $call, @v[ $i - 1, $i ]);
		}
		return "$occurrence overlaps" if defined $end{$partition} && $v[0] <= $end{$partition};
		$end{$partition} = $v[-1];
		$n++;
	}
	$n ||= 0;
	$occurrences += $n;
	return $n == $support ? '' : "$n occurrences, not $support";
}

note("GPUFIM_SEED=$seed");
srand $seed;
$node->safe_psql('postgres', 'CREATE TABLE streams (n int, k text, v int, p int, place float8); CREATE INDEX ON streams (n)');

for (my $first = 1; $first <= $streams; $first += $batch)
{
	my $last = $first + $batch - 1 < $streams ? $first + $batch - 1 : $streams;
	my ($copy, @expected) = ('');

	for my $number ($first .. $last)
	{
		my $stream = random_stream();

		$copy .= join("\t", $number, $_->{type}, $_->{v}, $_->{partition}, rand) . "\n" for @{ $stream->{events} };
		# what is not there
		$copy .= join("\t", $number, @$_, rand) . "\n" for grep { rand() < 0.2 } [ '\N', 1, 1 ], [ 'a', '\N', 1 ];
		for (1 .. $calls_each)
		{
			my $call = random_call($stream);
			my $found = brute_force($stream, $call);
			my $episode = random_episode($call);

			next unless $found;
			push @expected, { stream => $stream, call => $call, found => $found, episode => $episode, script => statement($number, $call, $episode) };
			$episodes += @$found;
		}
	}
	my $file = $node->basedir . '/streams';
	open(my $handle, '>', $file) or die "$file: $!";
	print $handle $copy;
	close $handle;
	$node->safe_psql('postgres', "TRUNCATE streams; COPY streams FROM '$file'; ANALYZE streams");
	my ($out, $err) = ('', '');
	$node->psql('postgres', 'SET client_min_messages = warning;' . join('', map { $_->{script} } @expected), stdout => \$out, stderr => \$err, on_error_stop => 0);
	my @answers = split /\n/, $out, -1;

	is(scalar @answers, 4 * @expected, "streams $first to $last: every call answered") or diag(substr $err, 0, 2000);
	for my $case (@expected)
	{
		my ($mined, $counted, $support, $occurrences) = splice @answers, 0, 4;
		my $right = support_of($case->{stream}, $case->{call}, $case->{episode});
		my $wrong = join '; ', grep { $_ ne '' } differences($mined, $case->{call}, $case->{found}), wrong_counts($counted, $case->{found}),
		  ($support eq "support $right" ? '' : "$support, not $right"), wrong_occurrences($occurrences, @$case{qw(stream call episode)}, $right);

		$calls += 4;
		push @failures, "$case->{script}$wrong\n" if $wrong ne '';
	}
}
is(scalar @failures, 0, sprintf '%d calls over %d streams, %d episodes and %d occurrences, as by brute force', $calls, $streams, $episodes, $occurrences)
  or diag("GPUFIM_SEED=$seed\n" . join("\n", map { substr $_, 0, 3000 } @failures[ 0 .. ($#failures < 2 ? $#failures : 2) ]));
# Most are in few streams, so that seeds differ: from 300 streams come 5700 episodes and 880 occurrences on
# average, with standard deviations of 770 and 80, and 7080 calls.  By Chernoff's bound, from the distribution over
# 6700 streams, not one seed in 10^14 is below these limits.
cmp_ok($episodes, '>', $calls / 4, 'and they were not empty');
cmp_ok($occurrences, '>', $calls / 20, 'nor were the occurrences');

# Chains that are hidden in noise: 300 times 1, 2, 3, 4, each 3 to 5 later, among 26 types at random.
is($node->safe_psql('postgres', q{
	SELECT setseed(0.17);
	CREATE TABLE neurons AS
		SELECT 1 + floor(random() * 26)::int AS unit, random() * 100000 AS at FROM generate_series(1, 20000)
		UNION ALL SELECT k, 300 * n + 4 * k + random() FROM generate_series(1, 300) AS n, generate_series(1, 4) AS k;
	SELECT string_agg(events::text, ' '), min(support) BETWEEN 300 AND 330 FROM frequent_episodes('neurons', 'unit', 'at', 300, '{"[3,5]"}', NULL::int[], kind => 'maximal', min_length => 2)}),
	"\n{1,2,3,4}|t", 'hidden chains are found, and nothing else');

# The rest is about reading, and about the memory of the CPU engine and its workers.
if (($ENV{GPUFIM_ENGINE} || 'cpu') eq 'gpu')
{
	$node->stop;
	done_testing();
	exit;
}

# Long streams, most of whose events are of rare types: in order and not, in memory, from a
# file, and sorted by the server where memory is short.
my $session = GpufimTest::Session->new($node);
my $watcher = GpufimTest::Session->new($node);
my $before;

$node->safe_psql('postgres', q{
	CREATE TABLE long AS
		SELECT CASE WHEN n % 5 = 0 THEN n * n / 25 % 11 ELSE 1000 + n * 7919 % 20011 END AS k, n AS t, n % 1000 AS p, n * 104729 % 400009 AS place
		FROM generate_series(1::bigint, 400000) AS n;
	INSERT INTO long SELECT * FROM long WHERE t % 10 = 0;
	CREATE TABLE shuffled AS SELECT k, t, p FROM long ORDER BY place;
	CREATE VIEW decimals AS SELECT k, t / 8.0 AS t, p FROM shuffled;
	CREATE VIEW reals AS SELECT k, t / 8.0::float8 AS t, p FROM shuffled;
	CREATE VIEW apart AS SELECT k, CASE t WHEN 1 THEN -4000000000000000000 ELSE t END AS t, p FROM shuffled;
	CREATE VIEW ordered AS SELECT k, t, p FROM long ORDER BY t;
});
$before = leftovers($node);

my %found;

for my $case (
	[ q{'ordered', 'k', 't', 1000, '{"(0,10]"}', max_length => 3}, 'in order', '6MB', 0 ],
	[ q{'shuffled', 'k', 't', 1000, '{"(0,10]"}', max_length => 3}, 'out of order', '6MB', 40000 ],
	[ q{'apart', 'k', 't', 1000, '{"(0,10]"}', max_length => 3}, 'an event long before all others', '6MB', 40000 ],
	[ q{'shuffled', 'k', 't', 0.002, '{"(0,10]"}', max_length => 3}, 'a fraction', '6MB', 40000 ],
	[ q{'shuffled', 'k', 't', 100, '{"(0,2000]"}', partition_column => 'p', max_length => 2}, 'out of order, in partitions', '6MB', 40000 ],
	[ q{'decimals', 'k', 't', 1000, '{"(0,1.25]"}', max_length => 3}, 'numeric', '6MB', 40000 ],
	[ q{'reals', 'k', 't', 1000, '{"(0,1.25]"}', max_length => 3}, 'float8', '6MB', 40000 ])
{
	my ($arguments, $name, $limit, $repeated) = @$case;
	my $call = qq{SELECT count(*), md5(string_agg(events::text || gaps::text || support || frequency, ' ' ORDER BY events, gaps)) FROM frequent_episodes($arguments)};
	my $roomy = $session->query("SET gpufim.memory_limit = '2GB'; $call");
	my ($but_source) = $arguments =~ /^'\w+'(.*)/;

	is($roomy, $found{$but_source} //= $roomy, "$name: the same in any order");
	like($roomy, qr/^[1-9]\d*\|/, "$name: there is something to find") or diag($session->{err});
	is($session->query(q{SELECT spilled_bytes, details->'repeated_events', transactions FROM gpufim_last_run()}), '0|40000|400000', "$name: nothing spills with room for all, and what is there twice is seen");
	is($session->query("SET gpufim.memory_limit = '$limit'; $call"), $roomy, "$name: the same result where memory is short");
	is($session->{err}, '', "$name: no error");
	is($session->query(q{SELECT spilled_bytes > 500000, details->'repeated_events', transactions FROM gpufim_last_run()}), 't|40000|400000', "$name: events were spilled");
	cmp_ok($session->query('SELECT peak_memory_bytes FROM gpufim_last_run()'), '<=', ($limit =~ /(\d+)/)[0] * 1024 * 1024, "$name: within the limit");
	is($session->query("SET gpufim.memory_limit = '2GB'; SET gpufim.workers = 0; $call"), $roomy, "$name: the same without workers");
	$session->query('RESET gpufim.workers');
	no_leftovers($node, $before, "$name, spilled");
}
is($session->query(q{SELECT count_episode('shuffled', 'k', 't', '{1,3}', '{"(0,10]"}', 'p') = 0, count_episode('shuffled', 'k', 't', '{1,3}', '{"(0,10]"}') =
	(SELECT count(*) FROM episode_occurrences('ordered', 'k', 't', '{1,3}', '{"(0,10]"}', NULL::bigint[]) WHERE times[2] - times[1] BETWEEN 1 AND 10)}), 't|t', 'one episode');

my $listed = q{SELECT count(*), md5(string_agg(partition || times::text, ' ' ORDER BY ordinality)), count(DISTINCT partition) FROM episode_occurrences('shuffled', 'k', 't', '{1,3}', '{"(0,100000]"}', NULL::bigint[], 'p') WITH ORDINALITY};
my $occurrences_listed = $session->query("SET gpufim.memory_limit = '2GB'; $listed");

like($occurrences_listed, qr/^[1-9]\d*\|\w+\|\d{2}/, 'occurrences in many partitions') or diag($session->{err});
is($session->query("SET gpufim.memory_limit = '6MB'; $listed"), $occurrences_listed, 'in the same order where memory is short') or diag($session->{err});
is($session->query('SELECT spilled_bytes > 500000 FROM gpufim_last_run()'), 't', 'when events were spilled');

# Events that several processes read, each of which puts its own in order: rows and figures are those of one process,
# and of the same events that come in order.
my $reader = GpufimTest::Session->new($node);
my ($helped, @differences) = 0;

$reader->query("SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0");
for (1 .. 60)
{
	my $table = sprintf 'SELECT setseed(%.6f); CREATE TABLE read WITH (fillfactor = 20, parallel_workers = %d) AS SELECT * FROM '
	  . '(SELECT k, (%s)::%s AS t, p FROM (SELECT floor(random() * %d)::int AS k, floor(random() * %d)::int AS x, floor(random() * %d)::int AS p FROM generate_series(1, %d)) AS s) AS s ORDER BY %s',
	  rand, random(1, 6), pick('x', 'x - 25', 'x % 50 + x / 50 * 10000000', 'CASE WHEN x = 1 AND k = 0 THEN -2000000000 ELSE x END'), pick('int', 'float8'),
	  pick(1, 5, 50), pick(2, 50, 5000), pick(1, 2, 30, 3000), pick(300, 3000, 20000),
	  pick('random()', 't', 't DESC', 'p, t', 't::int % 7, t');
	my $arguments = q{%1$s, 'k', 't', } . pick(q{0.01, '{"(0,2]"}', max_length => 2}, q{5, '{"(0,2]"}', max_length => 2, partition_column => 'p'});
	my $call = rand() < 0.2
	  ? q{SELECT md5(string_agg(o::text, ' ' ORDER BY ordinality)) FROM episode_occurrences(%1$s, 'k', 't', '{0,0}', '{"(0,2]"}', 'p') WITH ORDINALITY AS o}
	  : qq{SELECT md5(string_agg(f::text, ' ' ORDER BY f)) FROM frequent_episodes($arguments) AS f};
	my $settings = sprintf q{SET gpufim.memory_limit = '%s'; SET parallel_leader_participation = %s}, pick('2GB', '10MB'), pick('on', 'off');
	my $ordered = sprintf q{'(SELECT * FROM read ORDER BY %s)'}, $call =~ /'p'/ ? 'p, t' : 't';
	my @outcomes;

	$reader->query("DROP TABLE IF EXISTS read; $table; $settings");
	for my $case ([ $ordered, 0 ], [ q{'read'}, 0 ], [ q{'read'}, random(1, 6) ])
	{
		my ($source, $workers) = @$case;

		push @outcomes, $reader->query("SET max_parallel_workers_per_gather = $workers; " . sprintf($call, $source) . '; SELECT transactions, details FROM gpufim_last_run()') . $reader->{err};
	}
	$helped += $reader->query('SELECT read_workers FROM gpufim_last_run()');
	push @differences, "$table; $settings; $call:\n" . join("\nor ", @outcomes) . "\n" if grep { $_ ne $outcomes[0] } @outcomes;
}
is(scalar @differences, 0, "events that $helped other processes read") or diag("GPUFIM_SEED=$seed\n@differences");
cmp_ok($helped, '>', 5, 'which were several');
$reader->query('DROP TABLE read');
$reader->quit;

# Too little memory: the error says which limit to try next.
for my $call (q{'ordered', 'k', 't', 2, '{"(0,1]"}'}, q{'shuffled', 'k', 't', 1000, '{"(0,1]","(1,2]","(2,3]"}'}, q{'decimals', 'k', 't', 100, '{"(0,1]"}', partition_column => 'p'})
{
	limits_are_told($session, "SELECT count(events) FROM frequent_episodes($call, max_length => 1)");
}
$session->query('RESET gpufim.memory_limit; RESET gpufim.workers');
no_leftovers($node, $before, 'too little memory');

# Cancel, in every phase.
for my $case (
	[ 'reading', 'frequent_episodes', q{'(SELECT n % 1000 AS k, n AS t FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'k', 't', 2, '{"(0,5]"}'}, 'reading' ],
	[ 'reading out of order', 'episode_counts', q{'(SELECT n % 1000 AS k, n * 0.5 AS t, n % 77 AS p FROM (SELECT generate_series(2000000000, 1, -1) AS n) AS s)', 'k', 't', 2, '{"(0,5]"}', partition_column => 'p'}, 'reading' ],
	[ 'reading for one', 'count_episode', q{'(SELECT n % 1000 AS k, n AS t FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'k', 't', '{1,2}', '{"(0,5]"}'}, 'reading' ],
	[ 'mining', 'frequent_episodes', q{'(SELECT n % 7 AS k, n AS t FROM generate_series(1, 3000) AS n)', 'k', 't', 2, '{"(0,5]"}'}, 'mining' ],
	[ 'mining maximal', 'frequent_episodes', q{'(SELECT n % 7 AS k, n AS t FROM generate_series(1, 3000) AS n)', 'k', 't', 2, '{"(0,5]"}', kind => 'maximal'}, 'mining' ],
	[ 'counting closed', 'episode_counts', q{'(SELECT n % 7 AS k, n AS t FROM generate_series(1, 3000) AS n)', 'k', 't', 2, '{"(0,5]"}', kind => 'closed'}, 'mining' ])
{
	my ($name, $function, $arguments, $phase) = @$case;

	cancel_ends($node, $before, $session, $watcher, $function, $arguments, $phase, $name);
}

# While events are being sorted, by ourselves and by the server: until they are in order, none of them is "done".
for my $limit ('2GB', '6MB')
{
	$session->query("SET gpufim.memory_limit = '$limit'");
	my @calls = map { "'(SELECT k, t * 7919 % 400009 + 0 * j AS t FROM long, generate_series(1, $_) AS j)', 'k', 't', '{1,3}', '{\"(0,10]\"}'" } 10, 40, 160;

	cancel_ends($node, $before, $session, $watcher, 'count_episode', \@calls,
		'encoding', "sorting with $limit", 'done = 0 AND total >= 4400000');
}
$session->query('RESET gpufim.memory_limit');
is($session->query(q{SELECT count(*) FROM frequent_episodes('(VALUES (1, 1), (2, 2))', 'column1', 'column2', 1, '{"(0,5]"}')}), '3', 'the session goes on');

$_->quit for $session, $watcher;
$node->stop;
done_testing();
