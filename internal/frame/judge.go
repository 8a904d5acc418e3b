package frame

import (
	"slices"
	"strings"
)

// Form is what the cells of a file's column are, as people would say. The
// engine learns from features made of them, which are of a Kind.
type Form string

// The forms of columns.
const (
	FormNumeric  Form = "numeric"  // numbers, perhaps with a unit, perhaps with a few texts among them
	FormBoolean  Form = "boolean"  // yes and no, or other words for them
	FormCategory Form = "category" // texts from a set
	FormDate     Form = "date"     // dates, perhaps with a time of day
	FormTime     Form = "time"     // times of day
	FormText     Form = "text"     // texts of words
)

// judged is what the tally of a column was found to be.
type judged struct {
	form Form
	// amount is set for numbers that are written with more than digits.
	amount *amountForm
	// strays are the texts among numbers that get levels of their own.
	strays []level
	// code tells that numbers are names: of digits alone, padded with zeros.
	code bool
	// dayFirst is how dates with a choice are read.
	dayFirst bool
	// values are the numbers that the texts of a form of numbers stand for:
	// days for dates. They are nil if every number is one already.
	values []level
	// sampled tells that not all texts are known, nor all values.
	sampled bool
	// words are those of a text, the most telling first.
	words []string
	// names tells that texts name rows. They are of no use as levels.
	names bool
	// shared tells that enough rows share their texts for levels to be of use.
	shared bool
}

// The rules by which a column is judged.
const (
	enoughText    = 50   // rows below which no text is taken apart
	textShare     = 0.2  // share of different texts from which they are taken apart
	strayShare    = 20   // one text among so many different numbers or dates
	hopeless      = 100  // texts that are no dates, after which none is looked for
	mostStrays    = 1000 // texts among numbers
	enoughAmounts = 20   // different numbers or dates that outweigh a few texts
	nameShare     = 0.95 // share of different texts that makes them names
	wordShare     = 0.2  // words a text shares with others, on average
	sharedRows    = 0.3  // share of rows whose text is another's too
)

// judge decides what a column is.
func (t *tally) judge() judged {
	texts := t.texts.sample()
	if t.cells[text] == 0 {
		if t.cells[number] == 0 && t.cells[marker] > 0 {
			return judged{form: FormCategory}
		}
		if j, ok := t.dates(texts); ok {
			return j
		}
		return judged{form: FormNumeric, code: padded(texts)}
	}
	if j, ok := t.dates(texts); ok {
		return j
	}
	if j, ok := t.amounts(texts); ok {
		return j
	}
	if t.kind() == Numeric {
		return judged{form: FormNumeric, code: padded(texts)}
	}
	if isBoolean(texts) {
		return judged{form: FormBoolean}
	}
	return t.wordy(texts)
}

// dates judges whether texts are dates or times, and which way they are read:
// with the month first if that suits as many as the other way.
func (t *tally) dates(texts []level) (judged, bool) {
	best, most, times := judged{form: FormDate}, 0, 0
	for _, dayFirst := range []bool{false, true} {
		values, read, clocks := t.moments(texts, dayFirst)
		if read > most {
			best.dayFirst, best.values, most, times = dayFirst, values, read, clocks
		}
	}
	others := 0
	for i := range texts {
		if kind := texts[i].kind; kind == text || kind == number {
			others++
		}
	}
	others -= most
	numbers := t.cells[text] == 0 // which are hardly ever dates
	if most < 1 || others*strayShare > most || ((others > 0 || numbers) && most < enoughAmounts) || (others > 0 && numbers) {
		return judged{}, false
	}
	if times == most {
		best.form = FormTime
	}
	best.sampled = t.texts.early != nil
	return best, true
}

// moments reads texts as dates and returns them as levels of numbers, how many
// could be read, and how many of these are times of day.
func (t *tally) moments(texts []level, dayFirst bool) (values []level, read, clocks int) {
	for i := range texts {
		m, ok := parseMoment([]byte(texts[i].text), dayFirst)
		if texts[i].kind == number {
			// Compact dates of our own times, or else numbers.
			ok = ok && m.day >= dayNumber(1900, 1, 1) && m.day < dayNumber(2100, 1, 1)
		}
		if !ok {
			if read == 0 && i >= hopeless {
				return nil, 0, 0
			}
			continue
		}
		read++
		value := m.days()
		if !m.date {
			clocks++
			value = m.hour
		}
		values = append(values, level{kind: number, value: value, rows: texts[i].rows})
	}
	if clocks > 0 && clocks < read {
		return nil, 0, 0 // some dates, some times
	}
	return values, read, clocks
}

// amounts judges whether texts are numbers all the same: written with a
// currency, a unit or commas, or words among many different numbers.
func (t *tally) amounts(texts []level) (judged, bool) {
	best, fewest, different := judged{form: FormNumeric}, len(texts)+1, 0
	for _, comma := range []bool{false, true} {
		j := judged{form: FormNumeric, amount: &amountForm{unit: commonUnit(texts, comma), comma: comma}}
		known, others, decorated := 0, 0, 0
		for i := range texts {
			if texts[i].kind == blank || texts[i].kind == marker {
				continue
			}
			if value, ok := j.amount.parse([]byte(texts[i].text)); ok {
				known++
				if texts[i].kind == text {
					decorated++
				}
				j.values = append(j.values, level{kind: number, value: value, rows: texts[i].rows})
			} else {
				others++
			}
		}
		if decorated == 0 {
			j.amount, j.values = nil, nil
		}
		if known > 0 && others < fewest {
			best, fewest, different = j, others, known
		}
	}
	if different == 0 {
		return judged{}, false
	}
	return t.weighAmounts(best, texts, different, fewest)
}

