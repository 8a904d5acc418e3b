-- +goose Up
-- The columns of the training file by which a race divides the rows: rows of one group
-- are kept together, and measured rows are later than the others. '' if none.
ALTER TABLE training ADD COLUMN group_column TEXT NOT NULL DEFAULT '';
ALTER TABLE training ADD COLUMN time_column TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE training DROP COLUMN time_column;
ALTER TABLE training DROP COLUMN group_column;
