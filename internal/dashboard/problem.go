package dashboard

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"time"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// problemFromError returns the problem that err wraps, with the ID of the request. If err does not
// wrap a problem, it logs err and returns a problem with CodeInternal.
func (p *Pages) problemFromError(r *http.Request, err error) *api.Problem {
	var problem api.Problem
	if wrapped := (*api.Problem)(nil); errors.As(err, &wrapped) {
		problem = *wrapped // a copy, because other requests may have the same problem
	} else {
		if r.Context().Err() == nil {
			p.opts.Log.ErrorContext(r.Context(), "cannot serve a page", "requestId", requestID(r), "error", err)
		}
		problem = *api.NewProblem(api.CodeInternal, "internal error")
	}
	problem.RequestID = cmp.Or(problem.RequestID, requestID(r))
	return &problem
}

// requestID returns the ID of a request in the service's log.
func requestID(r *http.Request) string { return r.Header.Get("X-Request-Id") }

// formProblem converts err to a problem that the page of a form can show. A form shows only the
// detail, so formProblem appends the ID of the request to the detail of an internal error. If the
// problem has a RetryAfter, it also sets the header Retry-After; see setRetryAfter.
func (p *Pages) formProblem(v *visit, err error) *api.Problem {
	problem := p.problemFromError(v.r, err)
	if problem.Status == http.StatusInternalServerError && problem.RequestID != "" {
		problem.Detail += " (request " + problem.RequestID + " in the service's log)"
	}
	setRetryAfter(v.w, problem)
	return problem
}

// setRetryAfter sets the header Retry-After of the response if the problem has a RetryAfter.
// Browsers do not show this header. Therefore it also adds the time to the detail of a problem with
// CodeTooMany.
func setRetryAfter(w http.ResponseWriter, problem *api.Problem) {
	if problem.RetryAfter == 0 {
		return
	}
	w.Header().Set("Retry-After", strconv.Itoa(problem.RetryAfter))
	if problem.Code != api.CodeTooMany {
		return
	}
	wait := humanize.Count(problem.RetryAfter, "second")
	if problem.RetryAfter >= 60 {
		wait = term.FormatDuration(time.Duration(problem.RetryAfter) * time.Second)
	}
	problem.Detail += "; try again in " + wait
}

// writeError responds with a page that shows an error.
func (p *Pages) writeError(v *visit, err error) {
	problem := p.problemFromError(v.r, err)
	setRetryAfter(v.w, problem)
	if p.respondToEndedPoll(v, problem) {
		return
	}
	content := page{Title: problem.Title, Error: problem.Detail, Data: problem}
	if err := p.show(v, problem.Status, "error", content); err != nil {
		p.opts.Log.ErrorContext(v.r.Context(), "cannot write an error page", "error", err)
		http.Error(v.w, problem.Title, problem.Status)
	}
}
