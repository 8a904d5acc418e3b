-- A race without a threshold has none. Those of before keep the 1 that stood for it.
-- +goose Up
ALTER TABLE training ADD COLUMN target DOUBLE PRECISION;
UPDATE training SET target = threshold;
ALTER TABLE training DROP COLUMN threshold;
ALTER TABLE training RENAME COLUMN target TO threshold;

-- +goose Down
ALTER TABLE training ADD COLUMN target DOUBLE PRECISION NOT NULL DEFAULT 1;
UPDATE training SET target = coalesce(threshold, 1);
ALTER TABLE training DROP COLUMN threshold;
ALTER TABLE training RENAME COLUMN target TO threshold;
