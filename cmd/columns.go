package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/frame"
)

// columnsFlag is the flag --columns: the columns of a result that are kept. nil
// keeps all.
type columnsFlag []frame.Selection

// String returns the flag as it is typed.
func (c *columnsFlag) String() string {
	texts := make([]string, len(*c))
	for i, pick := range *c {
		if texts[i] = pick.Name; pick.Source != pick.Name {
			texts[i] += "=" + pick.Source
		}
	}
	return strings.Join(texts, ",")
}

// Set takes columns with commas between them.
func (c *columnsFlag) Set(text string) error {
	picks, err := frame.ParseSelections(text)
	if err != nil {
		return usageErrorf("--columns %w", err)
	}
	*c = picks
	return nil
}

// Type is what pflag calls the value.
func (c *columnsFlag) Type() string { return "columns" }

// names are the columns of the file that is written; nil for all.
func (c columnsFlag) names() []string {
	var names []string
	for _, pick := range c {
		names = append(names, pick.Name)
	}
	return names
}

// check checks before any work that the result will have the columns. Without
// classes, which not every service returns, only what needs none is checked.
func (c columnsFlag) check(blind *frame.Profile, classes []string) error {
	if len(c) == 0 || blind.Partial {
		return nil
	}
	names := []string{blind.Schema.ID}
	for i := range blind.Columns {
		names = append(names, blind.Columns[i].Name)
	}
	picks := slices.Clone(c)
	if classes == nil {
		picks = slices.DeleteFunc(picks, func(p frame.Selection) bool { return strings.HasPrefix(p.Source, "probability_") })
	}
	if _, err := frame.FindSelections(append(names, frame.AddedColumns(names, classes)...), picks); err != nil {
		return usageErrorf("--columns: %w", err).withHint("choose from id, prediction, probability, probability_<class> and the columns of the blind file")
	}
	return nil
}

// project leaves only the columns of a result in the file at path.
func (c columnsFlag) project(ctx context.Context, path string) error {
	if c == nil {
		return nil
	}
	src, err := os.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := createTemp(filepath.Dir(path), "columns")
	if err != nil {
		return err
	}
	err = frame.Project(ctx, src, dst, c)
	if err = errors.Join(err, dst.Sync(), dst.Close(), src.Close()); err == nil {
		err = os.Rename(dst.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(dst.Name()))
	}
	return nil
}
