-- +goose Up
-- Entries of the audit log are never changed, and only deleted if they are older than the time
-- expires_before of another entry. That entry records the deletion. It cannot allow its own deletion,
-- because its expires_before must not be after its own time.
ALTER TABLE audit_event ADD COLUMN expires_before BIGINT NOT NULL DEFAULT 0;
CREATE INDEX audit_event_expires_before ON audit_event (expires_before) WHERE expires_before > 0;

-- +goose StatementBegin
CREATE TRIGGER audit_event_update BEFORE UPDATE ON audit_event BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log cannot be changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_event_delete BEFORE DELETE ON audit_event
WHEN NOT EXISTS (SELECT 1 FROM audit_event e WHERE e.expires_before > 0 AND e.expires_before > OLD.time AND e.expires_before <= e.time) BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log can be deleted only by age');
END;
-- +goose StatementEnd

-- INSERT OR REPLACE deletes the row that it replaces without calling the trigger of deletions.
-- +goose StatementBegin
CREATE TRIGGER audit_event_replace BEFORE INSERT ON audit_event
WHEN EXISTS (SELECT 1 FROM audit_event e WHERE e.key = NEW.key OR e.rowid = NEW.rowid) BEGIN
    SELECT RAISE(ABORT, 'entries of the audit log cannot be changed');
END;
-- +goose StatementEnd

-- The algorithm that a key is used with, and when the key was created; 0 for a key of an earlier
-- release.
ALTER TABLE secret ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'HMAC-SHA-256';
ALTER TABLE secret ADD COLUMN created BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE secret DROP COLUMN created;
ALTER TABLE secret DROP COLUMN algorithm;
DROP TRIGGER audit_event_replace;
DROP TRIGGER audit_event_delete;
DROP TRIGGER audit_event_update;
DROP INDEX audit_event_expires_before;
ALTER TABLE audit_event DROP COLUMN expires_before;
