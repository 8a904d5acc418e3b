package cmd

import "foretell/internal/api"

// Exit is the exit status of a command. The statuses are stable: scripts may
// rely on them.
type Exit int

// The statuses, explained in the table of [exits].
const (
	ExitOK           Exit = 0
	ExitUnexpected   Exit = 1
	ExitUsage        Exit = 2
	ExitNotFound     Exit = 3
	ExitSignIn       Exit = 4
	ExitJobFailed    Exit = 5
	ExitRejected     Exit = 6
	ExitUnavailable  Exit = 7
	ExitStillRunning Exit = 8
	ExitConflict     Exit = 9
	ExitBelowTarget  Exit = 10
	ExitUntrusted    Exit = 11
	ExitHungUp       Exit = 129
	ExitInterrupted  Exit = 130
	ExitTerminated   Exit = 143
)

// exits is the one table of exit statuses; `help exit-codes` and docs/cli.md
// print it.
var exits = []struct {
	exit Exit
	name string // the code of an error that has none of its own
	when string
}{
	{ExitOK, "ok", "success, and results were verified"},
	{ExitUnexpected, "unexpected", "an internal error of the service or of this program, a full disk, or missing permissions for a file"},
	{ExitUsage, "usage", "unknown command or flag, ambiguous reference, or a prompt was needed but prompting is disabled"},
	{ExitNotFound, "not-found", "no such dataset, training, model, prediction or file"},
	{ExitSignIn, "sign-in", "sign-in required or refused"},
	{ExitJobFailed, "job-failed", "the training was FAILED or CANCELLED, the prediction FAILED or TIMEOUT"},
	{ExitRejected, "rejected", "the data was rejected by the check or by the service"},
	{ExitUnavailable, "unavailable", "no network, the service is not ready, or the address is not the service's"},
	{ExitStillRunning, "still-running", "--timeout was reached; the job continues"},
	{ExitConflict, "conflict", "wrong state, name taken, or the output exists and --force was not given"},
	{ExitBelowTarget, "below-target", "the race ended below an explicit --threshold, or --require or --beat was missed; the best model is kept and predictions are written"},
	{ExitUntrusted, "untrusted", "a result failed its check or does not match its receipt; a failed download is removed"},
	{ExitHungUp, "hung-up", "SIGHUP, as when the terminal is closed; otherwise as for Ctrl-C"},
	{ExitInterrupted, "interrupted", "Ctrl-C (SIGINT)"},
	{ExitTerminated, "terminated", "SIGTERM; `serve` and `worker` exit with 0 when stopped by a signal"},
}

// exitOfCode maps the service's error codes. Problems of a file are rejections only if a
// file was sent, see [fileRejected].
var exitOfCode = map[api.Code]Exit{
	api.CodeMalformed:        ExitUsage,
	api.CodeUnauthorized:     ExitSignIn,
	api.CodeBadCredentials:   ExitSignIn,
	api.CodeForbidden:        ExitSignIn,
	api.CodeNotFound:         ExitNotFound,
	api.CodeNoRoute:          ExitUnavailable,
	api.CodeMethodNotAllowed: ExitUnavailable,
	api.CodeWrongState:       ExitConflict,
	api.CodeNameTaken:        ExitConflict,
	api.CodeTooLarge:         ExitRejected,
	api.CodeWrongMediaType:   ExitRejected,
	api.CodeTooSmall:         ExitRejected,
	api.CodeInvalid:          ExitUsage,
	api.CodeTooMany:          ExitUnavailable,
	api.CodeNotReady:         ExitUnavailable,
	api.CodeStorageFull:      ExitUnavailable,
	api.CodeDamaged:          ExitUnexpected,
	api.CodeInternal:         ExitUnexpected,
}

// exitOfStatus maps HTTP statuses of services with unknown error codes.
func exitOfStatus(status int) Exit {
	switch status {
	case 401, 403:
		return ExitSignIn
	case 404:
		return ExitNotFound
	case 409:
		return ExitConflict
	case 413, 415:
		return ExitRejected
	case 400, 422:
		return ExitUsage
	case 405, 429, 501, 502, 503, 504, 507:
		return ExitUnavailable
	}
	return ExitUnexpected
}

// name returns the error code for this status.
func (e Exit) name() string {
	for _, row := range exits {
		if row.exit == e {
			return row.name
		}
	}
	return "unexpected"
}
