package frame

import (
	"slices"
	"strconv"
	"strings"

	"foretell/internal/humanize"
)

// defectLog counts the defects of a file by code, in memory independent of their number:
// it keeps the first defect and the first locations of each code. The zero value is empty.
type defectLog struct{ groups []defectGroup }

// defectGroup is the defects of one code.
type defectGroup struct {
	first     Defect
	count     int
	locations []location // of the first, at most maxLocations
}

type location struct{ line, column int }

const (
	maxLocations = 20 // kept
	maxNamed     = 3  // in a message
)

// add counts defects.
func (l *defectLog) add(defects ...Defect) {
	for _, d := range defects {
		l.addMany(d, 1, nil)
	}
}

// addMany counts defects of one code, the first of which is d. places are the locations of
// the next, at most maxLocations.
func (l *defectLog) addMany(d Defect, count int, places []location) {
	g := l.find(d.Code)
	if g == nil {
		l.groups = append(l.groups, defectGroup{first: d})
		g = &l.groups[len(l.groups)-1]
	}
	g.count += count
	g.locations = append(append(g.locations, location{d.Line, d.Column}), places...)
	g.locations = g.locations[:min(len(g.locations), maxLocations)]
}

// find returns the defects of a code, nil if there are none.
func (l *defectLog) find(code string) *defectGroup {
	at := slices.IndexFunc(l.groups, func(g defectGroup) bool { return g.first.Code == code })
	if at < 0 {
		return nil
	}
	return &l.groups[at]
}

// drop removes the defects of some codes.
func (l *defectLog) drop(codes ...string) {
	l.groups = slices.DeleteFunc(l.groups, func(g defectGroup) bool { return slices.Contains(codes, g.first.Code) })
}

// defects returns one Defect for each code. place maps a line and a column to those of the
// user's file, nil if they are the same; source is ScanOptions.SourceLine. partial is set
// if the file may have more.
func (l *defectLog) defects(place func(line, column int) (int, int), source func(line int) (string, int), partial bool) []Defect {
	var defects []Defect
	for i := range l.groups {
		g := &l.groups[i]
		d, places := g.first, slices.Clone(g.locations)
		if place != nil {
			d.Line, d.Column = place(d.Line, d.Column)
			for at := range places {
				places[at].line, places[at].column = place(places[at].line, places[at].column)
			}
		}
		if kind, known := defectSummaries[d.Code]; known {
			d.Count, d.AtLeast = g.count, partial
			kind.apply(&d, places, source)
		}
		defects = append(defects, d)
	}
	return defects
}

// apply describes all d.Count defects in d, the first of them.
func (kind *defectSummary) apply(d *Defect, places []location, source func(line int) (string, int)) {
	where, noun := firstColumns(d.Count, places), "column"
	if !kind.ofColumns {
		where, noun = firstLines(d.Count, places, source), "row"
		for _, at := range places {
			d.Lines = append(d.Lines, at.line)
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

// firstLines names the first of count lines: "in lines 2 and 9", "first in lines
// 2, 9, 10", or "first in a.csv:2, a.csv:9, b.csv:3".
func firstLines(count int, places []location, source func(line int) (string, int)) string {
	var list []string
	noun := "lines "
	for _, at := range places[:min(len(places), maxNamed)] {
		file, line := sourceLine(source, at.line)
		name := strconv.Itoa(line)
		if file != "" {
			name, noun = file+":"+name, ""
		}
		list = append(list, name)
	}
	return firstOf(count, "in "+noun, list)
}

// firstColumns names the first of count columns: "first columns 2, 9, 10".
func firstColumns(count int, places []location) string {
	var list []string
	for _, at := range places[:min(len(places), maxNamed)] {
		list = append(list, strconv.Itoa(at.column))
	}
	return firstOf(count, "columns ", list)
}

func firstOf(count int, noun string, list []string) string {
	if count > len(list) {
		return "first " + noun + strings.Join(list, ", ")
	}
	last := len(list) - 1
	if last < 1 {
		return noun + strings.Join(list, "")
	}
	return noun + strings.Join(list[:last], ", ") + " and " + list[last]
}

// defectSummary is the message for several defects of one code.
type defectSummary struct {
	ofColumns bool   // of columns, not of rows
	predicate string // what is wrong with them
	rule      string // the rule; empty if it is obvious
}

// defectSummaries are the codes of defects that are counted.
var defectSummaries = map[string]defectSummary{
	CodeUnnamedColumn:   {ofColumns: true, predicate: "have no name"},
	CodeDuplicateColumn: {ofColumns: true, predicate: "have the name of an earlier column"},
	CodeRaggedRow:       {predicate: "do not have as many fields as the header"},
	CodeTooManyColumns:  {predicate: "have more than " + humanize.Comma(MaxFields) + " fields"},
	CodeDuplicateID:     {predicate: "repeat the ID of an earlier row", rule: "IDs must be unique"},
	CodeEmptyID:         {predicate: "have no ID"},
	CodeEmptyLabel:      {predicate: "have no label"},
	CodeBinary:          {predicate: "have a NUL byte", rule: "this is not text"},
	CodeInvalidUTF8:     {predicate: "have bytes that are not valid UTF-8", rule: "name the file's encoding or save it as UTF-8"},
	CodeStrayQuote:      {predicate: "have a quote inside a field", rule: "a field with quotes must be in quotes itself, and each quote in it doubled"},
}

// sourceLine calls source unless it is nil.
func sourceLine(source func(line int) (string, int), line int) (file string, fileLine int) {
	if source == nil {
		return "", line
	}
	return source(line)
}
