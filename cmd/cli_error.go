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

// cliError is an error as a user meets it: what happened, to what, why, and what
// to type next.
type cliError struct {
	exit Exit
	// code is machine-readable; "" stands for the name of exit.
	code string
	// fact says what happened, to what, and why.
	fact string
	// hint is the next command to type, or another way out; may be "".
	hint string
	// file, line and column say where in a file; 0 where no place is meant.
	file         string
	line, column int
	// request finds the request in the service's log.
	request string
	// requirements are the verdicts where one is the reason.
	requirements []gate.Result
	cause        error
}

// Error returns the fact.
func (e *cliError) Error() string { return e.fact }

// Unwrap returns the cause.
func (e *cliError) Unwrap() error { return e.cause }

// exitErrorf makes a failure; like fmt.Errorf it keeps what %w wraps.
func exitErrorf(exit Exit, format string, args ...any) *cliError {
	err := fmt.Errorf(format, args...)
	return &cliError{exit: exit, fact: err.Error(), cause: errors.Unwrap(err)}
}

// withHint adds what to type next.
func (e *cliError) withHint(format string, args ...any) *cliError {
	e.hint = fmt.Sprintf(format, args...)
	return e
}

// at adds the place in a file.
func (e *cliError) at(file string, line, column int) *cliError {
	e.file, e.line, e.column = file, line, column
	return e
}

// usageErrorf is a failure of what was typed.
func usageErrorf(format string, args ...any) *cliError { return exitErrorf(ExitUsage, format, args...) }

// interruptError is the cause of a context that a signal ended.
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

// asCLIError makes a failure of any error. A failure inside err decides; the text
// around it is kept.
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
		return (&cliError{exit: interrupted.exit(), fact: "interrupted before it was done", cause: err}).withHint("type it again to start over")
	case errors.As(err, &problem):
		return problemError(problem)
	case errors.As(err, &network):
		e := exitErrorf(ExitUnavailable, "%w", err)
		e.code = string(network.Kind)
		return e.withHint("check the address with `foretell status`, or work here with --local")
	case errors.As(err, &defect):
		e := exitErrorf(ExitRejected, "%w", err).at("", defect.Line, defect.Column)
		e.code = defect.Code
		return e.withHint("mend the file; `foretell check FILE` names each defect")
	case errors.As(err, &missing) && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		return exitErrorf(ExitNotFound, "%s: no such file", missing.Path).withHint("check the path; a relative one starts at the current directory")
	case errors.As(err, &missing) && errors.Is(err, fs.ErrPermission):
		return exitErrorf(ExitUnexpected, "%s: you may not read or write it", missing.Path).withHint("change its permissions, or name another file")
	case errors.Is(err, syscall.ENOSPC):
		return exitErrorf(ExitUnexpected, "%w", err).withHint("make room where it was to go, or send it elsewhere")
	case errors.Is(err, context.DeadlineExceeded):
		return &cliError{exit: ExitStillRunning, fact: "--timeout was reached before the work was done", hint: "try again with a longer --timeout", cause: err}
	}
	return exitErrorf(ExitUnexpected, "%w", err).withHint("try again; if it stays, report it with what %s=1 shows", envDebug)
}

// problemError makes a failure of what the service answered.
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

// problemHint says what to do about an answer of the service.
func problemHint(p *api.Problem, exit Exit) string {
	switch {
	case p.Code == api.CodeUnauthorized, p.Code == api.CodeBadCredentials:
		return "sign in with `foretell login`"
	case p.Code == api.CodeTooMany && p.RetryAfter > 0:
		return fmt.Sprintf("try again in %s", term.Duration(time.Duration(p.RetryAfter)*time.Second))
	case p.Code == api.CodeTooMany:
		return "wait a minute, then try again"
	case p.Code == api.CodeNoRoute, p.Status == 405, p.Status == 501: // what web sites answer
		return "is the address that of the service? See `foretell status`"
	case p.Code == api.CodeNameTaken:
		return "see what has it with `foretell datasets list`"
	case p.Code == api.CodeStorageFull:
		return "with room on the disk of the service, type the same command again"
	case p.Code == api.CodeDamaged:
		return "restore the data folder's file from a backup; `foretell doctor --files` checks all of a folder"
	case exit == ExitSignIn:
		return "see with `foretell status` which account is used"
	case exit == ExitRejected:
		return "look at the file with `foretell check`"
	case exit == ExitUsage, exit == ExitNotFound, exit == ExitConflict:
		return "" // depends on the command: see [host.finish]
	case exit == ExitUnavailable:
		return "try again in a minute; `foretell status` tells whether it answers"
	case p.RequestID != "":
		return "try again; if it stays, tell the service's operator the request's id"
	}
	return "try again; if it stays, tell the service's operator what --debug shows"
}

// fileRejected turns the service's refusal of what was sent into a rejection of the
// file: the same 422 that is a wrong flag elsewhere is a wrong file here.
func fileRejected(ctx context.Context, file string, err error) error {
	var problem *api.Problem
	if !errors.As(err, &problem) {
		return err
	}
	e := asCLIError(ctx, err)
	if problem.Status == 400 || problem.Status == 413 || problem.Status == 415 || problem.Status == 422 {
		e.exit, e.file = ExitRejected, file
		e.fact = file + ": " + e.fact
		e = e.withHint("look at the file with `foretell check %s`", shellArgument(file))
	}
	return e
}

// errorDocument is a failure as --json prints it.
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

// write prints the failure for a person, or as one JSON line.
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

// shellQuote returns an argument as a shell takes it.
func shellQuote(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if arg != "" && strings.TrimFunc(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
