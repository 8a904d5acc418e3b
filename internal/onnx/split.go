package onnx

// Split divides rows in two by the interval that contains the number x in a column:
//
//	Left[0]              x ≤ Bounds[0]
//	Left[1]  Bounds[0] < x ≤ Bounds[1]
//	Left[2]  Bounds[1] < x
//
// Left reports for each interval whether its rows go left. Neighbouring intervals go to different
// sides. The bounds are ascending.
type Split struct {
	Column int
	Bounds []float64
	Left   []bool
	// MissingLeft reports whether rows with NaN go left.
	MissingLeft bool
}

// AddInterval adds an interval above the intervals added so far. bound is the bound between the
// last interval and the new interval; it is ignored for the first interval. left is set if the rows
// of the new interval go left. If both intervals go to the same side, they become one interval.
func (s *Split) AddInterval(bound float64, left bool) {
	switch last := len(s.Left) - 1; {
	case last < 0:
		s.Left = append(s.Left, left)
	case s.Left[last] != left:
		s.Bounds, s.Left = append(s.Bounds, bound), append(s.Left, left)
	}
}

// OnlySide reports in ok whether all rows go to the same side, and in left whether this is
// the left side.
func (s *Split) OnlySide() (left, ok bool) {
	return s.MissingLeft, len(s.Left) == 1 && s.Left[0] == s.MissingLeft
}
