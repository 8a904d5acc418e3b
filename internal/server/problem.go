package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"foretell/internal/api"
)

const problemType = "application/problem+json"

// problem is an api.Problem that implements huma.StatusError.
type problem struct{ *api.Problem }

// GetStatus returns the HTTP status of the response.
func (p *problem) GetStatus() int { return p.Status }

// ContentType returns the content type of problem details, application/problem+json.
func (p *problem) ContentType(string) string { return problemType }

// GetHeaders returns the headers that a response with this problem must have, such as Retry-After.
func (p *problem) GetHeaders() http.Header { return problemHeaders(p.Problem) }

func problemHeaders(p *api.Problem) http.Header {
	h := http.Header{}
	if p.Code.Status() == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	} else if p.Code.Status() == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	return h
}

// requiredSuffix is the end of huma's message about a missing property. The message begins with the
// name of the property. The location in huma's error is the location of the object that lacks the
// property.
const requiredSuffix = "\x1f is required"

// minLengthMessage is the message about a text that is too short, and emptyTextMessage is the message
// about an empty text that must not be empty.
const (
	minLengthMessage = "must have at least %d characters"
	emptyTextMessage = "must have at least 1 characters"
)

// init sets the error type and the messages of huma, which are package variables of huma. It must
// run before any operation is registered.
func init() {
	huma.ValidateStrictCasing = true // otherwise huma would accept NAME for name, and the checks of name would be bypassed
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return humaProblem(ctx.Context(), status, msg, errs)
	}
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return humaProblem(context.Background(), status, msg, errs)
	}
	validation.MsgExpectedRequiredProperty = "%s" + requiredSuffix
	validation.MsgUnexpectedProperty = "is not a field of this request"
	validation.MsgExpectedMinimumNumber = "must be at least %v"
	validation.MsgExpectedMaximumNumber = "must be at most %v"
	validation.MsgExpectedMinLength = minLengthMessage
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedMinItems = "must have at least %d items"
	validation.MsgExpectedMaxItems = "must have at most %d items"
	validation.MsgExpectedOneOf = "must be one of %s"
	validation.MsgExpectedInteger = "must be an integer"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedArray = "must be an array"
	validation.MsgExpectedObject = "must be an object"
	// Only the schema of ClassWeights has alternatives in a request.
	validation.MsgExpectedMatchExactlyOneSchema = `must be "balanced" or an object with a number for each class, such as {"yes": 5}`
}

// humaProblem converts validation errors of huma to a problem with the given status. msg is the
// detail if errs names no field. The problem omits the invalid values, because they may be
// passwords.
func humaProblem(ctx context.Context, status int, msg string, errs []error) *problem {
	if status >= http.StatusInternalServerError {
		return humaInternalProblem(ctx, status, msg, errs)
	}
	var fields []api.FieldError
	for _, err := range errs {
		var detailer huma.ErrorDetailer
		if errors.As(err, &detailer) {
			fields = append(fields, toFieldError(detailer.ErrorDetail()))
		}
	}
	msg = strings.Replace(msg, "request body is too large limit=", "the request body exceeds ", 1) // huma's message is no sentence
	p := api.NewProblem(codeFromStatus(status), "%s", formatFieldErrors(fields, msg))
	p.Errors = fields
	return &problem{p}
}

// humaInternalProblem converts errors that huma reports with a status of 500 or more to a problem,
// and logs them with their cause. An interrupted request body gets the status 400; see
// internalProblem.
func humaInternalProblem(ctx context.Context, status int, msg string, errs []error) *problem {
	req := requestFromContext(ctx)
	p := internalProblem(ctx, status, msg, errs)
	if p.Code != api.CodeInternal || req.body == nil {
		return p
	}
	var broken *api.Problem
	if errors.As(req.body.problem(), &broken) {
		return &problem{broken}
	}
	req.log.ErrorContext(ctx, "operation failed", "requestId", p.RequestID, "code", p.Code, "error", errorWithCause{p.Problem}.Error())
	return p
}

// internalProblem converts internal errors to a problem. If the cause is an interrupted request
// body, the problem has a status of 400 instead.
func internalProblem(ctx context.Context, status int, msg string, errs []error) *problem {
	cause := errors.Join(errs...)
	if errors.Is(cause, io.ErrUnexpectedEOF) || errors.Is(cause, context.Canceled) {
		return &problem{api.NewProblem(api.CodeMalformed, "the request body was interrupted: send the request again").WithCause(cause)}
	}
	p := api.NewProblem(api.CodeInternal, "internal error: the service's log has the cause under this requestId")
	p.RequestID = requestFromContext(ctx).id
	return &problem{p.WithCause(fmt.Errorf("%d %s: %w", status, msg, cause))}
}

