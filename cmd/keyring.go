package cmd

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

// keyringService is the name under which the system's keyring lists our
// entries.
const keyringService = "foretell"

// keyringTimeout is how long a keyring may take: a locked one can wait for
// ever for somebody to unlock it.
const keyringTimeout = 3 * time.Second

// keyringStore keeps credentials in the system's keyring. Only ErrNotFound
// means that an entry is absent; everything else means that the keyring cannot
// be used.
type keyringStore struct {
	timeout time.Duration
}

func newKeyringStore() keyringStore { return keyringStore{timeout: keyringTimeout} }

// errKeyring means that the keyring cannot be used.
var errKeyring = errors.New("the system's keyring cannot be used")

// probe writes, reads and deletes an entry that nobody needs, before anything
// is asked of the user.
func (v keyringStore) probe() error {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	entry, secret := "probe-"+hex.EncodeToString(random[:4]), hex.EncodeToString(random[4:])
	return v.withTimeout(func() error {
		if err := keyring.Set(keyringService, entry, secret); err != nil {
			return err
		}
		got, err := keyring.Get(keyringService, entry)
		if err := errors.Join(err, keyring.Delete(keyringService, entry)); err != nil {
			return err
		}
		if got != secret {
			return errors.New("it gave back another value than was stored")
		}
		return nil
	})
}

func (v keyringStore) get(entry string) (credential, error) {
	var text string
	err := v.withTimeout(func() (err error) {
		text, err = keyring.Get(keyringService, entry)
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return credential{}, errNoCredential
	}
	if err != nil {
		return credential{}, err
	}
	var c credential
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return credential{}, fmt.Errorf("the keyring's entry %s is damaged: %w", entry, err)
	}
	return c, nil
}

func (v keyringStore) set(entry string, c credential) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return v.withTimeout(func() error { return keyring.Set(keyringService, entry, string(b)) })
}

func (v keyringStore) remove(entry string) error {
	err := v.withTimeout(func() error { return keyring.Delete(keyringService, entry) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// explainKeyring says in plain words that no program keeps secrets here, where the
// library only says which one it could not start. Other errors stay as they are.
func explainKeyring(err error) error {
	for _, sign := range []string{"dbus-launch", "org.freedesktop.secrets was not provided", "The name org.freedesktop.secrets"} {
		if strings.Contains(err.Error(), sign) {
			return errors.New("no Secret Service runs here, as is usual without a desktop session")
		}
	}
	return err
}

// withTimeout runs use for as long as the vault's patience lasts. What hangs is
// left behind: the process is short.
func (v keyringStore) withTimeout(use func() error) error {
	done := make(chan error, 1)
	go func() { done <- use() }()
	timer := time.NewTimer(v.timeout)
	defer timer.Stop()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("%w: %w", errKeyring, explainKeyring(err))
		}
		return err
	case <-timer.C:
		return fmt.Errorf("%w: no answer within %s; is it locked?", errKeyring, v.timeout)
	}
}
