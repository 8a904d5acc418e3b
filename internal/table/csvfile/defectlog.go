package csvfile

import (
	"slices"
	"strconv"
	"strings"

	"foretell/internal/humanize"
)

// DefectLog counts the defects of a file by code. To bound its memory, it keeps only the first
// defect and the first MaxLocations locations for each code. The zero value is empty.
type DefectLog struct{ groups []defectGroup }

type defectGroup struct {
	first     Defect
	count     int
	locations []Location // the first locations, at most MaxLocations
}

// Location is a place in a file: a physical line and the number of a field, both from 1.
// Column 0 is the whole record.
type Location struct{ Line, Column int }

// The maximum number of locations for each code.
const (
	MaxLocations      = 20 // maximum in a DefectLog
	MaxLocationsShown = 3  // maximum in a message
)

// Add adds the defects to the counts of their codes.
func (l *DefectLog) Add(defects ...Defect) {
	for _, d := range defects {
		l.AddMany(d, 1, nil)
	}
}

// AddMany adds count defects of one code. d is the first defect. places are the locations
// of the defects after it, at most MaxLocations.
func (l *DefectLog) AddMany(d Defect, count int, places []Location) {
	p := l.find(d.Code)
	if p == nil {
		l.groups = append(l.groups, defectGroup{first: d})
		p = &l.groups[len(l.groups)-1]
	}
	p.count += count
	p.locations = append(append(p.locations, Location{d.Line, d.Column}), places...)
	p.locations = p.locations[:min(len(p.locations), MaxLocations)]
}

// IsEmpty reports whether the log has no defects.
func (l *DefectLog) IsEmpty() bool { return len(l.groups) == 0 }

// Count returns the number of defects.
func (l *DefectLog) Count() int {
	count := 0
	for i := range l.groups {
		count += l.groups[i].count
	}
	return count
}

// HasCode reports whether the log contains a defect with the code.
func (l *DefectLog) HasCode(code string) bool { return l.find(code) != nil }

// find returns the defects with a code, or nil if no defect has the code.
func (l *DefectLog) find(code string) *defectGroup {
	at := slices.IndexFunc(l.groups, func(p defectGroup) bool { return p.first.Code == code })
	if at < 0 {
		return nil
	}
	return &l.groups[at]
}

// RemoveCodes removes the defects with these codes.
func (l *DefectLog) RemoveCodes(codes ...string) {
	l.groups = slices.DeleteFunc(l.groups, func(p defectGroup) bool { return slices.Contains(codes, p.first.Code) })
}

// Defects returns one Defect for each code. partial is set if the files may contain more defects.
//
// locate converts the location of a defect to the location in the user's file; if it is nil, no
// conversion is needed. If the table consists of several files, source converts a line that locate
// has returned to a file and a line in that file. For a single file, source is nil.
func (l *DefectLog) Defects(locate func(line, column int) (int, int), source func(line int) (string, int), partial bool) []Defect {
	var defects []Defect
	for i := range l.groups {
		p := &l.groups[i]
		d, places := p.first, slices.Clone(p.locations)
		if locate != nil {
			d.Line, d.Column = locate(d.Line, d.Column)
			for at := range places {
				places[at].Line, places[at].Column = locate(places[at].Line, places[at].Column)
			}
		}
		if kind, known := defectSummaries[d.Code]; known {
			d.Count, d.AtLeast = p.count, partial
			kind.summarize(&d, places, source)
		}
		defects = append(defects, d)
	}
	return defects
}

// summarize changes d, the first of d.Count defects, so that its message is about all of
// them.
func (kind *defectSummary) summarize(d *Defect, places []Location, source func(line int) (string, int)) {
	where, noun := formatColumns(d.Count, places), "column"
	if !kind.ofColumns {
		where, noun = formatLines(d.Count, places, source), "row"
		for _, at := range places {
			d.Lines = append(d.Lines, at.Line)
		}
	}
	if d.Count == 1 {
		return
	}
	d.Message = humanize.Count(d.Count, noun) + " " + kind.predicate + ", " + where
	if d.AtLeast {
		d.Message = "at least " + d.Message
	}
	if kind.rule != "" {
		d.Message += ": " + kind.rule
	}
}

// formatLines lists the first of count lines, as in "in lines 2 and 9", "first in lines
// 2, 9, 10" or "first in a.csv:2, a.csv:9, b.csv:3".
func formatLines(count int, places []Location, source func(line int) (string, int)) string {
	var list []string
	noun := "lines "
	for _, at := range places[:min(len(places), MaxLocationsShown)] {
		file, line := SourceLine(source, at.Line)
		name := strconv.Itoa(line)
		if file != "" {
			name, noun = file+":"+name, ""
		}
		list = append(list, name)
	}
	return formatFirst(count, "in "+noun, list)
}

// formatColumns lists the first of count columns, as in "first columns 2, 9, 10".
func formatColumns(count int, places []Location) string {
	var list []string
	for _, at := range places[:min(len(places), MaxLocationsShown)] {
		list = append(list, strconv.Itoa(at.Column))
	}
	return formatFirst(count, "columns ", list)
}

func formatFirst(count int, noun string, list []string) string {
	if count > len(list) {
		return "first " + noun + strings.Join(list, ", ")
	}
	return noun + humanize.JoinAnd(list)
}

// defectSummary holds the parts of a message about several defects of one code.
type defectSummary struct {
	ofColumns bool   // set if the defects are about columns, not rows
	predicate string // follows "3 rows" in the message, as in "have no label"
	rule      string // the rule that the rows or columns violate; empty if it is obvious
}

// defectSummaries holds the summary of each code whose defects are counted.
var defectSummaries = map[string]defectSummary{
	CodeUnnamedColumn:   {ofColumns: true, predicate: "have no name"},
	CodeDuplicateColumn: {ofColumns: true, predicate: "have the name of an earlier column"},
	CodeLongName:        {ofColumns: true, predicate: "have a name of more than " + humanize.Comma(MaxNameLength) + " characters", rule: "shorten the names"},
	CodeRaggedRow:       {predicate: "do not have as many fields as the header"},
	CodeTooManyColumns:  {predicate: "have more than " + humanize.Comma(MaxFields) + " fields"},
	CodeDuplicateID:     {predicate: "repeat the ID of an earlier row", rule: "IDs must be unique"},
	CodeEmptyID:         {predicate: "have no ID"},
	CodeEmptyLabel:      {predicate: "have no label"},
	CodeEmptyLine:       {predicate: "are empty lines", rule: "it is not clear whether they are rows without a value"},
	CodeBinary:          {predicate: "have a NUL byte", rule: "a text file must not have NUL bytes"},
	CodeInvalidUTF8:     {predicate: "have bytes that are not valid UTF-8", rule: "set the file's encoding, or save the file as UTF-8"},
	CodeStrayQuote:      {predicate: "have a quote inside a field", rule: "put such a field in quotes, and double each quote in it"},
}

// SourceLine returns source(line): the file that contains this line of the table, and the line in
// that file. If source is nil, because the table is in a single file, it returns "" and line.
func SourceLine(source func(line int) (string, int), line int) (file string, fileLine int) {
	if source == nil {
		return "", line
	}
	return source(line)
}
