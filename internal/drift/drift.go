// Package drift compares the values of a file with the values of the training file of a model.
// The training file itself is not needed, because the dataset has the distribution of each
// column.
package drift

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/table/compare"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// The smallest population stability indexes of the levels [api.DriftSome] and
// [api.DriftLarge].
const (
	minPSISome  = 0.1
	minPSILarge = 0.25
)

// Measure compares the values of a file with the training file of a dataset. fileName is the name
// of the file in the report, and p is its profile. importantColumns holds the names of the model's
// columns, the most important first, so that the verdict can name them; nil if no model is known.
func Measure(train *api.Dataset, fileName string, p *profile.Profile, importantColumns []string) *api.DriftReport {
	r := &api.DriftReport{File: fileName, Rows: int64(p.Rows), TrainingRows: train.Rows, Columns: []api.DriftColumn{}}
	var newTexts []string
	r.Warnings, newTexts = warnings(train, p)
	for i := range train.Columns {
		known := &train.Columns[i]
		// A column that no model uses is skipped if it has no values: a client may have added it.
		if at := p.ColumnIndex(known.Name); at >= 0 && (!known.Unused || !p.Columns[at].IsBlank(p.Rows)) {
			c := compareColumn(known, &p.Columns[at], train.Rows, int64(p.Rows))
			if c.Level == api.DriftNone && slices.Contains(newTexts, c.Name) && hasMostlyRareTexts(known, train.Rows) && hasMostlyNewTexts(known, &p.Columns[at], p.Rows) {
				c = api.DriftColumn{Name: c.Name, Kind: c.Kind, Level: api.DriftUnknown, Reason: "many texts are new, and the frequencies of most training texts are not known"}
			}
			r.Columns = append(r.Columns, c)
		}
	}
	sort.SliceStable(r.Columns, func(i, j int) bool { return sortKey(&r.Columns[i]) > sortKey(&r.Columns[j]) })
	r.Verdict = verdict(r, importantColumns)
	return r
}

// hasMostlyRareTexts reports whether most training rows have a rare text, whose frequency the
// dataset does not store. The population stability index counts all rare and new texts together, so
// it cannot show that new texts have replaced rare ones.
func hasMostlyRareTexts(known *api.Column, trainingRows int64) bool {
	if known.Distribution == nil || inference.Form(known.Kind).IsOrdered() {
		return false
	}
	rare := trainingRows - known.Missing
	for _, value := range known.Distribution.Top {
		rare -= value.Rows
	}
	return 2*rare > trainingRows
}

// hasMostlyNewTexts reports whether most values of a column are not in known.Texts. known.Texts is
// nil in datasets of earlier versions, and if the texts are too long; the result is then true.
func hasMostlyNewTexts(known *api.Column, p *profile.ColumnProfile, rows int) bool {
	newRows := rows - p.Missing
	for _, n := range p.CountTexts(known.Texts, func(text string) string { return text }) {
		newRows -= n
	}
	return 2*newRows > rows-p.Missing
}

// sortKey returns the value by which columns are sorted, in descending order: the population
// stability index. For a column without this index, the value is +Inf if the drift is large, and -1
// if the column was not compared.
func sortKey(c *api.DriftColumn) float64 {
	switch {
	case c.Index != nil:
		return *c.Index
	case c.Level == api.DriftLarge:
		return math.Inf(1)
	}
	return -1
}

// compareColumn returns the drift of one column: how p, its profile in the file, differs from
// known, its description in the training file. trainingRows and rows are the numbers of rows of the
// two files.
func compareColumn(known *api.Column, p *profile.ColumnProfile, trainingRows, rows int64) api.DriftColumn {
	c := api.DriftColumn{Name: known.Name, Kind: known.Kind, Level: api.DriftUnknown}
	ordered, training := inference.Form(known.Kind).IsOrdered(), TrainingColumn(known, trainingRows)
	switch {
	case inference.Form(known.Kind) == inference.FormText:
		c.Reason = "texts of several words are not compared"
		return c
	case known.Distribution == nil || ordered && len(known.Distribution.Bins) == 0:
		c.Reason = "the dataset has no distribution of the column"
		return c
	case !ordered || p.Missing >= int(rows): // there is no form to compare
	case !compare.HasSameForm(training, p):
		c.Level, c.Reason = api.DriftLarge, fmt.Sprintf("%s in training, %s here", known.Kind, p.Form)
		return c
	case p.Numbers == nil && p.Epoch != "":
		c.Reason = "a large column of Unix times is not compared if some of its numbers are not times, such as 0"
		return c
	case p.Numbers == nil:
		c.Reason = "durations that look like categories are not compared"
		return c
	}
	var parts []countedPart
	missing, coarse := float64(compare.MissingRows(training, p)), false
	if ordered {
		parts, coarse = countNumberParts(known, p, trainingRows)
		missing += removeUnparsed(parts, training, p, rows)
	} else {
		parts = countTextParts(known, p, trainingRows, float64(rows)-missing)
	}
	if known.Missing > 0 || missing > 0 {
		parts = append(parts, countedPart{"missing", float64(known.Missing), missing})
	}
	setIndexAndParts(&c, parts, float64(trainingRows), float64(rows))
	if coarse && c.Level == api.DriftNone {
		return api.DriftColumn{Name: c.Name, Kind: c.Kind, Level: api.DriftUnknown, Reason: "most training numbers are in one narrow range, and the dataset does not describe their distribution in this range"}
	}
	return c
}

