package compare

import (
	"fmt"
	"iter"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// explainSpelling extends the findings in c.findings[from:] about new texts in a blind column of
// categories. Some of these texts may differ only in spelling from a text of the training file, but
// a model treats them as unknown. explainSpelling adds the number of rows with such a text to the
// message. If most rows have such a text, the finding becomes a defect.
//
// known holds texts of the training file: all of them if isComplete is true. If isComplete is
// false, the finding stays a warning, because the training file may have other texts in the
// spelling of the blind file.
func (c *comparison) explainSpelling(known iter.Seq[string], isComplete bool, blind *profile.ColumnProfile, from int) {
	for i := from; i < len(c.findings); i++ {
		f := &c.findings[i]
		if f.Code != csvfile.CodeUnseenCategory || blind.Estimate {
			continue
		}
		key, fold, difference := func(text string) string { return text }, foldSpelling, "differ only in case or spaces from a text of the training file"
		isBoolean := cells.AreBooleans(known)
		if isBoolean {
			key, fold, difference = cells.FoldCase, foldBoolean, "have a boolean that the training file writes in another way"
		}
		trained, texts := map[string]string{}, map[string]bool{}
		for text := range known {
			trained[fold(text)], texts[key(text)] = text, true
		}
		var other rowCounter
		filled := 0
		for _, one := range blind.Values() {
			if one.Kind == cells.Null && !texts[key(one.Text)] {
				continue // it is missing for the model
			}
			filled += one.Rows
			if trained[fold(one.Text)] != "" && !texts[key(one.Text)] {
				other.addRows(&one)
			}
		}
		if other.rows == 0 {
			continue
		}
		spelling := trained[fold(other.most.Text)]
		if !isBoolean && (cells.VisibleText(other.most.Text) != other.most.Text || cells.VisibleText(spelling) != spelling) {
			difference = "differ only in case, spaces or invisible characters from a text of the training file"
		}
		f.Code = csvfile.CodeOtherSpelling
		f.Message += fmt.Sprintf("; %s %s, such as %s instead of %s", humanize.Count(other.rows, "row"), difference,
			excerpt(other.most.Text), excerpt(spelling))
		if isComplete && isDefect(other.rows, filled) {
			f.Severity = SeverityDefect
		}
	}
}

// foldSpelling maps texts that differ only in case, in spaces or in invisible characters to the
// same text.
func foldSpelling(text string) string {
	return strings.Join(strings.Fields(cells.FoldSpelling(text)), " ")
}

// excerpt is like csvfile.Excerpt, but also shows invisible characters.
func excerpt(text string) string { return cells.QuoteVisibly(csvfile.Shorten(text)) }

// foldBoolean is like [cells.FoldBoolean], but also replaces each run of spaces within the text by
// one space.
func foldBoolean(text string) string { return cells.FoldBoolean(foldSpelling(text)) }
