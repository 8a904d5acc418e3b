package app

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/scratch"
	"foretell/internal/store"
)

// Config is what an App works with.
type Config struct {
	Store *store.Store
	Blobs *blob.Files
	// Scratch is the folder of temporary files, which must be there. Defaults to
	// the system's.
	Scratch string
	// Now is the clock; Rand gives keys, tokens and salts and has to be
	// unpredictable (crypto/rand.Reader).
	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
	// Secret is the key of signed addresses. Nil takes the one that the store
	// keeps, which all processes on one data folder share.
	Secret []byte
	// RealArray sends the `datasets` member of a list as an array instead of
	// the documented string.
	RealArray bool
	// AcceptDatabase lets the database be one that does not belong to the stored
	// files: see ErrMismatch. Files that it does not name are kept for
	// [blob.OrphanGrace].
	AcceptDatabase bool
	// Workers is how many training jobs run at a time; others queue. Defaults to 1.
	Workers int
	// Preparation is how long the preparation of a dataset may take, besides a
	// second for each mebibyte of its CSV. Defaults to 2 minutes.
	Preparation time.Duration
	// OwnWork limits [App.Run] to the jobs that this App queued or was told to
	// take up by [App.TakeUp]. Otherwise it does the jobs of every process on the store.
	OwnWork bool
}

// App performs the operations of the service. It is safe for any number of goroutines.
type App struct {
	store     *store.Store
	blobs     *blob.Files
	scratch   string
	now       func() time.Time
	rand      io.Reader
	log       *slog.Logger
	secret    []byte
	realArray bool
	ownWork   bool
	// preparation is as in Config.
	preparation time.Duration
	passwords   *auth.Passwords
	logins      *limiter
	pool        *job.Pool
	models      *modelCache
	finished    *tally
}

// hashers is how many passwords are verified at once, each in 19 MiB.
const hashers = 2

// New makes an App. Its operations work from here on; the jobs they queue
// wait for [App.Run], here or in another process. It fails with ErrMismatch
// rather than work on files that the database does not know.
func New(c Config) (*App, error) {
	if c.Store == nil || c.Blobs == nil || c.Now == nil || c.Rand == nil || c.Log == nil {
		return nil, errors.New("app.Config: Store, Blobs, Now, Rand and Log are needed")
	}
	a := &App{
		store: c.Store, blobs: c.Blobs, scratch: c.Scratch, now: c.Now, rand: c.Rand, log: c.Log, secret: c.Secret, realArray: c.RealArray, ownWork: c.OwnWork,
		passwords: auth.NewPasswords(hashers, c.Rand), logins: newLimiter(c.Now), models: newModelCache(), finished: newTally(),
	}
	if err := a.checkFolder(context.Background(), c.AcceptDatabase); err != nil {
		return nil, err
	}
	if a.secret == nil {
		var err error
		if a.secret, err = a.keptSecret(); err != nil {
			return nil, err
		}
	}
	a.preparation = cmp.Or(c.Preparation, preparationTime)
	a.pool = a.newPool(max(1, c.Workers))
	return a, nil
}

// keptSecret reads the signing key from the store, which keeps the first that
// any process offers.
func (a *App) keptSecret() ([]byte, error) {
	fresh := make([]byte, 32)
	if _, err := io.ReadFull(a.rand, fresh); err != nil {
		return nil, err
	}
	kept, err := a.store.KeepSecret(context.Background(), "addresses", hex.EncodeToString(fresh))
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(kept)
}

// sweepInterval is how often the leftovers of killed processes are removed.
const sweepInterval = time.Hour

// Run removes what killed processes left behind and works on jobs until ctx
// ends. Then it stops those under way within a second and gives their leases
// back, so that another process goes on at once.
func (a *App) Run(ctx context.Context) error {
	a.tidy(ctx)
	defer every(ctx, sweepInterval, func() { a.tidy(ctx) })()
	if !a.ownWork {
		defer a.announce(ctx)()
		defer every(ctx, expireInterval, func() { a.expire(ctx) })()
	}
	return a.pool.Run(ctx)
}

// announce tells other processes on the store that this one takes up every job,
// until the function that it returns is called.
func (a *App) announce(ctx context.Context) (withdraw func()) {
	write := func(ctx context.Context, fn func(*store.Tx, context.Context, string) error) {
		err := a.store.Write(ctx, func(t *store.Tx) error { return fn(t, ctx, a.store.Process()) })
		if err != nil && ctx.Err() == nil { // what others tell of the queue depends on it, no work does
			a.log.WarnContext(ctx, "announcing the worker", "error", err)
		}
	}
	write(ctx, (*store.Tx).InsertWorker)
	return func() { write(context.WithoutCancel(ctx), (*store.Tx).DeleteWorker) }
}

// tidy puts files in order that killed processes left.
func (a *App) tidy(ctx context.Context) {
	a.sweep(ctx)
	if a.scratch == "" {
		return
	}
	if err := scratch.Sweep(a.scratch); err != nil {
		a.log.WarnContext(ctx, "sweeping temporary files", "error", err)
	}
}

// Ready tells whether the service can answer; a *api.Problem of CodeNotReady if not.
func (a *App) Ready(ctx context.Context) error {
	if err := a.store.Ping(ctx); err != nil {
		return api.NewProblem(api.CodeNotReady, "the database does not answer").WithCause(err)
	}
	return nil
}

// newKey makes a UUID of version 4.
func (a *App) newKey() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(a.rand, b[:]); err != nil {
		return "", err
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

// discard deletes blobs that no row refers to any more. A failure is not the
// caller's: a sweep makes what is left an orphan once this process has ended.
func (a *App) discard(ctx context.Context, keys ...string) {
	if err := a.blobs.Delete(context.WithoutCancel(ctx), keys...); err != nil {
		a.log.WarnContext(ctx, "deleting blobs", "error", err)
	}
}
