package app

import (
	"errors"
	"fmt"
	"path/filepath"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/store"
)

// problem makes of an error from below one that a user may see, where there
// is one to make; the rest is passed on and ends as CodeInternal.
func (a *App) problem(err error) error {
	var p *api.Problem
	switch {
	case err == nil || errors.As(err, &p):
		return err
	case errors.Is(err, store.ErrFull), errors.Is(err, blob.ErrFull):
		return a.full(err)
	case errors.Is(err, store.ErrCorrupt):
		return api.NewProblem(api.CodeDamaged, "the service's database is damaged: its operator has to restore it from a backup").WithCause(err)
	}
	return err
}

// full is the problem of a disk that has no room for what was to be written. The
// folder is named in the log of a service, and to a user whose own it is.
func (a *App) full(err error) error {
	dir := a.blobs.Folder()
	left := ""
	if free, _, err := blob.Space(dir); err == nil {
		left = fmt.Sprintf(", %.1f MB free", float64(free)/1e6)
	}
	if !a.ownWork {
		a.log.Error("the disk is full", "folder", dir, "error", err)
		return api.NewProblem(api.CodeStorageFull, "the service's disk is full; nothing was kept: try again when its operator has made room").WithCause(err)
	}
	return api.NewProblem(api.CodeStorageFull, "the disk of the data folder is full (%s%s); nothing was kept: see with `foretell prune --dry-run` "+
		"what can be deleted, or move the folder to another disk and name it with --data-dir", filepath.Dir(dir), left).WithCause(err)
}

// missing is problem for reading a thing by its key.
func (a *App) missing(err error, noun, key string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeNotFound, "there is no %s %s in this account: list the %ss for their keys", noun, key, noun).WithCause(err)
	}
	return a.problem(err)
}

// reasonOf tells a user why a job failed: what is meant for users as it is,
// anything else as a defect of ours whose cause is in the log.
func (a *App) reasonOf(cause error) string {
	var p *api.Problem
	switch {
	case errors.As(a.problem(cause), &p):
		return p.Error()
	case errors.Is(cause, job.ErrAttempts):
		return cause.Error() + ", for want of memory perhaps: try again, on a larger machine or with a smaller file"
	}
	return "an internal error: the service's log tells more under this key"
}
