package receipt

import (
	"context"
	"errors"
	"fmt"
	"io"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/result"
)

// Verify checks that a result matches the receipt byte by byte, and that the number of rows is
// correct. If the receipt lists the classes and the result contains all columns, it also checks
// that the predictions are classes, and that the probabilities of each row sum to 1. A
// *LineDifference or *csvfile.Defect in the chain of the error states the position.
func (r *Receipt) Verify(ctx context.Context, file io.ReadSeeker) error {
	changed := r.CheckDigest(ctx, file)
	var d *LineDifference
	if changed != nil && !errors.As(changed, &d) {
		return changed
	}
	rows, err := r.verifyRows(ctx, file)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case changed != nil && err != nil:
		return fmt.Errorf("%w; %w", changed, err)
	case changed != nil:
		return changed
	case err != nil:
		return err
	case rows != r.Result.Rows:
		return fmt.Errorf("the file has %d rows, but the receipt says %d", rows, r.Result.Rows)
	}
	return nil
}

// verifyRows verifies the predictions and returns the number of rows. If the classes are unknown, or
// if the result has only the columns that the user selected, it only counts the rows.
func (r *Receipt) verifyRows(ctx context.Context, file io.ReadSeeker) (rows int, err error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	if r.Result.Columns != nil {
		return csvfile.CountRows(ctx, file)
	}
	if len(r.Classes) == 0 {
		p, err := profile.Scan(ctx, file, profile.ScanOptions{Blind: true})
		if err != nil {
			return 0, err
		}
		return p.Rows, p.Err()
	}
	return result.VerifyProbabilities(ctx, file, r.Classes)
}
