// Package exit defines the exit statuses of all commands, and the errors that users see. Such an
// error consists of a fact, which is its message, and a hint, such as the next command to run.
package exit

import "foretell/internal/api"

// Status is the exit status of a command. The statuses are stable: scripts may
// rely on them.
type Status int

// The statuses, explained in [Statuses].
const (
	OK           Status = 0
	Unexpected   Status = 1
	Usage        Status = 2
	NotFound     Status = 3
	SignIn       Status = 4
	JobFailed    Status = 5
	Rejected     Status = 6
	Unavailable  Status = 7
	StillRunning Status = 8
	Conflict     Status = 9
	BelowTarget  Status = 10
	Untrusted    Status = 11
	HungUp       Status = 129
	Interrupted  Status = 130
	BrokenPipe   Status = 141
	Terminated   Status = 143
)

// Statuses describes all exit statuses, for `help exit-codes` and docs/cli.md.
var Statuses = []struct {
	Exit Status
	Name string // default code of an error with this status
	When string
}{
	{OK, "ok", "success, and results were verified"},
	{Unexpected, "unexpected", "an internal error of the service or of this program, a full disk of this machine, or missing permissions for a file"},
	{Usage, "usage", "an invalid command, flag or argument; an ambiguous reference; or a prompt that is needed while prompting is disabled"},
	{NotFound, "not-found", "no such dataset, race, model, prediction or file"},
	{SignIn, "sign-in", "log-in required or refused"},
	{JobFailed, "job-failed", "the race ended in state FAILED or CANCELLED, or the prediction in state FAILED or TIMEOUT"},
	{Rejected, "rejected", "the data was rejected by the check or by the service"},
	{Unavailable, "unavailable", "no network, the service is not ready or its disk is full, or another server answers at the address"},
	{StillRunning, "still-running", "--timeout was reached; the job continues"},
	{Conflict, "conflict", "wrong state, name taken, or the output exists and --force was not given"},
	{BelowTarget, "below-target", "the race ended below --threshold, or the model missed --require or --beat; the model is kept, and predictions are written, but an existing OUT is not replaced"},
	{Untrusted, "untrusted", "a result is damaged or does not match its receipt or its blind file; a failed download is removed"},
	{HungUp, "hung-up", "SIGHUP, for example because the terminal was closed"},
	{Interrupted, "interrupted", "Ctrl-C (SIGINT)"},
	{BrokenPipe, "broken-pipe", "the program that reads the output has ended, such as head; nothing is printed"},
	{Terminated, "terminated", "SIGTERM; `serve` and `worker` exit with 0 when stopped by a signal"},
}

// statusByCode maps the service's error codes to exit statuses. If an invalid file was sent,
// package preflight changes Usage to Rejected.
var statusByCode = map[api.Code]Status{
	api.CodeMalformed:         Usage,
	api.CodeUnauthorized:      SignIn,
	api.CodeBadCredentials:    SignIn,
	api.CodeForbidden:         SignIn,
	api.CodeAuthenticatorCode: SignIn,
	api.CodeNoSecondFactor:    SignIn,
	api.CodeNotFound:          NotFound,
	api.CodeNoRoute:           Unavailable,
	api.CodeMethodNotAllowed:  Unavailable,
	api.CodeWrongState:        Conflict,
	api.CodeNameTaken:         Conflict,
	api.CodeTooLarge:          Rejected,
	api.CodeWrongMediaType:    Rejected,
	api.CodeTooSmall:          Rejected,
	api.CodeInvalid:           Usage,
	api.CodeTooMany:           Unavailable,
	api.CodeNotReady:          Unavailable,
	api.CodeQuota:             Conflict,
	api.CodeStorageFull:       Unavailable,
	api.CodeDamaged:           Unexpected,
	api.CodeInternal:          Unexpected,
}

// statusFromHTTP returns the exit status for an HTTP status. It is used if the error code is
// unknown.
func statusFromHTTP(status int) Status {
	switch status {
	case 401, 403:
		return SignIn
	case 404:
		return NotFound
	case 409:
		return Conflict
	case 413, 415:
		return Rejected
	case 400, 422:
		return Usage
	case 405, 429, 501, 502, 503, 504, 507:
		return Unavailable
	}
	return Unexpected
}

// name returns the error code for this status.
func (s Status) name() string {
	for _, row := range Statuses {
		if row.Exit == s {
			return row.Name
		}
	}
	return "unexpected"
}
