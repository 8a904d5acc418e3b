package learn

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"foretell/internal/learn/metric"
	"foretell/internal/table/frame"
)

// TestNothingFailsSilently checks that a race adds a note to its report if something
// unusual happens.
func TestNothingFailsSilently(t *testing.T) {
	f := fakeFrame(300, 2)
	good := fakeFitter{skills: risingSkills(0.5, 0.9, 4), work: 1e6}
	t.Run("a_usual_race_has_no_notes", func(t *testing.T) {
		if o := mustRace(t, f, Params{}, good); o.Report.Notes != nil {
			t.Errorf("%q", o.Report.Notes)
		}
	})
	t.Run("groups_with_later_rows", func(t *testing.T) {
		p := Params{Groups: make([]int32, f.Rows), Times: make([]float64, f.Rows)}
		for row := range f.Rows {
			p.Groups[row], p.Times[row] = int32(row%30), float64(row/30)
		}
		if _, err := raceAlgorithms(t.Context(), f, p, fakeAlgorithms(good)); !errors.Is(err, ErrNoEarlierRows) {
			t.Errorf("every group has test rows: error %v", err)
		}
		for row := range f.Rows {
			if row%30 >= 10 {
				p.Groups[row] = int32(row + 30)
			}
		}
		expectNote(t, mustRace(t, f, p, good), "80 rows were used only by the final training, because later rows of their groups are test rows")
		for row := range f.Rows { // 10 groups have test rows, and 10 others have rows until the last fold
			p.Groups[row] = int32(row % 30)
			if row%30 >= 20 || row >= 240 && row%30 >= 10 {
				p.Groups[row] = int32(row + 30)
			}
		}
		o := mustRace(t, f, p, good)
		if o.Report.UsedRows != 70 || o.Report.Notes != nil {
			t.Errorf("the scored models were trained on %d rows, want 70; notes %q", o.Report.UsedRows, o.Report.Notes)
		}
	})
	t.Run("singletons", func(t *testing.T) {
		for _, c := range []struct{ singletons, want int }{{5, 0}, {6, 6}} { // of 300 rows
			f := fakeFrame(300, 2+c.singletons)
			for row := range f.Labels {
				if f.Labels[row] = int32(row % 2); row < c.singletons {
					f.Labels[row] = int32(2 + row)
				}
			}
			o := mustRace(t, f, Params{}, good)
			if o.Report.SingletonRows != c.want || o.Report.Notes != nil {
				t.Errorf("%d singletons: %d reported, notes %q", c.singletons, o.Report.SingletonRows, o.Report.Notes)
			}
			p := Params{Times: make([]float64, f.Rows)}
			for row := range f.Rows {
				p.Times[row] = float64(f.Rows - row)
			}
			if o := mustRace(t, f, p, good); o.Report.SingletonRows != 0 {
				t.Errorf("%d singletons are scored by time: %d reported", c.singletons, o.Report.SingletonRows)
			}
		}
	})
	t.Run("rows_without_a_time", func(t *testing.T) {
		p := Params{Times: make([]float64, f.Rows), TimeColumn: "day"}
		for row := range f.Rows {
			if p.Times[row] = float64(row); row%4 == 0 {
				p.Times[row] = math.NaN()
			}
		}
		expectNote(t, mustRace(t, f, p, good), `75 of 300 rows were used only by the final training, because they have no time in the column "day"`)
	})
	t.Run("rows_without_a_group", func(t *testing.T) {
		copies := fakeFrame(300, 2) // all rows are copies, which are joined into groups
		for i := range copies.Columns {
			clear(copies.Columns[i].Floats)
		}
		for _, f := range []*frame.Frame{f, copies} {
			p := Params{Groups: make([]int32, f.Rows), GroupColumn: "customer"}
			for row := range f.Rows {
				if p.Groups[row] = int32(row % 60); row%4 == 0 {
					p.Groups[row] = -1
				}
			}
			expectNote(t, mustRace(t, f, p, good), `75 of 300 rows have no value in the column "customer", so their groups are unknown and may be divided among training, validation and test rows`)
		}
	})
	t.Run("test_rows_of_one_class", func(t *testing.T) {
		late := fakeFrame(300, 2)
		p := Params{Times: make([]float64, late.Rows), TimeColumn: "day"}
		for row := range late.Rows {
			if p.Times[row] = float64(row); row >= 240 {
				late.Labels[row] = 1
			}
		}
		expectNote(t, mustRace(t, late, p, good), `all 60 test rows are of the class "`+late.Schema.Classes[1]+`", so the test scores do not show whether the model distinguishes the classes`)
	})
	t.Run("rows_that_can_be_divided_only_once", func(t *testing.T) {
		years := Params{Times: make([]float64, f.Rows), TimeColumn: "year"}
		customers := Params{Groups: make([]int32, f.Rows), GroupColumn: "customer"}
		for row := range f.Rows {
			if years.Times[row] = 2023; row%10 == 0 {
				years.Times[row] = 2024
			}
			if row%10 == 0 { // the others are of one customer
				customers.Groups[row] = -1
			}
		}
		for _, p := range []Params{years, customers} {
			o := mustRace(t, f, p, good)
			expectNote(t, o, "no test rows were set aside: the rows are divided by "+p.GroupColumn+p.TimeColumn+", and were not sufficient for both test rows and validation rows")
			if o.Report.ValidationRows != 30 || o.Report.TestRows != 0 {
				t.Errorf("%d validation rows, %d test rows", o.Report.ValidationRows, o.Report.TestRows)
			}
			if len(o.Report.Classes) != 2 || o.Report.Classes[0].Label != f.Schema.Classes[0] || o.Report.Classes[1].Rows != 0 || o.Report.Confusion != nil || !math.IsNaN(o.Test) || !math.IsNaN(o.Report.Test.MacroF1) {
				t.Errorf("scores of no test rows: %v, %v, %v", o.Test, o.Report.Test, o.Report.Classes)
			}
		}
		halves := Params{Groups: make([]int32, f.Rows)}
		for row := range f.Rows {
			halves.Groups[row] = int32(2 * row / f.Rows)
		}
		expectNote(t, mustRace(t, f, halves, good), "no test rows were set aside: the rows are divided so that equal rows stay together, and were not sufficient for both test rows and validation rows")
		halves.GroupColumn, halves.TimeColumn, halves.Times = "site", "day", make([]float64, f.Rows)
		expectNote(t, mustRace(t, f, halves, good), "no test rows were set aside: the rows are divided by site and day, and were not sufficient for both test rows and validation rows")
	})
	t.Run("a_class_of_equal_rows", func(t *testing.T) {
		three := fakeFrame(300, 2)
		three.Schema.Classes = append(three.Schema.Classes, "idle")
		groups := make([]int32, three.Rows)
		for row := range three.Rows {
			if groups[row] = -1; row%30 == 0 {
				groups[row], three.Labels[row] = 0, 2
			}
		}
		const want = `the rows of the class "idle" were used only for training, because all of them are `
		expectNote(t, mustRace(t, three, Params{Groups: groups}, good), want+"equal in every feature")
		expectNote(t, mustRace(t, three, Params{Groups: groups, GroupColumn: "customer"}, good), want+"of one group")
	})
	t.Run("a_refit_that_fails", func(t *testing.T) {
		broken := good
		broken.refitFault = errors.New("no luck")
		o := mustRace(t, f, Params{}, broken)
		expectNote(t, o, "BSEV01 could not be trained again on all labelled rows, so the final model uses its models of the cross-validation folds: no luck")
		if o.Model == nil || wasRefitted(o) || len(o.Model.Members()) != 10 {
			t.Errorf("refit %v of %d members", wasRefitted(o), len(o.Model.Members()))
		}
	})
	t.Run("a_share_that_would_take_too_long", func(t *testing.T) {
		one, other := good, good
		one.work, other.work = 1e12, 1e12
		other.skills = risingSkills(0.5, 0.89, 4)
		r, err := newRace(t.Context(), f, Params{}, fakeAlgorithms(one, other))
		if err != nil {
			t.Fatal(err)
		}
		r.runAll(t.Context())
		c := &candidate{components: []component{{r.runs[0], 0.9}, {r.runs[1], 0.1}}}
		for i := range c.components { // twice the cost of the race
			c.components[i].best.cost *= 20
		}
		if _, complete := r.refit(t.Context(), c); !complete || len(r.notes) != 1 || !strings.HasPrefix(r.notes[0], "BFIF01 (10 % of the blend) was not trained again") {
			t.Errorf("%v: %q", complete, r.notes)
		}
	})
	t.Run("a_race_that_the_clock_ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			slow := fakeFitter{skills: risingSkills(0.5, 0.9, 1000), work: 1e9, patience: 1000, pause: func(int) time.Duration { return time.Second }}
			o, err := raceAlgorithms(t.Context(), f, Params{TimeLimit: time.Minute, Now: time.Now, Workers: 1}, fakeAlgorithms(slow))
			if err != nil {
				t.Fatal(err)
			}
			expectNote(t, o, "the time limit ended the race, so the same data and seed may produce another model next time")
		})
	})
	t.Run("a_refit_that_the_clock_ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fakes := fakeAlgorithms(good)
			fakes[0].newFitter = func(_ context.Context, task fitTask) (fitter, error) {
				one := good
				one.fitTask = task
				if task.foldIndex == refitFold {
					one.pause = func(int) time.Duration { return time.Hour }
				}
				return &one, nil
			}
			o, err := raceAlgorithms(t.Context(), f, Params{TimeLimit: time.Minute, Now: time.Now, Workers: 1}, fakes)
			if err != nil {
				t.Fatal(err)
			}
			expectNote(t, o, "the time limit ended the final training, so the same data and seed may produce another model next time")
			if o.Status != Completed || !o.Report.RefitInterrupted {
				t.Errorf("%s, refit interrupted: %t", o.Status, o.Report.RefitInterrupted)
			}
		})
	})
	t.Run("an_area_of_one_class", func(t *testing.T) {
		one := fakeFrame(30, 2)
		for i := range one.Labels {
			one.Labels[i] = int32(1 - min(i, 1))
		}
		o := mustRace(t, one, Params{Metric: metric.NameROCAUC}, good)
		expectNote(t, o, "rocAuc cannot be computed on the validation rows, because all of them are of one class: the algorithms were compared by log loss")
		if !math.IsNaN(o.Runs[0].Performance) {
			t.Errorf("the run has the performance %v", o.Runs[0].Performance)
		}
	})
	t.Run("a_metric_of_a_class_without_rows", func(t *testing.T) {
		three := fakeFrame(40, 2)
		three.Schema.Classes = append(three.Schema.Classes, "rare")
		three.Labels[0] = 2
		for _, name := range []string{"f1[rare]", "prAuc[rare]"} {
			o := mustRace(t, three, Params{Metric: name}, good)
			expectNote(t, o, name+` cannot be computed on the validation rows, because none of them is of the class "rare": the algorithms were compared by log loss`)
			_, interval := o.Report.Validation.Intervals[name]
			if o.Report.Validation.OfClass != nil || interval || o.Runs[0].Curve != nil || o.Runs[0].LogLoss == 0 {
				t.Errorf("%s has the value %v, an interval: %v, the curve %v; log loss %v", name, o.Report.Validation.OfClass, interval, o.Runs[0].Curve, o.Runs[0].LogLoss)
			}
		}
	})
}

func expectNote(t *testing.T, o *Outcome, want string) {
	t.Helper()
	for _, note := range o.Report.Notes {
		if strings.HasPrefix(note, want) {
			return
		}
	}
	t.Errorf("notes %q, want %q", o.Report.Notes, want)
}
