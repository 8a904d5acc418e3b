// Package preflight checks data files before they are uploaded. It infers the roles of
// columns and asks the user if they are unclear, reports problems, writes corrected copies
// and converts files to the canonical form. The commands that take data files use it.
package preflight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/roles"
	"foretell/internal/table/check"
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
	"foretell/internal/term"
)

// finding is a defect or a warning, with its location and remedy.
type finding struct {
	Severity compare.Severity `json:"severity"`
	Code     string           `json:"code"`
	File     string           `json:"file"`
	Line     int              `json:"line,omitempty"`
	Column   int              `json:"column,omitempty"`
	Name     string           `json:"name,omitempty"`
	Message  string           `json:"message"`
	// Count, AtLeast and Lines are as in csvfile.Defect. Lines are line numbers of File.
	Count   int    `json:"count,omitempty"`
	AtLeast bool   `json:"atLeast,omitempty"`
	Lines   []int  `json:"lines,omitempty"`
	Hint    string `json:"hint,omitempty"`

	otherSeparators []string // as in compare.Finding

	fromModel bool // `foretell check` cannot find it, because it is a difference from the model's training file
}

// location returns file:line:column, which editors understand, followed by the name of the
// column or cell.
func (f *finding) location() string {
	text := f.File
	if f.Line > 0 {
		text += fmt.Sprintf(":%d", f.Line)
		if f.Column > 0 {
			text += fmt.Sprintf(":%d", f.Column)
		}
	}
	if f.Name != "" {
		text += " (" + csvfile.Shorten(f.Name) + ")"
	}
	return text
}

func (f *finding) String() string { return f.location() + ": " + f.Message }

// Preflight checks a training file, a blind file (the rows to predict), or both, before they are
// sent. If only a blind file is checked, it is in Train.
type Preflight struct {
	Factory                    *cli.Factory
	Train, Blind               *InputTable
	TrainProfile, BlindProfile *profile.Profile // of Train and Blind
	Findings                   []finding
	BlindCheckTime             time.Duration // how long it took to check the blind file
	GroupColumn                string        // the value of --group, a column that is not a feature; "" if the flag is not set
	textMemory                 int           // ScanOptions.TextMemory of package profile

	modelColumns  roles.TrainingFile // the columns of the model if Train is a blind file for it
	modelForms    map[string]string  // the form of each column of the model; nil if Train is a training file
	modelFormats  *frame.Schema      // the date orders and decimal separators of the model's columns; nil if Train is a training file
	columns       []string           // names of the training file's columns; nil if it cannot be read
	hasSample     bool               // whether some rows of the training file were read
	blindColumns  *roles.Description // the columns of the blind file; nil without one
	blindLacks    []string           // names of the training file's columns that the blind file lacks
	noHeader      bool               // whether the first row of the training file looks like data
	roles         roles.Roles        // roles of the training file's columns
	hasRejectedID bool               // IDs are generated for the training file, because a later row has no or a repeated ID
	series        SeriesRoles        // roles of the series that UseSeries has set
	ownLabel      string             // the label that would be inferred from the training file alone; "" if the user would be asked
	askedLabel    bool               // whether the user was asked for the label
	confirmed     bool               // whether the user has confirmed that the many numbers of the label are classes
	blindID       roles.BlindID      // where the row IDs of the blind file come from
}

// codeRenamedColumn is the code of a warning about a column that is read under another
// name.
const codeRenamedColumn = "renamed-column"

// Close closes the inputs.
func (p *Preflight) Close() {
	for _, in := range []*InputTable{p.Train, p.Blind} {
		if in != nil {
			_ = in.Close() // at worst, temporary files remain
		}
	}
}

// ClassLabels returns the classes of the training file.
func (p *Preflight) ClassLabels() []string {
	labels := make([]string, len(p.TrainProfile.Classes))
	for i, class := range p.TrainProfile.Classes {
		labels[i] = class.Text
	}
	return labels
}

