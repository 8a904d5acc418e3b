package preflight

import (
	"fmt"
	"slices"
	"strings"

	"foretell/internal/cli"
	"foretell/internal/term"
)

// fixHint returns the remedy for defects that --fix corrects.
func (p *Preflight) fixHint(in *InputTable) string {
	if in == p.Train && p.roles.LabelProblem != "" { // --fix would reject the label
		hint := fmt.Sprintf("the label is assumed to be the last column, but it %s: set the label first, ", p.roles.LabelProblem)
		if p.roles.OtherLabel == "" {
			return hint + "with --label; the columns are " + strings.Join(p.firstColumnNamesQuoted(), ", ")
		}
		return hint + "such as `" + p.Factory.CommandWith("label", p.roles.OtherLabel) + "`"
	}
	if commands := p.copyCommands(in, ""); commands != "" {
		return "write a corrected copy: " + commands
	}
	return "correct the file by hand"
}

// swapSeparatorsHint returns the remedy for columns of a blind file that have another decimal
// separator than in the training file. The remedy is a command that exchanges points and commas in
// these columns of a copy and, if possible, a second command that uses the copy.
func (p *Preflight) swapSeparatorsHint(in *InputTable, columns []string) string {
	if commands := p.copyCommands(in, " --swap-separators "+term.ShellQuote(cli.ListFlagValue(columns))); commands != "" {
		return "write a copy in which points and commas are exchanged: " + commands
	}
	return "exchange points and commas in these columns by hand"
}

// copyCommands returns a command that writes a corrected copy and, if possible, a second command that
// uses the copy. flags are added to the first command. copyCommands returns "" if no copy would be
// useful.
func (p *Preflight) copyCommands(in *InputTable, flags string) string {
	if p.needBothCopies() {
		return p.commandsForBothCopies(flags)
	}
	files, fixed := in.ShellArguments(""), in.copyName()
	command := fmt.Sprintf("foretell check %s --fix %s", files, term.ShellQuote(fixed))
	switch {
	case in.layout.Blind && p.Blind == nil && in.flagLayout.NoHeader: // a copy would have a header without the names of the training file
		return ""
	case in == p.Blind:
		command = fmt.Sprintf("foretell check %s --fix-blind %s", p.shellArguments(), term.ShellQuote(fixed))
	case in.layout.Blind:
		command = fmt.Sprintf("foretell check %s --no-label --fix %s", files, term.ShellQuote(fixed))
	}
	label := p.labelToRepeat(in)
	if label != "" {
		command += " --label " + term.ShellQuote(label)
	}
	command = "`" + command + flags + "`"
	if p.Factory.Running.Name() == "check" || len(in.args) != 1 || in.IsSpooled() {
		return command
	}
	omitted := p.flagsOmittedForCopy(in)
	if p.Blind != nil && slices.ContainsFunc(formatFlags, p.Factory.Running.Flags().Changed) {
		return command // the copy does not need these flags, but the other file does
	}
	return command + ", then `" + p.Factory.CommandWithFiles(map[string]string{in.args[0]: fixed}, label, omitted...) + "`"
}

// copyName returns the name that hints suggest for the corrected copy of an input, such as
// train.fixed.csv.
func (in *InputTable) copyName() string {
	name := in.Stem() + ".fixed.csv"
	if strings.HasPrefix(name, "-") {
		return "./" + name // otherwise it looks like a flag
	}
	return name
}

// needBothCopies reports whether both files have rows above the header, such as a title. If a command
// corrected only one file, it would take the title of the other file for its column names, and could
// not compare the two.
func (p *Preflight) needBothCopies() bool {
	return p.Blind != nil && p.Train.headerBelowTitle != nil && p.Blind.headerBelowTitle != nil && p.Train.copyName() != p.Blind.copyName()
}

// commandsForBothCopies is like copyCommands for copies of both files.
func (p *Preflight) commandsForBothCopies(flags string) string {
	train, blind := p.Train.copyName(), p.Blind.copyName()
	command := fmt.Sprintf("`foretell check %s --fix %s --fix-blind %s%s`", p.shellArguments(), term.ShellQuote(train), term.ShellQuote(blind), flags)
	if p.Factory.Running.Name() == "check" || len(p.Train.args) != 1 || len(p.Blind.args) != 1 || p.Train.IsSpooled() || p.Blind.IsSpooled() {
		return command
	}
	copies := map[string]string{p.Train.args[0]: train, p.Blind.args[0]: blind}
	return command + ", then `" + p.Factory.CommandWithFiles(copies, "", p.flagsOmittedForCopy(p.Train)...) + "`"
}

// labelToRepeat returns the label that the commands of a hint must set with --label, because they would
// otherwise infer another one. There are three cases:
//
//   - The user has chosen the label in a prompt.
//   - The label is the label of the series.
//   - The label was inferred from the blind file, but the commands read only the training file.
//
// labelToRepeat returns "" in all other cases. It also returns "" if the user has set --label, because
// the hint repeats the user's flags.
func (p *Preflight) labelToRepeat(in *InputTable) string {
	isInferred := p.Train.flagLayout.Label == "" && !p.Train.layout.Blind && p.hasSample && !p.hasWrongHeader()
	if isInferred && (p.askedLabel || p.series.Label != "" || in == p.Train && p.roles.Label != p.ownLabel) {
		return p.roles.Label
	}
	return ""
}

// hasWrongHeader reports whether the first line of the training file is probably not the header: it has
// too few columns, or --fix leaves it out. It may be a title or a comment, and the label and the ID are
// then unknown.
func (p *Preflight) hasWrongHeader() bool {
	return p.Train.columns < p.Train.fewestColumns() || p.Train.headerBelowTitle != nil
}

// formatFlags are the flags that describe the format of the files. A corrected copy needs none of them.
var formatFlags = []string{"no-header-row", "delimiter", "encoding", "sheet", "skip-rows"}

// flagsOmittedForCopy returns the flags that a command must not have when it reads the corrected copy
// instead of the input.
func (p *Preflight) flagsOmittedForCopy(in *InputTable) []string {
	omitted := slices.Clone(formatFlags)
	if in.flagLayout.GenerateID && in != p.Blind { // the copy has the generated IDs
		omitted = append(omitted, "id")
	}
	if in.layout.Blind {
		return omitted
	}
	return append(omitted, "drop") // the copy does not have the dropped columns
}
