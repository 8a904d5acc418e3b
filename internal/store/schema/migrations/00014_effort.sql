-- +goose Up
-- How much a race trains: fast. '' is the default.
ALTER TABLE training ADD COLUMN effort TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE training DROP COLUMN effort;
