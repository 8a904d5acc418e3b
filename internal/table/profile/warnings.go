package profile

import (
	"cmp"
	"fmt"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

func (s *scanner) warn(code string, at int, format string, args ...any) {
	s.warnAt(s.table.HeaderLine, code, at, format, args...)
}

// addWarnings adds warnings about a column. It sets their column and name. Warnings without a line get
// the line of the header.
func (s *scanner) addWarnings(column int, warnings []csvfile.Warning) {
	for _, w := range warnings {
		w.Line, w.Column, w.Name = cmp.Or(w.Line, s.table.HeaderLine), column+1, s.table.Names[column]
		s.profile.Warnings = append(s.profile.Warnings, w)
	}
}

func (s *scanner) warnAt(line int, code string, column int, format string, args ...any) {
	s.profile.Warnings = append(s.profile.Warnings, csvfile.Warning{
		Code: code, Message: fmt.Sprintf(format, args...),
		Line: line, Column: column + 1, Name: s.table.Names[column],
	})
}

// warningGroup describes how warnings with the same code about several columns are merged into one.
type warningGroup struct {
	minColumns int    // smallest number of columns whose warnings are merged
	predicate  string // the merged message, after the number of columns
}

var warningGroups = map[string]warningGroup{
	csvfile.CodeEmptyColumn:    {2, "have no value in any row, so they are not used"},
	csvfile.CodeConstantColumn: {2, "are constant, so they are not used"},
	csvfile.CodeEqualColumn:    {2, "have the same content as an earlier column, or exactly one text for each of its values, so they are not used"},
	csvfile.CodeIDLikeColumn:   {2, "identify the rows or are row numbers, so they are not used"},
	csvfile.CodeJunkInNumbers:  {4, "of numbers have text in some rows; such a cell counts as missing, and frequent texts also become a category"},
	csvfile.CodeUnclearNumbers: {4, "have numbers whose separator may separate thousands or decimals"},
	csvfile.CodeFootnoteMarks:  {4, "have marks before or after some numbers; the marks are ignored"},
	csvfile.CodePartialUnit:    {4, "have a unit in some rows only, and much larger or smaller numbers in the other rows"},
	csvfile.CodeMostlyNumbers:  {4, "are read as text or categories, although most of their cells are numbers"},
	csvfile.CodeMixedNumbers:   {4, "are read as text or categories, because their numbers have different decimal separators or units"},
	csvfile.CodeNumbersInText:  {4, "are read as text or categories, although their cells are made of numbers"},
	csvfile.CodeSimilarTexts:   {4, "have texts that differ from a more frequent text only in case, in spaces or in how a boolean is written"},
	csvfile.CodeMixedTimeZones: {4, "have times of several offsets from UTC, which are ignored"},
	csvfile.CodeJunkInDates:    {4, "of dates or times have other text in some rows; such a cell counts as missing"},
	csvfile.CodeMixedDates:     {4, "have dates or times in several formats, so they are read as text"},
	csvfile.CodeAmbiguousDates: {4, "have dates that do not show whether the day or the month is first: the month is assumed to be first"},
	csvfile.CodeDateOrder:      {4, "have dates that are treated as missing, because they are in another order than most dates of their column, or have no separators"},
	csvfile.CodeYearFirst:      {4, "probably have dates that begin with a two-digit year, which are not read as such"},
	csvfile.CodeSameLooking:    {4, "have texts that look the same, but have different Unicode code points"},
	csvfile.CodeIncompleteID:   {4, "have the name of an ID and integers that are all different, but are used as features, because a few rows have no value"},
	csvfile.CodeLeakingColumn:  {4, "alone predict nearly every label: are the columns known before the label is?"},
}

// blindPredicates replace predicates of warningGroups for a blind file. They do not say how a model
// treats texts among numbers and dates, because this depends on the training file.
var blindPredicates = map[string]string{
	csvfile.CodeJunkInNumbers: "of numbers have text in some rows",
	csvfile.CodeJunkInDates:   "of dates or times have other text in some rows",
}

// groupWarnings merges the warnings with the same code about several columns into one warning, at the
// position of the first of them:
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
		if blind := blindPredicates[w.Code]; blind != "" && s.label < 0 {
			kind.predicate = blind
		}
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
			w.Message = fmt.Sprintf("%s %s (%s)", humanize.Count(len(list), "column"), kind.predicate, csvfile.FormatNames(list))
		}
		kept = append(kept, w)
	}
	s.profile.Warnings = kept
}
