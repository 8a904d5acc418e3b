package app

import (
	"errors"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/store"
)

// problem makes of an error from below one that a user may see, where there
// is one to make; the rest is passed on and ends as CodeInternal.
func problem(err error) error {
	var p *api.Problem
	switch {
	case err == nil || errors.As(err, &p):
		return err
	case errors.Is(err, store.ErrFull), errors.Is(err, blob.ErrFull):
		return api.NewProblem(api.CodeStorageFull, "the service's disk is full; nothing was kept: try again when its operator has made room").WithCause(err)
	case errors.Is(err, store.ErrCorrupt):
		return api.NewProblem(api.CodeDamaged, "the service's database is damaged: its operator has to restore it from a backup").WithCause(err)
	}
	return err
}

// missing is problem for reading a thing by its key.
func missing(err error, noun, key string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeNotFound, "there is no %s %s in this account: list the %ss for their keys", noun, key, noun).WithCause(err)
	}
	return problem(err)
}

// reasonOf tells a user why a job failed: what is meant for users as it is,
// anything else as a defect of ours whose cause is in the log.
func reasonOf(cause error) string {
	var p *api.Problem
	switch {
	case errors.As(problem(cause), &p):
		return p.Error()
	case errors.Is(cause, job.ErrAttempts):
		return cause.Error() + ", for want of memory perhaps: try again, on a larger machine or with a smaller file"
	}
	return "an internal error: the service's log tells more under this key"
}
