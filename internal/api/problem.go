package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Code is a stable, machine-readable error code.
type Code string

// The codes. Each belongs to one HTTP status; see [Code.Status].
const (
	CodeMalformed         Code = "malformed"           // the request cannot be parsed
	CodeUnauthorized      Code = "unauthorized"        // missing, invalid or expired token
	CodeBadCredentials    Code = "bad-credentials"     // log-in refused
	CodeAuthenticatorCode Code = "authenticator-code"  // the log-in needs the code of the authenticator app
	CodeNoSecondFactor    Code = "no-second-factor"    // the account must first set up an authenticator app
	CodeForbidden         Code = "forbidden"           // not allowed, or an invalid signed URL
	CodeNotFound          Code = "not-found"           // no object with this key in the caller's account
	CodeNoRoute           Code = "no-route"            // no operation at this path
	CodeMethodNotAllowed  Code = "method-not-allowed"  // the path has operations, but none with this method
	CodeWrongState        Code = "wrong-state"         // the state of the resource does not allow the operation
	CodeNameTaken         Code = "name-taken"          // the account already has a dataset of this name, or the email address already has an account
	CodePrecondition      Code = "precondition-failed" // the file does not meet a condition of the request, such as If-Match
	CodeTooLarge          Code = "too-large"           // more bytes than allowed
	CodeWrongMediaType    Code = "wrong-media-type"    // unsupported Content-Type or Content-Encoding
	CodeBadRange          Code = "bad-range"           // the file does not have the requested range
	CodeInvalid           Code = "invalid"             // a value out of range
	CodeTooSmall          Code = "too-small"           // fewer bytes than a CSV can have
	CodeTooMany           Code = "too-many-requests"   // rate limit; see Retry-After
	CodeQuota             Code = "quota-exceeded"      // the account would exceed one of its limits
	CodeStorageFull       Code = "storage-full"        // the service's disk is full
	CodeDamaged           Code = "damaged"             // a stored file is missing or corrupt
	CodeInternal          Code = "internal"            // a bug in the service (see requestId), or a change that may have been stored
	CodeNotReady          Code = "not-ready"           // the service is starting or stopping, or its database or storage does not respond
)

// Codes returns all codes, in the order of docs/api.md.
func Codes() []Code {
	return []Code{
		CodeMalformed, CodeUnauthorized, CodeBadCredentials, CodeAuthenticatorCode, CodeForbidden, CodeNoSecondFactor, CodeNotFound, CodeNoRoute,
		CodeMethodNotAllowed, CodeWrongState, CodeNameTaken, CodePrecondition, CodeTooLarge, CodeWrongMediaType, CodeBadRange,
		CodeInvalid, CodeTooSmall, CodeTooMany, CodeQuota, CodeStorageFull, CodeDamaged, CodeInternal, CodeNotReady,
	}
}

var httpStatuses = map[Code]int{
	CodeMalformed:         http.StatusBadRequest,
	CodeUnauthorized:      http.StatusUnauthorized,
	CodeBadCredentials:    http.StatusUnauthorized,
	CodeAuthenticatorCode: http.StatusUnauthorized,
	CodeNoSecondFactor:    http.StatusForbidden,
	CodeForbidden:         http.StatusForbidden,
	CodeNotFound:          http.StatusNotFound,
	CodeNoRoute:           http.StatusNotFound,
	CodeMethodNotAllowed:  http.StatusMethodNotAllowed,
	CodeWrongState:        http.StatusConflict,
	CodeNameTaken:         http.StatusConflict,
	CodePrecondition:      http.StatusPreconditionFailed,
	CodeTooLarge:          http.StatusRequestEntityTooLarge,
	CodeWrongMediaType:    http.StatusUnsupportedMediaType,
	CodeBadRange:          http.StatusRequestedRangeNotSatisfiable,
	CodeInvalid:           http.StatusUnprocessableEntity,
	CodeTooSmall:          http.StatusUnprocessableEntity,
	CodeTooMany:           http.StatusTooManyRequests,
	CodeQuota:             http.StatusForbidden,
	CodeStorageFull:       http.StatusInsufficientStorage,
	CodeDamaged:           http.StatusInternalServerError,
	CodeInternal:          http.StatusInternalServerError,
	CodeNotReady:          http.StatusServiceUnavailable,
}

// Status returns the HTTP status of the code, or 500 if the code is unknown.
func (c Code) Status() int {
	if s, ok := httpStatuses[c]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// Problem is the body of every error response: RFC 9457 problem details.
type Problem struct {
	Type   string `json:"type" doc:"about:blank"`
	Title  string `json:"title" doc:"Name of the HTTP status."`
	Status int    `json:"status" doc:"The HTTP status."`
	// Detail says what went wrong, and contains the invalid value.
	Detail string `json:"detail" doc:"What went wrong, with the invalid value."`
	Code   Code   `json:"code" doc:"Stable error code, for programs."`
	// Errors lists the invalid fields, if any.
	Errors []FieldError `json:"errors,omitempty" doc:"The invalid fields, if any."`
	// Instance is the path of the request, as the service received it. It is set only if no
	// operation has this path. A proxy may have removed the beginning of the path.
	Instance string `json:"instance,omitempty" doc:"With the code no-route, the path that the service received."`
	// RequestID identifies the request in the service's log.
	RequestID string `json:"requestId,omitempty" doc:"Identifies the request in the service's log."`
	// RetryAfter is how many seconds to wait before retrying, or 0 if unspecified.
	// It is sent in the header Retry-After.
	RetryAfter int `json:"-"`

	cause error
}

// FieldError describes what is wrong with one field or parameter.
type FieldError struct {
	Field   string `json:"field" doc:"Name of the field, or its path within the body."`
	Message string `json:"message" doc:"What is wrong with the value of the field."`
}

// NewProblem returns a problem with a code, and with the HTTP status and title of the code. The
// detail is formatted from format and args.
func NewProblem(code Code, format string, args ...any) *Problem {
	status := code.Status()
	return &Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: fmt.Sprintf(format, args...), Code: code,
	}
}

// NewTooManyProblem returns a problem with [CodeTooMany]. Its RetryAfter is wait, rounded up to seconds.
// The text must not contain the time, because the commands and pages add it.
func NewTooManyProblem(wait time.Duration, format string, args ...any) *Problem {
	p := NewProblem(CodeTooMany, format, args...)
	p.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return p
}

// NewFieldProblem returns a problem with [CodeInvalid] for one field. format and
// args say what is wrong with the field.
func NewFieldProblem(field, format string, args ...any) *Problem {
	return NewFieldProblems([]FieldError{{Field: field, Message: fmt.Sprintf(format, args...)}})
}

// NewFieldProblems returns a problem with [CodeInvalid] for several fields. Its detail has the
// messages of all of them.
func NewFieldProblems(invalid []FieldError) *Problem {
	details := make([]string, len(invalid))
	for i, e := range invalid {
		details[i] = e.Field + ": " + e.Message
	}
	p := NewProblem(CodeInvalid, "%s", strings.Join(details, "; "))
	p.Errors = invalid
	return p
}

// WithCause sets the error that Unwrap returns, for the log. It is never sent
// to clients.
func (p *Problem) WithCause(err error) *Problem {
	p.cause = err
	return p
}

// Error returns the detail, or the title if there is no detail.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// Unwrap returns the error that was passed to WithCause, or nil.
func (p *Problem) Unwrap() error { return p.cause }

// CodeFromError returns the code of the Problem in err's chain, or [CodeInternal] if
// none exists.
func CodeFromError(err error) Code {
	var p *Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return CodeInternal
}
