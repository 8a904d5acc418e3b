package scoring

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/learn/metric"
	"foretell/internal/table/cells"
)

// classes are the distinct labels of both files.
type classes struct {
	names []string
	index map[string]int32 // by key
	key   labelKey
}

// maxClasses is the maximum number of classes. It limits the memory for the confusion matrix and
// the probabilities.
const maxClasses = 2000

// newClasses returns the classes of both files. The classes with a probability column come first,
// in file order, and then the other labels, sorted. If the files write a label in different ways, such
// as 0 and 0.0, its name is the one in the predictions.
func newClasses(p *predictions, a *answers) (*classes, error) {
	c := &classes{index: map[string]int32{}, key: p.key}
	for _, name := range p.classes {
		c.add(name)
	}
	rest := map[string]string{}
	collect := func(file FileRole, column string, labels []string) error {
		for _, label := range labels {
			if _, known := rest[c.key(label)]; !known {
				rest[c.key(label)] = label
			}
		}
		if len(rest) > maxClasses {
			return &Fault{File: file, Line: 1, Message: fmt.Sprintf("the column %s has more than %d different values, too many for classes", quote(column), maxClasses)}
		}
		return nil
	}
	if err := collect(Answers, a.label, a.labels); err != nil {
		return nil, err
	}
	if err := collect(Predictions, p.label, p.labels); err != nil {
		return nil, err
	}
	for _, label := range slices.Backward(p.labels) { // of several ways to write a label, the first counts
		rest[c.key(label)] = label
	}
	others := slices.Collect(maps.Values(rest))
	slices.SortFunc(others, func(x, y string) int { return strings.Compare(c.key(x), c.key(y)) })
	for _, label := range others {
		c.add(label)
	}
	return c, nil
}

func (c *classes) add(name string) {
	if _, known := c.index[c.key(name)]; !known {
		c.index[c.key(name)] = int32(len(c.names))
		c.names = append(c.names, name)
	}
}

// allProbabilities returns in all the probabilities of all classes, row-major. If there are two
// classes and only one of them has a probability column, the probability of the other class is 1
// minus this probability. In all other cases, all is nil if a class has no probability column, and
// without holds the names of these classes.
func (p *predictions) allProbabilities(c *classes) (all []float32, without []string) {
	n := len(c.names)
	source := slices.Repeat([]int{-1}, n)                   // the column of each class in p, or -1
	for column, class := range slices.Backward(p.classes) { // of equal classes, the first counts
		source[c.index[c.key(class)]] = column
	}
	for class, column := range source {
		if column < 0 {
			without = append(without, c.names[class])
		}
	}
	missing := slices.Index(source, -1)
	complement := n == 2 && len(without) == 1
	if len(without) > 0 && !complement {
		return nil, without
	}
	all = make([]float32, len(p.labels)*n)
	for row := range p.labels {
		for class, column := range source {
			if column >= 0 {
				all[row*n+class] = p.probabilities[row*len(p.classes)+column]
			}
		}
		if complement {
			all[row*n+missing] = 1 - all[row*n+1-missing]
		}
	}
	return all, nil
}

// canonicalLabel returns the same text for all forms of a decimal number, because some programs
// write 1 as 1.0. It returns other labels unchanged. A number with a redundant zero at its
// beginning, or with more digits than a float64 represents, is a code, and is also returned
// unchanged.
func canonicalLabel(label string) string {
	digits := strings.TrimLeft(label, "+-")
	isCode := len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' || !cells.DigitsFitFloat64(label)
	if isCode {
		return label
	}
	if v, isNumber := cells.ParseNumber([]byte(label)); isNumber && !math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return label
}

// ClassName returns label as r writes it: 0 becomes 0.0 if r has no class 0, but a class 0.0. It returns
// label unchanged if r does not have this class, or writes it in several ways.
func (r *Result) ClassName(label string) string {
	name, key := label, canonicalLabel(trimLabel(label))
	for _, class := range r.Classes {
		switch {
		case class.Label == label:
			return label
		case canonicalLabel(trimLabel(class.Label)) != key:
		case name != label:
			return label // two classes of the model differ only in the form of a number
		default:
			name = class.Label
		}
	}
	return name
}

// MetricName returns the name of a metric with its class as r writes it; see [Result.ClassName].
func (r *Result) MetricName(name string) string {
	if base, class := metric.SplitName(name); base != name {
		return base + "[" + r.ClassName(class) + "]"
	}
	return name
}
