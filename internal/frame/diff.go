package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"foretell/internal/humanize"
)

// Differences counts the rows in which two CSV files differ, and returns the names of the
// columns in which they do, in their order. It is an error if the files have different
// numbers of columns or rows.
func Differences(ctx context.Context, first, second io.Reader) (rows int, columns []string, err error) {
	a, err := openTable(NewReader(first, ','))
	if err != nil {
		return 0, nil, err
	}
	b, err := openTable(NewReader(second, ','))
	if err != nil {
		return 0, nil, err
	}
	if len(a.names) != len(b.names) {
		return 0, nil, fmt.Errorf("%s and %s", humanize.Count(len(a.names), "column"), humanize.Count(len(b.names), "column"))
	}
	differ := make([]bool, len(a.names))
	for {
		x, errA := a.next(ctx)
		y, errB := b.next(ctx)
		switch {
		case errors.Is(errA, io.EOF) && errors.Is(errB, io.EOF):
			for i, name := range a.names {
				if differ[i] {
					columns = append(columns, name)
				}
			}
			return rows, columns, nil
		case errA == nil && errors.Is(errB, io.EOF), errB == nil && errors.Is(errA, io.EOF):
			return rows, nil, errors.New("one has more rows than the other")
		case errA != nil || errB != nil:
			return rows, nil, errors.Join(errA, errB)
		}
		same := true
		for i := range differ {
			if !bytes.Equal(x.fields[i], y.fields[i]) {
				same, differ[i] = false, true
			}
		}
		if !same {
			rows++
		}
	}
}
