# What other programs read in pictures: Python's parsers of JSON and XML, and Graphviz.  Items are the worst
# texts there are, and come back as they were.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../perl";
use GpufimTest;
use Test::More;
use File::Temp qw(tempdir);

my $has_python = !system('python3 -c "import json, xml.etree" 2>/dev/null');
my $has_dot = !system('dot -V 2>/dev/null');
my $node = new_node('pictures');
my $folder = tempdir(CLEANUP => 1);
my $seed = $ENV{GPUFIM_SEED} || 20;

diag('Python or Graphviz is not installed, so not all of the pictures are read') unless $has_python && $has_dot;
# Texts of what has a meaning somewhere, drawn by lot, in transactions of which rules can be made.
$node->safe_psql('postgres', qq{
	CREATE TABLE pieces AS SELECT piece FROM unnest(ARRAY[
		'"', '\\', '\\\\', '\\n', '\\N', '\\G', '\\"', '''', '`', '<', '>', '<b>', '</b>', '&', '&amp;', '&lt', '&#65;', '&#x0;', '{', '}', '|', '[', ']', ';', ',', '%', '%n', '\$x', '#', '//', '/*', '*/',
		' ', '+', '->', '--', E'\\n', E'\\r', E'\\t', E'\\x01', E'\\x1b', E'\\x7f', U&'\\0085', U&'\\00a0', 'ä', '奶', '🧀', U&'\\2028', U&'\\feff', U&'\\fffd', U&'\\ffff', U&'\\+01ffff', 'a', 'B', '0']) AS piece;
	CREATE TABLE worst AS
		SELECT DISTINCT (SELECT string_agg(piece, '' ORDER BY place) FROM (SELECT piece, row_number() OVER (ORDER BY md5(n || piece)) AS place FROM pieces) AS p WHERE place <= 1 + n % 5) AS item
		FROM generate_series($seed, $seed + 89) AS n;
	INSERT INTO worst VALUES ('');
	CREATE TABLE baskets AS SELECT array_agg(item) AS items FROM (SELECT item, ntile(30) OVER (ORDER BY item COLLATE "C") AS basket FROM worst) AS t GROUP BY basket;
	CREATE TABLE itemsets AS SELECT * FROM frequent_itemsets('baskets', 'items', 1, max_length => 1);
	CREATE TABLE rules AS SELECT * FROM association_rules('baskets', 'items', 1, max_length => 2)});
is($node->safe_psql('postgres', 'SELECT (SELECT count(*) FROM itemsets) = (SELECT count(*) FROM worst), count(*) > 80, count(DISTINCT item) = count(*) FROM worst'), 't|t|t', 'there are items');

# Let Python do the rest of a test with the answer to a query and the items, both as the server writes JSON of them.
sub python
{
	my ($query, $program) = @_;
	my $answer = $node->safe_psql('postgres', "SELECT json_build_object('items', (SELECT json_agg(item) FROM worst), 'rules', (SELECT json_agg(json_build_array(antecedent[1], consequent[1])) FROM rules), 'picture', ($query)::text)");

	open(my $file, '>', "$folder/answer.json") or die $!;
	print $file $answer;
	close $file;
	open($file, '>', "$folder/test.py") or die $!;
	print $file "import json, subprocess, sys, xml.etree.ElementTree as tree\n"
	  . "given = json.load(open('$folder/answer.json', encoding='utf-8'))\nitems, picture = given['items'], given['picture']\n"
	  . "rules = sorted(map(tuple, given['rules']))\n"
	  . "def shown(text):\n"
	  . "    return ''.join(chr(0x2400 + ord(c)) if c < ' ' else '\\u2421' if c == '\\x7f' else '\\ufffd' if c in '\\ufffe\\uffff' else c for c in text)\n"
	  . "def drawn(format):\n"
	  . "    return subprocess.run(['dot', '-T' + format], input=picture.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)\n"
	  . $program;
	close $file;
	return scalar `python3 $folder/test.py 2>&1`;
}

SKIP:
{
	skip('python3 is not installed', 3) unless $has_python;
	is(python('SELECT rules_vega(antecedent, consequent, support, confidence, lift) FROM rules', q{
values = json.loads(picture)['data']['values']
print(sorted((v['antecedent'], v['consequent']) for v in values) == rules and len(values) > 80)
}), "True\n", 'a reader of JSON finds each rule');
	is(python('SELECT lengths_vega(support, confidence) FROM rules', q{
print(all(v['number'] == 1 for v in json.loads(picture)['data']['values']))
}), "True\n", 'and numbers');
	is(python(q{SELECT episodes_vega(item, ARRAY[1, 2]) FROM worst}, q{
values = json.loads(picture)['data']['values']
print(sorted(v['partition'] for v in values) == sorted(items + items), {v['time'] for v in values})
}), "True {1, 2}\n", 'and each partition');

	skip('dot is not installed', 4) unless $has_dot;
	# Graphviz writes some blanks as no-break spaces
	my $svg = q{
answer = drawn('svg')
def words(text):
    return ''.join(text.replace('\u00a0', ' ').split())
};
	is(python(q{SELECT itemsets_dot(items, support) FROM itemsets}, $svg . q{
texts = {words(text.text or '') for text in tree.fromstring(answer.stdout).iter('{http://www.w3.org/2000/svg}text')}
expected = {words(shown(i)) for i in items} | {words('%d itemsets' % len(items)), '1'}
print((texts ^ expected) - {''}, answer.stderr.decode())
}), "set() \n", 'Graphviz shows each item as it is, and has nothing to complain about');
	is(python(q{SELECT itemsets_dot(items, support) FROM itemsets}, q{
print(sum(line.startswith('node ') for line in drawn('plain').stdout.decode().split('\n')) == len(items))
}), "True\n", 'no item becomes anything but a node');
	# json of Graphviz has the labels, and the ends of the arrows
	is(python(q{SELECT rules_dot(antecedent, consequent, support, confidence, lift) FROM rules WHERE antecedent < consequent}, q{
graph = json.loads(drawn('json').stdout)
nodes, arrows = graph['objects'], graph.get('edges', [])
text = {n['_gvid']: words for n in nodes for words in [''.join(op['text'] for op in n.get('_ldraw_', []) if op['op'] == 'T')]}
ends = {(text[a['tail']], text[a['head']]) for a in arrows}
known = {(shown(a), shown(c)) for a, c in rules}
print(len(arrows) > 20, ends <= known)
}), "True True\n", 'and arrows are between the items of a rule');
	like(python(q{SELECT rules_dot(antecedent, consequent, support, confidence, lift) FROM rules WHERE false}, $svg . q{
print([text.text for text in tree.fromstring(answer.stdout).iter('{http://www.w3.org/2000/svg}text')])
}), qr/^\['0 rules', /, 'a picture without rules is one');
}

# Where the encoding has no symbols of control characters.
$node->safe_psql('postgres', q{CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0});
$node->safe_psql('latin', 'CREATE EXTENSION gpufim');
is($node->safe_psql('latin', q{SELECT strpos(convert_to(itemsets_dot(ARRAY[E'a\nb' || chr(228)], 1), 'UTF8')::text, encode('a?bä', 'hex')) > 0 FROM (SELECT set_config('client_encoding', 'UTF8', false)) AS s}), 't', 'in LATIN1, they are question marks');
$node->stop;
done_testing();
