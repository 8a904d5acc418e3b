package cmd

import (
	"cmp"
	"context"

	"foretell/internal/connect"
	"foretell/internal/preflight"
	"foretell/internal/race"
	"foretell/internal/requirement"
	"foretell/internal/term"
)

// checkAndConnect checks the files, connects to the service, and makes the run use the label and
// the ID column of its series. With --plan, it does not connect, and the session is nil. former is
// the champion of the series, or nil if the series has no champion. prepCtx is derived from ctx,
// and ends at the time limit.
//
// If the first check inferred another label or ID column than the series has, the files are checked
// a second time. checkAndConnect prints only the findings of the last check, even if it returns an
// error.
func (o *runOptions) checkAndConnect(ctx, prepCtx context.Context, progress *term.Progress, limit race.Deadline, files *preflight.Preflight) (session *connect.Session, former *requirement.Champion, err error) {
	console := o.factory.Console
	stderr := console.Err
	// A dry run discards all output after it has connected, except findings and questions about them.
	withOutput := func(do func()) {
		later := console.Err
		console.Err = stderr
		do()
		console.Err = later
	}
	check := func() (err error) {
		withOutput(func() { err = o.checkFiles(ctx, prepCtx, progress, limit, files) })
		return err
	}
	defer withOutput(func() { o.noteFindings(files) })
	err = check()
	if (err != nil || o.planOnly) && o.readSeriesRoles(prepCtx, files) {
		err = check()
	}
	if err != nil || o.planOnly {
		return nil, nil, err
	}
	if session, err = o.wait.Connect(ctx); err != nil {
		return nil, nil, err
	}
	session.Progress = progress
	former, changed, err := o.useSeriesRoles(prepCtx, session, files)
	if err != nil {
		err = limit.TranslateError(prepCtx, nil, err)
	} else if changed {
		err = check()
	}
	if err != nil {
		session.Close()
		return nil, nil, err
	}
	return session, former, nil
}

// noteFindings prints the roles of the columns and the warnings of the last check, unless they were
// printed before or the files could not be read.
func (o *runOptions) noteFindings(files *preflight.Preflight) {
	if o.unnoted {
		o.unnoted = false
		files.NoteRoles(&o.output)
		files.NoteWarnings(&o.output)
	}
}

// checkFiles checks the files. It returns an error if they have a defect or do not match the flags.
// It prints the findings only if it must ask a question about them; otherwise, noteFindings prints
// them later. prepCtx is ctx with the time limit.
func (o *runOptions) checkFiles(ctx, prepCtx context.Context, progress *term.Progress, limit race.Deadline, files *preflight.Preflight) error {
	o.unnoted = false
	files.Train.HashWhileChecking()
	if files.Blind != nil {
		files.Blind.HashWhileChecking()
	}
	if err := files.Run(prepCtx, progress); err != nil {
		return limit.TranslateError(prepCtx, nil, err)
	}
	o.training.RemoveWarnings(files)
	o.unnoted = true
	if err := files.DefectError(); err != nil {
		return err
	}
	if err := files.ConfirmManyClasses(ctx, func() { o.noteFindings(files) }); err != nil {
		return err
	}
	if err := cmp.Or(o.training.CheckAlgorithms(len(files.TrainProfile.Classes)), o.training.CheckColumnFlags(files), o.training.CheckClassFlags(files.ClassLabels()), o.gate.CheckClasses(files.ClassLabels())); err != nil {
		return err
	}
	if err := o.training.CheckGroupAndTime(prepCtx, files); err != nil {
		return limit.TranslateError(prepCtx, nil, err)
	}
	if files.BlindProfile != nil {
		return o.target.Columns.CheckAvailable(files.BlindProfile, files.ClassLabels(), o.target.Reasons)
	}
	return nil
}
