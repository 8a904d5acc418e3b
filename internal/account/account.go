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
// The link is mailed if the service sends mails. Otherwise the administrator
// hands it over. Only its hash is stored; it expires and works once.
//
// A context without a caller is an operator on the data folder, who may do
// everything. The server checks that a caller is an administrator before it calls
// the operations of administrators.
package account

import (
	"context"
	"io"
	"log/slog"
	"time"

	"foretell/internal/auth"
	"foretell/internal/store"
)

// Options configure accounts. The zero value creates accounts only on approval
// and sends no mails.
type Options struct {
	// ApproveDomains are the domains of e-mails whose requests for access are
	// approved automatically, in lower case. They need Mailer, because only an
	// e-mail proves its address.
	ApproveDomains []string
	// Mailer sends the mails of the outbox; nil if this process sends none.
	Mailer Mailer
	// PublicURL is the base of links in mails, without a trailing slash. It is
	// required with a Mailer: the address of a request could be an attacker's.
	PublicURL string
}

// Config configures Accounts. All fields but Options are required.
type Config struct {
	Store *store.Store
	Now   func() time.Time
	// Rand is the source of keys, tokens and salts and must be cryptographically
	// secure.
	Rand io.Reader
	Log  *slog.Logger
	// Problem translates errors of the store that users can act on.
	Problem func(error) error
	// Deleted is called after an account was deleted, with the blobs that no row
	// references any more.
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
	// logins limits the attempts on an e-mail from an address, and spread those
	// from all addresses.
	logins, spread *auth.Limiter
	// requests limits the requests for access from an address, and refusals the
	// events of refused operations of an account.
	requests, refusals *auth.Limiter
}

// maxConcurrentHashes is the number of concurrent password hashes, each of 19 MiB.
const maxConcurrentHashes = 2

// New returns Accounts.
func New(c Config) *Accounts {
	return &Accounts{
		store: c.Store, now: c.Now, rand: c.Rand, log: c.Log, problem: c.Problem, deleted: c.Deleted, options: c.Options,
		passwords: auth.NewPasswordHasher(maxConcurrentHashes, c.Rand),
		logins:    auth.NewLimiter(loginBurst, loginInterval, c.Now),
		spread:    auth.NewLimiter(spreadBurst, spreadInterval, c.Now),
		requests:  auth.NewLimiter(requestBurst, requestInterval, c.Now),
		refusals:  auth.NewLimiter(refusalBurst, refusalInterval, c.Now),
	}
}
