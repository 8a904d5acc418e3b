-- +goose Up
-- What an account sees in the list of its sessions. Unknown for sessions of an
-- earlier release, which end within an hour.
ALTER TABLE token ADD COLUMN created BIGINT NOT NULL DEFAULT 0;
ALTER TABLE token ADD COLUMN address TEXT NOT NULL DEFAULT ''; -- of the client
ALTER TABLE token ADD COLUMN client TEXT NOT NULL DEFAULT '';  -- its User-Agent

-- +goose Down
ALTER TABLE token DROP COLUMN client;
ALTER TABLE token DROP COLUMN address;
ALTER TABLE token DROP COLUMN created;
