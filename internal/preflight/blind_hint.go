package preflight

import "foretell/internal/table/csvfile"

// driftHint returns the remedy for a difference between the blind file and the training file.
func (p *Preflight) driftHint(f *finding) string {
	switch f.Code {
	case csvfile.CodeUnseenCategory, csvfile.CodeMovedRange:
		return "train on such rows too, or trust their predictions less"
	case csvfile.CodeMoreMissing:
		if f.Count > 1 {
			return "find out why the values are missing, or train without the columns (see --drop)"
		}
		return "find out why the values are missing, or train without the column: `" + p.Factory.CommandWith("drop", f.Name) + "`"
	case csvfile.CodeChangedKind, csvfile.CodeMisreadNumbers:
		return "use the format of the training file, and clear the cells whose value is not known"
	case csvfile.CodeOtherSpelling:
		return "write these texts as in the training file, or train without the column (see --drop); the model does not know texts in another spelling"
	case csvfile.CodeExtraColumn:
		return "no action is required"
	case csvfile.CodeOtherIDName:
		return "if the ID is another column, set it with --id"
	}
	return ""
}

// replaceIDHints finds the hints that suggest a column as the ID although the column has missing or
// repeated values in the blind file. The suggested command would fail, so the new hint says that no
// action is required.
func (p *Preflight) replaceIDHints() {
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
			f.Hint = "no action is required: in the blind file, the column has missing or repeated values, so it cannot be the ID"
		}
	}
}
