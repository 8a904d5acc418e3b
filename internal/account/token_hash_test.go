package account

import (
	"context"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

// TestTokenHashAlgorithms checks that a session and a one-time link work whichever algorithm their
// stored hashes have. A later release may store hashes of another algorithm.
func TestTokenHashAlgorithms(t *testing.T) {
	t.Parallel()
	for name, newDatabase := range newDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := newDatabase(t)
			c := newClock()
			a, _ := openService(t, location, c)
			addUsers(t, a, api.RoleUser, testEmail)
			owner, err := a.findAccount(t.Context(), func(ctx context.Context, t *store.Tx) (*store.Account, error) { return t.GetAccount(ctx, testEmail) })
			if err != nil {
				t.Fatal(err)
			}
			for i, hash := range auth.TokenHashes("token") {
				err := a.store.Write(t.Context(), func(tx *store.Tx) error {
					if err := tx.ReplaceOneTimeLink(t.Context(), auth.TokenHashes("code")[i], owner.Key, c.Now().Add(time.Hour)); err != nil {
						return err
					}
					return tx.InsertSession(t.Context(), &store.Session{Hash: hash, Account: owner.Key, Created: c.Now(), Expires: c.Now().Add(time.Hour)})
				})
				if err != nil {
					t.Fatal(err)
				}
				caller, err := a.Authenticate(t.Context(), "token")
				if err != nil || caller.Account != owner.Key {
					t.Fatalf("%s: the caller is %+v, %v", hash, caller, err)
				}
				ctx := WithCaller(t.Context(), caller)
				sessions, err := a.ListSessions(ctx, &api.None{})
				if err != nil || len(sessions.Sessions) != 1 || !sessions.Sessions[0].Current {
					t.Errorf("%s: the sessions are %+v, %v", hash, sessions, err)
				}
				if _, err := a.EndSession(ctx, &api.SessionInput{SessionKey: sessions.Sessions[0].SessionKey}); err != nil {
					t.Error(err)
				}
				if _, err := a.Authenticate(t.Context(), "token"); api.CodeFromError(err) != api.CodeUnauthorized {
					t.Errorf("%s: after the session has ended: %v", hash, err)
				}
				in := &api.SetPasswordInput{}
				in.Body.Code, in.Body.Password = "code", "yet another password"
				if _, err := a.SetPassword(t.Context(), in); err != nil {
					t.Errorf("%s: %v", hash, err)
				}
				if _, err := a.SetPassword(t.Context(), in); api.CodeFromError(err) != api.CodeForbidden {
					t.Errorf("%s: the link was used twice: %v", hash, err)
				}
			}
		})
	}
}
