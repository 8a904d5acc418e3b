package account

import (
	"cmp"
	"context"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// The default limit of failed log-ins from one network address, for all emails together:
// DefaultLoginBurst failures are allowed at once, and then one more every DefaultLoginInterval.
const (
	DefaultLoginBurst    = 20
	DefaultLoginInterval = 3 * time.Second
)

// The rate limits. The attempts are counted in the database, so all services on one database share
// the limits. If a call of [Accounts.allowAttempts] uses several limits, they must be in this
// order; see [store.Store.AllowAttempts].
var (
	loginAddressEmailLimit   = store.RateLimit{Name: "login of e-mail from address", Burst: loginAddressBurst, Interval: loginAddressInterval}
	loginEmailLimit          = store.RateLimit{Name: "login of e-mail", Burst: loginEmailBurst, Interval: loginEmailInterval}
	authenticatorCodeLimit   = store.RateLimit{Name: "code", Burst: authenticatorCodeBurst, Interval: authenticatorCodeInterval}
	accessRequestLimit       = store.RateLimit{Name: "access request from address", Burst: accessRequestBurst, Interval: accessRequestInterval}
	passwordRequestLimit     = store.RateLimit{Name: "password request from address", Burst: passwordRequestBurst, Interval: passwordRequestInterval}
	passwordRequestMailLimit = store.RateLimit{Name: "password request of e-mail", Burst: passwordRequestMailBurst, Interval: passwordRequestMailInterval}
)

// loginAttemptFromAddress returns the attempt that counts a log-in towards the rate limit of the
// caller's network address.
func (a *Accounts) loginAttemptFromAddress(ctx context.Context) store.Attempt {
	limit := store.RateLimit{
		Name:     "login from address",
		Burst:    cmp.Or(a.options.LoginBurst, DefaultLoginBurst),
		Interval: cmp.Or(a.options.LoginInterval, DefaultLoginInterval),
	}
	return store.Attempt{Limit: limit, Key: CallerFromContext(ctx).RemoteAddress}
}

// loginAttemptsWithEmail returns the attempts that count a log-in towards two rate limits: first
// the limit for the email at the caller's network address, and then the limit for the email alone.
func loginAttemptsWithEmail(ctx context.Context, email string) []store.Attempt {
	return []store.Attempt{
		{Limit: loginAddressEmailLimit, Key: email + "\n" + CallerFromContext(ctx).RemoteAddress},
		{Limit: loginEmailLimit, Key: email},
	}
}

// tooManyFromAddressProblem returns the problem for a caller whose network address has made too
// many attempts. wait is the time until the next attempt is allowed.
func tooManyFromAddressProblem(wait time.Duration) *api.Problem {
	return api.NewTooManyProblem(wait, "too many attempts from this address")
}

// allowLoginAttempts counts a log-in with this email towards its rate limits. It also counts the
// attempts in the parameter before, which have their own limits. If a limit is exceeded, it returns
// a *api.Problem with CodeTooMany. Otherwise it returns the counted attempts. If the log-in then
// succeeds, the caller must pass them to [store.Tx.RefundAttempts], because only failed log-ins
// count. The limit that counts log-ins with one email from all addresses together does not apply to
// an address from which the account has logged in before.
func (a *Accounts) allowLoginAttempts(ctx context.Context, email string, before ...store.Attempt) (taken []store.Attempt, err error) {
	attempts := append(before, loginAttemptsWithEmail(ctx, email)...)
	refused, err := a.allowAttempts(ctx, attempts...)
	if err != nil || refused == nil {
		return attempts, err
	}
	taken, limit := attempts[:refused.Index], attempts[refused.Index].Limit
	if refused.Index < len(before) {
		return nil, tooManyFromAddressProblem(refused.Wait)
	}
	known := false
	if limit == loginEmailLimit {
		err = a.store.Read(ctx, func(t *store.Tx) (err error) {
			known, err = t.HasLoggedInFrom(ctx, email, CallerFromContext(ctx).RemoteAddress)
			return err
		})
		if err != nil {
			return nil, a.toProblem(err)
		}
	}
	if !known {
		return nil, api.NewTooManyProblem(refused.Wait, "too many attempts to log in with this email address")
	}
	return taken, nil
}

// allowAttempts calls [store.Store.AllowAttempts] with the current time. If the database is
// unavailable, it returns a *api.Problem. Once in each pruneInterval, it also deletes the
// counts that are no longer needed.
func (a *Accounts) allowAttempts(ctx context.Context, attempts ...store.Attempt) (*store.Refusal, error) {
	now := a.clock()
	refused, err := a.store.AllowAttempts(ctx, now, attempts...)
	if err == nil && a.pruning.isDue(now) {
		a.pruneAttempts(ctx, now)
	}
	return refused, a.toProblem(err)
}

// refundAttempts removes attempts from the counts of the rate limits, in a separate
// transaction.
func (a *Accounts) refundAttempts(ctx context.Context, attempts []store.Attempt) error {
	return a.toProblem(a.store.Write(ctx, func(t *store.Tx) error { return t.RefundAttempts(ctx, attempts...) }))
}

const (
	// pruneInterval is the interval at which a process deletes the rows of attempts that no
	// longer count.
	pruneInterval = time.Minute
	// pruneBatchSize is the maximum number of rows of attempts that one transaction deletes.
	pruneBatchSize = 1000
)

// pruneTimer determines when pruneAttempts must be called again. It is safe for concurrent use.
type pruneTimer struct {
	mu sync.Mutex
	// last is when isDue last returned true.
	last time.Time
}

// isDue reports whether pruneInterval has passed since isDue last returned true. It also returns
// true if the clock was set back since then.
func (p *pruneTimer) isDue(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if since := now.Sub(p.last); since >= 0 && since < pruneInterval {
		return false
	}
	p.last = now
	return true
}

// pruneAttempts deletes from the database the attempts that no longer count. It logs an error
// instead of returning it, because the error must not change the response.
func (a *Accounts) pruneAttempts(ctx context.Context, now time.Time) {
	for {
		n, err := a.store.DeleteFullBuckets(ctx, now, pruneBatchSize)
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "cannot delete the attempts that no longer count", "error", err)
		}
		if err != nil || n < pruneBatchSize {
			return
		}
	}
}
