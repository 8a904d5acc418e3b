package preflight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/cli"
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/tablefile"
	"foretell/internal/term"
)

// findingHint returns the remedy for a finding, as a command if possible. suggestedColumn is the
// column that was probably meant, or "".
func (p *Preflight) findingHint(in *InputTable, f *finding, suggestedColumn string) string {
	again := func(flag, value string) string { return "`" + p.Factory.CommandWith(flag, value) + "`" }
	switch f.Code {
	case csvfile.CodeEmptyLabel:
		return p.emptyLabelHint(in, f)
	case csvfile.CodeRaggedRow:
		return p.raggedHint(in, f)
	case csvfile.CodeUnclosedQuote:
		return p.unclosedQuoteHint(in, f)
	case csvfile.CodeStrayQuote, csvfile.CodeRepeatedHeader, csvfile.CodeSingleQuotes:
		return p.fixHint(in)
	case csvfile.CodeEmptyLine:
		return "if an empty line is a row without a value, " + p.fixHint(in) + "; otherwise, remove it"
	case csvfile.CodeSecondHeader:
		return p.secondHeaderHint(in, f)
	case csvfile.CodeNoHeader:
		return p.headerHint(in, f)
	case tablefile.CodeSheets:
		return p.sheetHint(in)
	case csvfile.CodeNoRows, csvfile.CodeEmptyFile:
		if in.table.OtherSheet() != "" {
			return p.sheetHint(in)
		}
		if in.skipRows > 0 {
			return "use a smaller number with --skip-rows, or a file with a header and more rows"
		}
		return "name a file with a header and rows"
	case csvfile.CodeDuplicateID, csvfile.CodeEmptyID:
		return p.invalidIDHint(in, f)
	case csvfile.CodeBinary:
		if f.Line > 1 || f.Column > 1 {
			return p.fixHint(in)
		}
		return "`foretell help formats` lists the supported formats"
	case tablefile.CodeNested:
		if f.Severity == compare.SeverityDefect {
			return "write one object or row for each record, with one value for each column; `foretell help formats` lists the supported formats"
		}
		return "no action is required; --drop excludes a column from the upload"
	case tablefile.CodeInvalidFile, tablefile.CodeLargeTable:
		return "`foretell help formats` lists the supported formats"
	case csvfile.CodeInvalidUTF8:
		return p.encodingHint(in)
	case csvfile.CodeTooFewColumns:
		return p.tooFewColumnsHint(in, f)
	case tablefile.CodeTitle:
		return "if so, " + p.fixHint(in) + "; otherwise, name all columns"
	case csvfile.CodeOneClass, csvfile.CodeTooManyClasses, csvfile.CodeNumericLabel, csvfile.CodeLongLabel, csvfile.CodeManyClasses, csvfile.CodeMissingColumn:
		return p.columnHint(in, f, suggestedColumn)
	case csvfile.CodeUnnamedColumn:
		return p.unnamedHint(in, f, suggestedColumn)
	case csvfile.CodeLeakingColumn:
		if f.Count > 1 {
			return "if not, exclude them with --drop"
		}
		return "if not, exclude it: " + again("drop", f.Name)
	case csvfile.CodeGroupColumn:
		return p.groupHint(f)
	case csvfile.CodeTimeColumn:
		return p.timeHint(f)
	case csvfile.CodeIDLikeColumn:
		if p.Train.flagLayout.ID != "" || p.Train.flagLayout.GenerateID || f.Count > 1 {
			return ""
		}
		return "if the column is the ID, use " + again("id", f.Name)
	case csvfile.CodeIncompleteID:
		return "if the column is the ID, fill in the missing IDs and use --id " + term.ShellQuote(f.Name) + ", or exclude it: " + again("drop", f.Name)
	case csvfile.CodeEmptyColumn, csvfile.CodeConstantColumn, csvfile.CodeEqualColumn:
		if f.Count > 1 {
			return "no action is required"
		}
		return "no action is required; --drop " + dropFlagValue(f.Name) + " excludes it from the upload"
	case csvfile.CodeJunkInDates:
		return datesHint(p.isBlind(in))
	}
	if hint := constantHints[f.Code]; hint != "" {
		return hint
	}
	return p.driftHint(f)
}

