package frame

import "fmt"

// canBeLabel tells why a column cannot be the label; empty if it can.
func (s *scan) canBeLabel(at int) string {
	t := &s.tallies[at]
	n, _ := t.distinctTexts()
	filled := t.cells[number] + t.cells[marker] + t.cells[text]
	switch {
	case filled == 0:
		return "is empty"
	case n == 1:
		return "has the same value in every row"
	case n > 2 && 2*n > filled, n > maxClasses:
		return fmt.Sprintf("has %s different values", grouped(n))
	}
	return ""
}

// guessLabel returns the column that is rather the label than the last one, and
// why: -1 if the last one can be it, or if there is no other with a name like a
// label's that can, or more than one.
func (s *scan) guessLabel(names []string, last, id int) (at int, why string) {
	if last < 0 {
		return -1, ""
	}
	wrong := s.canBeLabel(last)
	if wrong == "" {
		return -1, ""
	}
	at = -1
	for i, name := range names {
		if i == last || i == id || !NamesLabel(name) || s.canBeLabel(i) != "" {
			continue
		}
		if at >= 0 {
			return -1, ""
		}
		at = i
	}
	if at < 0 {
		return -1, ""
	}
	n, _ := s.tallies[at].distinctTexts()
	return at, fmt.Sprintf("it has %s different values and a name like a label's, and the last column, %s, %s", grouped(n), excerpt(names[last]), wrong)
}
