package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"foretell/internal/app"
	"foretell/internal/blob"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// checkFiles checks the sizes of the stored files, and with --files their contents. known is
// false if the folder has no stored files.
func (o *Checker) checkFiles(ctx context.Context, s *config.Settings) (c Result, known bool) {
	const name = "files"
	dir, err := config.DataDir(o.Factory.Env, s)
	if err != nil {
		return Result{}, false // checkData reports this error
	}
	if _, err := os.Stat(filepath.Join(dir, connect.DatabaseFile)); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, "blobs")); err != nil {
			return Result{}, false
		}
	}
	service, err := connect.OpenLocal(ctx, dir, o.Factory, o.Service.Cmd)
	if err != nil {
		return failResult(ctx, name, err), true
	}
	defer func() { _ = service.Close() }() // nothing was written
	found, err := service.App.CheckFiles(ctx, o.VerifyFiles)
	if err != nil {
		return failResult(ctx, name, err), true
	}
	return o.filesResult(ctx, name, found), true
}

// FormatOrphans formats the number, size and age of orphaned files.
func FormatOrphans(f *cli.Factory, o blob.Orphans) string {
	days := int(f.Now().Sub(o.Oldest).Hours() / 24)
	return fmt.Sprintf("%s (%s) in blobs/orphans, the oldest for %s", humanize.Count(o.Count, "orphaned file"), term.FormatBytes(o.Bytes), humanize.Count(days, "day"))
}

// filesResult returns the result for the checked files.
func (o *Checker) filesResult(ctx context.Context, name string, found *app.FileCheck) Result {
	if n := len(found.Damaged); n > 0 {
		for _, f := range found.Damaged[1:] {
			o.Factory.Note("%s (blobs/%s)", f.Reason, f.Blob)
		}
		first := found.Damaged[0]
		return failResult(ctx, name, exit.Errorf(exit.Unexpected, "%d of %s damaged; %s (blobs/%s)", n, humanize.Count(found.Files, "file"), first.Reason, first.Blob).
			WithHint("restore these files in blobs/ from a backup"))
	}
	message := fmt.Sprintf("%s, %s, sizes match", humanize.Count(found.Files, "file"), term.FormatBytes(found.Bytes))
	if o.VerifyFiles {
		message = fmt.Sprintf("%s, %s, contents match", humanize.Count(found.Files, "file"), term.FormatBytes(found.Bytes))
		if found.Unverified > 0 {
			message += fmt.Sprintf("; the SHA-256 of %d files of an earlier release was added", found.Unverified)
		}
	}
	if found.Orphans.Count > 0 {
		return warnResult(name, "the database does not refer to the files in blobs/orphans; each is deleted 30 days after it was moved to the folder, "+
			"or moved back if a database that refers to it is restored",
			"%s; %s", message, FormatOrphans(o.Factory, found.Orphans))
	}
	return okResult(name, "%s", message)
}
