package learn

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// addNote adds a sentence to Report.Notes.
func (r *race) addNote(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// addFailureNote adds a sentence to Report.Notes: the consequence of a failure, then its
// cause. format and args are the consequence. The cause is err or, if ctx is cancelled,
// the lack of time.
func (r *race) addFailureNote(ctx context.Context, err error, format string, args ...any) {
	cause := err.Error()
	if ctx.Err() != nil {
		cause = "no time was left"
	}
	r.addNote("%s: %s", fmt.Sprintf(format, args...), cause)
}

// addPlanNotes adds notes about rows that the validation plan does not use, and about missing test rows.
func (r *race) addPlanNotes() {
	p := &r.data.params
	if n := r.plan.Dropped; n > 0 {
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
	if r.plan.Untested {
		columns := p.GroupColumn
		if p.TimeColumn != "" {
			columns = strings.TrimPrefix(columns+" and "+p.TimeColumn, " and ")
		}
		r.addNote("no test rows were set aside, because the division of the rows by %s would then have left no validation rows", columns)
	}
}

// addEndNote adds a note if the time limit or the user ended the race or its refit, because
// the same data and seed may then produce another model.
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
			r.addNote("%s was trained on the machine that decided the race, because its part on another machine failed: %v", run.Name, run.remoteErr)
		}
	}
}
