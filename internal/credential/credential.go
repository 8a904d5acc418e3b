// Package credential stores passwords and tokens, in the system keyring or in a private
// file, and obtains tokens from a service. Package connect and the account commands use it.
package credential

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/symlink"
)

// Credential is the token of an account, and its password if the user wants to store the password.
type Credential struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expires"`
	// Password is stored only with --stay-signed-in.
	Password string `json:"password,omitempty"`
}

// Store stores credentials by entry. An entry is one account at one service; see
// [TokenSource.StoreKey].
type Store interface {
	// Get returns errNoCredential if there is no such entry.
	Get(entry string) (Credential, error)
	Set(entry string, c Credential) error
	// Remove does nothing if there is no such entry.
	Remove(entry string) error
}

var errNoCredential = errors.New("no credentials are stored")

// openStore returns the store that the settings select.
func openStore(env config.Getenv, s *config.Settings) (Store, error) {
	switch storage := s.GetString(config.KeyAuthStorage); storage {
	case config.AuthStorageKeyring, config.AuthStorageFile, config.AuthStorageNone, "":
		return newStore(env, storage)
	}
	return nil, exit.Usagef("%s: must be keyring, file or none", s.DescribeInvalid(config.KeyAuthStorage)).WithHint("choose where to store credentials: `foretell login --storage keyring|file|none`")
}

// noStore stores nothing.
type noStore struct{}

func (noStore) Get(string) (Credential, error) { return Credential{}, errNoCredential }
func (noStore) Set(string, Credential) error   { return nil }
func (noStore) Remove(string) error            { return nil }

// fileStore stores credentials in a file that only its owner can read.
type fileStore struct{ path string }

func (s fileStore) Get(entry string) (Credential, error) {
	all, err := s.read()
	if err != nil {
		return Credential{}, err
	}
	c, ok := all[entry]
	if !ok {
		return Credential{}, errNoCredential
	}
	return c, nil
}

func (s fileStore) Set(entry string, c Credential) error {
	return config.WithFileLock(s.path, func() error {
		all, err := s.read()
		if err != nil {
			return err
		}
		all[entry] = c
		return s.write(all)
	})
}

func (s fileStore) Remove(entry string) error {
	if _, err := s.Get(entry); errors.Is(err, errNoCredential) { // create no lock, and no folder for it
		return nil
	}
	return config.WithFileLock(s.path, func() error {
		all, err := s.read()
		if err != nil {
			return err
		}
		if _, ok := all[entry]; !ok {
			return nil
		}
		delete(all, entry)
		if len(all) == 0 {
			return os.Remove(symlink.Resolve(s.path)) // if it is a link, the credentials are in its target
		}
		return s.write(all)
	})
}

func (s fileStore) read() (map[string]Credential, error) {
	all := map[string]Credential{}
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", s.path, err)
	}
	return all, nil
}

func (s fileStore) write(all map[string]Credential) error {
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return config.WritePrivateFile(s.path, append(b, '\n'))
}
