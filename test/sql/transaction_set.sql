-- transaction_set: transactions as a value, what it is made of, and mining it.
CREATE TABLE sold (shop int, receipt int, article text);
INSERT INTO sold SELECT n % 3, n, a
FROM generate_series(1, 120) AS n, unnest('{ale,bread,cheese,dates,eggs,figs}'::text[]) WITH ORDINALITY AS u(a, k)
WHERE (n * 37 >> (k - 1)::int) % 2 = 1;
CREATE TABLE receipts AS SELECT shop, receipt, array_agg(article ORDER BY article DESC) AS articles FROM sold GROUP BY 1, 2;

-- arrays: NULL arrays are skipped, NULL items left out, repeated items counted once, and an empty array is a transaction
SELECT i.* FROM (SELECT transaction_set(x) AS s FROM (VALUES ('{b,a,b}'::text[]), (NULL), ('{}'), ('{NULL,a}'), ('{{a},{c}}')) AS v(x)) AS g,
	 transaction_set_info(s) AS i;
SELECT i.* FROM (SELECT transaction_set(x) AS s FROM (VALUES ('{b,a,b}'::text[]), (NULL), ('{}'), ('{NULL,a}'), ('{{a},{c}}')) AS v(x)) AS g,
	 transaction_set_items(s) AS i;
SELECT r FROM (SELECT transaction_set(x) AS s FROM (VALUES ('{b,a,b}'::text[]), (NULL), ('{}'), ('{NULL,a}'), ('{{a},{c}}')) AS v(x)) AS g,
	 transaction_set_rows(s) AS r ORDER BY r;
-- pairs: NULL ids are skipped, and a NULL item makes a transaction without items
SELECT i.* FROM (SELECT transaction_set(t, x) AS s FROM (VALUES (1, 'b'), (2, 'a'), (1, 'a'), (NULL, 'c'), (3, NULL), (1, 'b')) AS v(t, x)) AS g,
	 transaction_set_info(s) AS i;
SELECT r FROM (SELECT transaction_set(t, x) AS s FROM (VALUES (1, 'b'), (2, 'a'), (1, 'a'), (NULL, 'c'), (3, NULL), (1, 'b')) AS v(t, x)) AS g,
	 transaction_set_rows(s) AS r ORDER BY r;
-- no rows make no set, and rows without transactions make an empty one
SELECT transaction_set(articles) IS NULL AS no_rows FROM receipts WHERE false;
SELECT i.* FROM (SELECT transaction_set(NULL::int[]) AS s) AS g, transaction_set_info(s) AS i;
SELECT i.* FROM (SELECT transaction_set(NULL::int, 1::bigint) AS s) AS g, transaction_set_info(s) AS i;
SELECT * FROM (SELECT transaction_set(NULL::int[]) AS s) AS g, frequent_itemsets(s, 1);
SELECT transaction_set(NULL::transaction_set), transaction(NULL::int[]);
SELECT transaction_set_union(NULL::transaction_set) FROM receipts;
-- equal transactions are one record, so this has the size of one
SELECT i.* FROM (SELECT transaction_set('{1,2,3}'::int[]) AS s FROM generate_series(1, 1000)) AS g, transaction_set_info(s) AS i;
SELECT count(*) FROM (SELECT transaction_set('{1,2,3}'::int[]) AS s FROM generate_series(1, 1000)) AS g, transaction_set_rows(s);
-- items whose numbers lie so far apart that differences take one byte, two or three
CREATE TABLE apart AS SELECT array_agg(n ORDER BY n) AS items FROM generate_series(1, 100000) AS n GROUP BY n % 700
UNION ALL SELECT ARRAY[n, n + 100, n + 70000] FROM generate_series(1, 100) AS n;
SELECT count(*) FROM apart;
SELECT count(*) FROM (TABLE apart INTERSECT ALL SELECT ARRAY(SELECT unnest(r) ORDER BY 1)
	FROM (SELECT transaction_set(items) AS s FROM apart) AS g, transaction_set_rows(s, NULL::int[]) AS r) AS same;
SELECT count(*) FROM (TABLE apart INTERSECT ALL SELECT ARRAY(SELECT unnest(r)::int ORDER BY 1)
	FROM (SELECT transaction_set(items::text[]) AS s FROM apart) AS g, transaction_set_rows(s, NULL::text[]) AS r) AS same;
