package preflight

import (
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
)

// AllowUnreadable turns some defects of a blind file into warnings: those about a column whose values
// a model cannot use, because most have another form than in the training file. Commands that only
// compare the files, and do not predict, call it before NoteWarnings.
func (p *Preflight) AllowUnreadable() {
	for i := range p.Findings {
		switch f := &p.Findings[i]; f.Code {
		case csvfile.CodeChangedKind, csvfile.CodeDateOrder, csvfile.CodeOtherSpelling:
			f.Severity = compare.SeverityWarning
		}
	}
}
