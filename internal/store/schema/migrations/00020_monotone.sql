-- +goose Up
-- The monotone columns of a race as JSON: an object of directions by column. '' means none.
ALTER TABLE training ADD COLUMN monotone TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE training DROP COLUMN monotone;
