package download

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"foretell/internal/cli"
	"foretell/internal/humanize"
	"foretell/internal/scoring"
	"foretell/internal/table/profile"
	"foretell/internal/term"
)

// BlindLabel is the label column of a blind file that has one: the result is scored
// against it. The zero value scores nothing.
type BlindLabel struct {
	// Column is the name of the column; "" if there is none.
	Column string
	// Inferred is set if the column is only assumed to be the label.
	Inferred bool
	// Classes are the labels that the model knows.
	Classes []string
	// Score is set once the result is scored.
	Score *scoring.Result
	// reason says why the label could not be used for scoring.
	reason string
}

// FindLabel returns the label column of a blind file: the known label, or if it is
// unknown the only column that is neither the ID nor a feature; "" if there is none.
func FindLabel(blind *profile.Profile, label string, features []string) string {
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

// ScoreAfterCheck returns a check that also scores the result after check has passed.
func (t *BlindLabel) ScoreAfterCheck(ctx context.Context, check func(part string) error) func(part string) error {
	return func(part string) error {
		if err := check(part); err != nil || t.Column == "" {
			return err
		}
		return t.scoreFile(ctx, part)
	}
}

// scoreFile scores the result at path, which contains the label. It is not an error if the
// label cannot be used.
func (t *BlindLabel) scoreFile(ctx context.Context, path string) error {
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
	score, err := scoring.Score(ctx, predictions, answers, scoring.Options{Label: t.Column, InOrder: true})
	switch {
	case errors.As(err, &fault):
		t.reason = fault.Message
		return nil
	case err != nil:
		return err
	}
	for _, class := range score.Classes {
		if len(t.Classes) > 0 && !slices.Contains(t.Classes, class.Label) {
			t.reason = fmt.Sprintf("%q is not one of the classes", class.Label)
			return nil
		}
	}
	t.Score = score
	return nil
}

// NoteScore prints the score.
func (t *BlindLabel) NoteScore(o *cli.Output) {
	switch {
	case t.Score != nil:
		a := t.Score.Accuracy
		o.Note("scored by column %s of the blind file: accuracy %.4f (%.4f–%.4f) on %s, always %q %.4f",
			term.ShellQuote(t.Column), a.Value, *a.Low, *a.High, humanize.Count(t.Score.Rows, "row"), t.Score.Baseline.Label, t.Score.Baseline.Accuracy)
	case t.reason != "" && !t.Inferred:
		o.Note("not scored by column %s of the blind file: %s", term.ShellQuote(t.Column), t.reason)
	}
}
