# gpufim_progress: one's own call without preload, everybody's with it; and the
# notice that results explode.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $node = new_node('progress');
my $setup = q{
	CREATE TABLE equal AS SELECT array_agg(k::smallint) AS items FROM generate_series(1, 40) AS k;
	CREATE SEQUENCE read;
};
my $endless = q{(SELECT ARRAY[n % 1000, n % 77] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)};
my ($session, $watcher);

$node->safe_psql('postgres', $setup);
$session = GpufimTest::Session->new($node);
$watcher = GpufimTest::Session->new($node);
$session->send(q{SELECT count(*) FROM frequent_itemsets('(SELECT ARRAY[nextval(''read'')] AS items FROM (SELECT generate_series(1, 2000000000) AS n) AS s)', 'items', 0.5)});
ok(eventually(sub { $watcher->query('SELECT last_value FROM read') > 1000 }), 'a call reads');
is($watcher->query('SELECT count(*) FROM gpufim_progress'), '0', 'without preload other sessions are not seen');
$watcher->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish;
$_->quit for $session, $watcher;

$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gpufim'");
$node->restart;
$session = GpufimTest::Session->new($node);
$watcher = GpufimTest::Session->new($node);
$session->send("SELECT count(*) FROM frequent_itemsets(\$\$$endless\$\$, 'items', 0.5)");
ok(eventually(sub { $watcher->query("SELECT phase = 'reading' FROM gpufim_progress WHERE pid = $session->{pid}") eq 't' }),
	'with preload they are');
like($watcher->query(q{SELECT function, elapsed > interval '0', workers FROM gpufim_progress}), qr/^frequent_itemsets\|t\|0?$/, 'with function and time');
my $done = $watcher->query('SELECT done FROM gpufim_progress');
ok(eventually(sub { $watcher->query('SELECT done FROM gpufim_progress') > $done }), 'rows read so far are counted');
# Another user sees that, as in pg_stat_activity, or nothing; never an error.
$node->safe_psql('postgres', 'CREATE ROLE somebody LOGIN');
is($node->psql('postgres', 'SET ROLE somebody; SELECT * FROM gpufim_progress'), 0, 'any role may read the view');
$watcher->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish;
ok(eventually(sub { $watcher->query('SELECT count(*) FROM gpufim_progress') eq '0' }), 'a cancelled call is gone');

# What a SECURITY DEFINER function does is its owner's, whoever runs it.
$node->safe_psql('postgres', "CREATE FUNCTION mine_endless() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS \$f\$ SELECT count(*) FROM frequent_itemsets(\$\$$endless\$\$, 'items', 0.5) \$f\$");
$session->send('SET SESSION AUTHORIZATION somebody; SELECT mine_endless()');
ok(eventually(sub { $watcher->query('SELECT function FROM gpufim_progress') eq 'frequent_itemsets' }), 'the owner sees what a function does');
is($watcher->query("SET ROLE somebody; SELECT pid = $session->{pid}, function, done FROM gpufim_progress; RESET ROLE"), 't||', 'and who runs it only sees that something runs');
$watcher->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish;
$session->query('RESET SESSION AUTHORIZATION');

$session->send(q{SELECT count(whole) FROM frequent_itemsets('equal', 'items', 1, NULL::smallint[], max_length => 8) AS whole});
ok(eventually(sub { $watcher->query(q{SELECT phase = 'mining' AND itemsets > 1000000 FROM gpufim_progress}) eq 't' }),
	'the number of results so far is seen');
like($watcher->query('SELECT level FROM gpufim_progress'), qr/^[1-8]$/, 'and the level');
# this many take their time on a busy machine
ok(eventually(sub { $watcher->query('SELECT coalesce(max(itemsets), 0) > 10100000 FROM gpufim_progress') eq 't' }, 1800), 'until there are many');
$watcher->query("SELECT pg_cancel_backend($session->{pid})");
$session->finish;
my @notices = $session->{err} =~ /^(NOTICE:.*)$/mg;
is(scalar @notices, 1, 'one notice of so many results');
like($notices[0] || '', qr/^NOTICE:  00000: .* takes 256 MB of temporary files so far$/, 'with their size');

# Two calls at once, both seen; a terminated session is not left in the view.
my @sessions = map { GpufimTest::Session->new($node) } 1 .. 2;
$_->send("SELECT count(*) FROM frequent_itemsets(\$\$$endless\$\$, 'items', 0.5)") for @sessions;
ok(eventually(sub { $watcher->query('SELECT count(*) FROM gpufim_progress') eq '2' }), 'two calls');
$watcher->query("SELECT pg_terminate_backend($_->{pid})") for @sessions;
ok(eventually(sub { $watcher->query('SELECT count(*) FROM gpufim_progress') eq '0' }), 'terminated, they are gone');
$_->finish for @sessions;
# A nested call within a call.
is($session->query(q{SELECT count(*) FROM frequent_itemsets('(SELECT items FROM frequent_itemsets(''(SELECT ARRAY[pid] AS items FROM gpufim_progress)'', ''items'', 1))', 'items', 1)}),
	'1', 'a call within a call');
is($watcher->query('SELECT count(*) FROM gpufim_progress'), '0', 'leaves no entry');
$node->stop;
done_testing();
