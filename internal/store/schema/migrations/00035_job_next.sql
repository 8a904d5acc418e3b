-- +goose Up
-- The next job of each account is found without reading the whole queue. The index replaces job_kind,
-- which has the same first columns.
CREATE INDEX job_next ON job (kind, owner, account, created, key, memory);
DROP INDEX job_kind;

-- +goose Down
CREATE INDEX job_kind ON job (kind, owner);
DROP INDEX job_next;
