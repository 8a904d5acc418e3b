package csvfile

import "strconv"

// UniqueName returns name if it is not taken. If it is, UniqueName appends the first number, as in
// name_2, for which isTaken returns false.
func UniqueName(name string, isTaken func(name string) bool) string {
	free := name
	for n := 2; isTaken(free); n++ {
		free = name + "_" + strconv.Itoa(n)
	}
	return free
}
