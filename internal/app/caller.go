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

// Caller describes who sent a request.
type Caller struct {
	// Account is the key of the caller's account. Operations access only the data of
	// that account.
	Account string
	Email   string
	// BaseURL is the prefix of absolute URLs in responses, without a trailing
	// slash.
	BaseURL string
	// RequestID identifies the request in the log.
	RequestID string
}

type callerKey struct{}

// WithCaller returns a context that carries the caller of an operation.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// callerFromContext returns the caller of an operation. If ctx has none, it
// returns a Caller without an account, which has access to no data.
func callerFromContext(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Authenticate returns the caller who has this bearer token, or a *api.Problem
// with CodeUnauthorized if the token is invalid.
func (a *App) Authenticate(ctx context.Context, token string) (Caller, error) {
	var account *store.Account
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		account, err = t.GetAccountByToken(ctx, auth.HashToken(token), a.now())
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "the token is invalid or has expired; log in again")
	}
	if err != nil {
		return Caller{}, a.toProblem(err)
	}
	return Caller{Account: account.Key, Email: account.Email}, nil
}

// signedURLSeconds is the lifetime of a signed URL.
const signedURLSeconds = 3600

// absoluteURL returns the absolute URL of a path.
func absoluteURL(ctx context.Context, path string) string {
	return strings.TrimSuffix(callerFromContext(ctx).BaseURL, "/") + path
}

// signURL returns the absolute URL of a path, with a signature that is valid for
// one hour.
func (a *App) signURL(ctx context.Context, path string) string {
	expires := a.now().Unix() + signedURLSeconds
	return absoluteURL(ctx, path) + "?expires=" + strconv.FormatInt(expires, 10) + "&signature=" + auth.SignURL(a.secret, path, expires)
}

// verifySignature returns a *api.Problem with CodeForbidden unless signURL
// returned this URL and it has not expired.
func (a *App) verifySignature(path string, expires int64, signature string) error {
	err := auth.VerifyURL(a.secret, path, expires, signature, a.now())
	switch {
	case errors.Is(err, auth.ErrExpired):
		return api.NewProblem(api.CodeForbidden, "the URL has expired: signed URLs are valid for one hour; read the dataset or prediction again to get a new one").WithCause(err)
	case err != nil:
		return api.NewProblem(api.CodeForbidden, "the URL's signature is invalid: use the complete URL that the service returned").WithCause(err)
	}
	return nil
}