// weighAmounts decides whether so many different numbers and so many other
// texts are a column of numbers.
func (t *tally) weighAmounts(j judged, texts []level, different, others int) (judged, bool) {
	if t.numbers != nil && t.cells[text] <= t.cells[number] {
		different = max(different, t.numbers.values.count())
	}
	plain := t.kind() == Numeric
	enough := others == 0 || different >= enoughAmounts && others*strayShare <= different
	if !plain && !enough {
		return judged{}, false
	}
	rows := 0
	for _, one := range t.texts.list {
		if !j.strange(&one) {
			continue
		}
		rows += one.rows
		j.strays = append(j.strays, one)
	}
	if 2*rows > t.cells[text]+t.cells[number] {
		return judged{}, false
	}
	j.sampled = t.texts.early != nil
	if rows*junkShare <= t.cells[text]+t.cells[number] || len(j.strays) > mostStrays {
		j.strays = nil // too rare to learn from
	}
	j.code = padded(texts)
	return j, true
}

// strange reports whether a text among numbers is none, in whatever way these are
// written.
func (j *judged) strange(one *level) bool {
	if one.kind != text || j.amount == nil {
		return one.kind == text
	}
	_, ok := j.amount.parse([]byte(one.text))
	return !ok
}

// commonUnit returns the unit that most texts have.
func commonUnit(texts []level, comma bool) string {
	counts := map[string]int{}
	best := ""
	for i := range texts {
		if texts[i].kind != text {
			continue
		}
		_, unit, ok := parseAmount([]byte(texts[i].text), comma)
		if !ok || unit == "" {
			continue
		}
		counts[unit]++
		if n := counts[unit] - counts[best]; best == "" || n > 0 || n == 0 && unit < best {
			best = unit
		}
	}
	return best
}

// padded reports whether numbers are codes: digits alone, some with zeros in
// front, as in 02134.
func padded(texts []level) bool {
	zeros := false
	for i := range texts {
		if texts[i].kind != number {
			continue
		}
		for _, char := range []byte(texts[i].text) {
			if char-'0' > 9 {
				return false
			}
		}
		zeros = zeros || len(texts[i].text) > 1 && texts[i].text[0] == '0'
	}
	return zeros
}

// isBoolean reports whether the texts are two words for yes and no.
func isBoolean(texts []level) bool {
	pairs := [][2]string{{"yes", "no"}, {"true", "false"}, {"y", "n"}, {"t", "f"}, {"on", "off"}}
	return slices.ContainsFunc(pairs, func(pair [2]string) bool {
		seen := [2]bool{}
		for i := range texts {
			word := fold(texts[i].text)
			at := slices.Index(pair[:], word)
			if at < 0 {
				return false
			}
			seen[at] = true
		}
		return seen[0] && seen[1]
	})
}

// wordy judges texts: whether they name rows, and which words they share.
func (t *tally) wordy(texts []level) judged {
	j := judged{form: FormCategory}
	filled := t.cells[text] + t.cells[number] + t.cells[marker]
	different, _ := t.distinctTexts()
	if filled < enoughText || float64(different) < textShare*float64(filled) {
		return j
	}
	j.names = float64(different) >= nameShare*float64(filled)
	words, held := chooseWords(texts)
	if float64(held) < wordShare*float64(len(texts)) {
		return j
	}
	j.form, j.words = FormText, words
	shared := 0
	for i := range t.texts.list {
		if rows := t.texts.list[i].rows; rows > 1 {
			shared += rows
		}
	}
	j.shared = float64(shared) >= sharedRows*float64(filled)
	return j
}

// fold is what a text reads like when case and spaces around it do not count.
func fold(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// profile describes a column but for its name and place.
func (t *tally) profile(j *judged) ColumnProfile {
	c := ColumnProfile{
		Form: j.form, Words: len(j.words),
		texts: t.texts.list, empty: t.cells[blank], dayFirst: j.dayFirst, amount: j.amount,
	}
	switch {
	case j.form == FormCategory, j.form == FormBoolean, j.form == FormText:
		c.Missing = t.cells[blank]
		c.Distinct, c.Estimate = t.distinctTexts()
		c.Top = t.texts.top(topLevels)
	case j.values != nil:
		c.Missing = t.cells[blank] + t.cells[marker]
		if j.sampled {
			c.Distinct, _ = t.distinctTexts()
			c.Estimate = true
			break
		}
		m := newMeasure(j.values, t.limits.set)
		c.Distinct, c.Estimate, c.Numbers, c.fractions = m.values.count(), !m.values.exact(), m.numbers(), m.fractions
		c.Missing = t.cells[blank] + t.cells[marker] + t.cells[text] + t.cells[number] - m.rows
	default:
		numbers := t.measured()
		c.Missing = t.cells[blank] + t.cells[marker] + t.cells[text]
		c.Distinct, c.Estimate = numbers.values.count(), !numbers.values.exact()
		c.Numbers, c.fractions = numbers.numbers(), numbers.fractions
	}
	rows := t.cells[blank] + t.cells[number] + t.cells[marker] + t.cells[text]
	c.Distinct = min(c.Distinct, rows-c.Missing) // an estimate may be above
	if c.Estimate {
		c.Distinct = max(c.Distinct, min(1, rows-c.Missing)) // or none
	}
	return c
}
