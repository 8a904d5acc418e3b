package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/api"
)

func (s suite) accounts(t *testing.T) {
	wantErr(t, s.Write(t.Context(), func(tx *Tx) error {
		return tx.InsertAccount(t.Context(), &Account{Key: "x", Email: "ann@example.com"})
	}), ErrExists)
	write(t, s.Store, func(tx *Tx) error {
		return tx.InsertSession(t.Context(), &Session{Hash: "hash", Account: "ann", Created: at(0), Expires: at(10)})
	})
	write(t, s.Store, func(tx *Tx) error {
		a, err := tx.GetAccountByToken(t.Context(), "hash", at(9))
		if err != nil || a.Key != "ann" {
			t.Errorf("the token is of %+v, %v", a, err)
		}
		_, err = tx.GetAccountByToken(t.Context(), "hash", at(11))
		wantErr(t, err, ErrNotFound)
		if err := tx.UpdateDisabled(t.Context(), "ann", true, at(1)); err != nil {
			return err
		}
		_, err = tx.GetAccountByToken(t.Context(), "hash", at(9))
		wantErr(t, err, ErrNotFound)
		return tx.UpdateDisabled(t.Context(), "ann", false, at(1))
	})
	for _, offered := range []string{"first", "second"} {
		if kept, err := s.GetOrInsertSecret(t.Context(), &Secret{Name: "name", Value: offered}); err != nil || kept.Value != "first" {
			t.Errorf("%+v is kept, %v", kept, err)
		}
	}
}

