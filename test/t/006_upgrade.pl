# Every old version, upgraded, is what a fresh install is, and nothing that was built on it has to be
# dropped.  A next version is made up for that: its script is the current one's with the update's
# statements at its end, which do what a release may do.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
my $scripts = `$pg_config --sharedir` =~ s{\n}{/extension}r;
plan skip_all => "$scripts cannot be written to" unless -w $scripts;

my $node = new_node('upgrade', bare => 1);
# The objects of the extension, each with all that a script says of it.  Dropped attributes of a
# type leave nothing that anybody sees.  From 17 on, the type of a row type's arrays is one of them.
my $objects = q{
	SELECT identity, coalesce(md5(definition), 'nothing'), comment, privileges FROM (
		SELECT pg_describe_object(classid, objid, objsubid) AS identity,
			   CASE classid WHEN 'pg_proc'::regclass THEN
								CASE WHEN EXISTS (SELECT FROM pg_aggregate WHERE aggfnoid = objid)
									 THEN (SELECT (to_jsonb(a) || jsonb_build_object('aggtranstype', aggtranstype::regtype))::text FROM pg_aggregate AS a WHERE aggfnoid = objid)
									 ELSE pg_get_functiondef(objid) END
							WHEN 'pg_class'::regclass THEN pg_get_viewdef(objid)
							WHEN 'pg_type'::regclass THEN
								coalesce((SELECT string_agg(format('%I %s %L', attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum)), ', ' ORDER BY attnum)
										  FROM pg_attribute WHERE attrelid = (SELECT typrelid FROM pg_type WHERE oid = objid) AND NOT attisdropped),
										 (SELECT concat_ws(' ', typtype, typlen, typalign, typstorage, typinput, typoutput, typreceive, typsend, typbasetype::regtype)
										  FROM pg_type WHERE oid = objid)) END AS definition,
			   obj_description(objid, classid::regclass::text::name) AS comment,
			   coalesce((SELECT proacl::text FROM pg_proc WHERE oid = objid), (SELECT relacl::text FROM pg_class WHERE oid = objid)) AS privileges
		FROM pg_depend
		WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim')
		  AND NOT (classid = 'pg_type'::regclass AND (SELECT typcategory FROM pg_type WHERE oid = objid) = 'A')
	) AS o ORDER BY 1};
my $current = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'gpufim'});
my $next = "$current.next";
my @made_up = ("$scripts/gpufim--$next.sql", "$scripts/gpufim--$current--$next.sql");
my $update = q{
ALTER TYPE gpufim_run ADD ATTRIBUTE made_up text;
CREATE FUNCTION gpufim_made_up(n int = 1) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT n';
COMMENT ON FUNCTION gpufim_made_up(int) IS 'What a later version adds';
COMMENT ON FUNCTION gpufim_last_run() IS 'What a later version says';
};

# What users build on functions of each family and on those that report.
my %query = (
	itemsets => q{SELECT * FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)},
	typed => q{SELECT * FROM frequent_itemsets('(VALUES (1, 1), (1, 2))', 'column1', 'column2', 1, NULL::int[])},
	probable => q{SELECT * FROM probable_itemsets('(VALUES (1, 1, 0.5), (1, 2, 1.0))', 'column1', 'column2', 'column3', 1, 0.5)},
	episodes => q{SELECT * FROM frequent_episodes('(VALUES (1, 1), (2, 2), (1, 3))', 'column1', 'column2', 1, '{"(0,1]"}')},
	pairs => q{SELECT * FROM join_project_count('(VALUES (1, 1), (1, 2))', 'column1', 'column2', '(VALUES (1, 1), (1, 2))', 'column1', 'column2')},
	sets => q{SELECT r, s::text FROM (SELECT transaction_set(ARRAY[1, 2]) AS s) AS made, transaction_set_rows(s) AS r},
	last_run => 'SELECT * FROM gpufim_last_run()',
	devices => 'SELECT * FROM gpufim_devices()',
	progress => 'SELECT * FROM gpufim_progress');

sub slurp
{
	my ($file) = @_;

	open(my $handle, '<', $file) or die "$file: $!";
	local $/ = undef;
	return scalar <$handle>;
}

sub spew
{
	my ($file, $text) = @_;

	open(my $handle, '>', $file) or die "$file: $!";
	print $handle $text;
	close($handle) or die "$file: $!";
	return;
}

