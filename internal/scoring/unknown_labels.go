package scoring

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/learn/metric"
	"foretell/internal/table/cells"
)

// UnknownLabels are the true labels that are not classes of the model. The model can never predict
// them, so accuracy counts their rows as wrong. Metrics of probabilities leave these rows out,
// because the log loss of a class without a probability would be infinite. Means over classes
// are over the classes of the model.
type UnknownLabels struct {
	// Rows is the number of scored rows with such a label.
	Rows int `json:"rows"`
	// Labels are the distinct labels.
	Labels []string `json:"labels"`
	// OtherSpelling holds two elements: one of the labels, and a class that differs from this label
	// only in spelling. It is nil if there is no such label.
	OtherSpelling []string `json:"-"`
}

// Note returns a sentence about the rows with unknown labels, without a full stop.
func (u *UnknownLabels) Note() string {
	const most = 5
	note := fmt.Sprintf("%s a label that is not a class of the model (%s); accuracy, macroF1, precision and f1 count such rows as wrong, and the other metrics omit them",
		humanize.Count(u.Rows, "row")+" "+humanize.HasOrHave(u.Rows), humanize.QuotedList(u.Labels, most))
	if other := u.OtherSpelling; other != nil {
		difference := "spelling"
		if strings.EqualFold(other[0], other[1]) {
			difference = "upper and lower case"
		}
		note += fmt.Sprintf("; the label %s differs from the class %s only in %s: use the same spelling in both files", quote(other[0]), quote(other[1]), difference)
	}
	return note
}

// UnlabelledNote returns a sentence about the number of rows without a label, without a full stop. It
// returns "" if there are none.
func UnlabelledNote(rows int) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s no label and cannot be scored", humanize.Count(rows, "row"), humanize.HasOrHave(rows))
}

// UnequalSumsNote returns a clause about the rows whose probabilities do not sum to 1. It returns "" if
// there are none.
func (r *Result) UnequalSumsNote() string {
	if r.UnequalSums == 0 {
		return ""
	}
	return fmt.Sprintf("the probabilities of %s do not sum to 1, so logLoss is wrong", humanize.Count(r.UnequalSums, "row"))
}

// PRAUCNote returns a clause that names the class whose average precision is PRAUC. It returns ""
// if PRAUC is a mean over classes.
func (r *Result) PRAUCNote() string {
	if r.PRAUCClass == "" {
		return ""
	}
	return fmt.Sprintf("prAuc is the average precision of the class %s", quote(r.PRAUCClass))
}

// dropUnlabelled brings the rows of a into the order of p, and removes the rows without a true
// label from both. It also removes the IDs and line numbers, which are not needed afterwards. It
// returns the number of removed rows. order has, for each row of p, the position of its answer in
// a. p.key must be set.
func (p *predictions) dropUnlabelled(a *answers, order []int) (unlabelled int) {
	labels := make([]string, 0, len(order))
	width := len(p.classes)
	isNoLabel := newMissingLabelTest(p)
	for i, at := range order {
		label := a.labels[at]
		if isNoLabel(label) {
			unlabelled++
			continue
		}
		to := len(labels)
		labels = append(labels, label)
		p.labels[to] = p.labels[i]
		copy(p.probabilities[to*width:(to+1)*width], p.probabilities[i*width:(i+1)*width])
	}
	p.ids, p.rows, a.ids, a.rows = nil, nil, nil, nil
	p.labels, p.probabilities, a.labels = p.labels[:len(labels)], p.probabilities[:len(labels)*width], labels
	return unlabelled
}

// noLabelFault returns a fault for answers without a label in any row.
func (a *answers) noLabelFault() error {
	return &Fault{File: Answers, Message: fmt.Sprintf("no row has a label in the column %s", quote(a.label))}
}

// newMissingLabelTest returns a function that reports whether a true label is missing: an empty
// text, or a text such as NA that is not a class. If the classes are unknown, NA may be one of
// them, and only an empty text is missing. The keys of the files must be set.
func newMissingLabelTest(files ...*predictions) func(label string) bool {
	areClassesKnown, isKnown := false, map[string]bool{}
	for _, p := range files {
		areClassesKnown = areClassesKnown || len(p.modelClasses) > 0
		maps.Copy(isKnown, p.knownKeys())
	}
	return func(label string) bool {
		return trimLabel(label) == "" || areClassesKnown && cells.LabelMeansMissing(label) && !isKnown[files[0].key(label)]
	}
}

