package cli

import (
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// resumable has the commands for interrupted work.
type resumable struct {
	key, noun       string // the member with the key, and what it is the key of
	resume, abandon string // commands, but for the key
}

// resumables are ordered: an object that has several keys is that of the first.
var resumables = []resumable{
	{"predictionKey", "prediction", "foretell predictions wait", "foretell predictions delete"},
	{"trainingJobKey", "race", "foretell training watch", "foretell training cancel"},
	{"datasetKey", "dataset", "foretell datasets wait", "foretell datasets delete"},
}

// isInterrupted reports whether the work on an object is interrupted: no process does it
// until a command waits for it.
func isInterrupted(r term.Record) bool { return r.Text("interrupted") == "true" }

// noteInterrupted prints a notice about interrupted objects and their commands.
func (o *Output) noteInterrupted(records []term.Record) {
	for _, way := range resumables {
		first, n := "", 0
		for _, r := range records {
			key := r.Text(way.key)
			if key == "" || !isInterrupted(r) || r.Text("parentTrainingJobKey") != "" {
				continue
			}
			if n++; n == 1 {
				first = key
			}
		}
		if n == 0 {
			continue
		}
		which := way.noun + " " + first + " is"
		if n > 1 {
			which = humanize.Count(n, way.noun) + " are"
		}
		o.Note("%s interrupted: continue with `%s %s`, or discard it with `%s %s`",
			which, way.resume, first, way.abandon, first)
		return
	}
}
