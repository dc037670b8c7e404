# Limits that an administrator sets on what a role may use.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $node = new_node('limits');
my $call = q{SELECT count(*) FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)};
my $many = q{SELECT count(items) FROM frequent_itemsets('(VALUES (ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))', 'column1', 1)};
my $big = q{SELECT count(*) FROM frequent_itemsets('(SELECT n AS id, n AS item FROM generate_series(1, 200000) AS n)', 'id', 'item', 2)};

$node->safe_psql('postgres', q{
	CREATE ROLE limited LOGIN;
	ALTER ROLE limited SET gpufim.workers = 4;
	ALTER ROLE limited SET gpufim.memory_limit = '2GB';
	ALTER ROLE limited SET gpufim.max_results = 50000});
$node->safe_psql('postgres', q{
	LOAD 'gpufim';
	ALTER ROLE limited SET gpufim.max_workers = 2;
	ALTER ROLE limited SET gpufim.max_memory_limit = '4MB';
	ALTER ROLE limited SET gpufim.max_gpu_memory_limit = '1GB';
	ALTER ROLE limited SET gpufim.max_results_limit = 1000});

# What psql prints, and its errors, for a session of the role; $options are the
# client's own settings.
sub as_limited
{
	my ($sql, $options) = @_;
	local $ENV{PGOPTIONS} = $options || '';
	my ($out, $err);

	# as an argument: a client that is not let in does not wait to read
	$node->psql('postgres', '', stdout => \$out, stderr => \$err, extra_params => [ '-U', 'limited', map { ('-c', $_) } split /;\s*/, $sql ]);
	return "$out|$err";
}

