package scoring

import "slices"

// labelKey maps a label to a text. Two labels are considered equal if their texts are
// equal.
type labelKey func(label string) string

// newLabelKey returns the key with which labels are compared with the classes of one or several
// models. classes holds the classes of each model, and labels holds lists of other labels. The key
// ignores the spaces around labels and the form of numbers, as in 100 and 1e2. If two classes of a
// model differ only in spaces or only in the form of a number, the key does not ignore this
// difference. If the key ignores spaces, newLabelKey also removes them from classes and labels.
func newLabelKey(classes, labels [][]string) labelKey {
	trims := keepsDistinct(trimLabel, classes)
	if trims {
		for _, list := range append(slices.Clip(classes), labels...) {
			for i := range list {
				list[i] = trimLabel(list[i])
			}
		}
	}
	isCanonical := keepsDistinct(canonicalLabel, classes)
	return func(label string) string {
		if trims {
			label = trimLabel(label) // a class of a receipt may have spaces
		}
		if isCanonical {
			label = canonicalLabel(label)
		}
		return label
	}
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

// setLabelKey sets the key with which the labels of the files are compared with each other and,
// unless trueLabels is nil, with the true labels. With this key, different classes of a model are
// never equal. The classes are taken from a receipt or from the probability columns; without these,
// they are the predicted labels. Any other label, such as a true label, equals the class from which
// it differs only in spaces or in the form of a number.
func setLabelKey(trueLabels []string, files ...*predictions) {
	labels := [][]string{trueLabels}
	var classes [][]string
	for _, p := range files {
		if len(p.modelClasses)+len(p.classes) == 0 {
			classes = append(classes, p.labels)
			continue
		}
		classes = append(classes, slices.Clone(p.modelClasses), p.classes)
		labels = append(labels, p.labels)
	}
	key := newLabelKey(classes, labels)
	for _, p := range files {
		p.key = key
	}
}
