package preflight

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/roles"
)

// SeriesRoles names the ID column and the label column of a series. They are the columns of the
// dataset that its champion was trained on.
type SeriesRoles struct {
	// Name is the name of the series.
	Name string
	// ID and Label are the names of the columns. They are "" if the roles are inferred.
	ID, Label string
}

// UseSeries makes the next Run use the label and the ID column of a series. It reports whether Run
// must be called again, because one of the two differs from the inferred column. Flags, the user's
// answers to prompts, and a label that follows from the blind file have precedence. If the training
// file lacks one of the two columns, or if the column is dropped, UseSeries ignores it. It also
// ignores the ID column of the series if the blind file lacks it, but has the inferred ID column:
// otherwise, the predictions would have generated IDs.
func (p *Preflight) UseSeries(s SeriesRoles) (changed bool) {
	flags := &p.Train.flagLayout
	switch {
	case p.askedLabel:
		s.Label = p.roles.Label // the answer, so that the next Run does not ask again
	case !p.hasInferredLabel() || !p.isKeptColumn(s.Label) || s.Label == flags.ID:
		s.Label = ""
	}
	rejected := strings.HasPrefix(p.roles.IDReason, strconv.Quote(s.ID)) // the reason for generated IDs
	if flags.ID != "" || flags.GenerateID || p.Train.trainingID != "" || rejected || !p.isKeptColumn(s.ID) || s.ID == cmp.Or(flags.Label, s.Label) {
		s.ID = ""
	}
	if slices.Contains(p.blindLacks, s.ID) && !p.roles.GeneratedID && !slices.Contains(p.blindLacks, p.roles.ID) {
		s.ID = ""
	}
	if (s.Label == "" || s.Label == p.roles.Label) && (s.ID == "" || s.ID == p.roles.ID) {
		return false
	}
	p.series = s
	p.reset()
	return true
}

// hasInferredLabel reports whether the label was inferred from the training file alone, or is unclear.
// It returns false if the training file cannot be read.
func (p *Preflight) hasInferredLabel() bool {
	return p.columns != nil && p.Train.flagLayout.Label == "" && !p.askedLabel && !p.roles.LabelFromBlind
}

// HasInferredRole reports whether UseSeries may change the label or the ID column of the training file.
// It returns false if the file cannot be read.
func (p *Preflight) HasInferredRole() bool {
	flags := &p.Train.flagLayout
	return p.hasInferredLabel() || p.columns != nil && flags.ID == "" && !flags.GenerateID
}

// HasColumn reports whether the training file has a column with this name, whatever its role.
func (p *Preflight) HasColumn(name string) bool { return slices.Contains(p.columns, name) }

// isKeptColumn reports whether the training file has a column with this name that is not dropped.
func (p *Preflight) isKeptColumn(name string) bool {
	return p.HasColumn(name) && !slices.Contains(p.Train.flagLayout.Drop, name)
}

// reset prepares the files for being read again.
func (p *Preflight) reset() {
	p.Findings, p.noHeader = nil, false
	for _, in := range []*InputTable{p.Train, p.Blind} {
		if in != nil {
			in.layout = in.flagLayout
		}
	}
}

// chooseRoles is [roles.ChooseRoles] with the roles of the series.
func (p *Preflight) chooseRoles(train, blind *roles.Description) (chosen roles.Roles, question *roles.Question) {
	given := p.givenRoles()
	chosen, question = roles.ChooseRoles(train, blind, given)
	switch {
	case p.series.Label == "":
	case p.askedLabel:
		chosen.LabelReason = answeredReason
	default:
		chosen.LabelReason = "the label of series " + p.series.Name
	}
	if p.series.ID != "" {
		chosen.IDReason = "the IDs of series " + p.series.Name
	}
	return chosen, question
}

// givenRoles returns the roles set by flags or by the series.
func (p *Preflight) givenRoles() roles.Options {
	given := rolesFromFlags(&p.Train.layout)
	if p.series.Label != "" {
		given.Label = p.series.Label
	}
	if p.series.ID != "" {
		given.ID = p.series.ID
	}
	return given
}
