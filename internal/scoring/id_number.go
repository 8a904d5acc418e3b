package scoring

import (
	"fmt"
	"strings"
)

// maxExactDigits is the largest number of digits that all integers keep when a program writes them as
// floating-point numbers.
const maxExactDigits = 15

// integerID returns an ID without its leading zeros and without a fraction of zeros: "901" for 0901
// and for 901.0. It returns "" if the ID is not an integer.
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

// of returns k(id) or, if k is nil, id.
func (k idKey) of(id string) string {
	if k == nil {
		return id
	}
	return k(id)
}

// set returns the set of the results of k.of for ids.
func (k idKey) set(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[k.of(id)] = true
	}
	return set
}

// differentForms returns an example of an ID that two files write in different ways, such as "0901"
// and "901". It returns nil if there is no such ID, if an ID is not an integer, or if different IDs
// of a file are the same number.
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

// IDNumbers is an example of an ID that was compared as a number: the form in which each of two
// files writes it, such as "0901" and "901". It is nil if the IDs were not compared as numbers.
type IDNumbers []string

// newIDNumbers returns the key by which the IDs of two files are compared, and an example of IDs
// that are compared as numbers. Both are nil if the IDs are compared as texts.
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
