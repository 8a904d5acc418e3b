package scoring

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/result"
)

// checkLabelsOverlap returns a *Fault if no true label is a class of the predictions. Such files do
// not belong together, or one of the columns is the wrong one.
func checkLabelsOverlap(p *predictions, a *answers) error {
	predicted := distinctLabels(p.classes, p.labels)
	truths := distinctLabels(a.labels)
	known := map[string]bool{}
	for _, label := range predicted {
		known[p.key(label)] = true
	}
	if slices.ContainsFunc(truths, func(label string) bool { return known[p.key(label)] }) {
		return nil
	}
	const most = 5
	fault := &Fault{Message: fmt.Sprintf("no true label is a predicted class: the true labels (column %s of the answers) are %s, the classes are %s",
		quote(a.label), humanize.QuotedList(truths, most), humanize.QuotedList(predicted, most))}
	fault.Hint = "choose the column of the true labels with --label"
	if differOnlyInCase(truths, predicted) {
		fault.Hint = "the labels differ only in upper and lower case: write them alike in both files"
	} else if differOnlyInSpelling(truths, predicted) {
		fault.Hint = "the labels differ only in spelling, such as a point at the end or invisible characters: write them alike in both files"
	} else if areSameBooleans(truths, predicted) {
		fault.Hint = "the files write the classes in different ways, such as True and 1: write them alike in both files"
	} else if looksSwapped(p, a) {
		fault.Hint = swappedHint
	}
	return fault
}

// orderHint is the hint about files whose rows are joined by their order, but seem not to belong
// together.
const orderHint = "sort the rows of both files alike, or join them by a column of unique values with --id; --in-order joins them by their order without this check"

// encodingHint is the hint about a file that is not UTF-8.
const encodingHint = "set the encoding with --encoding; `foretell check FILE` shows the text in the likely encodings"

// The hints about a file that does not have the expected columns. Diff uses diffHint instead of the
// other two.
const (
	swappedHint    = "the files are probably swapped: the first must be the predictions, the second the answers"
	predictionHint = "choose the column of the predicted labels with --prediction"
	diffHint       = "both files must contain predictions; pass the file with the true labels with --answers"
)

// looksSwapped reports whether the answers have a column with the usual name of predicted labels,
// and the predictions do not.
func looksSwapped(p *predictions, a *answers) bool {
	return result.PredictionColumn(a.names) >= 0 && result.PredictionColumn(p.names) < 0
}

// distinctLabels returns the different labels of all lists, in the order of their first
// occurrence.
func distinctLabels(lists ...[]string) []string {
	var distinct []string
	seen := map[string]bool{}
	for _, labels := range lists {
		for _, label := range labels {
			if !seen[label] {
				seen[label] = true
				distinct = append(distinct, label)
			}
		}
	}
	return distinct
}

// differOnlyInCase reports whether a label of one list differs from a label of the other list
// only in upper and lower case.
func differOnlyInCase(labels, others []string) bool {
	return haveCommonLabel(labels, others, strings.ToLower)
}

// differOnlyInSpelling reports whether a label of one list differs from a label of the other list only in
// spelling.
func differOnlyInSpelling(labels, others []string) bool {
	return haveCommonLabel(labels, others, cells.FoldLabel)
}

// haveCommonLabel reports whether the lists have a label in common, where labels are equal if fold
// returns the same text for them.
func haveCommonLabel(labels, others []string, fold func(label string) string) bool {
	folded := map[string]bool{}
	for _, label := range others {
		folded[fold(label)] = true
	}
	return slices.ContainsFunc(labels, func(label string) bool { return folded[fold(label)] })
}
