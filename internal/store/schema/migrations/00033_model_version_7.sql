-- Model files may have version 7 (a smooth part with linear scores) from here on. The tables are
-- unchanged. The migration keeps workers that do not know this version from claiming predictions with
-- such models.

-- +goose Up
SELECT 1;

-- +goose Down
SELECT 1;
