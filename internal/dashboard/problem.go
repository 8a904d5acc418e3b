package dashboard

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// problemFromError returns the problem that err wraps. If err does not wrap a problem, it logs err
// and returns a problem with CodeInternal.
func (p *Pages) problemFromError(ctx context.Context, err error) *api.Problem {
	var problem *api.Problem
	if errors.As(err, &problem) {
		return problem
	}
	if ctx.Err() == nil {
		p.opts.Log.ErrorContext(ctx, "cannot serve a page", "error", err)
	}
	return api.NewProblem(api.CodeInternal, "internal error")
}

// formProblem converts err to a problem that a page can show. If the problem has a RetryAfter,
// formProblem also sets the header Retry-After of the response. Because browsers do not show this
// header, the text of a problem with CodeTooMany then has the time, too.
func (p *Pages) formProblem(v *visit, err error) *api.Problem {
	problem := p.problemFromError(v.r.Context(), err)
	if problem.RetryAfter == 0 {
		return problem
	}
	v.w.Header().Set("Retry-After", strconv.Itoa(problem.RetryAfter))
	if problem.Code != api.CodeTooMany {
		return problem
	}
	timed := *problem
	wait := humanize.Count(problem.RetryAfter, "second")
	if problem.RetryAfter >= 60 {
		wait = term.FormatDuration(time.Duration(problem.RetryAfter) * time.Second)
	}
	timed.Detail += "; try again in " + wait
	return &timed
}

// writeError responds with a page that shows an error.
func (p *Pages) writeError(v *visit, err error) {
	problem := p.formProblem(v, err)
	if p.respondToEndedPoll(v, problem) {
		return
	}
	content := page{Title: problem.Title, Error: problem.Detail, Data: problem}
	if err := p.show(v, problem.Status, "error", content); err != nil {
		p.opts.Log.ErrorContext(v.r.Context(), "cannot write an error page", "error", err)
		http.Error(v.w, problem.Title, problem.Status)
	}
}
