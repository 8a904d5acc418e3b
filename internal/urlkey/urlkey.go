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
	// maxAge is for how long a process uses a key before it reads the key again. Verify also reads it
	// if a signature is invalid.
	maxAge = time.Second
	// gracePeriod is for how long a key that was replaced still verifies URLs in the processes that
	// had read it. A process may sign URLs with it for maxAge, and the clients need time to use them.
	gracePeriod = 3 * time.Second
)

// Keeper signs URLs with the key in the database, and verifies them. It is safe for concurrent use.
type Keeper struct {
	store *store.Store
	now   func() time.Time
	rand  io.Reader

	mutex sync.Mutex
	keys  keys
}

// keys are the key that was read last, and the one before it.
type keys struct {
	value    string // of the current key in the database
	current  auth.URLKey
	created  time.Time // when the current key was created
	previous *auth.URLKey
	readAt   time.Time
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
	_, err = k.keep(stored, now())
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

// read reads the key in the database, and keeps it for maxAge.
func (k *Keeper) read(ctx context.Context) (keys, error) {
	begun := k.now()
	stored, err := k.stored(ctx)
	if err != nil {
		return keys{}, err
	}
	return k.keep(stored, begun)
}

// keep makes stored, which was read at the given time, the current key.
func (k *Keeper) keep(stored *store.Secret, readAt time.Time) (keys, error) {
	key, err := decode(stored)
	if err != nil {
		return keys{}, err
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if stored.Value != k.keys.value {
		next := keys{value: stored.Value, current: key, created: stored.Created}
		if k.keys.value != "" {
			previous := k.keys.current
			next.previous = &previous
		}
		k.keys = next
	}
	k.keys.readAt = readAt
	return k.keys, nil
}

// recent returns the keys that were read in the last maxAge, or reads them. If they cannot be read, it
// returns the last known ones with the error.
func (k *Keeper) recent(ctx context.Context) (keys, error) {
	k.mutex.Lock()
	known := k.keys
	k.mutex.Unlock()
	if age := k.now().Sub(known.readAt); age >= 0 && age < maxAge {
		return known, nil
	}
	fresh, err := k.read(ctx)
	if err != nil {
		return known, err
	}
	return fresh, nil
}

// Sign returns the signature of a URL with the given path, which is valid until expires, in Unix
// seconds. The key may have been replaced in the last second; the URL then ends gracePeriod after the
// replacement. If the key cannot be read, Sign uses the last known one.
func (k *Keeper) Sign(ctx context.Context, path string, expires int64) string {
	known, _ := k.recent(ctx)
	return known.current.Sign(path, expires)
}

// Verify verifies a signature of Sign. It accepts a key that was replaced in the last gracePeriod. It
// returns auth.ErrInvalidSignature or auth.ErrExpired if the URL is not valid.
func (k *Keeper) Verify(ctx context.Context, path string, expires int64, signature string) error {
	known, err := k.recent(ctx)
	if err != nil {
		return err
	}
	err = known.verify(path, expires, signature, k.now())
	if !errors.Is(err, auth.ErrInvalidSignature) {
		return err
	}
	fresh, errRead := k.read(ctx) // another process may have signed the URL with a new key
	switch {
	case errRead != nil:
		return errRead
	case fresh.value == known.value:
		return err
	}
	return fresh.verify(path, expires, signature, k.now())
}

func (k *keys) verify(path string, expires int64, signature string, now time.Time) error {
	err := k.current.Verify(path, expires, signature, now)
	if errors.Is(err, auth.ErrInvalidSignature) && k.previous != nil && now.Sub(k.created) < gracePeriod {
		return k.previous.Verify(path, expires, signature, now)
	}
	return err
}

// Replace replaces the key in the database by a new one for the given algorithm, or for that of the
// old key if algorithm is empty. The URLs that were signed before become invalid gracePeriod after
// that.
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
