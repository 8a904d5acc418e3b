package preflight

import (
	"fmt"
	"slices"

	"foretell/internal/term"
)

// fixHint returns the commands that write a corrected copy and use it.
func (p *Preflight) fixHint(in *Input) string {
	files, fixed := in.ShellArguments(""), in.Stem()+".fixed.csv"
	command := fmt.Sprintf("foretell check %s --fix %s", files, term.ShellQuote(fixed))
	switch {
	case in.layout.Blind && p.Blind == nil && in.flagLayout.NoHeader: // a copy would have a header without the names of the training file
		return "correct the file by hand"
	case in == p.Blind:
		command = fmt.Sprintf("foretell check %s --fix-blind %s", p.shellArguments(), term.ShellQuote(fixed))
	case in.layout.Blind:
		command = fmt.Sprintf("foretell check %s --no-label --fix %s", files, term.ShellQuote(fixed))
	}
	hint := "write a corrected copy: `" + command + "`"
	if p.Factory.Running.Name() == "check" || len(in.args) != 1 || in.IsSpooled() {
		return hint
	}
	omitted := p.flagsWithoutCopy(in)
	if p.Blind != nil && slices.ContainsFunc(formatFlags, p.Factory.Running.Flags().Changed) {
		return hint // these flags are wrong for the copy, but the other file needs them
	}
	return hint + ", then `" + p.Factory.CommandWithFile(in.args[0], fixed, omitted...) + "`"
}

// formatFlags are the flags that describe the format of the files. A corrected copy needs none of them.
var formatFlags = []string{"no-header-row", "delimiter", "encoding", "sheet"}

// flagsWithoutCopy returns the flags that a command with the corrected copy of in must not have.
func (p *Preflight) flagsWithoutCopy(in *Input) []string {
	omitted := slices.Clone(formatFlags)
	if in.layout.Blind {
		return omitted
	}
	if in.flagLayout.GenerateID { // the copy has the generated IDs
		omitted = append(omitted, "id")
	}
	return append(omitted, "drop") // the copy does not have the dropped columns
}
