package preflight

import (
	"foretell/internal/table/csvfile"
)

// dropIDHints changes the hints to use a column of the training file as the ID if the column is no
// ID of the blind file: the command of the hint would fail.
func (p *Preflight) dropIDHints() {
	for i := range p.Findings {
		f := &p.Findings[i]
		if f.Code != csvfile.CodeIDLikeColumn || f.Hint == "" {
			continue
		}
		at := p.BlindProfile.ColumnIndex(f.Name)
		if at < 0 {
			continue
		}
		if c := &p.BlindProfile.Columns[at]; c.Missing > 0 || !c.Estimate && c.Distinct < p.BlindProfile.Rows {
			f.Hint = "no action is required: the column cannot be the ID, because not every row of the blind file has a value of its own"
		}
	}
}
