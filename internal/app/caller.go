package app

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// Caller is who asks, and from where.
type Caller struct {
	// Account is the account's key; every operation sees what is its alone.
	Account string
	Email   string
	// BaseURL is what absolute URLs in answers start with, without a slash at its end.
	BaseURL string
	// RequestID finds the request in the log.
	RequestID string
}

type callerKey struct{}

// WithCaller returns a context in which operations are the caller's.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// caller is the caller of an operation; without one it has no account, and
// therefore sees nothing.
func caller(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Authenticate returns the account of a bearer token, or a *api.Problem of
// CodeUnauthorized.
func (a *App) Authenticate(ctx context.Context, token string) (Caller, error) {
	var account *store.Account
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		account, err = t.GetTokenAccount(ctx, auth.HashToken(token), a.now())
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "the token is not valid or has expired; log in again")
	}
	if err != nil {
		return Caller{}, a.problem(err)
	}
	return Caller{Account: account.Key, Email: account.Email}, nil
}

// addressSeconds is how long a signed address is good for.
const addressSeconds = 3600

// absolute returns the absolute URL of a path.
func absolute(ctx context.Context, path string) string {
	return strings.TrimSuffix(caller(ctx).BaseURL, "/") + path
}

// signed returns the absolute URL of a path, good for an hour.
func (a *App) signed(ctx context.Context, path string) string {
	expires := a.now().Unix() + addressSeconds
	return absolute(ctx, path) + "?expires=" + strconv.FormatInt(expires, 10) + "&signature=" + auth.Sign(a.secret, path, expires)
}

// verify tells whether signed made the address, and it still holds.
func (a *App) verify(path string, expires int64, signature string) error {
	err := auth.Verify(a.secret, path, expires, signature, a.now())
	switch {
	case errors.Is(err, auth.ErrExpired):
		return api.NewProblem(api.CodeForbidden, "the address has expired: signed addresses hold one hour; read the dataset or prediction again for a fresh one").WithCause(err)
	case err != nil:
		return api.NewProblem(api.CodeForbidden, "the address is not one that this service signed: use it whole, as the service gave it").WithCause(err)
	}
	return nil
}