// emptyLabelHint returns the remedy for rows without a label: a corrected copy without these rows.
// If the label was only assumed and most rows lack it, another column may be the label. If no row
// has a label, the remedy is to write labels or to set another label.
func (p *Preflight) emptyLabelHint(in *InputTable, f *finding) string {
	prof, empty := p.profileOf(in), max(f.Count, 1)
	switch {
	case prof != nil && empty < prof.Rows && p.roles.LabelAssumed && 2*empty > prof.Rows:
		return "is the label the last column? If not, " + p.otherLabelHint() + "; otherwise, " + p.fixHint(in)
	case prof != nil && empty < prof.Rows || len(p.columns) == 0:
		return p.fixHint(in)
	}
	return "no row has a label: fill in the labels in this column, or set another label with --label; the columns are " + strings.Join(p.firstColumnNamesQuoted(), ", ")
}

// datesHint returns the remedy for text among the dates of a column. For a blind file, it does not
// suggest a new column, because the model would not know it.
func datesHint(isBlind bool) string {
	hint := "correct the dates; if this text means that the date is unknown, clear these cells"
	if isBlind {
		return hint
	}
	return hint + "; if the text means that something has not happened yet, write the text into another column"
}

// constantHints has the remedies of findings for which the remedy is always the same.
var constantHints = map[string]string{
	codeTakenName:                  "rename the columns of the blind file, or choose the columns of the result with --columns, where these names mean the columns that the prediction adds",
	codeUnusedColumn:               "no action is required",
	csvfile.CodeInvalidEncoding:    "use another --encoding, or omit it: the encoding is then detected",
	tablefile.CodeUncalculated:     "open the workbook in a spreadsheet program and save it, so that the results of its formulas are stored",
	tablefile.CodeMergedCells:      "write the value into each cell of the range",
	tablefile.CodeHiddenCells:      "if the hidden cells must not be used, such as rows that a filter hides, delete them; to exclude a whole column, use --drop",
	tablefile.CodeMixedPercentages: "format all numbers of the column in the same way",
	csvfile.CodeNoFeatures:         "add a column that helps to predict the label; the warnings say why each of the present columns is not used",
	csvfile.CodeDuplicateColumn:    "if the columns differ, give each a name of its own; otherwise remove one of them",
	csvfile.CodeTooManyColumns:     "use a file with fewer columns",
	csvfile.CodeKnownRows:          "if they are copies of training rows, remove them, because scores on them are too good; if they are other cases with the same features, no action is required",
	csvfile.CodeMostlyNumbers:      "if the column should contain only numbers, clear the cells with other texts, and write all numbers in the same unit",
	csvfile.CodeAmbiguousDates:     "if the day is first, write the dates as year-month-day, such as 2024-01-31, in all files",
	csvfile.CodeDateOrder:          "write the dates as year-month-day, such as 2024-01-31, in all files",
	csvfile.CodeJunkInNumbers:      "if this text stands for a missing value, leave these cells empty",
	csvfile.CodeMixedNumbers:       "write all numbers of the column with the same decimal separator and the same unit, in all files",
	csvfile.CodeUnclearNumbers:     "if this is wrong, write the numbers with a decimal point and without a separator between thousands, in all files",
	csvfile.CodePartialUnit:        "write all numbers of the column in the same unit",
	csvfile.CodeFootnoteMarks:      "if a mark says something about the row, write it into a column of its own",
	csvfile.CodeOtherTimeZone:      "write the times of both files in the same time zone; if the times are about what people do, use local time",
	csvfile.CodeYearFirst:          "if the year is first, write it with four digits, such as 2024-01-31, in all files",
	csvfile.CodeNoTimeOfDay:        "write the times of day into the blind file, too; without them, features such as the hour are missing or wrong",
	csvfile.CodeMixedTimeZones:     "if the times are about what people do, keep local times; otherwise, convert the column to one time zone, such as UTC, in all files",
	csvfile.CodeNumbersInText:      "in all files, write each number into its own column, with nothing else in the cell; write a sign such as < into another column",
	csvfile.CodeNumericDates:       "write the months as year-month, such as 2024-01, or the days as year-month-day, such as 2024-01-31, in all files",
	csvfile.CodeMixedDates:         "use one format in all files, such as 2024-01-31 for dates; clear the cells that have no date or time",
	csvfile.CodeSmallClass:         "add rows of that class, or merge classes",
	csvfile.CodeSimilarClasses:     "if they are one class, use the same spelling",
	csvfile.CodeSimilarTexts:       "if they mean the same, use the same spelling, in all files; the model treats them as different",
	csvfile.CodeSameLooking:        "write the values in one Unicode normalization, such as NFC, in all files; the model treats them as different",
	csvfile.CodeMissingClass:       "if the label of these rows is unknown, remove the rows",
	csvfile.CodeTotalRow:           "if it is a row of totals, delete the line",
	csvfile.CodeSpacedClass:        "remove the spaces from the file unless they are meant",
}

