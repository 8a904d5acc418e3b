// Package roles chooses the row ID and the label among the columns of a CSV, and returns the
// reasons. Describe reads the beginning of a file. ChooseRoles and ChooseBlindID choose the
// columns. If the label is ambiguous, the caller must ask the user.
package roles

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/inference"
)

// Options holds the choices of the user. In the zero value, the user has chosen nothing.
type Options struct {
	ID         string   // name of the ID column
	GenerateID bool     // generate IDs; ID is then empty
	Label      string   // name of the label column
	Drop       []string // names of omitted columns
	// WillRepairIDs reports whether duplicate and missing IDs will be corrected. A first column
	// that is named like an ID is then the ID if more than half of its values are distinct.
	WillRepairIDs bool
}

// Roles are the columns of a training file that are not features.
type Roles struct {
	// ID is the name of the ID column, unless GeneratedID is set.
	ID string
	// GeneratedID reports whether IDs are generated, because no column is the ID.
	GeneratedID bool
	// Label is the name of the label column.
	Label string
	// IDReason and LabelReason briefly explain the choices.
	IDReason, LabelReason string
	// LabelFromBlind reports whether the label follows from a comparison with the blind file.
	LabelFromBlind bool
	// LabelAssumed reports whether the label was chosen only because it is the last column.
	LabelAssumed bool
	// LabelProblem says why the column is probably not the label, such as "has 900 different values
	// in 1000 rows". It is set only if LabelAssumed is set and more than three quarters of the values
	// read are distinct. OtherLabel is then the first column with a few texts, or "" if no column has
	// few texts.
	LabelProblem, OtherLabel string
}

// Question asks the user which column is the label.
type Question struct {
	// Why explains the ambiguity.
	Why string
	// Candidates are the names of at least two columns that may be the label, the most
	// likely first.
	Candidates []string
}

// NoIDColumnReason is the reason for generated IDs if there is no other reason.
const NoIDColumnReason = "no column looks like an ID"

const (
	labelFlagReason  = "named by --label"
	idFlagReason     = "named by --id"
	lastColumnReason = "the last column"

	namedLikeIDReason = "unique, and named like an ID"
	rowNumbersReason  = "row numbers"
)

// ChooseRoles chooses the ID and the label of a training file. blind is the blind file, or nil. If
// the label is ambiguous, ChooseRoles also returns a question, and Roles.Label is the first
// candidate.
func ChooseRoles(train, blind *Description, given Options) (chosen Roles, question *Question) {
	chosen.ID, chosen.GeneratedID, chosen.IDReason = chooseID(train, given)
	chosen.Label, chosen.LabelReason, question = chooseLabel(train, blind, given, chosen)
	chosen.LabelFromBlind = chosen.LabelReason == onlyMissingReason || chosen.LabelReason == emptyColumnReason || strings.HasPrefix(chosen.LabelReason, missingReason)
	chosen.LabelAssumed = chosen.LabelReason == lastColumnReason && !isLabelName(chosen.Label)
	if at := train.ColumnIndex(chosen.Label); chosen.LabelAssumed && at >= 0 && 4*train.Columns[at].Distinct > 3*train.Columns[at].Filled {
		if chosen.LabelProblem = train.Columns[at].notLabelReason(); chosen.LabelProblem != "" {
			chosen.OtherLabel = firstCategory(train.featuresAndLabel(given.Drop, chosen))
		}
	}
	return chosen, question
}

// firstCategory returns the name of the first column with 2 to 20 different texts and no missing value,
// or "".
func firstCategory(columns []*ColumnDescription) string {
	const most = 20
	for _, c := range columns {
		isText := c.Form == inference.FormCategory || c.Form == inference.FormBoolean
		if c.isSampled && isText && c.Filled == c.Rows && c.Distinct > 1 && c.Distinct <= most {
			return c.Name
		}
	}
	return ""
}

func chooseID(t *Description, given Options) (id string, generated bool, reason string) {
	switch {
	case given.GenerateID:
		return "", true, "requested by --id -"
	case given.ID != "":
		return given.ID, false, idFlagReason
	}
	reason = NoIDColumnReason
	for i := range t.Columns {
		c := &t.Columns[i]
		if slices.Contains(given.Drop, c.Name) || c.Name == given.Label && given.Label != "" {
			continue
		}
		if why := c.idReason(i == 0); why != "" {
			return c.Name, false, why
		}
		if i > 0 || !isIDName(c.Name) {
			continue
		}
		if t.Rows == 0 || given.WillRepairIDs && 2*c.Distinct > c.Filled && !containsMeasurements(c) {
			return c.Name, false, "named like an ID"
		}
		if c.isSampled && c.Name != "" {
			reason = quote(c.Name) + " " + c.notIDReason()
		}
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.isLikelyID() && !slices.Contains(given.Drop, c.Name) && c.Name != given.Label {
			return c.Name, false, namedLikeIDReason
		}
	}
	return "", true, reason
}

