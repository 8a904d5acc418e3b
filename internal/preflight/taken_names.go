package preflight

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/result"
)

// codeTakenName is the code of a warning about columns of the blind file with the same names as columns
// that a prediction adds.
const codeTakenName = "taken-name"

// warnTakenNames warns if the blind file has columns with the names that a prediction adds, such as
// "prediction". The added columns then get other names, and a program that reads the column
// "prediction" of the result would read the column of the blind file. prof is the profile of the
// blind file, and classes are the labels of the model.
func (p *Preflight) warnTakenNames(in *InputTable, prof *profile.Profile, classes []string) {
	names := []string{prof.Schema.ID}
	for i := range prof.Columns {
		names = append(names, prof.Columns[i].Name)
	}
	var taken, renamed []string
	usual, actual := result.AddedColumns(nil, classes, 0), result.AddedColumns(names, classes, 0)
	for i, name := range usual {
		if name != actual[i] && slices.Contains(names, name) {
			taken, renamed = append(taken, name), append(renamed, actual[i])
		}
	}
	const most = 3
	switch len(taken) {
	case 0:
		return
	case 1:
		p.addFinding(in, compare.SeverityWarning, csvfile.Defect{
			Code: codeTakenName, Line: 1, Name: taken[0],
			Message: fmt.Sprintf("the blind file has a column with this name, so the column that the prediction adds is called %s", renamed[0]),
		}, "")
	default:
		p.addFinding(in, compare.SeverityWarning, csvfile.Defect{
			Code: codeTakenName, Line: 1, Count: len(taken),
			Message: fmt.Sprintf("the blind file has the columns %s, so the columns that the prediction adds are called %s", humanize.List(taken, most), strings.Join(renamed[:min(len(renamed), most)], ", ")),
		}, "")
	}
}
