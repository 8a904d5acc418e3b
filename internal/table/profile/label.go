package profile

import (
	"context"
	"slices"
	"sort"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/check"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/rowsample"
)

// checkLabel sets the classes of the schema to the label's texts and checks them.
func (s *scanner) checkLabel(ctx context.Context) error {
	p, t := s.profile, &s.columns[s.label]
	p.Schema.Label = s.table.Names[s.label]
	if code, message := check.LabelDefect(t, s.unreadableRows == 0); code != "" {
		s.addDefects(s.table.HeaderDefect(code, s.label, "%s", message))
		if code != csvfile.CodeOneClass {
			return nil
		}
	}
	if long, message := check.LongLabel(t); long != nil {
		s.addDefects(csvfile.Defect{Code: csvfile.CodeLongLabel, Message: message, Line: long.FirstLine(), Column: s.label + 1, Name: p.Schema.Label})
		return nil
	}
	list := slices.Clone(t.Values())
	numeric := t.Rows(cells.Number) == t.NonBlank()
	sort.Slice(list, func(i, j int) bool { // by value if all labels are numbers, then by bytes; slices.SortFunc would make the program larger
		a, b := &list[i], &list[j]
		if numeric && a.Number != b.Number {
			return a.Number < b.Number
		}
		return a.Text < b.Text
	})
	s.addWarnings(s.label, check.NumericClasses(t))
	for _, one := range list {
		p.Schema.Classes = append(p.Schema.Classes, one.Text)
		p.Classes = append(p.Classes, ValueCount{Text: one.Text, Rows: one.Rows})
	}
	if s.unreadableRows > 0 {
		return nil // the labels of unreadable rows are missing
	}
	s.addWarnings(s.label, check.Classes(list))
	if err := s.warnLeaks(ctx); err != nil {
		return err
	}
	s.warnGroupAndTimeColumns()
	return nil
}

// warnLeaks computes how accurately each column alone predicts the label. It warns about a column
// whose predictions are nearly always right, because its values may become known only after the
// label.
func (s *scanner) warnLeaks(ctx context.Context) error {
	if s.opts.Brief {
		return nil
	}
	detector, err := rowsample.NewLeakDetector(ctx, s.sample)
	if detector == nil || err != nil {
		return err
	}
	byField := make([]*ColumnProfile, len(s.columns))
	for i := range s.profile.Columns {
		byField[s.profile.Columns[i].Column-1] = &s.profile.Columns[i]
	}
	readings := func(i int) []rowsample.Reading { return byField[i].readings(s.columns[i].AllOrSample()) }
	shares, err := detector.Accuracies(ctx, func(i int) bool { return i != s.id && i != s.label }, readings)
	if err != nil {
		return err
	}
	columns := s.profile.Columns
	for i := range columns {
		field := columns[i].Column - 1
		accuracy := shares[field]
		if columns[i].LabelAccuracy = accuracy; columns[i].Features > 0 && detector.IsLeak(accuracy) {
			s.warn(csvfile.CodeLeakingColumn, field,
				"the column alone predicts %s of the labels (always predicting %[2]s: %[3]s): is the column known before the label is?",
				humanize.Percent(accuracy), csvfile.Excerpt(s.columns[s.label].Top(1)[0].Text), humanize.Percent(detector.Baseline()))
		}
	}
	return nil
}

// readings returns how a model reads the texts of the column: as amounts, dates or times, or by the
// first characters of codes. If a model compares whole texts, it returns no readings.
func (c *ColumnProfile) readings(texts []columnstats.Value) (list []rowsample.Reading) {
	parse := func(cell []byte) (float64, bool) {
		moment, ok := c.dateFormat.Parse(cell)
		if !moment.HasDate {
			return moment.Hour, ok
		}
		return moment.EpochDays(), ok
	}
	switch {
	case c.format != nil:
		parse = c.format.Parse
	case c.Form != inference.FormDate && c.Form != inference.FormTime:
		for _, length := range c.prefixes {
			prefixes := rowsample.Reading{}
			for _, one := range texts {
				prefixes.AddText(one.Text, cells.Prefix([]byte(one.Text), length))
			}
			list = append(list, prefixes)
		}
		return list
	}
	numbers := rowsample.Reading{}
	for _, one := range texts {
		if value, ok := parse([]byte(one.Text)); ok {
			numbers.AddNumber(one.Text, value)
		}
	}
	return []rowsample.Reading{numbers}
}
