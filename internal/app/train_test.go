package app

import (
	"testing"

	"foretell/internal/learn"
	"foretell/internal/store"
)

// TestUnmeasuredIsNil ends a run with and without time to measure it on test
// rows.
func TestUnmeasuredIsNil(t *testing.T) {
	t.Parallel()
	run := learn.Run{Algorithm: "BSIX01", Status: learn.TimedOut, Curve: []float64{0.8}, Performance: 0.8, TestPerformance: 0.75}
	o := &learn.Outcome{Algorithm: "BSIX01", Status: learn.TimedOut, Model: &learn.Model{}, Achieved: 0.8}
	o.Report.ValidationRows = 10
	var hasty, slow store.Training
	endRun(&hasty, run, o)
	if hasty.Test != nil || hasty.Training != nil || hasty.Achieved == nil || *hasty.Achieved != 0.8 {
		t.Errorf("without a row: test %v, training %v, achieved %v", hasty.Test, hasty.Training, hasty.Achieved)
	}
	o.Report.TestRows = 20
	endRun(&slow, run, o)
	if slow.Test == nil || *slow.Test != 0.75 || slow.Training != nil {
		t.Errorf("with 20 rows: test %v, training %v", slow.Test, slow.Training)
	}
	o.Report.ValidationRows = 0
	var blind store.Training
	endRun(&blind, run, o)
	if blind.Achieved != nil || blind.LogLoss != nil {
		t.Errorf("without validation rows: achieved %v, log loss %v", blind.Achieved, blind.LogLoss)
	}
}