sub check_limits
{
	my ($how) = @_;

	is(as_limited("$call; SHOW gpufim.max_workers; SHOW gpufim.max_memory_limit; SHOW gpufim.max_gpu_memory_limit"),
		"3\n2\n4MB\n1GB|", "$how: the role's own settings above the limits do not lock it out");
	like(as_limited("$call; $big"), qr/not enough memory.*"gpufim\.max_memory_limit" allows 4096 kB\. The next limit to try is 8192 kB\.\nHINT:  Raise "minsup" .* Only an administrator can raise "gpufim\.max_memory_limit"/s, 'but the limits hold, and an error names that which does');
	like(as_limited("$call; SET gpufim.memory_limit = '3MB'; $big"), qr/"gpufim\.memory_limit" allows 3072 kB\. The next limit to try is 4096 kB\.\n/, 'the other one where it is lower, to be raised no further than is allowed');
	like(as_limited("$call; SET gpufim.workers = 3"), qr/ERROR:  invalid value for parameter "gpufim.workers": 3\n.*DETAIL:  "gpufim.max_workers" allows at most 2\./s, 'more workers are refused');
	like(as_limited("$call; SET gpufim.memory_limit = '5MB'"), qr/ERROR: .*"gpufim.memory_limit".*DETAIL:  "gpufim.max_memory_limit" allows at most 4096 kB\./s, 'more memory, too');
	like(as_limited("$call; SET gpufim.gpu_memory_limit = '2GB'"), qr/ERROR: .*"gpufim.gpu_memory_limit".*DETAIL:  "gpufim.max_gpu_memory_limit" allows at most 1048576 kB\./s, 'and more of a GPU\'s');
	like(as_limited("$call; SET gpufim.max_results = 1001"), qr/ERROR: .*"gpufim.max_results": 1001\n.*DETAIL:  "gpufim.max_results_limit" allows at most 1000\./s, 'and more results');
	like(as_limited("$call; $many"), qr/ERROR:  the result would exceed "gpufim\.max_results_limit" \(1000\)\n/, 'which the limit ends');
	like(as_limited("$call; SET gpufim.max_results = 0; $many"), qr/ERROR:  the result would exceed "gpufim\.max_results_limit" \(1000\)\n/, 'if the role sets none, too');
	like(as_limited("$call; SET gpufim.max_results = 900; $many"), qr/ERROR:  the result would exceed "gpufim\.max_results" \(900\)\n/, 'and the setting where it is lower');
	like(as_limited("$call; SELECT set_config('gpufim.workers', '3', true)"), qr/allows at most 2/, 'in each way to set them');
	is(as_limited("$call; SET gpufim.workers = 2; SET gpufim.workers = -1; SET gpufim.memory_limit = '4MB'; SET gpufim.gpu_memory_limit = 0; SET gpufim.gpu_memory_limit = '1GB'; $call"),
		"3\n3|", 'what is within them can be set');
	for my $setting (qw(max_workers max_memory_limit max_gpu_memory_limit max_results_limit))
	{
		like(as_limited("$call; SET gpufim.$setting = 1000"), qr/permission denied to set parameter "gpufim.$setting"/, "the role cannot set $setting");
		like(as_limited("ALTER ROLE limited SET gpufim.$setting = 1000"), qr/permission denied/, 'nor for itself');
		# a library that comes later can only take back what has been set
		like(as_limited("SET gpufim.$setting = 1000; SET gpufim.memory_limit = '1GB'; $call; $big"),
			$how eq 'preloaded' ? qr/^\|.*ERROR:  permission denied to set parameter "gpufim.$setting"/ : qr/^3\|.*not enough memory.*allows 4096 kB/s, 'nor before the library is there');
		like(as_limited("$call; $call", "-c gpufim.$setting=2000"), qr/^\|.*(?:ERROR|FATAL):  permission denied to set parameter "gpufim.$setting"/s, 'nor while connecting');
		my $default = $node->safe_psql('postgres', "LOAD 'gpufim'; SELECT boot_val FROM pg_settings WHERE name = 'gpufim.$setting'");
		like(as_limited("$call; $call", "-c gpufim.$setting=$default"), qr/^\|.*(?:ERROR|FATAL):  permission denied to set parameter "gpufim.$setting"/s, 'not even to the default');
	}
	is(as_limited("BEGIN; $call; SET LOCAL gpufim.workers = 1; ROLLBACK; RESET ALL; SHOW gpufim.max_workers"), "3\n2|", 'to reset is to have them again');
	is(as_limited($call, '-c gpufim.workers=1000 -c gpufim.memory_limit=8GB'), '3|', 'more that the client asks for while connecting is cut down');
	like(as_limited($big, '-c gpufim.workers=1000 -c gpufim.memory_limit=8GB'), qr/not enough memory.*allows 4096 kB/s, 'to the limits');
	# a parallel worker takes over settings from before a limit was lowered
	is($node->safe_psql('postgres', qq{$call; SET gpufim.workers = 8; SET gpufim.max_workers = 1; SET gpufim.max_memory_limit = '1MB';
		SET force_parallel_mode = on; SELECT count(*) > 0 FROM pg_class}), "3\nt", 'parallel queries go on under a limit that was lowered')
	  if $node->safe_psql('postgres', 'SHOW server_version_num') < 160000;
	is($node->safe_psql('postgres', "$call; SHOW gpufim.max_workers"), "3\n1024", 'nobody else is limited');
	return;
}

check_limits('loaded by the first call');
like(($node->psql('postgres', "LOAD 'gpufim'; SET gpufim.max_memory_limit = '271kB'"))[2], qr/271 kB is outside the valid range/, 'a limit that no call can run with is refused');
# Mining that takes several times as long as a call waits before it asks for workers.
my $long = q{SELECT sum(itemsets) FROM itemset_counts('(SELECT ARRAY(SELECT k FROM generate_series(1, 60) AS k WHERE (n * k * 7919) % 101 < 60) AS items FROM generate_series(1, 3000) AS n)', 'items', 300)};
my $workers;

$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpufim'");
$node->restart;
check_limits('preloaded');
# a server's limit; workers that come when nothing is left to do are not counted, so that one of several calls shows them
for my $allowed (1, 0)
{
	$node->append_conf('postgresql.conf', "gpufim.max_workers = $allowed\ngpufim.workers = 7");
	$node->restart;
	is($node->safe_psql('postgres', 'SHOW gpufim.max_workers'), $allowed, "$allowed workers are allowed");
	eventually(sub { $workers = $node->safe_psql('postgres', "$long; SELECT workers FROM gpufim_last_run()") =~ s/.*\n//r; $workers != 0 || !$allowed });
	is($workers, $allowed, 'and so many a long call has');
}
$node->stop;
done_testing();
