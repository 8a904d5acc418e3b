package roles

import (
	"slices"
)

// Known is what is known of the training file of a model.
type Known struct {
	// Columns are the names of all its columns, in its order; nil if they are not
	// known.
	Columns []string
	// Features are the names of its columns but for ID and label.
	Features []string
	// ID and Label are the names of these as the service has them; empty where
	// they are not known.
	ID, Label string
	// MadeID tells that the IDs were made.
	MadeID bool
}

// InOrder returns the names of the columns of a blind file that has no header, but
// n columns: those of the training file, without the label or with it, or the
// features alone. It is nil if that many columns are not the training file's.
func (k *Known) InOrder(n int) []string {
	blind := slices.DeleteFunc(slices.Clone(k.Columns), func(name string) bool { return name == k.Label })
	for _, names := range [][]string{blind, k.Columns, k.Features} {
		if len(names) == n && n > 0 {
			return names
		}
	}
	return nil
}

// Headless reports whether the first record of a blind file, whose names and rows t
// has, is rather a row of data: it has as many cells as a file that fits may have
// columns, and is Nameless.
func (k *Known) Headless(t *Table) bool {
	return k.InOrder(len(t.Columns)) != nil && t.Nameless(append(slices.Clone(k.Features), k.ID))
}

// Nameless reports whether the first record, which t has as the names of its columns,
// contains no name of the list and is data: it looks like the rows below it, or it
// contains a number though no name of the list is one.
func (t *Table) Nameless(names []string) bool {
	for _, name := range names {
		if _, number := numberOf(name); number || name != "" && !t.Lacks(name) {
			return false
		}
	}
	return t.Headless || slices.ContainsFunc(t.Columns, func(c Column) bool { _, number := numberOf(c.Name); return number })
}

// BlindID is where the row IDs of a blind file come from.
type BlindID struct {
	// ID is the name of the ID column. It means nothing if Made is set.
	ID   string
	Made bool
	// MadeName is the name of the column that is made, if it takes the place of one
	// that is no ID: a service looks for the ID by its name. Defaults to one that
	// is free.
	MadeName string
	// Reason says in a few words why.
	Reason string
	// Displaced is the position of a column that has MadeName already and needs
	// another name, or -1.
	Displaced int
}

// Blind decides where the row IDs of a blind file come from. A column that is no
// ID there, because it repeats or has gaps, is carried along as it came.
func Blind(t *Table, known Known, given Given) BlindID {
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
		case c.identifies(i == 0) != "":
			return BlindID{ID: c.Name, Reason: c.identifies(i == 0), Displaced: -1}
		case i == 0 && c.Unique && !known.MadeID && len(known.Features) > 0 && !measured(c):
			return BlindID{ID: c.Name, Reason: "unique, and no feature", Displaced: -1}
		case repeats == "" && (same || namesIDSurely(c.Name)):
			none.Reason, repeats = quoted(c.Name)+" "+c.notID(), c.Name
		}
	}
	if none.Reason == "" {
		none.Reason = NoneLikeID
	}
	none.MadeName = repeats
	return none.displace(t)
}

// Remake is the same with IDs that are made in the place of those of a column that
// proved to be none. names are those of the columns.
func (b BlindID) Remake(names []string, reason string) BlindID {
	return BlindID{Made: true, MadeName: b.ID, Reason: reason}.displace(Named(names))
}

// displace finds the column that has the name of the one that is made.
func (b BlindID) displace(t *Table) BlindID {
	if b.MadeName != "" {
		b.Displaced = t.Find(b.MadeName)
	}
	return b
}

// Displace returns the names of the columns, with another one for the column that
// has the name of the IDs that are made.
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
