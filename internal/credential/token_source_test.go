package credential

import (
	"path/filepath"
	"strings"
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
		if err := s.Store.Set(s.StoreKey(), Credential{Token: token, Expires: time.Now().Add(time.Hour)}); err != nil {
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

// TestTokenWithControlCharacter expects an error that names the variable, because a token with a line
// break cannot be sent.
func TestTokenWithControlCharacter(t *testing.T) {
	t.Parallel()
	s := &TokenSource{env: func(string) string { return "abc\r" }, now: time.Now}
	if token, err := s.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "FORETELL_TOKEN contains a control character") {
		t.Errorf("%q, %v", token, err)
	}
}

// TestStoreKey checks that the case of an email does not change the key.
func TestStoreKey(t *testing.T) {
	t.Parallel()
	s := &TokenSource{Username: "Bob@Example.com", Server: "https://f.example"}
	if key := s.StoreKey(); key != "bob@example.com at https://f.example" {
		t.Errorf("got %q", key)
	}
}

// TestAddressOfPage checks that the hint names the address of the service if --server has that of a
// page of the dashboard.
func TestAddressOfPage(t *testing.T) {
	t.Parallel()
	s := &TokenSource{
		env: func(string) string { return "" }, now: time.Now, Username: "ada@example.com", Server: "https://f.example",
		Store: fileStore{filepath.Join(t.TempDir(), "credentials.json")},
	}
	for _, test := range []struct{ server, want string }{
		{"https://f.example", "log in with `foretell login https://f.example`"},
		{"https://f.example/datasets", "if the address belongs to a page of the dashboard, use https://f.example instead; otherwise log in with `foretell login https://f.example/datasets`"},
	} {
		s.Server = test.server
		if hint := s.loginHint(); !strings.HasPrefix(hint, test.want) {
			t.Errorf("%s: %s", test.server, hint)
		}
	}
	s.Server = "https://f.example"
	if err := s.Store.Set(s.StoreKey(), Credential{Token: "token"}); err != nil {
		t.Fatal(err)
	}
	s.Server = "https://f.example/models/key"
	if hint := s.loginHint(); hint != "you are logged in at https://f.example: use this address, without the path of a page" {
		t.Error(hint)
	}
}
