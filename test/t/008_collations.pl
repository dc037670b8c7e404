# Equality that is not that of the bytes: nondeterministic collations, citext,
# and order that is not that of the bytes.  Needs ICU, and the contrib modules.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;

my $node = new_node('collations');

sub answer
{
	my ($sql) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err);
	return $out . $err;
}

# UTF-8 in items, names and filters.
is(answer("CREATE TABLE \"h\xc3\xb6lle\" AS SELECT '{\xc3\xa4,b}'::text[] AS \"\xc3\xbcn\xc3\xaf\"; SELECT count(*) FROM frequent_itemsets('\"h\xc3\xb6lle\"', '\xc3\xbcn\xc3\xaf', 1)"), '3', 'names beyond ASCII');
is(answer("SELECT items FROM frequent_itemsets('\"h\xc3\xb6lle\"', '\xc3\xbcn\xc3\xaf', 1, including => '{\xc3\xa4}', max_length => 1)"), "{\xc3\xa4}", 'items and filters beyond ASCII');

SKIP:
{
	# such a server may have ICU's collations in its catalog and refuse to use them
	skip 'this server was built without ICU', 11
	  if answer(q{CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false)}) =~ /ICU is not supported/;

	$node->safe_psql('postgres', q{
		CREATE COLLATION german (provider = icu, locale = 'de');
		CREATE TABLE words (id int, items text[] COLLATE folded);
		INSERT INTO words VALUES (1, '{Milk,BREAD}'), (2, '{milk,Bread,mILK}'), (3, '{MILK}'), (4, '{eggs}');
		CREATE VIEW pairs AS SELECT id, unnest(items) AS item FROM words;
		CREATE TABLE keys (id text COLLATE folded, item int);
		INSERT INTO keys VALUES ('A', 1), ('a', 2), ('b', 1), ('B', 2);
		CREATE TABLE ordered (items text[] COLLATE german);
		INSERT INTO ordered VALUES ('{b,a,B,A}');
	});
	is(answer(q{SELECT lower(items::text), support FROM frequent_itemsets('words', 'items', 2) ORDER BY 1}), "{bread,milk}|2\n{bread}|2\n{milk}|3", 'a nondeterministic collation, arrays');
	is(answer(q{SELECT lower(items::text), support FROM frequent_itemsets('pairs', 'id', 'item', 2) ORDER BY 1}), "{bread,milk}|2\n{bread}|2\n{milk}|3", 'pairs');
	is(answer(q{SELECT lower(items::text), support FROM frequent_itemsets('words', 'items', 1, including => '{MiLk}', excluding => '{brEAD}')}), '{milk}|3', 'filters');
	is(answer(q{SELECT items, support FROM frequent_itemsets('keys', 'id', 'item', 2) ORDER BY 1}), "{1}|2\n{1,2}|2\n{2}|2", 'transaction ids that are equal and do not look it');
	is(answer(q{SELECT lower(left_value), lower(right_value), witnesses FROM join_project('pairs', 'id', 'item', 'pairs', 'id', 'item', 2) ORDER BY 1, 2}), "bread|bread|2\nbread|milk|2\nmilk|bread|2\nmilk|milk|3", 'values of pairs');
	is(answer(q{SELECT * FROM join_project('keys', 'id', 'item', '(SELECT upper(id) COLLATE folded AS id, item FROM keys)', 'id', 'item') ORDER BY 1, 2}), "1|1|2\n1|2|2\n2|1|2\n2|2|2", 'keys of two sources');
	is(answer(q{SELECT * FROM join_project('(SELECT ''A''::text AS id, 7 AS item)', 'id', 'item', 'keys', 'id', 'item') ORDER BY 1, 2}), "7|1|1\n7|2|1", 'a collation that only the other source has');
	is(answer(q{SELECT count(*) FROM similar_sets('words', 'id', 'items', 0.6)}) . answer(q{SELECT lower(item1), lower(item2), support FROM frequent_pairs('words', 'items', 2)}), '1bread|milk|2', 'sets and pairs of items');
	is(answer(q{SELECT lower(events::text), support FROM frequent_episodes('(SELECT at, kind COLLATE folded AS kind, who COLLATE folded AS who FROM (VALUES (1, ''A'', ''x''), (2, ''b'', ''X''), (3, ''a'', ''x''), (4, ''B'', ''X''), (5, ''b'', ''y'')) AS v(at, kind, who))', 'kind', 'at', 1, '{"(0,1]"}', min_length => 2, max_length => 2, partition_column => 'who') ORDER BY 1}), "{a,b}|2\n{b,a}|1", 'types of events and partitions');
	is(answer(q{SELECT items FROM frequent_itemsets('ordered', 'items', 1, kind => 'closed')}), '{a,A,b,B}', 'items come in the order of their collation');
	is(answer(q{SELECT items FROM frequent_itemsets('(SELECT (array_agg(item COLLATE german)) AS items FROM unnest(''{b,B,a}''::text[]) AS item)', 'items', 1, kind => 'maximal')}), '{a,b,B}', 'also in a query');
}