func chooseLabel(t, blind *Description, given Options, r Roles) (label, reason string, question *Question) {
	if given.Label != "" {
		return given.Label, labelFlagReason, nil
	}
	columns := t.featuresAndLabel(given.Drop, r)
	if len(columns) == 0 {
		return "", "", nil
	}
	empty := filterColumns(columns, func(c *ColumnDescription) bool {
		return blind.isEmpty(c.Name) && c.Filled > 0 && c.notLabelReason() == ""
	})
	missing := filterColumns(columns, func(c *ColumnDescription) bool { return blind.LacksColumn(c.Name) })
	if n := len(missing); n > 0 && 2*n <= len(columns)+1 {
		empty = filterColumns(empty, func(c *ColumnDescription) bool {
			return c.isMostlyFilled() && c.chanceOfEmpty(blind.Rows) < maxEmptyChance
		})
		if 2*(n+len(empty)) > len(columns)+1 {
			empty = nil
		}
		if n == 1 && len(empty) == 0 && len(columns) > 1 && missing[0].constant { // nobody predicts a constant column
			return chooseLabelByName(filterColumns(columns, func(c *ColumnDescription) bool { return c != missing[0] }))
		}
		return chooseMissingLabel(missing, empty)
	}
	label, reason, question = chooseLabelByName(columns)
	if len(empty) > 1 { // a column with few values in the training file may be empty by chance
		empty = filterColumns(empty, (*ColumnDescription).isMostlyFilled)
	}
	if 2*len(empty) > len(columns)+1 {
		return label, reason, question
	}
	return overrideByEmptyColumns(empty, label, reason, question)
}

// maxEmptyChance limits chanceOfEmpty. A column that the blind file lacks is probably the label. A
// column that is empty in the blind file is another candidate only if the probability that it is
// empty by accident is below maxEmptyChance.
const maxEmptyChance = 0.001

// chanceOfEmpty returns the chance that none of the given number of rows has a value, if values are
// missing as often as in c. The frequency of missing values is estimated by Laplace's rule of
// succession, so the chance is not 0 even if c has a value in every row.
func (c *ColumnDescription) chanceOfEmpty(rows int) float64 {
	return math.Pow(float64(c.Rows-c.Filled+1)/float64(c.Rows+2), float64(rows))
}

// isMostlyFilled reports whether at least nine of ten rows have a value.
func (c *ColumnDescription) isMostlyFilled() bool { return 10*c.Filled >= 9*c.Rows }

// The reasons for a label that follows from a comparison with the blind file. More words may follow
// missingReason.
const (
	emptyColumnReason = "has no value in the blind file"
	onlyMissingReason = "the column that the blind file lacks"
	missingReason     = "a column that the blind file lacks"
)

// overrideByEmptyColumns returns the label, reason and question that chooseLabelByName has
// returned, or better ones if they are uncertain: if there is a question, or if the label is the
// last column and not named like a label. empty are the columns that are empty in the blind file
// but not in the training file; if there is a question, only its candidates count. If there is one
// such column, it becomes the label. If there are several, overrideByEmptyColumns asks which of
// them is the label.
func overrideByEmptyColumns(empty []*ColumnDescription, label, reason string, question *Question) (string, string, *Question) {
	if question != nil {
		empty = filterColumns(empty, func(c *ColumnDescription) bool { return slices.Contains(question.Candidates, c.Name) })
	}
	if len(empty) == 0 {
		return label, reason, question
	}
	assumed := question != nil || reason == lastColumnReason && !isLabelName(label)
	switch {
	case len(empty) == 1 && (assumed || empty[0].Name == label):
		return empty[0].Name, emptyColumnReason, nil
	case len(empty) > 1 && assumed:
		return askMissingLabel(nil, empty)
	}
	return label, reason, question
}

// featuresAndLabel returns the columns that are neither dropped nor the ID, including the label.
func (t *Description) featuresAndLabel(drop []string, r Roles) []*ColumnDescription {
	var list []*ColumnDescription
	for i := range t.Columns {
		c := &t.Columns[i]
		if !slices.Contains(drop, c.Name) && (r.GeneratedID || c.Name != r.ID) {
			list = append(list, c)
		}
	}
	return list
}

