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

// BlindLabel is the label column of a blind file, the file that was predicted. The predictions are
// scored against the labels in this column. The zero value is for a file without labels, and scores
// nothing.
type BlindLabel struct {
	// Column is the name of the column; "" if the file has no label column.
	Column string
	// Inferred is set if neither a flag nor the name of the column shows that it is the label.
	Inferred bool
	// Classes are the labels of the model's classes; nil if unknown.
	Classes []string
	// PRAUCClass is the class whose average precision is the metric prAuc; "" if it is unknown or
	// the model has more than two classes.
	PRAUCClass string
	// FindOverlap looks for training rows of the model in the file at path, which is scored. It
	// returns nil if there are none, or if this is unknown. FindOverlap may be nil.
	FindOverlap func(ctx context.Context, path string) *scoring.TrainingOverlap
	// Score is the result of scoring the predictions; nil before.
	Score *scoring.Result
	// reason is why the predictions cannot be scored; "" if they can.
	reason string
}

// FindLabelColumn returns the name of the label column of a blind file, or "" if it finds none. If
// label is not "", the label column is the column with this name. If label is "", it is the only
// column that is not in features; if several columns are not in features, there is no label column.
// Columns whose cells are all empty are ignored.
func FindLabelColumn(blind *profile.Profile, label string, features []string) string {
	var extra []string
	for i := range blind.Columns {
		switch name := blind.Columns[i].Name; {
		case blind.Columns[i].IsBlank(blind.Rows): // the labels are not filled in yet
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

// ScoreAfterCheck returns a function that first calls check, which verifies the result at tempPath,
// and then scores the result.
func (t *BlindLabel) ScoreAfterCheck(ctx context.Context, check func(tempPath string) error) func(tempPath string) error {
	return func(tempPath string) error {
		if err := check(tempPath); err != nil || t.Column == "" {
			return err
		}
		return t.scoreFile(ctx, tempPath)
	}
}

// scoreFile scores the predictions in the file at path, which also contains the label column.
// If the labels cannot be used, it sets reason and returns nil.
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
	score, err := scoring.Score(ctx, predictions, answers, scoring.Options{
		Label: t.Column, Classes: t.Classes, PRAUCClass: t.PRAUCClass, InOrder: true,
	})
	switch {
	case errors.As(err, &fault):
		t.reason = fault.Message
		if fault.Line > 0 {
			t.reason = fmt.Sprintf("line %d of the result: %s", fault.Line, fault.Message)
		}
		return nil
	case err != nil:
		return err
	}
	if t.Inferred && score.UnknownLabels != nil {
		t.reason = "the column has values that are not classes of the model"
		return nil
	}
	t.Score = score
	if t.FindOverlap != nil {
		score.TrainingOverlap = t.FindOverlap(ctx, path)
	}
	return ctx.Err()
}

// TrainingOverlap returns how many training rows the scored file has. It returns nil if this is
// unknown, or if t is nil.
func (t *BlindLabel) TrainingOverlap() *scoring.TrainingOverlap {
	if t == nil || t.Score == nil {
		return nil
	}
	return t.Score.TrainingOverlap
}

// NoteScore prints the score, or the reason for the missing score.
func (t *BlindLabel) NoteScore(o *cli.Output) {
	switch {
	case t.Score != nil:
		a := t.Score.Accuracy
		o.Note("scored with column %s of the blind file: accuracy %.4f (%.4f–%.4f) on %s; always predicting %q: %.4f",
			term.ShellQuote(t.Column), a.Value, *a.Low, *a.High, humanize.Count(t.Score.Rows, "row"), t.Score.Baseline.Label, t.Score.Baseline.Accuracy)
		t.noteUnscoredRows(o)
		if rows := t.TrainingOverlap(); rows != nil {
			o.Note("warning: %s", rows.Caution())
		}
	case t.reason != "" && !t.Inferred:
		o.Note("not scored with column %s of the blind file: %s", term.ShellQuote(t.Column), t.reason)
	}
}

// noteUnscoredRows prints how many rows of the predicted file have no label, and how many have a
// label that is not a class of the model. The former are not scored, and the latter only by some
// metrics. If the model does not say which class prAuc is about, noteUnscoredRows also prints which
// class was assumed.
func (t *BlindLabel) noteUnscoredRows(o *cli.Output) {
	if note := scoring.UnlabelledNote(t.Score.UnlabelledRows); note != "" {
		o.Note("%s", note)
	}
	if t.Score.UnknownLabels != nil {
		o.Note("%s", t.Score.UnknownLabels.Note())
	}
	if note := t.Score.PRAUCNote(); note != "" && !t.Score.IsPRAUCClassGiven {
		o.Note("%s, the class with fewer rows in the blind file, because the class of the race is unknown", note)
	}
}