// Run infers the roles of columns, and reads the training file and, if there is one, the
// blind file. It asks the user if a role is unclear. Problems of the data are in Findings.
func (p *Preflight) Run(ctx context.Context, progress *term.Progress) error {
	if err := p.InferRolesAndLayouts(ctx); err != nil {
		return err
	}
	if err := p.profileTrain(ctx, progress); err != nil {
		return err
	}
	if p.seemsToLackHeader() {
		none, err := p.askNoHeader(ctx)
		if err != nil {
			return err
		}
		if !none {
			p.reportOnlyMissingHeader()
			return nil
		}
		p.resetToReadWithoutHeader()
		return p.Run(ctx, progress)
	}
	p.addProfileFindings(p.Train, p.TrainProfile)
	if p.Blind == nil {
		return nil
	}
	began := p.Factory.Now()
	if err := p.profileBlind(ctx, progress); err != nil {
		return err
	}
	p.addProfileFindings(p.Blind, p.BlindProfile)
	p.compareFiles()
	p.BlindCheckTime = p.Factory.Now().Sub(began)
	return nil
}

// resetToReadWithoutHeader resets the inputs, so that they are read again without a header.
func (p *Preflight) resetToReadWithoutHeader() {
	for _, in := range []*InputTable{p.Train, p.Blind} {
		if in != nil {
			in.flagLayout.NoHeader = true
		}
	}
	p.reset()
}

// profileTrain profiles the training file. If the inferred ID column has invalid IDs, it
// reads the file again with generated IDs.
func (p *Preflight) profileTrain(ctx context.Context, progress *term.Progress) error {
	for {
		if err := p.scanTrain(ctx, progress); err != nil {
			return err
		}
		reason := invalidIDReason(p.TrainProfile)
		if reason == "" || p.Train.flagLayout.ID != "" || p.roles.GeneratedID || p.columns == nil {
			return nil
		}
		if p.Train.layout.Blind {
			return p.reprofileWithGeneratedIDs(ctx, progress, p.Train, reason, &p.TrainProfile)
		}
		header, err := p.Train.readHeader(ctx)
		if err != nil {
			return err
		}
		p.hasRejectedID = true
		p.roles.ID, p.roles.GeneratedID, p.roles.IDReason = "", true, reason
		p.setTrainLayout(header)
		if p.Blind != nil {
			if err := p.inferBlindAgain(ctx); err != nil {
				return err
			}
		}
	}
}

// scanTrain reads the training file with its layout, and sets TrainProfile.
func (p *Preflight) scanTrain(ctx context.Context, progress *term.Progress) (err error) {
	p.TrainProfile, err = p.Train.scanProfile(ctx, progress, profile.ScanOptions{ID: p.blindIDName(p.Train), Training: p.modelFormats, TextMemory: p.textMemory})
	return err
}

// profileBlind is like profileTrain for the blind file.
func (p *Preflight) profileBlind(ctx context.Context, progress *term.Progress) (err error) {
	if err := p.addColumnsUnusedInTraining(ctx); err != nil {
		return err
	}
	opts := profile.ScanOptions{ID: p.blindIDName(p.Blind), Training: p.TrainProfile.Schema, TextMemory: p.textMemory}
	if p.BlindProfile, err = p.Blind.scanProfile(ctx, progress, opts); err != nil {
		return err
	}
	if reason := invalidIDReason(p.BlindProfile); reason != "" && p.Blind.flagLayout.ID == "" {
		return p.reprofileWithGeneratedIDs(ctx, progress, p.Blind, reason, &p.BlindProfile)
	}
	return nil
}

// blindIDName returns the name that the ID column of a blind file has in its canonical form.
func (p *Preflight) blindIDName(in *InputTable) string {
	if p.blindID.Generated {
		return in.layout.GeneratedIDName
	}
	return p.blindID.ID
}

