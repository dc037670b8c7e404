# Every old version, upgraded, is what a fresh install is.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $node = new_node('upgrade', bare => 1);
# The objects of the extension, each with all that a script says of it.  Dropped attributes of a
# type leave nothing that anybody sees.  From 17 on, the type of a row type's arrays is one of them.
my $objects = q{
	SELECT identity, coalesce(md5(definition), 'nothing'), comment, privileges FROM (
		SELECT pg_describe_object(classid, objid, objsubid) AS identity,
			   CASE classid WHEN 'pg_proc'::regclass THEN pg_get_functiondef(objid)
							WHEN 'pg_class'::regclass THEN pg_get_viewdef(objid)
							WHEN 'pg_type'::regclass THEN
								(SELECT string_agg(format('%I %s %L', attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum)), ', ' ORDER BY attnum)
								 FROM pg_attribute WHERE attrelid = (SELECT typrelid FROM pg_type WHERE oid = objid) AND NOT attisdropped) END AS definition,
			   obj_description(objid, classid::regclass::text::name) AS comment,
			   coalesce((SELECT proacl::text FROM pg_proc WHERE oid = objid), (SELECT relacl::text FROM pg_class WHERE oid = objid)) AS privileges
		FROM pg_depend
		WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim')
		  AND NOT (classid = 'pg_type'::regclass AND (SELECT typcategory FROM pg_type WHERE oid = objid) = 'A')
	) AS o ORDER BY 1};
my $current = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'gpufim'});
my @versions = split /\n/, $node->safe_psql('postgres', q{SELECT version FROM pg_available_extension_versions WHERE name = 'gpufim' ORDER BY version});
my $fresh;

# The functions whose result types a version changed, so that it had to drop them.
my %dropped = map { $_ => '0.4.0' } qw(gpufim_last_run gpufim_devices gpufim_progress);

# What the required arguments of functions are given: two rows that are a transaction each as
# arrays, and together one transaction as pairs.  Both ways there are three itemsets.
my %value = (
	source => q{'(VALUES (1, 1, ARRAY[1, 2]), (1, 2, ARRAY[1, 2]))'},
	tid_column => q{'column1'},
	item_column => q{'column2'},
	items_column => q{'column3'},
	minsup => '1',
	item_type => 'NULL::int[]',);

