# What the TAP tests share: a test cluster on every PostgreSQL from 14 up, whose
# modules have two sets of names, and sessions that stay open.
package GpufimTest;

use strict;
use warnings;

use Exporter 'import';
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use IPC::Run ();
use List::Util qw(min);
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw(bare_node new_node fake_gpu tell_gpu hold_gpu release_gpu engine_conf strategies random_table family_calls
  eventually segments leftovers no_leftovers interrupted lasting_workers held_workers worker_is_idle limits_are_told cancel_ends same_as_alone parts_that_fail data_file);

# What is awaited comes, however slow the machine is.  Only what does not come at
# all takes so many seconds.
our $patience = $ENV{PG_TEST_TIMEOUT_DEFAULT} || 180;
$ENV{PGCTLTIMEOUT} ||= 2 * $patience;

# With these settings, PostgreSQL plans to read small tables in parallel, too.
our $in_parallel = q{
max_parallel_workers = 8
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
};

# SQL functions for tests that compare what random calls return: one of several words or numbers, and what a call returns, or its
# error.
our $comparing = <<'SQL';
CREATE FUNCTION pick(VARIADIC text[]) RETURNS text LANGUAGE sql AS 'SELECT $1[1 + floor(random() * cardinality($1))::int]';
CREATE FUNCTION pick(VARIADIC numeric[]) RETURNS numeric LANGUAGE sql AS 'SELECT $1[1 + floor(random() * cardinality($1))::int]';

