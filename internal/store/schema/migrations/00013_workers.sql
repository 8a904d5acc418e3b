-- +goose Up
-- What administrators see of jobs and workers: when the current attempt of a job began, and
-- which machine and program a worker is. Workers of an earlier release leave them empty.
ALTER TABLE job ADD COLUMN begun BIGINT NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE worker ADD COLUMN version TEXT NOT NULL DEFAULT '';
ALTER TABLE worker ADD COLUMN cores BIGINT NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN started BIGINT NOT NULL DEFAULT 0;

-- Races that have not ended are listed without reading the others.
CREATE INDEX training_status ON training (account, status);

-- +goose Down
DROP INDEX training_status;
ALTER TABLE worker DROP COLUMN started;
ALTER TABLE worker DROP COLUMN cores;
ALTER TABLE worker DROP COLUMN version;
ALTER TABLE worker DROP COLUMN host;
ALTER TABLE job DROP COLUMN begun;
