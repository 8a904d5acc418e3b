-- +goose Up
-- The number of datasets of an account, because counting 10,000 of them takes longer than reading a page.
ALTER TABLE account ADD COLUMN datasets BIGINT NOT NULL DEFAULT 0;
UPDATE account SET datasets = (SELECT count(*) FROM dataset WHERE dataset.account = account.key);

-- +goose Down
ALTER TABLE account DROP COLUMN datasets;