// reprofileWithGeneratedIDs reads a blind file with invalid IDs again, now with generated IDs, and
// sets *prof to the new profile. If the column of the invalid IDs is also the training file's ID
// column, it does nothing: the user must decide. reason is the reason for the generated IDs, for a
// warning.
func (p *Preflight) reprofileWithGeneratedIDs(ctx context.Context, progress *term.Progress, in *InputTable, reason string, prof **profile.Profile) (err error) {
	if p.blindID.Generated || p.blindID.IsTrainingID {
		return nil
	}
	header, err := in.readHeader(ctx)
	if header == nil || err != nil {
		return err
	}
	names := in.layout.Names
	if names == nil {
		names = header
	}
	known, training := p.modelColumns, p.modelFormats
	if in == p.Blind {
		known, training = p.expectedBlindColumns(), p.TrainProfile.Schema
	}
	p.blindID = roles.BlindID{Generated: true, Reason: reason}
	p.setBlindLayout(in, header, names, &known)
	*prof, err = in.scanProfile(ctx, progress, profile.ScanOptions{ID: p.blindIDName(in), Training: training, TextMemory: p.textMemory})
	return err
}

// compareFiles compares the blind file with the training file if both were read completely.
func (p *Preflight) compareFiles() {
	if p.TrainProfile.IsIncomplete() || p.BlindProfile.IsIncomplete() {
		return
	}
	p.addDifferences(p.Blind, compare.Profiles(p.TrainProfile, p.BlindProfile))
	p.warnTakenNames(p.Blind, p.BlindProfile, p.ClassLabels())
	p.replaceIDHints()
	p.warnKnownRows()
}

const (
	minKnownRows  = 10   // at least this number of blind rows must have the features of a training row
	minKnownShare = 0.05 // smallest fraction of such rows; a few rows may be equal by chance
)

// warnKnownRows warns if many rows of the blind file are equal to a training row in all features.
func (p *Preflight) warnKnownRows() {
	known := p.TrainProfile.CountKnownRows(p.BlindProfile)
	share := float64(known) / float64(max(p.BlindProfile.Rows, 1))
	if known < minKnownRows || share < minKnownShare {
		return
	}
	message := fmt.Sprintf("rows with the same features as a training row: %s of %s (%s)",
		humanize.Comma(known), humanize.Comma(p.BlindProfile.Rows), humanize.Percent(share))
	p.addFinding(p.Blind, compare.SeverityWarning, csvfile.Defect{Code: csvfile.CodeKnownRows, Message: message, Line: p.BlindProfile.HeaderLine()}, "")
}

// addDifferences adds the differences of a blind file from the training file.
func (p *Preflight) addDifferences(in *InputTable, differences []compare.Finding) {
	for _, f := range differences {
		if f.Code == csvfile.CodeOtherIDName && (p.roles.GeneratedID || p.blindID.Generated) {
			continue // a generated ID column has another name
		}
		p.addFinding(in, f.Severity, csvfile.Defect{Code: f.Code, Message: f.Message, Line: f.Line, Column: f.Column, Name: f.Name, Count: f.Count}, f.Suggestion)
		added := &p.Findings[len(p.Findings)-1]
		added.fromModel, added.otherSeparators = in == p.Train, f.OtherSeparators
		if f.OtherSeparators != nil {
			added.Hint = p.swapSeparatorsHint(in, f.OtherSeparators)
		}
	}
}

func (p *Preflight) addProfileFindings(in *InputTable, prof *profile.Profile) {
	if in.readError != nil {
		f := *in.readError
		f.Severity = compare.SeverityDefect
		f.Hint = p.findingHint(in, &f, "")
		p.Findings = append(p.Findings, f)
	}
	for _, w := range in.table.Warnings() {
		f := finding{
			Severity: compare.SeverityWarning, Code: w.Code, File: w.File, Line: w.Line, Column: w.Column, Name: w.Name, Message: w.Message,
		}
		f.Hint = p.findingHint(in, &f, "")
		p.Findings = append(p.Findings, f)
	}
	for _, d := range prof.Defects {
		if d.Code == csvfile.CodeTooFewColumns {
			d = in.explainTooFewColumns(d)
		}
		p.addFinding(in, compare.SeverityDefect, d, "")
	}
	for _, w := range prof.Warnings {
		if prof.IsIncomplete() || w.Code == csvfile.CodeUnnamedID {
			// A warning about the part that was read may be wrong for the whole file. An ID without a
			// name is not worth a warning: some programs write an index column without a name.
			continue
		}
		p.addFinding(in, compare.SeverityWarning, csvfile.Defect(w), "")
	}
}

