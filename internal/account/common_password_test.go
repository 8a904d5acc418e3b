package account

import (
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
)

// TestGuessablePasswords checks which passwords are refused.
func TestGuessablePasswords(t *testing.T) {
	t.Parallel()
	const email = "ada.lovelace@analytics.example.org"
	for password, isRefused := range map[string]bool{
		"1q2w3e4r5t":            true, // common
		"QwertyUIOP":            true,
		"basketball":            true,
		"password2026!":         true, // common, with digits and symbols
		"**Dragon**77":          true,
		"password12345678":      true, // as many digits or symbols as letters
		"princess20262026":      true,
		"monkey!!!!!!":          true,
		"monkeymonkey":          true, // twice
		"aaaaaaaaaaab":          true,
		"Foretell-2026":         true, // the program
		"lovelace1815":          true, // a part of the email
		"analytics!!":           true,
		"ada.lovelace1":         true,
		email:                   true,
		"correct horse":         false,
		"a long password":       false,
		"dragon and basketball": false,
		"Lovelace wrote notes":  false,
		"ÄÖÜäöü 1234 ßß":        false,
	} {
		if err := checkPassword(email, password); (err != nil) != isRefused {
			t.Errorf("%q: %v", password, err)
		}
	}
	if n := len(commonPasswords()); n < 5000 {
		t.Errorf("only %d common passwords", n)
	}
}

// TestBreachedPasswords checks that a password from the list of breached passwords is refused as a
// new password.
func TestBreachedPasswords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "breached.txt")
	line := fmt.Sprintf("%X:12\r\n", sha1.Sum([]byte("a breached phrase")))
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := auth.OpenBreachedPasswords(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = list.Close() }()
	a := open(t, &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, Options{BreachedPasswords: list})
	err = a.AddUser(t.Context(), api.NewAccount{Email: "ada@example.com"}, "a breached phrase")
	if api.CodeFromError(err) != api.CodeInvalid {
		t.Errorf("a breached password: %v", err)
	}
	if err := a.AddUser(t.Context(), api.NewAccount{Email: "ada@example.com"}, "a phrase that is new"); err != nil {
		t.Error(err)
	}
}
