// Package account implements the operations on accounts: log-in, passwords and one-time links,
// requests for access, administration, emails to account owners and the audit log. As in package
// app, each endpoint of package api has one method with the name of the endpoint, and errors for
// users are *api.Problem.
//
// A person gets an account like this:
//
//	RequestAccess ──► PENDING ──approve──► an account without a password, and a
//	                     │                 one-time link ──SetPassword──► LogIn
//	                     └────refuse───► REFUSED
//
// If the service can send emails, it emails the link. Otherwise the administrator passes it to the
// person. Only a hash of the link's code is stored. The link expires, and works once.
//
// The operations of administrators do not check the caller's role: the server does so before it
// calls them. Commands that open the database themselves call them with a context that has no
// caller, and may do everything.
package account

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// Options configures accounts. With zero Options, an administrator must approve each request
// for an account, and no emails are sent.
type Options struct {
	// ApproveDomains are the email domains, in lower case, whose requests for access are approved
	// automatically. They require a Mailer, because the email with the link reaches only the owner
	// of the address.
	ApproveDomains []string
	// Mailer sends the queued emails. It is nil if this process sends no emails.
	Mailer Mailer
	// PublicURL is the base URL of links in emails, without a trailing slash. It is required with a
	// Mailer: the host of a request cannot be used instead, because an attacker can choose it.
	PublicURL string
	// NotifyRequests are the emails, in lower case, of the administrators who get an email
	// when someone requests access. Nil means all administrators.
	NotifyRequests []string
	// DefaultQuota is the quota of new accounts that are not administrators. Defaults to the last
	// quota that a service has stored with StoreServiceSettings.
	DefaultQuota *api.Quota
	// MaxSessions is the maximum number of sessions of an account. If a log-in would exceed it, the
	// oldest session ends. Defaults to DefaultMaxSessions.
	MaxSessions int
	// RequireSecondFactor makes authenticator apps mandatory. An account without an app can then
	// only set up an app and manage its password and sessions.
	RequireSecondFactor bool
	// PasswordMemory is the memory parameter of the password hash, in KiB. Defaults to 19 × 1024.
	// Only tests set a lower value, because they log in hundreds of times.
	PasswordMemory uint32
	// BreachedPasswords is a list of passwords that are refused as new passwords. Nil means that
	// there is no list.
	BreachedPasswords *auth.BreachedPasswords
	// LoginBurst is the number of failed log-ins that are allowed at once from one network address.
	// After that, one more is allowed every LoginInterval. They default to DefaultLoginBurst and
	// DefaultLoginInterval.
	LoginBurst    int
	LoginInterval time.Duration
}

// Config configures Accounts. All fields but Options are required.
type Config struct {
	Store *store.Store
	Now   func() time.Time
	// Rand is the source of keys, tokens and salts. It must be cryptographically secure.
	Rand io.Reader
	Log  *slog.Logger
	// ToProblem converts an error of the store to a *api.Problem if users can do
	// something about it. It returns other errors unchanged.
	ToProblem func(error) error
	// DeletePredictions is called before the account with this key is deleted. It deletes most of
	// the predictions of the account in small transactions, and calls record in the first of them.
	DeletePredictions func(ctx context.Context, key string, record func(*store.Tx) error) error
	// OnDeleted is called after the account with this key was deleted. The argument blobs holds the
	// keys of the blobs that no row references any more.
	OnDeleted func(ctx context.Context, key string, blobs []string)
	Options   Options
}

// Accounts implements the operations on accounts. It is safe for concurrent use.
type Accounts struct {
	store             *store.Store
	now               func() time.Time
	rand              io.Reader
	log               *slog.Logger
	toProblem         func(error) error
	deletePredictions func(ctx context.Context, key string, record func(*store.Tx) error) error
	onDeleted         func(ctx context.Context, key string, blobs []string)
	options           Options
	passwords         *auth.PasswordHasher
	// clock returns the time for rate limits. It is always Config.Now. A test may replace now, but
	// not clock.
	clock   func() time.Time
	pruning pruneTimer
	logins  *loginQueue
	// refusals limits how many refused operations of one account the audit log records. Each process
	// counts for itself.
	refusals *auth.Limiter
	// localReadSession is nil until OpenLocalReadSession is called.
	localReadSession atomic.Pointer[localReadSession]
	// sentMails and refusedMails count the attempts of this process to send an email; see MailCounts.
	sentMails, refusedMails atomic.Int64
}

// maxConcurrentHashes is the maximum number of password hashes that are computed at the same time.
// Each takes 19 MiB.
const maxConcurrentHashes = 2

// New returns Accounts with the given configuration. It does not access the store.
func New(c Config) *Accounts {
	return &Accounts{
		store: c.Store, now: c.Now, rand: c.Rand, log: c.Log, toProblem: c.ToProblem, deletePredictions: c.DeletePredictions, onDeleted: c.OnDeleted, options: c.Options,
		passwords: auth.NewPasswordHasher(maxConcurrentHashes, c.Options.PasswordMemory, c.Rand),
		clock:     c.Now,
		logins:    newLoginQueue(),
		refusals:  auth.NewLimiter(refusalBurst, refusalInterval, c.Now),
	}
}
