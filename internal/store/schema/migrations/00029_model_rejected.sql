-- +goose Up
-- 1 if the model was ever rejected. It then is rejected again when it is no longer promoted.
ALTER TABLE model ADD COLUMN rejected INTEGER NOT NULL DEFAULT 0;
UPDATE model SET rejected = 1 WHERE state = 'rejected';

-- +goose Down
ALTER TABLE model DROP COLUMN rejected;