# A view, a materialized one, and a function that PostgreSQL knows to depend.
sub build
{
	my ($database) = @_;

	$node->safe_psql($database, "
		CREATE VIEW ${_}_view AS $query{$_};
		CREATE MATERIALIZED VIEW ${_}_later AS $query{$_} WITH NO DATA;
		CREATE FUNCTION ${_}_number() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM ($query{$_}) AS q; END")
	  for sort keys %query;
	return;
}

# How many rows each view has; refreshing the materialized ones shows that these work, too.
sub counts
{
	my ($database) = @_;

	return join ' ', map { $node->safe_psql($database, "REFRESH MATERIALIZED VIEW ${_}_later; SELECT count(*) || '=' || ${_}_number() FROM ${_}_view") } grep { !/last_run/ } sort keys %query;
}

END { unlink @made_up if @made_up }
spew($made_up[0], slurp("$scripts/gpufim--$current.sql") . $update);
spew($made_up[1], $update);
my @versions = split /\n/, $node->safe_psql('postgres', q{SELECT version FROM pg_available_extension_versions WHERE name = 'gpufim' ORDER BY version});
my ($fresh, $before);

$node->safe_psql('postgres', "CREATE EXTENSION gpufim VERSION '$current'");
$before = $node->safe_psql('postgres', $objects);
like($before, qr/function frequent_itemsets/, 'a fresh install has its objects');
unlike($before, qr/\|nothing\|/, 'each of them with a definition');
$node->safe_psql('postgres', 'CREATE DATABASE later');
$node->safe_psql('later', "CREATE EXTENSION gpufim VERSION '$next'");
$fresh = $node->safe_psql('later', $objects);
isnt($fresh, $before, 'the next version has others');
is(scalar(grep { $_ eq $current || $_ eq $next } @versions), 2, 'both can be installed');
for my $version (grep { $_ ne $next } @versions)
{
	(my $name = "from $version") =~ tr/. /__/;
	my $rows;

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, "CREATE EXTENSION gpufim VERSION '$version'");
	is($node->safe_psql($name, 'SELECT extversion FROM pg_extension WHERE extname = $$gpufim$$'), $version, "$version is installed");
	build($name);
	$rows = counts($name);
	like($rows, qr/^(\d+)=\1 5=5 3=3 1=1 3=3 0=0 1=1 3=3$/, 'and what is built on it works with the current library');
	$node->safe_psql($name, "ALTER EXTENSION gpufim UPDATE TO '$next'");
	is($node->safe_psql($name, 'SELECT extversion FROM pg_extension WHERE extname = $$gpufim$$'), $next, "from $version: is upgraded");
	is($node->safe_psql($name, $objects), $fresh, "to the objects of a fresh $next");
	is(counts($name), $rows, 'and all of it works as before');
	is($node->safe_psql($name, 'SHOW search_path'), '"$user", public', 'the search path is as before');
}

# The library fills as many columns as a type has.
$node->safe_psql('postgres', q{
	CREATE TYPE short_run AS (function text, started timestamptz, completed boolean, rows_read bigint);
	CREATE FUNCTION short_last_run() RETURNS SETOF short_run AS '$libdir/gpufim', 'gpufim_last_run' LANGUAGE C;
	CREATE VIEW over_type AS SELECT * FROM short_last_run();
	CREATE VIEW over_row AS SELECT r FROM short_last_run() AS r;
	ALTER TYPE short_run ADD ATTRIBUTE transactions bigint});
is($node->safe_psql('postgres', q{
	SELECT FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1);
	SELECT function, rows_read FROM over_type;
	SELECT (r).rows_read FROM over_row;
	SELECT transactions FROM short_last_run()}) =~ s/^\n+//r, "frequent_itemsets|1\n1\n1", 'a type that grows breaks no view');
is($node->safe_psql('postgres', q{
	SELECT count(*) FROM pg_type AS t JOIN pg_proc AS p ON p.prorettype = t.oid
	WHERE p.proname IN ('gpufim_last_run', 'gpufim_devices', 'gpufim_progress') AND t.typtype = 'c'}),
	'3', 'the functions that report return types that can grow');
# Everything a dump needs is in the extension: a dumped view comes back.
$node->safe_psql('postgres', q{CREATE VIEW mine AS SELECT * FROM frequent_itemsets('(VALUES (ARRAY[1, 2]))', 'column1', 1)});
$node->command_ok([ 'pg_dump', '-Fp', '-f', $node->basedir . '/dump.sql', $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $node->basedir . '/dump.sql', $node->connstr('restored') ], 'restore');
is($node->safe_psql('restored', 'SELECT count(*) FROM mine'), '3', 'the restored database mines');
$node->stop;
done_testing();
