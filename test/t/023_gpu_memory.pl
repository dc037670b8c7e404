# With little memory of a GPU, calls take smaller pieces, or the CPU if even the smallest do not fit: the
# same results as on the CPU, by every strategy.  GPUFIM_ENGINE=gpu chooses the GPU.  Otherwise it is the
# stand-in, which has all the memory that it needs and gets less data.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

@ENV{qw(GPUFIM_ENGINE GPUFIM_CUDA_LIBRARY)} = qw(gpu fake) unless ($ENV{GPUFIM_ENGINE} || 'cpu') eq 'gpu';

my $fake = ($ENV{GPUFIM_CUDA_LIBRARY} || '') eq 'fake';
my $edges = $fake ? 4200 : 420000;
my $events = $fake ? 3000 : 30000;
my $span = 10 * $events + 3;
my $node = new_node('gpu_memory', conf => engine_conf() . "\ngpufim.memory_limit = '4GB'\n");
my $session = GpufimTest::Session->new($node);
my $nodes = int($edges / 6.5);
my %gpu_strategies = (
	sets => [qw(auto rows bits batmap prefix)],
	episodes => [qw(auto)],
	itemsets => [qw(auto tensor)],
	probable => [qw(auto)]);

# Each family's calls, and what of a result is compared.  The first one finds 2.7 million pairs.
my @calls = (
	[ sets => q{join_project('edges', 'b', 'a', 'edges', 'b', 'a')}, q{left_value || ' ' || right_value || ' ' || witnesses} ],
	[ sets => q{join_project('edges', 'a', 'b', '(SELECT b, a FROM edges WHERE a % 3 > 0)', 'b', 'a')}, q{left_value || ' ' || right_value || ' ' || witnesses} ],
	[ sets => q{join_project('edges', 'b', 'a', 'edges', 'b', 'a', witnesses => false)}, q{left_value || ' ' || right_value} ],
	[ sets => q{similar_sets('edges', 'a', 'b', 0.15)}, q{tid1 || ' ' || tid2 || ' ' || overlap} ],
	[ sets => q{frequent_pairs('edges', 'a', 'b', 2)}, q{item1 || ' ' || item2 || ' ' || support} ],
	[ sets => q{similar_items('edges', 'a', 'b', 3, 'lift')}, q{item || ' ' || other || ' ' || rank || ' ' || support || ' ' || score} ],
	[ sets => q{similar_items('edges', 'b', 'a', 1000000, 'confidence', 2)}, q{item || ' ' || other || ' ' || rank || ' ' || score} ],
	[ episodes => q{frequent_episodes('events', 'kind', 'at', 100, '{"(0,100]"}', max_length => 3)}, q{events::text || support} ],
	[ episodes => q{episode_significance('events', 'kind', 'at', 100, '{"(0,100]"}', max_length => 3, surrogates => 30, dither => 500, seed => 1)}, q{events::text || support || expected || coalesce(p_value, 0)} ],
	[ itemsets => q{frequent_itemsets('edges', 'a', 'b', 2)}, q{items::text || support} ],
	[ probable => q{probable_itemsets('(SELECT *, 0.9 AS p FROM edges WHERE a % 2 = 0)', 'a', 'b', 'p', 2, 0.5)}, q{items::text || occurrences} ]);

$session->query(qq{
	SELECT setseed(0.25);
	CREATE TABLE edges AS SELECT (random() * $nodes)::int AS a, (random() * $nodes)::int AS b FROM generate_series(1, $edges);
	CREATE TABLE events AS SELECT (n * 7919) % $span AS at, (n::bigint * n % 23)::int AS kind FROM generate_series(1, $events) AS n});

for my $case (@calls)
{
	my ($family, $call, $shown) = @$case;
	my $limit = $family eq 'probable' ? 100 : 60;    # MB; doc/gpus.md says what each needs at least
	my $sql = "SELECT count(*), sum(hashtextextended($shown, 0)) FROM $call";
	my $expected = $session->query("SET gpufim.engine = cpu; RESET gpufim.strategy; $sql");

	is($session->{err}, '', "the CPU does $call");
	like($expected, qr/^[1-9]\d+\|/, "and finds something: $expected");
	for my $strategy (@{ $gpu_strategies{$family} })
	{
		is($session->query("SET gpufim.gpu_memory_limit = '${limit}MB'; SET gpufim.engine = gpu; SET gpufim.strategy = $strategy; $sql"), $expected, "a GPU finds the same by $strategy");
		is($session->{err}, '', '... without an error');
		is($session->query("SELECT engine, coalesce(gpu_peak_memory_bytes, 0) <= $limit * 1024 * 1024 FROM gpufim_last_run()"), 'gpu|t', "... within $limit MB");
	}
}

# With so little that nothing fits, engine "gpu" says so, and "auto" takes the CPU.
SKIP:
{
	my $sql = "SELECT count(*), sum(hashtextextended(left_value || ' ' || right_value, 0)) FROM join_project('edges', 'b', 'a', 'edges', 'b', 'a')";
	my $expected = $session->query("SET gpufim.engine = cpu; RESET gpufim.strategy; $sql");

	skip 'the stand-in has as much memory as it needs', 4 if $fake;
	$session->query("SET gpufim.gpu_memory_limit = '2MB'; SET gpufim.engine = gpu; $sql");
	like($session->{err}, qr/^ERROR:  53200: out of memory on GPU \d+\nDETAIL:  \d+ bytes were needed for admitting the job/m, 'with 2 MB a GPU does not begin');
	is($session->query("SET gpufim.engine = auto; SET gpufim.gpu_patience = 0; $sql"), $expected, 'with engine auto the CPU does it');
	like($session->{err}, qr/^WARNING:  53200: out of memory on GPU \d+, so the processor mines instead/m, 'which a warning says');
	is($session->query('SELECT engine FROM gpufim_last_run()'), 'cpu', 'as gpufim_last_run does');
}

$session->quit;
$node->stop;
done_testing();
