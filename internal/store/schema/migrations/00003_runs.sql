-- +goose Up
-- NULL for a race without a threshold. Earlier races keep the 1 that meant none.
ALTER TABLE training ADD COLUMN target DOUBLE PRECISION;
UPDATE training SET target = threshold;
ALTER TABLE training DROP COLUMN threshold;
ALTER TABLE training RENAME COLUMN target TO threshold;
-- When the race must have ended, including its time in the queue; 0 for no deadline.
ALTER TABLE training ADD COLUMN deadline BIGINT NOT NULL DEFAULT 0;
-- The log loss at the same step as achieved; NULL if it was not measured.
ALTER TABLE training ADD COLUMN log_loss DOUBLE PRECISION;

-- The processes that run every job, whichever process queued it. Some may be dead.
CREATE TABLE worker (
    process TEXT PRIMARY KEY
);
-- The process that queued the job, if this process runs only its own jobs; otherwise empty. Workers may
-- run the job in both cases.
ALTER TABLE job ADD COLUMN process TEXT NOT NULL DEFAULT '';

-- A series groups the datasets N, N-2, N-3 … of one name. The versions of its
-- models count up over all of these datasets.
CREATE TABLE series (
    account  TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    versions BIGINT NOT NULL DEFAULT 0, -- models ever created; versions are never reused
    PRIMARY KEY (account, name)
);
ALTER TABLE dataset ADD COLUMN series TEXT NOT NULL DEFAULT '';
ALTER TABLE model ADD COLUMN series_version BIGINT NOT NULL DEFAULT 0;
CREATE INDEX dataset_series ON dataset (account, series);

-- Earlier releases named the second dataset of a file N-2. It joins the series of
-- the dataset N, if there is one. N may have been cut to make room for the number.
UPDATE dataset SET series = coalesce((
    SELECT b.name FROM dataset b
    CROSS JOIN (SELECT 2 AS size UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5) ending
    WHERE b.account = dataset.account AND b.name <> dataset.name AND length(dataset.name) > ending.size
      AND substr(dataset.name, 1, length(dataset.name) - ending.size) = rtrim(substr(b.name, 1, 30 - ending.size))
      AND substr(dataset.name, length(dataset.name) - ending.size + 1, 1) = '-'
      AND substr(dataset.name, length(dataset.name) - ending.size + 1) <> '-1'
      AND substr(dataset.name, length(dataset.name) - ending.size + 2, 1) BETWEEN '1' AND '9'
      AND ltrim(substr(dataset.name, length(dataset.name) - ending.size + 2), '0123456789') = ''
    ORDER BY b.created, b.key LIMIT 1), name);

-- Versions count up from one dataset of a series to the next.
UPDATE model SET series_version = version + (
    SELECT coalesce(sum(e.versions), 0) FROM dataset d JOIN dataset e ON e.account = d.account AND e.series = d.series
    WHERE d.key = model.dataset AND (e.created < d.created OR e.created = d.created AND e.key < d.key));
INSERT INTO series (account, name, versions) SELECT account, series, sum(versions) FROM dataset GROUP BY account, series;

-- +goose Down
DROP INDEX dataset_series;
ALTER TABLE model DROP COLUMN series_version;
ALTER TABLE dataset DROP COLUMN series;
DROP TABLE series;
ALTER TABLE job DROP COLUMN process;
DROP TABLE worker;
ALTER TABLE training DROP COLUMN log_loss;
ALTER TABLE training DROP COLUMN deadline;
ALTER TABLE training ADD COLUMN target DOUBLE PRECISION NOT NULL DEFAULT 1;
UPDATE training SET target = coalesce(threshold, 1);
ALTER TABLE training DROP COLUMN threshold;
ALTER TABLE training RENAME COLUMN target TO threshold;
