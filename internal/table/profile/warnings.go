package profile

import (
	"fmt"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

func (s *scanner) warn(code string, at int, format string, args ...any) {
	s.warnAt(s.table.HeaderLine, code, at, format, args...)
}

func (s *scanner) warnAt(line int, code string, column int, format string, args ...any) {
	s.profile.Warnings = append(s.profile.Warnings, csvfile.Warning{
		Code: code, Message: fmt.Sprintf(format, args...),
		Line: line, Column: column + 1, Name: s.table.Names[column],
	})
}

// warningGroup has the parts of a message that merges the same warning about several
// columns.
type warningGroup struct {
	minColumns int    // smallest number of columns that are merged
	predicate  string // the end of a sentence that begins with the number of columns
}

var warningGroups = map[string]warningGroup{
	csvfile.CodeEmptyColumn:    {2, "have no value in any row, so they are not used"},
	csvfile.CodeConstantColumn: {2, "are constant, so they are not used"},
	csvfile.CodeEqualColumn:    {2, "have the same content as an earlier column, or exactly one text for each of its values, so they are not used"},
	csvfile.CodeIDLikeColumn:   {2, "identify the rows or are row numbers, so they are not used"},
	csvfile.CodeJunkInNumbers:  {4, "of numbers have text in some rows; such a cell counts as missing, and frequent texts also become a category"},
	csvfile.CodeUnclearNumbers: {4, "have numbers whose separator may be that of thousands or of decimals"},
	csvfile.CodeFootnoteMarks:  {4, "have footnote marks after some numbers; the marks are ignored"},
	csvfile.CodePartialUnit:    {4, "have a unit in some rows only, and much larger or smaller numbers in the others"},
	csvfile.CodeMostlyNumbers:  {4, "are read as text or categories, although most of their cells are numbers"},
	csvfile.CodeMixedDates:     {4, "have dates or times in several formats, so they are read as text"},
	csvfile.CodeLeakingColumn:  {4, "alone predict nearly every label: are the columns known before the label is?"},
}

// groupWarnings replaces, for each code, the warnings about several columns by one warning, at
// the position of the first of them:
//
//	1,311 columns are constant, so they are not used (f5, f9, f12, …)
//
// It does not merge warnings about ID-like columns that are used.
func (s *scanner) groupWarnings() {
	used := make(map[int]bool, len(s.profile.Columns))
	for i := range s.profile.Columns {
		used[s.profile.Columns[i].Column] = s.profile.Columns[i].Features > 0
	}
	folds := func(w *csvfile.Warning) (warningGroup, bool) {
		kind, known := warningGroups[w.Code]
		return kind, known && (w.Code != csvfile.CodeIDLikeColumn || !used[w.Column])
	}
	names := make(map[string][]string) // names of columns by code
	for i := range s.profile.Warnings {
		w := &s.profile.Warnings[i]
		if _, fold := folds(w); fold {
			names[w.Code] = append(names[w.Code], w.Name)
		}
	}
	kept := s.profile.Warnings[:0]
	for _, w := range s.profile.Warnings {
		kind, fold := folds(&w)
		list := names[w.Code]
		switch {
		case !fold || len(list) > 0 && len(list) < kind.minColumns:
		case list == nil:
			continue // merged into the first
		default:
			names[w.Code] = nil
			w.Line, w.Count = s.table.HeaderLine, len(list)
			w.Message = fmt.Sprintf("%s %s (%s)", humanize.Count(len(list), "column"), kind.predicate, formatNames(list))
		}
		kept = append(kept, w)
	}
	s.profile.Warnings = kept
}

// minGroupedFindings is the smallest number of columns whose findings of the same code
// are merged.
const minGroupedFindings = 10

// findingGroups holds, by code, the messages of merged findings without the number of columns
// before them.
var findingGroups = map[string]string{
	csvfile.CodeMissingColumn:  "of the training file", // for csvfile.MissingColumnsMessage
	csvfile.CodeExtraColumn:    "are not in the training file, so they are copied to the result but not used to predict",
	csvfile.CodeMovedRange:     "of numbers have another range or mean than in training",
	csvfile.CodeUnseenCategory: "have texts that the training file does not have",
	csvfile.CodeChangedKind:    "have another format than in training; values that cannot be parsed are treated as missing, and others may be read wrongly",
	csvfile.CodeMisreadNumbers: "have another decimal separator than in training, so some of their numbers would be read wrongly",
	csvfile.CodeMoreMissing:    "have far more rows without a value than in training",
}

// groupFindings replaces, for each code, the findings about many columns by one finding, at the
// position of the first of them. Findings of the same code with and without OtherSeparators have
// different remedies, so they are replaced separately.
func (c *comparison) groupFindings() {
	type group struct {
		code               string
		hasOtherSeparators bool
	}
	groupOf := func(f *Finding) group { return group{f.Code, f.OtherSeparators != nil} }
	folds := func(f *Finding) bool {
		return findingGroups[f.Code] != "" && f.Name != c.train.Schema.ID && f.Name != c.train.Schema.Label
	}
	names := make(map[group][]string) // names of columns
	for i := range c.findings {
		f := &c.findings[i]
		list := names[groupOf(f)]
		if folds(f) && (len(list) == 0 || list[len(list)-1] != f.Name) { // a column may have several findings
			names[groupOf(f)] = append(list, f.Name)
		}
	}
	kept := c.findings[:0]
	for _, f := range c.findings {
		of := groupOf(&f)
		list := names[of]
		switch {
		case !folds(&f) || 0 < len(list) && len(list) < minGroupedFindings:
		case list == nil:
			continue // merged into the first
		default:
			names[of] = nil
			f.Name, f.Column, f.Suggestion, f.Count = "", 0, "", len(list)
			f.Message = fmt.Sprintf("%s %s (%s)", humanize.Count(len(list), "column"), findingGroups[f.Code], formatNames(list))
			if f.Code == csvfile.CodeMissingColumn {
				f.Message = csvfile.MissingColumnsMessage(list, findingGroups[f.Code])
			}
		}
		kept = append(kept, f)
	}
	c.findings = kept
}

// formatNames returns a list of the first names, each shortened if it is long.
func formatNames(list []string) string {
	var names []string
	for _, name := range list[:min(len(list), csvfile.MaxLocationsShown)] {
		names = append(names, csvfile.Shorten(name))
	}
	if len(list) > csvfile.MaxLocationsShown {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
