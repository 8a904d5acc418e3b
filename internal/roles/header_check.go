package roles

import (
	"slices"
	"strings"
	"unicode"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// headerCheck decides whether the first record of a file is a header or data, by comparing it with
// the records below it.
type headerCheck struct {
	cells         []string         // the cells of the first record
	numbers       []float64        // the values of the cells that are numbers
	isNumber      []bool           // whether the cell is a number
	words         []int            // number of words of the cell
	equalBelow    []int            // number of equal cells below the cell
	numbersBelow  []int            // number of cells below that are numbers; 0 if the cell is not a number
	valuesBelow   []int            // number of values below the cell
	phrasesBelow  []int            // number of cells below with at least two words; 0 if the cell has one word
	sentenceBelow []int            // number of cells below with at least sentenceWords words; 0 if the cell has fewer
	othersBelow   []map[string]int // by value that differs from the cell, up to maxOthers values: number of cells below with this value
}

const (
	sentenceWords     = 4  // a cell with at least this number of words may be a sentence
	longSentenceWords = 8  // a cell with at least this number of words is seldom the name of a column
	maxOthers         = 50 // the largest number of values that are counted in othersBelow
)

func newHeaderCheck(rec *csvfile.Record) *headerCheck {
	n := len(rec.Fields)
	h := &headerCheck{
		cells: trimmedFields(rec), numbers: make([]float64, n), isNumber: make([]bool, n),
		words: make([]int, n), equalBelow: make([]int, n), numbersBelow: make([]int, n), valuesBelow: make([]int, n),
		phrasesBelow: make([]int, n), sentenceBelow: make([]int, n), othersBelow: make([]map[string]int, n),
	}
	for i, cell := range h.cells {
		h.othersBelow[i] = make(map[string]int)
		h.numbers[i], h.isNumber[i] = parseNumber(cell)
		h.words[i] = countWords(cell)
	}
	return h
}

// add counts a record, which must have as many fields as the first record, and must differ from it.
func (h *headerCheck) add(rec *csvfile.Record) {
	for i, name := range h.cells {
		cell := strings.TrimSpace(string(rec.Fields[i]))
		if cell == "" {
			continue
		}
		h.valuesBelow[i]++
		if cell == name {
			h.equalBelow[i]++
		} else if _, known := h.othersBelow[i][cell]; known || len(h.othersBelow[i]) < maxOthers {
			h.othersBelow[i][cell]++
		}
		if _, ok := parseNumber(cell); ok && h.isNumber[i] {
			h.numbersBelow[i]++
		}
		if h.words[i] < 2 {
			continue
		}
		words := countWords(cell)
		if words >= 2 {
			h.phrasesBelow[i]++
		}
		if words >= sentenceWords && h.words[i] >= sentenceWords {
			h.sentenceBelow[i]++
		}
	}
}

// equalsHeader reports whether a record repeats the first record, as in concatenated files. Case, spaces and
// invisible characters such as a byte order mark are ignored.
func (h *headerCheck) equalsHeader(rec *csvfile.Record) bool {
	for i, name := range h.cells {
		if !cells.EqualSpelling(strings.TrimSpace(string(rec.Fields[i])), name) {
			return false
		}
	}
	return true
}

// looksLikeData reports whether the first record looks like a row of data: at least 80 % of its
// cells, and at least half of its texts, resemble the cells below them. If all numbers ascend or
// descend, at least one text must resemble a cell below it. If the last cell also occurs below, it
// may be the name of a class. It is then enough that half of the other cells resemble those below.
// A text and its class look like data for another reason; see isTextAndClass.
func (h *headerCheck) looksLikeData() bool {
	alike, all, texts, textsAlike := 0, 0, 0, 0
	for i, cell := range h.cells {
		if cell == "" || cell == "?" {
			continue
		}
		all++
		switch {
		case !h.isNumber[i]:
			texts++
			if h.equalBelow[i] > 0 {
				textsAlike++
				alike++
			}
		case 2*h.numbersBelow[i] > h.valuesBelow[i]:
			alike++
		}
	}
	switch last := len(h.cells) - 1; {
	case all < 2 || h.areColumnNumbers():
		return false
	case h.isTextAndClass():
		return true
	case h.equalBelow[last] > 0:
		return 2*(alike-1) >= all-1
	}
	return 5*alike >= 4*all && 2*textsAlike >= texts && (textsAlike > 0 || !h.isMonotonic())
}

// isTextAndClass reports whether the first record has a text and its class, as a row of data has.
// Four conditions must hold:
//
//   - A cell is a sentence, and so are the cells below it. This alone is not enough: in the header of a
//     survey, it may be a question.
//   - Another cell is a frequent value of its column, such as the class of the sentence. It may still be
//     a name, such as spam above spam and ham, so usual names of labels do not count. If the column has
//     only one other frequent value, the sentence must be too long for a name.
//   - Every cell resembles those below it.
//   - The record has at most one number, or its numbers are not sorted. Sorted numbers such as 1 to 5 may
//     be column names: the possible answers to a question of a survey.
func (h *headerCheck) isTextAndClass() bool {
	classes, binaryClasses, sentences, longSentences, numbers := 0, 0, 0, 0, 0
	for i, cell := range h.cells {
		values := h.valuesBelow[i]
		if h.isNumber[i] {
			numbers++
		}
		switch {
		case cell == "" || cell == "?":
		case h.isFrequentBelow(i, h.equalBelow[i]):
			switch others := h.frequentOthers(i); {
			case isLabelName(cell) || len(h.othersBelow[i]) == 0: // the answer to an option of a survey is often its name
			case h.isNumber[i] || others > 1:
				classes++
			case others == 1:
				binaryClasses++
			}
		case h.isNumber[i] && 2*h.numbersBelow[i] > values:
		case 2*h.sentenceBelow[i] > values && !asksForText(cell):
			sentences++
			if h.words[i] >= longSentenceWords || strings.Contains(cell, "://") {
				longSentences++
			}
		case 2*h.phrasesBelow[i] > values:
		default:
			return false
		}
	}
	isScale := numbers > 1 && h.isMonotonic()
	return (classes > 0 && sentences > 0 || binaryClasses > 0 && longSentences > 0) && !isScale
}

// isFrequentBelow reports whether a value below cell i is frequent. count is the number of cells
// below with this value. It must be at least three, and at least 2 % of the cells below that are
// not blank.
func (h *headerCheck) isFrequentBelow(i, count int) bool {
	return count >= 3 && 50*count >= h.valuesBelow[i]
}

// frequentOthers returns the number of frequent values below a cell that differ from it.
func (h *headerCheck) frequentOthers(i int) (count int) {
	for _, values := range h.othersBelow[i] {
		if h.isFrequentBelow(i, values) {
			count++
		}
	}
	return count
}

// asksForText reports whether a cell of several words is probably the name of a column of texts. Such a
// cell is a question or a request of a survey, such as "Please describe the problem".
func asksForText(cell string) bool {
	folded := strings.ToLower(cell)
	return strings.HasSuffix(folded, "?") || slices.ContainsFunc([]string{"please ", "text of ", "describe ", "specify "}, func(prefix string) bool {
		return strings.HasPrefix(folded, prefix)
	})
}

// countWords returns the number of words of a text. Two characters of a script without spaces between
// words count as a word.
func countWords(text string) int {
	unspaced := 0
	for _, char := range text {
		if unicode.In(char, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			unspaced++
		}
	}
	return len(strings.Fields(text)) + unspaced/2
}

// areColumnNumbers reports whether the cells are consecutive numbers. Such a record may be a header
// with the numbers of the columns.
func (h *headerCheck) areColumnNumbers() bool {
	for i := range h.cells {
		if !h.isNumber[i] || h.numbers[i] != h.numbers[0]+float64(i) {
			return false
		}
	}
	return true
}

// isMonotonic reports whether the numbers ascend or descend. Such a record may be a header with
// years.
func (h *headerCheck) isMonotonic() bool {
	var list []float64
	for i, number := range h.numbers {
		if h.isNumber[i] {
			list = append(list, number)
		}
	}
	rises := slices.IsSorted(list)
	slices.Reverse(list)
	return rises || slices.IsSorted(list)
}

func parseNumber(cell string) (value float64, ok bool) { return cells.ParseNumber([]byte(cell)) }