# Each overload of the functions that an installed version has, under a name of its own: its
# function, and a query that calls it.
sub overloads_of
{
	my ($database) = @_;
	# and a view over the view
	my %overloads = (progress_view => { function => 'progress_view', query => 'SELECT * FROM gpufim_progress' });

	for (split /\n/, $node->safe_psql($database, q{
		SELECT proname, row_number() OVER (PARTITION BY proname ORDER BY p.oid),
			   array_to_string(proargnames[1:pronargs - pronargdefaults], ' ')
		FROM pg_proc AS p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
		WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim')}))
	{
		my ($function, $number, $arguments) = split /\|/, $_, -1;
		my $call = "$function(" . join(', ', map { "$_ => $value{$_}" } split / /, $arguments) . ')';

		$overloads{"${function}_$number"} = {
			function => $function,
			query => $function eq 'gpufim_reset' ? "SELECT $call IS NULL AS reset" : "SELECT * FROM $call" };
	}
	return %overloads;
}

# A view, a materialized one, and a function that PostgreSQL knows to
# depend: their names and how they are made.
sub dependents_of
{
	my ($name, $query) = @_;

	return (
		"view public.${name}_view" => "CREATE VIEW ${name}_view AS $query",
		"materialized view public.${name}_later" => "CREATE MATERIALIZED VIEW ${name}_later AS $query WITH NO DATA",
		"function public.${name}_number()" => "CREATE FUNCTION ${name}_number() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM ($query) AS q; END");
}

$node->safe_psql('postgres', "CREATE EXTENSION gpufim VERSION '$current'");
$fresh = $node->safe_psql('postgres', $objects);
like($fresh, qr/function frequent_itemsets/, 'a fresh install has its objects');
unlike($fresh, qr/\|nothing\|/, 'each of them with a definition');
ok((grep { $_ eq '0.1.0' } @versions), 'the first version can be installed');
ok((grep { $_ eq $current } @versions), 'and the current one');
for my $version (grep { $_ ne $current } @versions)
{
	(my $name = "from $version") =~ tr/. /__/;
	my (%stay, %go);

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, "CREATE EXTENSION gpufim VERSION '$version'");
	is($node->safe_psql($name, 'SELECT extversion FROM pg_extension WHERE extname = $$gpufim$$'), $version, "$version is installed");
	is($node->safe_psql($name, 'SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1)'), '3', 'and works with the current library');
	is($node->safe_psql($name, 'SELECT count(*) FROM frequent_itemsets($$(VALUES (ARRAY[1, 2]))$$, $$column1$$, 1); SELECT transactions FROM gpufim_last_run(); SELECT count(*) FROM gpufim_devices() WHERE kind = $$cpu$$'),
		"3\n1\n1", 'as do its other functions');

	# each overload with what depends on it, alone: the update says that it is in
	# the way, or keeps it
	my %overloads = overloads_of($name);
	for my $overload (sort keys %overloads)
	{
		my %made = dependents_of($overload, $overloads{$overload}{query});

		if (($dropped{ $overloads{$overload}{function} } || '') gt $version) { %go = (%go, %made) }
		else { %stay = (%stay, %made) }
	}
	$node->safe_psql($name, join ";\n", values %stay, values %go);
	is($node->safe_psql($name, q{
		SELECT objid::regprocedure FROM pg_depend AS member
		WHERE classid = 'pg_proc'::regclass AND deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpufim')
		  AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.refclassid = member.classid AND d.refobjid = member.objid AND d.classid = 'pg_rewrite'::regclass)}),
		'', 'there are dependents of each overload');
	for my $object (sort keys %go)
	{
		my ($status, $out, $err);

		$node->safe_psql($name, "BEGIN; " . join('', map { "DROP $_; " } grep { $_ ne $object } sort keys %go) . "COMMIT");
		($status, $out, $err) = $node->psql($name, 'ALTER EXTENSION gpufim UPDATE');
		like($err, qr/ERROR:  cannot update extension "gpufim" while other objects depend on functions whose result types change\nDETAIL:  \Q$object\E depends on function gpufim_\w+\(\)\nHINT:  .*pg_get_viewdef.*drop them.*UPDATE again/,
			"from $version: $object is said to be in the way");
		is($node->safe_psql($name, 'SELECT extversion FROM pg_extension WHERE extname = $$gpufim$$'), $version, 'and nothing has changed');
		$node->safe_psql($name, "DROP $object; " . join '', map { "$_; " } values %go);
	}
	{
		my ($status, $out, $err) = $node->psql($name, 'ALTER EXTENSION gpufim UPDATE');
		# from 18 on, the script's statement follows, whose lines do not begin with the kind of an object
		is_deeply([ sort $err =~ /^(?:DETAIL:  )?((?:view|materialized view|function) .*) depends on function/mg ],
			[ sort grep { $version ge '0.3.0' || /last_run/ } keys %go ], "from $version: all that is in the way is listed");
	}
	$node->safe_psql($name, join '; ', map { "DROP $_" } sort keys %go);
	$node->safe_psql($name, 'ALTER EXTENSION gpufim UPDATE');
	is($node->safe_psql($name, 'SELECT extversion FROM pg_extension WHERE extname = $$gpufim$$'), $current, "from $version: is upgraded without");
	is($node->safe_psql($name, $objects), $fresh, "to the objects of a fresh $current");
	$node->safe_psql($name, join ";\n", values %go);
	for my $object (map { /^view public\.(\w+)_view$/ } keys %stay, keys %go)
	{
		my $rows = $node->safe_psql($name, "SELECT * FROM ${object}_view");
		my $number = $node->safe_psql($name, "SELECT ${object}_number()");

		next unless $object =~ /^frequent_itemsets/;
		is(scalar(split /\n/, $rows), 3, "what was built on $object works");
		is($number, '3', 'functions, too');
	}
	is($node->safe_psql($name, "SHOW search_path"), '"$user", public', 'the search path is as before');
}

# From now on a type grows at its end, and what depends on its function stays.  The
# library fills as many columns as there are.
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
