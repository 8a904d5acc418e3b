package preflight

import (
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
)

// AllowUnreadable turns some defects of a blind file into warnings: most values of a column have
// another form than in the training file, so a model cannot use them. Commands that only compare
// the files call it before NoteWarnings.
func (p *Preflight) AllowUnreadable() {
	for i := range p.Findings {
		switch f := &p.Findings[i]; f.Code {
		case csvfile.CodeChangedKind, csvfile.CodeDateOrder, csvfile.CodeOtherSpelling:
			f.Severity = compare.SeverityWarning
		}
	}
}