CREATE FUNCTION result(call text, OUT result text, OUT state text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT count(*) || md5(coalesce(string_agg(r, ''|'' ORDER BY r), '''')) FROM (' || call || ') AS s (r)' INTO result;
	state := '00000';
EXCEPTION WHEN OTHERS THEN
	state := SQLSTATE;
	result := SQLERRM;
END
$$;
SQL

my $modern = eval { require PostgreSQL::Test::Cluster; require PostgreSQL::Test::Utils; 1 }
  && PostgreSQL::Test::Cluster->can('new');
if (!$modern)
{
	require PostgresNode;
	require TestLib;
}

# A server that does not exist yet.
sub bare_node
{
	my ($name) = @_;

	return $modern ? PostgreSQL::Test::Cluster->new($name) : PostgresNode->get_new_node($name);
}

# A server, started, with the extension in database postgres.
sub new_node
{
	my ($name, %options) = @_;
	my $node = bare_node($name);
	my $conf = $options{conf} || '';

	$node->init(
		allows_streaming => $options{allows_streaming},
		extra => [ '-E', 'UTF8', '--locale=C' ]);
	# a session's worker that looks for GPUs would be something that is left behind; and what the
	# server itself waits for comes, however slow the machine is
	$node->append_conf('postgresql.conf', "fsync = off\ngpufim.gpu_patience = -1\ngpufim.inject_slowness = 100\n$conf\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gpufim') unless $options{bare};
	return $node;
}

# The library that stands in for the one with the GPU engine: it has two devices
# and mines on the CPU.
sub fake_gpu
{
	return abs_path(dirname(__FILE__) . '/../modules/fake_gpu/fake_gpu.so');
}

# From here on the stand-in does, or does no longer, what a word stands for (see fake_gpu.c).
sub tell_gpu
{
	my ($node, $word, $does) = @_;
	my $name = $node->data_dir . "/fake_gpu.$word";

	return unlink $name unless $does;
	open(my $file, '>', $name) or die "$name: $!";
	return close $file;
}

# From here on the stand-in mines nothing, and what it has begun waits.
sub hold_gpu
{
	my ($node) = @_;

	return tell_gpu($node, 'hold', 1);
}

sub release_gpu
{
	my ($node) = @_;

	return tell_gpu($node, 'hold', 0);
}

# The same tests serve both engines: GPUFIM_ENGINE=gpu chooses the GPU, and
# GPUFIM_CUDA_LIBRARY=fake the stand-in for it, or names another library.
sub engine_conf
{
	my $library = $ENV{GPUFIM_CUDA_LIBRARY} || '';

	return '' unless ($ENV{GPUFIM_ENGINE} || 'cpu') eq 'gpu';
	$library = fake_gpu() if $library eq 'fake';
	return "shared_preload_libraries = 'gpufim'\ngpufim.engine = gpu\n" . ($library ? "gpufim.cuda_library = '$library'\n" : '');
}

sub strategies
{
	return ($ENV{GPUFIM_ENGINE} || 'cpu') eq 'gpu' ? qw(auto tensor dci_transaction dci_candidate tfl hil) : qw(auto bitmap projected rows);
}

# SQL for a table of transactions, column "items": each of the items 1 to $nitems
# is in one with a probability, in which k is the item.  Call setseed() before.
sub random_table
{
	my ($name, $nitems, $probability, $rows) = @_;

	# that n is used makes each row's items others
	return qq{
	CREATE TABLE $name AS
		SELECT (SELECT array_agg(k) FROM generate_series(1, $nitems) AS k WHERE random() < $probability + n * 0) AS items
		FROM generate_series(1, $rows) AS n;
};
}

# A call of each family, by the function's name, that gives one value, and SQL for the tables that
# they read.
sub family_calls
{
	return (q{
		CREATE TABLE items AS SELECT ARRAY[n % 2, 2 + n % 3, 5 + n % 5] AS items FROM generate_series(1, 60) AS n;
		CREATE TABLE events AS SELECT n % 3 AS kind, n AS at FROM generate_series(1, 60) AS n;
		CREATE TABLE pairs AS SELECT n % 20 AS id, n % 3 AS item, 0.5::float8 AS probability FROM generate_series(1, 60) AS n;
	}, frequent_itemsets => q{SELECT count(*) || ' ' || sum(support) FROM frequent_itemsets('items', 'items', 5)},
		association_rules => q{SELECT count(*) || ' ' || sum(adjusted_p_value) FROM association_rules('items', 'items', 5, 0.1, max_consequent => 2)},
		probable_itemsets => q{SELECT count(*) || ' ' || sum(expected_support) FROM probable_itemsets('pairs', 'id', 'item', 'probability', 3, 0.5)},
		frequent_episodes => q{SELECT count(*) || ' ' || sum(support) FROM frequent_episodes('events', 'kind', 'at', 5, '{"(0,2]"}', max_length => 5)},
		episode_significance => q{SELECT count(*) || ' ' || sum(expected) FROM episode_significance('events', 'kind', 'at', 5, '{"(0,2]"}',
			max_length => 3, surrogates => 20, dither => 5, seed => 1)},
		join_project => q{SELECT join_project_count('pairs', 'id', 'item', 'pairs', 'id', 'item')::text});
}

# Wait until a condition holds; false if it does not within the time given.
sub eventually
{
	my ($condition, $seconds) = @_;
	my $until = time + ($seconds || $patience);

	while (time < $until)
	{
		my $result = $condition->();
		return $result if $result;
		sleep 0.005;
	}
	return $condition->();
}

# Is a segment the server's own: of its statistics, which grow now and then, or one that PostgreSQL keeps for each session that
# has had workers?
sub is_servers
{
	my ($segment) = @_;
	my $magic = '';

	open(my $file, '<:raw', $segment) or return 1;
	read $file, $magic, 4;
	close $file;
	return length $magic == 4 && (unpack('L', $magic) >> 16 == 0x0ce2 || unpack('L', $magic) == 0xabb0fbc9);
}

# The segments of a server with dynamic_shared_memory_type = mmap that are not its own.
sub segments
{
	my ($node) = @_;

	return grep { !/\.0$/ && !is_servers($_) } glob $node->data_dir . '/pg_dynshmem/mmap.*';
}

# What a call could have left behind in a server: workers, shared memory
# segments, temporary files.
sub leftovers
{
	my ($node) = @_;
	my $data = $node->data_dir;
	my @segments = segments($node);
	my @files = glob "$data/base/pgsql_tmp/*";
	my $workers = $node->safe_psql('postgres',
		"SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'gpufim%'");

	return sprintf '%d workers, %d segments, %d temporary files',
	  $workers, scalar @segments, scalar @files;
}

# Everything must be as it was before, at once or a moment later.
sub no_leftovers
{
	my ($node, $before, $name) = @_;

	eventually(sub { leftovers($node) eq $before });
	is(leftovers($node), $before, "$name leaves nothing behind");
	return;
}

# What a session's call returns, and the state of the error that it ends with, if something happens to it or to a worker that
# reads for it after so many seconds.
sub interrupted
{
	my ($session, $watcher, $call, $kind, $moment) = @_;
	my $workers = q{FROM pg_stat_activity WHERE backend_type = 'parallel worker' LIMIT 1};
	my $result;

	if ($kind eq 'statement_timeout')
	{
		$session->send(sprintf 'SET statement_timeout = %d; %s; SET statement_timeout = 0', 1 + $moment * 1000, $call);
	}
	else
	{
		$session->send($call);
		sleep $moment;
		$watcher->query(
			  $kind eq 'a cancel' ? "SELECT pg_cancel_backend($session->{pid})"
			: $kind eq 'a terminated leader' ? "SELECT pg_terminate_backend($session->{pid})"
			: $kind eq 'a cancelled worker' ? "SELECT pg_cancel_backend(pid) $workers"
			: "SELECT pg_terminate_backend(pid) $workers");
	}
	$result = $session->finish;
	return ($result, $session->{err} =~ /^(?:ERROR|FATAL):  (\w+):/m ? $1 : '00000');
}

# The process IDs of the workers that mine.  They start one after the other, and those that a call leaves its job to
# end at once and come anew.
sub lasting_workers
{
	my ($watcher) = @_;
	# until it says so, a worker may hold locks of the server's
	my $mining = q{SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity WHERE backend_type = 'gpufim worker' AND query LIKE 'mining for %'};
	my $workers = $watcher->query($mining);

	sleep 0.1;
	return $watcher->query($mining) eq $workers ? $workers : '';
}

# A call that is cancelled while it mines with so many workers, and they stand still: their
# slots are not free until the function that this returns is called.  Their process IDs follow it.
sub held_workers
{
	my ($session, $watcher, $workers, $call) = @_;
	my $pids = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'gpufim worker'};
	my $cancel = sub {
		# again if the call had not begun
		eventually(sub { $watcher->query("SELECT pg_cancel_backend($session->{pid})"); $session->finished });
		$session->finish;
	};
	my ($seconds, @held) = (2);

	# workers of other sessions' last calls may hold slots, too, and for those no call waits; but on a slow
	# machine it may take long until workers come
	while (1)
	{
		$session->send("SET gpufim.workers = $workers; $call");
		last if eventually(sub { (@held = split / /, lasting_workers($watcher)) == $workers }, $seconds);
		$cancel->();
		eventually(sub { $watcher->query($pids) eq '' });
		die 'not all workers come' if ($seconds *= 2) > $patience;
	}
	kill 'STOP', @held;
	$cancel->();
	return (sub { kill 'CONT', @held; }, @held);
}

# The GPU worker has done with what it had: no job keeps the GPUs busy, and it holds no job's segments.
sub worker_is_idle
{
	my ($node) = @_;

	eventually(sub { $node->safe_psql('postgres', q{SELECT string_agg(state, ' ') FROM pg_stat_activity WHERE backend_type = 'gpufim GPU worker'}) eq 'idle' })
	  or die 'the GPU worker goes on working';
	return;
}

# Too little memory: each error says which limit to try next, at least twice the one that was too low,
# and numbers that fit each other.  Following it from the first limit, the statement ends well in the
# tenth round at the latest.
sub limits_are_told
{
	my ($session, $statement, %given) = @_;
	my ($first, $workers) = ($given{first} // 384, $given{workers} // 0);
	my $name = "from $first kB, $workers workers: $statement";
	my ($next, $rounds, $fit) = ($first, 0, 1);

	while (defined $next && $rounds < 20)
	{
		my $limit = $next;
		my ($needed, $held, $asked, $allowed);

		$rounds++;
		$session->query("SET gpufim.workers = $workers; SET gpufim.memory_limit = '${limit}kB'; $statement");
		last if $session->{err} eq '';
		note($session->{err} =~ s/\n(CONTEXT|LOCATION).*//sr);
		($needed, $held, $asked, $allowed, $next) = $session->{err} =~ /^ERROR:  53200: not enough memory for .*\nDETAIL:  At least (\d+) kB are needed: (\d+) kB were held when (\d+) kB were asked for\. "gpufim\.memory_limit" allows (\d+) kB\. The next limit to try is (\d+) kB\.\nHINT:  Raise "gpufim\.memory_limit"/;
		# what is needed is a sum, of which both parts are rounded up
		$fit &&= defined $next && $needed > $limit && $needed <= $held + $asked && $needed >= $held + $asked - 1 &&
		  $allowed == $limit && $next >= 2 * $limit && $next >= $needed;
	}
	is($session->{err}, '', "$name: ends well");
	cmp_ok($rounds, '<=', 10, "$name: in the tenth round at the latest");
	cmp_ok($rounds, '>', 1, "$name: and not in the first one");
	ok($fit, "$name: the numbers fit each other");
	$session->query('RESET gpufim.memory_limit; RESET gpufim.workers');
	return;
}

# A call that is in a phase, of which others see what the condition says, ends when it is
# cancelled, alone and with workers, and leaves what "leftovers" said before.  A phase that has an
# end of its own takes a list of arguments: the next ones if it came before the cancel.
sub cancel_ends
{
	my ($node, $before, $session, $watcher, $function, $arguments, $phase, $name, $condition) = @_;

	$condition //= 'true';
	for my $workers (0, 2)
	{
		my $seen;

		for my $those (ref $arguments ? @$arguments : $arguments)
		{
			$session->send("SET gpufim.workers = $workers; SELECT count(*) FROM $function($those)");
			eventually(
				sub {
					$seen = $watcher->query("SELECT count(*) FROM gpufim_progress WHERE pid = $session->{pid} AND function = '$function' AND phase = '$phase' AND $condition");
					$seen || $session->finished;
				});
			$watcher->query("SELECT pg_cancel_backend($session->{pid})");
			$session->finish;
			last if $session->{err} ne '';
		}
		ok($seen, "$name with $workers workers: others see the phase");
		like($session->{err}, qr/^ERROR:  57014: canceling statement due to user request$/m, 'a cancel ends it');
		no_leftovers($node, $before, $name);
	}
	return;
}

# A file of the real data sets, unpacked: a reference to its lines, or undef.
sub data_file
{
	my ($path) = @_;
	my $lines;

	return unless $ENV{GPUFIM_DATA} && -r "$ENV{GPUFIM_DATA}/$path.xz";
	open(my $pipe, '-|', 'xz', '-dc', "$ENV{GPUFIM_DATA}/$path.xz") or return;
	local $/;
	$lines = <$pipe>;
	close $pipe or return;
	return \$lines;
}

# What a query on the CPU gives looks like a pattern, and is the same with any number of workers.  It runs again until one
# has helped.
sub same_as_alone
{
	my ($session, $sql, $pattern, $name) = @_;
	my ($alone, $helped, @other) = ('', 0);

	$session->query('SET gpufim.engine = cpu; SET gpufim.workers = 0');
	$alone = $session->query($sql);
	like($alone, $pattern, $name);
	foreach my $workers (1 .. 3)
	{
		$session->query("SET gpufim.workers = $workers");
		eventually(sub {
			my $found = $session->query($sql);

			push @other, $found if $found ne $alone;
			$helped = $session->query('SELECT workers FROM gpufim_last_run()');
			return $helped > 0 || @other;
		});
		ok($helped > 0 && !@other, "$workers workers, of which $helped helped, find the same") or diag(join "\n", $alone, @other);
	}
	return;
}

# Run a script that unites the parts of calls.  For each call, named in @$expected with its number of parts, it gives the number of rows in which the union and
# the whole differ, of wrong counts, of fingerprints, whether there are none, and the number of parts with rows.  Returns how many calls have rows in
# several parts, and what is wrong.
sub parts_that_fail
{
	my ($node, $name, $script, $expected) = @_;
	my ($out, $err, $divided, @failures) = ('', '', 0);

	$node->psql('postgres', $script, stdout => \$out, stderr => \$err, on_error_stop => 0);
	my @answers = split /\n/, $out;

	is(scalar @answers, scalar @$expected, "$name: every call answered");
	diag(substr $err, 0, 2000) if $err ne '';
	foreach my $i (0 .. min($#answers, $#$expected))
	{
		my ($different, $miscounted, $prints, $none, $concerned) = split /\|/, $answers[$i];
		my ($call, $parts) = @{ $expected->[$i] };

		$divided++ if $concerned > 1;
		push @failures, "$call: $answers[$i]" if $different || $miscounted || $prints != ($parts > 1) || $none ne ($parts > 1 ? 'f' : 't');
	}
	return ($divided, @failures);
}

# A psql that stays, so that calls of one session can be timed and interrupted.
package GpufimTest::Session;

use Time::HiRes qw(sleep time);

my $marker = 0;

sub new
{
	my ($class, $node, $database) = @_;
	my $self = bless { in => '', out => '', err => '' }, $class;
	my @command = (
		'psql', '--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--set',
		'VERBOSITY=verbose', '--dbname', $node->connstr($database || 'postgres'));

	$self->{psql} = IPC::Run::start(\@command, '<', \$self->{in}, '>', \$self->{out}, '2>', \$self->{err});
	$self->{pid} = $self->query('SELECT pg_backend_pid()');
	return $self;
}

# Send statements and do not wait for their end.
sub send
{
	my ($self, $sql) = @_;

	$self->{mark} = 'done ' . ++$marker;
	$self->{out} = $self->{err} = '';
	$self->{in} .= "$sql;\n\\echo $self->{mark}\n\\warn $self->{mark}\n";
	$self->{psql}->pump_nb;
	return;
}

sub finished
{
	my ($self) = @_;

	return 1 if $self->{gone};
	eval { $self->{psql}->pump_nb; 1 } or $self->{gone} = 1;
	$self->{gone} ||= !$self->{psql}->pumpable;
	return $self->{out} =~ /^\Q$self->{mark}\E\n/m && $self->{err} =~ /^\Q$self->{mark}\E\n/m;
}

# Wait for the end of what was sent: its output.  The errors are in {err}.
sub finish
{
	my ($self, $seconds) = @_;
	my $until = time + ($seconds || $GpufimTest::patience);

	until ($self->finished)
	{
		if (time > $until)
		{
			$self->{psql}->kill_kill;
			die "no answer in time; output so far: $self->{out}$self->{err}";
		}
		sleep 0.002;
	}
	$self->{$_} =~ s/^\Q$self->{mark}\E\n//m for 'out', 'err';
	(my $out = $self->{out}) =~ s/\n\z//;
	return $out;
}

sub query
{
	my ($self, $sql, $seconds) = @_;

	$self->send($sql);
	return $self->finish($seconds);
}

# With a timeout that nothing but this statement can meet.
sub query_with_timeout
{
	my ($self, $milliseconds, $sql) = @_;

	return $self->query("BEGIN; SET LOCAL statement_timeout = $milliseconds; $sql; ROLLBACK");
}

# Have the server's process stand still, and go on.
sub freeze
{
	my ($self) = @_;

	kill 'STOP', $self->{pid};
	return;
}

sub thaw
{
	my ($self) = @_;

	kill 'CONT', $self->{pid};
	return;
}

sub quit
{
	my ($self) = @_;

	$self->{in} .= "\\q\n";
	eval { $self->{psql}->finish };
	return;
}

1;