// tooFewColumnsHint returns the remedy for a file with too few columns.
func (p *Preflight) tooFewColumnsHint(in *InputTable, f *finding) string {
	separator := "; otherwise, set the separator with --delimiter"
	if in.table.IsConverted() {
		separator = ""
	}
	columns := in.columns - len(in.layout.Drop)
	switch {
	case f.Line == 0 && len(in.flagLayout.Drop) > 0: // see explainTooFewColumns
		return "exclude fewer columns with --drop"
	case in.rowsAboveHeader > 0:
		return p.skipRowsHint(in)
	case hasRaggedRows(p.profileOf(in)) || in.headerBelowTitle != nil:
		first := "the header"
		if in.flagLayout.NoHeader {
			first = "a row"
		}
		return "if the first line is not " + first + ", " + p.fixHint(in) + separator
	case columns == in.fewestColumns()-1 && !in.layout.GenerateID && in.flagLayout.ID == "":
		hint := "if no column is an ID, generate IDs: `" + p.Factory.CommandWith("id", generateIDs) + "`" + separator
		if in.table.OtherSheet() != "" {
			return p.sheetHint(in) + "; otherwise, " + hint
		}
		return hint
	case slices.ContainsFunc(in.table.Warnings(), func(w tablefile.Warning) bool { return w.Code == tablefile.CodeSheets }):
		return p.sheetHint(in)
	case in.table.IsConverted():
		return "use a file with more columns"
	}
	return "set the separator with --delimiter, or use a file with more columns"
}

// fewestColumns returns the smallest number of columns that a file must have, including an ID.
func (in *InputTable) fewestColumns() int {
	if in.layout.Blind {
		return csvfile.MinBlindColumns
	}
	return csvfile.MinLabelledColumns
}

// profileOf returns the profile of an input that has been scanned.
func (p *Preflight) profileOf(in *InputTable) *profile.Profile {
	if in == p.Blind {
		return p.BlindProfile
	}
	return p.TrainProfile
}

// isBlind reports whether an input is a blind file: the second input, or the only one of a command
// such as predict.
func (p *Preflight) isBlind(in *InputTable) bool { return in == p.Blind || in.layout.Blind }

// hasRaggedRows reports whether rows of a file have another number of fields than its first line.
func hasRaggedRows(p *profile.Profile) bool {
	return slices.ContainsFunc(p.Defects, func(d csvfile.Defect) bool { return d.Code == csvfile.CodeRaggedRow })
}

