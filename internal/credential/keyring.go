package credential

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringService is the service name of foretell's entries in the system keyring.
const keyringService = "foretell"

// keyringTimeout limits a keyring request, because a request to a locked keyring may wait
// forever for the user to unlock it.
const keyringTimeout = 3 * time.Second

// keyringStore stores credentials in the system keyring. The error keyring.ErrNotFound means
// that an entry does not exist. Any other error means that the keyring is unavailable.
type keyringStore struct {
	timeout time.Duration
}

// NewKeyringStore returns a store that uses the system keyring. It does not access the
// keyring yet.
func NewKeyringStore() keyringStore { return keyringStore{timeout: keyringTimeout} }

// errKeyringUnavailable is wrapped by the errors of an unavailable keyring.
var errKeyringUnavailable = errors.New("the system keyring is unavailable")

// Probe checks that the keyring is available: it writes, reads and deletes a test entry.
func (s keyringStore) Probe() error {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	entry, secret := "probe-"+hex.EncodeToString(random[:4]), hex.EncodeToString(random[4:])
	return s.withTimeout(func() error {
		if err := keyring.Set(keyringService, entry, secret); err != nil {
			return err
		}
		got, err := keyring.Get(keyringService, entry)
		if err := errors.Join(err, keyring.Delete(keyringService, entry)); err != nil {
			return err
		}
		if got != secret {
			return errors.New("the keyring returned a value that differs from the stored value")
		}
		return nil
	})
}

func (s keyringStore) Get(entry string) (Credential, error) {
	var text string
	err := s.withTimeout(func() (err error) {
		text, err = keyring.Get(keyringService, entry)
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return Credential{}, errNoCredential
	}
	if err != nil {
		return Credential{}, err
	}
	var c Credential
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return Credential{}, fmt.Errorf("the keyring's entry %s is damaged: %w", entry, err)
	}
	return c, nil
}

func (s keyringStore) Set(entry string, c Credential) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return s.withTimeout(func() error { return keyring.Set(keyringService, entry, string(b)) })
}

func (s keyringStore) Remove(entry string) error {
	err := s.withTimeout(func() error { return keyring.Delete(keyringService, entry) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// shortenKeyringError returns a short error if err means that no keyring service is running, and
// err otherwise.
func shortenKeyringError(err error) error {
	for _, sign := range []string{"dbus-launch", "org.freedesktop.secrets was not provided", "The name org.freedesktop.secrets"} {
		if strings.Contains(err.Error(), sign) {
			return errors.New("no Secret Service is running, as is usual without a desktop session")
		}
	}
	return err
}

// withTimeout calls a function and waits at most the store's timeout for it. If the function
// hangs, its goroutine is abandoned, because the process ends soon.
func (s keyringStore) withTimeout(call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	timer := time.NewTimer(s.timeout)
	defer timer.Stop()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("%w: %w", errKeyringUnavailable, shortenKeyringError(err))
		}
		return err
	case <-timer.C:
		return fmt.Errorf("%w: the keyring did not respond within %s and is perhaps locked", errKeyringUnavailable, s.timeout)
	}
}
