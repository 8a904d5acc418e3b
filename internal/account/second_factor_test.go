package account

import (
	"context"
	"strconv"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
)

const testEmail, testPassword = "ada@example.com", "a long password"

// withAuthenticator adds an account with an authenticator app. It returns the context of the
// account's owner and a function that returns the next code of the app.
func withAuthenticator(t *testing.T, a *Accounts, c *clock) (ctx context.Context, code func() string) {
	t.Helper()
	addUsers(t, a, api.RoleUser, testEmail)
	session, err := a.LogIn(t.Context(), logInInput(""))
	if err != nil {
		t.Fatal(err)
	}
	return addAuthenticator(t, a, c, session.AccessToken)
}

// addAuthenticator adds an authenticator app to the account to which the token belongs. It returns
// the same values as withAuthenticator.
func addAuthenticator(t *testing.T, a *Accounts, c *clock, token string) (ctx context.Context, code func() string) {
	t.Helper()
	caller, err := a.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	ctx = WithCaller(t.Context(), caller)
	in := &api.AddSecondFactorInput{}
	in.Body.CurrentPassword = testPassword
	added, err := a.AddSecondFactor(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	code = func() string {
		c.advance(30 * time.Second)
		code, err := auth.TOTP(added.Secret).Code(c.Now().Unix() / 30)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	confirm := &api.ConfirmSecondFactorInput{}
	confirm.Body.AuthenticatorCode = code()
	if _, err := a.ConfirmSecondFactor(ctx, confirm); err != nil {
		t.Fatal(err)
	}
	return ctx, code
}

func logInInput(code string) *api.LogInInput {
	return &api.LogInInput{Body: api.Credentials{Username: testEmail, Password: testPassword, AuthenticatorCode: code}}
}

// logIn logs in to the account testEmail with its password, and returns the token
// and the caller of the new session.
func logIn(t *testing.T, a *Accounts) (token string, caller Caller) {
	t.Helper()
	session, err := a.LogIn(t.Context(), logInInput(""))
	if err != nil {
		t.Fatal(err)
	}
	caller, err = a.Authenticate(t.Context(), session.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	return session.AccessToken, caller
}

func removeInput(code string) *api.RemoveSecondFactorInput {
	in := &api.RemoveSecondFactorInput{}
	in.Body.CurrentPassword, in.Body.AuthenticatorCode = testPassword, code
	return in
}

// TestCodeLimit checks that wrong codes for the removal of an authenticator app are limited, even
// if they are sent slowly and from many addresses. Valid codes must not be limited.
func TestCodeLimit(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, c, Options{})
	ctx, code := withAuthenticator(t, a, c)
	for range 3 * authenticatorCodeBurst {
		if _, err := a.LogIn(t.Context(), logInInput(code())); err != nil {
			t.Fatal(err)
		}
	}
	const attempts, pause = 30, 4 * time.Minute
	tried := 0
	for i := range attempts {
		c.advance(pause)
		caller := CallerFromContext(ctx)
		caller.RemoteAddress = "192.0.2." + strconv.Itoa(i)
		_, err := a.RemoveSecondFactor(WithCaller(ctx, caller), removeInput("12345x"))
		switch api.CodeFromError(err) {
		case api.CodeForbidden:
			tried++
		case api.CodeTooMany:
		default:
			t.Fatal(err)
		}
	}
	if want := authenticatorCodeBurst + int((attempts-1)*pause/authenticatorCodeInterval); tried != want {
		t.Errorf("%d of %d wrong codes were checked, want %d", tried, attempts, want)
	}
	if _, err := a.RemoveSecondFactor(ctx, removeInput(code())); api.CodeFromError(err) != api.CodeTooMany {
		t.Errorf("a valid code after too many wrong ones: %v", err)
	}
	c.advance(authenticatorCodeInterval)
	if _, err := a.RemoveSecondFactor(ctx, removeInput(code())); err != nil {
		t.Error(err)
	}
}

// TestTOTPIssuer checks that the name of a service in authenticator apps has no port.
func TestTOTPIssuer(t *testing.T) {
	t.Parallel()
	a := open(t, newClock(), Options{})
	for baseURL, want := range map[string]string{
		"https://foretell.example.com":      "foretell.example.com",
		"https://foretell.example.com:8443": "foretell.example.com",
		"http://127.0.0.1:8080/prefix":      "127.0.0.1",
		"http://[::1]:8080":                 "Foretell",
		"":                                  "Foretell",
		"https://:8443":                     "Foretell",
	} {
		if got := a.totpIssuer(WithCaller(t.Context(), Caller{BaseURL: baseURL})); got != want {
			t.Errorf("%q is %q, want %q", baseURL, got, want)
		}
	}
}
