-- +goose Up
-- Lists read pages of keys from an index alone.
DROP INDEX dataset_created;
CREATE INDEX dataset_created ON dataset (account, created, key);
DROP INDEX prediction_model;
CREATE INDEX prediction_model ON prediction (model, created, key);
DROP INDEX prediction_dataset;
CREATE INDEX prediction_dataset ON prediction (dataset, created, key);

-- SQLite reads a row from its beginning: a column after a large one costs as much
-- as the large one. So those that lists do not show come last.
ALTER TABLE dataset ADD COLUMN columns_last TEXT NOT NULL DEFAULT '[]';
ALTER TABLE dataset ADD COLUMN classes_last TEXT NOT NULL DEFAULT '[]';
ALTER TABLE dataset ADD COLUMN schema_last TEXT NOT NULL DEFAULT '';
UPDATE dataset SET columns_last = columns, classes_last = classes, schema_last = schema;
ALTER TABLE dataset DROP COLUMN columns;
ALTER TABLE dataset DROP COLUMN classes;
ALTER TABLE dataset DROP COLUMN schema;
ALTER TABLE dataset RENAME COLUMN columns_last TO columns;
ALTER TABLE dataset RENAME COLUMN classes_last TO classes;
ALTER TABLE dataset RENAME COLUMN schema_last TO schema;

ALTER TABLE model ADD COLUMN report_last TEXT NOT NULL DEFAULT '';
UPDATE model SET report_last = report;
ALTER TABLE model DROP COLUMN report;
ALTER TABLE model RENAME COLUMN report_last TO report;

-- +goose Down
DROP INDEX dataset_created;
CREATE INDEX dataset_created ON dataset (account, created);
DROP INDEX prediction_model;
CREATE INDEX prediction_model ON prediction (model, created);
DROP INDEX prediction_dataset;
CREATE INDEX prediction_dataset ON prediction (dataset, created);
