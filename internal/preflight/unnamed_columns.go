package preflight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"foretell/internal/roles"
	"foretell/internal/table/cells"
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
	"foretell/internal/tablefile"
)

// pandasUnnamed matches the names that pandas writes for columns without a name.
var pandasUnnamed = regexp.MustCompile(`^Unnamed: \d+$`)

// ignoreEmptyColumns drops the columns that have neither a name nor a value. Spreadsheets write
// such columns, as in `a,b,,`. A name that pandas has generated, such as "Unnamed: 3", is no name. To
// find columns without values, ignoreEmptyColumns reads the whole file. names are the names in
// header, made unique by roles.UniqueNames. Columns whose name is in wanted are kept.
func (p *Preflight) ignoreEmptyColumns(ctx context.Context, in *InputTable, header, names, wanted []string) error {
	in.ignored = nil
	kept := newNameSet(wanted, in.layout.Drop)
	var unnamed []int
	for i, name := range header {
		if (name == "" || pandasUnnamed.MatchString(name)) && !kept[names[i]] {
			unnamed = append(unnamed, i)
		}
	}
	if len(unnamed) == 0 || in.layout.NoHeader {
		return nil
	}
	empty, err := in.findEmptyColumns(ctx, unnamed)
	if err != nil || len(empty) == 0 {
		return err
	}
	for _, at := range empty {
		in.ignored = append(in.ignored, names[at])
	}
	in.layout.Drop = slices.Concat(in.layout.Drop, in.ignored)
	d := csvfile.Defect{Code: csvfile.CodeUnnamedColumn, Line: 1, Column: empty[0] + 1, Message: "the column has neither a name nor a value, so it is ignored"}
	if len(empty) > 1 {
		d.Count, d.Message = len(empty), fmt.Sprintf("%d columns have neither a name nor a value, so they are ignored", len(empty))
	}
	p.addFinding(in, compare.SeverityWarning, d, "")
	return nil
}

// findEmptyColumns returns the given positions whose columns have no value in any row. It returns
// nil if the file has no rows.
func (in *InputTable) findEmptyColumns(ctx context.Context, positions []int) (empty []int, err error) {
	file, err := in.inFileOrder().Open(ctx)
	if err != nil {
		return nil, ignoreContentError(err)
	}
	defer file.Close()
	table, err := csvfile.OpenTable(csvfile.NewReader(file, ','))
	if err != nil {
		return nil, ignoreContentError(err)
	}
	rows := 0
	empty = slices.Clone(positions)
	for len(empty) > 0 {
		rec, err := table.Next(ctx)
		var defect *csvfile.Defect
		switch {
		case errors.As(err, &defect) && !table.Reader.Done():
			continue // the profile of the file reports it
		case errors.Is(err, io.EOF) || ignoreContentError(err) == nil && err != nil:
			if rows == 0 {
				return nil, nil
			}
			return empty, nil
		case err != nil:
			return nil, err
		}
		rows++
		empty = slices.DeleteFunc(empty, func(at int) bool { return !cells.IsBlank(rec.Fields[at]) })
	}
	return nil, nil
}

// reportTitleLine adds a defect if the first line, without the ignored columns, is probably a title above
// the header, and reports whether it did. names are the names in header, made unique by
// roles.UniqueNames.
func (p *Preflight) reportTitleLine(in *InputTable, header, names []string) bool {
	ignored := newNameSet(in.ignored)
	var read []string
	for i, name := range header {
		if !ignored[names[i]] {
			read = append(read, name)
		}
	}
	if in.layout.NoHeader || !roles.IsTitleLine(read) {
		return false
	}
	p.addFinding(in, compare.SeverityDefect, csvfile.Defect{
		Code: tablefile.CodeTitle, Line: 1, Count: len(read),
		Message: fmt.Sprintf("only one of %d columns has a name: is the line a title above the header?", len(read)),
	}, "")
	return true
}

// withoutIgnored returns the renames of columns that are not ignored.
func (in *InputTable) withoutIgnored(changed []roles.Rename) []roles.Rename {
	ignored := newNameSet(in.ignored)
	return slices.DeleteFunc(slices.Clone(changed), func(one roles.Rename) bool { return ignored[one.To] })
}

// newNameSet returns the set of the names in the lists.
func newNameSet(lists ...[]string) map[string]bool {
	set := map[string]bool{}
	for _, name := range slices.Concat(lists...) {
		set[name] = true
	}
	return set
}
