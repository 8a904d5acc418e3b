-- +goose Up
-- Lists of races read and count the rows of an index that has no runs. With four runs a race, PostgreSQL
-- would otherwise read the whole table to count the races. Without the column parent, SQLite would read
-- the row of each race, too.
CREATE INDEX training_race ON training (account, created, key, parent) WHERE parent IS NULL;

-- +goose Down
DROP INDEX training_race;
