package preflight

import (
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
)

// AllowUnreadable turns defects into warnings if they are about columns with mostly values that a model
// cannot use. A command that only shows how a file differs from the training file calls it before
// NoteWarnings.
func (p *Preflight) AllowUnreadable() {
	for i := range p.Findings {
		switch f := &p.Findings[i]; f.Code {
		case csvfile.CodeChangedKind, csvfile.CodeDateOrder, csvfile.CodeOtherSpelling:
			f.Severity = compare.SeverityWarning
		}
	}
}
