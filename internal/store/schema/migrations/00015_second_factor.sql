-- +goose Up
-- The secret that the account shares with its authenticator app in base32, '' if none; the
-- secret of an app that has not been confirmed yet; and the step of the last accepted code,
-- because a code is valid once.
ALTER TABLE account ADD COLUMN totp_secret TEXT NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN totp_unconfirmed TEXT NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN totp_step BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE account DROP COLUMN totp_step;
ALTER TABLE account DROP COLUMN totp_unconfirmed;
ALTER TABLE account DROP COLUMN totp_secret;
