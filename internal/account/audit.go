package account

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"strconv"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// The outcomes of audit events.
const (
	outcomeDone    = "done"
	outcomeRefused = "refused"
)

// actionLogIn is the action of log-ins. [store.Tx.HasLoggedInFrom] searches for it.
const actionLogIn = "login"

// The actors of events that no account caused.
const (
	operatorActor = "operator" // a command on the data folder
	serviceActor  = "service"  // the service itself
	unknownActor  = "unknown"  // a failed log-in with a name that is not an email, or a request for access
)

const (
	// The audit log records at most refusalBurst refused operations of an account at once, and
	// then one in each refusalInterval, so that nobody can fill the disk with events.
	refusalBurst    = 20
	refusalInterval = time.Minute
)

// auditTimeLayout is the format of the time of events: UTC, with microseconds.
const auditTimeLayout = "2006-01-02T15:04:05.000000Z"

// auditEvent holds the fields of an audit event that are not taken from the context. An empty
// actor means the caller. expiresBefore is zero, except in the event that records the deletion of
// old events: the store then allows the deletion of the events before this time.
type auditEvent struct {
	actor, action, object, detail, outcome string
	expiresBefore                          time.Time
}

// RecordAuditEvent appends an event to the audit log: the caller applied action to object. An
// action is a text such as "dataset.delete", and an object is a key or email. The transaction
// t must be the transaction that performs the action.
func (a *Accounts) RecordAuditEvent(ctx context.Context, t *store.Tx, action, object string) error {
	return a.insertAuditEvent(ctx, t, auditEvent{action: action, object: object, outcome: outcomeDone})
}

// CheckDownload returns a *api.Problem with CodeForbidden if an account is disabled. owner is the
// key of the account. It must be called before a download from a signed URL, because the URL
// remains valid when the account is disabled.
func (a *Accounts) CheckDownload(ctx context.Context, owner string) error {
	_, err := a.findEnabledAccount(ctx, owner)
	return err
}

// findEnabledAccount returns the account with this key. If the account is disabled, it returns
// a problem with CodeForbidden.
func (a *Accounts) findEnabledAccount(ctx context.Context, key string) (*store.Account, error) {
	account, err := a.findAccount(ctx, lookUpByKey(key))
	if err == nil && account.Disabled {
		err = api.NewProblem(api.CodeForbidden, "the account of this URL is disabled")
	}
	return account, err
}

// downloadInterval is the time after an event in which further downloads of the same object from
// the same address add no event. Otherwise the holder of a signed URL could fill the disk with
// events, because downloads have no rate limit.
const downloadInterval = time.Minute

// sharedClockTolerance is by how much the estimates of the shared clock, in which events are stored, may
// differ between processes.
const sharedClockTolerance = time.Second

// RecordDownload records in the audit log that a client downloads a file. owner is the key of the
// account that owns the file. action is a text such as "model.download", and object is the key of
// the model or prediction. If the log contains an equal event from the last downloadInterval, no
// event is added. Like CheckDownload, RecordDownload returns a problem if the account is disabled.
func (a *Accounts) RecordDownload(ctx context.Context, owner, action, object string) error {
	account, err := a.findEnabledAccount(ctx, owner)
	if err != nil || account.Email == localAccountEmail {
		return err
	}
	now := a.store.ToSharedTime(a.now())
	e := &store.AuditEvent{
		Time: now.Add(sharedClockTolerance), Actor: account.Email, Action: action, Object: object,
		Address: CallerFromContext(ctx).RemoteAddress, Outcome: outcomeDone,
	}
	recorded := false
	isRecorded := func(t *store.Tx) (err error) {
		recorded, err = t.HasAuditEventLike(ctx, e, now.Add(-downloadInterval))
		return err
	}
	if err := a.store.ReadOneStatement(ctx, isRecorded); err != nil || recorded {
		return a.toProblem(err)
	}
	return a.toProblem(a.store.Write(ctx, func(t *store.Tx) error {
		if err := isRecorded(t); err != nil || recorded { // a concurrent request has recorded the download
			return err
		}
		return a.insertAuditEvent(ctx, t, auditEvent{actor: e.Actor, action: action, object: object, outcome: e.Outcome})
	}))
}

