-- +goose Up
-- The token bucket of each key that is limited, such as the logins with one e-mail. The key is a
-- hash, full_at the time when the bucket will be full again. A bucket without a row is full.
CREATE TABLE attempt (
    key     TEXT PRIMARY KEY,
    full_at BIGINT NOT NULL
);
CREATE INDEX attempt_full_at ON attempt (full_at);

-- +goose Down
DROP TABLE attempt;
