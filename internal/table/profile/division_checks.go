package profile

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// Limits for the checks of columns by which rows should be divided.
const (
	minGroups      = 10  // fewer different values are a normal category
	maxGroupRows   = 200 // more rows a value on average are a normal category, too
	minGroupRows   = 1.5 // with fewer, hardly any rows belong together
	minDates       = 20
	minOrderedRows = 50
)

// groupWords are words of the names of columns that identify what several rows belong to.
var groupWords = []string{
	"account", "client", "company", "customer", "device", "driver", "employee", "family", "household", "machine", "member",
	"passenger", "patient", "person", "player", "session", "student", "subject", "user", "vehicle", "visitor",
}

// birthWords are words of the names of dates that do not order the rows.
var birthWords = []string{"birth", "birthday", "birthdate", "dob", "born"}

// warnDivision warns about the first column that looks like a group and the first that looks
// like a time. With such a column, a random division measures on rows whose groups the model
// knows, or on rows from the same time as the training rows.
func (s *scanner) warnDivision() {
	group, clock := false, false
	for i := range s.profile.Columns {
		c := &s.profile.Columns[i]
		filled := s.profile.Rows - c.Missing
		switch {
		case !group && s.looksLikeGroup(c, filled):
			group = true
			s.warn(csvfile.CodeGroupColumn, c.Column-1, "its name and its %s different values in %s suggest that it identifies a group of rows, such as those of a customer: will the model predict rows of new groups?",
				humanize.Comma(c.Distinct), humanize.Count(filled, "row"))
		case !clock && c.Form == FormDate && c.Distinct >= minDates && filled >= minOrderedRows && !hasWord(c.Name, birthWords):
			clock = true
			s.warn(csvfile.CodeTimeColumn, c.Column-1, "the rows have dates%s: will the model predict later rows?", formatDates(c.Numbers))
		}
	}
}

// looksLikeGroup reports whether the values of a column, which is not empty in filled rows,
// identify what several rows belong to.
func (s *scanner) looksLikeGroup(c *ColumnProfile, filled int) bool {
	if c.Form != FormCategory && (c.Form != FormNumeric || c.hasFractions) || c.Distinct < minGroups {
		return false
	}
	size := float64(filled) / float64(c.Distinct)
	return size >= minGroupRows && size <= maxGroupRows && hasWord(c.Name, groupWords)
}

// hasWord reports whether one of the words of a name, such as customer_id or customerId, is
// in words.
func hasWord(name string, words []string) bool {
	var word strings.Builder
	previous := ' '
	for _, char := range name + " " {
		if !unicode.IsLetter(char) || unicode.IsUpper(char) && unicode.IsLower(previous) {
			if slices.Contains(words, strings.ToLower(word.String())) {
				return true
			}
			word.Reset()
		}
		if unicode.IsLetter(char) {
			word.WriteRune(char)
		}
		previous = char
	}
	return false
}

// formatDates returns the range of dates for a message, or "" if it is unknown.
func formatDates(n *NumericStats) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(" from %s to %s", FormDate.Format(n.Min), FormDate.Format(n.Max))
}
