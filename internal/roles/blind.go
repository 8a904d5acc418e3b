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
	// MadeID is set if the IDs were generated.
	MadeID bool
}

// NamesOfColumns returns the names of the n columns of a blind file without a header:
// those of the training file, without the label or with it, or only the features. It is
// nil if none of these has n columns.
func (k *TrainingFile) NamesOfColumns(n int) []string {
	blind := slices.DeleteFunc(slices.Clone(k.Columns), func(name string) bool { return name == k.Label })
	for _, names := range [][]string{blind, k.Columns, k.Features} {
		if len(names) == n && n > 0 {
			return names
		}
	}
	return nil
}

// LacksHeader reports whether the first record of a blind file, the header of t, looks
// like a row of data: it has as many cells as a matching file has columns, and HasNoNames.
func (k *TrainingFile) LacksHeader(t *Table) bool {
	return k.NamesOfColumns(len(t.Columns)) != nil && t.HasNoNames(append(slices.Clone(k.Features), k.ID))
}

// HasNoNames reports whether the header of t contains none of the names and is data: it
// looks like the rows below it, or contains a number although none of the names is one.
func (t *Table) HasNoNames(names []string) bool {
	for _, name := range names {
		if _, number := numberOf(name); number || name != "" && !t.Lacks(name) {
			return false
		}
	}
	return t.Headless || slices.ContainsFunc(t.Columns, func(c Column) bool { _, number := numberOf(c.Name); return number })
}

// BlindID is the source of the row IDs of a blind file.
type BlindID struct {
	// ID is the name of the ID column; ignored if Made is set.
	ID   string
	Made bool
	// MadeName is the name of the generated column if it replaces one that is not an ID,
	// because a service finds the ID by its name. Defaults to an unused name.
	MadeName string
	// Reason briefly explains the choice.
	Reason string
	// Displaced is the position of a column named MadeName, which needs another name, or
	// -1.
	Displaced int
}

// Blind chooses the row IDs of a blind file. A column that is not an ID there, because it
// has duplicates or gaps, is copied unchanged.
func Blind(t *Table, known TrainingFile, given Options) BlindID {
	none := BlindID{Made: true, Displaced: -1}
	switch {
	case given.MakeID:
		none.Reason = "asked for by --id -"
		return none.displace(t)
	case given.ID != "" && t.Find(given.ID) >= 0:
		return BlindID{ID: given.ID, Reason: byIDFlag, Displaced: -1}
	}
	feature := make(map[string]bool, len(known.Features))
	for _, name := range known.Features {
		feature[name] = true
	}
	stands := known.ID != "" && !known.MadeID && t.Find(known.ID) >= 0
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
		case i == 0 && c.Unique && !known.MadeID && len(known.Features) > 0 && !isMeasurement(c):
			return BlindID{ID: c.Name, Reason: "unique, and no feature", Displaced: -1}
		case repeats == "" && (same || isSureIDName(c.Name)):
			none.Reason, repeats = quoted(c.Name)+" "+c.notIDReason(), c.Name
		}
	}
	if none.Reason == "" {
		none.Reason = NoIDColumn
	}
	none.MadeName = repeats
	return none.displace(t)
}

// Generate returns a BlindID with generated IDs that replace those of a column with
// invalid IDs. names are those of the columns.
func (b BlindID) Generate(names []string, reason string) BlindID {
	return BlindID{Made: true, MadeName: b.ID, Reason: reason}.displace(NewTable(names))
}

// displace sets Displaced.
func (b BlindID) displace(t *Table) BlindID {
	if b.MadeName != "" {
		b.Displaced = t.Find(b.MadeName)
	}
	return b
}

// Displace returns the names of the columns, with another one for the displaced column.
func (b BlindID) Displace(names []string) []string {
	if b.Displaced < 0 {
		return names
	}
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		taken[name] = true
	}
	names = slices.Clone(names)
	names[b.Displaced] = freeName(b.MadeName, taken)
	return names
}
