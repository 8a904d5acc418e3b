-- +goose Up
-- In a long queue, the leases and the earliest deadlines of races are found without reading all jobs.
CREATE INDEX job_lease ON job (owner) WHERE owner <> '';
CREATE INDEX training_deadline ON training (parent, finished, deadline) WHERE deadline > 0;

-- +goose Down
DROP INDEX training_deadline;
DROP INDEX job_lease;
