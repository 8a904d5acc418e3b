-- +goose Up
-- The report of a model without its long parts, which a leaderboard reads of each model. Empty for
-- a model of an earlier release. The report stays last, as in 00008.
ALTER TABLE model ADD COLUMN summary TEXT NOT NULL DEFAULT '';
ALTER TABLE model ADD COLUMN report_last TEXT NOT NULL DEFAULT '';
UPDATE model SET report_last = report;
ALTER TABLE model DROP COLUMN report;
ALTER TABLE model RENAME COLUMN report_last TO report;

-- +goose Down
ALTER TABLE model DROP COLUMN summary;
