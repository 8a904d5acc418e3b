package exit

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
	"foretell/internal/gate"
	"foretell/internal/table/csvfile"
	"foretell/internal/term"
)

// Error is an error that is shown to the user: what happened, why, and what to do next.
type Error struct {
	Status Status
	// Code identifies the kind of error for programs. If it is "", the name of Status is
	// shown.
	Code string
	// Fact is the message: what happened to which object, and why.
	Fact string
	// Hint suggests a remedy, usually a command. It is "" if there is no hint.
	Hint string
	// File, Line and Column are the position of the error in a file. File is "", and Line and
	// Column are 0, if they are unknown.
	File         string
	Line, Column int
	// request is the ID of the failed request in the log of the service; "" if it is unknown.
	request string
	// Requirements are the results of --require and --beat, if the model missed any of them.
	Requirements []gate.Result
	Cause        error
}

// Error returns e.Fact: what happened, without the hint.
func (e *Error) Error() string { return e.Fact }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf returns an error with an exit status. Like fmt.Errorf, it wraps the operand of %w.
func Errorf(status Status, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Status: status, Fact: err.Error(), Cause: errors.Unwrap(err)}
}

// WithHint sets the hint and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// At sets the position of the error in a file and returns e. line and column are 0 if they are
// unknown.
func (e *Error) At(file string, line, column int) *Error {
	e.File, e.Line, e.Column = file, line, column
	return e
}

// Usagef returns a usage error.
func Usagef(format string, args ...any) *Error { return Errorf(Usage, format, args...) }

// InterruptError is the cause of a context that was cancelled by a signal.
type InterruptError struct{ Signal os.Signal }

func (i *InterruptError) Error() string { return "interrupted" }

// Status returns the exit status: 128 plus the number of the signal.
func (i *InterruptError) Status() Status {
	switch i.Signal {
	case syscall.SIGTERM:
		return Terminated
	case syscall.SIGHUP:
		return HungUp
	case syscall.SIGPIPE:
		return BrokenPipe
	}
	return Interrupted
}

// fromInterrupt returns the error for a command that a signal interrupted before it finished. ctx
// is the context of the command, and err its error. fromInterrupt returns nil if err is nil, or if
// no signal has cancelled ctx.
func fromInterrupt(ctx context.Context, err error) *Error {
	var interrupted *InterruptError
	if err == nil || !errors.As(context.Cause(ctx), &interrupted) {
		return nil
	}
	return (&Error{Status: interrupted.Status(), Fact: "the command was interrupted before it finished", Cause: err}).WithHint("run the command again")
}

// FromNested returns the error of a command after one of its steps has failed with err. It omits
// the hint of the step if the hint names files in dir, a folder that the command removes. It
// returns nil if err is nil.
func FromNested(ctx context.Context, err error, dir string) error {
	if err == nil {
		return nil
	}
	if interrupted := fromInterrupt(ctx, err); interrupted != nil {
		return interrupted
	}
	e := *FromError(ctx, err)
	if strings.Contains(e.Hint, dir) {
		e.Hint = ""
	}
	return &e
}

// FromError converts err to an Error. If err wraps an Error, it returns the wrapped Error.
// Otherwise, if a signal has cancelled ctx, the context of the command, it returns the error for an
// interrupted command. For any other error, the type of err decides the exit status and the hint.
func FromError(ctx context.Context, err error) *Error {
	var (
		known       *Error
		interrupted *InterruptError
		network     *client.NetworkError
		problem     *api.Problem
		defect      *csvfile.Defect
		missing     *fs.PathError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(context.Cause(ctx), &interrupted):
		return fromInterrupt(ctx, err)
	case errors.As(err, &problem):
		return problemError(problem)
	case errors.As(err, &network):
		e := Errorf(Unavailable, "%w", err)
		e.Code = string(network.Kind)
		if network.FileStore {
			return e.WithHint("try again in a minute; if the error persists, ask the service's operator whether this machine is allowed to connect to %s, where the service stores its files", network.Server())
		}
		if network.Kind == client.BadRedirect {
			return e.WithHint("check the address with `foretell status`, and pass another one with --server")
		}
		return e.WithHint("check the address with `foretell status`, or use the embedded service with --local")
	case errors.As(err, &defect):
		e := Errorf(Rejected, "%w", err).At("", defect.Line, defect.Column)
		e.Code = defect.Code
		return e.WithHint("fix the file; `foretell check FILE` lists each defect")
	case errors.As(err, &missing) && missing.Path == "":
		return Errorf(Usage, "the path of a file is empty").WithHint("name a file; in a script, check that the variable with the name of the file is set")
	case errors.As(err, &missing) && errors.Is(err, syscall.ENAMETOOLONG):
		return Errorf(NotFound, "%s: the name is too long for a file", term.Truncate(missing.Path, 60)).WithHint("check the path, or use a shorter name")
	case errors.As(err, &missing) && errors.Is(err, syscall.ELOOP):
		return Errorf(NotFound, "%s: the symbolic link refers to itself", missing.Path).WithHint("check the target of the link")
	case errors.As(err, &missing) && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		return Errorf(NotFound, "%s: no such file", missing.Path).WithHint("check the path; a relative path starts at the current folder")
	case errors.As(err, &missing) && errors.Is(err, fs.ErrPermission):
		return Errorf(Unexpected, "%s: permission denied", missing.Path).WithHint("change the permissions of the file, or use another file")
	case errors.Is(err, syscall.ENOSPC):
		return Errorf(Unexpected, "%w", err).WithHint("free some space, or write to another disk")
	case errors.Is(err, syscall.EFBIG):
		return Errorf(Unexpected, "%w", err).WithHint("the file exceeds the limit on the size of files: raise the limit of this process with `ulimit -f unlimited`, or write to another file system")
	case errors.Is(err, term.ErrInputEnded):
		return Errorf(Usage, "%w", err).WithHint("run the command again and type the answer")
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Status: StillRunning, Fact: "--timeout was reached before the work finished", Hint: "try again with a longer --timeout", Cause: err}
	}
	return Errorf(Unexpected, "%w", err).WithHint("try again; if the error persists, report it with the output of FORETELL_DEBUG=1")
}

