package app

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

const (
	// localEmail is the e-mail of the account of the embedded service. The account
	// has no password.
	localEmail = "local"

	minPassword = 8
	maxPassword = 1024 // bytes
	maxEmail    = 320  // bytes

	// For one e-mail, loginBurst attempts to log in may fail at once, and then one
	// in each loginInterval. A successful login does not count.
	loginBurst    = 10
	loginInterval = 6 * time.Second
)

// LogIn returns a token for an e-mail and password. Its error does not reveal
// whether the e-mail is unknown, the password is wrong or the account is
// disabled.
func (a *App) LogIn(ctx context.Context, in *api.LogInInput) (*api.Session, error) {
	email := normalizeEmail(in.Body.Username)
	if wait := a.logins.Take(email); wait > 0 {
		p := api.NewProblem(api.CodeTooMany, "too many attempts to log in with this e-mail; try again later")
		p.RetryAfter = int((wait + time.Second - 1) / time.Second)
		return nil, p
	}
	var account *store.Account
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		account, err = t.GetAccount(ctx, email)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		account, err = &store.Account{Disabled: true}, nil
	}
	if err != nil {
		return nil, a.toProblem(err)
	}
	err = a.passwords.Verify(ctx, account.PasswordHash, in.Body.Password)
	if err != nil && !errors.Is(err, auth.ErrWrongPassword) {
		return nil, err
	}
	if err != nil || account.Disabled {
		return nil, api.NewProblem(api.CodeBadCredentials, "wrong e-mail or password").WithCause(err)
	}
	a.logins.Refund(email)
	return a.openSession(ctx, account)
}

// LocalSession returns a token of the account of the embedded service. It creates
// the account if it is missing. Nobody can log in to that account.
func (a *App) LocalSession(ctx context.Context) (api.Session, error) {
	var account *store.Account
	read := func(t *store.Tx) (err error) {
		account, err = t.GetAccount(ctx, localEmail)
		return err
	}
	err := a.store.Read(ctx, read)
	if errors.Is(err, store.ErrNotFound) {
		err = a.insertAccount(ctx, localEmail, "")
		if err == nil || errors.Is(err, store.ErrExists) { // created by another process meanwhile
			err = a.store.Read(ctx, read)
		}
	}
	if err != nil {
		return api.Session{}, a.toProblem(err)
	}
	session, err := a.openSession(ctx, account)
	if err != nil {
		return api.Session{}, err
	}
	return *session, nil
}

func (a *App) openSession(ctx context.Context, account *store.Account) (*api.Session, error) {
	token, err := auth.NewToken(a.rand)
	if err != nil {
		return nil, err
	}
	now := a.now()
	expires := now.Add(api.TokenLifetime * time.Second)
	err = a.store.Write(ctx, func(t *store.Tx) error {
		return t.InsertToken(ctx, account.Key, auth.HashToken(token), now, expires)
	})
	if err != nil {
		return nil, a.toProblem(err)
	}
	return &api.Session{AccessToken: token, TokenType: "Bearer", ExpiresIn: api.TokenLifetime, Username: account.Email}, nil
}

// User is an account as the operator of the service sees it.
type User struct {
	Email    string
	Created  time.Time
	Disabled bool
}

// AddUser creates an account. It returns CodeNameTaken if the e-mail already has
// an account.
func (a *App) AddUser(ctx context.Context, email, password string) error {
	email = normalizeEmail(email)
	if err := validateEmail(email); err != nil {
		return err
	}
	hash, err := a.hashNewPassword(ctx, password)
	if err != nil {
		return err
	}
	err = a.insertAccount(ctx, email, hash)
	if errors.Is(err, store.ErrExists) {
		return api.NewProblem(api.CodeNameTaken, "account %s already exists: change its password, or choose another e-mail", email).WithCause(err)
	}
	return a.toProblem(err)
}

func (a *App) insertAccount(ctx context.Context, email, hash string) error {
	key, err := a.newKey()
	if err != nil {
		return err
	}
	return a.store.Write(ctx, func(t *store.Tx) error {
		return t.InsertAccount(ctx, &store.Account{Key: key, Email: email, PasswordHash: hash, Created: a.now()})
	})
}

// ListUsers returns all accounts, sorted by e-mail.
func (a *App) ListUsers(ctx context.Context) ([]User, error) {
	var users []User
	err := a.store.Read(ctx, func(t *store.Tx) error {
		accounts, err := t.ListAccounts(ctx)
		for _, account := range accounts {
			users = append(users, User{account.Email, account.Created, account.Disabled})
		}
		return err
	})
	return users, a.toProblem(err)
}

// SetPassword changes the password of an account and ends its sessions. It
// enables the account if it was disabled.
func (a *App) SetPassword(ctx context.Context, email, password string) error {
	hash, err := a.hashNewPassword(ctx, password)
	if err != nil {
		return err
	}
	return a.updateUser(ctx, email, func(account *store.Account) {
		account.PasswordHash, account.Disabled = hash, false
	})
}

// DisableUser ends the sessions of an account at once and prevents new ones. The
// data of the account is kept. Its jobs stop at their next heartbeat and wait in
// the queue until SetPassword enables the account again.
func (a *App) DisableUser(ctx context.Context, email string) error {
	return a.updateUser(ctx, email, func(account *store.Account) { account.Disabled = true })
}

func (a *App) updateUser(ctx context.Context, email string, change func(*store.Account)) error {
	email = normalizeEmail(email)
	err := a.store.Write(ctx, func(t *store.Tx) error {
		account, err := t.GetAccount(ctx, email)
		if err != nil {
			return err
		}
		change(account)
		return t.UpdateAccount(ctx, account)
	})
	return a.accountProblem(err, email)
}

// DeleteUser deletes an account and all its data. Its running jobs stop, in this
// process at once and in other processes at their next heartbeat.
func (a *App) DeleteUser(ctx context.Context, email string) error {
	email = normalizeEmail(email)
	var account *store.Account
	var blobs []string
	err := a.store.Write(ctx, func(t *store.Tx) (err error) {
		if account, err = t.GetAccount(ctx, email); err != nil {
			return err
		}
		blobs, err = t.DeleteAccount(ctx, account.Key)
		return err
	})
	if err != nil {
		return a.accountProblem(err, email)
	}
	a.pool.StopDeleted(account.Key)
	a.deleteBlobs(ctx, blobs...)
	return nil
}

// accountProblem is toProblem for an account that was looked up by its e-mail.
func (a *App) accountProblem(err error, email string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeNotFound, "there is no account %s: list the accounts to see their e-mails", email).WithCause(err)
	}
	return a.toProblem(err)
}

func (a *App) hashNewPassword(ctx context.Context, password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < minPassword {
		return "", api.NewFieldProblem("password", "%d characters: must be at least %d", n, minPassword)
	}
	if len(password) > maxPassword {
		return "", api.NewFieldProblem("password", "must be at most %d bytes", maxPassword)
	}
	return a.passwords.Hash(ctx, password)
}

// normalizeEmail returns an e-mail as it is stored and looked up.
func normalizeEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// validateEmail rejects what is clearly not an e-mail address. Only a delivered
// e-mail proves an address.
func validateEmail(email string) error {
	name, domain, ok := strings.Cut(email, "@")
	if !ok || name == "" || domain == "" || len(email) > maxEmail || strings.ContainsAny(email, " \t\r\n<>,;\"") ||
		strings.Contains(domain, "@") || !utf8.ValidString(email) {
		return api.NewFieldProblem("email", "%q is not an e-mail address", email)
	}
	return nil
}
