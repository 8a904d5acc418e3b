package scoring

import "foretell/internal/table/cells"

// areSameBooleans reports whether both lists are booleans: one or two labels that mean yes or no.
// Both lists must have a label for yes, or both a label for no.
func areSameBooleans(labels, others []string) bool {
	hasYes, hasNo, areBooleans := booleanMeanings(labels)
	otherYes, otherNo, areOthers := booleanMeanings(others)
	return areBooleans && areOthers && (hasYes && otherYes || hasNo && otherNo)
}

// booleanMeanings reports whether a label means yes (hasYes), and whether a label means no (hasNo).
// areBooleans reports whether there are at most two labels, and all of them mean yes or no. If a
// label means neither, all results are false.
func booleanMeanings(labels []string) (hasYes, hasNo, areBooleans bool) {
	for _, label := range labels {
		label = cells.FoldBoolean(label)
		isYes, isNo := label == "true", label == "false"
		if !isYes && !isNo {
			return false, false, false
		}
		hasYes, hasNo = hasYes || isYes, hasNo || isNo
	}
	return hasYes, hasNo, len(labels) <= 2
}
