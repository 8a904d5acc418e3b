-- +goose Up
-- The champion of a series is found without reading the rows of its models. In SQLite, the column
-- state is stored behind the report, which is often larger than ten pages.
CREATE INDEX model_champion ON model (dataset, state, series_version, achieved, training, key);

-- +goose Down
DROP INDEX model_champion;
