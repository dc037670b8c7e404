-- Loads the demo's data; run by psql in the folder above this one.
\set ON_ERROR_STOP on

CREATE EXTENSION gpufim;

CREATE TABLE products (code text PRIMARY KEY, name text NOT NULL);
\copy products FROM 'demo/products.csv' (FORMAT csv, HEADER)

CREATE TEMP TABLE coded (basket serial, codes text[]);
\copy coded (codes) FROM PROGRAM 'gzip -dc demo/baskets.gz'

-- One row per basket, the names of its products in an array ...
CREATE TABLE baskets AS
	SELECT basket,
		   ARRAY(SELECT name FROM unnest(codes) AS code JOIN products USING (code)) AS items
	FROM coded;

-- ... and the same as one row per basket and product.
CREATE TABLE basket_lines AS
	SELECT basket, name AS item
	FROM coded, unnest(codes) AS code JOIN products USING (code);

ANALYZE;