// knownClasses returns each class of c for which at least one of these is true: the model has it, it
// has a probability column, or it was predicted. If the classes of the model are unknown, it returns c.
func (p *predictions) knownClasses(c *classes) *classes {
	if len(p.modelClasses) == 0 {
		return c
	}
	isKnown := p.knownKeys()
	known := &classes{index: map[string]int32{}, key: c.key}
	for _, name := range c.names {
		if isKnown[c.key(name)] {
			known.add(name)
		}
	}
	return known
}

// knownKeys returns the keys of the classes of the model, of the classes that have a probability
// column, and of the predicted classes.
func (p *predictions) knownKeys() map[string]bool {
	isKnown := map[string]bool{}
	for _, labels := range [][]string{p.modelClasses, p.classes, p.labels} {
		for _, label := range labels {
			isKnown[p.key(label)] = true
		}
	}
	return isKnown
}

// newUnknownLabels returns the labels of p that are not in known, or nil if there are none.
func newUnknownLabels(known *classes, p metric.Predictions) *UnknownLabels {
	u := &UnknownLabels{}
	isUnknown, spellings := make([]bool, p.Classes), make(map[string]string, len(known.names))
	for _, class := range slices.Backward(known.names) { // the first of several spellings remains
		spellings[cells.FoldLabel(class)] = class
	}
	for class, name := range p.Names {
		if _, ok := known.index[known.key(name)]; !ok {
			isUnknown[class] = true
			u.Labels = append(u.Labels, name)
			if class, isKnown := spellings[cells.FoldLabel(name)]; isKnown && u.OtherSpelling == nil {
				u.OtherSpelling = []string{name, class}
			}
		}
	}
	if u.Labels == nil {
		return nil
	}
	for _, label := range p.Labels {
		if isUnknown[label] {
			u.Rows++
		}
	}
	return u
}

// decisions returns the predicted classes, as probabilities of 0 and 1, and the true classes. A
// true class that is not in c is negative. c must have all predicted classes. The rows of a must be
// in the order of p.
func (p *predictions) decisions(a *answers, c *classes) metric.Predictions {
	decided := metric.Predictions{Classes: len(c.names), Names: c.names, Labels: make([]int32, len(p.labels))}
	decided.Probabilities = make([]float32, len(p.labels)*decided.Classes)
	for i := range p.labels {
		class, known := c.index[p.key(a.labels[i])]
		if !known {
			class = -1
		}
		decided.Labels[i] = class
		decided.Probabilities[i*decided.Classes+int(c.index[p.key(p.labels[i])])] = 1
	}
	return decided
}

// rowsOfKnownClasses returns the probabilities and the true classes of the rows whose true label
// is one of the known classes. all holds the probabilities of all rows, row-major, and is
// overwritten.
func (p *predictions) rowsOfKnownClasses(a *answers, known *classes, all []float32) (probabilities []float32, labels []int32) {
	width := len(known.names)
	for i, label := range a.labels {
		class, ok := known.index[p.key(label)]
		if !ok {
			continue
		}
		to := len(labels)
		labels = append(labels, class)
		copy(all[to*width:(to+1)*width], all[i*width:(i+1)*width])
	}
	return all[:len(labels)*width], labels
}

// prAUCClassRows chooses the class whose average precision is the metric prAuc, if there are two
// classes. It is the class called name or, if no class has this name, the class with fewer rows; in
// a tie, class 1. isNamed reports whether it is called name. rows is a value for
// metric.Predictions.ClassRows: 0 for this class and 1 for the other, or nil if there are not two
// classes.
func prAUCClassRows(c *classes, name string, labels []int32) (rows []int, isNamed bool) {
	if len(c.names) != 2 {
		return nil, false
	}
	ones := 0
	for _, label := range labels {
		ones += int(label)
	}
	class := 1 // also if both classes have the same number of rows
	if len(labels)-ones < ones {
		class = 0
	}
	if at, known := c.index[c.key(name)]; known && name != "" {
		class, isNamed = int(at), true
	}
	rows = []int{1, 1}
	rows[class] = 0
	return rows, isNamed
}
