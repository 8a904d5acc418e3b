package cmd

import (
	"context"
	"errors"
	"io"
	"os"

	"foretell/internal/api"
	"foretell/internal/frame"
	"foretell/internal/humanize"
)

// resultVerifier returns a check of a result against its blind file. classes are the
// valid labels; nil accepts those in the result.
func (in *input) resultVerifier(ctx context.Context, classes []string, rows *int) func(part string) error {
	return func(part string) error {
		result, err := os.Open(part)
		if err != nil {
			return err
		}
		defer result.Close()
		blind, err := in.open(ctx)
		if err != nil {
			return err
		}
		defer blind.Close()
		*rows, err = frame.Verify(ctx, blind, result, classes)
		if err == nil || ctx.Err() != nil {
			return err
		}
		e := exitErrorf(ExitUntrusted, "the result does not match %s: %w", in.name, err)
		var defect *frame.Defect
		if errors.As(err, &defect) {
			e.code, e.line, e.column = defect.Code, defect.Line, defect.Column
		}
		return e.withHint("nothing was written; is it the file that was predicted?")
	}
}

// plausibilityCheck returns a check of a result without its blind file: the number of
// rows, and if the classes are known, the predictions.
func plausibilityCheck(ctx context.Context, p *api.Prediction, classes []string, rows *int) func(part string) error {
	const again = "nothing was written; try again with `foretell predictions download %s`"
	return func(part string) error {
		result, err := os.Open(part)
		if err != nil {
			return err
		}
		defer result.Close()
		profile, err := frame.Scan(ctx, result, frame.ScanOptions{Blind: true})
		if err != nil {
			return err
		}
		*rows = profile.Rows
		if err := profile.Err(); err != nil {
			return exitErrorf(ExitUntrusted, "the result is damaged: %w", err).withHint(again, p.PredictionKey)
		}
		if p.Rows > 0 && int64(profile.Rows) != p.Rows {
			return exitErrorf(ExitUntrusted, "the result has %s, but %d were predicted", humanize.Count(profile.Rows, "row"), p.Rows).withHint(again, p.PredictionKey)
		}
		if len(classes) == 0 {
			return nil
		}
		if _, err := result.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := frame.VerifyProbabilities(ctx, result, classes); err != nil {
			return exitErrorf(ExitUntrusted, "the result is damaged: %w", err).withHint(again, p.PredictionKey)
		}
		return nil
	}
}
