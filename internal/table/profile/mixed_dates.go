package profile

import (
	"unicode/utf8"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// Limits for the warning about a column whose dates have several formats.
const (
	minDateShare       = 0.2 // with a smaller fraction of dates, the column is taken for texts
	minDatesPerPattern = 0.9 // smallest fraction of dates among the cells with a pattern of dates
)

// cellPattern counts the cells of a column that have the same pattern, see patternOf.
type cellPattern struct {
	dateCount
	dates int // rows whose cell is a date or a time of day
}

func (p *cellPattern) isDate() bool { return float64(p.dates) >= minDatesPerPattern*float64(p.rows) }

// warnMixedDates warns about a column that has dates but is read as texts, because the formats of
// its cells differ too much.
func (s *scanner) warnMixedDates(i int, inf *inference) {
	if s.label < 0 || inf.form != FormCategory && inf.form != FormText {
		return
	}
	texts := s.columns[i].texts.allOrFirstTexts()
	date, other := findMixedDates(texts)
	if date == nil {
		return
	}
	const effect = "so the column is read as text"
	if order := countDates(texts); order.dayFirst.rows > 0 && order.monthFirst.rows > 0 {
		day, month := &order.dayFirst.first, &order.monthFirst.first
		s.warnAt(day.firstLine(), csvfile.CodeMixedDates, i, "%s (%s) has the day first, but %s (%s) has the month first, %s",
			csvfile.Excerpt(day.text), s.formatLine(day.firstLine()), csvfile.Excerpt(month.text), s.formatLine(month.firstLine()), effect)
		return
	}
	if other == nil {
		return
	}
	s.warnAt(other.firstLine(), csvfile.CodeMixedDates, i, "the column has dates or times such as %s (%s), but other cells have another format, most often that of %s (%s), %s",
		csvfile.Excerpt(date.text), s.formatLine(date.firstLine()), csvfile.Excerpt(other.text), s.formatLine(other.firstLine()), effect)
}

// findMixedDates returns the first cell of the most frequent pattern of dates, and the first cell
// of the most frequent other pattern. It returns nil for date if few of the texts are dates, and
// nil for other if there is only one pattern.
func findMixedDates(texts []distinctValue) (date, other *distinctValue) {
	rows, dates := 0, 0
	patterns := map[string]*cellPattern{}
	for i := range texts {
		one := &texts[i]
		if one.kind != cells.Text && one.kind != cells.Number {
			continue
		}
		pattern := patternOf(one.text)
		if patterns[pattern] == nil {
			patterns[pattern] = &cellPattern{}
		}
		patterns[pattern].add(one)
		if one.kind == cells.Text && isDateTime(one.text) {
			patterns[pattern].dates += one.rows
		}
		rows += one.rows
	}
	var mostDates, mostOther *cellPattern
	for _, p := range patterns {
		if p.isDate() {
			dates += p.rows
			if p.isMoreFrequent(mostDates) {
				mostDates = p
			}
		}
	}
	if mostDates == nil || float64(dates) < minDateShare*float64(rows) {
		return nil, nil
	}
	for _, p := range patterns {
		if p != mostDates && p.isMoreFrequent(mostOther) {
			mostOther = p
		}
	}
	if mostOther == nil {
		return &mostDates.first, nil
	}
	return &mostDates.first, &mostOther.first
}

// isMoreFrequent reports whether p has more rows than other, or is earlier in the file if both have
// equally many. Any pattern is more frequent than nil.
func (p *cellPattern) isMoreFrequent(other *cellPattern) bool {
	return other == nil || p.rows > other.rows || p.rows == other.rows && p.first.first < other.first.first
}

func isDateTime(text string) bool {
	for _, dayFirst := range []bool{false, true} {
		if _, ok := cells.ParseDateTime([]byte(text), dayFirst); ok {
			return true
		}
	}
	return false
}

// patternOf replaces each run of letters in a cell by an a, each run of one or two digits by a 1,
// and each longer run of digits by a 4. For example, it returns 4-1-1 for 2024-01-31.
func patternOf(cell string) string {
	pattern := make([]byte, 0, len(cell))
	for i := 0; i < len(cell); {
		begin, char := i, cell[i]
		switch {
		case char-'0' <= 9:
			for i < len(cell) && cell[i]-'0' <= 9 {
				i++
			}
			char = '1'
			if i-begin > 2 {
				char = '4'
			}
		case isPatternLetter(char):
			for i < len(cell) && isPatternLetter(cell[i]) {
				i++
			}
			char = 'a'
		default:
			i++
		}
		pattern = append(pattern, char)
	}
	return string(pattern)
}

// isPatternLetter reports whether a byte is a letter of ASCII or a part of another character.
func isPatternLetter(char byte) bool { return char|0x20-'a' < 26 || char >= utf8.RuneSelf }