// chooseMissingLabel chooses the label from two kinds of columns. missing are the columns that the
// blind file lacks. empty are the columns that are empty in the blind file, although nearly every
// row of the training file has a value in them.
func chooseMissingLabel(missing, empty []*ColumnDescription) (label, reason string, question *Question) {
	if len(missing) == 1 && len(empty) == 0 {
		return missing[0].Name, onlyMissingReason, nil
	}
	likely := filterColumns(missing, func(c *ColumnDescription) bool { return c.notLabelReason() == "" })
	named := filterColumns(slices.Concat(likely, empty), func(c *ColumnDescription) bool { return isLabelName(c.Name) })
	switch {
	case len(named) == 1 && slices.Contains(likely, named[0]):
		return named[0].Name, missingReason + ", named like a label", nil
	case len(likely) == 1 && len(empty) == 0:
		return likely[0].Name, missingReason + ", with few values", nil
	case len(likely) == 0 && len(empty) == 1:
		return empty[0].Name, emptyColumnReason, nil
	case len(likely) == 0 && len(empty) == 0:
		likely = missing
	}
	return askMissingLabel(likely, empty)
}

// askMissingLabel asks which column is the label. missing are the columns that the blind file
// lacks, and empty are the columns that have no values in it.
func askMissingLabel(missing, empty []*ColumnDescription) (label, reason string, question *Question) {
	var why []string
	if len(missing) > 0 {
		slices.Reverse(missing) // labels usually come after the features
		label, reason = missing[0].Name, missingReason
		why = append(why, "the blind file lacks "+listColumns(missing))
	}
	if len(empty) > 0 {
		slices.Reverse(empty)
		label, reason = empty[0].Name, emptyColumnReason // an empty column is often a place for the predictions
		verb := " has"
		if len(empty) > 1 {
			verb = " have"
		}
		why = append(why, listColumns(empty)+verb+" no value in the blind file")
	}
	return label, reason, &Question{Why: strings.Join(why, ", and "), Candidates: columnNames(slices.Concat(empty, missing))}
}

// chooseLabelByName chooses the label without a comparison with the blind file. It chooses a column
// that is named like a label or, if there is none, the last column.
func chooseLabelByName(columns []*ColumnDescription) (label, reason string, question *Question) {
	last := columns[len(columns)-1]
	others := columns[:len(columns)-1]
	wrong := last.notLabelReason()
	if wrong == "" && isLabelName(last.Name) {
		return last.Name, lastColumnReason, nil
	}
	named := filterColumns(others, func(c *ColumnDescription) bool {
		return c.isSampled && c.notLabelReason() == "" && (isSureLabelName(c.Name) || wrong != "" && isLabelName(c.Name))
	})
	if surely := filterColumns(named, func(c *ColumnDescription) bool { return isSureLabelName(c.Name) }); len(surely) == 1 {
		named = surely
	}
	switch {
	case len(named) == 0:
		return last.Name, lastColumnReason, nil
	case wrong != "" && len(named) == 1:
		return named[0].Name, fmt.Sprintf("named like a label; the last column, %s, %s", quote(last.Name), wrong), nil
	case len(named) == 1 && last.Filled < last.Rows && named[0].Filled == named[0].Rows:
		return named[0].Name, fmt.Sprintf("named like a label; the last column, %s, has rows without a value", quote(last.Name)), nil
	case wrong != "":
		return named[0].Name, "named like a label", &Question{
			Why:        listColumns(named) + " are named like labels",
			Candidates: columnNames(named),
		}
	}
	return named[0].Name, "named like a label", &Question{
		Why:        fmt.Sprintf("%s named like a label, and %s", listWithVerb(named), last.describeAsLast()),
		Candidates: append(columnNames(named), last.Name),
	}
}

// describeAsLast returns a phrase which says that the column is the last column.
func (c *ColumnDescription) describeAsLast() string {
	if c.Unnamed {
		return "the last column has no name and is read as " + quote(c.Name)
	}
	return quote(c.Name) + " is the last column"
}

func listWithVerb(columns []*ColumnDescription) string {
	if len(columns) == 1 {
		return quote(columns[0].Name) + " is"
	}
	return listColumns(columns) + " are"
}

func filterColumns(columns []*ColumnDescription, wanted func(*ColumnDescription) bool) []*ColumnDescription {
	var list []*ColumnDescription
	for _, c := range columns {
		if wanted(c) {
			list = append(list, c)
		}
	}
	return list
}

func columnNames(columns []*ColumnDescription) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return list
}

// listColumns lists the names of at most five columns in a sentence.
func listColumns(columns []*ColumnDescription) string {
	const most = 5
	var words []string
	for _, c := range columns[:min(len(columns), most)] {
		words = append(words, quote(c.Name))
	}
	if more := len(columns) - most; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return humanize.JoinAnd(words)
}

func quote(name string) string { return strconv.Quote(name) }
