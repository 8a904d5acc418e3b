-- +goose Up
-- The size and the SHA-256 (in hex) of each stored file. NULL for files that an
-- earlier release stored.
ALTER TABLE dataset ADD COLUMN sha256 TEXT;
ALTER TABLE model ADD COLUMN bytes BIGINT;
ALTER TABLE model ADD COLUMN sha256 TEXT;
ALTER TABLE prediction ADD COLUMN blind_bytes BIGINT;
ALTER TABLE prediction ADD COLUMN blind_sha256 TEXT;
ALTER TABLE prediction ADD COLUMN result_bytes BIGINT;
ALTER TABLE prediction ADD COLUMN result_sha256 TEXT;

-- The identity of the data folder, which is also in the file blobs/folder.id.
-- The table has one row, which is written once.
CREATE TABLE folder (
    id TEXT PRIMARY KEY
);

-- +goose Down
DROP TABLE folder;
ALTER TABLE prediction DROP COLUMN result_sha256;
ALTER TABLE prediction DROP COLUMN result_bytes;
ALTER TABLE prediction DROP COLUMN blind_sha256;
ALTER TABLE prediction DROP COLUMN blind_bytes;
ALTER TABLE model DROP COLUMN sha256;
ALTER TABLE model DROP COLUMN bytes;
ALTER TABLE dataset DROP COLUMN sha256;