SKIP:
{
	skip 'contrib/citext is not installed', 5
	  unless answer(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'citext'}) eq '1';

	$node->safe_psql('postgres', q{
		CREATE EXTENSION citext;
		CREATE TABLE shouts (id citext, items citext[]);
		INSERT INTO shouts VALUES ('a', '{Milk,BREAD}'), ('B', '{milk,Bread,mILK}'), ('c', '{MILK}');
	});
	is(answer(q{SELECT lower(items::text), support FROM frequent_itemsets('shouts', 'items', 2) ORDER BY 1}), "{bread,milk}|2\n{bread}|2\n{milk}|3", 'citext, arrays');
	is(answer(q{SELECT count(*), sum(witnesses) FROM join_project('(SELECT id, unnest(items) AS item FROM shouts)', 'item', 'id', '(SELECT upper(id::text)::citext AS id, unnest(items) AS item FROM shouts)', 'item', 'id')}), '9|13', 'citext, pairs of values');
	is(answer(q{SELECT lower(items::text), support FROM frequent_itemsets('(SELECT id, unnest(items) AS item FROM shouts UNION ALL SELECT upper(id::text)::citext, unnest(items) FROM shouts)', 'id', 'item', 2) ORDER BY 1}), "{bread,milk}|2\n{bread}|2\n{milk}|3", 'pairs');
	is(answer(q{SELECT lower(events::text), support FROM frequent_episodes('(SELECT at, kind::citext, who::citext FROM (VALUES (1, ''A'', ''x''), (2, ''b'', ''X''), (3, ''a'', ''x''), (4, ''B'', ''X''), (5, ''b'', ''y'')) AS v(at, kind, who))', 'kind', 'at', 1, '{"(0,1]"}', min_length => 2, max_length => 2, partition_column => 'who') ORDER BY 1}), "{a,b}|2\n{b,a}|1", 'types of events and partitions');
	is(answer(q{SELECT pg_typeof(items), support FROM frequent_itemsets('shouts', 'items', 3, NULL::citext[], including => '{MILk}')}), 'citext[]|3', 'with a witness');
}

SKIP:
{
	skip 'contrib/hstore is not installed', 1
	  unless answer(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'hstore'}) eq '1';

	$node->safe_psql('postgres', 'CREATE EXTENSION hstore');
	is(answer(q{SELECT items, support FROM frequent_itemsets('(SELECT id, item::hstore FROM (VALUES (1, ''a=>1,b=>2''), (2, ''b=>2,a=>1''), (2, ''c=>3'')) AS v(id, item))', 'id', 'item', 2)}),
		q{{"\"a\"=>\"1\", \"b\"=>\"2\""}|2}, 'an extension\'s type with classes of its own');
}
$node->stop;
done_testing();
