-- +goose Up
-- In a long queue, the leases and the earliest deadlines of races are found without reading all jobs.
-- The table job is locked until the end of the transaction, so it comes last: renewals of leases wait.
CREATE INDEX training_deadline ON training (parent, finished, deadline) WHERE deadline > 0;
CREATE INDEX job_lease ON job (owner) WHERE owner <> '';

-- +goose Down
DROP INDEX job_lease;
DROP INDEX training_deadline;
