package preflight

import (
	"strconv"

	"foretell/internal/table/csvfile"
)

// raggedHint returns the remedy for rows with another number of fields than the header.
func (p *Preflight) raggedHint(in *InputTable, f *finding) string {
	isBlind, isCut := p.isBlind(in), f.Count <= 1 && f.Line == in.cutLine && f.Column <= in.columns
	switch {
	case in.rowsAboveHeader > 0:
		return p.skipRowsHint(in)
	case in.isUnalignable && in == p.Train:
		return "no row fits the header: add the missing names to the header, put a field that has the separator in quotes, or set the separator with --delimiter"
	case isBlind && f.Count <= csvfile.MaxLocationsShown && f.Column == 2 && in.columns > 2: // one field, as in a note below the table; --fix could rarely align it
		switch {
		case f.Count > 1:
			return "delete the lines that are not rows to predict, and correct the fields of the others"
		case isCut:
			return "if the line is a note below the rows, delete it; otherwise, " + cutHint
		}
		return "if the line is not a row to predict, delete it; otherwise, add its missing fields"
	case isCut:
		return cutHint
	}
	return p.fixHint(in)
}

// unclosedQuoteHint returns the remedy for a quote that is never closed.
func (p *Preflight) unclosedQuoteHint(in *InputTable, f *finding) string {
	const maxLines = 5 // lines of the field if the file ends inside it; a quote farther above was probably left open by mistake
	if f.Line > 0 && f.Line+maxLines > in.cutLine && in.cutLine >= f.Line {
		return cutHint
	}
	return p.fixHint(in)
}

// cutHint is the remedy for a file whose last row is incomplete and has no line end. A copy that --fix
// writes would lose or damage this row, and would lack the rows that follow.
const cutHint = "the file ends inside a row, so it is probably incomplete: download or export it again; if it is complete, correct the row by hand"

// invalidIDHint returns the remedy for a missing or repeated ID.
func (p *Preflight) invalidIDHint(in *InputTable, f *finding) string {
	hint := "correct the IDs, or generate IDs: `" + p.Factory.CommandWith("id", generateIDs) + "`"
	if prof := p.profileOf(in); f.Code == csvfile.CodeEmptyID && p.isBlind(in) && prof != nil && 10*f.Count < prof.Rows {
		hint = "if the line is not a row to predict, such as a total, delete it and the notes below it; otherwise, " + hint
	}
	if !p.Train.layout.Blind && in.layout.CopyID == "" {
		hint += "; " + strconv.Quote(f.Name) + " is then a feature, unless --drop excludes it"
	}
	return hint
}
