package credential

import (
	"errors"
	"path/filepath"

	"foretell/internal/config"
)

// RemoveElsewhere removes the credentials of the account from the given storages, except from
// [TokenSource.Storage]. It returns the tokens that it found there. Such a token remains valid
// until it expires, so the caller should end its session.
func (s *TokenSource) RemoveElsewhere(storages []string) (tokens []string, err error) {
	for _, storage := range storages {
		if storage == s.Storage {
			continue
		}
		store, storeErr := newStore(s.env, storage)
		if storeErr != nil {
			err = errors.Join(err, storeErr)
			continue
		}
		stored, getErr := store.Get(s.StoreKey())
		if errors.Is(getErr, errNoCredential) {
			continue
		}
		if getErr == nil && stored.Token != "" {
			tokens = append(tokens, stored.Token)
		}
		err = errors.Join(err, getErr, store.Remove(s.StoreKey()))
	}
	return tokens, err
}

// newStore returns the store for a value of --storage. For values other than keyring and file, the
// store stores nothing.
func newStore(env config.Getenv, storage string) (Store, error) {
	switch storage {
	case config.AuthStorageKeyring:
		return NewKeyringStore(), nil
	case config.AuthStorageFile:
		dir, err := config.Dir(env)
		if err != nil {
			return nil, err
		}
		return fileStore{filepath.Join(dir, "credentials.json")}, nil
	}
	return noStore{}, nil
}
