package preflight

import (
	"encoding/csv"
	"slices"
	"strings"
)

// columnList is the value of a flag such as --drop: a list of columns, separated by commas. It
// implements pflag.SliceValue. A name that has a comma may be in double quotes. A value that is a
// single such name needs no quotes; see joinNames.
type columnList struct {
	values []columnListValue
}

// columnListValue is one use of the flag: its text, and the names in it.
type columnListValue struct {
	text  string
	names []string
}

// newColumnList returns the list of the given names.
func newColumnList(names []string) columnList {
	var l columnList
	_ = l.Replace(names)
	return l
}

// Set adds the names in text. If text is not a valid line of CSV because of its quotes, all of text is
// one name. An empty text has no name.
func (l *columnList) Set(text string) error {
	if text == "" {
		return nil
	}
	names, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		names = []string{text}
	}
	l.values = append(l.values, columnListValue{text, names})
	return nil
}

// joinNames restores column names that Set has split at their commas. The text of a flag becomes a
// single name if it is the name of a column, and at least one of its parts is not. header has the
// names of all columns.
func (l *columnList) joinNames(header []string) {
	for i := range l.values {
		v := &l.values[i]
		isMissing := func(name string) bool { return !slices.Contains(header, name) }
		if slices.Contains(header, v.text) && slices.ContainsFunc(v.names, isMissing) {
			v.names = []string{v.text}
		}
	}
}

// GetSlice returns the names in the order of the flags.
func (l *columnList) GetSlice() []string {
	var names []string
	for i := range l.values {
		names = append(names, l.values[i].names...)
	}
	return names
}

// Append adds a name.
func (l *columnList) Append(name string) error {
	l.values = append(l.values, columnListValue{name, []string{name}})
	return nil
}

// Replace replaces all names.
func (l *columnList) Replace(names []string) error {
	l.values = nil
	for _, name := range names {
		_ = l.Append(name)
	}
	return nil
}

// String returns the names, separated by commas.
func (l *columnList) String() string { return strings.Join(l.GetSlice(), ",") }

// Type returns the type of a pflag.StringSlice, whose syntax a columnList extends.
func (l *columnList) Type() string { return "stringSlice" }
