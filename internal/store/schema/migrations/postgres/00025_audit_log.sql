-- +goose Up
-- Entries of the audit log are never changed, and only deleted if they are older than the time
-- expires_before of another entry. That entry records the deletion. It cannot allow its own deletion,
-- because its expires_before must not be after its own time.
ALTER TABLE audit_event ADD COLUMN expires_before BIGINT NOT NULL DEFAULT 0;
CREATE INDEX audit_event_expires_before ON audit_event (expires_before) WHERE expires_before > 0;

-- The table is named with its schema, and search_path is fixed, so that a session cannot make the
-- function read another table.
-- +goose StatementBegin
CREATE FUNCTION protect_audit_event() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    expired boolean;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        RAISE EXCEPTION 'entries of the audit log cannot be changed';
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.%I WHERE expires_before > 0 AND expires_before > $1 AND expires_before <= time)',
        TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO expired USING OLD.time;
    IF NOT expired THEN
        RAISE EXCEPTION 'entries of the audit log can be deleted only by age';
    END IF;
    RETURN OLD;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER audit_event_row BEFORE UPDATE OR DELETE ON audit_event FOR EACH ROW EXECUTE FUNCTION protect_audit_event();
CREATE TRIGGER audit_event_truncate BEFORE TRUNCATE ON audit_event FOR EACH STATEMENT EXECUTE FUNCTION protect_audit_event();

-- The algorithm that a key is used with, and when the key was created; 0 for a key of an earlier
-- release.
ALTER TABLE secret ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'HMAC-SHA-256';
ALTER TABLE secret ADD COLUMN created BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE secret DROP COLUMN created;
ALTER TABLE secret DROP COLUMN algorithm;
DROP TRIGGER audit_event_truncate ON audit_event;
DROP TRIGGER audit_event_row ON audit_event;
DROP FUNCTION protect_audit_event;
DROP INDEX audit_event_expires_before;
ALTER TABLE audit_event DROP COLUMN expires_before;
