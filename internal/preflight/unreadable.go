package preflight

import (
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
)

// AllowUnreadable turns the defects of columns most of whose values a model cannot use into warnings. A
// command that does not predict, but shows how a file differs from the training file, calls it before
// NoteWarnings.
func (p *Preflight) AllowUnreadable() {
	for i := range p.Findings {
		switch f := &p.Findings[i]; f.Code {
		case csvfile.CodeChangedKind, csvfile.CodeDateOrder, csvfile.CodeOtherSpelling:
			f.Severity = compare.SeverityWarning
		}
	}
}
