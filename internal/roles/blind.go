package roles

import (
	"slices"
)

// TrainingFile describes the training file of a model.
type TrainingFile struct {
	// Columns are the names of all columns in file order; nil if unknown.
	Columns []string
	// Features are the names of the columns except ID and label.
	Features []string
	// Unused are the names of the features that no model uses.
	Unused []string
	// ID and Label are the names of these columns; empty if unknown.
	ID, Label string
	// GeneratedID is set if the IDs were generated.
	GeneratedID bool
}

// BlindColumnNames returns names for the n columns of a blind file without a header. They are the
// training file's columns without the label, all its columns, or its features: the first of these
// three lists with n names. If none has n names, BlindColumnNames returns nil.
func (f *TrainingFile) BlindColumnNames(n int) []string {
	blind := slices.DeleteFunc(slices.Clone(f.Columns), func(name string) bool { return name == f.Label })
	for _, names := range [][]string{blind, f.Columns, f.Features} {
		if len(names) == n && n > 0 {
			return names
		}
	}
	return nil
}

// BlindLacksHeader reports whether the first record of the blind file t is data and not a header.
// It is data if [TrainingFile.BlindColumnNames] has names for the number of columns of t, and
// [Description.HeaderLooksLikeData] returns true.
func (f *TrainingFile) BlindLacksHeader(t *Description) bool {
	return f.BlindColumnNames(len(t.Columns)) != nil && t.HeaderLooksLikeData(append(slices.Clone(f.Features), f.ID))
}

// HeaderLooksLikeData reports whether the header of t is probably a row of data. Three conditions
// must hold: no cell of the header is one of trainingNames, none of trainingNames is a number, and
// the header has a number or looks like the rows below it.
func (t *Description) HeaderLooksLikeData(trainingNames []string) bool {
	for _, name := range trainingNames {
		if _, number := parseNumber(name); number || name != "" && !t.LacksColumn(name) {
			return false
		}
	}
	return t.LooksHeaderless || slices.ContainsFunc(t.Columns, func(c ColumnDescription) bool { _, number := parseNumber(c.Name); return number })
}

// BlindID says where the row IDs of a blind file come from: from a column, or from a generator.
type BlindID struct {
	// ID is the name of the ID column, unless Generated is set.
	ID string
	// Generated reports whether the IDs are generated.
	Generated bool
	// CopyOf is the name of the feature whose values are the generated IDs. It is empty if the IDs
	// are r1, r2, ….
	CopyOf string
	// GeneratedName is the name of the generated column. It is set if the generated column
	// replaces the ID column of the file, because that has no valid IDs. If it is empty, the
	// generated column gets an unused name.
	GeneratedName string
	// Reason briefly explains the choice.
	Reason string
	// Displaced is the position of the column that needs another name, because the generated
	// column takes its name. It is -1 if there is no such column.
	Displaced int
}

// ChooseBlindID chooses the row IDs of the blind file t. They are in the column that the user has
// chosen. Otherwise they are in the column with the name of the training file's ID column or, if t
// lacks it, in a column that looks like an ID. If that column has duplicate or missing values, or
// there is none, IDs are generated instead. If the user has chosen a feature as the ID, its values
// are copied. In a file without rows, the ID is chosen by name alone.
func ChooseBlindID(t *Description, known TrainingFile, given Options) BlindID {
	none := BlindID{Generated: true, Displaced: -1}
	switch {
	case given.GenerateID:
		none.Reason = "requested by --id -"
		return none.withDisplaced(t)
	case given.ID != "" && t.ColumnIndex(given.ID) >= 0 && slices.Contains(known.Features, given.ID):
		return BlindID{Generated: true, CopyOf: given.ID, Reason: idFlagReason, Displaced: -1}
	case given.ID != "" && t.ColumnIndex(given.ID) >= 0:
		return BlindID{ID: given.ID, Reason: idFlagReason, Displaced: -1}
	}
	feature := make(map[string]bool, len(known.Features))
	for _, name := range known.Features {
		feature[name] = true
	}
	stands := known.ID != "" && !known.GeneratedID && t.ColumnIndex(known.ID) >= 0
	repeats := ""
	for i := range t.Columns {
		c := &t.Columns[i]
		same := stands && c.Name == known.ID
		if feature[c.Name] || c.Name == known.Label && known.Label != "" || stands && !same {
			continue
		}
		switch {
		case same && (c.Unique || t.Rows == 0):
			return BlindID{ID: c.Name, Reason: "as in the training file", Displaced: -1}
		case t.Rows == 0 && isSureIDName(c.Name):
			return BlindID{ID: c.Name, Reason: "named like an ID", Displaced: -1}
		case c.idReason(i == 0) != "":
			return BlindID{ID: c.Name, Reason: c.idReason(i == 0), Displaced: -1}
		case i == 0 && c.Unique && !known.GeneratedID && len(known.Features) > 0 && !containsMeasurements(c):
			return BlindID{ID: c.Name, Reason: "unique, and not a feature", Displaced: -1}
		case repeats == "" && (same || isSureIDName(c.Name)):
			none.Reason, repeats = quote(c.Name)+" "+c.notIDReason(), c.Name
		}
	}
	if none.Reason == "" {
		none.Reason = NoIDColumnReason
	}
	none.GeneratedName = repeats
	return none.withDisplaced(t)
}

// WithGeneratedIDs returns a copy of b with generated IDs, because those of the column b.ID are
// invalid. The parameter columnNames has the names of the columns.
func (b BlindID) WithGeneratedIDs(columnNames []string, reason string) BlindID {
	return BlindID{Generated: true, GeneratedName: b.ID, Reason: reason}.withDisplaced(NewDescription(columnNames))
}

// withDisplaced returns b with Displaced set to the position of GeneratedName in t.
func (b BlindID) withDisplaced(t *Description) BlindID {
	if b.GeneratedName != "" {
		b.Displaced = t.ColumnIndex(b.GeneratedName)
	}
	return b
}

// RenameDisplaced returns a copy of columnNames with an unused name for the displaced column.
func (b BlindID) RenameDisplaced(columnNames []string) []string {
	if b.Displaced < 0 {
		return columnNames
	}
	taken := make(map[string]bool, len(columnNames))
	for _, name := range columnNames {
		taken[name] = true
	}
	columnNames = slices.Clone(columnNames)
	columnNames[b.Displaced] = uniqueName(b.GeneratedName, taken)
	return columnNames
}
