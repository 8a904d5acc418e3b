-- +goose Up
-- The name of the uploaded training file, '' if unknown.
ALTER TABLE dataset ADD COLUMN file_name TEXT NOT NULL DEFAULT '';

-- The blind file of a prediction as it was uploaded: its name, its size and its SHA-256 in hex. Unlike
-- the columns blind*, which are those of the stored file, they are kept when the prediction ends. They
-- are empty for predictions of earlier releases.
ALTER TABLE prediction ADD COLUMN input_name TEXT NOT NULL DEFAULT '';
ALTER TABLE prediction ADD COLUMN input_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE prediction ADD COLUMN input_sha256 TEXT NOT NULL DEFAULT '';
-- The comparison of the blind file with the training file, an api.DriftReport as JSON, '' until it is
-- requested. It is the last column, because it may be long and lists do not read it.
ALTER TABLE prediction ADD COLUMN drift TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE prediction DROP COLUMN drift;
ALTER TABLE prediction DROP COLUMN input_sha256;
ALTER TABLE prediction DROP COLUMN input_bytes;
ALTER TABLE prediction DROP COLUMN input_name;
ALTER TABLE dataset DROP COLUMN file_name;
