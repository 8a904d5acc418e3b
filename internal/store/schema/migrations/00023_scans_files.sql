-- +goose Up
-- Whether a worker scans uploaded files for malware. Workers of an earlier release leave it 0.
ALTER TABLE worker ADD COLUMN scans_files INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE worker DROP COLUMN scans_files;
