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

-- What patients with diabetes wrote down, and the same with measurements of blood glucose as
-- three events.
CREATE TABLE diaries (patient int, at timestamp, event text, value numeric);
\copy diaries FROM PROGRAM 'gzip -dc demo/diaries.csv.gz' (FORMAT csv, HEADER)

CREATE VIEW diary_events AS
	SELECT patient, at,
		   CASE WHEN event NOT LIKE 'glucose%' THEN event
				WHEN value < 70 THEN 'low glucose'
				WHEN value > 180 THEN 'high glucose'
				ELSE 'glucose' END AS event
	FROM diaries;

ANALYZE;
