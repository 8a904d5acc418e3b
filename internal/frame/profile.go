package frame

import (
	"cmp"
	"slices"
	"strings"
)

// Profile is what one pass over a file found out.
type Profile struct {
	// Rows is the number of data rows that were read, Bytes the file's length.
	Rows  int   `json:"rows"`
	Bytes int64 `json:"bytes"`
	// Schema is what Load needs. Of a blind file it has no label and no classes.
	Schema *Schema `json:"schema"`
	// Columns describes the file's columns but for ID and label, in file order.
	Columns []ColumnProfile `json:"columns"`
	// Classes are the labels in the order of Schema.Classes.
	Classes []ValueCount `json:"classes,omitempty"`
	// Defects are what the service refuses, one a code, in the order of the lines
	// of the first. A file without one is good.
	Defects []Defect `json:"defects,omitempty"`
	// Partial tells that the scan ended before the file did: behind an
	// unclosed quote, say.
	Partial bool `json:"partial,omitempty"`
	// Warnings are worth a look but stop nothing.
	Warnings []Warning `json:"warnings,omitempty"`

	line       int                                        // of the header
	locate     func(line, column int) (int, int)          // ScanOptions.Place
	sourceLine func(line int) (file string, fileLine int) // ScanOptions.Source
	log        defectLog                                  // what Defects are made of

	positions map[string]int // of Columns by their names, made by find
}

// ColumnProfile describes one column of a file.
type ColumnProfile struct {
	Name string `json:"name"`
	// Column is the number of the field in its record, from 1.
	Column int  `json:"column"`
	Form   Form `json:"form"`
	// Features is how many features are made of the column, Words how many of
	// them are words.
	Features int `json:"features"`
	Words    int `json:"words,omitempty"`
	// Missing is the number of rows without a value.
	Missing int `json:"missing"`
	// Distinct is the number of different values that are not missing: exact
	// if it could be held in memory, else an estimate good to about 1 %.
	Distinct int  `json:"distinct"`
	Estimate bool `json:"estimate,omitempty"`
	// Numbers is set for numbers, dates (in days since the beginning of 1970)
	// and times (in hours), if there is at least one and all are known.
	Numbers *NumericStats `json:"numbers,omitempty"`
	// LabelAccuracy is the share of the rows whose label the column tells by itself,
	// measured on a sample of them; 0 where that was not measured.
	LabelAccuracy float64 `json:"alone,omitempty"`
	// Top holds the most frequent texts of other forms, at most ten.
	Top []ValueCount `json:"top,omitempty"`

	values       []distinctValue // the texts that were counted; not all of them if Estimate
	hasFractions bool            // some number is not an integer
	emptyRows    int             // rows with an empty cell
	dayFirst     bool            // how dates with a choice were read
	format       *numberFormat   // how numbers are written that are more than digits; else nil
}

// NumericStats are the statistics of a numeric column. None is NaN or infinite.
type NumericStats struct {
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stdDev"`
	// Median is exact if MedianEstimate is not set: for up to ten thousand rows, or
	// a thousand of a table with more than 2,000 columns. Else it comes from a sample.
	// It is 0 in a brief profile.
	Median         float64    `json:"median"`
	MedianEstimate bool       `json:"medianEstimate,omitempty"`
	Histogram      *Histogram `json:"histogram"`
}

// ValueCount is a text and the number of rows that have it.
type ValueCount struct {
	Text string `json:"text"`
	Rows int    `json:"rows"`
}

// columnIndex returns the position of the column with a name in Columns, -1 if there is
// none.
func (p *Profile) columnIndex(name string) int {
	if p.positions == nil {
		p.positions = make(map[string]int, len(p.Columns))
		for i := range slices.Backward(p.Columns) { // the first of a name counts
			p.positions[p.Columns[i].Name] = i
		}
	}
	if at, known := p.positions[name]; known {
		return at
	}
	return -1
}

// updateDefects makes Defects of the log, and of others whose places are already
// those of the file that the user knows.
func (p *Profile) updateDefects(others *defectLog) {
	p.Defects = slices.Concat(p.log.defects(p.locate, p.sourceLine, p.Partial), others.defects(nil, p.sourceLine, p.Partial))
	slices.SortStableFunc(p.Defects, func(a, b Defect) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// DefectSummary names each kind of defect in one line, and is empty if there is none:
//
//	34 rows have no label, first in lines 2, 10, 11; line 7, column 1 (id): the row has no ID
func (p *Profile) DefectSummary() string {
	var kinds []string
	for i := range p.Defects {
		d := &p.Defects[i]
		if d.Count > 1 { // it names its places
			kinds = append(kinds, d.Message)
		} else {
			kinds = append(kinds, d.Error())
		}
	}
	return strings.Join(kinds, "; ")
}

// Err returns the first defect, nil if there is none.
func (p *Profile) Err() error {
	if len(p.Defects) == 0 {
		return nil
	}
	return &p.Defects[0]
}
