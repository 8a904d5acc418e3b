package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// Limits for the checks of columns that identify groups of rows, and of columns with the time of
// each row.
const (
	minGroups          = 10  // a column with fewer different values is a normal category
	maxGroupRows       = 200 // a column with more rows for each value on average is a normal category, too
	minGroupRows       = 1.5 // with fewer rows for each value on average, hardly any rows belong together
	minTimeColumnDates = 20  // smallest number of different dates of a column of times
	minTimeColumnRows  = 50  // smallest number of rows with a date
)

// idNames are the names, without case and punctuation, of columns that identify rows. If values
// repeat in such a column, it identifies groups of rows.
var idNames = []string{"id", "uuid", "guid", "rowid"}

// birthWords are words in the names of columns of dates of birth, which do not say when a row was
// recorded. A name that contains geburt, as in Geburtsdatum, is found without this list.
var birthWords = []string{"birth", "birthday", "birthdate", "dob", "born", "geb", "gebdat", "gebdatum", "geboren", "naissance", "nacimiento", "nascimento", "nascita"}

// warnGroupAndTimeColumns warns about the first column that seems to identify groups of rows, such
// as customers, and about the first that seems to hold the time of each row. In such a table,
// scores on randomly chosen validation rows are too optimistic, because the model has been trained
// on rows of the same groups, or on later rows.
func (s *scanner) warnGroupAndTimeColumns() {
	group, clock := false, false
	for i := range s.profile.Columns {
		c := &s.profile.Columns[i]
		filled := s.profile.Rows - c.Missing
		switch {
		case !group && s.looksLikeGroup(c, filled):
			group = true
			its := "its"
			if c.Estimate {
				its = "about"
			}
			s.warn(csvfile.CodeGroupColumn, c.Column-1, "its name and %s %s different values in %s suggest that it identifies a group of rows, such as those of a customer: will the model predict rows of new groups?",
				its, humanize.Comma(c.Distinct), humanize.Count(filled, "row"))
		case !clock && s.looksLikeTime(c, filled):
			clock = true
			s.warn(csvfile.CodeTimeColumn, c.Column-1, "the rows have dates%s: will the model predict later rows?", formatDates(c.Numbers))
		}
	}
}

// isOneDay reports whether all dates of a column are of the same day.
func (c *ColumnProfile) isOneDay() bool {
	return c.Numbers != nil && math.Floor(c.Numbers.Min) == math.Floor(c.Numbers.Max)
}

// looksLikeGroup reports whether the values of a column seem to identify groups of rows.
// filled is the number of rows with a value.
func (s *scanner) looksLikeGroup(c *ColumnProfile, filled int) bool {
	if c.Form != inference.FormCategory && c.Form != inference.FormText && (c.Form != inference.FormNumeric || c.hasFractions) || c.Distinct < minGroups {
		return false
	}
	size := float64(filled) / float64(c.Distinct)
	if slices.Contains(idNames, csvfile.NormalizeName(c.Name)) {
		// A single repeated value is enough. An estimate, however, must be clearly smaller than the
		// number of rows.
		return (c.Distinct < filled && !c.Estimate || size >= minGroupRows) && size <= maxGroupRows
	}
	return size >= minGroupRows && size <= maxGroupRows && isGroupName(c.Name)
}

// looksLikeTime reports whether a column seems to hold the time of each row. It returns false for
// dates of birth. It also returns false for dates that most rows lack or that alone predict the
// label, because such dates, like those of cancellations, are probably known only for some classes.
// filled is the number of rows with a value.
func (s *scanner) looksLikeTime(c *ColumnProfile, filled int) bool {
	isLeak := func(w csvfile.Warning) bool { return w.Code == csvfile.CodeLeakingColumn && w.Column == c.Column }
	return c.Form == inference.FormDate && c.Distinct >= minTimeColumnDates && filled >= max(minTimeColumnRows, c.Missing) && !c.isOneDay() &&
		!hasWord(c.Name, birthWords) && !strings.Contains(strings.ToLower(c.Name), "geburt") && !slices.ContainsFunc(s.profile.Warnings, isLeak)
}

// formatDates returns the range of the dates that n describes for a message, such as " from
// 2024-01-01 to 2024-03-31". It returns "" if n is nil.
func formatDates(n *columnstats.NumericStats) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(" from %s to %s", inference.FormDate.Format(n.Min), inference.FormDate.Format(n.Max))
}
