package credential

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"

	"foretell/internal/testenv"
)

// exerciseStore is the conformance test of a credential store.
func exerciseStore(t *testing.T, v Store) {
	t.Helper()
	const entry = "test-a@example.com at https://foretell.invalid"
	if _, err := v.Get(entry); !errors.Is(err, errNoCredential) {
		t.Fatalf("an entry that is not there: %v", err)
	}
	if err := v.Remove(entry); err != nil {
		t.Fatalf("removing an entry that is not there: %v", err)
	}
	want := Credential{Token: "t", Expires: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Password: "p"}
	if err := v.Set(entry, want); err != nil {
		t.Fatal(err)
	}
	got, err := v.Get(entry)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := v.Remove(entry); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Get(entry); !errors.Is(err, errNoCredential) {
		t.Errorf("a removed entry: %v", err)
	}
}

func TestFileStore(t *testing.T) {
	v := fileStore{path: t.TempDir() + "/sub/credentials.json"}
	exerciseStore(t, v)
	if _, err := os.Stat(v.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty file is left behind: %v", err)
	}
}

// TestSystemKeyring uses the keyring of the machine, which is required if
// FORETELL_TEST_REQUIRE contains keyring.
func TestSystemKeyring(t *testing.T) {
	v := NewKeyringStore()
	if err := v.Probe(); err != nil {
		testenv.SkipWithout(t, "keyring", err)
	}
	exerciseStore(t, v)
}

func TestKeyringStore(t *testing.T) {
	t.Run("absent_and_unusable_differ", func(t *testing.T) {
		keyring.MockInit()
		exerciseStore(t, NewKeyringStore())
		keyring.MockInitWithError(errors.New(`exec: "dbus-launch": executable file not found in $PATH`))
		v := NewKeyringStore()
		if err := v.Probe(); !errors.Is(err, errKeyringUnavailable) || !strings.Contains(err.Error(), "no Secret Service is running") {
			t.Errorf("probe: %v", err)
		}
		if _, err := v.Get("x"); !errors.Is(err, errKeyringUnavailable) || errors.Is(err, errNoCredential) {
			t.Errorf("get: %v", err)
		}
	})
	t.Run("a_locked_one_is_not_waited_for", func(t *testing.T) {
		v := keyringStore{timeout: time.Millisecond}
		hang := make(chan struct{})
		defer close(hang)
		err := v.withTimeout(func() error { <-hang; return nil })
		if !errors.Is(err, errKeyringUnavailable) {
			t.Errorf("%v", err)
		}
	})
}
