-- +goose Up
-- Expired sessions and rows that are no longer kept are found without reading a whole table. The column
-- parent is NULL for all races, so an index of parent alone would not find old races. PostgreSQL already
-- has the last index.
CREATE INDEX token_expires ON token (expires);
CREATE INDEX dataset_updated ON dataset (updated);
CREATE INDEX prediction_updated ON prediction (updated);
DROP INDEX training_parent;
CREATE INDEX training_parent ON training (parent, finished);
CREATE INDEX IF NOT EXISTS job_account ON job (account);

-- +goose Down
DROP INDEX token_expires;
DROP INDEX dataset_updated;
DROP INDEX prediction_updated;
DROP INDEX training_parent;
CREATE INDEX training_parent ON training (parent);
