package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"foretell/internal/frame"
	"foretell/internal/humanize"
	"foretell/internal/scoring"
)

// blindLabel is the label column of a blind file that has one: the result is scored
// against it. The zero value scores nothing.
type blindLabel struct {
	// column is the name of the column; "" if there is none.
	column string
	// inferred is set if the column is only assumed to be the label.
	inferred bool
	// classes are the labels that the model knows.
	classes []string
	// score is set once the result is scored.
	score *scoring.Result
	// reason says why the label could not be used for scoring.
	reason string
}

// findLabel returns the label column of a blind file: the known label, or if it is
// unknown the only column that is neither the ID nor a feature; "" if there is none.
func findLabel(blind *frame.Profile, label string, features []string) string {
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

// scoreAfter returns a check that also scores the result after check has passed.
func (t *blindLabel) scoreAfter(ctx context.Context, check func(part string) error) func(part string) error {
	return func(part string) error {
		if err := check(part); err != nil || t.column == "" {
			return err
		}
		return t.evaluate(ctx, part)
	}
}

// evaluate scores the result at path, which contains the label. It is not an error if the
// label cannot be used.
func (t *blindLabel) evaluate(ctx context.Context, path string) error {
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
	score, err := scoring.Score(ctx, predictions, answers, scoring.Options{Label: t.column, InOrder: true})
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

// noteScore prints the score.
func (t *blindLabel) noteScore(o *output) {
	switch {
	case t.score != nil:
		a := t.score.Accuracy
		o.note("scored by column %s of the blind file: accuracy %.4f (%.4f–%.4f) on %s, always %q %.4f",
			shellQuote(t.column), a.Value, *a.Low, *a.High, humanize.Count(t.score.Rows, "row"), t.score.Baseline.Label, t.score.Baseline.Accuracy)
	case t.reason != "" && !t.inferred:
		o.note("not scored by column %s of the blind file: %s", shellQuote(t.column), t.reason)
	}
}
