package account

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

const (
	// From one network address, accessRequestBurst requests for access are accepted at once, and
	// then one more every accessRequestInterval.
	accessRequestBurst    = 5
	accessRequestInterval = 5 * time.Minute
	// maxPendingRequests is the maximum number of PENDING requests. Further requests are not
	// stored, so that nobody can fill the disk with them.
	maxPendingRequests = 10_000

	// requestMailDelay is the time between a request and the email to the administrators. Requests
	// that arrive in this time are in the same email.
	requestMailDelay = time.Minute

	// accessRequestResponseTime is the time from a request for access to its response. It is longer
	// than any request takes. Otherwise the time would reveal whether the email has an account.
	accessRequestResponseTime = 250 * time.Millisecond

	// decidedRequestLifetime is how long a request is kept after it was approved or refused.
	decidedRequestLifetime = 90 * 24 * time.Hour

	maxNameLength   = 100  // characters of a person's or an organisation's name
	maxReasonLength = 1000 // characters
)

// RequestAccess stores a request for an account. If the domain of the email is one of
// Options.ApproveDomains, it also approves the request. Neither the response nor its time reveals
// whether the email already has an account or a request.
func (a *Accounts) RequestAccess(ctx context.Context, in *api.RequestAccessInput) (*api.None, error) {
	request, err := a.newAccessRequest(in.Body)
	if err != nil {
		return nil, err
	}
	attempt := store.Attempt{Limit: accessRequestLimit, Key: CallerFromContext(ctx).RemoteAddress}
	if refused, err := a.allowAttempts(ctx, attempt); err != nil {
		return nil, err
	} else if refused != nil {
		return nil, api.NewTooManyProblem(refused.Wait, "too many requests for access from this address")
	}
	responseTime := time.NewTimer(accessRequestResponseTime)
	defer responseTime.Stop()
	err = a.store.Write(ctx, func(t *store.Tx) error {
		outcome := outcomeRefused
		if accepted, err := a.storeAndApproveOrNotify(ctx, t, request); err != nil {
			return err
		} else if accepted {
			outcome = outcomeDone
		}
		return a.insertAuditEvent(ctx, t, auditEvent{actor: unknownActor, action: "access.request", object: request.Email, outcome: outcome})
	})
	select {
	case <-responseTime.C:
	case <-ctx.Done():
	}
	return &api.None{}, a.toProblem(err)
}

// newAccessRequest returns a PENDING request with the fields of form. If fields are invalid, it
// returns a problem that lists them.
func (a *Accounts) newAccessRequest(form api.NewAccessRequest) (*store.AccessRequest, error) {
	email := normalizeEmail(form.Email)
	err := joinFieldProblems(
		checkEmail(email), checkText("name", form.Name, maxNameLength, ""),
		checkText("organisation", form.Organisation, maxNameLength, ""), checkText("reason", form.Reason, maxReasonLength, "\n\r\t"),
	)
	if err != nil {
		return nil, err
	}
	key, err := auth.NewUUID(a.rand)
	return &store.AccessRequest{
		Key: key, Email: email, Name: strings.TrimSpace(form.Name), Organisation: strings.TrimSpace(form.Organisation),
		Reason: strings.TrimSpace(form.Reason), Status: api.RequestPending, Created: a.now(),
	}, err
}

// checkText returns a problem if the text of a field is blank, longer than maxLength characters, or
// rejected by api.CheckText. allowed holds the control characters that the text may have.
func checkText(field, text string, maxLength int, allowed string) error {
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		return api.NewFieldProblem(field, "is required")
	case n > maxLength:
		return api.NewFieldProblem(field, "%d characters: must be at most %d", n, maxLength)
	}
	return api.CheckText(field, text, allowed)
}

// joinFieldProblems joins errors about invalid fields to one problem that lists all these fields.
// It returns nil if all errs are nil. If an error is not about fields, it returns this error alone.
func joinFieldProblems(errs ...error) error {
	var invalid []api.FieldError
	for _, err := range errs {
		var p *api.Problem
		switch {
		case err == nil:
		case errors.As(err, &p) && p.Code == api.CodeInvalid:
			invalid = append(invalid, p.Errors...)
		default:
			return err
		}
	}
	if len(invalid) == 0 {
		return nil
	}
	return api.NewFieldProblems(invalid)
}

