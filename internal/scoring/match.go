package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/result"
)

// checkLabels returns a *Fault if the predicted labels cannot be compared with the true labels: if
// the predicted labels seem to be probabilities, or if no true label is a class of the predictions.
// In the second case the files do not belong together, or a wrong column was chosen. file
// identifies the file of p in the error.
func checkLabels(file FileRole, p *predictions, a *answers) error {
	predicted, truths := p.knownLabels(), distinctLabels(a.labels)
	if !slices.ContainsFunc(truths, isFraction) { // otherwise the classes are fractions
		if err := p.rejectProbabilities(file, nil); err != nil {
			return err
		}
	}
	if haveCommonLabel(truths, predicted, p.key) {
		return nil
	}
	fault := &Fault{Message: fmt.Sprintf("no true label is a predicted class: the true labels (column %s of the answers) are %s, and the classes are %s",
		quote(a.label), humanize.QuotedList(truths, maxQuotedLabels), humanize.QuotedList(predicted, maxQuotedLabels))}
	fault.Hint = "choose the column of the true labels with --label"
	if hint := spellingHint(truths, predicted); hint != "" {
		fault.Hint = hint
	} else if looksSwapped(p, a) {
		fault.Hint = swappedHint
	}
	return fault
}

// checkSecondLabels returns a *Fault if the labels of two files of predictions cannot be compared.
// This is so if the labels of a file seem to be probabilities, or if each file has several classes
// and the files have no class in common.
func checkSecondLabels(first, second *predictions) error {
	if err := cmp.Or(first.rejectProbabilities(Predictions, second.labels), second.rejectProbabilities(SecondPredictions, first.labels)); err != nil {
		return err
	}
	from, to := first.knownLabels(), second.knownLabels()
	if min(len(from), len(to)) < 2 || haveCommonLabel(from, to, first.key) {
		return nil
	}
	return &Fault{
		Message: fmt.Sprintf("they have no predicted class in common: the classes of the first predictions are %s; the classes of the second are %s",
			humanize.QuotedList(from, maxQuotedLabels), humanize.QuotedList(to, maxQuotedLabels)),
		Hint: cmp.Or(spellingHint(from, to), diffHint),
	}
}

const (
	maxQuotedLabels  = 5 // largest number of labels in a message
	minProbabilities = 3 // smallest number of different fractions that seem to be probabilities
)

// rejectProbabilities returns a *Fault about file if its predicted labels seem to be the
// probabilities of a class, as in some submissions to competitions: all of them are numbers from 0
// to 1, and several are fractions that are not in known. known holds the labels with which they are
// compared. If the classes of the predictions are known, rejectProbabilities returns nil.
func (p *predictions) rejectProbabilities(file FileRole, known []string) error {
	if len(p.classes)+len(p.modelClasses) > 0 {
		return nil
	}
	isKnown := map[string]bool{}
	for _, label := range known {
		isKnown[p.key(label)] = true
	}
	var fractions []string
	for _, label := range distinctLabels(p.labels) {
		if _, isProbability := parseProbability(trimLabel(label)); !isProbability {
			return nil
		}
		if isFraction(label) && !isKnown[p.key(label)] {
			fractions = append(fractions, label)
		}
	}
	if len(fractions) < minProbabilities {
		return nil
	}
	return &Fault{
		File:    file,
		Message: fmt.Sprintf("the column %s seems to have probabilities instead of predicted classes: %s", quote(p.label), humanize.QuotedList(fractions, maxQuotedLabels)),
		Hint:    "write the predicted class of each row into a column prediction, and its probabilities into a column probability_<class> for each class",
	}
}

// isFraction reports whether a label is a number greater than 0 and less than 1.
func isFraction(label string) bool {
	number, isProbability := parseProbability(trimLabel(label))
	return isProbability && number > 0 && number < 1
}

// spellingHint returns a hint if labels and others are probably the same classes in different
// spellings, such as yes and Yes, or True and 1. Otherwise it returns "".
func spellingHint(labels, others []string) string {
	switch {
	case haveCommonLabel(labels, others, strings.ToLower):
		return "the labels differ only in upper and lower case: use the same spelling in both files"
	case haveCommonLabel(labels, others, cells.FoldLabel):
		return "the labels differ only in spelling, such as a point at the end or invisible characters: use the same spelling in both files"
	case areSameBooleans(labels, others):
		return "the files spell the classes differently, such as True and 1: use the same spelling in both"
	}
	return ""
}

// orderHint is the hint about files whose rows are joined by their order, but seem not to belong
// together.
const orderHint = "sort the rows of both files in the same order, or join them by a column of unique values with --id; --in-order joins them by their order without this check"

// idNameHint is the hint about files whose rows are joined by columns of different names, but seem not
// to belong together.
const idNameHint = "choose a column of unique values that is in both files with --id; if the columns are the right ones, write the same name above both"

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

// knownLabels returns the classes of the model, those with a probability column, and the predicted labels.
func (p *predictions) knownLabels() []string {
	return distinctLabels(p.classes, p.modelClasses, p.labels)
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

// haveCommonLabel reports whether the lists have a label in common, where labels are equal if fold
// returns the same text for them.
func haveCommonLabel(labels, others []string, fold func(label string) string) bool {
	folded := map[string]bool{}
	for _, label := range others {
		folded[fold(label)] = true
	}
	return slices.ContainsFunc(labels, func(label string) bool { return folded[fold(label)] })
}
