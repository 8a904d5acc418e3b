package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/frame"
	"foretell/internal/gate"
	"foretell/internal/term"
)

// cliError is an error for the user: what happened, to what, why, and the next command.
type cliError struct {
	exit Exit
	// code is machine-readable; "" stands for the name of exit.
	code string
	// fact says what happened, to what, and why.
	fact string
	// hint is the next command or another remedy; may be "".
	hint string
	// file, line and column are a position in a file; 0 if there is none.
	file         string
	line, column int
	// request is the ID of the request in the service's log.
	request string
	// requirements are the results of a failed gate.
	requirements []gate.Result
	cause        error
}

// Error returns the fact.
func (e *cliError) Error() string { return e.fact }

// Unwrap returns the cause.
func (e *cliError) Unwrap() error { return e.cause }

// exitErrorf returns an error with an exit status; like fmt.Errorf it wraps the operand
// of %w.
func exitErrorf(exit Exit, format string, args ...any) *cliError {
	err := fmt.Errorf(format, args...)
	return &cliError{exit: exit, fact: err.Error(), cause: errors.Unwrap(err)}
}

// withHint sets the hint.
func (e *cliError) withHint(format string, args ...any) *cliError {
	e.hint = fmt.Sprintf(format, args...)
	return e
}

// at sets the position in a file.
func (e *cliError) at(file string, line, column int) *cliError {
	e.file, e.line, e.column = file, line, column
	return e
}

// usageErrorf returns a usage error.
func usageErrorf(format string, args ...any) *cliError { return exitErrorf(ExitUsage, format, args...) }

// interruptError is the cause of a context that was cancelled by a signal.
type interruptError struct{ signal os.Signal }

func (i *interruptError) Error() string { return "interrupted" }

func (i *interruptError) exit() Exit {
	switch i.signal {
	case syscall.SIGTERM:
		return ExitTerminated
	case syscall.SIGHUP:
		return ExitHungUp
	}
	return ExitInterrupted
}

// asCLIError converts any error. A cliError that err wraps is returned.
func asCLIError(ctx context.Context, err error) *cliError {
	var (
		known       *cliError
		interrupted *interruptError
		network     *client.NetworkError
		problem     *api.Problem
		defect      *frame.Defect
		missing     *fs.PathError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(context.Cause(ctx), &interrupted):
		return (&cliError{exit: interrupted.exit(), fact: "interrupted before it finished", cause: err}).withHint("run the command again")
	case errors.As(err, &problem):
		return problemError(problem)
	case errors.As(err, &network):
		e := exitErrorf(ExitUnavailable, "%w", err)
		e.code = string(network.Kind)
		return e.withHint("check the address with `foretell status`, or work here with --local")
	case errors.As(err, &defect):
		e := exitErrorf(ExitRejected, "%w", err).at("", defect.Line, defect.Column)
		e.code = defect.Code
		return e.withHint("fix the file; `foretell check FILE` lists each defect")
	case errors.As(err, &missing) && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		return exitErrorf(ExitNotFound, "%s: no such file", missing.Path).withHint("check the path; a relative one starts at the current directory")
	case errors.As(err, &missing) && errors.Is(err, fs.ErrPermission):
		return exitErrorf(ExitUnexpected, "%s: permission denied", missing.Path).withHint("change its permissions, or name another file")
	case errors.Is(err, syscall.ENOSPC):
		return exitErrorf(ExitUnexpected, "%w", err).withHint("free some space, or write to another disk")
	case errors.Is(err, context.DeadlineExceeded):
		return &cliError{exit: ExitStillRunning, fact: "--timeout was reached before the work finished", hint: "try again with a longer --timeout", cause: err}
	}
	return exitErrorf(ExitUnexpected, "%w", err).withHint("try again; if it persists, report it with the output of %s=1", envDebug)
}

