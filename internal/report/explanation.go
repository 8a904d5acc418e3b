package report

import (
	"fmt"
	"math"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/term"
)

// ExplainedRow is the explanation of one row.
type ExplainedRow struct {
	Row int    `json:"row"`
	ID  string `json:"id"`
	// Class is the class whose probability is explained. Base is the mean of this probability over
	// the background rows of the model.
	Class         string         `json:"class"`
	Probability   float64        `json:"probability"`
	Base          float64        `json:"base"`
	Contributions []Contribution `json:"contributions"` // largest first
}

// Contribution is what a column adds to the probability of the explained class.
type Contribution struct {
	Column       string  `json:"column"`
	Value        string  `json:"value"`
	Contribution float64 `json:"contribution"`
}

// maxBarWidth is the length, in characters, of the bar of the largest contribution of a row.
const maxBarWidth = 14

// WriteExplanation writes the explanation of a row in lines of at most width characters. The
// first line describes the row. Each of the columns with the largest contributions follows in a
// line of its own. maxColumns is the maximum number of these columns; 0 means all.
func WriteExplanation(b *strings.Builder, row *ExplainedRow, maxColumns, width int) {
	change := row.Probability - row.Base
	direction := "above"
	if change < 0 {
		direction = "below"
	}
	fact := fmt.Sprintf("row %d (%s): %s %.4f, which is %.4f %s the mean %.4f", row.Row, escapeAndTruncate(row.ID, 30),
		escapeAndTruncate(row.Class, 30), row.Probability, math.Abs(change), direction, row.Base)
	for _, line := range term.Wrap(fact, width) {
		b.WriteString(line + "\n")
	}
	writeContributions(b, row.Contributions, maxColumns, width)
}

// writeContributions writes a line for each of the first maxColumns columns: its name, its cell, its
// contribution, and a bar to the left or right of a common axis.
func writeContributions(b *strings.Builder, list []Contribution, maxColumns, width int) {
	shown := list
	if maxColumns > 0 && maxColumns < len(list) {
		shown = list[:maxColumns]
	}
	bar := maxBarWidth
	if width < 72 {
		bar = max((width-32)/2, 4)
	}
	names, values := 0, 0
	for _, c := range shown {
		names = max(names, term.Width(term.Escape(c.Column)))
		values = max(values, term.Width(term.Escape(c.Value)))
	}
	text := max(width-2*bar-16, 16) // width of the names and the values together
	names = min(names, max(text/2, text-values))
	values = min(values, text-names)
	for _, c := range shown {
		n := 0
		if largest := math.Abs(list[0].Contribution); largest > 0 {
			n = int(math.Round(math.Abs(c.Contribution) / largest * float64(bar)))
		}
		left, right := "", ""
		if c.Contribution < 0 {
			left = strings.Repeat("-", n)
		} else {
			right = strings.Repeat("+", n)
		}
		line := fmt.Sprintf("  %s  %s  %+.4f  %*s|%s", truncateOrPad(c.Column, names), truncateOrPad(c.Value, values), c.Contribution, bar, left, right)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	rest := 0.0
	for _, c := range list[len(shown):] {
		rest += c.Contribution
	}
	if omitted := len(list) - len(shown); omitted > 0 {
		fmt.Fprintf(b, "  %s: %+.4f\n", humanize.Count(omitted, "other column"), rest)
	}
}

// truncateOrPad returns text truncated or padded to exactly width characters.
func truncateOrPad(text string, width int) string {
	text = escapeAndTruncate(text, width)
	return text + strings.Repeat(" ", max(width-term.Width(text), 0))
}
