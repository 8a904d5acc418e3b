package roles

import (
	"cmp"
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

// Required returns the names of the columns that a blind file must have: the features and, unless it
// was generated, the ID.
func (f *TrainingFile) Required() []string {
	names := slices.Clone(f.Features)
	if f.ID != "" && !f.GeneratedID {
		names = append(names, f.ID)
	}
	return names
}

// BlindColumnNames returns names for the n columns of a blind file without a header: the names of
// the training file without the label, all its names, or its features. The first of these lists
// with n names is the result. If there is none, the result is nil.
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

// BlindID says where the row IDs of a blind file come from. They are the values of a column, or
// they are generated.
type BlindID struct {
	// ID is the name of the ID column, unless Generated is set.
	ID string
	// IsTrainingID reports whether ID was chosen because it is the ID column of the training file.
	// Invalid IDs are then an error. They are not replaced by generated IDs.
	IsTrainingID bool
	// Generated reports whether the IDs are generated.
	Generated bool
	// CopyOf is the name of the feature whose values are the generated IDs. It is empty if the IDs
	// are r1, r2, ….
	CopyOf string
	// Reason briefly explains the choice.
	Reason string
}

// ChooseBlindID chooses the row IDs of the blind file t. The first of these rules that applies
// decides:
//
//  1. The choice of the user. If the chosen column is a feature, its values are copied.
//  2. The ID column of the training file, even if some of its values are missing or repeated. The user
//     must decide what to do with invalid IDs.
//  3. A column that looks like an ID and is not a feature. In a file without rows, its name is enough.
//  4. Generated IDs.
func ChooseBlindID(t *Description, known TrainingFile, given Options) BlindID {
	has := func(name string) bool { return name != "" && t.ColumnIndex(name) >= 0 }
	switch {
	case given.GenerateID:
		return BlindID{Generated: true, Reason: "requested by --id -"}
	case has(given.ID) && slices.Contains(known.Features, given.ID):
		return BlindID{Generated: true, CopyOf: given.ID, Reason: idFlagReason}
	case has(given.ID):
		return BlindID{ID: given.ID, Reason: idFlagReason}
	case has(known.ID) && !known.GeneratedID:
		return BlindID{ID: known.ID, IsTrainingID: true, Reason: "as in the training file"}
	}
	feature := make(map[string]bool, len(known.Features))
	for _, name := range known.Features {
		feature[name] = true
	}
	reason := ""
	for i := range t.Columns {
		c := &t.Columns[i]
		if feature[c.Name] || c.Name == known.Label && known.Label != "" {
			continue
		}
		switch {
		case t.Rows == 0 && isSureIDName(c.Name):
			return BlindID{ID: c.Name, Reason: "named like an ID"}
		case c.idReason(i == 0) != "":
			return BlindID{ID: c.Name, Reason: c.idReason(i == 0)}
		case i == 0 && c.Consecutive && c.Rows > 2 && len(known.Features) > 0: // the rows may be the end of a larger file
			return BlindID{ID: c.Name, Reason: rowNumbersReason}
		case i == 0 && c.Unique && !known.GeneratedID && len(known.Features) > 0 && !containsMeasurements(c):
			return BlindID{ID: c.Name, Reason: "unique, and not a feature"}
		case reason == "" && isSureIDName(c.Name):
			reason = quote(c.Name) + " " + c.notIDReason()
		}
	}
	return BlindID{Generated: true, Reason: cmp.Or(reason, NoIDColumnReason)}
}
