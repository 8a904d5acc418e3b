-- +goose Up
-- The 95 % confidence intervals of a model's validation and test scores (of the
-- race's metric), copied from its report so that lists need not read the report.
-- '' if unknown.
ALTER TABLE model ADD COLUMN validation_interval TEXT NOT NULL DEFAULT '';
ALTER TABLE model ADD COLUMN test_interval TEXT NOT NULL DEFAULT '';
UPDATE model SET
    validation_interval = coalesce(json_extract(report, '$.validation.intervals.' || (SELECT metric FROM training WHERE key = model.training)), ''),
    test_interval = coalesce(json_extract(report, '$.test.intervals.' || (SELECT metric FROM training WHERE key = model.training)), '')
WHERE json_valid(report);

-- NULL if the race had no validation rows, which was 0 before.
ALTER TABLE model ADD COLUMN score DOUBLE PRECISION;
UPDATE model SET score = CASE
    WHEN NOT json_valid(report) THEN achieved
    WHEN json_extract(report, '$.validationRows') = 0 THEN NULL
    ELSE achieved END;
ALTER TABLE model DROP COLUMN achieved;
ALTER TABLE model RENAME COLUMN score TO achieved;

-- +goose Down
ALTER TABLE model ADD COLUMN score DOUBLE PRECISION NOT NULL DEFAULT 0;
UPDATE model SET score = coalesce(achieved, 0);
ALTER TABLE model DROP COLUMN achieved;
ALTER TABLE model RENAME COLUMN score TO achieved;
ALTER TABLE model DROP COLUMN test_interval;
ALTER TABLE model DROP COLUMN validation_interval;
