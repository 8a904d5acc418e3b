-- +goose Up
ALTER TABLE account ADD COLUMN role TEXT NOT NULL DEFAULT 'user'; -- user or administrator
ALTER TABLE account ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN organisation TEXT NOT NULL DEFAULT '';
-- Quotas; NULL for no limit.
ALTER TABLE account ADD COLUMN max_datasets BIGINT;
ALTER TABLE account ADD COLUMN max_bytes BIGINT;
ALTER TABLE account ADD COLUMN max_races BIGINT;

CREATE TABLE access_request (
    key          TEXT PRIMARY KEY,
    email        TEXT NOT NULL,
    name         TEXT NOT NULL,
    organisation TEXT NOT NULL,
    reason       TEXT NOT NULL,
    status       TEXT NOT NULL,           -- PENDING, APPROVED or REFUSED
    created      BIGINT NOT NULL,
    decided      BIGINT NOT NULL DEFAULT 0,
    decided_by   TEXT NOT NULL DEFAULT ''
);
CREATE INDEX access_request_created ON access_request (created);
CREATE UNIQUE INDEX access_request_pending ON access_request (email) WHERE status = 'PENDING';

-- One-time links to set a password. A link is deleted when it is used.
CREATE TABLE one_time_link (
    hash    TEXT PRIMARY KEY,             -- SHA-256 of the code in the link
    account TEXT REFERENCES account (key) ON DELETE CASCADE, -- NULL: creates the first administrator
    expires BIGINT NOT NULL
);
CREATE INDEX one_time_link_account ON one_time_link (account);

-- Mails to send. They hold no link: it is created when the mail is sent.
CREATE TABLE outbox (
    key      TEXT PRIMARY KEY,
    account  TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    kind     TEXT NOT NULL,               -- approved or reset
    attempts BIGINT NOT NULL DEFAULT 0,
    due      BIGINT NOT NULL,             -- when to send it next
    created  BIGINT NOT NULL
);
CREATE INDEX outbox_due ON outbox (due);

-- Append-only: rows are inserted and read, never changed. They outlive accounts.
CREATE TABLE audit_event (
    key     TEXT PRIMARY KEY,
    time    BIGINT NOT NULL,
    actor   TEXT NOT NULL,                -- e-mail; operator or service
    action  TEXT NOT NULL,
    object  TEXT NOT NULL,
    address TEXT NOT NULL,                -- of the client
    request TEXT NOT NULL,                -- ID of the request
    outcome TEXT NOT NULL                 -- done or refused
);
CREATE INDEX audit_event_time ON audit_event (time);
CREATE INDEX audit_event_actor ON audit_event (actor, time);
CREATE INDEX audit_event_login ON audit_event (actor, address) WHERE action = 'login' AND outcome = 'done';

-- What the processes on the store share, such as the address of the service.
CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- +goose Down
DROP TABLE setting;
DROP TABLE audit_event;
DROP TABLE outbox;
DROP TABLE one_time_link;
DROP TABLE access_request;
ALTER TABLE account DROP COLUMN max_races;
ALTER TABLE account DROP COLUMN max_bytes;
ALTER TABLE account DROP COLUMN max_datasets;
ALTER TABLE account DROP COLUMN organisation;
ALTER TABLE account DROP COLUMN name;
ALTER TABLE account DROP COLUMN role;
