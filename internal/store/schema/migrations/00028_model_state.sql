-- +goose Up
-- Whether the model can be the champion of its series: 'promoted' means that it is the champion,
-- whatever its score, 'accepted' that it precedes other models of its dataset, 'rejected' that it
-- cannot be the champion, and '' that the scores decide.
ALTER TABLE model ADD COLUMN state TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE model DROP COLUMN state;
