package compare

import (
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// Limits for rejectRecoded.
const (
	maxRecodedTexts  = 20   // largest number of texts of the training column
	minRowsPerText   = 10   // smallest average number of training rows with one of these texts
	minRecodedRows   = 20   // smallest number of blind rows with a text
	maxRecodedChance = 1e-3 // smallest probability that the frequencies of the texts differ as much by chance
)

// rejectRecoded turns the finding in c.findings[from:] about new texts into a defect if another
// program probably wrote other texts for the same categories, such as m and f for male and female.
// All texts of the blind column must be new, as many as the few texts of the training column, and
// about as frequent. This alone is no proof: the rows of two new shops may be as frequent as those
// of the two shops of the training file. Therefore either the texts of only one of the files must
// contain digits, as in 1 and 2 for male and female, or the texts must have the same initials.
func (c *comparison) rejectRecoded(train, blind *profile.ColumnProfile, from int) {
	i := from + slices.IndexFunc(c.findings[from:], func(f Finding) bool { return f.Code == csvfile.CodeUnseenCategory })
	if i < from || train.Estimate || blind.Estimate {
		return
	}
	before, now, known := listCategories(train.Values()), listCategories(blind.Values()), textSet(train)
	isKnown := func(one columnstats.Value) bool { return one.Kind != cells.Null && known[one.Text] }
	if len(before.rows) != len(now.rows) || slices.ContainsFunc(blind.Values(), isKnown) {
		return
	}
	isRewritten := before.hasPeriods != now.hasPeriods || !now.hasPeriods && haveSameInitials(before.initials, now.initials)
	if !isRewritten || !haveSameFrequencies(before.rows, now.rows) {
		return
	}
	f := &c.findings[i]
	f.Severity, f.Code = SeverityDefect, csvfile.CodeOtherSpelling
	f.Message += "; no row has a text of the training file, such as " + excerpt(before.most.Text) + ", so another program probably wrote the same categories as other texts"
}

// categories describes the texts of a column that do not mean a missing value.
type categories struct {
	rows     []int             // the rows of each text
	initials []rune            // the first letter of each text, in lower case
	most     columnstats.Value // the most frequent text
	// hasPeriods is set if a text contains a digit or is the name of a month. Such texts may be
	// numbered or periods of time, so a later file usually has others.
	hasPeriods bool
}

func listCategories(values []columnstats.Value) (list categories) {
	for i := range values {
		one := &values[i]
		if one.Kind == cells.Null || one.Kind == cells.Blank {
			continue
		}
		initial, _ := utf8.DecodeRuneInString(strings.ToLower(strings.TrimSpace(one.Text)))
		list.rows, list.initials = append(list.rows, one.Rows), append(list.initials, initial)
		list.hasPeriods = list.hasPeriods || strings.ContainsAny(one.Text, "0123456789") || isMonth(one.Text)
		if one.Rows > list.most.Rows {
			list.most = *one
		}
	}
	return list
}

// haveSameInitials reports whether the texts of two columns have the same initials, in any order.
// More than half of the initials must differ, and at least two: codes often have the same initial.
func haveSameInitials(before, now []rune) bool {
	slices.Sort(before)
	slices.Sort(now)
	distinct := len(slices.Compact(slices.Clone(now)))
	return slices.Equal(before, now) && distinct > 1 && 2*distinct > len(now)
}

// isMonth reports whether a text is the name of a month, such as Oct.
func isMonth(text string) bool {
	_, ok := cells.DateFormat{DayFirst: true}.Parse([]byte("1 " + strings.TrimSpace(text) + " 2020"))
	return ok
}

// haveSameFrequencies reports whether the rows of the texts of two columns, each column sorted, may
// have the same frequencies: the chi-squared statistic of the two columns is not too large. It
// returns false if the columns have too few rows or too many texts.
func haveSameFrequencies(before, now []int) bool {
	rows, blindRows := 0, 0
	for i := range before {
		rows, blindRows = rows+before[i], blindRows+now[i]
	}
	if n := len(before); n < 2 || n > maxRecodedTexts || rows < n*minRowsPerText || blindRows < minRecodedRows {
		return false
	}
	slices.Sort(before)
	slices.Sort(now)
	statistic, all := 0.0, float64(rows+blindRows)
	for i := range before {
		expected := float64(blindRows) * float64(before[i]+now[i]) / all
		difference := float64(now[i]) - expected
		statistic += difference * difference / expected * all / float64(rows)
	}
	// The cube root of the statistic is nearly normal (Wilson and Hilferty, 1931).
	degrees := float64(len(before) - 1)
	z := (math.Cbrt(statistic/degrees) - (1 - 2/(9*degrees))) / math.Sqrt(2/(9*degrees))
	return math.Erfc(z/math.Sqrt2)/2 > maxRecodedChance
}

// explainEncoding extends the findings in c.findings[from:] about new texts of a blind column of
// categories. Some of these texts may be texts of the training file that were saved with a wrong
// encoding, such as KÃ¶ln or K?ln for Köln. explainEncoding adds the number of their rows to the
// message. If most rows have such a text, the finding becomes a defect. known holds texts of the
// training file.
func (c *comparison) explainEncoding(known iter.Seq[string], blind *profile.ColumnProfile, from int) {
	for i := from; i < len(c.findings); i++ {
		f := &c.findings[i]
		if f.Code != csvfile.CodeUnseenCategory || blind.Estimate {
			continue
		}
		texts := map[string]string{} // the texts of the training file by what a wrong encoding may make of them
		isKnown := map[string]bool{}
		for text := range known {
			if isKnown[text] = true; len(text) > utf8.RuneCountInString(text) {
				texts[text], texts[maskLetters(text)] = text, text
			}
		}
		var damaged rowCounter
		filled := 0
		for _, one := range blind.Values() {
			if one.Kind == cells.Null {
				continue
			}
			if filled += one.Rows; !isKnown[one.Text] && restoredText(one.Text, texts) != "" {
				damaged.addRows(&one)
			}
		}
		if damaged.rows == 0 {
			continue
		}
		f.Code = csvfile.CodeOtherSpelling
		f.Message += "; " + humanize.Count(damaged.rows, "row") + " " + humanize.HasOrHave(damaged.rows) + " a text that was probably saved with another encoding, such as " +
			excerpt(damaged.most.Text) + " instead of " + excerpt(restoredText(damaged.most.Text, texts))
		if isDefect(damaged.rows, filled) {
			f.Severity = SeverityDefect
		}
	}
}

// restoredText returns the element of texts that a wrong encoding may have changed to text, or "".
// The keys of texts are described in explainEncoding.
func restoredText(text string, texts map[string]string) string {
	if encoded, err := charmap.Windows1252.NewEncoder().String(text); err == nil && utf8.ValidString(encoded) && texts[encoded] != "" {
		return texts[encoded]
	}
	if !strings.ContainsAny(text, "?\uFFFD") {
		return ""
	}
	known := texts[maskLetters(text)]
	letters := []rune(known)
	for i, char := range []rune(text) {
		if i >= len(letters) || char != letters[i] && char != '?' && char != utf8.RuneError {
			return ""
		}
	}
	return known
}

// maskLetters replaces each character that is not ASCII by a question mark.
func maskLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, text)
}