func codeFromStatus(status int) api.Code {
	switch status {
	case http.StatusUnprocessableEntity:
		return api.CodeInvalid
	case http.StatusRequestEntityTooLarge:
		return api.CodeTooLarge
	case http.StatusUnsupportedMediaType:
		return api.CodeWrongMediaType
	}
	return api.CodeMalformed
}

// toFieldError converts an error of huma. The Field of the result is the path of the
// field without the prefix "body.", "query." or "path.".
func toFieldError(d *huma.ErrorDetail) api.FieldError {
	field := d.Location
	for _, prefix := range []string{"body.", "query.", "path."} {
		field = strings.TrimPrefix(field, prefix)
	}
	message := d.Message
	if name, end, ok := strings.Cut(message, numberMessage); ok && d.Location == "body" {
		return api.FieldError{Field: name, Message: strings.TrimPrefix(numberMessage, "\x1f ") + end}
	}
	if name, ok := strings.CutSuffix(message, requiredSuffix); ok {
		message = "is required"
		if field == "body" {
			field = name
		} else {
			field += "." + name
		}
	}
	if strings.HasPrefix(d.Location, "query.") && strings.HasPrefix(message, "required") || message == emptyTextMessage {
		message = "is required"
	}
	if most, ok := strings.CutSuffix(message, " 1 items"); ok {
		message = most + " 1 item"
	}
	return api.FieldError{Field: field, Message: message}
}

// formatFieldErrors returns the errors of the fields in one line, or fallback if none exist.
func formatFieldErrors(fields []api.FieldError, fallback string) string {
	if len(fields) == 0 {
		return fallback
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Field + ": " + f.Message
	}
	return strings.Join(parts, "; ")
}

// toProblem converts an error of the app to a problem for the client, and logs internal errors with
// their cause. The client gets the cause of an internal error only if Options.ShowCauses is set.
func (s *service) toProblem(ctx context.Context, err error) *api.Problem {
	var p *api.Problem
	switch {
	case errors.As(err, &p):
	case errors.Is(err, context.Canceled):
		p = api.NewProblem(api.CodeMalformed, "the request was interrupted: send it again").WithCause(err)
	case errors.Is(err, context.DeadlineExceeded): // a time limit of the service
		p = api.NewProblem(api.CodeNotReady, "the service did not finish the request in time: send it again").WithCause(err)
	default:
		p = internalProblem(ctx, http.StatusInternalServerError, "operation", []error{err}).Problem
		if s.opts.ShowCauses && p.Code == api.CodeInternal {
			p.Detail = "internal error: " + strings.ReplaceAll(err.Error(), "\n", "; ")
		}
	}
	if p.Code.Status() >= http.StatusInternalServerError {
		own := *p // a copy, because the app may return one problem to several requests
		p = &own
		p.RequestID = requestFromContext(ctx).id
		var cause any = errorWithCause{err}
		if p.Code.Status() == http.StatusInternalServerError {
			cause = errorWithCause{err}.Error() // as text: during an outage, the log omits lines that have an error value, but operators search for the request ID of this line
		}
		level := slog.LevelError
		if errors.Is(err, context.Canceled) && ctx.Err() != nil { // the client has disconnected, for example a proxy whose probe timed out
			level = slog.LevelDebug
		}
		s.log.Log(ctx, level, "operation failed", "requestId", p.RequestID, "code", p.Code, "error", cause)
	}
	return p
}

// errorWithCause adds the message of the cause to the message of an error, for the log. The
// message of a problem alone does not contain its cause, because clients must not see it.
type errorWithCause struct{ error }

// Error returns the messages of the error and of its cause.
func (e errorWithCause) Error() string {
	text := e.error.Error()
	if cause := errors.Unwrap(e.error); cause != nil {
		text += ": " + cause.Error()
	}
	return text
}

// Unwrap returns the error without the added message.
func (e errorWithCause) Unwrap() error { return e.error }

// writeProblem responds with a problem, without using huma.
func writeProblem(w http.ResponseWriter, p *api.Problem) {
	for name, values := range problemHeaders(p) {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}
