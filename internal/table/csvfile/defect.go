package csvfile

import "fmt"

// The codes of defects. Programs may compare them, because they never change. Messages may
// change.
const (
	CodeEmptyFile       = "empty-file"
	CodeNoHeader        = "no-header"
	CodeNoRows          = "no-rows"
	CodeUnnamedColumn   = "unnamed-column"
	CodeDuplicateColumn = "duplicate-column"
	CodeLongName        = "long-name"
	CodeTooFewColumns   = "too-few-columns"
	CodeTooManyColumns  = "too-many-columns"
	CodeTooManyRows     = "too-many-rows"
	CodeMissingColumn   = "missing-column"
	CodeRaggedRow       = "ragged-row"
	CodeDuplicateID     = "duplicate-id"
	CodeEmptyID         = "empty-id"
	CodeEmptyLabel      = "empty-label"
	CodeEmptyLine       = "empty-line"
	CodeUnknownLabel    = "unknown-label"
	CodeOneClass        = "one-class"
	CodeTooManyClasses  = "too-many-classes"
	CodeNumericLabel    = "numeric-label"
	CodeLongLabel       = "long-label"
	CodeNoFeatures      = "no-features"
	CodeBinary          = "binary"
	CodeInvalidUTF8     = "invalid-utf8"
	CodeUnclosedQuote   = "unclosed-quote"
	CodeStrayQuote      = "stray-quote"
	CodeTooLong         = "too-long"
	CodeInvalidEncoding = "invalid-encoding"
)

// The codes of defects of a prediction result.
const (
	CodeRowsDiffer     = "rows-differ"
	CodeColumnsDiffer  = "columns-differ"
	CodeCellDiffers    = "cell-differs"
	CodeUnknownClass   = "unknown-class"
	CodeBadProbability = "bad-probability"
)

// The codes of warnings and findings, which are not errors.
const (
	CodeUnnamedID      = "unnamed-id"
	CodeSmallClass     = "small-class"
	CodeManyClasses    = "many-classes"
	CodeSimilarClasses = "similar-classes"
	CodeSameLooking    = "same-looking-values"
	CodeSimilarTexts   = "similar-texts"
	CodeMissingClass   = "missing-class"
	CodeSpacedClass    = "spaced-class"
	CodeConstantColumn = "constant-column"
	CodeEmptyColumn    = "empty-column"
	CodeEqualColumn    = "twin-column"
	CodeIDLikeColumn   = "id-like-column"
	CodeIncompleteID   = "incomplete-id"
	CodeRepeatedHeader = "repeated-header"
	CodeSecondHeader   = "second-header"
	CodeSingleQuotes   = "single-quotes"
	CodeTotalRow       = "total-row"
	CodeLeakingColumn  = "leaking-column"
	CodeGroupColumn    = "group-column"
	CodeKnownRows      = "known-rows"
	CodeTimeColumn     = "time-column"
	CodeJunkInNumbers  = "junk-in-numbers"
	CodeMostlyNumbers  = "mostly-numbers"
	CodeMixedNumbers   = "mixed-numbers"
	CodeFootnoteMarks  = "footnote-marks"
	CodeExtraColumn    = "extra-column"
	CodeChangedKind    = "changed-kind"
	CodeMisreadNumbers = "misread-numbers"
	CodeUnseenCategory = "unseen-category"
	CodeOtherSpelling  = "other-spelling"
	CodeMovedRange     = "moved-range"
	CodeMoreMissing    = "more-missing"
	CodeOtherIDName    = "other-id-name"
	CodeAmbiguousDates = "ambiguous-dates"
	CodePartialUnit    = "partial-unit"
	CodeUnclearNumbers = "unclear-numbers"
	CodeDateOrder      = "date-order"
	CodeMixedDates     = "mixed-dates"
	CodeJunkInDates    = "junk-in-dates"
	CodeOtherTimeZone  = "other-time-zone"
	CodeMixedTimeZones = "mixed-time-zones"
	CodeNoTimeOfDay    = "no-time-of-day"
	CodeYearFirst      = "year-first"
	CodeNumbersInText  = "numbers-in-text"
	CodeNumericDates   = "numeric-dates"
)

// Defect is an error in a file, with its location.
type Defect struct {
	// Code is one of the Code constants.
	Code string `json:"code"`
	// Message describes the error and quotes the value, without the location.
	Message string `json:"message"`
	// Line is the physical line of the file, from 1, or 0 if the error has no line.
	Line int `json:"line,omitempty"`
	// Column is the number of the field in its record, from 1, or 0 for the whole line.
	Column int `json:"column,omitempty"`
	// Name is the name of the column in the header, or empty if the column has no name.
	Name string `json:"name,omitempty"`
	// Count is the number of rows or columns with this defect, or 0 if they are not
	// counted. Line and Column are the location of the first.
	Count int `json:"count,omitempty"`
	// AtLeast is set if Count covers only a part of the file because the rest could not be read.
	AtLeast bool `json:"atLeast,omitempty"`
	// Lines are the lines of the first rows with this defect, at most MaxLocations. They
	// are nil for a defect of columns.
	Lines []int `json:"lines,omitempty"`
}

// Error returns the location and the message, as in `line 17, column 3 (age): …`.
func (d *Defect) Error() string {
	where := formatLocation(d.Line, d.Column, d.Name)
	if where == "" {
		return d.Message
	}
	return where + ": " + d.Message
}

// Warning is something suspicious in a file that is not an error. The fields mean the same as the
// fields of Defect.
type Warning Defect

// String returns location and message as Defect.Error does.
func (w Warning) String() string { return (*Defect)(&w).Error() }

func formatLocation(line, column int, name string) string {
	name = Shorten(name)
	switch {
	case line > 0 && column > 0 && name != "":
		return fmt.Sprintf("line %d, column %d (%s)", line, column, name)
	case line > 0 && column > 0:
		return fmt.Sprintf("line %d, column %d", line, column)
	case line > 0:
		return fmt.Sprintf("line %d", line)
	case column > 0 && name != "":
		return fmt.Sprintf("column %d (%s)", column, name)
	case column > 0:
		return fmt.Sprintf("column %d", column)
	}
	return name
}
