// Package account implements the operations on accounts: login, passwords and
// one-time links, requests for access, administration, mails to account owners
// and the audit log. As in package app there is one method per endpoint of
// package api, with its name, and errors for users are *api.Problem.
//
// A person gets an account like this:
//
//	RequestAccess ──► PENDING ──approve──► an account without a password, and a
//	                     └─────refuse          one-time link ──SetPassword──► LogIn
//
// The link is mailed if the service sends mails. Otherwise the administrator passes it to the
// person. Only a hash of the link's code is stored. The link expires, and works once.
//
// If the context of an operation has no caller, a command on the data folder has called the
// operation, and may do everything. The server checks that a caller is an administrator before it
// calls the operations of administrators.
package account

import (
	"context"
	"io"
	"log/slog"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// Options configure accounts. With zero Options, an administrator must approve each
// account, and no mails are sent.
type Options struct {
	// ApproveDomains are the e-mail domains, in lower case, whose requests for access are
	// approved automatically. They need a Mailer, because only an e-mail that arrives
	// proves that its address belongs to the sender of the request.
	ApproveDomains []string
	// Mailer sends the queued mails. It is nil if this process sends no mails.
	Mailer Mailer
	// PublicURL is the base of links in mails, without a trailing slash. It is required
	// with a Mailer, because an attacker can choose the host of a request.
	PublicURL string
	// NotifyRequests are the e-mails, in lower case, of the administrators who get a mail
	// when someone requests access. Nil means all administrators.
	NotifyRequests []string
	// DefaultQuota is the quota of new accounts that are not administrators.
	DefaultQuota api.Quota
	// MaxSessions is the maximum number of sessions of an account. If a login would exceed it, the
	// oldest session ends. Defaults to DefaultMaxSessions.
	MaxSessions int
	// RequireSecondFactor reports whether every account needs an authenticator app. An account
	// without one can then only manage its password and sessions, and set up an app.
	RequireSecondFactor bool
	// PasswordMemory is the memory in KiB that computing the hash of a new password takes. Defaults
	// to 19 × 1024. Only tests, which log in hundreds of times, use less.
	PasswordMemory uint32
	// BreachedPasswords are refused as new passwords. Nil means that no list is available.
	BreachedPasswords *auth.BreachedPasswords
}

// Config configures Accounts. All fields but Options are required.
type Config struct {
	Store *store.Store
	Now   func() time.Time
	// Rand is the source of keys, tokens and salts. It must be cryptographically secure.
	Rand io.Reader
	Log  *slog.Logger
	// Problem converts those errors of the store that users can act on to *api.Problem,
	// and returns others unchanged.
	Problem func(error) error
	// Deleted is called after the account with this key was deleted. The argument blobs has the
	// keys of the blobs that no row references any more.
	Deleted func(ctx context.Context, key string, blobs []string)
	Options Options
}

// Accounts implements the operations on accounts. It is safe for concurrent use.
type Accounts struct {
	store     *store.Store
	now       func() time.Time
	rand      io.Reader
	log       *slog.Logger
	problem   func(error) error
	deleted   func(ctx context.Context, key string, blobs []string)
	options   Options
	passwords *auth.PasswordHasher
	// addressLogins limits the failed logins with one e-mail from one address. emailLogins limits
	// the failed logins with one e-mail from all addresses together.
	addressLogins, emailLogins *auth.Limiter
	// codes limits the wrong codes of the authenticator app of one account.
	codes *auth.Limiter
	// requests limits the requests for access from one address. refusals limits the audit
	// events about refused operations of one account.
	requests, refusals *auth.Limiter
	// forgotten limits the requests for a new password from one address. forgottenMails
	// limits the mails with such links to one account.
	forgotten, forgottenMails *auth.Limiter
}

// maxConcurrentHashes is the maximum number of password hashes that are computed at the same time.
// Each takes 19 MiB.
const maxConcurrentHashes = 2

// New returns Accounts.
func New(c Config) *Accounts {
	return &Accounts{
		store: c.Store, now: c.Now, rand: c.Rand, log: c.Log, problem: c.Problem, deleted: c.Deleted, options: c.Options,
		passwords:     auth.NewPasswordHasher(maxConcurrentHashes, c.Options.PasswordMemory, c.Rand),
		addressLogins: auth.NewLimiter(addressBurst, addressInterval, c.Now),
		emailLogins:   auth.NewLimiter(emailBurst, emailInterval, c.Now),
		codes:         auth.NewLimiter(codeBurst, codeInterval, c.Now),
		requests:      auth.NewLimiter(requestBurst, requestInterval, c.Now),
		refusals:      auth.NewLimiter(refusalBurst, refusalInterval, c.Now),

		forgotten:      auth.NewLimiter(forgottenBurst, forgottenInterval, c.Now),
		forgottenMails: auth.NewLimiter(forgottenMailBurst, forgottenMailInterval, c.Now),
	}
}
