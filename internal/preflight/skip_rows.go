package preflight

import (
	"context"
	"errors"
	"fmt"
	"io"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
	"foretell/internal/tablefile"
)

// openCSV opens the table as CSV. If --skip-rows ignores all rows of the file, it returns a
// *csvfile.Defect with the number of the last row.
func (in *Input) openCSV(ctx context.Context) (*tablefile.Reader, error) {
	if in.skipRows > 0 && len(in.Paths) == 1 {
		if line, err := lastLine(ctx, in.table, 1); err == nil && line == 0 {
			opts := in.options
			opts.SkipRows = 0
			whole := tablefile.New([]tablefile.File{{Name: in.Name, Path: in.Paths[0]}}, opts)
			defer func() { _ = whole.Close() }() // at worst, a temporary file remains
			if line, err := lastLine(ctx, whole, in.skipRows); err == nil && line > 0 && line <= in.skipRows {
				return nil, &csvfile.Defect{
					Code:    csvfile.CodeEmptyFile,
					Message: fmt.Sprintf("--skip-rows ignores %s, and the last row of the file is row %d", humanize.Count(in.skipRows, "row"), line),
				}
			}
		}
	}
	return in.table.OpenCSV(ctx)
}

// lastLine returns the line of the last row of a table, or of the row with the number most if the
// table has more rows. It returns 0 if the table has no rows.
func lastLine(ctx context.Context, table *tablefile.Table, most int) (line int, err error) {
	file, err := table.OpenCSV(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }() // the file was only read
	rows := csvfile.NewReader(file, ',')
	for range most {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return line, err
		}
		_, line = table.SourceLine(record.Line)
	}
	return line, nil
}
