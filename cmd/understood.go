package cmd

import (
	"fmt"
	"strings"

	"foretell/internal/frame"
	"foretell/internal/roles"
)

// understood is what the columns of the files were taken for.
type understood struct {
	// ID is the name of the ID column, empty if IDs are made.
	ID       string `json:"id"`
	IDReason string `json:"idReason"`
	// BlindID is the same of the blind file, nil without one.
	BlindID     *string `json:"blindId,omitempty"`
	Label       string  `json:"label,omitempty"`
	LabelReason string  `json:"labelReason,omitempty"`
	Classes     int     `json:"classes,omitempty"`
	Features    int     `json:"features"`
	// Kinds counts the features by what they are.
	Kinds map[string]int `json:"kinds"`
}

// understood is what the columns were taken for, now that the files are read.
func (p *preflight) understood() *understood {
	if p.trained == nil || p.columns == nil {
		return nil
	}
	u := &understood{
		IDReason: p.roles.IDReason, Label: p.trained.Schema.Label, LabelReason: p.roles.LabelReason,
		Kinds: map[string]int{},
	}
	if len(p.trained.Defects) == 0 && p.train.broken == nil {
		u.Classes = len(p.trained.Classes)
	}
	made := p.roles.MadeID
	if p.train.shape.Blind {
		made, u.IDReason = p.blindID.Made, p.blindID.Reason
	}
	if !made {
		u.ID = p.trained.Schema.ID
	}
	if p.rows != nil && !p.blindID.Made {
		u.BlindID = &p.rows.Schema.ID
	}
	learnt := make(map[string]bool, len(p.model.Features)) // of a model that there is
	for _, name := range p.model.Features {
		learnt[name] = true
	}
	for i := range p.trained.Columns {
		if c := &p.trained.Columns[i]; len(learnt) == 0 || learnt[c.Name] {
			u.Features++
			u.Kinds[string(c.Form)]++
		}
	}
	return u
}

// tell notes in one line what the columns were taken for. With --json, the result has it.
func (p *preflight) tell(o *output) {
	if u := p.understood(); u != nil && !o.json && u.Features > 0 && !p.lacksHeader() {
		o.note("%s", p.sentence(u))
	}
}

// sentence is what tell says.
func (p *preflight) sentence(u *understood) string {
	made := p.roles.MadeID || p.train.shape.Blind && p.blindID.Made
	parts := []string{"ID: " + idWord(u.ID, made, u.IDReason)}
	if p.rows != nil && p.blindID.Made != made {
		parts[0] += "; of the blind file: " + idWord(p.rows.Schema.ID, p.blindID.Made, p.blindID.Reason)
	}
	if u.Label != "" {
		reason := u.LabelReason
		if u.Classes > 0 {
			reason += "; " + classes(u.Classes)
		}
		parts = append(parts, fmt.Sprintf("label: %s (%s)", u.Label, reason))
	}
	features := plural(u.Features, "feature")
	for _, kind := range []frame.Form{frame.FormDate, frame.FormTime, frame.FormText} {
		if n := u.Kinds[string(kind)]; n > 0 {
			features += ", " + plural(n, string(kind))
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
	case made && reason != roles.NoneLikeID:
		return "none, r1… made (" + reason + ")"
	case made:
		return "none, r1… made"
	case name == "":
		return "the first column, which has no name"
	}
	return name
}
