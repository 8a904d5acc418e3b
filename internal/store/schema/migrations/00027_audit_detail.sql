-- +goose Up
-- The new values of a change of an account or of a setting. An entry of an earlier release has none.
ALTER TABLE audit_event ADD COLUMN detail TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE audit_event DROP COLUMN detail;
