package preflight

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/table/profile"
	"foretell/internal/table/result"
)

// ColumnsFlag is the value of --columns, the columns of the result to keep. nil keeps all
// columns.
type ColumnsFlag []result.Selection

// String returns the value in the syntax of the flag.
func (c *ColumnsFlag) String() string {
	texts := make([]string, len(*c))
	for i, pick := range *c {
		texts[i] = pick.String()
	}
	return strings.Join(texts, ",")
}

// Set parses comma-separated columns.
func (c *ColumnsFlag) Set(text string) error {
	picks, err := result.ParseSelections(text)
	if err != nil {
		return exit.Usagef("invalid --columns %w", err)
	}
	*c = picks
	return nil
}

// Type returns the name of the type for pflag.
func (c *ColumnsFlag) Type() string { return "columns" }

// Names returns the names of the columns in the output, or nil if all columns are kept.
func (c ColumnsFlag) Names() []string {
	var names []string
	for _, pick := range c {
		names = append(names, pick.Name)
	}
	return names
}

// CheckAvailable returns an error if the result for a blind file will lack a column of c. blind is the
// profile of the file. classes has the labels of the model. If it is nil, CheckAvailable accepts any
// probability column. reasonColumns is the number of columns of reasons in the result.
func (c ColumnsFlag) CheckAvailable(blind *profile.Profile, classes []string, reasonColumns int) error {
	if len(c) == 0 || blind.Partial {
		return nil
	}
	names := []string{blind.Schema.ID}
	for i := range blind.Columns {
		names = append(names, blind.Columns[i].Name)
	}
	picks := slices.Clone(c)
	if classes == nil {
		picks = slices.DeleteFunc(picks, func(p result.Selection) bool { return strings.HasPrefix(p.Source, "probability_") })
	}
	if _, err := result.FindSelections(append(names, result.AddedColumns(names, classes, reasonColumns)...), classes, picks); err != nil {
		return exit.Usagef("--columns: %w", err).WithHint("choose from id, prediction, probability, probability_<class>, the columns of the blind file and, with --explain, reason_1, reason_2 …")
	}
	return nil
}

// ProjectFile rewrites the result file at path, so that it has only the selected columns. classes
// are the labels of the model; nil if unknown.
func (c ColumnsFlag) ProjectFile(ctx context.Context, path string, classes []string) error {
	if c == nil {
		return nil
	}
	src, err := os.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := cli.CreateTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	err = result.Project(ctx, src, dst, classes, c)
	if err = errors.Join(err, dst.Sync(), dst.Close(), src.Close()); err == nil {
		err = os.Rename(dst.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(dst.Name()))
	}
	return nil
}
