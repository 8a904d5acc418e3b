package cmd

import "foretell/internal/term"

// resumption is how work goes on whose process has ended, and how it is given up.
type resumption struct {
	key, noun    string // the member with the key, and what it is the key of
	resume, drop string // commands, but for the key
}

// resumptions are those of a thing that has several keys, its own first.
var resumptions = []resumption{
	{"predictionKey", "prediction", "foretell predictions wait", "foretell predictions delete"},
	{"trainingJobKey", "race", "foretell training watch", "foretell training cancel"},
	{"datasetKey", "dataset", "foretell datasets wait", "foretell datasets delete"},
}

// isInterrupted reports whether no process does the work on a thing, and none
// will until somebody asks for it.
func isInterrupted(r term.Record) bool { return r.Text("interrupted") == "true" }

// tellInterrupted notes which of the things that were printed are interrupted,
// and what can be done about it.
func (o *output) tellInterrupted(records []term.Record) {
	for _, way := range resumptions {
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
			which = plural(n, way.noun) + " are"
		}
		o.note("%s interrupted, no process is at work: go on with `%s %s`, or drop it with `%s %s`",
			which, way.resume, first, way.drop, first)
		return
	}
}
