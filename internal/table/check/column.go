package check

import (
	"fmt"

	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// Options configure Column.
type Options struct {
	// Blind is set for a column of a blind file, which has no label. Some checks apply only to
	// training files.
	Blind bool
	// Unused is set if no feature is made from the column.
	Unused bool
	// FormatLine formats the number of a line for a message, such as "line 3".
	FormatLine func(line int) string
}

// Column checks the values of a column and how they are read. The returned warnings lack the name
// and the position of the column.
func Column(t *columnstats.Column, inferred *inference.Result, opts Options) []csvfile.Warning {
	c := &columnChecker{stats: t, inferred: inferred, opts: opts}
	c.warnStrayTexts()
	c.warnMarks()
	c.warnPartialUnit()
	c.warnThousands()
	c.warnMostlyNumbers()
	c.warnMixedNumbers()
	c.warnMixedDates()
	c.warnTextsAmongDates()
	c.warnYearFirst()
	c.warnCompactDates()
	c.warnNumericDates()
	c.warnNumbersInText()
	if !opts.Unused {
		c.warnSameLooking()
		c.warnSimilarTexts()
		c.warnDateOrder()
		c.warnTimeZones()
		c.warnSeparators()
	}
	return c.warnings
}

// columnChecker is the state of a call of Column.
type columnChecker struct {
	stats    *columnstats.Column
	inferred *inference.Result
	opts     Options
	warnings []csvfile.Warning
}

func (c *columnChecker) warnAt(line int, code, format string, args ...any) {
	c.warnings = append(c.warnings, csvfile.Warning{Code: code, Line: line, Message: fmt.Sprintf(format, args...)})
}
