-- +goose Up
-- The processes that take up every job, whoever queued it. One that is here and
-- does not live any more is of no account.
CREATE TABLE worker (
    process TEXT PRIMARY KEY
);

-- A process that waits for the job and does it itself; empty where it is left
-- to the workers.
ALTER TABLE job ADD COLUMN process TEXT NOT NULL DEFAULT '';

-- When a race has to have ended, its time in the queue included; 0 for no such time.
ALTER TABLE training ADD COLUMN deadline BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE training DROP COLUMN deadline;
ALTER TABLE job DROP COLUMN process;
DROP TABLE worker;