// RecordRefusal records in the audit log that the caller was not allowed to perform an operation.
// object is what the caller tried to access, such as the path of the request, or "". RecordRefusal
// does nothing if the caller had too many refusals; see refusalBurst.
func (a *Accounts) RecordRefusal(ctx context.Context, operation, object string) {
	if a.refusals.Take(CallerFromContext(ctx).Account) == 0 {
		a.recordOrLogError(ctx, auditEvent{action: operation, object: object, outcome: outcomeRefused})
	}
}

// recordTimeout is how long recordOrLogError tries to write an event.
const recordTimeout = 5 * time.Second

// recordOrLogError appends an event to the audit log in a separate transaction, even if ctx is done,
// because the client may have disconnected. It logs an error instead of returning it, because the error
// must not change the response.
func (a *Accounts) recordOrLogError(ctx context.Context, e auditEvent) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	err := a.store.Write(ctx, func(t *store.Tx) error { return a.insertAuditEvent(ctx, t, e) })
	if err != nil {
		a.log.ErrorContext(ctx, "cannot write an event to the audit log", "action", e.action, "actor", e.actor, "outcome", e.outcome, "error", err.Error()) // a text, because the event must not be omitted from the log during an outage
	}
}

// insertAuditEvent appends an event to the audit log in the transaction t. Once the transaction is
// committed, it also writes the event to the program's log. Events of the account that commands
// use without a server are not recorded, because such a service has only one user.
func (a *Accounts) insertAuditEvent(ctx context.Context, t *store.Tx, e auditEvent) error {
	caller := CallerFromContext(ctx)
	actor := cmp.Or(e.actor, caller.Email, operatorActor)
	if actor == localAccountEmail {
		return nil
	}
	key, err := auth.NewUUID(a.rand)
	if err != nil {
		return err
	}
	stored := &store.AuditEvent{
		Key: key, Time: a.store.ToSharedTime(a.now()), Actor: actor, Action: e.action, Object: e.object, Detail: e.detail,
		Address: caller.RemoteAddress, Request: caller.RequestID, Outcome: e.outcome, ExpiresBefore: e.expiresBefore,
	}
	t.AfterCommit(func(err error) { a.logAuditEvent(ctx, stored, err) })
	return t.InsertAuditEvent(ctx, stored)
}

// logAuditEvent writes a copy of an event to the log, so that a log collector can keep it where
// nobody can change it. The attributes have the names and the texts of the fields of the API, so
// that the copies can be compared with the audit log: a difference is a sign of tampering. The log
// escapes characters that a terminal interprets. If err is not nil, it is unknown whether the event
// was stored.
func (a *Accounts) logAuditEvent(ctx context.Context, e *store.AuditEvent, err error) {
	line := slog.NewRecord(a.now(), slog.LevelInfo, "audit", 0)
	line.AddAttrs(slog.String("eventKey", e.Key), slog.String("eventTime", e.Time.UTC().Format(auditTimeLayout)), slog.String("actor", e.Actor),
		slog.String("action", e.Action), slog.String("object", e.Object), slog.String("detail", e.Detail), slog.String("remoteAddress", e.Address),
		slog.String("requestId", e.Request), slog.String("outcome", e.Outcome))
	if err != nil {
		line.AddAttrs(slog.String("stored", "unknown"))
	}
	// The handler is called directly, because a Logger would omit the line if its level is above
	// Info.
	_ = a.log.Handler().Handle(ctx, line) // a Logger ignores the error, too, because it could be reported nowhere
}

// expireBatchSize is the maximum number of events that are deleted in one transaction.
const expireBatchSize = 1000

// DeleteAuditEventsBefore deletes the audit events before the given time, in batches. For each
// batch, it adds an event with the number of deleted events. Without this event, the database would
// refuse the deletion.
func (a *Accounts) DeleteAuditEventsBefore(ctx context.Context, before time.Time) error {
	for {
		var n int64
		err := a.store.Write(ctx, func(t *store.Tx) (err error) {
			if n, err = t.CountAuditEventsBefore(ctx, before, expireBatchSize); err != nil || n == 0 {
				return err
			}
			record := auditEvent{actor: serviceActor, action: "audit.expire", object: strconv.FormatInt(n, 10), outcome: outcomeDone, expiresBefore: before}
			if err := a.insertAuditEvent(ctx, t, record); err != nil {
				return err
			}
			return t.DeleteAuditEventsBefore(ctx, before, expireBatchSize)
		})
		if err != nil || n < expireBatchSize {
			return err
		}
	}
}

