package profile

import (
	"math"
	"slices"
	"sort"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
)

// MinComparedRows is the smallest number of rows for which the fractions and means of a file are
// compared with the fractions and means of another file.
const MinComparedRows = 30

// Profile is the result of a scan of a file.
type Profile struct {
	// Rows is the number of data rows read. Bytes is the length of the file.
	Rows  int   `json:"rows"`
	Bytes int64 `json:"bytes"`
	// Schema is the schema for frame.Load. In a blind file it has no label and no classes.
	Schema *frame.Schema `json:"schema"`
	// Columns describes the columns of the file except the ID and the label, in file
	// order.
	Columns []ColumnProfile `json:"columns"`
	// Classes are the labels with their numbers of rows, in the order of Schema.Classes.
	Classes []ValueCount `json:"classes,omitempty"`
	// Defects are the errors in the file, one element per code, in the order of their first lines.
	// A file without defects is valid.
	Defects []csvfile.Defect `json:"defects,omitempty"`
	// Partial is set if the file was not read to its end, for example because of an
	// unclosed quote.
	Partial bool `json:"partial,omitempty"`
	// Unreadable is the number of rows that could not be read. They are not among Rows.
	Unreadable int `json:"unreadable,omitempty"`
	// Warnings describe findings that are suspicious but not errors.
	Warnings []csvfile.Warning `json:"warnings,omitempty"`

	headerLine int                                        // the line of the header
	locate     func(line, column int) (int, int)          // ScanOptions.Locate
	sourceLine func(line int) (file string, fileLine int) // ScanOptions.SourceLine
	log        csvfile.DefectLog                          // the defects of the scan

	rowHashes []uint64 // hashes of all rows, from hashRows; nil if some rows are not known

	positions map[string]int // the index in Columns of each name, set by ColumnIndex
}

// ColumnProfile describes one column of a file.
type ColumnProfile struct {
	Name string `json:"name"`
	// Column is the number of the field in its record, counted from 1.
	Column int            `json:"column"`
	Form   inference.Form `json:"form"`
	// Features is the number of features that are extracted from the column alone. Words is
	// the number of words among these features.
	Features int `json:"features"`
	Words    int `json:"words,omitempty"`
	// Missing is the number of rows without a value.
	Missing int `json:"missing"`
	// Distinct is the number of distinct values that are not missing. If Estimate is set, it is an
	// estimate: its standard error is 1.3 % in files with few columns, and up to 25 % in those with many.
	Distinct int  `json:"distinct"`
	Estimate bool `json:"estimate,omitempty"`
	// Numbers describes the numbers of a FormNumeric column, the dates of a date column as days
	// since 1 January 1970, or the times of a time column as hours. It is nil for other columns,
	// and if not all numbers are known.
	Numbers *columnstats.NumericStats `json:"numbers,omitempty"`
	// DateOrder is the order of the dates, or "" if the column contains no dates or only Unix
	// times.
	DateOrder inference.DateOrder `json:"dateOrder,omitempty"`
	// Epoch is the unit of Unix times, or "" if the column has none.
	Epoch frame.EpochUnit `json:"epoch,omitempty"`
	// TimeZones are the zones of the times of a column of dates or times, sorted: offsets such as
	// -05:00, Z, names such as EST, and inference.NoTimeZone. It is nil if the column contains no
	// times.
	TimeZones []string `json:"timeZones,omitempty"`
	// LabelAccuracy is the fraction of rows whose label is predicted correctly from this
	// column alone, estimated on a sample. It is 0 if it was not computed.
	LabelAccuracy float64 `json:"alone,omitempty"`
	// Top are the most frequent texts, at most ten, of a column that does not consist of numbers,
	// dates or times.
	Top []ValueCount `json:"top,omitempty"`

	values       []columnstats.Value  // the counted texts; incomplete if Estimate is set
	hasAllTexts  bool                 // values has all texts
	uncounted    []columnstats.Value  // in a blind file, some of the texts that are not in values
	parsed       []columnstats.Value  // the numbers of a column of dates, times or amounts; otherwise nil
	percentiles  []float64            // percentiles of a sample of plain numbers, see rowsample.FieldStats; may be nil
	hasFractions bool                 // some number is not an integer
	emptyRows    int                  // number of rows with an empty cell
	dateFormat   cells.DateFormat     // how the dates are read
	firstTime    columnstats.Value    // the first text with a time of day
	dates        inference.DateCounts // the dates whose meaning depends on dateFormat.DayFirst
	format       *cells.NumberFormat  // the format of the numbers; nil if they are plain
	separator    string               // the separator of a column of lists; otherwise ""
	prefixes     []int                // the lengths of the prefixes of codes that are features; nil if whole codes are features
}

// IsBlank reports whether all cells of the column are empty. rows is the number of rows of
// the file.
func (c *ColumnProfile) IsBlank(rows int) bool { return c.emptyRows == rows }

// IsAlsoCategory reports whether a FormNumeric column also has a categorical feature, of its
// numbers or of the words among them.
func (c *ColumnProfile) IsAlsoCategory() bool {
	return c.Form == inference.FormNumeric && c.Features > 1
}

// ListSeparator returns the separator of a column of lists, such as the semicolon of C++;SQL, and "" for
// any other column.
func (c *ColumnProfile) ListSeparator() string { return c.separator }

// HasOnlyPrefixes reports whether only the first characters of the texts are features, because
// nearly every row has its own text.
func (c *ColumnProfile) HasOnlyPrefixes() bool {
	return c.Form == inference.FormCategory && len(c.prefixes) > 0
}

// HasItemsOrPrefixes reports whether parts of the texts are features; see ItemsOrPrefixes.
func (c *ColumnProfile) HasItemsOrPrefixes() bool { return c.separator != "" || len(c.prefixes) > 0 }

