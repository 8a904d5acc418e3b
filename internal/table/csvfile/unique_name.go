package csvfile

import "strconv"

// UniqueName returns name or, if isTaken returns true for it, name with the first number appended for
// which isTaken returns false, such as name_2.
func UniqueName(name string, isTaken func(name string) bool) string {
	free := name
	for n := 2; isTaken(free); n++ {
		free = name + "_" + strconv.Itoa(n)
	}
	return free
}
