-- +goose Up
-- The estimated peak memory of a job, and the memory that a worker has for its jobs,
-- in bytes. A worker with 0 takes every job.
ALTER TABLE job ADD COLUMN memory BIGINT NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN memory BIGINT NOT NULL DEFAULT 0;

-- The part of a race that another worker than that of the race has trained: one run.
CREATE TABLE part (
    training TEXT PRIMARY KEY REFERENCES training (key) ON DELETE CASCADE, -- the run
    reached  DOUBLE PRECISION,            -- virtual time at which it reached the threshold
    blob     TEXT NOT NULL DEFAULT '',    -- the recorded run; empty: only reached is known
    bytes    BIGINT,
    sha256   TEXT
);

-- +goose Down
DROP TABLE part;
ALTER TABLE worker DROP COLUMN memory;
ALTER TABLE job DROP COLUMN memory;
