package result

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/table/cells"
)

// ClassColumn is a column with the probabilities of a class.
type ClassColumn struct {
	// Index is the position of the column.
	Index int
	// Labels are the possible labels of the class, the likeliest first. There are several labels
	// only if the header does not determine the class: after a column probability_yes, the column
	// probability_yes_2 may belong to the class yes or to the class yes_2.
	Labels []string
}

// PredictionColumn returns the position of the column of predicted labels in a result with the
// given column names, or -1. If several columns are called prediction, prediction_2 and so on, it
// is the last of them, because the columns of the blind file come first.
func PredictionColumn(names []string) int {
	at := len(names) - 1
	for at >= 0 && !predictionColumnPattern.MatchString(names[at]) {
		at--
	}
	return at
}

// predictionColumnPattern matches the name of the column of predicted labels. The name ends in a
// number if the blind file has a column called prediction.
var predictionColumnPattern = regexp.MustCompile(`^` + predictionName + `(_\d+)?$`)

// ClassColumns returns the columns with the probabilities of the classes. They follow the column of
// predicted labels, whose position is prediction. names are the names of all columns, with
// surrounding spaces, because these are part of labels. classes are the labels in the order of the
// model, or nil if they are unknown. The names may also come from another program, or from a result
// with selected columns.
func ClassColumns(names []string, prediction int, classes []string) []ClassColumn {
	before := trimNames(names[:prediction])
	if added := AddedColumns(before, classes, 0); len(classes) > 0 && hasPrefix(trimNames(names[prediction:]), trimNames(added)) {
		columns := make([]ClassColumn, len(classes))
		for i, class := range classes {
			columns[i] = ClassColumn{Index: prediction + 2 + i, Labels: []string{class}}
		}
		return columns
	}
	taken := map[string]bool{}
	for _, name := range before {
		taken[name] = true
	}
	var columns []ClassColumn
	likeliest := map[string]bool{}
	for i := prediction; i < len(names); i++ {
		name := strings.TrimLeft(names[i], " \t")
		isProbability := i == prediction+1 && name == AddedColumns(before, nil, 0)[1]
		if labels := classLabels(name, taken, likeliest); i > prediction && !isProbability && labels != nil {
			columns = append(columns, ClassColumn{Index: i, Labels: labels})
			likeliest[labels[0]] = true
		}
		taken[name] = true
	}
	if len(classes) > 0 {
		for i := range columns {
			columns[i].Labels = preferKnown(columns[i].Labels, classes)
		}
	}
	return columns
}

// ClassColumnsBefore returns the columns to the left of the predicted labels that may contain the
// probabilities of the classes. It is for results in which ClassColumns finds no such columns, such
// as results of other programs or results with selected columns. prediction is the position of the
// predicted labels. If classes is nil, at least two columns must look like probabilities.
func ClassColumnsBefore(names []string, prediction int, classes []string) []ClassColumn {
	var columns []ClassColumn
	for i, name := range names[:prediction] {
		labels := classLabels(strings.TrimLeft(name, " \t"), nil, nil)
		if labels != nil && classes != nil {
			labels = preferKnown(labels, classes)
			if !slices.Contains(classes, labels[0]) {
				continue
			}
		}
		if labels != nil {
			columns = append(columns, ClassColumn{Index: i, Labels: labels})
		}
	}
	if classes == nil && len(columns) < 2 {
		return nil
	}
	return columns
}

// classLabels returns the possible classes of the probability column with the given name, or nil if
// it is not the name of such a column. It is the inverse of AddedColumns. taken holds the names of
// the columns to the left, and known holds the classes that already have a column.
func classLabels(name string, taken, known map[string]bool) []string {
	label, ok := strings.CutPrefix(name, probabilityName+"_")
	if !ok {
		return nil
	}
	if base := cutUniqueSuffix(name, taken); strings.HasPrefix(base, probabilityName+"_") {
		if renamed := base[len(probabilityName)+1:]; !known[renamed] {
			return []string{renamed, label}
		}
	}
	return []string{label}
}

// cutUniqueSuffix returns name without the suffix, such as _2, by which AddedColumns made it
// unique. It returns "" if AddedColumns would not have added the suffix.
func cutUniqueSuffix(name string, taken map[string]bool) string {
	at := strings.LastIndexByte(name, '_')
	if at < 0 {
		return ""
	}
	base, suffix := name[:at], name[at+1:]
	number, err := strconv.Atoi(suffix)
	if err != nil || number < 2 || strconv.Itoa(number) != suffix || !taken[base] {
		return ""
	}
	for n := 2; n < number; n++ {
		if !taken[fmt.Sprintf("%s_%d", base, n)] {
			return ""
		}
	}
	return base
}

// preferKnown returns the first of labels that is one of classes, or all labels if no label is.
// If no label equals a class exactly, surrounding spaces are ignored.
func preferKnown(labels, classes []string) []string {
	for _, label := range labels {
		if slices.Contains(classes, label) {
			return []string{label}
		}
	}
	for _, label := range labels {
		if at := slices.IndexFunc(classes, func(class string) bool { return trim(class) == trim(label) }); at >= 0 {
			return classes[at : at+1]
		}
	}
	return labels
}

// findClassColumn returns the position of the column of a class, or -1. If no label of a column
// equals the class exactly, surrounding spaces are ignored.
func findClassColumn(columns []ClassColumn, class string) int {
	for _, isEqual := range []func(c ClassColumn) bool{
		func(c ClassColumn) bool { return c.Labels[0] == class },
		func(c ClassColumn) bool { return slices.Contains(c.Labels, class) },
		func(c ClassColumn) bool { return trim(c.Labels[0]) == trim(class) },
	} {
		if at := slices.IndexFunc(columns, isEqual); at >= 0 {
			return columns[at].Index
		}
	}
	return -1
}

func hasPrefix(names, prefix []string) bool {
	return len(names) >= len(prefix) && slices.Equal(names[:len(prefix)], prefix)
}

func trimNames(names []string) []string {
	trimmed := make([]string, len(names))
	for i, name := range names {
		trimmed[i] = trim(name)
	}
	return trimmed
}

func trim(name string) string { return string(cells.Trim([]byte(name))) }
