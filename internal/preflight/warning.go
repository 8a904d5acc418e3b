package preflight

import (
	"path/filepath"
	"slices"

	"foretell/internal/cli"
	"foretell/internal/receipt"
	"foretell/internal/table/compare"
)

// maxWarningsPerKind is the maximum number of printed warnings of one kind.
const maxWarningsPerKind = 3

// NoteWarnings prints the warnings, unless --quiet is set. It prints at most maxWarningsPerKind
// warnings with the same code and file, and then refers to [Preflight.CheckCommand].
//
// That command does not find the differences from the training file of a model. NoteWarnings
// therefore prints all of these differences, even if they are defects. It omits only the first
// defect, which [Preflight.DefectError] returns.
func (p *Preflight) NoteWarnings(o *cli.Output) {
	reported, hasDefect := map[string]int{}, false
	for i := range p.Findings {
		f := &p.Findings[i]
		if f.Severity != compare.SeverityWarning {
			if f.fromModel && hasDefect {
				o.Note("defect: %s", shortenPath(p.Factory, f))
			}
			hasDefect = true
			continue
		}
		if f.fromModel {
			o.Note("warning: %s", shortenPath(p.Factory, f))
			continue
		}
		reported[f.File+f.Code]++
		switch n := reported[f.File+f.Code]; {
		case n <= maxWarningsPerKind:
			o.Note("warning: %s", shortenPath(p.Factory, f))
		case n == maxWarningsPerKind+1:
			o.Note("warning: %s: more warnings of this kind, see `%s`", shortenPath(p.Factory, f).File, p.CheckCommand())
		}
	}
}

// Warnings returns all warnings, which --json prints with the result.
func (p *Preflight) Warnings() []receipt.Warning {
	var warnings []receipt.Warning
	for i := range p.Findings {
		if f := &p.Findings[i]; f.Severity == compare.SeverityWarning {
			warnings = append(warnings, receipt.Warning{Code: f.Code, File: f.File, Line: f.Line, Column: f.Column, Name: f.Name, Message: f.Message})
		}
	}
	return warnings
}

// ReceiptWarnings returns all warnings for a receipt. They have file names without folders.
func (p *Preflight) ReceiptWarnings() []receipt.Warning {
	warnings := p.Warnings()
	for i := range warnings {
		warnings[i].File = filepath.Base(warnings[i].File)
	}
	return warnings
}

// RemoveFindings removes the findings that have the code and are about the column, or about any column if
// column is "".
func (p *Preflight) RemoveFindings(code, column string) {
	p.Findings = slices.DeleteFunc(p.Findings, func(f finding) bool { return f.Code == code && (column == "" || f.Name == column) })
}

// removeFindings removes the findings about a file.
func (p *Preflight) removeFindings(file string) {
	p.Findings = slices.DeleteFunc(p.Findings, func(f finding) bool { return f.File == file })
}