DROP TABLE apart;
-- other types of arrays
SELECT i.* FROM (SELECT transaction_set(ARRAY[n, 7]::bigint[]) AS s FROM generate_series(1, 3) AS n) AS g, transaction_set_items(s, NULL::bigint[]) AS i;
SELECT i.* FROM (SELECT transaction_set('{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'::uuid[])) AS g(s), transaction_set_items(s, NULL::uuid[]) AS i;
SELECT transaction_set_rows(transaction('{2020-02-29,infinity}'::date[]), NULL::date[]);
SELECT i.item, i.support FROM (SELECT transaction_set(n, ARRAY[n % 2, NULL]) AS s FROM generate_series(1, 3) AS n) AS g, transaction_set_items(s) AS i;
SELECT * FROM transaction_set_rows(NULL, NULL::int[]);
SELECT * FROM transaction_set_items(NULL, NULL::int[]);

-- the most frequent items come first, however frequent they are and in whatever order they have come
SELECT count(*), min(support), max(support), bool_and(support < before) AS descending
FROM (SELECT support, lag(support, 1, 100000::bigint) OVER (ORDER BY place) AS before
	  FROM (SELECT transaction_set(ARRAY(SELECT k FROM generate_series(100, 70000, 100) AS k WHERE k >= n)) AS s FROM generate_series(50, 70000, 50) AS n) AS g,
		   transaction_set_items(s) WITH ORDINALITY AS i(item, support, place)) AS ordered;