// storeAndApproveOrNotify stores a request and returns true. If the domain of the email is one of
// Options.ApproveDomains, it also approves the request, which creates the account. Otherwise it
// notifies the administrators. It stores nothing and returns false if the email has an account or a
// PENDING request, or if there are already maxPendingRequests PENDING requests.
func (a *Accounts) storeAndApproveOrNotify(ctx context.Context, t *store.Tx, r *store.AccessRequest) (stored bool, err error) {
	if _, err := t.GetAccount(ctx, r.Email); !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	_, pending, err := t.ListAccessRequests(ctx, api.RequestPending, store.Page{})
	if err != nil || pending >= maxPendingRequests {
		return false, err
	}
	if inserted, err := t.InsertAccessRequest(ctx, r); err != nil || !inserted {
		return false, err
	}
	_, domain, _ := strings.Cut(r.Email, "@")
	if slices.Contains(a.options.ApproveDomains, domain) {
		_, err = a.approveRequest(ctx, t, r, serviceActor)
		return true, err
	}
	return true, a.notifyAdministrators(ctx, t)
}

// notifyAdministrators queues an email to each administrator whom Options.NotifyRequests selects.
// The email is sent after requestMailDelay, and lists all requests that are PENDING then. If such
// an email is still waiting, no other email is queued. If no process sends emails,
// notifyAdministrators does nothing.
func (a *Accounts) notifyAdministrators(ctx context.Context, t *store.Tx) error {
	if sends, err := a.anyProcessSendsMail(ctx, t); err != nil || !sends {
		return err
	}
	administrators, err := t.ListAdministrators(ctx)
	if err != nil {
		return err
	}
	for _, account := range administrators {
		if a.options.NotifyRequests != nil && !slices.Contains(a.options.NotifyRequests, account.Email) {
			continue
		}
		// An email that is being sent does not count as waiting, because it does not list the
		// newest request. The new email replaces it in the queue, and is sent later.
		if waits, err := t.IsMailWaiting(ctx, account.Key, mailRequests); err != nil {
			return err
		} else if waits {
			continue
		}
		if err := a.queueMail(ctx, t, account, mailRequests, a.now().Add(requestMailDelay)); err != nil {
			return err
		}
	}
	return nil
}

// DeleteOldAccessRequests deletes the requests that were approved or refused more than 90 days ago.
// The audit log still has these decisions.
func (a *Accounts) DeleteOldAccessRequests(ctx context.Context) error {
	return a.store.Write(ctx, func(t *store.Tx) error {
		return t.DeleteAccessRequestsDecidedBefore(ctx, a.now().Add(-decidedRequestLifetime))
	})
}

// ListAccessRequests returns a page of the requests, newest first.
func (a *Accounts) ListAccessRequests(ctx context.Context, in *api.ListAccessRequestsInput) (*api.AccessRequestPage, error) {
	page, err := in.Page()
	if err != nil {
		return nil, err
	}
	out := &api.AccessRequestPage{AccessRequests: []api.AccessRequest{}}
	err = a.store.Read(ctx, func(t *store.Tx) error {
		requests, total, err := t.ListAccessRequests(ctx, in.Status, store.Page{Offset: page.Offset, Limit: page.Limit})
		for _, r := range requests {
			out.AccessRequests = append(out.AccessRequests, toAccessRequest(r))
		}
		page.SetTotalAndNext(total)
		return err
	})
	out.Page = page
	return out, a.toProblem(err)
}

func toAccessRequest(r *store.AccessRequest) api.AccessRequest {
	out := api.AccessRequest{
		RequestKey: r.Key, Email: r.Email, Name: r.Name, Organisation: r.Organisation, Reason: r.Reason,
		Status: r.Status, CreatedOn: api.FormatTime(r.Created), DecidedBy: r.DecidedBy,
	}
	if !r.Decided.IsZero() {
		out.DecidedOn = api.FormatTime(r.Decided)
	}
	return out
}

