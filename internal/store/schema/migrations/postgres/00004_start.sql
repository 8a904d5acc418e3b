-- +goose Up
-- The schema that the SQLite files 00001 to 00004 arrive at. PostgreSQL starts
-- here, because no earlier release could use it.
CREATE TABLE secret (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE folder (
    id TEXT PRIMARY KEY
);

CREATE TABLE account (
    key      TEXT PRIMARY KEY,
    email    TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL,
    disabled INTEGER NOT NULL DEFAULT 0,
    served   BIGINT NOT NULL DEFAULT 0,
    created  BIGINT NOT NULL
);

CREATE TABLE token (
    hash    TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    expires BIGINT NOT NULL
);
CREATE INDEX token_account ON token (account);

CREATE TABLE series (
    account  TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    versions BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account, name)
);

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
    versions    BIGINT NOT NULL DEFAULT 0,
    created     BIGINT NOT NULL,
    updated     BIGINT NOT NULL,
    sha256      TEXT,
    series      TEXT NOT NULL DEFAULT '',
    UNIQUE (account, name)
);
CREATE INDEX dataset_created ON dataset (account, created);
CREATE INDEX dataset_series ON dataset (account, series);

CREATE TABLE training (
    key        TEXT PRIMARY KEY,
    account    TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    dataset    TEXT NOT NULL REFERENCES dataset (key) ON DELETE CASCADE,
    parent     TEXT REFERENCES training (key) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    algorithm  TEXT NOT NULL,
    status     TEXT NOT NULL,
    cancelling INTEGER NOT NULL DEFAULT 0,
    scaling    BIGINT NOT NULL,
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
    finished   BIGINT NOT NULL DEFAULT 0,
    threshold  DOUBLE PRECISION,
    deadline   BIGINT NOT NULL DEFAULT 0,
    log_loss   DOUBLE PRECISION
);
CREATE INDEX training_created ON training (account, created);
CREATE INDEX training_dataset ON training (dataset);
CREATE INDEX training_parent ON training (parent);

CREATE TABLE model (
    key                 TEXT PRIMARY KEY,
    account             TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    dataset             TEXT NOT NULL REFERENCES dataset (key) ON DELETE CASCADE,
    training            TEXT NOT NULL UNIQUE REFERENCES training (key) ON DELETE CASCADE,
    version             BIGINT NOT NULL,
    algorithm           TEXT NOT NULL,
    blob                TEXT NOT NULL,
    report              TEXT NOT NULL,
    created             BIGINT NOT NULL,
    bytes               BIGINT,
    sha256              TEXT,
    series_version      BIGINT NOT NULL DEFAULT 0,
    validation_interval TEXT NOT NULL DEFAULT '',
    test_interval       TEXT NOT NULL DEFAULT '',
    achieved            DOUBLE PRECISION,
    UNIQUE (dataset, version)
);
CREATE INDEX model_account ON model (account);

CREATE TABLE prediction (
    key           TEXT PRIMARY KEY,
    account       TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    dataset       TEXT NOT NULL REFERENCES dataset (key) ON DELETE CASCADE,
    model         TEXT NOT NULL REFERENCES model (key) ON DELETE CASCADE,
    status        TEXT NOT NULL,
    blind         TEXT NOT NULL,
    result        TEXT NOT NULL DEFAULT '',
    row_count     BIGINT NOT NULL DEFAULT 0,
    reason        TEXT NOT NULL DEFAULT '',
    created       BIGINT NOT NULL,
    updated       BIGINT NOT NULL,
    blind_bytes   BIGINT,
    blind_sha256  TEXT,
    result_bytes  BIGINT,
    result_sha256 TEXT
);
CREATE INDEX prediction_account ON prediction (account);
CREATE INDEX prediction_model ON prediction (model, created);
CREATE INDEX prediction_dataset ON prediction (dataset, created);

CREATE TABLE worker (
    process TEXT PRIMARY KEY
);

CREATE TABLE job (
    key       TEXT PRIMARY KEY,
    account   TEXT NOT NULL REFERENCES account (key) ON DELETE CASCADE,
    kind      TEXT NOT NULL,
    subject   TEXT NOT NULL UNIQUE,
    attempt   BIGINT NOT NULL DEFAULT 0,
    owner     TEXT NOT NULL DEFAULT '',
    until     BIGINT NOT NULL DEFAULT 0,
    cancelled INTEGER NOT NULL DEFAULT 0,
    created   BIGINT NOT NULL,
    process   TEXT NOT NULL DEFAULT ''
);
CREATE INDEX job_kind ON job (kind, owner);
CREATE INDEX job_account ON job (account);

-- Which processes are alive, on all machines: SQLite has locked files for it.
CREATE TABLE process (
    name  TEXT PRIMARY KEY,
    until BIGINT NOT NULL -- alive until then unless renewed, by this server's clock
);

-- Sorts texts by their bytes, as SQLite's collation "binary" does.
CREATE COLLATION "binary" (provider = libc, locale = 'C');

-- +goose Down
DROP COLLATION "binary";
DROP TABLE process;
DROP TABLE job;
DROP TABLE worker;
DROP TABLE prediction;
DROP TABLE model;
DROP TABLE training;
DROP TABLE dataset;
DROP TABLE series;
DROP TABLE token;
DROP TABLE account;
DROP TABLE folder;
DROP TABLE secret;