-- pairs in any order, with ids and items of any size and NULL here and there: what a group keeps of few and of many
CREATE FUNCTION pg_temp.wrong_rows(id text, item text, pairs int, place text, OUT transactions bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TEMP TABLE pairs ON COMMIT DROP AS SELECT %s AS id, %s AS item, %s AS place FROM generate_series(1, %s) AS n', id, item, place, pairs);
	CREATE TEMP TABLE made ON COMMIT DROP AS
		SELECT ARRAY(SELECT i FROM unnest(r) AS i ORDER BY i COLLATE "C") AS items
		FROM (SELECT transaction_set(p.id, p.item ORDER BY p.place) AS s FROM pairs AS p) AS g, transaction_set_rows(s) AS r;
	CREATE TEMP TABLE expected ON COMMIT DROP AS
		SELECT coalesce(array_agg(DISTINCT p.item::text COLLATE "C" ORDER BY p.item::text COLLATE "C") FILTER (WHERE p.item IS NOT NULL), '{}') AS items
		FROM pairs AS p WHERE p.id IS NOT NULL GROUP BY p.id;
	SELECT count(*) INTO transactions FROM made;
	SELECT count(*) INTO wrong FROM ((TABLE made EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE made)) AS w;
	DROP TABLE pairs, made, expected;
END $$;
SELECT pairs, place, id, item, w.*
FROM (VALUES (1, 'n'), (2000, 'n'), (2000, 'n * 7919 % 2003'), (25000, 'n'), (25000, 'n::bigint * 7919 % 25013')) AS p(pairs, place),
	 (VALUES ('CASE WHEN n % 13 > 0 THEN n / 5 END', 'CASE WHEN n % 11 > 0 THEN n * 7 % 50 END'),
			 ($$'basket ' || n / 3$$, $$CASE WHEN n % 11 > 0 THEN repeat('x', n % 200) || n % 50 END$$),
			 ('(n / 5)::numeric', 'md5((n % 50)::text)::uuid'), ('(n / 5)::smallint', '(n % 50)::bigint')) AS v(id, item),
	 pg_temp.wrong_rows(id, item, pairs, place) AS w
ORDER BY pairs, place, id;

-- mining gives what mining the source gives
CREATE TABLE sets AS SELECT transaction_set(articles) AS s FROM receipts;
SELECT * FROM brute.compare('SELECT items, support FROM sets, frequent_itemsets(s, 20)', 'SELECT receipt, article FROM sold', 20);
SELECT * FROM brute.compare('SELECT items, support FROM sets, frequent_itemsets(s, 0.1, kind => ''closed'')', 'SELECT receipt, article FROM sold', 12, 'closed');
SELECT * FROM brute.compare('SELECT items, support FROM sets, frequent_itemsets(s, 3, kind => ''closed'', min_length => 2, max_length => 4, including => ''{ale}'', excluding => ''{figs,gin}'')',
							'SELECT receipt, article FROM sold', 3, 'closed', 2, 4, '{ale}', '{figs}');
SELECT * FROM brute.compare('SELECT items, support FROM sets, frequent_itemsets(s, 3, 2, 3, ''closed'', ''{ale}'')', 'SELECT receipt, article FROM sold', 3, 'closed', 2, 3, '{ale}');
SELECT * FROM brute.compare('SELECT items, support FROM (SELECT transaction_set(receipt, article) AS s FROM sold) AS g, frequent_itemsets(s, NULL::text[], 5)',
							'SELECT receipt, article FROM sold', 5);
SELECT sum(itemsets) = (SELECT count(*) FROM frequent_itemsets('sold', 'receipt', 'article', 3)) AS same FROM sets, itemset_counts(s, 3);
SELECT count(*) FROM sets, frequent_itemsets(s, 1000);
SELECT count(*) FROM sets, frequent_itemsets(s, 1, kind => 'maximal');
SELECT function, rows_read, transactions, distinct_items FROM gpufim_last_run();
-- by groups, and the union of the groups is the whole
CREATE TABLE shops AS SELECT shop, transaction_set(receipt, article) AS s FROM sold GROUP BY shop;
SELECT shop, (SELECT count(*) FROM (SELECT items, support FROM frequent_itemsets(g.s, 8)
									EXCEPT ALL SELECT brute.sorted(items), support FROM brute.mine(format('SELECT receipt, article FROM sold WHERE shop = %s', shop), 8)) AS wrong) AS wrong,
	   (SELECT count(*) FROM frequent_itemsets(g.s, 8)) = (SELECT count(*) FROM brute.mine(format('SELECT receipt, article FROM sold WHERE shop = %s', shop), 8)) AS as_many
FROM shops AS g ORDER BY shop;
SELECT * FROM brute.compare('SELECT items, support FROM (SELECT transaction_set_union(s) AS s FROM shops) AS g, frequent_itemsets(s, 20)', 'SELECT receipt, article FROM sold', 20);
SELECT * FROM brute.compare('SELECT items, support FROM (SELECT transaction_set(transaction(articles)) AS s FROM receipts) AS g, frequent_itemsets(s, 20)', 'SELECT receipt, article FROM sold', 20);
-- an id that is in two sets is two transactions of their union
SELECT i.transactions FROM (SELECT transaction_set_union(s) AS s FROM (SELECT transaction_set(1, n) AS s FROM generate_series(1, 2) AS n GROUP BY n) AS one) AS two,
	 transaction_set_info(s) AS i;
-- other functions
SELECT count(*) FROM (SELECT r.* FROM sets, association_rules(s, 5, minconf => 0.2, max_consequent => NULL, antecedent_excluding => '{figs}') AS r
					  EXCEPT SELECT * FROM association_rules('receipts', 'articles', 5, 0.2, max_consequent => NULL, antecedent_excluding => '{figs}')) AS wrong;
SELECT (SELECT count(*) FROM sets, association_rules(s, NULL::text[], 5, 0.2)) = count(*) AS same FROM association_rules('receipts', 'articles', 5, 0.2);
SELECT count(*) FROM (SELECT r.* FROM sets, similar_items(s, 3, 2, 'lift') AS r EXCEPT SELECT * FROM similar_items('receipts', 'articles', 3, 'lift', 2)) AS wrong;
SELECT (SELECT count(*) FROM sets, similar_items(s, NULL::text[], 3)) = count(*) AS same FROM similar_items('receipts', 'articles', 3);
SELECT count(*) FROM (SELECT r.* FROM sets, frequent_pairs(s, 0.05) AS r EXCEPT SELECT * FROM frequent_pairs('receipts', 'articles', 0.05)) AS wrong;
SELECT (SELECT count(*) FROM sets, frequent_pairs(s, NULL::text[], 1)) = count(*) AS same FROM frequent_pairs('receipts', 'articles', 1);
-- calls with literals mean what they meant before there was the type
SELECT count(*) FROM frequent_itemsets('sold', 'receipt', 'article', 20);
SELECT count(*) FROM frequent_itemsets('sold', 'receipt', 'article', 20::bigint);
SELECT count(*) FROM frequent_itemsets('receipts', 'articles', '20', 'closed');
SELECT count(*) FROM frequent_itemsets('receipts', 'articles', '20');
SELECT count(*) FROM itemset_counts('receipts', 'articles', 0.2::real);
SELECT count(*) FROM association_rules('receipts', 'articles', 0.1, 1);
SELECT count(*) FROM association_rules('receipts', 'articles', 20);
SELECT count(*) FROM similar_items('receipts', 'articles', 2::smallint, 'lift', 2);
SELECT count(*) FROM similar_items('receipts', 'articles', '2');
SELECT count(*) FROM frequent_pairs('receipts', 'articles', 20::smallint);
SELECT count(*) FROM frequent_pairs('receipts', 'articles', '20');

-- what cannot be
SELECT * FROM frequent_itemsets(NULL::transaction_set, 1);
SELECT f.* FROM sets, frequent_itemsets(s, 0) AS f;
-- what PostgreSQL says beside it differs between versions
\set VERBOSITY terse
SELECT f.* FROM sets, frequent_itemsets(s, 2, min_length => 1.5) AS f;
\set VERBOSITY default
SELECT f.* FROM sets, frequent_itemsets(s, 2, 2, 1) AS f;
SELECT * FROM frequent_itemsets('receipts', 'articles');
SELECT f.* FROM sets, frequent_itemsets(s, NULL::int[], 1) AS f;
SELECT f.* FROM sets, frequent_pairs(s, NULL::int[], 1) AS f;
SELECT transaction_set_rows(s, NULL::int[]) FROM sets;
SELECT transaction('{"(0,0)"}'::point[]);
-- an array whose type says nothing of its items
CREATE TABLE regress_analyzed AS SELECT n % 2 AS bit FROM generate_series(1, 100) AS n;
ANALYZE regress_analyzed;
SELECT transaction_set(transaction(most_common_vals)) FROM pg_stats WHERE tablename = 'regress_analyzed';
SELECT i.items, item_type FROM pg_stats, transaction_set_info(transaction(most_common_vals::text::int[])) AS i WHERE tablename = 'regress_analyzed';
DROP TABLE regress_analyzed;
SELECT transaction_set(1, ROW(1, 2));
SELECT transaction_set(a COLLATE "C", b COLLATE "POSIX") FROM (VALUES ('x', 'y')) AS v(a, b);
SELECT transaction_set_union(s) FROM (SELECT s FROM sets UNION ALL SELECT transaction('{1}'::int[])) AS both_kinds;
SELECT transaction_set(articles) OVER () FROM receipts;
SELECT transaction_set_add(NULL, '{1}'::int[]);
SELECT transaction_set_unite(s, s) FROM sets;
-- what PostgreSQL says beside it differs between versions
\set VERBOSITY terse
SELECT s = s FROM sets;
\set VERBOSITY default
-- the text form: read as it was written, and nothing else
SELECT transaction('{1,2}'::int[]);
SELECT count(*) FROM shops WHERE s::text <> s::text::transaction_set::text;
SELECT ''::transaction_set;
SELECT '{}'::transaction_set;
SELECT '{1,2,3}'::transaction_set;
SELECT '{2,pg_catalog,int4,"","","","","","{1,2}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,int5,"","","","","","{1,2}",BAAAAA==}'::transaction_set;
SELECT '{1,nowhere,int4,"","","","","","{1,2}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,point,"","","","","","{1,2}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,cstring,"","","","","","{1,2}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,text,"","","","","","{1,2}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,text,pg_catalog,nothing,"","","","{1,2}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,text,pg_catalog,C,7,"","","{1,2}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,x}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,NULL}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,1}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,2}",BA*AAA==}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,2}",BAAA}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,2}",BAAAAQ==}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,2}",BgAAAAA=}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,2}",BQAAAAA=}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,2}",BAwA/////w==}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,2}",Bf///////w==}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,2}",Bf////8PAAAA}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","","","","{1,2}",BAAAAA==,"{7}"}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","",pg_catalog,int4,"{1,2}",BAAAAA==}'::transaction_set;
SELECT '{1,pg_catalog,int4,"","","",pg_catalog,int4,"{1,2}",BAAAAA==,"{7,8}"}'::transaction_set;
-- a partial state, as engines may send it: it has ids, and is united by them
CREATE TABLE states (s transaction_set);
INSERT INTO states VALUES ('{1,pg_catalog,int4,"","","",pg_catalog,int4,"{1,2}",BAAAAAIAAA==,"{7,8}"}'), ('{1,pg_catalog,int4,"","","",pg_catalog,int4,"{2,3}",BAAAAA==,"{8}"}');
TABLE states;
SELECT * FROM states, transaction_set_info(s);
SELECT frequent_itemsets(s, 1) FROM states;
SELECT r FROM (SELECT transaction_set_union(s) AS s FROM states) AS g, transaction_set_rows(s, NULL::int[]) AS r ORDER BY r;
-- aggregates that users make of these functions: states are shared, and final functions have those of others
CREATE AGGREGATE regress_state(transaction_set) (SFUNC = transaction_set_unite, STYPE = transaction_set);
CREATE AGGREGATE regress_value(transaction_set) (SFUNC = transaction_set_unite, STYPE = transaction_set, FINALFUNC = transaction_set_finish);
CREATE AGGREGATE regress_set(transaction_set ORDER BY int[]) (SFUNC = transaction_set_add, STYPE = transaction_set, FINALFUNC = transaction_set_unite);
CREATE AGGREGATE regress_types(int[] ORDER BY text[]) (SFUNC = transaction_set_add, STYPE = transaction_set, FINALFUNC = transaction_set_add);
SELECT v.transactions, s.transactions FROM (SELECT regress_value(s) AS v, regress_state(s) AS s FROM (SELECT transaction(ARRAY[i]) AS s FROM generate_series(1, 3) AS i) AS t) AS g, transaction_set_info(v) AS v, transaction_set_info(s) AS s;
SELECT i, v.transactions FROM (SELECT i, regress_value(s) OVER (ORDER BY i) AS v FROM (SELECT i, transaction(ARRAY[i]) AS s FROM generate_series(1, 3) AS i) AS t) AS g, transaction_set_info(v) AS v ORDER BY i;
SELECT f.* FROM (SELECT regress_set(transaction(ARRAY[1,2])) WITHIN GROUP (ORDER BY ARRAY[2,3]) AS s) AS g, frequent_itemsets(s, NULL::int[], 1) AS f ORDER BY cardinality(items), items;
SELECT regress_types(ARRAY[1,2]) WITHIN GROUP (ORDER BY ARRAY['a']);
DROP AGGREGATE regress_state(transaction_set), regress_value(transaction_set), regress_set(transaction_set ORDER BY int[]), regress_types(int[] ORDER BY text[]);
-- types and collations are known by name in texts, types by number where a set is stored
CREATE SCHEMA sizes;
CREATE TYPE sizes.size AS ENUM ('small', 'large');
CREATE TABLE clothes AS SELECT transaction('{large,small}'::sizes.size[]) AS s;
ALTER TYPE sizes.size RENAME TO extent;
SELECT s, i.item_type FROM clothes, transaction_set_info(s) AS i;
SELECT encode(substring(transaction_set_send(s) FROM 5 FOR 13), 'escape') AS names FROM clothes;
SELECT transaction_set_union(s) FROM (SELECT s FROM clothes UNION ALL SELECT transaction('{small}'::sizes.extent[])) AS u;
ALTER TYPE sizes.extent RENAME TO size;
SELECT f.* FROM clothes, frequent_itemsets(s, NULL::sizes.size[], 1) AS f ORDER BY cardinality(items), items;
DROP SCHEMA sizes CASCADE;
SELECT f.* FROM clothes, frequent_itemsets(s, 1) AS f;
TABLE clothes;
-- another type that has got the name does not read their values
CREATE TYPE regress_size AS RANGE (SUBTYPE = bytea);
CREATE TABLE ranges AS SELECT transaction(ARRAY[regress_size('\x00', '\xff')]) AS s
UNION ALL SELECT '{1,pg_catalog,int4,"","","",public,regress_size,"{1}",AgAA,"{empty}"}';
ALTER TYPE regress_size RENAME TO regress_extent;
CREATE TYPE regress_size AS ENUM ('small');
SELECT s FROM ranges;
SELECT f.* FROM ranges, frequent_itemsets(s, NULL::regress_size[], 1) AS f;
SELECT f.* FROM (SELECT s FROM ranges LIMIT 1) AS r, frequent_itemsets(s, NULL::regress_extent[], 1) AS f;
DROP TYPE regress_extent;
SELECT s FROM ranges LIMIT 1;
SELECT s FROM ranges OFFSET 1;
-- nor does the same type after an attribute of a composite type has been altered, wherever that is
CREATE TYPE regress_point AS (x int, name text);
CREATE TYPE regress_path AS (n int, points regress_point[]);
CREATE TYPE regress_box AS RANGE (SUBTYPE = regress_point);
CREATE TABLE altered AS SELECT 'items' AS what, transaction(ARRAY[(2000000000, 'a')::regress_point]) AS s
UNION ALL SELECT 'attributes', transaction(ARRAY[(1, ARRAY[(2000000000, 'a')::regress_point])::regress_path])
UNION ALL SELECT 'ranges', transaction(ARRAY[regress_box((1, 'a'), (2, 'b'))])
UNION ALL SELECT 'ids', '{1,pg_catalog,int4,"","","",public,regress_point,"{1}",AgAA,"{\"(2000000000,a)\"}"}';
ALTER TYPE regress_point RENAME ATTRIBUTE x TO y;
SELECT what, s FROM altered;
ALTER TYPE regress_point ALTER ATTRIBUTE y TYPE text;
SELECT what, s FROM altered WHERE what = 'items';
SELECT what, s FROM altered WHERE what = 'attributes';
SELECT what, s FROM altered WHERE what = 'ranges';
SELECT what, s FROM altered WHERE what = 'ids';
SELECT f.* FROM altered, frequent_itemsets(s, 1) AS f;
SELECT * FROM frequent_itemsets('altered', 's', 1);
SELECT transaction_set_union(s) FROM altered;
-- nor after one has been added or dropped, which is allowed even for columns of the type
CREATE TABLE regress_row (a int, b int);
CREATE TABLE altered_rows AS SELECT transaction_set(1, r) AS s FROM (SELECT (a, b)::regress_row AS r FROM (VALUES (1, 2), (1, 3)) AS v(a, b)) AS v;
SELECT s FROM altered_rows;
ALTER TABLE regress_row DROP COLUMN b;
SELECT s FROM altered_rows;
TRUNCATE altered_rows;
INSERT INTO altered_rows SELECT transaction_set(1, ROW(1)::regress_row);
SELECT s FROM altered_rows;
ALTER TABLE regress_row ADD COLUMN c int;
SELECT s FROM altered_rows;
DROP TABLE altered, altered_rows, regress_row;
DROP TYPE regress_path, regress_box, regress_point;
CREATE COLLATION regress_named FROM "C";
CREATE TABLE named AS SELECT transaction(ARRAY['a' COLLATE regress_named]) AS s;
-- the collation of ids is none of a set of numbers, which has no ids any more
CREATE TABLE named_ids AS SELECT transaction_set(id COLLATE regress_named, 1) AS s FROM (VALUES ('a'), ('b')) AS v(id);
TABLE named_ids;
DROP COLLATION regress_named;
SELECT r FROM named, transaction_set_rows(s) AS r;
SELECT f.* FROM named_ids, frequent_itemsets(s, 1) AS f;
-- a collation that is dropped while a call reads, here by its source
CREATE COLLATION regress_passing FROM "C";
CREATE FUNCTION drop_passing() RETURNS boolean LANGUAGE plpgsql AS $$BEGIN DROP COLLATION regress_passing; RETURN true; END$$;
CREATE TABLE passing AS SELECT 1 AS n, transaction(ARRAY['a' COLLATE regress_passing]) AS s UNION ALL SELECT 2, transaction(ARRAY['a' COLLATE "POSIX"]);
SELECT * FROM frequent_itemsets('(SELECT s FROM passing WHERE n = 1 OR drop_passing())', 's', 1);
DROP TABLE passing;
DROP FUNCTION drop_passing;
DROP COLLATION regress_passing;
DROP TABLE sold, receipts, sets, shops, states, clothes, named, named_ids, ranges;
DROP TYPE regress_size;