// ItemsOrPrefixes returns the parts of a text that may be features: the items of a list, or the
// first characters of a code if nearly every row has its own code. It returns nil for any other
// column.
func (c *ColumnProfile) ItemsOrPrefixes(text string) (parts []string) {
	if c.separator != "" {
		cells.VisitItems([]byte(text), c.separator[0], func(item []byte) { parts = append(parts, string(item)) })
	}
	for _, length := range c.prefixes {
		parts = append(parts, string(cells.Prefix([]byte(text), length)))
	}
	return parts
}

// Values returns the counted texts of the column. If Estimate is set, they are only some of its texts.
// The caller must not change them.
func (c *ColumnProfile) Values() []columnstats.Value { return c.values }

// Uncounted returns some of the texts of the column that Values does not return. It is nil in the
// profile of a training file.
func (c *ColumnProfile) Uncounted() []columnstats.Value { return c.uncounted }

// HasAllTexts reports whether Values returns all texts of the column. It returns false if there
// were too many distinct texts to keep all of them. Even then, c.Distinct may be exact.
func (c *ColumnProfile) HasAllTexts() bool { return c.hasAllTexts }

// EmptyRows returns the number of rows with an empty cell.
func (c *ColumnProfile) EmptyRows() int { return c.emptyRows }

// DateFormat returns how the dates of the column are read.
func (c *ColumnProfile) DateFormat() cells.DateFormat { return c.dateFormat }

// Dates returns the counts of the dates whose order of day and month matters, such as 1/2/2006.
func (c *ColumnProfile) Dates() *inference.DateCounts { return &c.dates }

// FirstTextWithTime returns the first text with a time of day. If there is no such text, the Rows
// of the result are 0.
func (c *ColumnProfile) FirstTextWithTime() *columnstats.Value { return &c.firstTime }

// CanParse reports whether a text can be parsed in the format of the column.
func (c *ColumnProfile) CanParse(text string) bool {
	cell := []byte(text)
	switch {
	case c.Form != inference.FormNumeric:
		_, ok := c.dateFormat.Parse(cell)
		return ok
	case c.format != nil:
		_, ok := c.format.Parse(cell)
		return ok
	}
	return !math.IsNaN(cells.NumberOrNaN(cell))
}

// NumberFormat returns the format of the numbers of a FormNumeric column, and nil for other columns.
func (c *ColumnProfile) NumberFormat() *cells.NumberFormat {
	switch {
	case c.Form != inference.FormNumeric:
		return nil
	case c.format == nil:
		return new(cells.NumberFormat)
	}
	return c.format
}

// ValueCount is a text and the number of rows that have it.
type ValueCount struct {
	Text string `json:"text"`
	Rows int    `json:"rows"`
}

// ColumnIndex returns the position of the named column in Columns, or -1.
func (p *Profile) ColumnIndex(name string) int {
	if p.positions == nil {
		p.positions = make(map[string]int, len(p.Columns))
		for i := range slices.Backward(p.Columns) { // of several columns with the same name, the first counts
			p.positions[p.Columns[i].Name] = i
		}
	}
	if at, known := p.positions[name]; known {
		return at
	}
	return -1
}

// HeaderLine returns the line of the header in the scanned file.
func (p *Profile) HeaderLine() int { return p.headerLine }

// Locate maps a line and a column of the scanned file to a line and a column of the user's file.
func (p *Profile) Locate(line, column int) (int, int) {
	if p.locate == nil {
		return line, column
	}
	return p.locate(line, column)
}

// MergeDefects adds defects of rows that were left out of the scanned file. Their locations must
// refer to the user's file. partial is set if these rows may have further defects.
func (p *Profile) MergeDefects(others *csvfile.DefectLog, partial bool) {
	// The scanned file may have these defects only because rows were left out.
	p.log.RemoveCodes(csvfile.CodeNoRows, csvfile.CodeOneClass, csvfile.CodeTooManyClasses, csvfile.CodeNumericLabel, csvfile.CodeNoFeatures)
	p.Partial = p.Partial || partial
	p.Unreadable += others.Count()
	p.updateDefects(others)
}

// maxUnreadableShare is the largest fraction of unreadable rows for which the statistics of the other
// rows describe the file.
const maxUnreadableShare = 0.05

// IsIncomplete reports whether the file was not read to its end, or many of its rows could not be
// read. If so, the statistics and warnings may not apply to the whole file.
func (p *Profile) IsIncomplete() bool {
	return p.Partial || float64(p.Unreadable) > maxUnreadableShare*float64(p.Rows+p.Unreadable)
}

// updateDefects sets Defects to the defects of the scan and the defects in others. The
// locations in others refer to the user's file.
func (p *Profile) updateDefects(others *csvfile.DefectLog) {
	p.Defects = slices.Concat(p.log.Defects(p.locate, p.sourceLine, p.Partial), others.Defects(nil, p.sourceLine, p.Partial))
	sort.SliceStable(p.Defects, func(i, j int) bool {
		a, b := &p.Defects[i], &p.Defects[j]
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
}

// DefectSummary returns all defects in one line, or "" if there are no defects:
//
//	34 rows have no label, first in lines 2, 10, 11; line 7, column 1 (id): the row has no ID
func (p *Profile) DefectSummary() string {
	var kinds []string
	for i := range p.Defects {
		d := &p.Defects[i]
		if d.Count > 1 { // the message contains the locations
			kinds = append(kinds, d.Message)
		} else {
			kinds = append(kinds, d.Error())
		}
	}
	return strings.Join(kinds, "; ")
}

// Err returns the first defect, or nil if there are no defects.
func (p *Profile) Err() error {
	if len(p.Defects) == 0 {
		return nil
	}
	return &p.Defects[0]
}
