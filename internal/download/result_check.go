package download

import (
	"context"
	"errors"
	"io"
	"os"

	"foretell/internal/api"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/preflight"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/result"
)

// ResultVerifier returns a function that verifies the result at tempPath against blind, the file
// that was predicted. It sets *setRows to the number of rows of the result. classes are the valid
// labels. If classes is nil, the labels in the header of the result are valid.
func ResultVerifier(ctx context.Context, blind *preflight.InputTable, classes []string, setRows *int) func(tempPath string) error {
	return func(tempPath string) error {
		res, err := os.Open(tempPath)
		if err != nil {
			return err
		}
		defer res.Close()
		src, err := blind.Open(ctx)
		if err != nil {
			return err
		}
		defer src.Close()
		*setRows, err = result.Verify(ctx, src, res, classes)
		if err == nil || ctx.Err() != nil {
			return err
		}
		e := exit.Errorf(exit.Untrusted, "the result does not match %s: %w", blind.Name, err)
		var defect *csvfile.Defect
		if errors.As(err, &defect) {
			e.Code, e.Line, e.Column = defect.Code, defect.Line, defect.Column
		}
		return e.WithHint("no result was written; check that %s is the file that was predicted", blind.Name)
	}
}

// PlausibilityVerifier returns a function that verifies the result at tempPath without its blind
// file, and sets *setRows to its number of rows. It checks the number of rows and, if classes is
// not empty, the predictions. The hints of errors contain retryCommand, which downloads the result
// again.
func PlausibilityVerifier(ctx context.Context, p *api.Prediction, classes []string, setRows *int, retryCommand string) func(tempPath string) error {
	const again = "nothing was written; try again with `%s`"
	return func(tempPath string) error {
		res, err := os.Open(tempPath)
		if err != nil {
			return err
		}
		defer res.Close()
		profile, err := profile.Scan(ctx, res, profile.ScanOptions{Blind: true})
		if err != nil {
			return err
		}
		*setRows = profile.Rows
		if err := profile.Err(); err != nil {
			return exit.Errorf(exit.Untrusted, "the result is damaged: %w", err).WithHint(again, retryCommand)
		}
		if p.Rows > 0 && int64(profile.Rows) != p.Rows {
			return exit.Errorf(exit.Untrusted, "the result has %s, but %d rows were predicted", humanize.Count(profile.Rows, "row"), p.Rows).WithHint(again, retryCommand)
		}
		if len(classes) == 0 {
			return nil
		}
		if _, err := res.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := result.VerifyProbabilities(ctx, res, classes); err != nil {
			return exit.Errorf(exit.Untrusted, "the result is damaged: %w", err).WithHint(again, retryCommand)
		}
		return nil
	}
}
