package learn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/learn/split"
)

// addNote adds a sentence to Report.Notes.
func (r *race) addNote(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// addFailureNote adds a sentence to Report.Notes about a failure. format and args describe the
// consequence. The cause is err or, if ctx is cancelled, a lack of time.
func (r *race) addFailureNote(ctx context.Context, err error, format string, args ...any) {
	cause := err.Error()
	if ctx.Err() != nil {
		cause = "no time was left"
	}
	r.addNote("%s: %s", fmt.Sprintf(format, args...), cause)
}

// addPlanNotes adds notes about the validation plan: unused rows, rows without a group, no test
// rows, test rows of a single class, and classes with neither test rows nor validation rows. It
// also adds a note if Params.Effort has no effect. ungrouped is the number of rows without a group.
func (r *race) addPlanNotes(ungrouped int) {
	p := &r.data.params
	if n := r.plan.Dropped; n > 0 && r.usedRows() == 0 { // otherwise the report has Report.UsedRows
		r.addNote("%d rows were used only by the final training, because later rows of their groups are test rows", n)
	}
	untimed := 0
	for _, time := range p.Times {
		if math.IsNaN(time) {
			untimed++
		}
	}
	if untimed > 0 {
		r.addNote("%d of %d rows were used only by the final training, because they have no time in the column %q", untimed, r.data.Rows, p.TimeColumn)
	}
	if ungrouped > 0 && p.GroupColumn != "" {
		r.addNote("%d of %d rows have no value in the column %q, so their groups are unknown and may be divided among training, validation and test rows", ungrouped, r.data.Rows, p.GroupColumn)
	}
	if labels := split.Gather(r.data.Labels, r.plan.Test); len(labels) > 1 && slices.Max(labels) == slices.Min(labels) {
		r.addNote("all %d test rows are of the class %q, so the test scores do not show whether the model distinguishes the classes", len(labels), r.data.Schema.Classes[labels[0]])
	}
	if len(r.plan.Test) == 0 && (p.Groups != nil || p.Times != nil) {
		how := "so that equal rows stay together"
		if columns := strings.TrimSuffix(p.GroupColumn+" and "+p.TimeColumn, " and "); columns != "" {
			how = "by " + strings.TrimPrefix(columns, " and ")
		}
		r.addNote("no test rows were set aside: the rows are divided %s, and were not sufficient for both test rows and validation rows", how)
	}
	trainsLonger := func(run *run) bool { return run.algorithm.longer }
	if p.Effort == EffortBest && !slices.ContainsFunc(r.runs, trainsLonger) {
		r.addNote("the effort best had no effect: it only trains the neural network for longer, and this race had no neural network")
	}
	r.addUnscoredClassesNote()
}

// addDroppedNote adds a note about the features that the final training left out because they seem
// unrelated to the label. It adds no note if fold models are part of the final model, because they
// may use these features.
func (r *race) addDroppedNote() {
	const maxNames = 10
	kept := r.data.relevantOfRefit()
	if kept == nil || len(kept) == len(r.data.Columns) || r.keepsFoldModels {
		return
	}
	var names []string
	for i, column := range r.data.Schema.Columns {
		if !slices.Contains(kept, int32(i)) {
			names = append(names, strconv.Quote(column.Name))
		}
	}
	n := len(names)
	if n > maxNames {
		names = append(names[:maxNames], "…")
	}
	r.addNote("the final training left out %d of %d features, because they seem unrelated to the label: %s", n, len(r.data.Columns), strings.Join(names, ", "))
}

// maxDroppedShare is the largest fraction of rows that a race may drop before Report.UsedRows is
// set. If a race drops more rows, its scores say little about the final model; see usedRows.
const maxDroppedShare = 1.0 / 3

// usedRows returns Report.UsedRows: the largest number of training rows of a fold. It returns 0
// without Params.Times, or if the race drops at most the fraction maxDroppedShare of the rows. A
// row with a time is dropped if later rows of its group are test rows or validation rows of the
// last fold.
func (r *race) usedRows() (rows int) {
	last := r.plan.Folds[len(r.plan.Folds)-1]
	dropped := r.plan.Dropped + len(r.plan.Rest) - len(last.Train) - len(last.Validation)
	if r.data.params.Times == nil || float64(dropped) <= maxDroppedShare*float64(r.data.Rows) {
		return 0
	}
	for _, fold := range r.plan.Folds {
		rows = max(rows, len(fold.Train))
	}
	return rows
}

// minSingletonShare is the smallest fraction of unscored singletons that matters for the scores.
const minSingletonShare = 0.02

// singletonRows returns Report.SingletonRows. With Params.Times, the latest rows are scored whether
// or not they are the only row of their class.
func (r *race) singletonRows() (rows int) {
	scored := make([]bool, r.data.classes())
	for _, label := range append(split.Gather(r.data.Labels, r.plan.Test), r.evaluator.Labels...) {
		scored[label] = true
	}
	for class, n := range r.evaluator.ClassRows {
		if n == 1 && !scored[class] {
			rows++
		}
	}
	if r.data.params.Times != nil || float64(rows) < minSingletonShare*float64(r.data.Rows) {
		return 0
	}
	return rows
}

// untrainedClasses returns Report.UntrainedClasses. The test rows are predicted by the models of the
// final folds.
func (r *race) untrainedClasses() (classes []string) {
	trained := make([]bool, r.data.classes())
	for _, fold := range r.plan.Folds[r.firstFinalFold():] {
		for _, row := range fold.Train {
			trained[r.data.Labels[row]] = true
		}
	}
	for class, rows := range r.evaluator.ClassRows {
		if rows > 0 && !trained[class] {
			classes = append(classes, r.data.Schema.Classes[class])
		}
	}
	return classes
}

// countUngrouped returns the number of rows without a group.
func countUngrouped(groups []int32) (rows int) {
	for _, group := range groups {
		if group < 0 {
			rows++
		}
	}
	return rows
}

// minUnpredictableShare is the smallest fraction of unpredictable rows that is worth a note.
const minUnpredictableShare = 0.01

// addUnpredictableNote adds a note if rows that are equal in every feature have different labels. rows
// is duplicate.Copies.Unpredictable.
func (r *race) addUnpredictableNote(rows int) {
	if share := float64(rows) / float64(r.data.Rows); share >= minUnpredictableShare {
		r.addNote("some rows are equal in every feature but have different labels, so the accuracy on the labelled rows can be at most %.4f", 1-share)
	}
}

// addUnscoredClassesNote adds a note about the classes that have neither test rows nor validation
// rows. All rows of such a class are equal or belong to one group, so they are never divided. They
// are used only for training, because otherwise the class could not be learned.
func (r *race) addUnscoredClassesNote() {
	if r.data.params.Groups == nil || r.data.params.Times != nil {
		return
	}
	scored := make([]bool, r.data.classes())
	for _, label := range append(split.Gather(r.data.Labels, r.plan.Test), r.evaluator.Labels...) {
		scored[label] = true
	}
	if !slices.Contains(scored, true) {
		return // too few rows
	}
	var classes []string
	for class, rows := range r.evaluator.ClassRows {
		if rows > 1 && !scored[class] {
			classes = append(classes, r.data.Schema.Classes[class])
		}
	}
	why := "of one group"
	if r.data.params.GroupColumn == "" {
		why = "equal in every feature"
	}
	switch n := len(classes); n {
	case 0:
	case 1:
		r.addNote("the rows of the class %q were used only for training, because all of them are %s", classes[0], why)
	default:
		r.addNote("the rows of %d classes, such as %q, were used only for training, because the rows of each of these classes are all %s", n, classes[0], why)
	}
}

// addEndNote adds a note if the time limit or the user ended the race or its refit. In that case,
// the same data and seed may produce a different model.
func (r *race) addEndNote(o *Outcome) {
	switch {
	case o.Status == TimedOut:
		r.addNote("the time limit ended the race, so the same data and seed may produce another model next time")
	case o.Status == Cancelled:
		r.addNote("the race was cancelled, so the same data and seed may produce another model next time")
	case r.refitInterrupted:
		r.addNote("the time limit ended the final training, so the same data and seed may produce another model next time")
	}
}

// addRemoteFailureNotes adds a note for each run that this machine trained because another
// machine failed.
func (r *race) addRemoteFailureNotes() {
	for _, run := range r.runs {
		if run.remoteErr != nil {
			r.addNote("%s was trained on the machine that ran the race, because training it on another machine failed: %v", run.Name, run.remoteErr)
		}
	}
}
