package cli

import (
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// resumable is a type of object, such as a race, and the commands that resume or abandon its work
// after an interruption.
type resumable struct {
	key, noun       string // name of the field with the key, and name of the type
	resume, abandon string // commands to which the key is appended
}

// resumables lists the types of objects whose work can be resumed after an interruption. The type
// of an object is the first in the list whose key is a field of the object. The order matters: a
// prediction, for example, also has the field datasetKey.
var resumables = []resumable{
	{"predictionKey", "prediction", "foretell predictions wait", "foretell predictions delete"},
	{"trainingJobKey", "race", "foretell training watch", "foretell training cancel"},
	{"datasetKey", "dataset", "foretell datasets wait", "foretell datasets delete"},
}

// isInterrupted reports whether the work on an object is interrupted. The work continues when
// a command waits for the object.
func isInterrupted(r term.Record) bool { return r.Text("interrupted") == "true" }

// noteInterrupted prints a notice if there are interrupted objects, with the commands that
// resume or abandon the work on the first of them.
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
		which, work := way.noun+" "+first+" is", "it"
		if n > 1 {
			which, work = humanize.Count(n, way.noun)+" are", "the first"
		}
		o.Note("%s interrupted: continue %s with `%s %s`, or discard it with `%s %s`",
			which, work, way.resume, first, way.abandon, first)
		return
	}
}
