package preflight

import (
	"fmt"
	"strings"

	"foretell/internal/cli"
	"foretell/internal/humanize"
	"foretell/internal/roles"
	"foretell/internal/table/profile"
)

// ColumnRoles describes the roles of the columns of the files.
type ColumnRoles struct {
	// ID is the name of the ID column; "" if IDs are generated.
	ID       string `json:"id"`
	IDReason string `json:"idReason"`
	// BlindID is the ID column of the blind file; nil without a blind file.
	BlindID     *string `json:"blindId,omitempty"`
	Label       string  `json:"label,omitempty"`
	LabelReason string  `json:"labelReason,omitempty"`
	Classes     int     `json:"classes,omitempty"`
	Features    int     `json:"features"`
	// Kinds counts the features of each kind.
	Kinds map[string]int `json:"kinds"`
}

// ColumnRoles returns the roles of the columns; nil if the file cannot be read.
func (p *Preflight) ColumnRoles() *ColumnRoles {
	if p.TrainProfile == nil || p.columns == nil {
		return nil
	}
	u := &ColumnRoles{
		IDReason: p.roles.IDReason, Label: p.TrainProfile.Schema.Label, LabelReason: p.roles.LabelReason,
		Kinds: map[string]int{},
	}
	if len(p.TrainProfile.Defects) == 0 && p.Train.readError == nil {
		u.Classes = len(p.TrainProfile.Classes)
	}
	made := p.roles.MadeID
	if p.Train.shape.Blind {
		made, u.IDReason = p.blindID.Made, p.blindID.Reason
	}
	if !made {
		u.ID = p.TrainProfile.Schema.ID
	}
	if p.BlindProfile != nil && !p.blindID.Made {
		u.BlindID = &p.BlindProfile.Schema.ID
	}
	learnt := make(map[string]bool, len(p.modelColumns.Features)) // of a model that there is
	for _, name := range p.modelColumns.Features {
		learnt[name] = true
	}
	for i := range p.TrainProfile.Columns {
		if c := &p.TrainProfile.Columns[i]; len(learnt) == 0 || learnt[c.Name] {
			u.Features++
			u.Kinds[string(c.Form)]++
		}
	}
	return u
}

// NoteRoles prints the roles in one line. With --json they are in the result.
func (p *Preflight) NoteRoles(o *cli.Output) {
	if u := p.ColumnRoles(); u != nil && !o.JSON && u.Features > 0 && !p.lacksHeader() {
		o.Note("%s", p.describeRoles(u))
	}
}

// describeRoles returns the line of NoteRoles.
func (p *Preflight) describeRoles(u *ColumnRoles) string {
	made := p.roles.MadeID || p.Train.shape.Blind && p.blindID.Made
	parts := []string{"ID: " + idWord(u.ID, made, u.IDReason)}
	if p.BlindProfile != nil && p.blindID.Made != made {
		parts[0] += "; of the blind file: " + idWord(p.BlindProfile.Schema.ID, p.blindID.Made, p.blindID.Reason)
	}
	if u.Label != "" {
		reason := u.LabelReason
		if u.Classes > 0 {
			reason += "; " + classes(u.Classes)
		}
		parts = append(parts, fmt.Sprintf("label: %s (%s)", u.Label, reason))
	}
	features := humanize.Count(u.Features, "feature")
	for _, kind := range []profile.Form{profile.FormDate, profile.FormTime, profile.FormText} {
		if n := u.Kinds[string(kind)]; n > 0 {
			features += ", " + humanize.Count(n, string(kind))
		}
	}
	return strings.Join(append(parts, features), " · ")
}

func classes(n int) string {
	if n == 1 {
		return "1 class"
	}
	return fmt.Sprintf("%d classes", n)
}

func idWord(name string, made bool, reason string) string {
	switch {
	case made && reason != roles.NoIDColumn:
		return "none, r1… generated (" + reason + ")"
	case made:
		return "none, r1… generated"
	case name == "":
		return "the first column, which has no name"
	}
	return name
}
