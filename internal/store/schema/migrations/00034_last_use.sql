-- +goose Up
-- The column used is the time of the last use of a race or dataset by rows that were deleted since. Retention
-- compares it without reading the rest of a dataset, which SQLite stores in other pages if it is long.
ALTER TABLE training ADD COLUMN used BIGINT NOT NULL DEFAULT 0;
ALTER TABLE dataset ADD COLUMN used BIGINT NOT NULL DEFAULT 0;
DROP INDEX dataset_updated;
CREATE INDEX dataset_updated ON dataset (updated, used);

-- +goose Down
DROP INDEX dataset_updated;
CREATE INDEX dataset_updated ON dataset (updated);
ALTER TABLE dataset DROP COLUMN used;
ALTER TABLE training DROP COLUMN used;
