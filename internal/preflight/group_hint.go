package preflight

import (
	"slices"

	"foretell/internal/table/csvfile"
	"foretell/internal/term"
)

// groupHint returns the remedy for a column that seems to identify groups of rows.
func (p *Preflight) groupHint(f *finding) string {
	return "if so, keep the rows of each value together: train with --group " + term.ShellQuote(f.Name) + "; --drop " + dropFlagValue(f.Name) + " excludes the column"
}

// timeHint returns the remedy for a column that seems to hold the time of each row.
func (p *Preflight) timeHint(f *finding) string {
	hint := "if so, score on later rows: train with --time " + term.ShellQuote(f.Name)
	isGroup := func(other finding) bool { return other.Code == csvfile.CodeGroupColumn }
	if slices.ContainsFunc(p.Findings, isGroup) {
		hint += "; one of --group and --time is enough; together, they may leave few rows to train on"
	}
	return hint
}
