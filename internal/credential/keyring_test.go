package credential

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
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

// TestFileStoreConcurrently stores and removes entries at the same time, as several processes would.
func TestFileStoreConcurrently(t *testing.T) {
	path := filepath.Join(t.TempDir(), "credentials.json")
	const entries = 20
	each := func(do func(s fileStore, entry string) error) {
		synctest.Test(t, func(t *testing.T) { // writing takes no time, so none waits too long on a slow disk
			var wg sync.WaitGroup
			for i := range entries {
				wg.Go(func() {
					if err := do(fileStore{path}, strconv.Itoa(i)); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		})
	}
	each(func(s fileStore, entry string) error { return s.Set(entry, Credential{Token: entry}) })
	each(func(s fileStore, entry string) error {
		c, err := s.Get(entry)
		if c.Token != entry {
			t.Errorf("entry %s has the token %q", entry, c.Token)
		}
		return err
	})
	each(func(s fileStore, entry string) error {
		if entry == "7" {
			return nil
		}
		return s.Remove(entry)
	})
	if all, err := (fileStore{path}).read(); len(all) != 1 || all["7"].Token != "7" {
		t.Errorf("%d entries are left, %v: want 1", len(all), err)
	}
}

// TestFileStoreKeepsLink checks that a link to the file of the credentials stays, and that the last
// credential is deleted in the target.
func TestFileStoreKeepsLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("only administrators may create links")
	}
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.json"), filepath.Join(dir, "credentials.json")
	if err := os.Symlink("target.json", link); err != nil {
		t.Fatal(err)
	}
	exerciseStore(t, fileStore{link})
	if got, err := os.Readlink(link); got != "target.json" {
		t.Errorf("the link has the target %q, %v", got, err)
	}
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
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
