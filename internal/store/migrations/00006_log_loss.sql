-- +goose Up
-- The log loss that belongs to achieved; NULL where it was not measured.
ALTER TABLE training ADD COLUMN log_loss DOUBLE PRECISION;

-- +goose Down
ALTER TABLE training DROP COLUMN log_loss;
