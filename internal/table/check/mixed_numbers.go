package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// Limits for the warning about a column whose numbers have two formats.
const (
	minMixedShare   = 0.8 // smallest fraction of rows whose cell is a number in one of the two formats, or in both
	minMixedNumbers = 20  // smallest number of distinct cells that are numbers
	minMixedRows    = 5   // smallest number of rows of each format
)

// numberFormats counts the numbers of a column by their formats.
type numberFormats struct {
	rows     int // rows whose cell is not missing
	distinct int // distinct cells that are numbers
	// decimals["."] describes the numbers that are valid only with a decimal point, and
	// decimals[","] those that are valid only with a decimal comma. units describes the numbers
	// with each unit.
	decimals map[string]*columnstats.Occurrences
	units    map[string]*columnstats.Occurrences
	plain    int // rows whose number has no unit
	either   int // rows whose number is valid with both separators
}

// warnMixedNumbers warns about a training column whose numbers have two formats, such as 12.3 and
// 12,3, or two units, such as $12 and €12. Such a column is read as texts.
func (c *columnChecker) warnMixedNumbers() {
	inf := c.inferred
	if c.opts.Blind || inf.Form != inference.FormCategory && inf.Form != inference.FormText || inf.FirstOther.Rows > 0 {
		return // warnMostlyNumbers warns about a column with FirstOther
	}
	formats := countNumberFormats(c.stats.AllOrSample())
	if formats.distinct < minMixedNumbers {
		return
	}
	if c.stats.IsSampled() {
		formats = countNumberFormats(c.stats.ValuesByInterpretation()) // these values together have all rows
	}
	for _, one := range []struct {
		groups map[string]*columnstats.Occurrences
		shared int // rows that fit each of the groups
		noun   string
	}{{formats.decimals, formats.either, "decimal separators"}, {formats.units, formats.plain, "units"}} {
		groups := slices.SortedFunc(maps.Values(one.groups), func(a, b *columnstats.Occurrences) int {
			return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.First.FirstLine(), b.First.FirstLine()))
		})
		if len(groups) < 2 || groups[1].Rows < minMixedRows {
			continue
		}
		most, other := groups[0], groups[1]
		if float64(most.Rows+other.Rows+one.shared) < minMixedShare*float64(formats.rows) {
			continue
		}
		c.warnAt(other.First.FirstLine(), csvfile.CodeMixedNumbers, "the column is read as %s, because its numbers have different %s: in %s, the numbers are like %s (%s), but in %s, like %s (%s)",
			describeReading(inf.Form), one.noun, humanize.Count(most.Rows, "row"), csvfile.Excerpt(most.First.Text), c.opts.FormatLine(most.First.FirstLine()),
			humanize.Count(other.Rows, "row"), csvfile.Excerpt(other.First.Text), c.opts.FormatLine(other.First.FirstLine()))
		return
	}
}

// countNumberFormats counts the numbers among texts by their formats.
func countNumberFormats(texts []columnstats.Value) *numberFormats {
	f := &numberFormats{decimals: map[string]*columnstats.Occurrences{}, units: map[string]*columnstats.Occurrences{}}
	for i := range texts {
		one := &texts[i]
		if one.Kind == cells.Blank || one.Kind == cells.Null {
			continue
		}
		f.rows += one.Rows
		f.add(one)
	}
	return f
}

// add adds a value if it is a number.
func (f *numberFormats) add(one *columnstats.Value) {
	_, unit, isPoint := cells.ParseAmount([]byte(one.Text), false)
	_, commaUnit, isComma := cells.ParseAmount([]byte(one.Text), true)
	if unit = cells.CanonicalUnit(cmp.Or(unit, commaUnit)); isCodeLetter(unit, one.Text) || isOtherSuffix(unit, one.Text) || !isPoint && !isComma {
		return
	}
	f.distinct++
	switch {
	case isPoint && isComma:
		f.either += one.Rows
	case isPoint:
		addOccurrence(f.decimals, ".", one)
	default:
		addOccurrence(f.decimals, ",", one)
	}
	if unit == "" {
		f.plain += one.Rows
	} else {
		addOccurrence(f.units, unit, one)
	}
}

// isCodeLetter reports whether the unit of a text is a single letter without a space before it, as
// in 12a but not in 12 g. Such a letter is probably part of a code. The result is also true for a
// duration such as 1:02:05, whose unit h is not in the text.
func isCodeLetter(unit, text string) bool {
	if len(unit) != 1 || strings.ToUpper(unit) == unit {
		return false
	}
	at := strings.IndexAny(text, unit+strings.ToUpper(unit))
	return at < 1 || text[at-1] >= '0' && text[at-1] <= '9'
}

// otherSuffixes are letters after a number that are not a unit: the endings of ordinals, such as
// 115th, and of times of day, such as 9pm.
var otherSuffixes = []string{"st", "nd", "rd", "th", "am", "pm", "a.m.", "p.m."}

// isOtherSuffix reports whether unit, which [cells.ParseAmount] has returned for a text, is not a
// unit. This is the case for otherSuffixes and for a word of at least four capitals directly after
// the digits, as in 2013FAIL.
func isOtherSuffix(unit, text string) bool {
	if slices.Contains(otherSuffixes, unit) {
		return true
	}
	const least = 4
	word := text[strings.LastIndexAny(text, "0123456789")+1:]
	return len(word) >= least && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func addOccurrence(groups map[string]*columnstats.Occurrences, key string, one *columnstats.Value) {
	if groups[key] == nil {
		groups[key] = &columnstats.Occurrences{}
	}
	groups[key].Add(one)
}
