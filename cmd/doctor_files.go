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
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// checkFiles checks the sizes of the stored files, and with --files their contents. A
// folder without a database has none.
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

// orphansText describes orphaned files for doctor and prune.
func (f *factory) orphansText(o blob.Orphans) string {
	days := int(f.now().Sub(o.Oldest).Hours() / 24)
	return fmt.Sprintf("%s (%s) in blobs/orphans, the oldest for %s", humanize.Count(o.Count, "orphaned file"), term.Bytes(o.Bytes), humanize.Count(days, "day"))
}

// filesResult returns the result for the checked files.
func (o *doctorOptions) filesResult(ctx context.Context, name string, found *app.FileCheck) checkResult {
	if n := len(found.Damaged); n > 0 {
		for _, f := range found.Damaged[1:] {
			o.host.note("%s (blobs/%s)", f.Reason, f.Blob)
		}
		first := found.Damaged[0]
		return checkFail(ctx, name, exitErrorf(ExitUnexpected, "%d of %s damaged; %s (blobs/%s)", n, humanize.Count(found.Files, "file"), first.Reason, first.Blob).
			withHint("restore these files in blobs/ from a backup"))
	}
	message := fmt.Sprintf("%s, %s, sizes match", humanize.Count(found.Files, "file"), term.Bytes(found.Bytes))
	if o.files {
		message = fmt.Sprintf("%s, %s, contents match", humanize.Count(found.Files, "file"), term.Bytes(found.Bytes))
		if found.Unverified > 0 {
			message += fmt.Sprintf("; the SHA-256 of %d files of an earlier release was added", found.Unverified)
		}
	}
	if found.Orphans.Count > 0 {
		return checkWarn(name, "files in blobs/orphans are not in the database: they are deleted 30 days after they were moved there, "+
			"or moved back if a database that has them is restored",
			"%s; %s", message, o.host.orphansText(found.Orphans))
	}
	return checkOK(name, "%s", message)
}
