package account

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// openService returns the accounts of one of several services on a database, and a function that
// stops this service.
func openService(t *testing.T, location string, c *clock) (a *Accounts, stop func()) {
	t.Helper()
	rows, err := store.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return newAccounts(rows, c, t.Output(), Options{LoginBurst: 1000}), stop
}

// newAccounts returns the accounts of a service that has no data besides them, and writes its log to log.
func newAccounts(rows *store.Store, c *clock, log io.Writer, options Options) *Accounts {
	options.PasswordMemory = 64 // hashes of 19 MiB would take most of the tests' time
	return New(Config{
		Store: rows, Now: c.Now, Rand: rand.Reader, Log: slog.New(slog.NewTextHandler(log, nil)),
		ToProblem:         func(err error) error { return err },
		DeletePredictions: func(context.Context, string, func(*store.Tx) error) error { return nil },
		OnDeleted:         func(context.Context, string, []string) {},
		Options:           options,
	})
}

// newDatabases has functions that return the location of an empty database, by the name of a subtest.
var newDatabases = map[string]func(testing.TB) string{
	"SQLite":     func(t testing.TB) string { t.Helper(); return filepath.Join(t.TempDir(), "foretell.db") },
	"PostgreSQL": testenv.Postgres,
}

// TestSharedLimit checks that two services on one database together allow as many wrong passwords as
// one service, both at the same time and after a restart. The owner must be able to log in from
// another address.
func TestSharedLimit(t *testing.T) {
	t.Parallel()
	for name, newDatabase := range newDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := newDatabase(t)
			c := newClock()
			first, _ := openService(t, location, c)
			second, stop := openService(t, location, c)
			if err := first.AddUser(t.Context(), api.NewAccount{Email: testEmail}, testPassword); err != nil {
				t.Fatal(err)
			}
			attempt := func(a *Accounts, address, password string) api.Code {
				ctx := WithCaller(t.Context(), Caller{RemoteAddress: address})
				_, err := a.LogIn(ctx, &api.LogInInput{Body: api.Credentials{Username: testEmail, Password: password}})
				if err == nil {
					return ""
				}
				return api.CodeFromError(err)
			}
			attempt(first, "192.0.2.1", "wrong")
			c.advance(loginAddressInterval / 2) // more than the clocks of the services may differ
			var all sync.WaitGroup
			var checked atomic.Int64
			for i := range 3 * loginAddressBurst {
				all.Go(func() {
					switch code := attempt([]*Accounts{first, second}[i%2], "192.0.2.1", "wrong"); code {
					case api.CodeBadCredentials:
						checked.Add(1)
					case api.CodeTooMany:
					default:
						t.Errorf("code %q", code)
					}
				})
			}
			all.Wait()
			if n := checked.Load(); n != loginAddressBurst-1 {
				t.Errorf("%d passwords were checked after the first, want %d", n, loginAddressBurst-1)
			}
			stop()
			second, _ = openService(t, location, c)
			if code := attempt(second, "192.0.2.1", testPassword); code != api.CodeTooMany {
				t.Errorf("code %q after a restart", code)
			}
			for range 3 { // a right password does not count
				if code := attempt(second, "192.0.2.2", testPassword); code != "" {
					t.Errorf("code %q from another address", code)
				}
			}
			c.advance(time.Hour)
			if code := attempt(second, "192.0.2.1", testPassword); code != "" {
				t.Errorf("code %q after an hour", code)
			}
		})
	}
}

// TestNoAttemptsWithoutDatabase checks that no attempt is allowed while the database is unavailable.
func TestNoAttemptsWithoutDatabase(t *testing.T) {
	t.Parallel()
	relay, location := testenv.StartRelay(t, testenv.Postgres(t))
	a, _ := openService(t, location, newClock())
	relay.SetMode(testenv.Refusing)
	if _, err := a.LogIn(t.Context(), logInInput("")); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a login: %v", err)
	}
	form := api.NewAccessRequest{Name: "Bob", Organisation: "Example", Email: "bob@example.com", Reason: "to learn"}
	if _, err := a.RequestAccess(t.Context(), &api.RequestAccessInput{Body: form}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a request for access: %v", err)
	}
}
