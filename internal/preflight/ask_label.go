package preflight

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/roles"
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
	"foretell/internal/term"
)

// askLabel asks the user which column is the label. If prompting is disabled, or in a dry run, it
// returns an error that suggests a value of --label for each candidate.
func (p *Preflight) askLabel(ctx context.Context, q *roles.Question) (label string, err error) {
	promptDisabled, err := p.Factory.PromptDisabled(p.Factory.Running)
	if err != nil {
		return "", err
	}
	what := fmt.Sprintf("%s: it is not clear which column is the label: %s", p.Train.Name, q.Why)
	if promptDisabled || cli.IsDryRun(p.Factory.Running) {
		hint := fmt.Sprintf("set the label: `%s`", p.Factory.CommandWith("label", q.Candidates[0]))
		for _, other := range q.Candidates[1:min(len(q.Candidates), maxChoices)] {
			hint += ", or --label " + term.ShellQuote(other)
		}
		return "", exit.Usagef("%s", what).WithHint("%s", hint)
	}
	candidates := q.Candidates[:min(len(q.Candidates), maxChoices)]
	p.Factory.Note("%s", what)
	for i, name := range candidates {
		p.Factory.Note("  %d  %s", i+1, name)
	}
	for {
		answer, err := p.Factory.Console.Ask(ctx, fmt.Sprintf("Which one? 1 to %d, or a name [1]", len(candidates)))
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
		p.Factory.Note("%s is neither a number from 1 to %d nor the name of a column", strconv.Quote(answer), len(candidates))
	}
}

// answeredReason is the reason that is shown for a label that the user chose in a prompt.
const answeredReason = "as answered"

// maxChoices is the number of columns that a prompt offers.
const maxChoices = 9

// seemsToLackHeader reports whether the training file seems to have no header.
func (p *Preflight) seemsToLackHeader() bool {
	return p.noHeader || slices.ContainsFunc(p.TrainProfile.Defects, func(d csvfile.Defect) bool { return d.Code == csvfile.CodeNoHeader })
}

// askNoHeader asks whether a training file has no header, if its first row looks like data. It
// returns the answer. If prompting is disabled, it returns an error with the command for a file
// without a header. It asks nothing and returns false for a blind file, if --no-header-row is set,
// and in `foretell check`, which reports a defect instead.
func (p *Preflight) askNoHeader(ctx context.Context) (noHeader bool, err error) {
	if p.Factory.Running.Name() == "check" || p.Train.layout.Blind || p.Train.layout.NoHeader {
		return false, nil
	}
	promptDisabled, err := p.Factory.PromptDisabled(p.Factory.Running)
	if err != nil {
		return false, err
	}
	fact := "the first row looks like data, not like a header"
	if promptDisabled || cli.IsDryRun(p.Factory.Running) {
		return false, exit.Usagef("%s:1: %s", p.Train.Name, fact).
			WithHint("if the file has no header, use `%s`, or add a header line", p.Factory.CommandWith("no-header-row", "true")).
			At(p.Train.Name, 1, 0)
	}
	p.Factory.Note("%s:1: %s: %s", p.Train.Name, fact, joinFirstNames(p.columns))
	return p.Factory.Console.Confirm(ctx, "Is this a row of data, so that the file has no header?")
}

// reportOnlyMissingHeader replaces all findings by the finding that the header is missing. Without
// a header, the column names in the other findings would be wrong.
func (p *Preflight) reportOnlyMissingHeader() {
	p.Findings = nil
	p.addFinding(p.Train, compare.SeverityDefect, csvfile.Defect{
		Code: csvfile.CodeNoHeader, Line: 1,
		Message: "the first row looks like data, but must be a header",
	}, "")
	if p.Blind != nil {
		p.BlindProfile = &profile.Profile{Schema: &frame.Schema{}, Partial: true}
	}
}
