package account

import (
	"cmp"
	"context"
	"math"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// The outcomes of audit events.
const (
	done    = "done"
	refused = "refused"
)

// actionLogIn is the action of logins, which the store searches for.
const actionLogIn = "login"

// The actors that are not accounts.
const (
	operatorActor = "operator" // a command on the data folder
	serviceActor  = "service"  // the service itself
)

const (
	// An account's refused operations are recorded refusalBurst times at once, and
	// then once each refusalInterval, so that it cannot fill the disk with them.
	refusalBurst    = 20
	refusalInterval = time.Minute
)

// auditTimeLayout is the format of the time of events.
const auditTimeLayout = "2006-01-02T15:04:05.000000Z"

// event is what an audit event adds to the caller of a context.
type event struct {
	actor, action, object, outcome string
}

// Record appends an event about the caller's operation to the audit log, in the
// transaction of its change.
func (a *Accounts) Record(ctx context.Context, t *store.Tx, action, object string) error {
	return a.insertEvent(ctx, t, event{action: action, object: object, outcome: done})
}

// RecordDownload appends an event about a file that the owner's account is about
// to be sent. It returns a *api.Problem with CodeForbidden if the account is
// disabled: a signed URL is valid without a token.
func (a *Accounts) RecordDownload(ctx context.Context, owner, action, object string) error {
	account, err := a.find(ctx, byKey(owner))
	switch {
	case err != nil:
		return err
	case account.Disabled:
		return api.NewProblem(api.CodeForbidden, "the account of this URL is disabled")
	case account.Email == localEmail:
		return nil
	}
	return a.problem(a.store.Write(ctx, func(t *store.Tx) error {
		return a.insertEvent(ctx, t, event{actor: account.Email, action: action, object: object, outcome: done})
	}))
}

// RecordRefusal appends an event about an operation that the caller may not call.
func (a *Accounts) RecordRefusal(ctx context.Context, operation, object string) {
	if a.refusals.Take(CallerFromContext(ctx).Account) == 0 {
		a.record(ctx, event{action: operation, object: object, outcome: refused})
	}
}

// record appends an event in a transaction of its own. An error is only logged,
// because it must not change the response.
func (a *Accounts) record(ctx context.Context, e event) {
	err := a.store.Write(ctx, func(t *store.Tx) error { return a.insertEvent(ctx, t, e) })
	if err != nil {
		a.log.ErrorContext(ctx, "writing the audit log", "action", e.action, "actor", e.actor, "outcome", e.outcome, "error", err)
	}
}

// insertEvent appends an event in a transaction. The embedded service, which has one
// user, has no audit log.
func (a *Accounts) insertEvent(ctx context.Context, t *store.Tx, e event) error {
	caller := CallerFromContext(ctx)
	actor := cmp.Or(e.actor, caller.Email, operatorActor)
	if actor == localEmail {
		return nil
	}
	key, err := auth.NewKey(a.rand)
	if err != nil {
		return err
	}
	return t.InsertAuditEvent(ctx, &store.AuditEvent{
		Key: key, Time: a.now(), Actor: actor, Action: e.action, Object: e.object,
		Address: caller.RemoteAddress, Request: caller.RequestID, Outcome: e.outcome,
	})
}

// ListAuditEvents returns a page of the audit log, newest first.
func (a *Accounts) ListAuditEvents(ctx context.Context, in *api.ListAuditEventsInput) (*api.AuditEventPage, error) {
	page, err := in.Page()
	if err != nil {
		return nil, err
	}
	out := &api.AuditEventPage{Events: []api.AuditEvent{}}
	query := store.AuditQuery{Actor: in.Actor, Action: in.Action, Page: store.Page{Offset: page.Offset, Limit: page.Limit}}
	err = a.store.Read(ctx, func(t *store.Tx) error {
		total, err := t.CountAuditEvents(ctx, query)
		if err != nil {
			return err
		}
		page.SetTotal(total)
		return t.EachAuditEvent(ctx, query, func(e *store.AuditEvent) error {
			out.Events = append(out.Events, *toAuditEvent(e))
			return nil
		})
	})
	out.Page = page
	return out, a.problem(err)
}

// EachAuditEvent calls fn with each event that the input selects, newest first, or
// with the newest limit events if limit is not 0. It ignores the page of the input.
func (a *Accounts) EachAuditEvent(ctx context.Context, in *api.ListAuditEventsInput, limit int, fn func(*api.AuditEvent) error) error {
	query := store.AuditQuery{Actor: in.Actor, Action: in.Action, Page: store.Page{Limit: cmp.Or(int64(limit), math.MaxInt64)}}
	err := a.store.Read(ctx, func(t *store.Tx) error {
		return t.EachAuditEvent(ctx, query, func(e *store.AuditEvent) error { return fn(toAuditEvent(e)) })
	})
	return a.problem(err)
}

func toAuditEvent(e *store.AuditEvent) *api.AuditEvent {
	return &api.AuditEvent{
		EventKey: e.Key, Time: e.Time.Format(auditTimeLayout), Actor: e.Actor, Action: e.Action, Object: e.Object,
		RemoteAddress: e.Address, RequestID: e.Request, Outcome: e.Outcome,
	}
}
