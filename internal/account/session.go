package account

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

const (
	// DefaultMaxSessions is the default of Options.MaxSessions.
	DefaultMaxSessions = 100
	// maxUserAgentBytes is the maximum number of bytes of a User-Agent that is stored.
	maxUserAgentBytes = 200
)

// openSessionAndEndOldest opens a session of an account and returns its token. If the account then
// has more than Options.MaxSessions sessions, the oldest sessions end. The account that commands
// use without a server has no such limit. The attempts in refunded no longer count as failed
// log-ins. The transaction also calls alsoWrite, if it is not nil. If the credentials of the account
// were changed since account was read, it opens no session and returns errCredentialsChanged.
func (a *Accounts) openSessionAndEndOldest(ctx context.Context, account *store.Account, alsoWrite func(*store.Tx) error, refunded ...store.Attempt) (*api.Session, error) {
	token, err := auth.NewToken(a.rand)
	if err != nil {
		return nil, err
	}
	caller := CallerFromContext(ctx)
	session := &store.Session{
		Hash: auth.HashToken(token), Account: account.Key, Address: caller.RemoteAddress, Client: truncateUserAgent(caller.UserAgent),
		Created: a.now(), Expires: a.now().Add(api.TokenLifetime * time.Second),
	}
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if err := checkCredentialsUnchanged(ctx, t, account); err != nil {
			return err
		}
		if alsoWrite != nil {
			if err := alsoWrite(t); err != nil {
				return err
			}
		}
		if err := t.InsertSession(ctx, session); err != nil {
			return err
		}
		if account.Email != localAccountEmail {
			if err := a.endOldestSessions(ctx, t, session); err != nil {
				return err
			}
		}
		if err := t.RefundAttempts(ctx, refunded...); err != nil {
			return err
		}
		return a.insertAuditEvent(ctx, t, auditEvent{actor: account.Email, action: actionLogIn, outcome: outcomeDone})
	})
	if err != nil {
		return nil, a.toProblem(err)
	}
	return &api.Session{AccessToken: token, TokenType: "Bearer", ExpiresIn: api.TokenLifetime, Username: account.Email}, nil
}

// errCredentialsChanged is returned if the credentials of an account were changed after a
// request had verified them.
var errCredentialsChanged = errors.New("the password or the authenticator app was changed meanwhile")

// checkCredentialsUnchanged returns errCredentialsChanged if the account verified was disabled or
// deleted, or got another password or authenticator app, since it was read from the store. Verifying
// a password takes long, and an old password must not open a session.
func checkCredentialsUnchanged(ctx context.Context, t *store.Tx, verified *store.Account) error {
	current, err := t.GetAccountByKey(ctx, verified.Key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err != nil || current.Disabled || current.PasswordHash != verified.PasswordHash || current.SecondFactor.Secret != verified.SecondFactor.Secret {
		return errCredentialsChanged
	}
	return nil
}

// endOldestSessions ends the oldest sessions of an account until at most Options.MaxSessions
// remain. It never ends newest, the session of the account that was opened last.
func (a *Accounts) endOldestSessions(ctx context.Context, t *store.Tx, newest *store.Session) error {
	sessions, err := t.ListSessions(ctx, newest.Account, newest.Created)
	if err != nil {
		return err
	}
	limit := cmp.Or(a.options.MaxSessions, DefaultMaxSessions)
	for _, s := range sessions[min(limit, len(sessions)):] {
		if s.Hash == newest.Hash { // another session may have the same time
			continue
		}
		err := t.DeleteSession(ctx, s.Hash)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // another log-in may have ended it meanwhile
			return err
		}
	}
	return nil
}

// truncateUserAgent removes the characters of a User-Agent that are not printable ASCII, and
// truncates the rest to maxUserAgentBytes bytes.
func truncateUserAgent(userAgent string) string {
	name := strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' { // RFC 9110 allows only ASCII
			return -1
		}
		return c
	}, userAgent)
	return name[:min(len(name), maxUserAgentBytes)]
}

