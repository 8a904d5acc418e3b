package api

import "math"

// DriftLevel is how much the values of a column differ between two files, in words.
type DriftLevel string

// The levels of drift, with the bounds that are usual for the population stability index (N.
// Siddiqi, Credit Risk Scorecards, 2006).
const (
	DriftNone    DriftLevel = "none"    // the index is below 0.1 or below DriftColumn.Chance
	DriftSome    DriftLevel = "some"    // the index is at least 0.1 and below 0.25
	DriftLarge   DriftLevel = "large"   // the index is at least 0.25, or the values are of another kind
	DriftUnknown DriftLevel = "unknown" // not compared; see DriftColumn.Reason
)

// DriftReport compares the columns of a file with the columns of the training file of a model. It
// is the response of [GetPredictionDrift].
type DriftReport struct {
	File         string `json:"file" doc:"Name of the file."`
	Rows         int64  `json:"rows" doc:"Number of rows of the file."`
	TrainingRows int64  `json:"trainingRows" doc:"Number of rows of the training file."`
	// Verdict summarises the report in sentences.
	Verdict []string `json:"verdict" doc:"Sentences that summarise the report."`
	// Warnings are differences that make the predictions less accurate.
	Warnings []string `json:"warnings,omitempty" doc:"Differences that make the predictions less accurate, such as numbers in another format."`
	// Columns are in descending order of Index. Columns that were not compared are last.
	Columns []DriftColumn `json:"columns" doc:"The columns in descending order of psi; columns that were not compared are last."`
}

// DriftColumn compares a column of a file with the same column of the training file.
type DriftColumn struct {
	Name  string     `json:"column" doc:"Name of the column in the header."`
	Kind  string     `json:"kind" doc:"Kind of the values, as in Column."`
	Level DriftLevel `json:"drift" doc:"How large the drift is: none, some, large or unknown."`
	// Index is the population stability index: the sum of (q − p)·ln(q/p) over Parts. p is the
	// fraction of the rows of the training file that are in a part, and q the fraction of the rows
	// of the other file. Index is nil if the column was not compared.
	Index *float64 `json:"psi" nullable:"true" doc:"Population stability index; null if the column was not compared."`
	// Chance is the value that Index exceeds, by random sampling alone, in one of 1,000 columns
	// without drift.
	Chance float64 `json:"chance,omitempty" doc:"A bound for psi: if a column has no drift, its psi exceeds this bound with a probability of only 0.1 %."`
	// Reason says why the column was not compared, or how its kind differs.
	Reason string `json:"reason,omitempty" doc:"Why the column was not compared, or how its kind differs."`
	// Parts are what Index compares: ranges of numbers or single texts, and a part for missing
	// values.
	Parts []DriftPart `json:"parts,omitempty" doc:"The ranges or texts into which the values are divided, and a part for missing values."`
}

// DriftPart is a range of numbers, a text, or the missing values of a column. For each of the two
// files, it has the fraction of the rows whose value is in this part.
type DriftPart struct {
	Name     string  `json:"name" doc:"A range or a text. The part other contains all other texts, and the part missing contains the missing values."`
	Training float64 `json:"training" doc:"Fraction of the rows of the training file that are in this part."`
	Share    float64 `json:"share" doc:"Fraction of the rows of the other file that are in this part."`
}

// LargestChange returns the part whose fraction of rows differs most between the files.
// It returns nil if there are no parts.
func (c *DriftColumn) LargestChange() *DriftPart {
	var largest *DriftPart
	for i := range c.Parts {
		if p := &c.Parts[i]; largest == nil || math.Abs(p.Share-p.Training) > math.Abs(largest.Share-largest.Training) {
			largest = p
		}
	}
	return largest
}
