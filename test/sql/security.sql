-- The caller's privileges and row security are those of any other query
SET client_min_messages = warning;
CREATE ROLE regress_gpufim_reader;
CREATE ROLE regress_gpufim_owner;
RESET client_min_messages;
CREATE SCHEMA guarded;
GRANT USAGE, CREATE ON SCHEMA guarded TO regress_gpufim_owner;
GRANT USAGE ON SCHEMA guarded TO regress_gpufim_reader;
CREATE TABLE guarded.sales (tenant text, id int, item text, price int);
INSERT INTO guarded.sales SELECT CASE id % 2 WHEN 0 THEN 'even' ELSE 'odd' END, id, item, 100 FROM basket_items;
ALTER TABLE guarded.sales OWNER TO regress_gpufim_owner;

-- no privilege
SET ROLE regress_gpufim_reader;
SELECT * FROM frequent_itemsets('guarded.sales', 'id', 'item', 2);
SELECT * FROM frequent_itemsets('(SELECT * FROM guarded.sales)', 'id', 'item', 2);
SELECT * FROM itemset_counts('guarded.sales', 'id', 'item', 2);
-- privileges on columns: those that are read are enough, and no others are read
SET ROLE regress_gpufim_owner;
GRANT SELECT (id, item) ON guarded.sales TO regress_gpufim_reader;
SET ROLE regress_gpufim_reader;
SELECT * FROM frequent_itemsets('guarded.sales', 'id', 'item', 5) ORDER BY items COLLATE "C";
SELECT * FROM frequent_itemsets('guarded.sales', 'id', 'price', 5);
SELECT * FROM frequent_itemsets('guarded.sales', 'tenant', 'item', 5);
SELECT * FROM frequent_itemsets('(SELECT * FROM guarded.sales)', 'id', 'item', 5);
-- no privilege on the schema
SET ROLE regress_gpufim_owner;
GRANT SELECT ON guarded.sales TO regress_gpufim_reader;
RESET ROLE;
REVOKE USAGE ON SCHEMA guarded FROM regress_gpufim_reader;
SET ROLE regress_gpufim_reader;
SELECT * FROM frequent_itemsets('guarded.sales', 'id', 'item', 5);
RESET ROLE;
GRANT USAGE ON SCHEMA guarded TO regress_gpufim_reader;

-- row security: each role mines its own rows only
SET ROLE regress_gpufim_owner;
ALTER TABLE guarded.sales ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_tenant ON guarded.sales USING (tenant = current_setting('guarded.tenant', true));
SET ROLE regress_gpufim_reader;
SELECT count(*) FROM frequent_itemsets('guarded.sales', 'id', 'item', 1);
RESET ROLE;
GRANT USAGE ON SCHEMA brute TO regress_gpufim_reader, regress_gpufim_owner;
GRANT SELECT ON basket_items TO regress_gpufim_reader;
SET ROLE regress_gpufim_reader;
SELECT tenant, c.*
FROM unnest('{odd,even,none}'::text[]) AS tenant,
	 LATERAL (SELECT set_config('guarded.tenant', tenant, false)) AS s,
	 brute.compare($$SELECT items, support FROM frequent_itemsets('guarded.sales', 'id', 'item', 2)$$,
				   format('SELECT id, item FROM public.basket_items WHERE CASE id %% 2 WHEN 0 THEN ''even'' ELSE ''odd'' END = %L', tenant), 2) AS c
ORDER BY tenant;
-- N counts the visible transactions only
SELECT set_config('guarded.tenant', 'even', false);
SELECT frequency FROM frequent_itemsets('guarded.sales', 'id', 'item', 3) LIMIT 1;
SET row_security = off;
SELECT * FROM frequent_itemsets('guarded.sales', 'id', 'item', 2);
RESET row_security;
-- the table's owner is not subject to it, until forced
SET ROLE regress_gpufim_owner;
SELECT max(support) FROM frequent_itemsets('guarded.sales', 'id', 'item', 1);
ALTER TABLE guarded.sales FORCE ROW LEVEL SECURITY;
SELECT max(support) FROM frequent_itemsets('guarded.sales', 'id', 'item', 1);
ALTER TABLE guarded.sales NO FORCE ROW LEVEL SECURITY;
ALTER TABLE guarded.sales DISABLE ROW LEVEL SECURITY;

