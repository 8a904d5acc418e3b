package metric

import "math"

// topTwo holds the two classes with the highest weighted probabilities in a row, and these
// weighted probabilities. The first is the class that Decide chooses. If there is only one class,
// the second class is 0 with the value -Inf.
type topTwo struct {
	class [2]int32
	value [2]float64
}

// newTopTwo returns the topTwo of a row with the given probabilities. probabilities and weights
// have one number for each class.
func newTopTwo(probabilities []float32, weights []float64) topTwo {
	t := topTwo{value: [2]float64{math.Inf(-1), math.Inf(-1)}}
	for c, q := range probabilities {
		if value := float64(q) * weights[c]; !(value < t.value[1]) { // to save the call for most classes
			t.insert(int32(c), value)
		}
	}
	return t
}

// insert puts a class into t if its weighted probability is among the two highest. t must not
// contain the class yet.
func (t *topTwo) insert(class int32, value float64) {
	switch {
	case t.precedes(class, value, 0):
		t.class[1], t.value[1] = t.class[0], t.value[0]
		t.class[0], t.value[0] = class, value
	case t.precedes(class, value, 1):
		t.class[1], t.value[1] = class, value
	}
}

// precedes reports whether Decide chooses a class with the given weighted probability rather than
// the class at the given position.
func (t *topTwo) precedes(class int32, value float64, position int) bool {
	return value > t.value[position] || value == t.value[position] && class < t.class[position]
}

// update updates t after the weight of class has changed. value is its new weighted probability.
func (t *topTwo) update(class int, value float64, probabilities []float32, weights []float64) {
	switch c := int32(class); {
	case t.class[0] == c && t.precedes(c, value, 1):
		t.value[0] = value
	case t.class[1] == c && t.precedes(c, value, 0):
		t.class[1], t.value[1] = t.class[0], t.value[0]
		t.class[0], t.value[0] = c, value
	case t.class[1] == c && value >= t.value[1]:
		t.value[1] = value
	case t.class[0] == c || t.class[1] == c: // a third class may now be among the two
		*t = newTopTwo(probabilities, weights)
	default:
		t.insert(c, value)
	}
}

// decide returns the class that Decide would choose if value were the weighted probability of
// class.
func (t *topTwo) decide(class int, value float64) int {
	other := t.otherPosition(class)
	if t.precedes(int32(class), value, other) {
		return class
	}
	return int(t.class[other])
}

// firstOther returns the class that Decide would choose if class did not exist.
func (t *topTwo) firstOther(class int) int { return int(t.class[t.otherPosition(class)]) }

// otherPosition returns the position of the first class other than class.
func (t *topTwo) otherPosition(class int) int {
	if int(t.class[0]) == class {
		return 1
	}
	return 0
}
