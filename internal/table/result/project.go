package result

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"foretell/internal/table/csvfile"
)

// Selection is a column of a prediction result to keep.
type Selection struct {
	// Source is the name of the column. The names prediction, probability and probability_<class>
	// select the columns that the prediction added, even if these were renamed because the blind
	// file has columns with these names. The name id selects the first column if no column is
	// called id.
	Source string
	// Name is the name of the column in the copy.
	Name string
}

// ParseSelections parses a list such as id,prediction or PassengerId,Survived=prediction,
// where NEW=SOURCE renames the column SOURCE.
func ParseSelections(text string) ([]Selection, error) {
	var selections []Selection
	for part := range strings.SplitSeq(text, ",") {
		name, source, renamed := strings.Cut(strings.TrimSpace(part), "=")
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
	}
	return selections, nil
}

// FindSelections returns the positions of the selected columns in a result with the given
// column names, as in the file. classes are the labels of the model; nil if unknown. It is an error
// if a column is missing.
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
			return nil, fmt.Errorf("the result has no column %s%s", csvfile.Excerpt(pick.Source), csvfile.DidYouMean(pick.Source, trimmed))
		}
	}
	return at, nil
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
