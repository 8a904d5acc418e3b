-- +goose Up
-- The number of columns of reasons in the result of a prediction.
ALTER TABLE prediction ADD COLUMN reasons BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE prediction DROP COLUMN reasons;
