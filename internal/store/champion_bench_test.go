package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/testenv"
)

// The size of the series of the benchmarks. Reports are as long as those of credit-g.
const (
	longSeriesDatasets = 100
	modelsPerDataset   = 20
	reportBytes        = 40_000
)

// BenchmarkGetModel reads a model of a long series.
func BenchmarkGetModel(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, s *Store) {
		b.Helper()
		insertLongSeries(b, s)
		for b.Loop() {
			err := s.Read(b.Context(), func(tx *Tx) error {
				_, err := tx.GetModel(b.Context(), "ann", "d7 m7")
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkListModels lists the models of each dataset of a long series.
func BenchmarkListModels(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, s *Store) {
		b.Helper()
		insertLongSeries(b, s)
		for b.Loop() {
			for i := range longSeriesDatasets {
				err := s.Read(b.Context(), func(tx *Tx) error {
					_, total, err := tx.ListModels(b.Context(), fmt.Sprint("d", i), Page{0, 100})
					if total != modelsPerDataset {
						b.Errorf("%d models", total)
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkExpire deletes the expired races of a long series.
func BenchmarkExpire(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, s *Store) {
		b.Helper()
		for b.Loop() {
			b.StopTimer()
			insertLongSeries(b, s)
			b.StartTimer()
			total := expireAll(b, s, ExpiredQuery{Kind: "training", Before: at(9), Limit: 1000})
			b.StopTimer()
			if want := longSeriesDatasets*modelsPerDataset - 2; total != want { // the champion and the newest model are kept
				b.Errorf("%d races are deleted, want %d", total, want)
			}
			err := s.Write(b.Context(), func(tx *Tx) error { return tx.exec(b.Context(), "DELETE FROM account") })
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
}

// onEachDatabase runs a benchmark with an empty SQLite database and, if the tests have a PostgreSQL
// server, with an empty PostgreSQL database.
func onEachDatabase(b *testing.B, measure func(b *testing.B, s *Store)) {
	b.Helper()
	for _, name := range []string{"SQLite", "PostgreSQL"} {
		b.Run(name, func(b *testing.B) {
			location := filepath.Join(b.TempDir(), "rows.db")
			if name == "PostgreSQL" {
				location = testenv.Postgres(b)
			}
			s, err := Open(b.Context(), location)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			})
			measure(b, s)
		})
	}
}

// insertLongSeries inserts the account ann with a series whose races have expired at(9).
func insertLongSeries(b *testing.B, s *Store) {
	b.Helper()
	report := []byte(`"` + strings.Repeat("x", reportBytes) + `"`)
	err := s.Write(b.Context(), func(tx *Tx) error {
		err := tx.InsertAccount(b.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)})
		for i := range longSeriesDatasets {
			d := Dataset{Key: fmt.Sprint("d", i), Account: "ann", Name: fmt.Sprint("N-", i), Series: "N", Status: api.DatasetCompleted, Created: at(0), Updated: at(0)}
			err = errors.Join(err, tx.InsertDataset(b.Context(), &d))
			for j := range modelsPerDataset {
				key, score := fmt.Sprint(d.Key, " m", j), float64(j*7%modelsPerDataset)
				m := Model{Key: key, Account: "ann", Dataset: d.Key, Training: "of " + key, AchievedPerformance: &score, Report: report, Created: at(0)}
				race := Training{Key: m.Training, Account: "ann", Dataset: d.Key, Status: api.TrainingCompleted, Metric: api.MetricAccuracy, Created: at(0)}
				err = errors.Join(err, tx.InsertTraining(b.Context(), &race), tx.InsertModel(b.Context(), &m))
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// keptSeries is the number of series of BenchmarkListKept.
const keptSeries = 10_000

// BenchmarkListKept lists the expired datasets and races of many series with one model each, which is the
// champion, so that none has expired.
func BenchmarkListKept(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, s *Store) {
		b.Helper()
		insertKeptSeries(b, s)
		for _, kind := range []string{"training", "dataset"} {
			for _, limit := range []int{25, 1000, 2000} {
				b.Run(fmt.Sprint(kind, " ", limit), func(b *testing.B) {
					for b.Loop() {
						for q := (ExpiredQuery{Kind: kind, Before: at(9), Limit: limit}); ; {
							var keys []string
							err := s.Read(b.Context(), func(tx *Tx) (err error) {
								keys, q.After, err = tx.ListExpired(b.Context(), q)
								return err
							})
							if len(keys) > 0 || err != nil {
								b.Fatalf("%d rows have expired (%v)", len(keys), err)
							}
							if q.After == nil {
								break
							}
						}
					}
				})
			}
		}
	})
}

// insertKeptSeries inserts the account ann with the series of BenchmarkListKept. Each has a prediction.
func insertKeptSeries(b *testing.B, s *Store) {
	b.Helper()
	err := s.Write(b.Context(), func(tx *Tx) error {
		return tx.InsertAccount(b.Context(), &Account{Key: "ann", Email: "ann@example.com", Created: at(0)})
	})
	insert := func(tx *Tx, first int) (err error) {
		for i := range 1000 { // a transaction has a time limit
			key, created := fmt.Sprint("s", first+i), at(0).Add(time.Duration(first+i)*time.Microsecond)
			d := Dataset{Key: key, Account: "ann", Name: key, Status: api.DatasetCompleted, Created: created, Updated: created}
			race := Training{Key: key, Account: "ann", Dataset: key, Status: api.TrainingCompleted, Metric: api.MetricAccuracy, Created: created}
			m := Model{Key: key, Account: "ann", Dataset: key, Training: key, Created: created}
			p := Prediction{Key: key, Account: "ann", Dataset: key, Model: key, Status: api.PredictionCompleted, Created: created, Updated: created}
			err = errors.Join(err, tx.InsertDataset(b.Context(), &d), tx.InsertTraining(b.Context(), &race), tx.InsertModel(b.Context(), &m), tx.InsertPrediction(b.Context(), &p))
		}
		return err
	}
	for i := 0; i < keptSeries; i += 1000 {
		err = errors.Join(err, s.Write(b.Context(), func(tx *Tx) error { return insert(tx, i) }))
	}
	if err != nil {
		b.Fatal(err)
	}
}
