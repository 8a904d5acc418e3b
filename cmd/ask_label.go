package cmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"foretell/internal/frame"
	"foretell/internal/roles"
)

// askLabel asks which column is the label. Where nobody can be asked it is an error
// that names the commands that say so.
func (p *preflight) askLabel(ctx context.Context, q *roles.Question) (string, error) {
	mute, err := p.host.promptDisabled(p.host.running)
	if err != nil {
		return "", err
	}
	what := fmt.Sprintf("%s: it is not clear which column is the label: %s", p.train.name, q.Why)
	if mute || isDryRun(p.host.running) {
		hint := fmt.Sprintf("say which: `%s`", p.host.commandWith("label", q.Candidates[0]))
		for _, other := range q.Candidates[1:min(len(q.Candidates), maxChoices)] {
			hint += ", or --label " + shellQuote(other)
		}
		return "", usageErrorf("%s", what).withHint("%s", hint)
	}
	candidates := q.Candidates[:min(len(q.Candidates), maxChoices)]
	p.host.note("%s", what)
	for i, name := range candidates {
		p.host.note("  %d  %s", i+1, name)
	}
	for {
		answer, err := p.host.console.Ask(ctx, fmt.Sprintf("Which one? 1 to %d, or a name [1]", len(candidates)))
		if err != nil {
			return "", err
		}
		switch n, err := strconv.Atoi(answer); {
		case answer == "":
			return candidates[0], nil
		case slices.Contains(p.columns, answer):
			return answer, nil
		case err == nil && n >= 1 && n <= len(candidates):
			return candidates[n-1], nil
		}
		p.host.note("%s is neither a number from 1 to %d nor the name of a column", strconv.Quote(answer), len(candidates))
	}
}

// maxChoices is how many columns a question offers.
const maxChoices = 9

// lacksHeader reports whether the training file has no header, so that it is not
// known what its columns are.
func (p *preflight) lacksHeader() bool {
	return p.noHeader || slices.ContainsFunc(p.trainProfile.Defects, func(d frame.Defect) bool { return d.Code == frame.CodeNoHeader })
}

// askHeader asks on a terminal whether a training file that begins with what looks
// like data has no header. Where nobody can be asked it is an error that has the
// command which says so; check reports it.
func (p *preflight) askHeader(ctx context.Context) (none bool, err error) {
	if p.host.running.Name() == "check" || p.train.shape.Blind || p.train.shape.NoHeader {
		return false, nil
	}
	mute, err := p.host.promptDisabled(p.host.running)
	if err != nil {
		return false, err
	}
	fact := "the first row looks like data: it is not clear that it names the columns"
	if mute || isDryRun(p.host.running) {
		return false, usageErrorf("%s:1: %s", p.train.name, fact).
			withHint("if the file has no header row, say so: `%s`; else put one above it", p.host.commandWith("no-header-row", "true")).
			at(p.train.name, 1, 0)
	}
	p.host.note("%s:1: %s: %s", p.train.name, fact, joinFirst(p.columns))
	return p.host.console.Confirm(ctx, "Has the file no header row?")
}

// reportMissingHeader leaves of the findings only that there is no header: all others
// would be of columns with wrong names, one row short.
func (p *preflight) reportMissingHeader() {
	p.findings = nil
	p.add(p.train, frame.SeverityDefect, frame.Defect{
		Code: frame.CodeNoHeader, Line: 1,
		Message: "the first row looks like data: a header row that names the columns is needed above it",
	}, "")
	if p.blind != nil {
		p.blindProfile = &frame.Profile{Schema: &frame.Schema{}, Partial: true}
	}
}
