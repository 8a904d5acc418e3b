package frame

import (
	"slices"
	"strconv"
	"strings"
)

// defectLog counts the defects of a file by kind, in memory that does not grow
// with their number: of each kind it keeps the first defect and the first places.
// The zero value is empty.
type defectLog struct{ groups []defectGroup }

// defectGroup is the defects of one code.
type defectGroup struct {
	first  Defect
	count  int
	places []defectPlace // of the first of them, at most mostPlaces
}

type defectPlace struct{ line, column int }

const (
	mostPlaces  = 20 // kept
	namedPlaces = 3  // in a message
)

// add counts defects.
func (l *defectLog) add(defects ...Defect) {
	for _, d := range defects {
		l.addMany(d, 1, nil)
	}
}

// addMany counts defects of one code, d being the first. places are those of
// the ones behind it, at most mostPlaces.
func (l *defectLog) addMany(d Defect, count int, places []defectPlace) {
	g := l.find(d.Code)
	if g == nil {
		l.groups = append(l.groups, defectGroup{first: d})
		g = &l.groups[len(l.groups)-1]
	}
	g.count += count
	g.places = append(append(g.places, defectPlace{d.Line, d.Column}), places...)
	g.places = g.places[:min(len(g.places), mostPlaces)]
}

// find returns the defects of a code, nil if there is none.
func (l *defectLog) find(code string) *defectGroup {
	at := slices.IndexFunc(l.groups, func(g defectGroup) bool { return g.first.Code == code })
	if at < 0 {
		return nil
	}
	return &l.groups[at]
}

// drop forgets the defects of some codes.
func (l *defectLog) drop(codes ...string) {
	l.groups = slices.DeleteFunc(l.groups, func(g defectGroup) bool { return slices.Contains(codes, g.first.Code) })
}

// list returns one Defect for each code. place returns where a line and a column
// stand in the file that the user knows; nil if they are those. partial tells that
// the file may have more.
func (l *defectLog) list(place func(line, column int) (int, int), partial bool) []Defect {
	var defects []Defect
	for i := range l.groups {
		g := &l.groups[i]
		d := g.first
		if place != nil {
			d.Line, d.Column = place(d.Line, d.Column)
		}
		if kind, known := defectKinds[d.Code]; known {
			g.summarise(&d, kind, place, partial)
		}
		defects = append(defects, d)
	}
	return defects
}

// summarise counts the group in d and says so if it has more than one.
func (g *defectGroup) summarise(d *Defect, kind defectKind, place func(line, column int) (int, int), partial bool) {
	d.Count, d.AtLeast = g.count, partial
	var lines, columns []int
	for _, at := range g.places {
		if place != nil {
			at.line, at.column = place(at.line, at.column)
		}
		lines, columns = append(lines, at.line), append(columns, at.column)
	}
	if !kind.columns {
		d.Lines = lines
	}
	if g.count == 1 {
		return
	}
	var text strings.Builder
	if partial {
		text.WriteString("at least ")
	}
	if kind.columns {
		text.WriteString(plural(g.count, "column") + " " + kind.have + ", " + firstOf(g.count, "column", columns))
	} else {
		text.WriteString(plural(g.count, "row") + " " + kind.have + ", " + firstOf(g.count, "line", lines))
	}
	if kind.rule != "" {
		text.WriteString(": " + kind.rule)
	}
	d.Message = text.String()
}

// firstOf names the first of count places: "in lines 2 and 9", "first in lines
// 2, 9, 10".
func firstOf(count int, noun string, at []int) string {
	text := noun + "s "
	if noun == "line" {
		text = "in " + text
	}
	if count > namedPlaces {
		text = "first " + text
	}
	for i, one := range at[:min(len(at), namedPlaces)] {
		switch {
		case i > 0 && i+1 == count:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += strconv.Itoa(one)
	}
	return text
}

// defectKind is what a message says of several defects of one code.
type defectKind struct {
	columns bool   // it is columns that have it, not rows
	have    string // what is wrong with them
	rule    string // how it should be; empty if that is plain
}

// defectKinds are the codes that more than one row or column may have.
var defectKinds = map[string]defectKind{
	CodeUnnamedColumn:   {columns: true, have: "have no name"},
	CodeDuplicateColumn: {columns: true, have: "have the name of an earlier column"},
	CodeRaggedRow:       {have: "do not have as many fields as the header"},
	CodeTooManyColumns:  {have: "have more than " + grouped(MaxFields) + " fields"},
	CodeDuplicateID:     {have: "repeat the ID of an earlier row", rule: "IDs must be unique"},
	CodeEmptyID:         {have: "have no ID"},
	CodeEmptyLabel:      {have: "have no label"},
	CodeBinary:          {have: "have a NUL byte", rule: "this is not text"},
	CodeInvalidUTF8:     {have: "have bytes that are not valid UTF-8", rule: "name the file's encoding or save it as UTF-8"},
	CodeStrayQuote:      {have: "have a quote inside a field", rule: "a field with quotes must be in quotes itself, and each quote in it doubled"},
}
