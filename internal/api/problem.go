package api

import (
	"errors"
	"fmt"
	"net/http"
)

// Code is a stable, machine-readable name of what went wrong.
type Code string

// The codes. Each belongs to one HTTP status, see [Code.Status].
const (
	CodeMalformed        Code = "malformed"          // the request cannot be read
	CodeUnauthorized     Code = "unauthorized"       // no, invalid or expired token
	CodeBadCredentials   Code = "bad-credentials"    // log-in refused
	CodeForbidden        Code = "forbidden"          // not allowed, or a signed address that does not hold
	CodeNotFound         Code = "not-found"          // unknown key, or another account's
	CodeNoRoute          Code = "no-route"           // no operation at this address
	CodeMethodNotAllowed Code = "method-not-allowed" // an operation, but not this method
	CodeWrongState       Code = "wrong-state"        // the thing is not in a state that allows it
	CodeNameTaken        Code = "name-taken"         // the account has a dataset of this name
	CodeTooLarge         Code = "too-large"          // more bytes than allowed
	CodeWrongMediaType   Code = "wrong-media-type"   // Content-Type
	CodeBadRange         Code = "bad-range"          // the file does not have the range asked for
	CodeInvalid          Code = "invalid"            // a value out of its bounds
	CodeTooSmall         Code = "too-small"          // fewer bytes than a CSV can have
	CodeTooMany          Code = "too-many-requests"  // slow down, see Retry-After
	CodeStorageFull      Code = "storage-full"       // the service's disk is full
	CodeDamaged          Code = "damaged"            // a stored file is not what was stored
	CodeInternal         Code = "internal"           // a defect of the service, see requestId
	CodeNotReady         Code = "not-ready"          // starting or stopping
)

// Codes lists the codes in the order of the reference.
func Codes() []Code {
	return []Code{
		CodeMalformed, CodeUnauthorized, CodeBadCredentials, CodeForbidden, CodeNotFound, CodeNoRoute,
		CodeMethodNotAllowed, CodeWrongState, CodeNameTaken, CodeTooLarge, CodeWrongMediaType, CodeBadRange,
		CodeInvalid, CodeTooSmall, CodeTooMany, CodeStorageFull, CodeDamaged, CodeInternal, CodeNotReady,
	}
}

var statusOf = map[Code]int{
	CodeMalformed:        http.StatusBadRequest,
	CodeUnauthorized:     http.StatusUnauthorized,
	CodeBadCredentials:   http.StatusUnauthorized,
	CodeForbidden:        http.StatusForbidden,
	CodeNotFound:         http.StatusNotFound,
	CodeNoRoute:          http.StatusNotFound,
	CodeMethodNotAllowed: http.StatusMethodNotAllowed,
	CodeWrongState:       http.StatusConflict,
	CodeNameTaken:        http.StatusConflict,
	CodeTooLarge:         http.StatusRequestEntityTooLarge,
	CodeWrongMediaType:   http.StatusUnsupportedMediaType,
	CodeBadRange:         http.StatusRequestedRangeNotSatisfiable,
	CodeInvalid:          http.StatusUnprocessableEntity,
	CodeTooSmall:         http.StatusUnprocessableEntity,
	CodeTooMany:          http.StatusTooManyRequests,
	CodeStorageFull:      http.StatusInsufficientStorage,
	CodeDamaged:          http.StatusInternalServerError,
	CodeInternal:         http.StatusInternalServerError,
	CodeNotReady:         http.StatusServiceUnavailable,
}

// Status is the HTTP status of the code; 500 for one it does not know.
func (c Code) Status() int {
	if s, ok := statusOf[c]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// Problem is the body of every error answer: RFC 9457 problem details.
type Problem struct {
	Type   string `json:"type" doc:"about:blank"`
	Title  string `json:"title" doc:"The status's name."`
	Status int    `json:"status" doc:"The HTTP status."`
	// Detail tells what happened, to what.
	Detail string `json:"detail" doc:"What happened, to what."`
	Code   Code   `json:"code" doc:"Stable, for programs."`
	// Errors names the fields at fault, if any.
	Errors []FieldError `json:"errors,omitempty" doc:"The fields at fault, if any."`
	// RequestID finds the request in the service's log.
	RequestID string `json:"requestId,omitempty" doc:"Finds the request in the service's log."`
	// RetryAfter is how many seconds to wait before asking again; it travels in
	// the header of that name. 0 says nothing.
	RetryAfter int `json:"-"`

	cause error
}

// FieldError tells what is wrong with one field or parameter.
type FieldError struct {
	Field   string `json:"field" doc:"Its name, or its path within the body."`
	Message string `json:"message" doc:"What is wrong with it."`
}

// NewProblem makes a problem of the code's status and title.
func NewProblem(code Code, format string, args ...any) *Problem {
	status := code.Status()
	return &Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: fmt.Sprintf(format, args...), Code: code,
	}
}

// NewFieldProblem is NewProblem with code [CodeInvalid] for one field.
func NewFieldProblem(field, format string, args ...any) *Problem {
	p := NewProblem(CodeInvalid, "%s: %s", field, fmt.Sprintf(format, args...))
	p.Errors = []FieldError{{Field: field, Message: fmt.Sprintf(format, args...)}}
	return p
}

// WithCause keeps err for the log. It never travels.
func (p *Problem) WithCause(err error) *Problem {
	p.cause = err
	return p
}

// Error returns the detail.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.cause }

// CodeOf finds the code of err, or [CodeInternal] if it holds no Problem.
func CodeOf(err error) Code {
	var p *Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return CodeInternal
}
