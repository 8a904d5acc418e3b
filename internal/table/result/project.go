package result

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"foretell/internal/table/csvfile"
)

// Selection is a column of a prediction result to keep.
type Selection struct {
	// Source is the name of the column. The names prediction, probability and probability_<class>
	// select the columns that the prediction added. If the blind file also has columns with these
	// names, the added columns have other names in the result, but are still the ones selected. If
	// no column is called id, the name id selects the first column.
	Source string
	// Name is the name of the column in the copy.
	Name string
}

// String returns the selection in the syntax of ParseSelections.
func (s Selection) String() string {
	if s.Source == s.Name {
		return quoteName(s.Name)
	}
	return quoteName(s.Name) + "=" + quoteName(s.Source)
}

// quoteName returns a name in double quotes if ParseSelections would misread it otherwise.
func quoteName(name string) string {
	if name == strings.TrimSpace(name) && !strings.ContainsAny(name, `",=`) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// selectionPattern matches the first column of a list: a name, followed by an equals sign and a
// source. Each of the two is in double quotes (groups 1 and 3) or without quotes (groups 2 and 4).
// The last group is the comma that follows.
var selectionPattern = func() *regexp.Regexp {
	const quoted, plain, source = `"((?:[^"]|"")*)"`, `([^,=]*?)`, `([^,]*?)`
	return regexp.MustCompile(`^\s*(?:` + quoted + `|` + plain + `)\s*(?:=\s*(?:` + quoted + `|` + source + `)\s*)?(,|$)`)
}()

// ParseSelections parses a list such as id,prediction or PassengerId,Survived=prediction,
// where NEW=SOURCE renames the column SOURCE. A name that contains a comma or an equals sign must
// be in double quotes.
func ParseSelections(text string) ([]Selection, error) {
	var selections []Selection
	for rest, more := text, true; more; {
		found := selectionPattern.FindStringSubmatchIndex(rest)
		if found == nil {
			return nil, fmt.Errorf("%q: must be columns such as id,prediction or NEW=SOURCE", text)
		}
		name, _ := selectedName(rest, found[2:6])
		source, renamed := selectedName(rest, found[6:10])
		if !renamed {
			source = name
		}
		if name == "" || source == "" {
			return nil, fmt.Errorf("%q: must be columns such as id,prediction or NEW=SOURCE", text)
		}
		if slices.ContainsFunc(selections, func(p Selection) bool { return p.Name == name }) {
			return nil, fmt.Errorf("%q: the column %s is listed twice", text, name)
		}
		selections = append(selections, Selection{Source: source, Name: name})
		more = found[10] < found[11]
		rest = rest[found[1]:]
	}
	return selections, nil
}

// selectedName returns the name that selectionPattern has found in text. groups holds the start and
// the end in text of two groups of the pattern: for a name in quotes and for a name without quotes.
// given is false if neither group matched.
func selectedName(text string, groups []int) (name string, given bool) {
	switch {
	case groups[0] >= 0:
		return strings.ReplaceAll(text[groups[0]:groups[1]], `""`, `"`), true
	case groups[2] >= 0:
		return text[groups[2]:groups[3]], true
	}
	return "", false
}

// FindSelections returns the positions of the selected columns in a result. names are the names of
// the result's columns, with surrounding spaces. classes are the labels of the model, or nil if
// they are unknown. FindSelections returns an error if a column is missing.
func FindSelections(names, classes []string, selections []Selection) (columns []int, err error) {
	at := make([]int, len(selections))
	trimmed := trimNames(names)
	prediction := PredictionColumn(trimmed)
	var classColumns []ClassColumn
	if prediction >= 0 {
		classColumns = ClassColumns(names, prediction, classes)
	}
	for i, pick := range selections {
		at[i] = findColumn(trimmed, prediction, classColumns, pick.Source)
		if at[i] < 0 {
			return nil, fmt.Errorf("the result has no column %s%s", csvfile.Excerpt(pick.Source), didYouMean(pick, trimmed))
		}
	}
	return at, nil
}

// didYouMean returns a suggestion for a selection whose column does not exist, as " (…)", or "" if
// there is none.
func didYouMean(pick Selection, names []string) string {
	if whole := pick.Name + "=" + pick.Source; slices.Contains(names, whole) {
		return " (the column " + whole + " must be in double quotes: " + quoteName(whole) + ")"
	}
	return csvfile.DidYouMean(pick.Source, names)
}

// findColumn returns the position of the column that a Selection's Source selects, or -1.
// prediction is the index of the first column that the prediction added, or -1. The added columns
// are, in order: the predicted class, its probability, one column per class, and the reasons.
func findColumn(names []string, prediction int, classColumns []ClassColumn, source string) int {
	switch {
	case source == predictionName:
		return prediction
	case source == probabilityName && prediction >= 0 && prediction+1 < len(names):
		return prediction + 1
	}
	if class, ok := strings.CutPrefix(source, probabilityName+"_"); ok {
		if at := findClassColumn(classColumns, class); at >= 0 {
			return at
		}
	}
	if at := slices.Index(names, source); at >= 0 || source != "id" {
		return at
	}
	return 0
}

// Project copies the selected columns of the result src to dst, in the order of selections. classes
// are the labels of the model; nil if unknown.
func Project(ctx context.Context, src io.Reader, dst io.Writer, classes []string, selections []Selection) error {
	t, err := csvfile.OpenTable(csvfile.NewReader(src, ','))
	if err != nil {
		return err
	}
	at, err := FindSelections(t.RawNames, classes, selections)
	if err != nil {
		return err
	}
	w := csvfile.NewWriter(dst)
	for _, pick := range selections {
		w.WriteField([]byte(pick.Name))
	}
	w.EndRecord()
	for {
		row, err := t.Next(ctx)
		if errors.Is(err, io.EOF) {
			return w.Flush()
		}
		if err != nil {
			return err
		}
		for _, i := range at {
			w.WriteField(row.Fields[i])
		}
		w.EndRecord()
	}
}
