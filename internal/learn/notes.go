package learn

import (
	"context"
	"fmt"
)

// note adds a sentence to Report.Notes.
func (r *race) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// noteFailure adds a note to Report.Notes that names the consequence of a failure and then
// its cause. The consequence is formatted from format and args. The cause is err, or the
// lack of time if ctx is cancelled.
func (r *race) noteFailure(ctx context.Context, err error, format string, args ...any) {
	cause := err.Error()
	if ctx.Err() != nil {
		cause = "no time was left"
	}
	r.note("%s: %s", fmt.Sprintf(format, args...), cause)
}

// noteEnd adds a note if the clock or the user ended the race or its refit: the same data
// and seed may then produce another model.
func (r *race) noteEnd(o *Outcome) {
	switch {
	case o.Status == TimedOut:
		r.note("the time limit ended the race, so the same data and seed may produce another model next time")
	case o.Status == Cancelled:
		r.note("the race was cancelled, so the same data and seed may produce another model next time")
	case r.refitCut:
		r.note("the time limit ended the final training, so the same data and seed may produce another model next time")
	}
}

// noteRemoteFailures notes which runs this machine trained because another machine failed.
func (r *race) noteRemoteFailures() {
	for _, run := range r.runs {
		if run.remoteErr != nil {
			r.note("%s was trained on the machine that decided the race, because its part on another machine failed: %v", run.Name, run.remoteErr)
		}
	}
}