-- a view reads with its owner's rights: the base table can be closed to the caller
REVOKE ALL ON guarded.sales FROM regress_gpufim_reader;
CREATE VIEW guarded.odd_sales AS SELECT id, item FROM guarded.sales WHERE tenant = 'odd';
GRANT SELECT ON guarded.odd_sales TO regress_gpufim_reader;
SET ROLE regress_gpufim_reader;
SELECT * FROM brute.compare($$SELECT items, support FROM frequent_itemsets('guarded.odd_sales', 'id', 'item', 2)$$,
							'SELECT id, item FROM public.basket_items WHERE id % 2 = 1', 2);
SELECT * FROM frequent_itemsets('guarded.sales', 'id', 'item', 2);
-- a SECURITY DEFINER function lends its owner's rights, and takes them back
RESET ROLE;
CREATE FUNCTION guarded.top_items() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$SELECT items::text FROM public.frequent_itemsets('guarded.sales', 'id', 'item', 6)$$;
ALTER FUNCTION guarded.top_items() OWNER TO regress_gpufim_owner;
SET ROLE regress_gpufim_reader;
SELECT item FROM guarded.top_items() AS item ORDER BY item COLLATE "C";
SELECT * FROM frequent_itemsets('guarded.sales', 'id', 'item', 6);
-- a leaky function in the caller's query does not see behind a security barrier
SET ROLE regress_gpufim_owner;
CREATE VIEW guarded.barrier WITH (security_barrier) AS SELECT id, item FROM guarded.sales WHERE tenant = 'odd';
GRANT SELECT ON guarded.barrier TO regress_gpufim_reader;
SET ROLE regress_gpufim_reader;
SELECT count(*) FROM frequent_itemsets('(SELECT * FROM guarded.barrier WHERE 1 / (id % 2) = 1)', 'id', 'item', 2);

-- search_path tricks: functions, operators and types of the caller's path are not used by ours
RESET ROLE;
CREATE SCHEMA trap;
CREATE FUNCTION trap.boom(int, int) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION trap.boom_text(text, text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE FUNCTION trap.array_length(anyarray, int) RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'trapped'; END$$;
CREATE OPERATOR trap.= (leftarg = int, rightarg = int, function = trap.boom);
CREATE OPERATOR trap.< (leftarg = int, rightarg = int, function = trap.boom);
CREATE OPERATOR trap.= (leftarg = text, rightarg = text, function = trap.boom_text);
CREATE OPERATOR trap.< (leftarg = text, rightarg = text, function = trap.boom_text);
CREATE TABLE trap.pg_class (nothing int);
CREATE TABLE trap.pg_attribute (nothing int);
CREATE TABLE trap.pg_type (nothing int);
CREATE DOMAIN trap.text AS int;
CREATE DOMAIN trap.name AS int;
SET search_path = trap, pg_catalog, public;
SELECT items, support FROM public.frequent_itemsets('public.basket_items', 'id', 'item', 6) ORDER BY items COLLATE pg_catalog."C";
SELECT pg_catalog.count(*) FROM public.frequent_itemsets('public.numbers', 'items', 60, kind => 'closed', including => '{2}', excluding => '{1}');
SELECT pg_catalog.count(*) FROM public.itemset_counts('public.numbers', 'items', 60);
SELECT pg_catalog.count(*) > 0 FROM public.gpufim_devices();
SELECT pg_catalog.count(*) > 0 FROM public.gpufim_last_run();
RESET search_path;
SET search_path = '';
SELECT pg_catalog.count(*) FROM public.frequent_itemsets('public.basket_items', 'id', 'item', 4);
SELECT pg_catalog.count(*) FROM public.gpufim_progress;
RESET search_path;

SET client_min_messages = warning;
REVOKE ALL ON SCHEMA brute FROM regress_gpufim_reader, regress_gpufim_owner;
REVOKE ALL ON basket_items FROM regress_gpufim_reader;
DROP SCHEMA guarded CASCADE;
DROP SCHEMA trap CASCADE;
DROP ROLE regress_gpufim_reader, regress_gpufim_owner;
