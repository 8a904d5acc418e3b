package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"foretell/internal/app"
	"foretell/internal/blob"
	"foretell/internal/term"
)

// checkFiles looks at the stored files of the data folder: at their sizes, and
// with --files at all of their bytes. A folder without a database has no files.
func (o *doctorOptions) checkFiles(ctx context.Context, s *settings) (c checkResult, known bool) {
	const name = "files"
	dir, err := o.host.dataDir(s)
	if err != nil {
		return checkResult{}, false // checkData has said so
	}
	if _, err := os.Stat(filepath.Join(dir, databaseFile)); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, "blobs")); err != nil {
			return checkResult{}, false
		}
	}
	service, err := openLocal(ctx, dir, o.host)
	if err != nil {
		return checkFail(ctx, name, err), true
	}
	defer func() { _ = service.close() }() // nothing was written
	found, err := service.app.CheckFiles(ctx, o.files)
	if err != nil {
		return checkFail(ctx, name, err), true
	}
	return o.filesResult(ctx, name, found), true
}

// orphansText is what doctor and prune say of orphans.
func (f *factory) orphansText(o blob.Orphans) string {
	days := int(f.now().Sub(o.Oldest).Hours() / 24)
	return fmt.Sprintf("%s of %s in blobs/orphans, the oldest for %s", plural(o.Count, "orphaned file"), term.Bytes(o.Bytes), plural(days, "day"))
}

// filesResult is the line of what was found.
func (o *doctorOptions) filesResult(ctx context.Context, name string, found *app.FileCheck) checkResult {
	if n := len(found.Damaged); n > 0 {
		for _, f := range found.Damaged[1:] {
			o.host.note("%s (blobs/%s)", f.Reason, f.Blob)
		}
		first := found.Damaged[0]
		return checkFail(ctx, name, exitErrorf(ExitUnexpected, "%d of %s damaged; %s (blobs/%s)", n, plural(found.Files, "file"), first.Reason, first.Blob).
			withHint("restore the files of those names in blobs/ from a backup"))
	}
	message := fmt.Sprintf("%s, %s, sizes as stored", plural(found.Files, "file"), term.Bytes(found.Bytes))
	if o.files {
		message = fmt.Sprintf("%s, %s, contents as stored", plural(found.Files, "file"), term.Bytes(found.Bytes))
		if found.Unverified > 0 {
			message += fmt.Sprintf("; %d of an earlier release had no sum and have one now", found.Unverified)
		}
	}
	if found.Orphans.Count > 0 {
		return checkWarn(name, "the database does not name what is in blobs/orphans: it is removed 30 days after it was moved there, "+
			"and taken back if a database that names it is restored",
			"%s; %s", message, o.host.orphansText(found.Orphans))
	}
	return checkOK(name, "%s", message)
}