// addFinding adds a finding. suggestedColumn is the column that was probably meant, or
// "".
func (p *Preflight) addFinding(in *InputTable, severity compare.Severity, d csvfile.Defect, suggestedColumn string) {
	f := finding{
		Severity: severity, Code: d.Code, File: in.Name, Name: d.Name, Message: d.Message,
		Count: d.Count, AtLeast: d.AtLeast,
	}
	if d.Code == csvfile.CodeDuplicateID || d.Code == csvfile.CodeEmptyID {
		f.Name = cmp.Or(in.layout.CopyID, d.Name)
	}
	if d.Line > 0 || d.Column > 0 {
		f.File, f.Line, f.Column = in.table.Locate(d.Line, d.Column)
	}
	for _, line := range d.Lines {
		if file, line, _ := in.table.Locate(line, 0); file == f.File {
			f.Lines = append(f.Lines, line)
		}
	}
	f.Hint = p.findingHint(in, &f, suggestedColumn)
	p.Findings = append(p.Findings, f)
}

// ConfirmManyClasses asks whether a column with more than check.MaxUnconfirmedNumbers different
// numbers is really the label, unless the user set the label. It calls beforePrompt before it asks. If
// prompting is disabled, it does not ask. It then returns an error if the label was chosen only because
// it is the last column.
func (p *Preflight) ConfirmManyClasses(ctx context.Context, beforePrompt func()) error {
	many := slices.IndexFunc(p.Findings, func(f finding) bool { return f.Code == csvfile.CodeManyClasses })
	promptDisabled, err := p.Factory.PromptDisabled(p.Factory.Running)
	if err != nil || many < 0 || len(p.TrainProfile.Classes) <= check.MaxUnconfirmedNumbers || p.Train.flagLayout.Label != "" || p.confirmed {
		return err
	}
	numbers := humanize.Count(len(p.TrainProfile.Classes), "number")
	if !promptDisabled {
		p.askedLabel = true
		beforePrompt()
		if p.confirmed, err = p.Factory.Console.Confirm(ctx, "Continue with "+numbers+" as classes?"); err != nil || p.confirmed {
			return err
		}
		return exit.Usagef("cancelled: not confirmed").WithHint("%s", p.Findings[many].Hint)
	}
	if !p.roles.LabelAssumed {
		return nil
	}
	hint := fmt.Sprintf("if each number is a class, confirm the label: `%s`", p.Factory.CommandWith("label", p.roles.Label))
	if other := p.likelyClassColumn(); other != "" {
		hint += fmt.Sprintf(", or use a column with few values: `%s`", p.Factory.CommandWith("label", other))
	}
	return exit.Usagef("%s: the last column, %s, has %s and is perhaps not the label", p.Train.Name, strconv.Quote(p.roles.Label), humanize.Count(len(p.TrainProfile.Classes), "different number")).WithHint("%s", hint)
}

// defects returns the findings that are defects and not warnings.
func (p *Preflight) defects() []finding {
	var defects []finding
	for _, f := range p.Findings {
		if f.Severity == compare.SeverityDefect {
			defects = append(defects, f)
		}
	}
	return defects
}

// DefectError returns an error with the first defect and the number of other defects, or nil
// if the files have no defects.
func (p *Preflight) DefectError() error {
	defects := p.mergeMissingColumns(p.defects())
	if len(defects) == 0 {
		return nil
	}
	first := defects[0]
	e := exit.Errorf(exit.Rejected, "%s", &first).At(first.File, first.Line, first.Column)
	e.Code = first.Code
	if more := len(defects) - 1; more > 0 {
		e.Fact += fmt.Sprintf(" (and %d more)", more)
	}
	remedy := "correct the file, and run the command again"
	if len(defects) > 1 && p.Factory.Running.Name() != "check" {
		remedy = fmt.Sprintf("fix the file; `%s` lists each defect", p.CheckCommand())
	}
	return e.WithHint("%s", cmp.Or(first.Hint, remedy))
}