// ListAuditEvents returns a page of the audit log, newest first.
func (a *Accounts) ListAuditEvents(ctx context.Context, in *api.ListAuditEventsInput) (*api.AuditEventPage, error) {
	page, err := in.Page()
	if err != nil {
		return nil, err
	}
	out := &api.AuditEventPage{Events: []api.AuditEvent{}}
	var events []*store.AuditEvent
	err = a.store.Read(ctx, func(t *store.Tx) error {
		total, err := t.CountAuditEvents(ctx, toAuditQuery(in))
		if err != nil {
			return err
		}
		page.SetTotalAndNext(total)
		events, err = t.ListAuditEvents(ctx, toAuditQuery(in), nil, store.Page{Offset: page.Offset, Limit: page.Limit})
		return err
	})
	for _, e := range events {
		out.Events = append(out.Events, *toAuditEvent(e))
	}
	out.Page = page
	return out, a.toProblem(err)
}

// auditBatchSize is the number of events that EachAuditEvent reads in one transaction.
const auditBatchSize = 1000

// EachAuditEvent calls fn with each event that in.Actor and in.Action select, newest first,
// ignoring in.PageInput. It stops after limit events, unless limit is 0. No transaction is open
// while fn runs, because fn may write to a pipe whose reader is slow.
func (a *Accounts) EachAuditEvent(ctx context.Context, in *api.ListAuditEventsInput, limit int, fn func(*api.AuditEvent) error) error {
	left := cmp.Or(int64(limit), math.MaxInt64)
	var last *store.AuditEvent
	for left > 0 {
		n := min(left, auditBatchSize)
		var events []*store.AuditEvent
		err := a.store.ReadOneStatement(ctx, func(t *store.Tx) (err error) {
			events, err = t.ListAuditEvents(ctx, toAuditQuery(in), last, store.Page{Limit: n})
			return err
		})
		if err != nil {
			return a.toProblem(err)
		}
		for _, e := range events {
			if err := fn(toAuditEvent(e)); err != nil {
				return err
			}
			last = e
		}
		if int64(len(events)) < n {
			return nil
		}
		left -= n
	}
	return nil
}

func toAuditQuery(in *api.ListAuditEventsInput) store.AuditQuery {
	return store.AuditQuery{Actor: normalizeEmail(in.Actor), Action: in.Action}
}

func toAuditEvent(e *store.AuditEvent) *api.AuditEvent {
	return &api.AuditEvent{
		EventKey: e.Key, Time: e.Time.Format(auditTimeLayout), Actor: e.Actor, Action: e.Action, Object: e.Object, Detail: e.Detail,
		RemoteAddress: e.Address, RequestID: e.Request, Outcome: e.Outcome,
	}
}

// RecordServiceEvent is like RecordAuditEvent, for an action of the service itself. The
// transaction t must be the transaction that performs the action.
func (a *Accounts) RecordServiceEvent(ctx context.Context, t *store.Tx, action, object string) error {
	return a.insertAuditEvent(ctx, t, auditEvent{actor: serviceActor, action: action, object: object, outcome: outcomeDone})
}

// RecordRefusedFile records in the audit log that the service refused an uploaded file. owner is
// the key of the account that has uploaded the file. action is a text such as "dataset.malware",
// and object is the key of the dataset or prediction. t must be the transaction that removes the
// file.
func (a *Accounts) RecordRefusedFile(ctx context.Context, t *store.Tx, owner, action, object string) error {
	account, err := t.GetAccountByKey(ctx, owner)
	if err != nil {
		return err
	}
	return a.insertAuditEvent(ctx, t, auditEvent{actor: account.Email, action: action, object: object, outcome: outcomeRefused})
}

// RecordAuditEventInNewTx is like [Accounts.RecordAuditEvent], but uses a new transaction. It is for
// an action that has no transaction of its own.
func (a *Accounts) RecordAuditEventInNewTx(ctx context.Context, action, object string) error {
	return a.toProblem(a.store.Write(ctx, func(t *store.Tx) error { return a.RecordAuditEvent(ctx, t, action, object) }))
}
