package scoring

import (
	"fmt"
	"strings"
)

// maxExactDigits is the largest number of digits that all integers keep when a program writes them as
// floating-point numbers.
const maxExactDigits = 15

// integerID returns an ID without leading zeros and without a fraction of zeros, as in 0901 and 901.0. It
// returns "" if the ID is not such an integer.
func integerID(id string) string {
	digits, fraction, isFloat := strings.Cut(id, ".")
	isNoDigit := func(r rune) bool { return r < '0' || r > '9' }
	if digits == "" || strings.ContainsFunc(digits, isNoDigit) || strings.Trim(fraction, "0") != "" || isFloat && len(digits) > maxExactDigits {
		return ""
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0"
	}
	return digits
}

// idKey is like labelKey, for IDs. If it is nil, only equal IDs are considered equal.
type idKey func(id string) string

// of returns the text of an ID.
func (k idKey) of(id string) string {
	if k == nil {
		return id
	}
	return k(id)
}

// set returns the set of the texts of ids.
func (k idKey) set(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[k.of(id)] = true
	}
	return set
}

// differentForms returns an ID as each of two files writes it if the IDs must be compared by integerID: the
// files write the same numbers in different ways, all IDs are integers, and different IDs of a file are
// different numbers. Otherwise, it returns nil.
func differentForms(first, second []string) (example []string) {
	numbers := map[string]string{} // the IDs of second by their number
	for _, id := range second {
		numbers[integerID(id)] = id
	}
	for _, id := range first {
		number := integerID(id)
		if number == "" {
			return nil
		}
		if other := numbers[number]; other != "" && other != id && example == nil {
			example = []string{id, other}
		}
	}
	if _, hasOther := numbers[""]; hasOther || example == nil || !keepsDistinct(integerID, [][]string{first, second}) {
		return nil
	}
	return example
}

// IDNumbers is an ID as each of two files writes it, if the IDs were compared as numbers; otherwise nil.
type IDNumbers []string

// newIDNumbers returns the key by which the IDs of two files are compared, and the IDNumbers.
func newIDNumbers(first, second []string) (idKey, IDNumbers) {
	example := differentForms(first, second)
	if example == nil {
		return nil, nil
	}
	return integerID, example
}

// Note returns a sentence about IDs that were compared as numbers, without a full stop. It returns "" if
// they were compared as texts.
func (n IDNumbers) Note() string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf("the IDs were compared as numbers, because the files write them in different ways, such as %s and %s", quote(n[0]), quote(n[1]))
}