func (s suite) datasets(t *testing.T) {
	description := "what it is"
	want := &Dataset{
		Key: "d2", Account: "ann", Name: "name of d2", Series: "name of d2", Status: api.DatasetProcessing, Buckets: 64, File: File{Blob: "csv-2", Bytes: 1 << 40, SHA256: "d2"}, FailureReason: "why",
		Rows: 7, Columns: []api.Column{{Name: "a", Kind: "numeric"}}, Classes: []api.Class{{Label: "x", Rows: 7}}, Schema: []byte(`{"a":1}`),
		Created: at(1), Updated: at(20),
	}
	for _, d := range []struct {
		dataset Dataset
		err     error
	}{
		{Dataset{Key: "x", Account: "ann", Name: "name of d1", Description: &description}, ErrExists},
		{Dataset{Key: "x", Account: "nobody", Name: "name"}, ErrNotFound},
	} {
		wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return tx.InsertDataset(t.Context(), &d.dataset) }), d.err)
	}
	write(t, s.Store, func(tx *Tx) error { return tx.UpdateDataset(t.Context(), want, api.DatasetPending) })
	wantErr(t, s.Write(t.Context(), func(tx *Tx) error { return tx.UpdateDataset(t.Context(), want, api.DatasetPending) }), ErrWrongState)
	err := s.Read(t.Context(), func(tx *Tx) error {
		got, err := tx.GetDataset(t.Context(), "ann", "d2")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		_, other := tx.GetDataset(t.Context(), "bob", "d2")
		wantErr(t, other, ErrNotFound)
		for _, tt := range []struct {
			query DatasetQuery
			keys  []string
			total int64
		}{
			{DatasetQuery{Account: "ann", Page: Page{0, 2}}, []string{"d3", "d2"}, 3},
			{DatasetQuery{Account: "ann", Page: Page{2, 2}}, []string{"d1"}, 3},
			{DatasetQuery{Account: "ann", Page: Page{1 << 62, 2}}, nil, 3},
			{DatasetQuery{Account: "ann", State: api.DatasetProcessing, Page: Page{0, 2}}, []string{"d2"}, 1},
			{DatasetQuery{Account: "ann", WithModel: true, Page: Page{0, 2}}, []string{"d1"}, 1},
			{DatasetQuery{Account: "ann", WithPrediction: true, Page: Page{0, 2}}, []string{"d1"}, 1},
			{DatasetQuery{Account: "bob", Page: Page{0, 2}}, nil, 0},
		} {
			rows, total, err := tx.ListDatasets(t.Context(), tt.query)
			var keys []string
			for _, d := range rows {
				keys = append(keys, d.Key)
			}
			if err != nil || total != tt.total || !cmp.Equal(keys, tt.keys) {
				t.Errorf("%+v returns %v of %d, %v", tt.query, keys, total, err)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	t.Run("a read transaction cannot write", func(t *testing.T) {
		for _, read := range []func(context.Context, func(*Tx) error) error{s.Read, s.ReadOneStatement} {
			if err := read(t.Context(), func(tx *Tx) error { return tx.DeleteJob(t.Context(), "x") }); err == nil {
				t.Error("it could")
			}
		}
	})
	t.Run("the number of datasets", func(t *testing.T) {
		count := func() (total int64) {
			err := s.Read(t.Context(), func(tx *Tx) (err error) {
				_, total, err = tx.ListDatasets(t.Context(), DatasetQuery{Account: "ann"})
				usage, usageErr := tx.GetUsage(t.Context(), "ann")
				if usage.Datasets != total {
					t.Errorf("the usage has %d datasets, the list %d", usage.Datasets, total)
				}
				return errors.Join(err, usageErr)
			})
			if err != nil {
				t.Error(err)
			}
			return total
		}
		before := count()
		write(t, s.Store, func(tx *Tx) error {
			return tx.InsertDataset(t.Context(), &Dataset{Key: "counted", Account: "ann", Name: "counted", Status: api.DatasetPending})
		})
		wantErr(t, s.Write(t.Context(), func(tx *Tx) error {
			return tx.InsertDataset(t.Context(), &Dataset{Key: "again", Account: "ann", Name: "counted", Status: api.DatasetPending})
		}), ErrExists)
		if got := count(); got != before+1 {
			t.Errorf("%d after a dataset was added to %d", got, before)
		}
		write(t, s.Store, func(tx *Tx) error {
			return tx.exec(t.Context(), "UPDATE account SET datasets = 99 WHERE key IN ('ann', 'bob')")
		})
		if err := s.RecountDatasets(t.Context()); err != nil || count() != before+1 {
			t.Errorf("%d after the datasets were counted again, want %d (%v)", count(), before+1, err)
		}
		read(t, s.Store, func(tx *Tx) error {
			usage, err := tx.GetUsage(t.Context(), "bob")
			if usage.Datasets == 99 {
				t.Error("the datasets of the second account were not counted")
			}
			return err
		})
		write(t, s.Store, func(tx *Tx) error { _, err := tx.DeleteDataset(t.Context(), "ann", "counted"); return err })
		if got := count(); got != before {
			t.Errorf("%d after it was deleted again, before it was added %d", got, before)
		}
	})
	t.Run("what fails is undone", func(t *testing.T) {
		broken := errors.New("broken")
		wantErr(t, s.Write(t.Context(), func(tx *Tx) error {
			if _, err := tx.DeleteDataset(t.Context(), "ann", "d3"); err != nil {
				return err
			}
			return broken
		}), broken)
		if err := s.Read(t.Context(), func(tx *Tx) error { _, err := tx.GetDataset(t.Context(), "ann", "d3"); return err }); err != nil {
			t.Error(err)
		}
	})
}

// texts checks that rows can be looked up by any text, even by one that PostgreSQL cannot store.
func (s suite) texts(t *testing.T) {
	for _, key := range []string{"", "\x00", "a\x00b", "\xff", "'", "?", "%"} {
		err := s.Read(t.Context(), func(tx *Tx) error {
			_, err := tx.GetDataset(t.Context(), "ann", key)
			return err
		})
		wantErr(t, err, ErrNotFound)
	}
}

func (s suite) trainings(t *testing.T) {
	achieved := 0.75
	write(t, s.Store, func(tx *Tx) error {
		r, err := tx.GetTraining(t.Context(), "ann", "t1b")
		if err != nil {
			return err
		}
		if r.DatasetName != "name of d1" || r.Model != "m1" || r.Seed != 1<<62 || r.AchievedPerformance != nil || !r.Started.IsZero() {
			t.Errorf("the run is %+v", r)
		}
		want := *r
		want.Status, want.AchievedPerformance, want.Curve, want.Started = api.TrainingRunning, &achieved, []float64{0.5, 0.75}, at(30)
		if err := tx.UpdateTraining(t.Context(), &want, api.TrainingPending); err != nil {
			return err
		}
		got, err := tx.GetTraining(t.Context(), "ann", "t1b")
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Error(diff)
		}
		wantErr(t, tx.RequestCancel(t.Context(), "t1"), ErrWrongState)
		for parentOnly, want := range map[bool][]string{true: {"t1"}, false: {"t1", "t1a", "t1b"}} {
			rows, _, err := tx.ListTrainings(t.Context(), TrainingQuery{Account: "ann", Dataset: "d1", ParentOnly: parentOnly, Page: Page{0, 9}})
			var keys []string
			for _, r := range rows {
				keys = append(keys, r.Key)
			}
			if err != nil || !cmp.Equal(keys, want) {
				t.Errorf("the list is %v, %v", keys, err)
			}
		}
		return err
	})
}

func (s suite) files(t *testing.T) {
	write(t, s.Store, func(tx *Tx) error {
		m, err := tx.GetModel(t.Context(), "ann", "m1")
		if err != nil {
			return err
		}
		if want := (File{Blob: "model-1", Bytes: 7, SHA256: "m1"}); m.File != want {
			t.Errorf("the model's file is %+v", m.File)
		}
		p, err := tx.GetPrediction(t.Context(), "ann", "p1")
		if err != nil {
			return err
		}
		if want := (File{Blob: "blind-1", Bytes: 9, SHA256: "b1"}); p.Blind != want || p.Result != (File{}) {
			t.Errorf("the prediction's files are %+v and %+v", p.Blind, p.Result)
		}
		blind := p.Blind
		p.Blind, p.Result = File{}, File{Blob: "result-1", Bytes: 8, SHA256: "r1"}
		if err := tx.UpdatePrediction(t.Context(), p, p.Status); err != nil {
			return err
		}
		again, err := tx.GetPrediction(t.Context(), "ann", "p1")
		if diff := cmp.Diff(p, again); diff != "" {
			t.Error(diff)
		}
		if err := checkTotals(t, tx); err != nil {
			return err
		}
		p.Blind, p.Result = blind, File{}
		return errors.Join(err, tx.UpdatePrediction(t.Context(), p, p.Status))
	})
}

// checkTotals compares the totals of stored files with the list of the files.
func checkTotals(t *testing.T, tx *Tx) error {
	t.Helper()
	totals, err := tx.SumFiles(t.Context())
	if err != nil {
		return err
	}
	files, err := tx.ListFiles(t.Context())
	if err != nil {
		return err
	}
	want := []*FileTotal{{Kind: CSVFile}, {Kind: ModelFile}, {Kind: BlindFile}, {Kind: ResultFile}}
	for _, f := range files {
		for _, total := range want {
			if total.Kind == f.Kind {
				total.Files++
				total.Bytes += f.Bytes
			}
		}
	}
	if diff := cmp.Diff(want, totals); diff != "" || len(files) == 0 {
		t.Errorf("%d files, %s", len(files), diff)
	}
	return nil
}

func (s suite) models(t *testing.T) {
	write(t, s.Store, func(tx *Tx) error {
		for i, key := range []string{"t2", "t3"} {
			err := tx.InsertTraining(t.Context(), &Training{Key: key, Account: "ann", Dataset: "d1", Status: api.TrainingCompleted, Created: at(40 + i)})
			if err != nil {
				return err
			}
		}
		second := &Model{Key: "m2", Account: "ann", Dataset: "d1", Training: "t2", AchievedPerformance: new(0.9), File: File{Blob: "model-2"}}
		third := &Model{Key: "m3", Account: "ann", Dataset: "d1", Training: "t3", AchievedPerformance: new(0.9), File: File{Blob: "model-3"}}
		if err := errors.Join(tx.InsertModel(t.Context(), second), tx.InsertModel(t.Context(), third)); err != nil {
			return err
		}
		models, total, err := tx.ListModels(t.Context(), "d1", Page{0, 9})
		if err != nil || total != 3 {
			t.Fatalf("%d models, %v", total, err)
		}
		for i, want := range []struct {
			key      string
			version  int
			champion bool
		}{{"m3", 3, false}, {"m2", 2, true}, {"m1", 1, false}} {
			if m := models[i]; m.Key != want.key || m.Version != want.version || m.Champion != want.champion {
				t.Errorf("model %d is %+v", i, m)
			}
		}
		return nil
	})
}

func (s suite) deletes(t *testing.T) {
	write(t, s.Store, func(tx *Tx) error {
		err := errors.Join(tx.InsertJob(t.Context(), &Job{Key: "of p1", Account: "ann", Kind: "predict", Subject: "p1"}),
			tx.InsertJob(t.Context(), &Job{Key: "of t1", Account: "ann", Kind: "train", Subject: "t1"}),
			tx.exec(t.Context(), "UPDATE prediction SET status = ? WHERE key = 'p1'", api.PredictionRunning))
		if err != nil {
			return err
		}
		race, prediction := &ActiveJob{"training", "t1", api.TrainingPending}, &ActiveJob{"prediction", "p1", api.PredictionRunning}
		active := func(root, key string, want ...*ActiveJob) {
			t.Helper()
			if jobs, err := tx.ListActiveJobs(t.Context(), root, "ann", key); err != nil || !cmp.Equal(jobs, want, cmpopts.EquateEmpty()) {
				t.Errorf("the active jobs of %s %s are %v, %v", root, key, jobs, err)
			}
		}
		active("dataset", "d1", race)
		active("model", "m1") // no process has leased the job of the prediction
		if err := tx.exec(t.Context(), "UPDATE job SET owner = 'p' WHERE key = 'of p1'"); err != nil {
			return err
		}
		active("dataset", "d1", prediction, race)
		active("training", "t1", prediction, race)
		active("model", "m1", prediction)
		active("prediction", "p1", prediction)
		if jobs, err := tx.ListActiveJobs(t.Context(), "dataset", "bob", "d1"); err != nil || len(jobs) > 0 {
			t.Errorf("for another account, the active jobs are %v, %v", jobs, err)
		}
		blobs, err := tx.DeleteTraining(t.Context(), "ann", "t1")
		if err != nil || !cmp.Equal(blobs, []string{"model-1", "blind-1"}) {
			t.Errorf("the blobs are %v, %v", blobs, err)
		}
		_, err = tx.GetPrediction(t.Context(), "ann", "p1")
		wantErr(t, err, ErrNotFound)
		if jobs, err := tx.queryNonEmptyStrings(t.Context(), "SELECT key FROM job WHERE subject IN ('p1', 't1')"); err != nil || len(jobs) > 0 {
			t.Errorf("the jobs %q are left, %v", jobs, err)
		}
		between, err := tx.ListBlobKeysBetween(t.Context(), "csv-2", "model-2")
		slices.Sort(between)
		if err != nil || !cmp.Equal(between, []string{"csv-2", "model-2"}) {
			t.Errorf("the blobs from csv-2 to model-2 are %v, %v", between, err)
		}
		if blob, err := tx.GetAnyBlobKey(t.Context()); err != nil || !slices.Contains([]string{"csv-2", "model-2", "model-3"}, blob) {
			t.Errorf("a blob is %q, %v", blob, err)
		}
		blobs, err = tx.DeleteAccount(t.Context(), "ann")
		if err != nil || !cmp.Equal(blobs, []string{"csv-2", "model-2", "model-3"}) {
			t.Errorf("the blobs are %v, %v", blobs, err)
		}
		used, err := tx.ListBlobKeys(t.Context())
		if len(used) > 0 {
			t.Errorf("blobs %v are used still", used)
		}
		if blob, err := tx.GetAnyBlobKey(t.Context()); err != nil || blob != "" {
			t.Errorf("a blob is %q, %v, although none is used", blob, err)
		}
		return err
	})
}

// deletedQueue checks that a batch of a deletion contains queued predictions, with their jobs, but none
// that a process has leased.
func (s suite) deletedQueue(t *testing.T) {
	s.fill(t)
	write(t, s.Store, func(tx *Tx) (err error) {
		for i := range 4 {
			key := fmt.Sprint("queued ", i)
			err = errors.Join(err, tx.InsertPrediction(t.Context(), &Prediction{Key: key, Account: "ann", Dataset: "d1", Model: "m1", Status: api.PredictionPending, Blind: File{Blob: key}, Created: at(i)}),
				tx.InsertJob(t.Context(), &Job{Key: "of " + key, Account: "ann", Kind: "predict", Subject: key, Created: at(i)}))
		}
		return err
	})
	leased, err := s.ClaimJob(t.Context(), JobClaim{Kind: "predict", Until: at(9)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit, blobs int
	}{{5, 0}, {4, 4}} { // the three that are not leased, and one of fill
		write(t, s.Store, func(tx *Tx) error {
			has, err := tx.HasPredictionBatch(t.Context(), "dataset", "ann", "d1", c.limit)
			if has != (c.blobs > 0) {
				t.Errorf("a batch of %d exists: %t", c.limit, has)
			}
			blobs, errDelete := tx.DeletePredictionBatch(t.Context(), "dataset", "ann", "d1", c.limit)
			if len(blobs) != c.blobs {
				t.Errorf("the blobs of a batch of %d are %q", c.limit, blobs)
			}
			return errors.Join(err, errDelete)
		})
	}
	read(t, s.Store, func(tx *Tx) error {
		for query, want := range map[string]string{"SELECT subject FROM job": leased.Subject, "SELECT key FROM prediction": leased.Subject} {
			if left, err := tx.queryNonEmptyStrings(t.Context(), query); err != nil || !slices.Equal(left, []string{want}) {
				t.Errorf("%s: %q, %v; want %q", query, left, err, want)
			}
		}
		return nil
	})
}
