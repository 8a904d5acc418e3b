package scoring

import "slices"

// A labelKey returns a text that is equal for labels that count as equal.
type labelKey func(label string) string

// newLabelKey returns the labelKey for the given lists of labels. It ignores the spaces around
// labels, and the different forms of a number, unless this would make two labels of one list equal:
// then they are different classes, such as 100 and 1e2. If spaces are ignored, newLabelKey removes
// them from all lists, including others.
func newLabelKey(lists, others [][]string) labelKey {
	if keepsDistinct(trimLabel, lists) {
		for _, list := range append(slices.Clip(lists), others...) {
			for i := range list {
				list[i] = trimLabel(list[i])
			}
		}
	}
	if keepsDistinct(canonicalLabel, lists) {
		return canonicalLabel
	}
	return func(label string) string { return label }
}

// keepsDistinct reports whether key returns different texts for different labels of each list.
func keepsDistinct(key labelKey, lists [][]string) bool {
	for _, list := range lists {
		labels := map[string]string{} // by their key
		for _, label := range list {
			text := key(label)
			if other, known := labels[text]; known && other != label {
				return false
			}
			labels[text] = label
		}
	}
	return true
}

// setLabelKey sets the key of predictions that are compared with each other, and with the true
// labels unless these are nil. The key keeps the classes of each file apart. If the classes of
// a model are known from a receipt or from probability columns, the true labels need not be kept
// apart, because the model has only one class for them.
func setLabelKey(trueLabels []string, files ...*predictions) {
	var lists [][]string
	areKnown := true
	for _, p := range files {
		lists = append(lists, slices.Clone(p.modelClasses), p.classes, p.labels)
		areKnown = areKnown && len(p.modelClasses)+len(p.classes) > 0
	}
	var others [][]string
	if areKnown {
		others = append(others, trueLabels)
	} else {
		lists = append(lists, trueLabels)
	}
	key := newLabelKey(lists, others)
	for _, p := range files {
		p.key = key
	}
}
