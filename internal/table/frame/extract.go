package frame

import (
	"math"

	"foretell/internal/table/cells"
)

// extractor extracts one or several features from each cell of a field.
type extractor interface {
	// extract appends a value to each of the columns that the extractor computes.
	extract(columns []Column, cell []byte)
}

// amountExtractor extracts a number with a unit, a currency or separators.
type amountExtractor struct {
	format cells.NumberFormat
	column int
}

func (e *amountExtractor) extract(columns []Column, cell []byte) {
	value, ok := e.format.Parse(cell)
	if !ok || math.IsInf(value, 0) {
		value = cells.NaN
	}
	c := &columns[e.column]
	c.Floats = append(c.Floats, value)
}

type dateExtractor struct {
	format    cells.DateFormat
	columns   []int
	features  []Extraction
	needsTime []bool // by feature: ColumnSchema.NeedsTime
}

func (e *dateExtractor) extract(columns []Column, cell []byte) {
	m, ok := e.format.Parse(cell)
	days := m.EpochDays()
	for i, feature := range e.features {
		value := cells.NaN
		if ok && (m.HasDate || feature == ExtractHour) && (m.HasTime || !e.needsTime[i]) {
			value = DateFeature(days, feature)
		}
		c := &columns[e.columns[i]]
		c.Floats = append(c.Floats, value)
	}
}

// DateFeature returns the feature of a point in time that extraction selects, such as its month.
// days is the number of days since 1 January 1970, with a fraction for the time of day.
func DateFeature(days float64, extraction Extraction) float64 {
	whole := math.Floor(days)
	switch extraction {
	case ExtractTime:
		return days
	case ExtractHour:
		const seconds = 24 * 60 * 60
		return math.Round((days-whole)*seconds) / 3600
	case ExtractWeekday: // 1 January 1970 was a Thursday
		return math.Mod(math.Mod(whole+3, 7)+7, 7)
	}
	_, month, day := cells.CivilFromDays(int(whole))
	if extraction == ExtractMonth {
		return float64(month)
	}
	return float64(day)
}

// textExtractor extracts features of words. An empty cell contains no words, and the values of its
// features length and words are missing.
type textExtractor struct {
	tokenizer     cells.Tokenizer
	wordColumns   []int          // the columns of words, which are 1 if the text has the word
	words         map[string]int // by word: its column
	lengthColumns []int          // the columns for the length of the text
	countColumns  []int          // the columns for the number of words
}

func (e *textExtractor) extract(columns []Column, cell []byte) {
	for _, at := range e.wordColumns {
		columns[at].Floats = append(columns[at].Floats, 0)
	}
	length, count := cells.NaN, cells.NaN
	if cell = cells.Trim(cell); len(cell) > 0 {
		length, count = float64(len(cell)), 0
		e.tokenizer.Tokenize(cell, func(word []byte) {
			count++
			if at, known := e.words[string(word)]; known {
				floats := columns[at].Floats
				floats[len(floats)-1] = 1
			}
		})
	}
	for _, at := range e.lengthColumns {
		columns[at].Floats = append(columns[at].Floats, length)
	}
	for _, at := range e.countColumns {
		columns[at].Floats = append(columns[at].Floats, count)
	}
}

// newExtractor returns the extractor for the given columns of a schema, which must have
// the same source and the same Extraction.group.
func newExtractor(schema *Schema, columns []int) extractor {
	c := &schema.Columns[columns[0]]
	switch c.Feature {
	case ExtractAmount:
		return &amountExtractor{format: cells.NumberFormat{Unit: c.Unit, DecimalComma: c.DecimalComma}, column: columns[0]}
	case ExtractLength, ExtractWords, ExtractWord:
		return newTextExtractor(schema, columns)
	case ExtractItem, ExtractItems:
		return newItemExtractor(schema, columns)
	}
	e := &dateExtractor{format: c.DateFormat(), columns: columns}
	for _, at := range columns {
		e.features = append(e.features, schema.Columns[at].Feature)
		e.needsTime = append(e.needsTime, schema.Columns[at].NeedsTime)
	}
	return e
}

func newTextExtractor(schema *Schema, columns []int) *textExtractor {
	e := &textExtractor{words: make(map[string]int)}
	for _, at := range columns {
		switch c := &schema.Columns[at]; c.Feature {
		case ExtractLength:
			e.lengthColumns = append(e.lengthColumns, at)
		case ExtractWords:
			e.countColumns = append(e.countColumns, at)
		default:
			e.wordColumns = append(e.wordColumns, at)
			e.words[c.Word] = at
		}
	}
	return e
}
