package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// credential is stored by login.
type credential struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expires"`
	// Password is stored only with --stay-signed-in.
	Password string `json:"password,omitempty"`
}

// The values of --storage.
const (
	storageKeyring = "keyring"
	storageFile    = "file"
	storageNone    = "none"
)

// credentialStore stores credentials by entry. An entry is one account at one service.
type credentialStore interface {
	// get returns errNoCredential for an entry that is not there.
	get(entry string) (credential, error)
	set(entry string, c credential) error
	// remove succeeds for an unknown entry.
	remove(entry string) error
}

var errNoCredential = errors.New("no credentials are stored")

// credentialStore returns the store that the settings select.
func (f *factory) credentialStore(s *settings) (credentialStore, error) {
	switch s.GetString(keyStorage) {
	case storageKeyring:
		return newKeyringStore(), nil
	case storageFile:
		dir, err := f.configDir()
		if err != nil {
			return nil, err
		}
		return fileStore{filepath.Join(dir, "credentials.json")}, nil
	case storageNone, "":
		return noStore{}, nil
	}
	return nil, usageErrorf("invalid %s %q: want keyring, file or none", s.originName(keyStorage), s.GetString(keyStorage)).withHint("choose where to store credentials: `foretell login --storage keyring|file|none`")
}

// noStore stores nothing.
type noStore struct{}

func (noStore) get(string) (credential, error) { return credential{}, errNoCredential }
func (noStore) set(string, credential) error   { return nil }
func (noStore) remove(string) error            { return nil }

// fileStore stores credentials in a file that only its owner can read.
type fileStore struct{ path string }

func (v fileStore) get(entry string) (credential, error) {
	all, err := v.read()
	if err != nil {
		return credential{}, err
	}
	c, ok := all[entry]
	if !ok {
		return credential{}, errNoCredential
	}
	return c, nil
}

func (v fileStore) set(entry string, c credential) error {
	all, err := v.read()
	if err != nil {
		return err
	}
	all[entry] = c
	return v.write(all)
}

func (v fileStore) remove(entry string) error {
	all, err := v.read()
	if err != nil {
		return err
	}
	if _, ok := all[entry]; !ok {
		return nil
	}
	delete(all, entry)
	if len(all) == 0 {
		return os.Remove(v.path)
	}
	return v.write(all)
}

func (v fileStore) read() (map[string]credential, error) {
	all := map[string]credential{}
	b, err := os.ReadFile(v.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", v.path, err)
	}
	return all, nil
}

func (v fileStore) write(all map[string]credential) error {
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return writePrivate(v.path, append(b, '\n'))
}
