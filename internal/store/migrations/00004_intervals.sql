-- +goose Up
-- The 95 % confidence intervals of a model's validation and test scores by the
-- race's metric, as in its report; '' where they are not known. Lists show them
-- without reading the report.
ALTER TABLE model ADD COLUMN validation_interval TEXT NOT NULL DEFAULT '';
ALTER TABLE model ADD COLUMN test_interval TEXT NOT NULL DEFAULT '';
UPDATE model SET
    validation_interval = coalesce(json_extract(report, '$.validation.intervals.' || (SELECT metric FROM training WHERE key = model.training)), ''),
    test_interval = coalesce(json_extract(report, '$.test.intervals.' || (SELECT metric FROM training WHERE key = model.training)), '')
WHERE json_valid(report);
