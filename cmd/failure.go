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

// failure is an error as a user meets it: what happened, to what, why, and what
// to type next.
type failure struct {
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
	requirements []gate.Verdict
	cause        error
}

// Error returns the fact.
func (f *failure) Error() string { return f.fact }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.cause }

// fail makes a failure; like fmt.Errorf it keeps what %w wraps.
func fail(exit Exit, format string, args ...any) *failure {
	err := fmt.Errorf(format, args...)
	return &failure{exit: exit, fact: err.Error(), cause: errors.Unwrap(err)}
}

// advise adds what to type next.
func (f *failure) advise(format string, args ...any) *failure {
	f.hint = fmt.Sprintf(format, args...)
	return f
}

// at adds the place in a file.
func (f *failure) at(file string, line, column int) *failure {
	f.file, f.line, f.column = file, line, column
	return f
}

// usage is a failure of what was typed.
func usage(format string, args ...any) *failure { return fail(ExitUsage, format, args...) }

// interruption is the cause of a context that a signal ended.
type interruption struct{ signal os.Signal }

func (i *interruption) Error() string { return "interrupted" }

func (i *interruption) exit() Exit {
	switch i.signal {
	case syscall.SIGTERM:
		return ExitTerminated
	case syscall.SIGHUP:
		return ExitHungUp
	}
	return ExitInterrupted
}

// explain makes a failure of any error. A failure inside err decides; the text
// around it is kept.
func explain(ctx context.Context, err error) *failure {
	var (
		known   *failure
		stopped *interruption
		network *client.NetworkError
		problem *api.Problem
		defect  *frame.Defect
		missing *fs.PathError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(context.Cause(ctx), &stopped):
		return (&failure{exit: stopped.exit(), fact: "interrupted before it was done", cause: err}).advise("type it again to start over")
	case errors.As(err, &problem):
		return explainProblem(problem)
	case errors.As(err, &network):
		f := fail(ExitUnavailable, "%w", err)
		f.code = string(network.Kind)
		return f.advise("check the address with `foretell status`, or work here with --local")
	case errors.As(err, &defect):
		f := fail(ExitRejected, "%w", err).at("", defect.Line, defect.Column)
		f.code = defect.Code
		return f.advise("mend the file; `foretell check FILE` names each defect")
	case errors.As(err, &missing) && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		return fail(ExitNotFound, "%s: no such file", missing.Path).advise("check the path; a relative one starts at the current directory")
	case errors.As(err, &missing) && errors.Is(err, fs.ErrPermission):
		return fail(ExitUnexpected, "%s: you may not read or write it", missing.Path).advise("change its permissions, or name another file")
	case errors.Is(err, syscall.ENOSPC):
		return fail(ExitUnexpected, "%w", err).advise("make room where it was to go, or send it elsewhere")
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{exit: ExitStillRunning, fact: "--timeout was reached before the work was done", hint: "try again with a longer --timeout", cause: err}
	}
	return fail(ExitUnexpected, "%w", err).advise("try again; if it stays, report it with what %s=1 shows", envDebug)
}

// explainProblem makes a failure of what the service answered.
func explainProblem(p *api.Problem) *failure {
	exit, ok := exitOfCode[p.Code]
	if !ok || p.Status == 501 { // a status that the service never returns
		exit = exitOfStatus(p.Status)
	}
	f := &failure{exit: exit, code: string(p.Code), fact: p.Error(), request: p.RequestID, cause: p}
	for _, e := range p.Errors {
		if !strings.Contains(f.fact, e.Message) {
			f.fact += fmt.Sprintf("; %s: %s", e.Field, e.Message)
		}
	}
	if exit == ExitUnexpected && p.RequestID != "" {
		f.fact += fmt.Sprintf(" (request %s)", p.RequestID)
	}
	f.hint = nextAfter(p, exit)
	return f
}

// nextAfter says what to do about an answer of the service.
func nextAfter(p *api.Problem, exit Exit) string {
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

// rejected turns the service's refusal of what was sent into a rejection of the
// file: the same 422 that is a wrong flag elsewhere is a wrong file here.
func rejected(ctx context.Context, file string, err error) error {
	var problem *api.Problem
	if !errors.As(err, &problem) {
		return err
	}
	f := explain(ctx, err)
	if problem.Status == 400 || problem.Status == 413 || problem.Status == 415 || problem.Status == 422 {
		f.exit, f.file = ExitRejected, file
		f.fact = file + ": " + f.fact
		f = f.advise("look at the file with `foretell check %s`", argument(file))
	}
	return f
}

// failureDocument is a failure as --json prints it.
type failureDocument struct {
	Error failureMembers `json:"error"`
}

type failureMembers struct {
	Code      string `json:"code"`
	Exit      Exit   `json:"exit"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`

	Requirements []gate.Verdict `json:"requirements,omitempty"`
}

// write prints the failure for a person, or as one JSON line.
func (f *failure) write(c *term.Console, asJSON bool) {
	code := f.code
	if code == "" {
		code = f.exit.name()
	}
	if asJSON {
		line, err := term.EncodeJSONLine(failureDocument{failureMembers{
			Code: code, Exit: f.exit, Message: f.fact, Hint: f.hint, RequestID: f.request,
			File: f.file, Line: f.line, Column: f.column, Requirements: f.requirements,
		}})
		if err == nil {
			_, _ = c.Err.Write(line) // there is no other place to complain
		}
		return
	}
	const name = "foretell:"
	fact := c.Fit(name + " " + term.EscapeLines(f.fact))
	fmt.Fprintf(c.Err, "%s%s\n", c.ErrStyle.Red(name), strings.TrimPrefix(fact, name))
	if f.hint != "" {
		fmt.Fprintf(c.Err, "%s\n", c.Fit(term.EscapeLines(f.hint)))
	}
}

// quote returns an argument as a shell takes it.
func quote(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_", r)
	}
	if arg != "" && strings.TrimFunc(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
