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
	// Source is the name of the column. The names prediction, probability and
	// probability_<class> select the columns that the prediction added, even if these
	// columns have another name because the blind file has a column with this name. The
	// name id selects the first column if no column is called id.
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
			return nil, fmt.Errorf("%q: want columns such as id,prediction or NEW=SOURCE", text)
		}
		if slices.ContainsFunc(selections, func(p Selection) bool { return p.Name == name }) {
			return nil, fmt.Errorf("%q: the column %s is listed twice", text, name)
		}
		selections = append(selections, Selection{Source: source, Name: name})
	}
	return selections, nil
}

// FindSelections returns the positions of the selected columns in a result with the given
// column names. It is an error if one is missing.
func FindSelections(names []string, selections []Selection) (columns []int, err error) {
	at := make([]int, len(selections))
	for i, pick := range selections {
		at[i] = findColumn(names, pick.Source)
		if at[i] < 0 {
			return nil, fmt.Errorf("the result has no column %s%s", csvfile.Excerpt(pick.Source), csvfile.DidYouMean(pick.Source, names))
		}
	}
	return at, nil
}

// labelColumn matches the name of the column of predicted labels, which ends in a number if the
// blind file has a column of the same name.
var labelColumn = regexp.MustCompile(`^` + predictionName + `(_\d+)?$`)

// findColumn returns the position of the column that a Selection's Source selects, or -1.
// The columns that the prediction added start at the last column that labelColumn
// matches. Their order is: prediction, probability, one column per class, and the
// reasons.
func findColumn(names []string, source string) int {
	added := len(names) - 1
	for added >= 0 && !labelColumn.MatchString(names[added]) {
		added--
	}
	switch {
	case source == predictionName:
		return added
	case source == probabilityName && added >= 0 && added+1 < len(names):
		return added + 1
	case strings.HasPrefix(source, probabilityName+"_") && added >= 0:
		for at := len(names) - 1; at > added+1; at-- {
			if names[at] == source {
				return at
			}
		}
	}
	if at := slices.Index(names, source); at >= 0 || source != "id" {
		return at
	}
	return 0
}

// Project copies the selected columns of the result src to dst, in the order of selections.
func Project(ctx context.Context, src io.Reader, dst io.Writer, selections []Selection) error {
	t, err := csvfile.OpenTable(csvfile.NewReader(src, ','))
	if err != nil {
		return err
	}
	at, err := FindSelections(t.Names, selections)
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
