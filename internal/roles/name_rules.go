package roles

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/table/csvfile"
)

// isIDName reports whether a name may be that of an ID, such as id, key, index, no,
// customer_id or PassengerId, or the empty name of an index.
func isIDName(name string) bool {
	switch csvfile.NormalizeName(name) {
	case "key", "index", "nr", "no", "num", "number", "row", "rownum", "rownumber", "recordid", "unnamed0":
		return true
	}
	return name == "" || isSureIDName(name)
}

// isSureIDName reports whether a name is nearly always that of an ID, at any position.
func isSureIDName(name string) bool {
	switch csvfile.NormalizeName(name) {
	case "id", "uuid", "guid", "rowid":
		return true
	}
	last := strings.LastIndexFunc(name, func(char rune) bool { return !unicode.IsLetter(char) && !unicode.IsDigit(char) })
	if word := strings.ToLower(name[last+1:]); last >= 0 && (word == "id" || word == "key" || word == "uuid" || word == "guid") {
		return true
	}
	// These are names such as customerID and PassengerId, but not PAID or Madrid.
	stem := strings.TrimSuffix(strings.TrimSuffix(name, "Id"), "ID")
	before, _ := utf8.DecodeLastRuneInString(stem)
	return stem != name && (unicode.IsLower(before) || unicode.IsDigit(before))
}

// sureLabelNames are names, as csvfile.NormalizeName returns them, that are nearly always
// those of labels. otherLabelNames are often the names of other columns, too.
var (
	sureLabelNames = []string{
		"label", "labels", "class", "target", "y", "outcome", "churn", "churned", "survived", "fraud", "isfraud",
		"diagnosis", "species", "spam", "isspam", "converted", "defaulted",
	}
	otherLabelNames = []string{
		"result", "response", "default", "category", "clicked", "approved", "status", "type", "group", "quality", "grade",
	}
)

// isLabelName reports whether a name may be that of a label.
func isLabelName(name string) bool {
	return isSureLabelName(name) || slices.Contains(otherLabelNames, csvfile.NormalizeName(name))
}

// isSureLabelName reports whether a name is nearly always that of a label, at any
// position.
func isSureLabelName(name string) bool {
	return slices.Contains(sureLabelNames, csvfile.NormalizeName(name))
}
