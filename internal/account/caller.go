package account

import (
	"context"
	"errors"

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
	// Administrator is true if the account may call the operations of administrators.
	Administrator bool
	// MustSetUpSecondFactor is true if the service requires an authenticator app and the
	// account has none.
	MustSetUpSecondFactor bool
	// BaseURL is the scheme and host with which absolute URLs in the response begin, without a
	// trailing slash.
	BaseURL string
	// RequestID identifies the request in the log.
	RequestID string
	// RemoteAddress is the address of the client.
	RemoteAddress string
	// UserAgent is the User-Agent of the client.
	UserAgent string

	session string // hash of the caller's token, which identifies the session
}

type callerKey struct{}

// WithCaller returns a context that carries the caller of an operation.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFromContext returns the caller of an operation. If ctx has no caller, it
// returns a Caller without an account, which has access to no data.
func CallerFromContext(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Authenticate returns the caller to whom a bearer token belongs. If the token is invalid or
// has expired, it returns a *api.Problem with CodeUnauthorized.
func (a *Accounts) Authenticate(ctx context.Context, token string) (Caller, error) {
	if reader := a.localReadSession.Load(); reader != nil && reader.hash == auth.HashToken(token) {
		return Caller{Account: reader.account, Email: localAccountEmail, Administrator: true, session: reader.hash}, nil
	}
	var account *store.Account
	session, err := tryTokenHashes(token, func(hash string) error {
		return a.store.ReadOneStatement(ctx, func(t *store.Tx) (err error) {
			account, err = t.GetAccountByToken(ctx, hash, a.now())
			return err
		})
	})
	if errors.Is(err, store.ErrNotFound) {
		return Caller{}, api.NewProblem(api.CodeUnauthorized, "the token is invalid or has expired; log in again")
	}
	if err != nil {
		return Caller{}, a.toProblem(err)
	}
	return Caller{
		Account: account.Key, Email: account.Email, session: session,
		// The account that commands use without a server belongs to the owner of the data folder,
		// who may do everything.
		Administrator:         account.Role == api.RoleAdministrator || account.Email == localAccountEmail,
		MustSetUpSecondFactor: a.options.RequireSecondFactor && account.SecondFactor.Secret == "",
	}, nil
}

// tryTokenHashes calls find with each hash under which a token, or the code of a one-time link,
// may be stored: other releases use other hash algorithms. It stops when find returns anything but
// store.ErrNotFound. It returns the last hash and the last result of find.
func tryTokenHashes(token string, find func(hash string) error) (hash string, err error) {
	for _, hash = range auth.TokenHashes(token) {
		if err = find(hash); !errors.Is(err, store.ErrNotFound) {
			break
		}
	}
	return hash, err
}
