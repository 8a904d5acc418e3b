package app

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
	"foretell/internal/urlkey"
)

// callerFromContext returns the caller of an operation. If ctx has no caller, it
// returns a Caller without an account, which has access to no data.
func callerFromContext(ctx context.Context) account.Caller { return account.CallerFromContext(ctx) }

// signedURLLifetimeSeconds is the time for which a signed URL is valid, in seconds.
const signedURLLifetimeSeconds = 3600

// absoluteURL returns the absolute URL of a path of the service. It begins with the base URL of the
// caller in ctx.
func absoluteURL(ctx context.Context, path string) string {
	return strings.TrimSuffix(callerFromContext(ctx).BaseURL, "/") + path
}

// signURL returns the absolute URL of a path, with a signature that is valid for
// one hour.
func (a *App) signURL(ctx context.Context, path string) string {
	expires := a.now().Unix() + signedURLLifetimeSeconds
	return absoluteURL(ctx, path) + "?expires=" + strconv.FormatInt(expires, 10) + "&signature=" + a.urlKey.Sign(ctx, path, expires)
}

// verifySignature verifies a URL that signURL has returned, by its path, its expiry in Unix
// seconds, and its signature. It returns a *api.Problem with CodeForbidden if the signature is
// wrong or the URL has expired.
func (a *App) verifySignature(ctx context.Context, path string, expires int64, signature string) error {
	err := a.urlKey.Verify(ctx, path, expires, signature)
	switch {
	case errors.Is(err, auth.ErrExpired):
		return api.NewProblem(api.CodeForbidden, "the URL has expired: signed URLs are valid for one hour; read the dataset or prediction again to get a new one").WithCause(err)
	case errors.Is(err, auth.ErrInvalidSignature):
		return api.NewProblem(api.CodeForbidden, "the URL's signature is invalid: use the complete URL that the service returned").WithCause(err)
	}
	return a.problems.Convert(err)
}

// GetURLKey describes the key of signed URLs.
func (a *App) GetURLKey(ctx context.Context) (*urlkey.Info, error) {
	info, err := a.urlKey.Describe(ctx)
	return info, a.problems.Convert(err)
}

// RotateURLKey replaces the key of signed URLs by a new key. algorithm is one of
// [auth.URLAlgorithms], or empty to keep the algorithm of the old key. URLs that were signed
// with the old key become invalid after three seconds. Sessions do not end.
func (a *App) RotateURLKey(ctx context.Context, algorithm string) (info *urlkey.Info, err error) {
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if info, err = a.urlKey.Rotate(ctx, t, algorithm); err != nil {
			return err
		}
		return a.RecordAuditEvent(ctx, t, "key.rotate", info.Name)
	})
	return info, a.problems.Convert(err)
}
