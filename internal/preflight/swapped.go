package preflight

import (
	"slices"
	"strconv"

	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/roles"
)

// checkFilesSwapped returns an error if the training file and the blind file are probably swapped.
// All of these must be true:
//
//   - the label was chosen only because it is the last column
//   - the label has values in the blind file
//   - the blind file has all columns of the training file, and others with values
//
// A label that was chosen for a better reason causes no error, because a blind file may have labels
// and more columns than the training file. blind is the description of the blind file, or nil.
func (p *Preflight) checkFilesSwapped(blind *roles.Description) error {
	if blind == nil || !p.roles.LabelAssumed || p.roles.Label == "" || !blind.HasValues(p.roles.Label) {
		return nil
	}
	if slices.ContainsFunc(p.columns, blind.LacksColumn) {
		return nil
	}
	train := roles.NewDescription(p.columns)
	var others []string
	for i := range blind.Columns {
		if name := blind.Columns[i].Name; train.LacksColumn(name) && blind.HasValues(name) {
			others = append(others, strconv.Quote(name))
		}
	}
	if len(others) == 0 {
		return nil
	}
	keep := "`" + p.Factory.CommandWith("label", p.roles.Label) + "`"
	hint := "if they are not swapped, confirm the label: " + keep
	if len(p.Train.args) == 1 && len(p.Blind.args) == 1 {
		hint = "if they are swapped, use `" + p.Factory.CommandWithSwappedFiles(p.Train.args[0], p.Blind.args[0]) + "`; otherwise, confirm the label: " + keep
	}
	return exit.Usagef("%s: are the two files swapped? The blind file %s contains values of the label %s, and more columns than the training file: %s",
		p.Train.Name, p.Blind.Name, strconv.Quote(p.roles.Label), humanize.List(others, 5)).WithHint("%s", hint)
}
