package csvfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"foretell/internal/humanize"
)

// Diff compares two CSV files. It returns the number of rows that differ, and the names of
// the columns that differ, in file order. It returns an error if the files have different numbers
// of columns or rows.
func Diff(ctx context.Context, first, second io.Reader) (rows int, columns []string, err error) {
	a, err := OpenTable(NewReader(first, ','))
	if err != nil {
		return 0, nil, err
	}
	b, err := OpenTable(NewReader(second, ','))
	if err != nil {
		return 0, nil, err
	}
	if len(a.Names) != len(b.Names) {
		return 0, nil, fmt.Errorf("one file has %s, and the other has %s", humanize.Count(len(a.Names), "column"), humanize.Count(len(b.Names), "column"))
	}
	differ := make([]bool, len(a.Names))
	for {
		x, errA := a.Next(ctx)
		y, errB := b.Next(ctx)
		switch {
		case errors.Is(errA, io.EOF) && errors.Is(errB, io.EOF):
			for i, name := range a.Names {
				if differ[i] {
					columns = append(columns, name)
				}
			}
			return rows, columns, nil
		case errA == nil && errors.Is(errB, io.EOF), errB == nil && errors.Is(errA, io.EOF):
			return rows, nil, errors.New("one file has more rows than the other")
		case errA != nil || errB != nil:
			return rows, nil, errors.Join(errA, errB)
		}
		same := true
		for i := range differ {
			if !bytes.Equal(x.Fields[i], y.Fields[i]) {
				same, differ[i] = false, true
			}
		}
		if !same {
			rows++
		}
	}
}
