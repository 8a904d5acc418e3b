package frame

import (
	"math"

	"foretell/internal/table/cells"
)

// extractor extracts the features of a cell, one row after the other.
type extractor interface {
	// extract appends one row to each of its columns, for any cell.
	extract(columns []Column, cell []byte)
}

// amountExtractor extracts numbers with units, currencies or separators.
type amountExtractor struct {
	format cells.NumberFormat
	column int
}

func (f *amountExtractor) extract(columns []Column, cell []byte) {
	value, ok := f.format.Parse(cell)
	if !ok || math.IsInf(value, 0) {
		value = cells.NaN
	}
	c := &columns[f.column]
	c.Floats = append(c.Floats, value)
}

// dateExtractor extracts the features of a date.
type dateExtractor struct {
	dayFirst bool
	columns  []int
	features []FeatureKind
}

func (f *dateExtractor) extract(columns []Column, cell []byte) {
	m, ok := cells.ParseDateTime(cell, f.dayFirst)
	days := m.Days()
	for i, p := range f.features {
		value := cells.NaN
		if ok && (m.HasDate || p == FeatureHour) {
			value = DateFeature(days, p)
		}
		c := &columns[f.columns[i]]
		c.Floats = append(c.Floats, value)
	}
}

// DateFeature returns a feature of a time in days since the beginning of 1970.
func DateFeature(days float64, p FeatureKind) float64 {
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
	_, month, day := cells.CivilFromDays(int(whole))
	if p == FeatureMonth {
		return float64(month)
	}
	return float64(day)
}

// textExtractor extracts words. An empty cell has no words, and its length is missing.
type textExtractor struct {
	tokenizer     cells.Tokenizer
	wordColumns   []int          // those of words
	words         map[string]int // column by word
	lengthColumns []int          // those of its length
	countColumns  []int          // those of the number of words
}

func (f *textExtractor) extract(columns []Column, cell []byte) {
	for _, at := range f.wordColumns {
		columns[at].Floats = append(columns[at].Floats, 0)
	}
	length, count := cells.NaN, cells.NaN
	if cell = cells.Trim(cell); len(cell) > 0 {
		length, count = float64(len(cell)), 0
		f.tokenizer.Tokenize(cell, func(word []byte) {
			count++
			if at, known := f.words[string(word)]; known {
				floats := columns[at].Floats
				floats[len(floats)-1] = 1
			}
		})
	}
	for _, at := range f.lengthColumns {
		columns[at].Floats = append(columns[at].Floats, length)
	}
	for _, at := range f.countColumns {
		columns[at].Floats = append(columns[at].Floats, count)
	}
}

// newExtractor returns the extractor of the given columns of a schema, which have the same
// source.
func newExtractor(schema *Schema, columns []int) extractor {
	c := &schema.Columns[columns[0]]
	switch c.Feature {
	case FeatureAmount:
		return &amountExtractor{format: cells.NumberFormat{Unit: c.Unit, DecimalComma: c.DecimalComma}, column: columns[0]}
	case FeatureLength, FeatureWords, FeatureWord:
		return newTextExtractor(schema, columns)
	}
	f := &dateExtractor{dayFirst: c.DayFirst, columns: columns}
	for _, at := range columns {
		f.features = append(f.features, schema.Columns[at].Feature)
	}
	return f
}

func newTextExtractor(schema *Schema, columns []int) *textExtractor {
	f := &textExtractor{words: make(map[string]int)}
	for _, at := range columns {
		switch c := &schema.Columns[at]; c.Feature {
		case FeatureLength:
			f.lengthColumns = append(f.lengthColumns, at)
		case FeatureWords:
			f.countColumns = append(f.countColumns, at)
		default:
			f.wordColumns = append(f.wordColumns, at)
			f.words[c.Word] = at
		}
	}
	return f
}
