package learn

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// BenchmarkSets races on each data set of a directory,
// NAME/{train,blind,answers}.csv, and logs the result of each run:
//
//	FORETELL_SETS=DIR go test -run '^$' -bench Sets -benchtime 1x -timeout 2h ./internal/learn
//
// FORETELL_ALGORITHMS=SIX01,SEV02 selects algorithms. FORETELL_ANSWERS=1 scores the
// predictions of blind.csv against answers.csv. Use it only for a final check. Design
// decisions must be based on the validation and test scores.
func BenchmarkSets(b *testing.B) {
	dir := os.Getenv("FORETELL_SETS")
	if dir == "" {
		b.Skip("FORETELL_SETS is not set")
	}
	sets, err := filepath.Glob(filepath.Join(dir, "*", "train.csv"))
	if err != nil {
		b.Fatal(err)
	}
	for _, train := range sets {
		set := filepath.Dir(train)
		b.Run(filepath.Base(set), func(b *testing.B) {
			for b.Loop() {
				benchmarkSet(b, set)
			}
		})
	}
}

func benchmarkSet(b *testing.B, dir string) {
	b.Helper()
	f := loadTrainFile(b, filepath.Join(dir, "train.csv"))
	p := Params{Metric: os.Getenv("FORETELL_METRIC"), Now: time.Now}
	if names := os.Getenv("FORETELL_ALGORITHMS"); names != "" {
		for _, m := range newVariants(algorithms, len(f.Schema.Classes)) {
			if strings.Contains(names, m.Name[1:]) {
				p.Algorithms = append(p.Algorithms, m.Name)
			}
		}
	}
	first := map[string]time.Time{}
	last := map[string]time.Time{}
	p.Progress = func(e Event) {
		if first[e.Algorithm].IsZero() {
			first[e.Algorithm] = time.Now()
		}
		last[e.Algorithm] = time.Now()
	}
	began := time.Now()
	var o *Outcome
	var err error
	peak := peakHeap(func() { o, err = Race(b.Context(), f, p) })
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range o.Runs {
		b.Logf("%-8s %-8s %-13s %.4f  log loss %.4f  %4d steps  %6.1fs  %v", filepath.Base(dir), r.Algorithm, r.Status, r.Performance, r.LogLoss,
			len(r.Curve), last[r.Algorithm].Sub(first[r.Algorithm]).Seconds(), r.Err)
	}
	if o.Model == nil {
		b.Fatal(o.Status)
	}
	b.Logf("%-8s %s: validation %.4f/%.4f test %.4f/%.4f training %.4f/%.4f, %.1fs", filepath.Base(dir), o.Algorithm,
		o.Achieved, o.Report.Validation.LogLoss, o.Test, o.Report.Test.LogLoss, o.Training, o.Report.Training.LogLoss,
		time.Since(began).Seconds())
	b.ReportMetric(o.Achieved, "validation")
	b.ReportMetric(o.Test, "test")
	b.ReportMetric(float64(peak)/1e6, "MB-in-use")
	if os.Getenv("FORETELL_ANSWERS") != "" {
		b.ReportMetric(accuracyOnAnswers(b, o.Model, dir), "answers")
	}
}

// accuracyOnAnswers returns the fraction of the rows of dir/blind.csv that m predicts as
// in dir/answers.csv.
func accuracyOnAnswers(tb testing.TB, m *model.Model, dir string) float64 {
	tb.Helper()
	blind, err := os.Open(filepath.Join(dir, "blind.csv"))
	if err != nil {
		tb.Fatal(err)
	}
	defer blind.Close()
	var result bytes.Buffer
	if _, err := m.Predict(tb.Context(), blind, &result, model.PredictOptions{}); err != nil {
		tb.Fatal(err)
	}
	answers, err := os.Open(filepath.Join(dir, "answers.csv"))
	if err != nil {
		tb.Fatal(err)
	}
	defer answers.Close()
	truth, err := csv.NewReader(answers).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	said, err := csv.NewReader(&result).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	at := 0
	for said[0][at] != "prediction" {
		at++
	}
	right := 0
	for i := 1; i < len(truth); i++ {
		if said[i][0] != truth[i][0] {
			tb.Fatalf("row %d is %s, want %s", i, said[i][0], truth[i][0])
		}
		if said[i][at] == truth[i][1] {
			right++
		}
	}
	return float64(right) / float64(len(truth)-1)
}

// loadTrainFile loads a training file.
func loadTrainFile(tb testing.TB, path string) *frame.Frame {
	tb.Helper()
	open := func() *os.File {
		src, err := os.Open(path)
		if err != nil {
			tb.Fatal(err)
		}
		return src
	}
	src := open()
	defer src.Close()
	profile, err := profile.Scan(tb.Context(), src, profile.ScanOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	if err := profile.Err(); err != nil {
		tb.Fatal(err)
	}
	src = open()
	defer src.Close()
	f, err := frame.Load(tb.Context(), src, profile.Schema, frame.LoadOptions{Labelled: true, Rows: profile.Rows})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}
