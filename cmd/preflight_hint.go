package cmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/frame"
	"foretell/internal/tablefile"
)

// hint says what to do about a finding: where there is one, with the command that
// was typed, mended.
func (p *preflight) hint(in *input, f *finding, likely string) string {
	again := func(flag, value string) string { return "`" + p.host.commandWith(flag, value) + "`" }
	switch f.Code {
	case frame.CodeRaggedRow, frame.CodeStrayQuote, frame.CodeUnclosedQuote, frame.CodeEmptyLabel,
		frame.CodeRepeatedHeader:
		return p.fixHint(in)
	case frame.CodeNoHeader:
		switch {
		case f.Severity == frame.SeverityWarning:
			return "put their names above it if they stand in another order"
		case in == p.blind && !p.lacksHeader(), len(p.modelColumns.Features) > 0 && !slices.Contains(p.modelColumns.Features, "column_2"):
			// --no-header-row would be said of the training file, too.
			return "put the names of its columns above it, as the training file has them"
		}
		return "put one above it, or have the columns called column_1, column_2, …: " + again("no-header-row", "true")
	case frame.CodeNoRows, frame.CodeEmptyFile:
		return "name a file that has a header and rows below it"
	case frame.CodeDuplicateID, frame.CodeEmptyID:
		return "make IDs: " + again("id", generateIDs)
	case frame.CodeBinary:
		if f.Line > 1 || f.Column > 1 {
			return p.fixHint(in)
		}
		return "`foretell help formats` lists what is read"
	case tablefile.CodeNested:
		return "nothing need be done; --drop leaves a column out of the upload"
	case tablefile.CodeSheets:
		return "name another with --sheet"
	case tablefile.CodeInvalidFile, tablefile.CodeLargeTable:
		return "`foretell help formats` lists what is read"
	case frame.CodeInvalidUTF8:
		return "say how it is encoded: " + again("encoding", "windows-1252")
	case frame.CodeInvalidEncoding:
		return "name another --encoding, or none: " + again("encoding", "")
	case frame.CodeTooFewColumns:
		return "name what parts the fields with --delimiter, or a file with more columns"
	case frame.CodeOneClass, frame.CodeTooManyClasses, frame.CodeNumericLabel, frame.CodeManyClasses, frame.CodeMissingColumn:
		return p.columnHint(in, f, likely)
	case frame.CodeSmallClass:
		return "add rows of that class, or make one class of several"
	case frame.CodeSimilarClasses:
		return "spell them alike if they are one class"
	case frame.CodeLeakingColumn:
		if f.Count > 1 {
			return "if not, leave them out with --drop"
		}
		return "if not, leave it out: " + again("drop", f.Name)
	case frame.CodeIDLikeColumn:
		if p.train.flagShape.ID != "" || p.train.flagShape.MakeID || f.Count > 1 {
			return ""
		}
		return "if it is the ID, say so: " + again("id", f.Name)
	case frame.CodeEmptyColumn, frame.CodeConstantColumn, frame.CodeTwinColumn:
		if f.Count > 1 {
			return "nothing need be done"
		}
		return "nothing need be done; --drop " + shellQuote(f.Name) + " leaves it out of the upload"
	case frame.CodeJunkInNumbers:
		return "empty these cells if they say no more than that there is no value"
	}
	return p.driftHint(f)
}

// fixHint is how a corrected copy of a file is made and used.
func (p *preflight) fixHint(in *input) string {
	files, fixed := in.shellArguments(""), in.stem()+".fixed.csv"
	command := fmt.Sprintf("foretell check %s --fix %s", files, shellQuote(fixed))
	switch {
	case in == p.blind:
		command = fmt.Sprintf("foretell check %s --fix-blind %s", p.shellArguments(), shellQuote(fixed))
	case in.shape.Blind:
		command = fmt.Sprintf("foretell check %s --no-label --fix %s", files, shellQuote(fixed))
	}
	hint := "correct a copy: `" + command + "`"
	if p.host.running.Name() != "check" && len(in.args) == 1 && !in.isSpooled() {
		hint += ", then `" + p.host.commandOn(in.args[0], fixed) + "`"
	}
	return hint
}

