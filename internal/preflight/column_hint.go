package preflight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/term"
)

// columnHint returns the remedy for a missing or unsuitable column.
func (p *Preflight) columnHint(in *InputTable, f *finding, suggestedColumn string) string {
	again := func(flag, value string) string { return "`" + p.Factory.CommandWith(flag, value) + "`" }
	missing := f.Code == csvfile.CodeMissingColumn
	switch {
	case missing && p.isBlind(in) && in.headerBelowTitle != nil:
		return p.fixHint(in)
	case missing && in.layout.Blind && p.Blind == nil && f.Name != in.flagLayout.ID && f.Name != in.flagLayout.Label:
		return "add the columns of the training file to the blind file"
	case missing && in == p.Blind && f.Count > 1:
		return "add these columns to the blind file, or train without them (see --drop)"
	case missing && in == p.Blind && suggestedColumn != "":
		return fmt.Sprintf("if the column is %s, rename it; otherwise train without the missing column: %s", strconv.Quote(suggestedColumn), again("drop", f.Name))
	case missing && in == p.Blind:
		return "add that column to the blind file, or train without it: " + again("drop", f.Name)
	case missing && len(p.columns) == 0: // the column is missing in one of several joined files
		hint := "the files need the same columns, with a header in each"
		if p.Blind == nil && !in.layout.Blind && p.Factory.Running.Flags().Lookup("blind") != nil {
			hint += "; name a file with the rows to predict with --blind"
		}
		return hint
	case missing:
		meant := csvfile.ClosestName(f.Name, p.columns)
		switch hint := "the columns are " + strings.Join(p.firstColumnNamesQuoted(), ", "); {
		case meant != "" && f.Name == in.flagLayout.Label:
			return fmt.Sprintf("try %s; %s", again("label", meant), hint)
		case meant != "" && f.Name == in.flagLayout.ID:
			return fmt.Sprintf("try %s; %s", again("id", meant), hint)
		case meant != "" && slices.Contains(in.flagLayout.Drop, f.Name):
			return fmt.Sprintf("try `%s`; %s", p.Factory.CommandWithOnlyList("drop", p.correctedNames(in.flagLayout.Drop)), hint)
		default:
			return hint
		}
	case suggestedColumn != "":
		return "if that is the label, use " + again("label", suggestedColumn)
	}
	hint := p.otherLabelHint()
	if p.likelyClassColumn() != "" {
		hint = "if another column, such as one with few values, is the label, " + hint
	}
	if f.Code == csvfile.CodeNumericLabel || f.Code == csvfile.CodeManyClasses {
		hint = "replace the numbers by classes, such as low and high; or " + hint
	}
	return hint
}

// otherLabelHint returns how to set another label: the command with a likely label, or the columns.
func (p *Preflight) otherLabelHint() string {
	if other := p.likelyClassColumn(); other != "" {
		return "use `" + p.Factory.CommandWith("label", other) + "`"
	}
	return "set the label with --label; the columns are " + strings.Join(p.firstColumnNamesQuoted(), ", ")
}

// correctedNames returns a copy of names. It replaces a name that is not a column of the training
// file by the most similar column name, if one is similar.
func (p *Preflight) correctedNames(names []string) []string {
	list := slices.Clone(names)
	for i, name := range list {
		if meant := csvfile.ClosestName(name, p.columns); meant != "" && !slices.Contains(p.columns, name) {
			list[i] = meant
		}
	}
	return list
}

// likelyClassColumn returns the name of a column that could be the label instead of the current one:
// it has 2 to 20 different texts or booleans and no missing value. If there are several such columns,
// it returns the last one in the training file. It returns "" if the training file has no such column.
func (p *Preflight) likelyClassColumn() string {
	const most = 20
	name := ""
	for i := range p.TrainProfile.Columns {
		c := &p.TrainProfile.Columns[i]
		words := c.Form == inference.FormCategory || c.Form == inference.FormBoolean
		if words && c.Missing == 0 && c.Distinct > 1 && c.Distinct <= most {
			name = c.Name
		}
	}
	return name
}

// firstColumnNamesQuoted returns the names of the first 20 columns of the training file, quoted for
// a shell. If there are more, the last element is, for example, "… (5 more)".
func (p *Preflight) firstColumnNamesQuoted() []string {
	const most = 20
	var list []string
	for _, name := range p.columns[:min(len(p.columns), most)] {
		list = append(list, term.ShellQuote(name))
	}
	if more := len(p.columns) - most; more > 0 {
		list = append(list, fmt.Sprintf("… (%d more)", more))
	}
	return list
}
