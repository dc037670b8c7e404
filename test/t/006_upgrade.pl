# Every old version, upgraded, is what a fresh install is.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $node = new_node('upgrade', bare => 1);
my $objects = q{
	SELECT identity, md5(coalesce(definition, '')), comment, privileges FROM (
		SELECT pg_describe_object(classid, objid, objsubid) AS identity,
			   CASE classid WHEN 'pg_proc'::regclass THEN pg_get_functiondef(objid)
							WHEN 'pg_class'::regclass THEN pg_get_viewdef(objid) END AS definition,
			   obj_description(objid, classid::regclass::text::name) AS comment,
			   coalesce((SELECT proacl::text FROM pg_proc WHERE oid = objid), (SELECT relacl::text FROM pg_class WHERE oid = objid)) AS privileges
		FROM pg_depend
		WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim')
	) AS o ORDER BY 1};
my $current = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'gpufim'});
my @versions = split /\n/, $node->safe_psql('postgres', q{SELECT version FROM pg_available_extension_versions WHERE name = 'gpufim' ORDER BY version});
my $fresh;

$node->safe_psql('postgres', "CREATE EXTENSION gpufim VERSION '$current'");
$fresh = $node->safe_psql('postgres', $objects);
like($fresh, qr/function frequent_itemsets/, 'a fresh install has its objects');
ok((grep { $_ eq '0.1.0' } @versions), 'the first version can be installed');
ok((grep { $_ eq $current } @versions), 'and the current one');
for my $version (grep { $_ ne $current } @versions)
{
	(my $name = "from $version") =~ tr/. /__/;
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, "CREATE EXTENSION gpufim VERSION '$version'");
	is($node->safe_psql($name, 'SELECT extversion FROM pg_extension WHERE extname = $$gpufim$$'), $version, "$version is installed");
	is($node->safe_psql($name, 'SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)'), '3', 'and works with the current library');
	is($node->safe_psql($name, 'SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1); SELECT transactions FROM gpufim_last_run(); SELECT count(*) FROM gpufim_devices() WHERE kind = $$cpu$$'),
		"3\n1\n1", 'as do its other functions');
	$node->safe_psql($name, q{CREATE VIEW mine AS SELECT * FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)});
	$node->safe_psql($name, 'ALTER EXTENSION gpufim UPDATE');
	is($node->safe_psql($name, 'SELECT extversion FROM pg_extension WHERE extname = $$gpufim$$'), $current, 'is upgraded');
	is($node->safe_psql($name, $objects), $fresh, "to the objects of a fresh $current");
	is($node->safe_psql($name, 'SELECT count(*) FROM mine'), '3', 'and what was built on it works');
	$node->safe_psql($name, 'SELECT * FROM gpufim_last_run()');
}
# Everything a dump needs is in the extension: a dumped view comes back.
$node->safe_psql('postgres', q{CREATE VIEW mine AS SELECT * FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)});
$node->command_ok([ 'pg_dump', '-Fp', '-f', $node->basedir . '/dump.sql', $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $node->basedir . '/dump.sql', $node->connstr('restored') ], 'restore');
is($node->safe_psql('restored', 'SELECT count(*) FROM mine'), '3', 'the restored database mines');
$node->stop;
done_testing();
