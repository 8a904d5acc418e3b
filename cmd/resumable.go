package cmd

import "foretell/internal/term"

// resumable is how work goes on whose process has ended, and how it is given up.
type resumable struct {
	key, name       string // the member with the key, and what it is the key of
	resume, abandon string // commands, but for the key
}

// resumables are those of a thing that has several keys, its own first.
var resumables = []resumable{
	{"predictionKey", "prediction", "foretell predictions wait", "foretell predictions delete"},
	{"trainingJobKey", "race", "foretell training watch", "foretell training cancel"},
	{"datasetKey", "dataset", "foretell datasets wait", "foretell datasets delete"},
}

// isInterrupted reports whether no process does the work on a thing, and none
// will until somebody asks for it.
func isInterrupted(r term.Record) bool { return r.Text("interrupted") == "true" }

// noteInterrupted notes which of the things that were printed are interrupted,
// and what can be done about it.
func (o *output) noteInterrupted(records []term.Record) {
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
		which := way.name + " " + first + " is"
		if n > 1 {
			which = plural(n, way.name) + " are"
		}
		o.note("%s interrupted, no process is at work: go on with `%s %s`, or drop it with `%s %s`",
			which, way.resume, first, way.abandon, first)
		return
	}
}
