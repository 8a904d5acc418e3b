package credential

import (
	"path/filepath"
	"testing"
	"time"
)

// TestRenew checks that a command whose session was ended uses the token that `foretell login` has
// stored meanwhile.
func TestRenew(t *testing.T) {
	t.Parallel()
	s := &TokenSource{
		env: func(string) string { return "" }, now: time.Now, Username: "ada@example.com", Server: "http://127.0.0.1:1",
		Store: fileStore{filepath.Join(t.TempDir(), "credentials.json")},
	}
	store := func(token string) {
		t.Helper()
		if err := s.Store.Set(s.Entry(), Credential{Token: token, Expires: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	store("first")
	if token, err := s.Token(t.Context()); token != "first" || err != nil {
		t.Fatalf("%q, %v", token, err)
	}
	if token, err := s.Renew(t.Context()); err == nil {
		t.Errorf("renewed without a password: %q", token)
	}
	store("second")
	if token, err := s.Renew(t.Context()); token != "second" || err != nil {
		t.Errorf("%q, %v", token, err)
	}
	if token, err := s.Renew(t.Context()); err == nil {
		t.Errorf("renewed without a password: %q", token)
	}
}
