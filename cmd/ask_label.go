package cmd

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"foretell/internal/frame"
	"foretell/internal/roles"
)

// askLabel asks which column is the label. If prompting is disabled, the error has the
// commands that name it.
func (p *preflight) askLabel(ctx context.Context, q *roles.Question) (string, error) {
	mute, err := p.host.promptDisabled(p.host.running)
	if err != nil {
		return "", err
	}
	what := fmt.Sprintf("%s: it is not clear which column is the label: %s", p.train.name, q.Why)
	if mute || isDryRun(p.host.running) {
		hint := fmt.Sprintf("name it: `%s`", p.host.commandWith("label", q.Candidates[0]))
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

// maxChoices is the number of columns that a prompt offers.
const maxChoices = 9

// lacksHeader reports whether the training file has no header.
func (p *preflight) lacksHeader() bool {
	return p.noHeader || slices.ContainsFunc(p.trainProfile.Defects, func(d frame.Defect) bool { return d.Code == frame.CodeNoHeader })
}

// askHeader asks whether a training file whose first row looks like data has no header.
// If prompting is disabled, the error has the command for it. check reports it as a
// defect instead.
func (p *preflight) askHeader(ctx context.Context) (none bool, err error) {
	if p.host.running.Name() == "check" || p.train.shape.Blind || p.train.shape.NoHeader {
		return false, nil
	}
	mute, err := p.host.promptDisabled(p.host.running)
	if err != nil {
		return false, err
	}
	fact := "the first row looks like data, not like a header"
	if mute || isDryRun(p.host.running) {
		return false, usageErrorf("%s:1: %s", p.train.name, fact).
			withHint("if the file has no header, use `%s`; otherwise add one", p.host.commandWith("no-header-row", "true")).
			at(p.train.name, 1, 0)
	}
	p.host.note("%s:1: %s: %s", p.train.name, fact, joinFirst(p.columns))
	return p.host.console.Confirm(ctx, "Has the file no header row?")
}

// reportMissingHeader replaces all findings by the missing header: the others would name
// wrong columns and miss a row.
func (p *preflight) reportMissingHeader() {
	p.findings = nil
	p.add(p.train, frame.SeverityDefect, frame.Defect{
		Code: frame.CodeNoHeader, Line: 1,
		Message: "the first row looks like data: a header row is required",
	}, "")
	if p.blind != nil {
		p.blindProfile = &frame.Profile{Schema: &frame.Schema{}, Partial: true}
	}
}
