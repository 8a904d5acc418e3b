-- +goose Up
-- The class weights of a race as JSON: "balanced", or an object of numbers by label. '' means equal weights.
ALTER TABLE training ADD COLUMN class_weights TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE training DROP COLUMN class_weights;
