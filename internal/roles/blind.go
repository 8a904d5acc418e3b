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
	// ID and Label are their names; empty if unknown.
	ID, Label string
	// GeneratedID is set if the IDs were generated.
	GeneratedID bool
}

// ColumnNames returns the names of the n columns of a blind file without a header:
// those of the training file, without the label or with it, or only the features. It is
// nil if none of these has n columns.
func (f *TrainingFile) ColumnNames(n int) []string {
	blind := slices.DeleteFunc(slices.Clone(f.Columns), func(name string) bool { return name == f.Label })
	for _, names := range [][]string{blind, f.Columns, f.Features} {
		if len(names) == n && n > 0 {
			return names
		}
	}
	return nil
}

// LacksHeader reports whether the first record of a blind file, the header of t, looks
// like a row of data: it has as many cells as a matching file has columns, and HasNoNames.
func (f *TrainingFile) LacksHeader(t *Table) bool {
	return f.ColumnNames(len(t.Columns)) != nil && t.HeaderIsData(append(slices.Clone(f.Features), f.ID))
}

// HeaderIsData reports whether the header of t contains none of the names and is data: it
// looks like the rows below it, or contains a number although none of the names is one.
func (t *Table) HeaderIsData(names []string) bool {
	for _, name := range names {
		if _, number := parseNumber(name); number || name != "" && !t.LacksColumn(name) {
			return false
		}
	}
	return t.LooksHeaderless || slices.ContainsFunc(t.Columns, func(c Column) bool { _, number := parseNumber(c.Name); return number })
}

// BlindID is the source of the row IDs of a blind file.
type BlindID struct {
	// ID is the name of the ID column; ignored if Made is set.
	ID        string
	Generated bool
	// GeneratedName is the name of the generated column if it replaces one that is not an ID,
	// because a service finds the ID by its name. Defaults to an unused name.
	GeneratedName string
	// Reason briefly explains the choice.
	Reason string
	// Displaced is the position of a column named MadeName, which needs another name, or
	// -1.
	Displaced int
}

// ChooseBlindID chooses the row IDs of a blind file. A column that is not an ID there, because it
// has duplicates or gaps, is copied unchanged.
func ChooseBlindID(t *Table, known TrainingFile, given Options) BlindID {
	none := BlindID{Generated: true, Displaced: -1}
	switch {
	case given.GenerateID:
		none.Reason = "asked for by --id -"
		return none.withDisplaced(t)
	case given.ID != "" && t.ColumnIndex(given.ID) >= 0:
		return BlindID{ID: given.ID, Reason: byIDFlag, Displaced: -1}
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
		case same && c.Unique:
			return BlindID{ID: c.Name, Reason: "as in the training file", Displaced: -1}
		case c.idReason(i == 0) != "":
			return BlindID{ID: c.Name, Reason: c.idReason(i == 0), Displaced: -1}
		case i == 0 && c.Unique && !known.GeneratedID && len(known.Features) > 0 && !isMeasurement(c):
			return BlindID{ID: c.Name, Reason: "unique, and no feature", Displaced: -1}
		case repeats == "" && (same || isSureIDName(c.Name)):
			none.Reason, repeats = quote(c.Name)+" "+c.notIDReason(), c.Name
		}
	}
	if none.Reason == "" {
		none.Reason = NoIDColumn
	}
	none.GeneratedName = repeats
	return none.withDisplaced(t)
}

// WithGeneratedIDs returns a BlindID with generated IDs that replace those of a column with
// invalid IDs. names are those of the columns.
func (b BlindID) WithGeneratedIDs(names []string, reason string) BlindID {
	return BlindID{Generated: true, GeneratedName: b.ID, Reason: reason}.withDisplaced(NewTable(names))
}

// withDisplaced sets Displaced.
func (b BlindID) withDisplaced(t *Table) BlindID {
	if b.GeneratedName != "" {
		b.Displaced = t.ColumnIndex(b.GeneratedName)
	}
	return b
}

// RenameDisplaced returns the names of the columns, with another one for the displaced column.
func (b BlindID) RenameDisplaced(names []string) []string {
	if b.Displaced < 0 {
		return names
	}
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		taken[name] = true
	}
	names = slices.Clone(names)
	names[b.Displaced] = uniqueName(b.GeneratedName, taken)
	return names
}
