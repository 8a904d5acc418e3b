package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/app"
)

// TestDeleteManyPredictions deletes a dataset with 2,501 predictions. If the deletion of the dataset fails,
// the predictions that were deleted before must be recorded. If a prediction is running, all must remain.
// The same applies if the dataset has expired.
func TestDeleteManyPredictions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/schema1")); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir).as(t, "ann@example.com")
	for _, table := range []string{"dataset", "training", "model", "prediction"} {
		b.execSQL(t, "UPDATE "+table+" SET account = (SELECT key FROM account WHERE email = 'ann@example.com')")
	}
	datasets := must(b.ListDatasets(b.ctx, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 9}}))(t).Datasets.Items
	in := api.DatasetInput{DatasetKey: datasets[1].DatasetKey}
	insert := func(number, status string) {
		b.execSQL(t, `INSERT INTO prediction (key, account, dataset, model, status, blind, created, updated)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < `+number+`)
			SELECT '`+status+`' || i, account, dataset, model, '`+status+`', '', created, updated FROM n, (SELECT * FROM prediction LIMIT 1)`)
	}
	deletions := func(when string, want int64) {
		t.Helper()
		page := must(b.ListAuditEvents(t.Context(), &api.ListAuditEventsInput{PageInput: api.PageInput{Limit: 1}, Action: "dataset.delete"}))(t)
		if page.Total != want {
			t.Errorf("%s, the audit log has %d deletions, want %d", when, page.Total, want)
		}
	}
	check := func(when string, predictions, events int64) {
		t.Helper()
		page := must(b.ListPredictionsOfDataset(b.ctx, &api.DatasetPageInput{DatasetInput: in, PageInput: api.PageInput{Limit: 1}}))(t)
		if page.Total != predictions {
			t.Errorf("%s, there are %d predictions, want %d", when, page.Total, predictions)
		}
		deletions(when, events)
	}
	insert("2500", api.PredictionFailed)
	insert("1", api.PredictionRunning)
	locks := slices.DeleteFunc(must(os.ReadDir(filepath.Join(dir, "processes")))(t), func(e os.DirEntry) bool { return e.Name() == "entry.lock" })
	process := strings.TrimSuffix(locks[0].Name(), filepath.Ext(locks[0].Name()))
	b.execSQL(t, "INSERT INTO job (key, account, kind, subject, owner, created) SELECT 'leased', account, 'predict', key, '"+process+"', 0 FROM prediction WHERE status = '"+api.PredictionRunning+"'")
	if _, err := b.DeleteDataset(b.ctx, &in); err == nil {
		t.Error("the dataset of a running prediction was deleted")
	}
	check("after a conflict", 2502, 0)
	b.execSQL(t, "DELETE FROM prediction WHERE status = '"+api.PredictionRunning+"'")
	b.execSQL(t, "DELETE FROM job")
	b.execSQL(t, "CREATE TRIGGER kept BEFORE DELETE ON dataset BEGIN SELECT RAISE(ABORT, 'kept'); END")
	if _, err := b.DeleteDataset(b.ctx, &in); err == nil {
		t.Error("a dataset that cannot be deleted was deleted")
	}
	check("after a failure", 101, 1)
	insert("2500", api.PredictionCompleted)
	b.execSQL(t, "UPDATE model SET state = '"+api.ModelRejected+"'") // champions do not expire
	b.execSQL(t, "UPDATE dataset SET updated = 0")
	enforceRetention(t, b, app.Retention{Datasets: time.Nanosecond}, func() bool {
		return must(b.ListPredictionsOfDataset(b.ctx, &api.DatasetPageInput{DatasetInput: in, PageInput: api.PageInput{Limit: 1}}))(t).Total < 200
	})
	check("after a dataset that has expired could not be deleted", 1, 1)
	b.execSQL(t, "DROP TRIGGER kept")
	// A race begins between two batches. The dataset is deleted in any case, because predictions are
	// already lost.
	insert("2500", api.PredictionTimeout)
	b.execSQL(t, "UPDATE training SET status = '"+api.TrainingCompleted+"'")
	b.execSQL(t, `CREATE TRIGGER race AFTER DELETE ON prediction WHEN NOT EXISTS (SELECT 1 FROM job) BEGIN
		UPDATE training SET status = '`+api.TrainingRunning+`' WHERE dataset = OLD.dataset AND parent IS NULL;
		INSERT INTO job (key, account, kind, subject, owner, created) SELECT 'leased', account, 'train', key, '`+process+`', 0 FROM training WHERE dataset = OLD.dataset AND parent IS NULL LIMIT 1;
	END`)
	if _, err := b.DeleteDataset(b.ctx, &in); err != nil {
		t.Fatal(err)
	}
	deletions("in the end", 2)
	_, err := b.GetDataset(b.ctx, &in)
	wantCode(t, err, api.CodeNotFound)
}