// skipRowsHint returns the remedy for an input with rows above its header.
func (p *Preflight) skipRowsHint(in *InputTable) string {
	return fmt.Sprintf("if the header is in row %d, ignore the rows above it: `%s`", in.rowsAboveHeader+1, p.Factory.CommandWith("skip-rows", strconv.Itoa(in.rowsAboveHeader)))
}

// sheetHint returns the remedy for a workbook if another of its sheets may be meant.
func (p *Preflight) sheetHint(in *InputTable) string {
	if other := in.table.OtherSheet(); other != "" {
		return "choose another sheet: `" + p.Factory.CommandWith("sheet", other) + "`"
	}
	return "choose a sheet with --sheet"
}

// secondHeaderHint returns the remedy for rows below the header that look like a second header. If
// the first header has cells without a name, as merged cells have, the remedy is to use the second
// header.
func (p *Preflight) secondHeaderHint(in *InputTable, f *finding) string {
	isUnnamed := func(other finding) bool { return other.File == f.File && other.Code == csvfile.CodeUnnamedColumn }
	if slices.ContainsFunc(p.Findings, isUnnamed) {
		return fmt.Sprintf("if row %d is the header, ignore the rows above it: `%s`", f.Line, p.Factory.CommandWith("skip-rows", strconv.Itoa(f.Line-1)))
	}
	if p.isBlind(in) {
		return "if it is not a row, delete the line; otherwise, no action is required" // the copy keeps a row with an ID
	}
	return p.fixHint(in)
}

// dropFlagValue returns the value of --drop for a column, quoted for a shell.
func dropFlagValue(column string) string { return term.ShellQuote(cli.ListFlagValue([]string{column})) }

// unnamedHint returns the remedy for a column without a name, which is read under the name readAs,
// or ignored if readAs is "".
func (p *Preflight) unnamedHint(in *InputTable, f *finding, readAs string) string {
	switch {
	case f.Severity == compare.SeverityWarning && readAs == "":
		return "no action is required"
	case p.isBlind(in) || readAs == "":
		return "write a name into the header line"
	}
	return "write a name into the header line, or exclude the column: `" + p.Factory.CommandWith("drop", readAs) + "`"
}

// headerHint returns the remedy for a file whose first row seems not to be a header.
func (p *Preflight) headerHint(in *InputTable, f *finding) string {
	switch {
	case f.Severity == compare.SeverityWarning:
		return "add a header if the columns are in another order"
	case in == p.Blind && !p.seemsToLackHeader(), len(p.modelColumns.Features) > 0 && !slices.Contains(p.modelColumns.Features, "column_2"):
		// --no-header-row would also apply to the training file.
		return "add a header with the column names of the training file"
	}
	return "add a header, or use column_1, column_2, … as names: `" + p.Factory.CommandWith("no-header-row", "true") + "`"
}

// CheckCommand returns the command that reports the columns and findings of the files. It has the label
// and the ID column of the series, because check does not read them from the service.
func (p *Preflight) CheckCommand() string {
	files := p.shellArguments()
	switch {
	case p.Blind != nil:
	case p.Train.layout.Blind:
		files = term.ShellQuote(p.Train.args[0]) + " --no-label"
	case len(p.Train.args) > 1: // without --blind, check reads one file
		files = term.ShellQuote(p.Train.args[0])
	}
	command := "foretell check " + files
	if p.series.Label != "" {
		command += " --label " + term.ShellQuote(p.series.Label)
	}
	if id := p.series.ID; id != "" && id == p.roles.ID && !slices.Contains(p.blindLacks, id) { // --id also applies to the blind file
		command += " --id " + term.ShellQuote(id)
	}
	return command
}

// shellArguments returns the arguments of the files, quoted for a shell.
func (p *Preflight) shellArguments() string {
	text := p.Train.ShellArguments("")
	switch {
	case p.Blind == nil:
	case len(p.Blind.args) > 1:
		text += " " + p.Blind.ShellArguments("--blind")
	default:
		text += " " + p.Blind.ShellArguments("")
	}
	return text
}
