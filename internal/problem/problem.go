// Package problem converts errors of the database and of the stored files to problems, the errors
// that the service returns to its users.
package problem

import (
	"errors"
	"fmt"
	"log/slog"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/humanize"
	"foretell/internal/job"
	"foretell/internal/machine"
	"foretell/internal/store"
)

// unavailableRetrySeconds is how many seconds a client should wait before it tries again, while
// the database or the S3 store is unavailable.
const unavailableRetrySeconds = 5

// Config configures a Converter.
type Config struct {
	// Log receives the details that users should not see. It is required.
	Log *slog.Logger
	// Folder is the folder whose disk is full if there is no space for a file.
	Folder string
	// Embedded is true if the service runs in the process of a command. Messages about a full disk
	// then name the folder.
	Embedded bool
}

// Converter converts errors to problems. It is safe for concurrent use.
type Converter struct {
	log      *slog.Logger
	folder   string
	embedded bool
}

// New returns a Converter.
func New(c Config) *Converter {
	return &Converter{log: c.Log, folder: c.Folder, embedded: c.Embedded}
}

// Convert converts an error of package store or blob to a *api.Problem if users can do something
// about it. It returns other errors unchanged; the server reports them as internal errors.
func (c *Converter) Convert(err error) error {
	var p *api.Problem
	switch {
	case err == nil || errors.As(err, &p):
		return err
	case errors.Is(err, store.ErrDiskFull), errors.Is(err, blob.ErrDiskFull):
		return c.newDiskFullProblem(err)
	case errors.Is(err, blob.ErrUnavailable):
		c.log.Warn("an operation on the S3 store failed", "error", err)
		return newOutageProblem(err, api.CodeNotReady, "the service cannot reach its file storage at the moment: try again in a few seconds")
	case errors.Is(err, store.ErrCommitUnknown):
		c.log.Warn("an operation on the database failed", "error", err)
		return newOutageProblem(err, api.CodeInternal, "the service lost its database while it stored the change, so the change may have been made: read or list what you changed before you repeat the request")
	case errors.Is(err, store.ErrUnavailable):
		c.log.Warn("an operation on the database failed", "error", err)
		return newOutageProblem(err, api.CodeNotReady, "the service cannot reach its database at the moment: try again in a few seconds")
	case errors.Is(err, store.ErrCorrupt):
		return api.NewProblem(api.CodeDamaged, "the service's database is damaged: its operator must restore it from a backup").WithCause(err)
	}
	return err
}

// newOutageProblem returns the problem of an outage of the database or of the S3 store. cause is
// the error of the operation that failed, and message is the text for users.
func newOutageProblem(cause error, code api.Code, message string) error {
	p := api.NewProblem(code, "%s", message).WithCause(cause)
	p.RetryAfter = unavailableRetrySeconds
	return p
}

// newDiskFullProblem returns the problem of a full disk. The problem names the folder only if
// Config.Embedded is true. Otherwise the folder is only logged.
func (c *Converter) newDiskFullProblem(err error) error {
	dir := c.folder
	left := ""
	if free, _, statErr := blob.DiskSpace(dir); statErr == nil {
		if limit := machine.FileSizeLimit(); limit > 0 && limit < free {
			return c.newFileSizeProblem(err, limit)
		}
		left = fmt.Sprintf(", %.1f MB free", float64(free)/1e6)
	}
	if !c.embedded {
		c.log.Error("the disk is full", "folder", dir, "error", err)
		return api.NewProblem(api.CodeStorageFull, "the service's disk is full, so nothing was stored: try again when its operator has freed space").WithCause(err)
	}
	return api.NewProblem(api.CodeStorageFull, "the disk of the data folder is full (%s%s), so nothing was stored: run `foretell prune --dry-run` to see "+
		"what can be deleted, or move the folder to another disk and pass it with --data-dir", dir, left).WithCause(err)
}

// newFileSizeProblem returns the problem of a write that failed because the file would exceed
// limit, the maximum size of a file of this process in bytes.
func (c *Converter) newFileSizeProblem(err error, limit uint64) error {
	if !c.embedded {
		c.log.Error("a file would exceed the limit on the size of files (ulimit -f)", "limit", limit, "error", err)
		return api.NewProblem(api.CodeStorageFull, "the service is not allowed to write a file this large, so nothing was stored: ask its operator to raise the limit (ulimit -f), then try again").WithCause(err)
	}
	return api.NewProblem(api.CodeStorageFull, "this process is only allowed to write files of at most %s bytes, so nothing was stored: raise the limit with `ulimit -f unlimited`", humanize.Comma(int64(limit))).WithCause(err)
}

// ConvertLookupError converts the error of reading a resource by its key. If the resource does not
// exist, it returns a problem with CodeNotFound. It converts other errors with Convert. noun is the
// word for the resource in the message, such as "dataset".
func (c *Converter) ConvertLookupError(err error, noun, key string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeNotFound, "no %s %s in this account: it may have been deleted, or its key is wrong", noun, key).WithCause(err)
	}
	return c.Convert(err)
}

// FailureReason returns a message for users that says why a job failed. If cause is a problem, it
// is the detail of the problem. Otherwise it refers to the log or, if Config.Embedded is true,
// contains cause.
func (c *Converter) FailureReason(cause error) string {
	var p *api.Problem
	switch {
	case errors.As(c.Convert(cause), &p):
		return p.Error()
	case errors.Is(cause, job.ErrTooManyAttempts):
		return cause.Error() + ", perhaps for lack of memory: try again, on a larger machine or with a smaller file"
	case c.embedded:
		return api.EmbeddedFailure(cause)
	}
	return api.InternalFailure
}