// ApproveAccessRequest creates the account of a request and invites its owner.
func (a *Accounts) ApproveAccessRequest(ctx context.Context, in *api.AccessRequestInput) (out *api.Invitation, err error) {
	err = a.store.Write(ctx, func(t *store.Tx) error {
		r, err := t.GetAccessRequest(ctx, in.RequestKey)
		if err != nil {
			return err
		}
		out, err = a.approveRequest(ctx, t, r, actorFromContext(ctx))
		return err
	})
	if err != nil {
		return nil, a.translateRequestNotFound(err, in.RequestKey)
	}
	return out, nil
}

// approveRequest approves a request, creates its account and invites the owner of the email. actor
// is the email of the administrator who approves the request, operatorActor for a command on the
// data folder, or serviceActor.
func (a *Accounts) approveRequest(ctx context.Context, t *store.Tx, r *store.AccessRequest, actor string) (*api.Invitation, error) {
	if r.Status != api.RequestPending {
		return nil, decidedRequestProblem(r.Key, r.Status)
	}
	account := &store.Account{Email: r.Email, Name: r.Name, Organisation: r.Organisation}
	if _, err := t.GetAccount(ctx, r.Email); err == nil {
		return nil, api.NewProblem(api.CodeNameTaken, "account %s already exists, so its request can only be refused", r.Email)
	} else if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if _, err := a.decideRequest(ctx, t, r, api.RequestApproved, actor); err != nil {
		return nil, err
	}
	if err := a.insertAccount(ctx, t, account); err != nil {
		return nil, err
	}
	if err := a.insertAuditEvent(ctx, t, auditEvent{actor: actor, action: "access.approve", object: r.Email, outcome: outcomeDone}); err != nil {
		return nil, err
	}
	return a.inviteOwner(ctx, t, account, mailApproved)
}

// decideRequest changes the status of a PENDING request, and stores the time and the actor of this
// decision in the request. It returns the changed request, or a problem if the request is not
// PENDING. It does not change r, because the transaction may be run again.
func (a *Accounts) decideRequest(ctx context.Context, t *store.Tx, r *store.AccessRequest, status, actor string) (*store.AccessRequest, error) {
	decided := *r
	decided.Status, decided.Decided, decided.DecidedBy = status, a.now(), actor
	err := t.UpdateAccessRequest(ctx, &decided, api.RequestPending)
	if errors.Is(err, store.ErrWrongState) {
		return nil, decidedRequestProblem(r.Key, r.Status).WithCause(err)
	}
	return &decided, err
}

// decidedRequestProblem returns the problem of a request that was already approved or refused.
// status is the status of the request.
func decidedRequestProblem(key, status string) *api.Problem {
	return api.NewProblem(api.CodeWrongState, "request %s is already %s: only a PENDING request can be decided", key, status)
}

// RefuseAccessRequest refuses a request. Its sender is not notified and may send
// another.
func (a *Accounts) RefuseAccessRequest(ctx context.Context, in *api.AccessRequestInput) (*api.AccessRequest, error) {
	var out api.AccessRequest
	err := a.store.Write(ctx, func(t *store.Tx) error {
		r, err := t.GetAccessRequest(ctx, in.RequestKey)
		if err != nil {
			return err
		}
		decided, err := a.decideRequest(ctx, t, r, api.RequestRefused, actorFromContext(ctx))
		if err != nil {
			return err
		}
		out = toAccessRequest(decided)
		return a.RecordAuditEvent(ctx, t, "access.refuse", r.Email)
	})
	return &out, a.translateRequestNotFound(err, in.RequestKey)
}

// translateRequestNotFound converts store.ErrNotFound to a problem with CodeNotFound: no
// request for access has this key. It converts other errors with Config.ToProblem.
func (a *Accounts) translateRequestNotFound(err error, key string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeNotFound, "no request %s: list the requests to find its key", key).WithCause(err)
	}
	return a.toProblem(err)
}
