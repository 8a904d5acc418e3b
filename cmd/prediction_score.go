package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"foretell/internal/frame"
	"foretell/internal/scoring"
)

// truth is the label in a blind file that has it, by which a result is scored at
// once. The zero truth scores nothing.
type truth struct {
	// label is the name of the column; "" without one.
	label string
	// guessed tells that nothing says that the column is the label.
	guessed bool
	// classes are the labels that the model knows.
	classes []string
	// score is the result's, once it is there.
	score *scoring.Result
	// reason says why there is a label, but no score.
	reason string
}

// labelOf finds the label in a blind file: the column that is known to be it, or
// if that is not known the only one that is neither the ID nor a feature.
func labelOf(blind *frame.Profile, label string, features []string) string {
	var extra []string
	for i := range blind.Columns {
		switch name := blind.Columns[i].Name; {
		case label != "" && name == label:
			return label
		case !slices.Contains(features, name):
			extra = append(extra, name)
		}
	}
	if label == "" && len(extra) == 1 {
		return extra[0]
	}
	return ""
}

// after scores a result that check has proved.
func (t *truth) after(ctx context.Context, check func(part string) error) func(part string) error {
	return func(part string) error {
		if err := check(part); err != nil || t.label == "" {
			return err
		}
		return t.measure(ctx, part)
	}
}

// measure scores the result at path, which has the label among its columns. A
// label that cannot be scored by is no error.
func (t *truth) measure(ctx context.Context, path string) error {
	predictions, err := os.Open(path)
	if err != nil {
		return err
	}
	defer predictions.Close()
	answers, err := os.Open(path)
	if err != nil {
		return err
	}
	defer answers.Close()
	var fault *scoring.Fault
	score, err := scoring.Score(ctx, predictions, answers, scoring.Options{Label: t.label, InOrder: true})
	switch {
	case errors.As(err, &fault):
		t.reason = fault.Message
		return nil
	case err != nil:
		return err
	}
	for _, class := range score.Classes {
		if len(t.classes) > 0 && !slices.Contains(t.classes, class.Label) {
			t.reason = fmt.Sprintf("%q is not one of the classes", class.Label)
			return nil
		}
	}
	t.score = score
	return nil
}

// tell says how good the result is.
func (t *truth) tell(o *output) {
	switch {
	case t.score != nil:
		a := t.score.Accuracy
		o.note("scored by the column %s of the blind file: accuracy %.4f (%.4f–%.4f) on %s, always %q %.4f",
			quote(t.label), a.Value, *a.Low, *a.High, plural(t.score.Rows, "row"), t.score.Baseline.Label, t.score.Baseline.Accuracy)
	case t.reason != "" && !t.guessed:
		o.note("not scored by the column %s of the blind file: %s", quote(t.label), t.reason)
	}
}