// countedPart is a part of a column's values, such as a range of numbers or a frequent text, with
// the number of its rows in the training file and in the compared file.
type countedPart struct {
	name            string
	training, count float64
}

// minTrainingShare is the smallest fraction of the training rows in a range of numbers.
// Only the last range may have fewer rows.
const minTrainingShare = 0.02

// countNumberParts divides the numbers into ranges, and counts the rows of each range in both
// files. The ranges are those of countRanges, but a range with few training rows is joined to the
// next. The values below and above the training range are two more parts. coarse is true if most
// numbers are in one range, so that a change within this range cannot be seen.
func countNumberParts(known *api.Column, p *profile.ColumnProfile, trainingRows int64) (parts []countedPart, coarse bool) {
	d, form := known.Distribution, inference.Form(known.Kind)
	edges, training, counts, coarse := countRanges(known, p)
	below, above := form.Format(d.Low), form.Format(d.High)
	between := func(from, to float64) string { return form.Format(from) + "–" + form.Format(to) }
	if d.Integers && p.IsInteger() {
		below, above, between = formatInteger(d.Low), formatInteger(math.Ceil(d.High)-1), formatIntegerRange
	}
	parts = []countedPart{{"below " + below, 0, counts[0]}}
	joined, from := countedPart{}, d.Low
	for i, rows := range training {
		joined.training += float64(rows)
		joined.count += counts[i+1]
		to := edges[i+1]
		if last := i == len(training)-1; last || joined.training >= minTrainingShare*float64(trainingRows) {
			joined.name = between(from, to)
			parts = append(parts, joined)
			joined, from = countedPart{}, to
		}
	}
	return append(parts, countedPart{"above " + above, 0, counts[len(counts)-1]}), coarse
}

// countRanges divides the numbers of a column into ranges. It returns the edges of the ranges, and
// the number of rows of each range in the training file and in the compared file. The quantiles of
// the training numbers are the inner edges. If the dataset has no quantiles, or if p cannot count
// numbers between them, the ranges are the bins of the histogram. counts begins with the rows below
// the first edge, and ends with the rows from the last edge on. For coarse see countNumberParts.
func countRanges(known *api.Column, p *profile.ColumnProfile) (edges []float64, training []int64, counts []float64, coarse bool) {
	d := known.Distribution
	if n := len(d.Quantiles); n > 0 && len(d.QuantileRows) == n+1 {
		edges = slices.Concat([]float64{d.Low}, d.Quantiles, []float64{d.High})
		if counts = p.CountRanges(edges); counts != nil {
			return edges, d.QuantileRows, counts, false
		}
		edges = nil
	}
	for i := range d.Bins {
		edges = append(edges, profile.BinEdge(d.Low, d.High, i, len(d.Bins)))
	}
	return append(edges, d.High), d.Bins, p.CountBins(d.Low, d.High, len(d.Bins)), d.IsCoarse(known.Distinct)
}

// removeUnparsed subtracts the rows whose number or date a model cannot read, because it is not in
// the format of the training column. The parts of these rows are not known, so the same fraction of
// each part is subtracted. removeUnparsed returns the number of these rows.
func removeUnparsed(parts []countedPart, training *profile.TrainingColumn, p *profile.ColumnProfile, rows int64) (removed float64) {
	filled := float64(rows) - float64(p.Missing)
	removed = min(float64(compare.UnparsedRows(training, p, int(rows))), filled)
	for i := range parts {
		parts[i].count *= 1 - removed/max(filled, 1)
	}
	return removed
}

// formatInteger formats value, rounded up to an integer.
func formatInteger(value float64) string { return strconv.FormatFloat(math.Ceil(value), 'f', 0, 64) }

// formatIntegerRange formats the range of the integers n with from ≤ n < to.
func formatIntegerRange(from, to float64) string {
	if last := math.Ceil(to) - 1; last > math.Ceil(from) {
		return formatInteger(from) + "–" + formatInteger(last)
	}
	return formatInteger(from)
}

