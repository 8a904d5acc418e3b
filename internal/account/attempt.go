package account

import (
	"cmp"
	"context"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// The default limit of failed logins from one address with any e-mails: DefaultLoginBurst can fail
// in a row, and then one in each DefaultLoginInterval.
const (
	DefaultLoginBurst    = 20
	DefaultLoginInterval = 3 * time.Second
)

// The limits of attempts. [store.RateLimit] counts them in the database, so that several services
// on one database allow no more attempts than one. A call of [Accounts.takeAttempts] with
// several of these limits must have them in this order.
var (
	addressEmailLimit  = store.RateLimit{Name: "login of e-mail from address", Burst: addressBurst, Interval: addressInterval}
	emailLimit         = store.RateLimit{Name: "login of e-mail", Burst: emailBurst, Interval: emailInterval}
	codeLimit          = store.RateLimit{Name: "code", Burst: codeBurst, Interval: codeInterval}
	requestLimit       = store.RateLimit{Name: "access request from address", Burst: requestBurst, Interval: requestInterval}
	forgottenLimit     = store.RateLimit{Name: "password request from address", Burst: forgottenBurst, Interval: forgottenInterval}
	forgottenMailLimit = store.RateLimit{Name: "password request of e-mail", Burst: forgottenMailBurst, Interval: forgottenMailInterval}
)

// addressAttempt returns an attempt to log in from the address of the caller.
func (a *Accounts) addressAttempt(ctx context.Context) store.Attempt {
	limit := store.RateLimit{
		Name:     "login from address",
		Burst:    cmp.Or(a.options.LoginBurst, DefaultLoginBurst),
		Interval: cmp.Or(a.options.LoginInterval, DefaultLoginInterval),
	}
	return store.Attempt{Limit: limit, Key: CallerFromContext(ctx).RemoteAddress}
}

// emailAttempts returns an attempt to log in with an e-mail from the address of the caller.
func emailAttempts(ctx context.Context, email string) []store.Attempt {
	return []store.Attempt{
		{Limit: addressEmailLimit, Key: email + "\n" + CallerFromContext(ctx).RemoteAddress},
		{Limit: emailLimit, Key: email},
	}
}

// tooManyFromAddressProblem returns the problem that too many attempts from the address
// of the caller have failed.
func tooManyFromAddressProblem(wait time.Duration) *api.Problem {
	return tooManyAttemptsProblem("too many attempts failed from this address; try again later", wait)
}

// takeLoginAttempts counts an attempt to log in with an e-mail, and first the attempts in
// before. It returns a *api.Problem with CodeTooMany if there were too many attempts. If
// the login succeeds, the caller must pass taken to [store.Tx.RefundAttempts], which
// removes them from the count.
func (a *Accounts) takeLoginAttempts(ctx context.Context, email string, before ...store.Attempt) (taken []store.Attempt, err error) {
	attempts := append(before, emailAttempts(ctx, email)...)
	refused, err := a.takeAttempts(ctx, attempts...)
	if err != nil || refused == nil {
		return attempts, err
	}
	taken, limit := attempts[:refused.Index], attempts[refused.Index].Limit
	if refused.Index < len(before) {
		return nil, tooManyFromAddressProblem(refused.Wait)
	}
	known := false
	if limit == emailLimit {
		err = a.store.Read(ctx, func(t *store.Tx) (err error) {
			known, err = t.HasLoggedInFrom(ctx, email, CallerFromContext(ctx).RemoteAddress)
			return err
		})
		if err != nil {
			return nil, a.toProblem(err)
		}
	}
	if !known {
		return nil, tooManyAttemptsProblem("too many attempts to log in with this e-mail; try again later", refused.Wait)
	}
	return taken, nil
}

// takeAttempts is [store.Store.AllowAttempts] at the current time. It returns a *api.Problem if
// the database is unavailable. Once in each pruneInterval it also deletes the rows that are no
// longer needed.
func (a *Accounts) takeAttempts(ctx context.Context, attempts ...store.Attempt) (*store.Refusal, error) {
	now := a.clock()
	refused, err := a.store.AllowAttempts(ctx, now, attempts...)
	if err == nil && a.pruning.isDue(now) {
		a.pruneAttempts(ctx, now)
	}
	return refused, a.toProblem(err)
}

// refund removes attempts from the count in a transaction of its own.
func (a *Accounts) refund(ctx context.Context, attempts []store.Attempt) error {
	return a.toProblem(a.store.Write(ctx, func(t *store.Tx) error { return t.RefundAttempts(ctx, attempts...) }))
}

const (
	// pruneInterval is how often a process deletes the rows of attempts that no longer count.
	pruneInterval = time.Minute
	// pruneBatch is how many of these rows it deletes in a transaction.
	pruneBatch = 1000
)

// pruneTimes has the time when rows of attempts were last deleted. It is safe for concurrent use.
type pruneTimes struct {
	mu   sync.Mutex
	last time.Time
}

// isDue reports whether pruneInterval has passed since it last returned true. It also returns true
// if that time is after now, because the clock was then set back.
func (p *pruneTimes) isDue(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if since := now.Sub(p.last); since >= 0 && since < pruneInterval {
		return false
	}
	p.last = now
	return true
}

// pruneAttempts deletes the rows of attempts that no longer count. It logs an error, which must not
// change the response.
func (a *Accounts) pruneAttempts(ctx context.Context, now time.Time) {
	for {
		n, err := a.store.DeleteFullBuckets(ctx, now, pruneBatch)
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "deleting attempts that no longer count", "error", err)
		}
		if err != nil || n < pruneBatch {
			return
		}
	}
}
