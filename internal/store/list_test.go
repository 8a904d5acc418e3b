package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/api"
)

// unread makes the columns that lists omit invalid, so that reading them fails.
func unread(t *testing.T, s *Store) {
	t.Helper()
	write(t, s, func(tx *Tx) error {
		for _, query := range []string{
			"UPDATE dataset SET columns = '{', classes = '{'", "UPDATE training SET curve = '{'", "UPDATE model SET report = '{'",
		} {
			if err := tx.exec(t.Context(), query); err != nil {
				return err
			}
		}
		return nil
	})
}

// listsOmitLargeColumns lists rows whose large columns cannot be decoded.
func (s suite) listsOmitLargeColumns(t *testing.T) {
	s.fill(t)
	unread(t, s.Store)
	err := s.Read(t.Context(), func(tx *Tx) error {
		datasets, _, err := tx.ListDatasets(t.Context(), DatasetQuery{Account: "ann", Page: Page{0, 9}})
		if err != nil || len(datasets) == 0 {
			t.Errorf("%d datasets, %v", len(datasets), err)
		}
		if _, err := tx.GetDataset(t.Context(), "ann", "d1"); err == nil {
			t.Error("the dataset itself can be read: the test shows nothing")
		}
		trainings, _, err := tx.ListTrainings(t.Context(), TrainingQuery{Account: "ann", Page: Page{0, 9}})
		if err != nil || len(trainings) == 0 {
			t.Errorf("%d training jobs, %v", len(trainings), err)
		}
		models, _, err := tx.ListModels(t.Context(), "d1", Page{0, 9})
		if err != nil || len(models) == 0 || len(models[0].Report) > 0 {
			t.Errorf("%d models, %v", len(models), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// distantPages lists datasets in pages before and after the offset from which the database finds
// the keys of a page first.
func (s suite) distantPages(t *testing.T) {
	const total = maxRowsSkipped + 5
	write(t, s.Store, func(tx *Tx) error {
		err := tx.InsertAccount(t.Context(), &Account{Key: "ann", Email: "ann@example.com"})
		for i := 0; i < total && err == nil; i++ {
			key := fmt.Sprintf("d%03d", i)
			err = tx.InsertDataset(t.Context(), &Dataset{Key: key, Account: "ann", Name: key, Status: api.DatasetPending, Created: at(i)})
		}
		return err
	})
	err := s.Read(t.Context(), func(tx *Tx) error {
		for offset := int64(maxRowsSkipped - 2); offset < total; offset++ {
			datasets, rows, err := tx.ListDatasets(t.Context(), DatasetQuery{Account: "ann", Page: Page{offset, 2}})
			if err != nil {
				return err
			}
			for i, d := range datasets {
				if want := fmt.Sprintf("d%03d", total-1-int(offset)-i); d.Key != want {
					t.Errorf("dataset %d of the page at %d is %s: want %s", i, offset, d.Key, want)
				}
			}
			if want := int(min(2, total-offset)); len(datasets) != want || rows != total {
				t.Errorf("the page at %d has %d of %d datasets: want %d of %d", offset, len(datasets), rows, want, total)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// BenchmarkListDatasets lists 100 datasets of 10,000 columns each.
func BenchmarkListDatasets(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	columns := make([]api.Column, 10_000)
	for i := range columns {
		columns[i] = api.Column{Name: fmt.Sprintf("column %d", i), Kind: "numeric"}
	}
	err = s.Write(b.Context(), func(tx *Tx) error {
		if err := tx.InsertAccount(b.Context(), &Account{Key: "ann", Email: "ann"}); err != nil {
			return err
		}
		for i := range 100 {
			d := &Dataset{Key: fmt.Sprint(i), Account: "ann", Name: fmt.Sprint("name ", i), Status: api.DatasetPending, Created: at(i)}
			if err := tx.InsertDataset(b.Context(), d); err != nil {
				return err
			}
			d.Columns, d.Schema = columns, []byte(`"`+strings.Repeat("x", 80_000)+`"`)
			if err := tx.UpdateDataset(b.Context(), d, api.DatasetPending); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		err := s.Read(b.Context(), func(tx *Tx) error {
			rows, _, err := tx.ListDatasets(b.Context(), DatasetQuery{Account: "ann", Page: Page{0, 100}})
			if len(rows) != 100 {
				b.Errorf("%d rows", len(rows))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
