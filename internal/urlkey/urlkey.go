// Package urlkey signs URLs with a key in the database, which all processes of a service share.
// The key can be replaced while they run.
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
	// maxCacheAge is the time after which a process reads the key from the database again.
	// Verify also reads the key again if a signature is invalid.
	maxCacheAge = time.Second
	// gracePeriod is how long a process accepts the URLs of a key after the key was replaced. Other
	// processes sign URLs with the old key for up to maxCacheAge, and clients need time to use
	// these URLs.
	gracePeriod = 3 * time.Second
)

// RotatingKey signs and verifies URLs with the key in the database. It caches the key for a
// second. It is safe for concurrent use.
type RotatingKey struct {
	store *store.Store
	now   func() time.Time
	rand  io.Reader

	mutex sync.Mutex
	keys  cachedKeys
}

// cachedKeys holds the key that was read last, and the key that it replaced.
type cachedKeys struct {
	value    string // of the current key, in hex
	current  auth.URLKey
	created  time.Time // when the current key was created
	previous *auth.URLKey
	readAt   time.Time
}

// New returns a RotatingKey. If the database has no key yet, New creates one. It calls now for
// the current time. The reader rand must be cryptographically secure.
func New(ctx context.Context, s *store.Store, now func() time.Time, rand io.Reader) (*RotatingKey, error) {
	k := &RotatingKey{store: s, now: now, rand: rand}
	fresh, err := k.newSecret(auth.DefaultURLAlgorithm)
	if err != nil {
		return nil, err
	}
	stored, err := s.GetOrInsertSecret(ctx, fresh)
	if err != nil {
		return nil, err
	}
	_, err = k.setCurrent(stored, now())
	return k, err
}

// newSecret returns a new random key for an algorithm. It returns an error if the algorithm is
// unknown.
func (k *RotatingKey) newSecret(algorithm string) (*store.Secret, error) {
	secret := make([]byte, keyBytes)
	_, errRand := io.ReadFull(k.rand, secret)
	_, errAlgorithm := auth.NewURLKey(algorithm, secret)
	return &store.Secret{Name: secretName, Value: hex.EncodeToString(secret), Algorithm: algorithm, Created: k.now()}, errors.Join(errRand, errAlgorithm)
}

func decodeKey(s *store.Secret) (auth.URLKey, error) {
	secret, err := hex.DecodeString(s.Value)
	if err != nil {
		return auth.URLKey{}, err
	}
	return auth.NewURLKey(s.Algorithm, secret)
}

// Info describes a key without its secret value.
type Info struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm"`
	// CreatedOn is empty for a key of an earlier version.
	CreatedOn string `json:"createdOn,omitempty"`
}

func toInfo(s *store.Secret) *Info {
	info := &Info{Name: "signed-urls", Algorithm: s.Algorithm}
	if !s.Created.IsZero() {
		info.CreatedOn = api.FormatTime(s.Created)
	}
	return info
}

// Describe returns the name, the algorithm and the creation time of the key in the database.
func (k *RotatingKey) Describe(ctx context.Context) (*Info, error) {
	stored, err := k.readSecret(ctx)
	if err != nil {
		return nil, err
	}
	return toInfo(stored), nil
}

// readSecret reads the key from the database.
func (k *RotatingKey) readSecret(ctx context.Context) (secret *store.Secret, err error) {
	err = k.store.ReadOneStatement(ctx, func(t *store.Tx) (err error) {
		secret, err = t.GetSecret(ctx, secretName)
		return err
	})
	return secret, err
}

// readAndCache reads the key from the database, and caches it for maxCacheAge.
func (k *RotatingKey) readAndCache(ctx context.Context) (cachedKeys, error) {
	begun := k.now()
	stored, err := k.readSecret(ctx)
	if err != nil {
		return cachedKeys{}, err
	}
	return k.setCurrent(stored, begun)
}

// setCurrent makes stored the current key of the cache. readAt is the time at which stored was
// read from the database. If stored is a new key, the key that was current becomes the previous key.
func (k *RotatingKey) setCurrent(stored *store.Secret, readAt time.Time) (cachedKeys, error) {
	key, err := decodeKey(stored)
	if err != nil {
		return cachedKeys{}, err
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if stored.Value != k.keys.value {
		next := cachedKeys{value: stored.Value, current: key, created: stored.Created}
		if k.keys.value != "" {
			previous := k.keys.current
			next.previous = &previous
		}
		k.keys = next
	}
	k.keys.readAt = readAt
	return k.keys, nil
}

// cachedOrRead returns the cached keys. If they were read more than maxCacheAge ago, it reads
// the key again. If that fails, it returns the cached keys and the error.
func (k *RotatingKey) cachedOrRead(ctx context.Context) (cachedKeys, error) {
	k.mutex.Lock()
	known := k.keys
	k.mutex.Unlock()
	if age := k.now().Sub(known.readAt); age >= 0 && age < maxCacheAge {
		return known, nil
	}
	fresh, err := k.readAndCache(ctx)
	if err != nil {
		return known, err
	}
	return fresh, nil
}

// Sign returns the signature of a URL with the given path. The URL is valid until expires, in Unix
// seconds. If another process has just replaced the key, the URL is valid for gracePeriod only. If
// the key cannot be read, Sign uses the last known key.
func (k *RotatingKey) Sign(ctx context.Context, path string, expires int64) string {
	known, _ := k.cachedOrRead(ctx)
	return known.current.Sign(path, expires)
}

// Verify verifies a signature of Sign. It also accepts a signature by a key that was replaced
// less than gracePeriod ago. If the URL is not valid, it returns auth.ErrInvalidSignature or
// auth.ErrExpired.
func (k *RotatingKey) Verify(ctx context.Context, path string, expires int64, signature string) error {
	known, err := k.cachedOrRead(ctx)
	if err != nil {
		return err
	}
	err = known.verify(path, expires, signature, k.now())
	if !errors.Is(err, auth.ErrInvalidSignature) {
		return err
	}
	fresh, errRead := k.readAndCache(ctx) // another process may have signed the URL with a new key
	switch {
	case errRead != nil:
		return errRead
	case fresh.value == known.value:
		return err
	}
	return fresh.verify(path, expires, signature, k.now())
}

func (k *cachedKeys) verify(path string, expires int64, signature string, now time.Time) error {
	err := k.current.Verify(path, expires, signature, now)
	if errors.Is(err, auth.ErrInvalidSignature) && k.previous != nil && now.Sub(k.created) < gracePeriod {
		return k.previous.Verify(path, expires, signature, now)
	}
	return err
}

// Rotate replaces the key in the database by a new key for the given algorithm. If algorithm is
// empty, the new key has the algorithm of the old key. URLs that were signed with the old key
// become invalid after gracePeriod.
func (k *RotatingKey) Rotate(ctx context.Context, t *store.Tx, algorithm string) (*Info, error) {
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
	return toInfo(fresh), t.ReplaceSecret(ctx, fresh)
}
