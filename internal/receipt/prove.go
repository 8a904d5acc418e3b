package receipt

import (
	"context"
	"errors"
	"fmt"
	"os"

	"foretell/internal/frame"
)

// Prove compares a result with its receipt byte by byte, and then checks that it has
// the number of rows of the receipt, known classes, and probabilities that sum to 1. A
// *Difference or a *frame.Defect in the error has the place.
func (r *Receipt) Prove(ctx context.Context, path string) error {
	changed := r.Check(ctx, path)
	var d *Difference
	if changed != nil && !errors.As(changed, &d) {
		return changed
	}
	rows, err := r.figures(ctx, path)
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
		return fmt.Errorf("it has %d rows, the receipt says %d", rows, r.Result.Rows)
	}
	return nil
}

// figures reads what was predicted; without known classes there is only to
// count.
func (r *Receipt) figures(ctx context.Context, path string) (rows int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if r.Result.Columns != nil {
		return frame.CountRows(ctx, file)
	}
	if len(r.Classes) == 0 {
		p, err := frame.Scan(ctx, file, frame.ScanOptions{Blind: true})
		if err != nil {
			return 0, err
		}
		return p.Rows, p.Err()
	}
	return frame.VerifyProbabilities(ctx, file, r.Classes)
}