// columnHint says what to do about a column that is not where it should be.
func (p *preflight) columnHint(in *input, f *finding, likely string) string {
	again := func(flag, value string) string { return "`" + p.host.commandWith(flag, value) + "`" }
	missing := f.Code == frame.CodeMissingColumn
	switch {
	case missing && in.shape.Blind && p.blind == nil:
		return "give the blind file the columns of the training file"
	case missing && in == p.blind && f.Count > 1:
		return "give the blind file these columns, or learn without them: see --drop"
	case missing && in == p.blind && likely != "":
		return fmt.Sprintf("if %s is meant, give it that name, else learn without it: %s", strconv.Quote(likely), again("drop", f.Name))
	case missing && in == p.blind:
		return "give the blind file that column, or learn without it: " + again("drop", f.Name)
	case missing && len(p.columns) == 0: // between files that make one table
		return "give these files the same columns, with a header in each"
	case missing:
		meant := frame.ClosestName(f.Name, p.columns)
		switch hint := "the columns are " + strings.Join(p.firstColumns(), ", "); {
		case meant != "" && f.Name == in.flagShape.Label:
			return fmt.Sprintf("try %s: %s", again("label", meant), hint)
		case meant != "" && f.Name == in.flagShape.ID:
			return fmt.Sprintf("try %s: %s", again("id", meant), hint)
		default:
			return hint
		}
	case likely != "":
		return "if that is the one, say so: " + again("label", likely)
	}
	hint := "name the label with --label: the columns are " + strings.Join(p.firstColumns(), ", ")
	if other := p.classColumn(); other != "" {
		hint = "name the label if it is another column, such as one of few values: " + again("label", other)
	}
	if f.Code == frame.CodeNumericLabel || f.Code == frame.CodeManyClasses {
		hint = "make a column of classes of the numbers, such as low and high, and leave the numbers out with --drop; or " + hint
	}
	return hint
}

// classColumn is the last column of the training file that looks like classes,
// empty if none does. The label is not among them.
func (p *preflight) classColumn() string {
	const most = 20
	name := ""
	for i := range p.trainProfile.Columns {
		c := &p.trainProfile.Columns[i]
		words := c.Form == frame.FormCategory || c.Form == frame.FormBoolean
		if words && c.Missing == 0 && c.Distinct > 1 && c.Distinct <= most {
			name = c.Name
		}
	}
	return name
}

// firstColumns are the names of the training file's columns, quoted as they are
// typed: the first of many.
func (p *preflight) firstColumns() []string {
	const most = 20
	var list []string
	for _, name := range p.columns[:min(len(p.columns), most)] {
		list = append(list, shellQuote(name))
	}
	if more := len(p.columns) - most; more > 0 {
		list = append(list, fmt.Sprintf("… (%d more)", more))
	}
	return list
}

// driftHint says what to do about a blind file that is not like the training
// file.
func (p *preflight) driftHint(f *finding) string {
	switch f.Code {
	case frame.CodeUnseenCategory, frame.CodeMovedRange:
		return "train on rows such as these too, or trust predictions of these rows less"
	case frame.CodeMoreMissing:
		if f.Count > 1 {
			return "find out why the values are missing, or learn without the columns: see --drop"
		}
		return "find out why the values are missing, or learn without the column: `" + p.host.commandWith("drop", f.Name) + "`"
	case frame.CodeChangedKind:
		return "write the cells as in the training file"
	case frame.CodeExtraColumn:
		return "nothing need be done"
	case frame.CodeOtherIDName:
		return "name the ID with --id if it is another column"
	}
	return ""
}
