-- +goose Up
CREATE TABLE secret (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE account (
    key      TEXT PRIMARY KEY,
    email    TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL,             -- PHC string; empty: cannot log in
    disabled INTEGER NOT NULL DEFAULT 0,
    served   BIGINT NOT NULL DEFAULT 0, -- when a job of the account was last claimed
    created  BIGINT NOT NULL
);

CREATE TABLE token (
    hash    TEXT PRIMARY KEY,           -- SHA-256 of the token
    account TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    expires BIGINT NOT NULL
);
CREATE INDEX token_account ON token (account);

CREATE TABLE dataset (
    key         TEXT PRIMARY KEY,
    account     TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    description TEXT,
    status      TEXT NOT NULL,
    buckets     BIGINT NOT NULL,
    blob        TEXT NOT NULL DEFAULT '',
    bytes       BIGINT NOT NULL DEFAULT 0,
    reason      TEXT NOT NULL DEFAULT '',
    row_count   BIGINT NOT NULL DEFAULT 0,
    columns     TEXT NOT NULL DEFAULT '[]',
    classes     TEXT NOT NULL DEFAULT '[]',
    schema      TEXT NOT NULL DEFAULT '',
    versions    BIGINT NOT NULL DEFAULT 0, -- models ever created; versions are never reused
    created     BIGINT NOT NULL,
    updated     BIGINT NOT NULL,
    UNIQUE (account, name)
);
CREATE INDEX dataset_created ON dataset (account, created);

CREATE TABLE training (
    key        TEXT PRIMARY KEY,
    account    TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    dataset    TEXT NOT NULL REFERENCES dataset (key) ON DELETE CASCADE,
    parent     TEXT REFERENCES training (key) ON DELETE CASCADE,
    position   INTEGER NOT NULL,           -- 0 the parent, 1… its children
    algorithm  TEXT NOT NULL,
    status     TEXT NOT NULL,
    cancelling INTEGER NOT NULL DEFAULT 0,
    scaling    BIGINT NOT NULL,
    threshold  DOUBLE PRECISION NOT NULL,
    metric     TEXT NOT NULL,
    seconds    BIGINT NOT NULL,
    seed       BIGINT NOT NULL,
    achieved   DOUBLE PRECISION,
    training   DOUBLE PRECISION,
    test       DOUBLE PRECISION,
    curve      TEXT NOT NULL DEFAULT '[]',
    reason     TEXT NOT NULL DEFAULT '',
    created    BIGINT NOT NULL,
    started    BIGINT NOT NULL DEFAULT 0,
    finished   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX training_created ON training (account, created);
CREATE INDEX training_dataset ON training (dataset);
CREATE INDEX training_parent ON training (parent);

CREATE TABLE model (
    key       TEXT PRIMARY KEY,
    account   TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    dataset   TEXT NOT NULL REFERENCES dataset (key) ON DELETE CASCADE,
    training  TEXT NOT NULL UNIQUE REFERENCES training (key) ON DELETE CASCADE,
    version   BIGINT NOT NULL,
    algorithm TEXT NOT NULL,
    achieved  DOUBLE PRECISION NOT NULL,
    blob      TEXT NOT NULL,
    report    TEXT NOT NULL,
    created   BIGINT NOT NULL,
    UNIQUE (dataset, version)
);
CREATE INDEX model_account ON model (account);

CREATE TABLE prediction (
    key       TEXT PRIMARY KEY,
    account   TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    dataset   TEXT NOT NULL REFERENCES dataset (key) ON DELETE CASCADE,
    model     TEXT NOT NULL REFERENCES model (key) ON DELETE CASCADE,
    status    TEXT NOT NULL,
    blind     TEXT NOT NULL,
    result    TEXT NOT NULL DEFAULT '',
    row_count BIGINT NOT NULL DEFAULT 0,
    reason    TEXT NOT NULL DEFAULT '',
    created   BIGINT NOT NULL,
    updated   BIGINT NOT NULL
);
CREATE INDEX prediction_account ON prediction (account);
CREATE INDEX prediction_model ON prediction (model, created);
CREATE INDEX prediction_dataset ON prediction (dataset, created);

CREATE TABLE job (
    key       TEXT PRIMARY KEY,
    account   TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    kind      TEXT NOT NULL,
    subject   TEXT NOT NULL UNIQUE,        -- the dataset, training job or prediction
    attempt   BIGINT NOT NULL DEFAULT 0,   -- claims that were not released
    owner     TEXT NOT NULL DEFAULT '',    -- the process that holds the lease
    until     BIGINT NOT NULL DEFAULT 0,   -- when the lease expires
    cancelled INTEGER NOT NULL DEFAULT 0,
    created   BIGINT NOT NULL
);
CREATE INDEX job_kind ON job (kind, owner);

-- +goose Down
DROP TABLE job;
DROP TABLE prediction;
DROP TABLE model;
DROP TABLE training;
DROP TABLE dataset;
DROP TABLE token;
DROP TABLE account;
DROP TABLE secret;
