// Package urlkey has the key with which a service signs URLs. The key is in the database, so all
// processes of a service have the same one. It can be replaced while they run.
package urlkey

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"time"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

const (
	// secretName is the name of the key in the database.
	secretName = "addresses"
	// keyBytes is the number of random bytes in a key.
	keyBytes = 32
	// maxAge is for how long a process signs URLs with a key before it reads the key again.
	maxAge = time.Second
)

// Keeper signs URLs with the key in the database, and verifies them. It is safe for concurrent use.
type Keeper struct {
	store *store.Store
	now   func() time.Time
	rand  io.Reader

	mutex  sync.Mutex
	key    auth.URLKey
	readAt time.Time
}

// New returns a Keeper. If the database has no key yet, New creates one. The function now returns
// the current time, and rand must be cryptographically secure.
func New(ctx context.Context, s *store.Store, now func() time.Time, rand io.Reader) (*Keeper, error) {
	k := &Keeper{store: s, now: now, rand: rand}
	fresh, err := k.newSecret(auth.DefaultURLAlgorithm)
	if err != nil {
		return nil, err
	}
	stored, err := s.GetOrInsertSecret(ctx, fresh)
	if err != nil {
		return nil, err
	}
	k.readAt = now()
	k.key, err = decode(stored)
	return k, err
}

// newSecret returns a new key. It returns an error if the algorithm is unknown.
func (k *Keeper) newSecret(algorithm string) (*store.Secret, error) {
	secret := make([]byte, keyBytes)
	_, errRand := io.ReadFull(k.rand, secret)
	_, errAlgorithm := auth.NewURLKey(algorithm, secret)
	return &store.Secret{Name: secretName, Value: hex.EncodeToString(secret), Algorithm: algorithm, Created: k.now()}, errors.Join(errRand, errAlgorithm)
}

func decode(s *store.Secret) (auth.URLKey, error) {
	secret, err := hex.DecodeString(s.Value)
	if err != nil {
		return auth.URLKey{}, err
	}
	return auth.NewURLKey(s.Algorithm, secret)
}

// Info describes a key, without its value.
type Info struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm"`
	// CreatedOn is empty for a key of an earlier release.
	CreatedOn string `json:"createdOn,omitempty"`
}

func describe(s *store.Secret) *Info {
	info := &Info{Name: "signed-urls", Algorithm: s.Algorithm}
	if !s.Created.IsZero() {
		info.CreatedOn = api.FormatTime(s.Created)
	}
	return info
}

// Describe describes the key in the database.
func (k *Keeper) Describe(ctx context.Context) (*Info, error) {
	stored, err := k.stored(ctx)
	if err != nil {
		return nil, err
	}
	return describe(stored), nil
}

// stored returns the key in the database.
func (k *Keeper) stored(ctx context.Context) (secret *store.Secret, err error) {
	err = k.store.ReadStatement(ctx, func(t *store.Tx) (err error) {
		secret, err = t.GetSecret(ctx, secretName)
		return err
	})
	return secret, err
}

// read returns the key in the database, and keeps it for Sign.
func (k *Keeper) read(ctx context.Context) (auth.URLKey, error) {
	begun := k.now()
	stored, err := k.stored(ctx)
	if err != nil {
		return auth.URLKey{}, err
	}
	key, err := decode(stored)
	if err != nil {
		return auth.URLKey{}, err
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.key, k.readAt = key, begun
	return key, nil
}

// Sign returns the signature of a URL with the given path, which is valid until expires, in Unix
// seconds. The key may have been replaced in the last second. If the key cannot be read, Sign uses the
// last known one. In both cases, Verify may refuse the URL.
func (k *Keeper) Sign(ctx context.Context, path string, expires int64) string {
	k.mutex.Lock()
	key, age := k.key, k.now().Sub(k.readAt)
	k.mutex.Unlock()
	if age < 0 || age >= maxAge {
		if current, err := k.read(ctx); err == nil {
			key = current
		}
	}
	return key.Sign(path, expires)
}

// Verify verifies a signature of Sign with the key that the database has now. It returns
// auth.ErrInvalidSignature or auth.ErrExpired if the URL is not valid.
func (k *Keeper) Verify(ctx context.Context, path string, expires int64, signature string) error {
	key, err := k.read(ctx)
	if err != nil {
		return err
	}
	return key.Verify(path, expires, signature, k.now())
}

// Replace replaces the key in the database by a new one for the given algorithm, or for that of the
// old key if algorithm is empty. The URLs that were signed before become invalid when the transaction
// is committed.
func (k *Keeper) Replace(ctx context.Context, t *store.Tx, algorithm string) (*Info, error) {
	if algorithm == "" {
		old, err := t.GetSecret(ctx, secretName)
		if err != nil {
			return nil, err
		}
		algorithm = old.Algorithm
	}
	fresh, err := k.newSecret(algorithm)
	if err != nil {
		return nil, err
	}
	return describe(fresh), t.ReplaceSecret(ctx, fresh)
}