// countTextParts counts the most frequent texts of the training file separately, and all other
// texts together. Long texts are shortened in a dataset, so texts that are equal when shortened are
// one part. filled is the number of rows of the compared file that have a value.
func countTextParts(known *api.Column, p *profile.ColumnProfile, trainingRows int64, filled float64) []countedPart {
	var texts []string
	others := countedPart{"other", float64(trainingRows - known.Missing), filled}
	for _, value := range known.Distribution.Top {
		texts = append(texts, value.Label)
	}
	var parts []countedPart
	for i, count := range p.CountTexts(texts, api.AbbreviateValue) {
		one := countedPart{texts[i], float64(known.Distribution.Top[i].Rows), float64(count)}
		others.training -= one.training
		others.count -= one.count
		if at := slices.IndexFunc(parts, func(p countedPart) bool { return p.name == one.name }); at >= 0 {
			parts[at].training += one.training
			parts[at].count += one.count
			continue
		}
		parts = append(parts, one)
	}
	return append(parts, others)
}

// minPSIShare replaces smaller fractions of the rows when the population stability index is
// computed. It keeps the index finite, and limits the effect of a rare value that only one of the
// files has.
const minPSIShare = 0.005

// setIndexAndParts sets Index, Chance, Level and Parts of c, computed from parts. It omits parts
// that have no row in either file.
func setIndexAndParts(c *api.DriftColumn, parts []countedPart, trainingRows, rows float64) {
	parts = slices.DeleteFunc(parts, func(p countedPart) bool { return p.training < 0.5 && p.count < 0.5 })
	index := 0.0
	for _, p := range parts {
		part := api.DriftPart{Name: p.name, Training: p.training / max(trainingRows, 1), Share: p.count / max(rows, 1)}
		c.Parts = append(c.Parts, part)
		before, now := max(part.Training, minPSIShare), max(part.Share, minPSIShare)
		index += (now - before) * math.Log(now/before)
	}
	c.Index, c.Chance = &index, chancePSI(len(parts), trainingRows, rows)
	switch {
	case index < minPSISome || index < c.Chance:
		c.Level = api.DriftNone
	case index < minPSILarge:
		c.Level = api.DriftSome
	default:
		c.Level = api.DriftLarge
	}
}

// chancePSI returns the 99.9 % quantile of the population stability index of two random samples
// from the same distribution, with the given numbers of rows. This is (1/trainingRows + 1/rows)
// times the 99.9 % quantile of the chi-squared distribution with parts-1 degrees of freedom (B.
// Yurdakul and J. Naranjo, Journal of Risk Model Validation 14, 2020), by the approximation of
// Wilson and Hilferty. It is 0 if there are fewer than two parts, or if a sample has no rows.
func chancePSI(parts int, trainingRows, rows float64) float64 {
	if parts < 2 || trainingRows == 0 || rows == 0 {
		return 0
	}
	const z = 3.0902 // the 99.9 % quantile of the normal distribution
	k := float64(parts - 1)
	quantile := k * math.Pow(1-2/(9*k)+z*math.Sqrt(2/(9*k)), 3)
	return (1/trainingRows + 1/rows) * quantile
}

// maxNamedColumns is the maximum number of columns that a verdict names.
const maxNamedColumns = 5

// verdict returns the sentences that summarise a report. important has the names of the model's
// columns, the most important first.
func verdict(r *api.DriftReport, important []string) []string {
	var drifted, large, unknown []string
	byChance := false
	for i := range r.Columns {
		c := &r.Columns[i]
		byChance = byChance || c.Level == api.DriftNone && *c.Index >= minPSISome
		if c.Level == api.DriftUnknown {
			unknown = append(unknown, c.Name)
		}
		if c.Level == api.DriftLarge {
			large = append(large, c.Name)
		}
		if c.Level == api.DriftSome || c.Level == api.DriftLarge {
			drifted = append(drifted, c.Name)
		}
	}
	compared := len(r.Columns) - len(unknown)
	var notCompared []string
	if len(unknown) > 0 {
		notCompared = []string{fmt.Sprintf("Not compared: %s.", humanize.QuotedList(unknown, maxNamedColumns))}
	}
	switch {
	case compared == 0:
		return []string{"No column could be compared."}
	case len(drifted) == 0 && byChance:
		first := fmt.Sprintf("The values of %s differ from those in training, but not more than they would by chance in a file of this size.", humanize.Count(compared, "compared column"))
		return append([]string{first}, notCompared...)
	case len(drifted) == 0:
		return append([]string{fmt.Sprintf("The values of all %s are distributed as in training.", humanize.Count(compared, "compared column"))}, notCompared...)
	}
	first := fmt.Sprintf("The values of %d of %s are distributed differently than in training: %s.", len(drifted), humanize.Count(compared, "compared column"), humanize.QuotedList(drifted, maxNamedColumns))
	sentences := []string{first}
	for place, name := range important[:min(len(important), 3)] {
		if slices.Contains(drifted, name) {
			sentences = append(sentences, fmt.Sprintf("%q is among them, the %s column of the model.", name, []string{"most important", "second most important", "third most important"}[place]))
		}
	}
	if len(large) > 0 {
		sentences = append(sentences, "The scores of the model may not hold for these rows.")
	}
	return append(sentences, notCompared...)
}