// problemError converts an error response of the service to an Error.
func problemError(p *api.Problem) *Error {
	status, ok := statusByCode[p.Code]
	if !ok || p.Status == 501 { // the service itself never returns 501
		status = statusFromHTTP(p.Status)
	}
	f := &Error{Status: status, Code: string(p.Code), Fact: p.Error(), request: p.RequestID, Cause: p}
	for _, e := range p.Errors {
		if !strings.Contains(f.Fact, e.Message) {
			f.Fact += fmt.Sprintf("; %s: %s", e.Field, e.Message)
		}
	}
	if status == Unexpected && p.RequestID != "" {
		f.Fact += fmt.Sprintf(" (request %s)", p.RequestID)
	}
	f.Hint = problemHint(p, status)
	return f
}

// SignInHint is the hint if the service does not accept the token. Some commands append to it.
const SignInHint = "log in with `foretell login`"

// ServiceHint is part of the hint if the service is unavailable. A command that selects a PostgreSQL
// database has another hint; see cli.Factory.AddHint.
const ServiceHint = "`foretell status` shows whether the service responds"

// problemHint returns the hint for an error response, or "" if the hint depends on the command.
func problemHint(p *api.Problem, status Status) string {
	var address *client.BaseURLError
	switch {
	case errors.As(p, &address):
		return "the service's address must not end with the path of a page; try " + address.Origin + " instead of " + address.BaseURL
	case p.Code == api.CodeNoSecondFactor:
		return "after that, log in again with `foretell login`"
	case p.Code == api.CodeUnauthorized, p.Code == api.CodeBadCredentials, p.Code == api.CodeAuthenticatorCode:
		return SignInHint
	case p.Code == api.CodeTooMany && p.RetryAfter > 0:
		return fmt.Sprintf("try again in %s", term.FormatDuration(time.Duration(p.RetryAfter)*time.Second))
	case p.Code == api.CodeTooMany:
		return "wait a minute, then try again"
	case p.Code == api.CodeNoRoute, p.Status == 405, p.Status == 501: // usual responses of a web site that is not a service
		return "check the service's address with `foretell status`"
	case p.Code == api.CodeNameTaken:
		return "list the datasets with `foretell datasets list`"
	case p.Code == api.CodeQuota:
		return "`foretell datasets list` and `foretell training list` show what counts towards the quota" // the message states the remedy
	case p.Code == api.CodeStorageFull:
		return "after that, run the command again" // the message says how
	case p.Code == api.CodeDamaged:
		return "restore the file in the data folder from a backup; `foretell doctor --files` checks all files"
	case status == SignIn:
		return "`foretell status` shows which account is used"
	case status == Rejected:
		return "correct the file; `foretell check --help` describes how to find its defects"
	case status == Usage, status == NotFound, status == Conflict:
		return "" // depends on the command; see cli.Factory.AddHint
	case status == Unavailable:
		return "try again in a minute; " + ServiceHint
	case p.RequestID != "":
		return "try again; if the error persists, report the request ID to the service's operator"
	}
	return "try again; if the error persists, report the output of --debug to the service's operator"
}

// errorDocument is the JSON form of an error.
type errorDocument struct {
	Error errorFields `json:"error"`
}

type errorFields struct {
	Code      string `json:"code"`
	Exit      Status `json:"exit"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`

	Requirements []gate.Result `json:"requirements,omitempty"`
}

// Write prints the error as text, or as one JSON line if asJSON is set.
func (e *Error) Write(c *term.Console, asJSON bool) {
	code := e.Code
	if code == "" {
		code = e.Status.name()
	}
	if asJSON {
		line, err := term.EncodeJSONLine(errorDocument{errorFields{
			Code: code, Exit: e.Status, Message: e.Fact, Hint: e.Hint, RequestID: e.request,
			File: e.File, Line: e.Line, Column: e.Column, Requirements: e.Requirements,
		}})
		if err == nil {
			_, _ = c.Err.Write(line) // a failure cannot be reported anywhere
		}
		return
	}
	const name = "foretell:"
	fact := c.WrapMessage(name + " " + term.EscapeLines(e.Fact))
	fmt.Fprintf(c.Err, "%s%s\n", c.ErrStyle.Red(name), strings.TrimPrefix(fact, name))
	if e.Hint != "" {
		fmt.Fprintf(c.Err, "%s\n", c.WrapMessage(term.EscapeLines(e.Hint)))
	}
}
