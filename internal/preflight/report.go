package preflight

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/table/check"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// Report is the output of `foretell check`.
type Report struct {
	fileReport
	Blind    *fileReport `json:"blind,omitempty"`
	Findings []finding   `json:"findings"`
	// Understood has the roles of the columns. It is nil if the file cannot be read.
	Understood *ColumnRoles `json:"understood,omitempty"`
	// Changes are the corrections of --fix and --fix-blind. If there are corrected copies, the
	// rest of the report describes the copies.
	Changes []change `json:"changes,omitempty"`
}

// fileReport describes the contents of one file.
type fileReport struct {
	File        string         `json:"file"`
	ReadAs      string         `json:"readAs,omitempty"`
	Rows        int            `json:"rows"`
	Bytes       int64          `json:"bytes"`
	ID          string         `json:"id"`
	Label       string         `json:"label,omitempty"`
	LabelReason string         `json:"labelReason,omitempty"`
	Columns     []columnReport `json:"columns"`
	Classes     []classReport  `json:"classes,omitempty"`
	// Partial is set if the statistics of the file are unknown, because a defect ended the reading of
	// the file, or because many of its rows could not be read.
	Partial bool `json:"partial,omitempty"`

	generatedID bool // ID is a generated column, not one of the file
}

type columnReport struct {
	api.Column
	// Values is the range of numbers, or the most frequent texts.
	Values string `json:"values"`
	// LabelAccuracy is the accuracy of predicting the label from this column alone.
	LabelAccuracy float64                   `json:"alone,omitempty"`
	Features      int                       `json:"features"`
	Numbers       *columnstats.NumericStats `json:"numbers,omitempty"`
	Top           []profile.ValueCount      `json:"top,omitempty"`

	rows         int  // number of rows of the file
	alsoCategory bool // see profile.ColumnProfile.IsAlsoCategory
}

type classReport struct {
	api.Class
	Share float64 `json:"share"`
	// Note says that the class has fewer rows than recommended.
	Note string `json:"note,omitempty"`
}

// Report returns the report of the files. Run must have succeeded.
func (p *Preflight) Report() *Report {
	r := &Report{fileReport: newFileReport(p.Train, p.TrainProfile), Findings: p.Findings, Understood: p.ColumnRoles()}
	if r.Understood != nil {
		r.LabelReason = r.Understood.LabelReason
	}
	if r.Findings == nil {
		r.Findings = []finding{}
	}
	if p.BlindProfile != nil {
		blind := newFileReport(p.Blind, p.BlindProfile)
		r.Blind = &blind
	}
	return r
}

// explainTooFewColumns returns d, the defect of a file that has too few columns, with another
// message in two cases. A generated ID column is not counted in the message. If the columns are too
// few because of --drop, the message says so.
func (in *InputTable) explainTooFewColumns(d csvfile.Defect) csvfile.Defect {
	want, roles := in.fewestColumns(), "a feature and the label last"
	if in.layout.Blind {
		roles = "a feature"
	}
	if in.layout.GenerateID {
		want--
	}
	left := in.columns - len(in.layout.Drop)
	if dropped := len(in.flagLayout.Drop); dropped > 0 && left+dropped >= want {
		d.Line, d.Column, d.Name = 0, 0, ""
		d.Message = "no feature is left, because --drop excludes all of them"
		return d
	}
	if !in.layout.GenerateID {
		return d
	}
	d.Message = fmt.Sprintf("%s, but at least %d are required: %s", humanize.Count(left, "column"), want, roles)
	return d
}

// newFileReport returns the report of a file. If the file was not read completely, the report has no
// statistics, because they would describe only the rows that could be read.
func newFileReport(in *InputTable, p *profile.Profile) fileReport {
	if p.IsIncomplete() {
		return fileReport{File: in.Name, ReadAs: in.table.Description(), ID: p.Schema.ID, Label: p.Schema.Label, Columns: []columnReport{}, Partial: true}
	}
	r := fileReport{generatedID: in.layout.GenerateID, File: in.Name, ReadAs: in.table.Description(), Rows: p.Rows, Bytes: cmp.Or(in.fileBytes, p.Bytes), ID: p.Schema.ID, Label: p.Schema.Label, Columns: []columnReport{}}
	for i := range p.Columns {
		c := &p.Columns[i]
		r.Columns = append(r.Columns, columnReport{
			Column: api.Column{
				Name: c.Name, Kind: string(c.Form), Missing: int64(c.Missing), Distinct: int64(c.Distinct), DistinctEstimate: c.Estimate, DateOrder: string(c.DateOrder), Epoch: string(c.Epoch), TimeZones: c.TimeZones, ListSeparator: c.ListSeparator(),
			},
			Values: valueSummary(c, p.Rows), LabelAccuracy: c.LabelAccuracy, Features: c.Features, Numbers: c.Numbers, Top: c.Top, rows: p.Rows, alsoCategory: c.IsAlsoCategory(),
		})
	}
	labelled := 0
	for _, c := range p.Classes {
		labelled += c.Rows
	}
	for _, c := range p.Classes {
		one := classReport{Class: api.Class{Label: c.Text, Rows: int64(c.Rows)}, Share: math.Round(1e6*float64(c.Rows)/float64(max(labelled, 1))) / 1e6}
		if c.Rows < check.AdvisedClassRows {
			one.Note = fmt.Sprintf("fewer than the recommended %d rows", check.AdvisedClassRows)
		}
		r.Classes = append(r.Classes, one)
	}
	return r
}

// alsoCategory is appended to the summary of a column of numbers that is also a categorical
// feature.
const alsoCategory = ", also a category"

// valueSummary summarises a column of a file with this number of rows: the range and median of
// numbers, or the most frequent texts.
func valueSummary(c *profile.ColumnProfile, rows int) string {
	if n := c.Numbers; n != nil {
		median := c.Form.Format(n.Median)
		if n.MedianEstimate {
			median = "about " + median
		}
		summary := fmt.Sprintf("%s to %s, median %s", c.Form.Format(n.Min), c.Form.Format(n.Max), median)
		if c.IsAlsoCategory() {
			summary += alsoCategory
		}
		return summary
	}
	different := humanize.Count(c.Distinct, "value")
	if c.Estimate {
		different = "about " + different
	}
	switch {
	case c.ListSeparator() != "":
		return different + ", learned from the items of the lists"
	case c.HasOnlyPrefixes():
		return different + ", learned from their first characters"
	case c.Words > 0:
		return different + ", learned from their words"
	case len(c.Top) == 0:
		return different
	}
	var texts []string
	for _, l := range c.Top[:min(3, len(c.Top))] {
		texts = append(texts, fmt.Sprintf("%s %s", csvfile.Shorten(l.Text), humanize.Percent(float64(l.Rows)/float64(max(rows, 1)))))
	}
	text := strings.Join(texts, ", ")
	if c.Distinct > len(texts) {
		text = different + ": " + text + ", …"
	}
	return text
}

// histogramCounts returns the heights of the bars of the column's histogram. For numbers, a bar
// is the number of rows in a bin, from the lowest bin. For texts, it is the number of rows with
// a text, from the most frequent text.
func (c *columnReport) histogramCounts() []int {
	if c.Numbers != nil {
		return c.Numbers.Histogram.Rows
	}
	var rows []int
	for _, l := range c.Top {
		rows = append(rows, l.Rows)
	}
	return rows
}
