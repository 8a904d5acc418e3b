package preflight

import (
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
)

// AllowUnreadable turns defects into warnings if they are about columns most of whose values differ
// in form from those of the training file, so that a model cannot use them. Commands that only
// compare a file with the training file call it before NoteWarnings.
func (p *Preflight) AllowUnreadable() {
	for i := range p.Findings {
		switch f := &p.Findings[i]; f.Code {
		case csvfile.CodeChangedKind, csvfile.CodeDateOrder, csvfile.CodeOtherSpelling:
			f.Severity = compare.SeverityWarning
		}
	}
}
