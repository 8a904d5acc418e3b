package preflight

import (
	"cmp"
	"fmt"
	"strings"

	"foretell/internal/cli"
	"foretell/internal/humanize"
	"foretell/internal/roles"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// ColumnRoles describes the roles of the columns of the files.
type ColumnRoles struct {
	// ID is the name of the ID column, or "" if IDs are generated.
	ID       string `json:"id"`
	IDReason string `json:"idReason"`
	// BlindID is the name of the blind file's ID column. It is nil if there is no blind file
	// or its IDs are generated.
	BlindID     *string `json:"blindId,omitempty"`
	Label       string  `json:"label,omitempty"`
	LabelReason string  `json:"labelReason,omitempty"`
	Classes     int     `json:"classes,omitempty"`
	// Features is the number of feature columns.
	Features int `json:"features"`
	// Kinds has, for each inference.Form, the number of feature columns with this form. If the model
	// exists, the forms are those of its training file. Kinds is empty if the file was not read
	// completely.
	Kinds map[string]int `json:"kinds"`
}

// ColumnRoles returns the roles of the columns, or nil if the file cannot be read.
func (p *Preflight) ColumnRoles() *ColumnRoles {
	if p.TrainProfile == nil || p.columns == nil {
		return nil
	}
	r := &ColumnRoles{
		IDReason: p.roles.IDReason, Label: p.TrainProfile.Schema.Label, LabelReason: p.roles.LabelReason,
		Kinds: map[string]int{},
	}
	if len(p.TrainProfile.Defects) == 0 && p.Train.readError == nil {
		r.Classes = len(p.TrainProfile.Classes)
	}
	generated := p.roles.GeneratedID
	if p.Train.layout.Blind {
		generated, r.IDReason = p.blindID.Generated && p.blindID.CopyOf == "", p.blindID.Reason
	}
	if !generated {
		r.ID = p.TrainProfile.Schema.ID
	}
	if p.BlindProfile != nil && !p.blindID.Generated {
		r.BlindID = &p.BlindProfile.Schema.ID
	}
	isFeature := p.featureTest()
	for i := range p.TrainProfile.Columns {
		if c := &p.TrainProfile.Columns[i]; isFeature(c) {
			r.Features++
			if !p.TrainProfile.IsIncomplete() { // rows that were not read might change the forms
				r.Kinds[p.formOf(c)]++
			}
		}
	}
	return r
}

// formOf returns the form of a column: in the training file of the model if this is known, or else in
// the file itself.
func (p *Preflight) formOf(c *profile.ColumnProfile) string {
	return cmp.Or(p.modelForms[c.Name], string(c.Form))
}

// featureTest returns a function that reports whether a model uses a column. If the model exists,
// its features decide. Before it exists, a column counts as used in three cases: its values yield a
// feature, the file is a blind file, or the file was not read completely. In the last two cases,
// other rows may have values. The column of --group is never used.
func (p *Preflight) featureTest() func(c *profile.ColumnProfile) bool {
	features := newNameSet(p.modelColumns.Features) // columns that an existing model needs
	for _, name := range p.modelColumns.Unused {
		features[name] = false
	}
	isPart := p.TrainProfile.IsIncomplete() || p.Train.layout.Blind
	return func(c *profile.ColumnProfile) bool {
		if len(features) > 0 {
			return features[c.Name]
		}
		return c.Name != p.GroupColumn && (c.Features > 0 || isPart)
	}
}

// NoteRoles prints the roles of the columns in one line on standard error. If --json is set, it
// prints nothing, because the result has the roles.
func (p *Preflight) NoteRoles(o *cli.Output) {
	if r := p.ColumnRoles(); r != nil && !o.JSON && len(p.TrainProfile.Columns) > 0 && !p.seemsToLackHeader() {
		o.Note("%s", p.describeRoles(r))
	}
}

// describeRoles returns the line that NoteRoles prints.
func (p *Preflight) describeRoles(r *ColumnRoles) string {
	generated := p.roles.GeneratedID || p.Train.layout.Blind && p.blindID.Generated
	parts := []string{"ID: " + describeID(r.ID, generated, r.IDReason)}
	if p.blindID.CopyOf != "" {
		parts[0] = fmt.Sprintf("ID: %s, a copy of %s, which is a feature", r.ID, p.blindID.CopyOf)
	}
	if p.BlindProfile != nil && p.blindID.Generated != generated {
		parts[0] += "; of the blind file: " + describeID(p.BlindProfile.Schema.ID, p.blindID.Generated, p.blindID.Reason)
	}
	if r.Label != "" {
		reason := r.LabelReason
		if r.Classes > 0 {
			reason += "; " + humanize.Count(r.Classes, "class")
		}
		parts = append(parts, fmt.Sprintf("label: %s (%s)", r.Label, reason))
	}
	features := humanize.Count(r.Features, "feature")
	for _, kind := range []inference.Form{inference.FormDate, inference.FormTime, inference.FormText} {
		if n := r.Kinds[string(kind)]; n > 0 {
			features += ", " + humanize.Count(n, string(kind))
		}
	}
	return strings.Join(append(parts, features), " · ")
}

func describeID(name string, generated bool, reason string) string {
	switch {
	case generated && reason != roles.NoIDColumnReason:
		return "none, r1… generated (" + reason + ")"
	case generated:
		return "none, r1… generated"
	case name == "":
		return "the first column, which has no name"
	}
	return name
}