// problemError converts an error response of the service.
func problemError(p *api.Problem) *cliError {
	exit, ok := exitOfCode[p.Code]
	if !ok || p.Status == 501 { // a status that the service never returns
		exit = exitOfStatus(p.Status)
	}
	f := &cliError{exit: exit, code: string(p.Code), fact: p.Error(), request: p.RequestID, cause: p}
	for _, e := range p.Errors {
		if !strings.Contains(f.fact, e.Message) {
			f.fact += fmt.Sprintf("; %s: %s", e.Field, e.Message)
		}
	}
	if exit == ExitUnexpected && p.RequestID != "" {
		f.fact += fmt.Sprintf(" (request %s)", p.RequestID)
	}
	f.hint = problemHint(p, exit)
	return f
}

// problemHint returns the remedy for an error response.
func problemHint(p *api.Problem, exit Exit) string {
	switch {
	case p.Code == api.CodeUnauthorized, p.Code == api.CodeBadCredentials:
		return "sign in with `foretell login`"
	case p.Code == api.CodeTooMany && p.RetryAfter > 0:
		return fmt.Sprintf("try again in %s", term.Duration(time.Duration(p.RetryAfter)*time.Second))
	case p.Code == api.CodeTooMany:
		return "wait a minute, then try again"
	case p.Code == api.CodeNoRoute, p.Status == 405, p.Status == 501: // what web sites answer
		return "check the service's address with `foretell status`"
	case p.Code == api.CodeNameTaken:
		return "list the datasets with `foretell datasets list`"
	case p.Code == api.CodeStorageFull:
		return "free space on the disk of the service, then run the command again"
	case p.Code == api.CodeDamaged:
		return "restore the file in the data folder from a backup; `foretell doctor --files` checks all files"
	case exit == ExitSignIn:
		return "`foretell status` shows which account is used"
	case exit == ExitRejected:
		return "check the file with `foretell check`"
	case exit == ExitUsage, exit == ExitNotFound, exit == ExitConflict:
		return "" // depends on the command: see [host.finish]
	case exit == ExitUnavailable:
		return "try again in a minute; `foretell status` shows whether it responds"
	case p.RequestID != "":
		return "try again; if it persists, report the request ID to the service's operator"
	}
	return "try again; if it persists, report the output of --debug to the service's operator"
}

// fileRejected marks an error response to an upload as a rejection of the file: elsewhere
// the same 422 means an invalid flag.
func fileRejected(ctx context.Context, file string, err error) error {
	var problem *api.Problem
	if !errors.As(err, &problem) {
		return err
	}
	e := asCLIError(ctx, err)
	if problem.Status == 400 || problem.Status == 413 || problem.Status == 415 || problem.Status == 422 {
		e.exit, e.file = ExitRejected, file
		e.fact = file + ": " + e.fact
		e = e.withHint("check the file with `foretell check %s`", shellArgument(file))
	}
	return e
}

// errorDocument is the JSON form of an error.
type errorDocument struct {
	Error errorMembers `json:"error"`
}

type errorMembers struct {
	Code      string `json:"code"`
	Exit      Exit   `json:"exit"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`

	Requirements []gate.Result `json:"requirements,omitempty"`
}

// write prints the error for people, or as one JSON line.
func (e *cliError) write(c *term.Console, asJSON bool) {
	code := e.code
	if code == "" {
		code = e.exit.name()
	}
	if asJSON {
		line, err := term.EncodeJSONLine(errorDocument{errorMembers{
			Code: code, Exit: e.exit, Message: e.fact, Hint: e.hint, RequestID: e.request,
			File: e.file, Line: e.line, Column: e.column, Requirements: e.requirements,
		}})
		if err == nil {
			_, _ = c.Err.Write(line) // there is no other place to complain
		}
		return
	}
	const name = "foretell:"
	fact := c.Fit(name + " " + term.EscapeLines(e.fact))
	fmt.Fprintf(c.Err, "%s%s\n", c.ErrStyle.Red(name), strings.TrimPrefix(fact, name))
	if e.hint != "" {
		fmt.Fprintf(c.Err, "%s\n", c.Fit(term.EscapeLines(e.hint)))
	}
}