// ListSessions returns the sessions of the caller's account, newest first.
func (a *Accounts) ListSessions(ctx context.Context, _ *api.None) (*api.SessionList, error) {
	caller := CallerFromContext(ctx)
	out := &api.SessionList{}
	err := a.store.Read(ctx, func(t *store.Tx) error {
		sessions, err := t.ListSessions(ctx, caller.Account, a.now())
		out.Sessions = make([]api.SessionEntry, 0, len(sessions))
		for _, s := range sessions {
			out.Sessions = append(out.Sessions, toSessionEntry(s, caller))
		}
		return err
	})
	return out, a.toProblem(err)
}

// toSessionEntry converts a session of the caller's account to an api.SessionEntry.
func toSessionEntry(s *store.Session, caller Caller) api.SessionEntry {
	entry := api.SessionEntry{
		SessionKey: auth.SessionKey(s.Hash), RemoteAddress: s.Address, Client: s.Client,
		ExpiresOn: api.FormatTime(s.Expires), Current: s.Hash == caller.session,
	}
	if !s.Created.IsZero() {
		entry.CreatedOn = api.FormatTime(s.Created)
	}
	return entry
}

// maxRecentLoginAge is the maximum age of a session that may end other sessions of its account.
// The browser of an older session may be in use by somebody else.
const maxRecentLoginAge = 5 * time.Minute

// EndSession ends a session of the caller's account. Unless it is the session of this
// request, the caller must have logged in recently.
func (a *Accounts) EndSession(ctx context.Context, in *api.SessionInput) (*api.None, error) {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		return a.deleteCallerSessions(ctx, t, true, func(s *store.Session) bool { return auth.SessionKey(s.Hash) == in.SessionKey })
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, api.NewProblem(api.CodeNotFound, "no session %s: it may have ended; list the sessions to find its key", in.SessionKey).WithCause(err)
	}
	return &api.None{}, a.toProblem(err)
}

// EndOtherSessions ends all sessions of the caller's account, except the session of this request.
// The caller must have logged in recently.
func (a *Accounts) EndOtherSessions(ctx context.Context, _ *api.None) (*api.None, error) {
	err := a.store.Write(ctx, func(t *store.Tx) error { return a.deleteOtherSessions(ctx, t, true) })
	return &api.None{}, a.toProblem(err)
}

// deleteOtherSessions ends all sessions of the caller's account, except the session of this
// request. If onlyAfterLogin is true, the caller must have logged in recently.
func (a *Accounts) deleteOtherSessions(ctx context.Context, t *store.Tx, onlyAfterLogin bool) error {
	own := CallerFromContext(ctx).session
	err := a.deleteCallerSessions(ctx, t, onlyAfterLogin, func(s *store.Session) bool { return s.Hash != own })
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// deleteCallerSessions ends the sessions of the caller's account for which matches returns true. It
// returns store.ErrNotFound if no session matches. If onlyAfterLogin is true, and the caller logged
// in more than maxRecentLoginAge ago, deleteCallerSessions may end only the session of the request:
// if another session matches, it returns a problem with CodeForbidden.
func (a *Accounts) deleteCallerSessions(ctx context.Context, t *store.Tx, onlyAfterLogin bool, matches func(*store.Session) bool) error {
	own := CallerFromContext(ctx).session
	sessions, err := t.ListSessions(ctx, CallerFromContext(ctx).Account, a.now())
	if err != nil {
		return err
	}
	isRecent := slices.ContainsFunc(sessions, func(s *store.Session) bool { return s.Hash == own && a.now().Sub(s.Created) <= maxRecentLoginAge })
	found := false
	for _, s := range sessions {
		if !matches(s) {
			continue
		}
		if onlyAfterLogin && !isRecent && s.Hash != own {
			return api.NewProblem(api.CodeForbidden, "you logged in more than five minutes ago: log in again to end another session")
		}
		found = true
		if err := t.DeleteSession(ctx, s.Hash); err != nil {
			return err
		}
		if err := a.RecordAuditEvent(ctx, t, "session.end", auth.SessionKey(s.Hash)); err != nil {
			return err
		}
	}
	if !found {
		return store.ErrNotFound
	}
	return nil
}
