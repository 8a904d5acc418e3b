package doctor

import (
	"context"
	"errors"
	"fmt"

	"foretell/internal/blob"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/storedfile"
	"foretell/internal/term"
)

// checkFiles checks the sizes of the stored files, and with --files their contents. shown is
// false if there is nothing to check and --files is not set.
func (o *Checker) checkFiles(ctx context.Context, s *config.Settings) (c Result, shown bool) {
	const name = "files"
	dir, err := config.DataDir(o.Factory.Env, s)
	if err != nil {
		return Result{}, false // checkDataFolder reports this error
	}
	if !connect.HasLocalData(o.Factory, o.Service.Cmd, dir) {
		return okResult(name, "no files are stored in %s", dir), o.VerifyFiles
	}
	service, err := connect.OpenSelected(ctx, o.Factory, o.Service.Cmd, false)
	if errors.Is(err, connect.ErrOldSchema) {
		return warnResult(name, "upgrade the database with `foretell migrate`, or start the service, which also upgrades it",
			"not checked, because the database has the schema of an earlier version"), true
	}
	if err != nil {
		return failResult(ctx, name, err), true
	}
	defer func() { _ = service.Close() }() // an error does no harm: nothing was written
	found, err := service.App.CheckFiles(ctx, o.VerifyFiles)
	if err != nil {
		return failResult(ctx, name, err), true
	}
	return o.filesResult(ctx, name, connect.StorageName(o.Factory, o.Service.Cmd), found), true
}

// SummarizeOrphans formats the number, size and age of the stored files that the database does not
// reference. storage is where they are; see [connect.StorageName].
func SummarizeOrphans(f *cli.Factory, storage string, o blob.Orphans) string {
	days := int(f.Now().Sub(o.Oldest).Hours() / 24)
	return fmt.Sprintf("%s (%s) in %sorphans, the oldest found %s ago", humanize.Count(o.Count, "orphaned file"), term.FormatBytes(o.Bytes), storage, humanize.Count(days, "day"))
}

// filesResult converts found, the outcome of checking the stored files, to the result of the check
// called name. storage is where the files are; see [connect.StorageName].
func (o *Checker) filesResult(ctx context.Context, name, storage string, found *storedfile.CheckResult) Result {
	if n := len(found.Damaged); n > 0 {
		for _, f := range found.Damaged[1:] {
			o.Factory.Note("%s (%s%s)", f.Reason, storage, f.Blob)
		}
		first := found.Damaged[0]
		return failResult(ctx, name, exit.Errorf(exit.Unexpected, "%d of %s damaged; %s (%s%s)", n, humanize.Count(found.Files, "file"), first.Reason, storage, first.Blob).
			WithHint("restore these files in %s from a backup", storage))
	}
	message := fmt.Sprintf("%s, %s, sizes match", humanize.Count(found.Files, "file"), term.FormatBytes(found.Bytes))
	if o.VerifyFiles {
		message = fmt.Sprintf("%s, %s, contents match", humanize.Count(found.Files, "file"), term.FormatBytes(found.Bytes))
		if found.Unverified > 0 {
			message += fmt.Sprintf("; the SHA-256 of %s of an earlier version was added", humanize.Count(found.Unverified, "file"))
		}
	}
	if found.Orphans.Count > 0 {
		return warnResult(name, "the database does not refer to the orphaned files; an orphaned file is deleted 30 days after it was found, "+
			"unless a database that refers to this file is restored",
			"%s; %s", message, SummarizeOrphans(o.Factory, storage, found.Orphans))
	}
	return okResult(name, "%s", message)
}
