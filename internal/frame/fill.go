package frame

import "math"

// filler puts the parts of a file's cell into the columns made of it, one row
// after the other.
type filler interface {
	// fill appends one row to each of its columns. The cell may be anything.
	fill(columns []Column, cell []byte)
}

// amountFiller fills numbers that are written with more than digits.
type amountFiller struct {
	form   amountForm
	column int
}

func (f *amountFiller) fill(columns []Column, cell []byte) {
	value, ok := f.form.parse(cell)
	if !ok || math.IsInf(value, 0) {
		value = NaN
	}
	c := &columns[f.column]
	c.Floats = append(c.Floats, value)
}

// dateFiller fills the parts of a date.
type dateFiller struct {
	dayFirst bool
	columns  []int
	parts    []FeatureKind
}

func (f *dateFiller) fill(columns []Column, cell []byte) {
	m, ok := parseMoment(cell, f.dayFirst)
	days := m.days()
	for i, p := range f.parts {
		value := NaN
		if ok && (m.date || p == FeatureHour) {
			value = datePart(days, p)
		}
		c := &columns[f.columns[i]]
		c.Floats = append(c.Floats, value)
	}
}

// datePart returns a part of a moment in days since the beginning of 1970.
func datePart(days float64, p FeatureKind) float64 {
	whole := math.Floor(days)
	switch p {
	case FeatureTime:
		return days
	case FeatureHour:
		const seconds = 24 * 60 * 60
		return math.Round((days-whole)*seconds) / 3600
	case FeatureWeekday: // 1 January 1970 was a Thursday
		return math.Mod(math.Mod(whole+3, 7)+7, 7)
	}
	_, month, day := calendar(int(whole))
	if p == FeatureMonth {
		return float64(month)
	}
	return float64(day)
}

// textFiller fills the words of a text. A cell without a text has no words,
// and its length is missing.
type textFiller struct {
	reader  wordReader
	columns []int          // those of words
	words   map[string]int // the column of each
	lengths []int          // those of its length
	counts  []int          // those of the number of words
}

func (f *textFiller) fill(columns []Column, cell []byte) {
	for _, at := range f.columns {
		columns[at].Floats = append(columns[at].Floats, 0)
	}
	length, count := NaN, NaN
	if cell = trim(cell); len(cell) > 0 {
		length, count = float64(len(cell)), 0
		f.reader.read(cell, func(word []byte) {
			count++
			if at, known := f.words[string(word)]; known {
				floats := columns[at].Floats
				floats[len(floats)-1] = 1
			}
		})
	}
	for _, at := range f.lengths {
		columns[at].Floats = append(columns[at].Floats, length)
	}
	for _, at := range f.counts {
		columns[at].Floats = append(columns[at].Floats, count)
	}
}

// newFiller returns what fills the columns, by their places in a schema, that
// are made of one cell of the file.
func newFiller(schema *Schema, columns []int) filler {
	c := &schema.Columns[columns[0]]
	switch c.Feature {
	case FeatureAmount:
		return &amountFiller{form: amountForm{unit: c.Unit, comma: c.DecimalComma}, column: columns[0]}
	case FeatureLength, FeatureWords, FeatureWord:
		return newTextFiller(schema, columns)
	}
	f := &dateFiller{dayFirst: c.DayFirst, columns: columns}
	for _, at := range columns {
		f.parts = append(f.parts, schema.Columns[at].Feature)
	}
	return f
}

func newTextFiller(schema *Schema, columns []int) *textFiller {
	f := &textFiller{words: make(map[string]int)}
	for _, at := range columns {
		switch c := &schema.Columns[at]; c.Feature {
		case FeatureLength:
			f.lengths = append(f.lengths, at)
		case FeatureWords:
			f.counts = append(f.counts, at)
		default:
			f.columns = append(f.columns, at)
			f.words[c.Word] = at
		}
	}
	return f
}
