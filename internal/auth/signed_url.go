package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha3"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"time"
)

// The errors of [URLKey.Verify]. Use errors.Is to test for them.
var (
	ErrInvalidSignature = errors.New("invalid signature")
	ErrExpired          = errors.New("the URL has expired")
)

// DefaultURLAlgorithm is the algorithm of new keys of signed URLs.
const DefaultURLAlgorithm = "HMAC-SHA-256"

// urlHashFunctions maps each algorithm of signed URLs to its hash function.
var urlHashFunctions = map[string]func() hash.Hash{
	DefaultURLAlgorithm: sha256.New,
	"HMAC-SHA3-256":     func() hash.Hash { return sha3.New256() },
}

// URLAlgorithms returns the names of the algorithms of signed URLs, sorted.
func URLAlgorithms() []string { return slices.Sorted(maps.Keys(urlHashFunctions)) }

// URLKey is a key that signs URLs and verifies their signatures. The algorithm is part of the key
// and not of the URL, so that an attacker cannot choose another algorithm.
type URLKey struct {
	hash   func() hash.Hash
	secret []byte
}

// NewURLKey returns the key with the given secret and algorithm. It returns an error unless the
// algorithm is one of URLAlgorithms. A newer version of this program may have created a key with
// another algorithm.
func NewURLKey(algorithm string, secret []byte) (URLKey, error) {
	newHash := urlHashFunctions[algorithm]
	if newHash == nil {
		return URLKey{}, fmt.Errorf("the key of signed URLs has the unknown algorithm %q", algorithm)
	}
	return URLKey{newHash, secret}, nil
}

// Sign returns the signature of a URL with the given path. expires is the time in Unix
// seconds at which the URL becomes invalid. The signature needs no escaping in a URL query.
func (k URLKey) Sign(path string, expires int64) string {
	return base64.RawURLEncoding.EncodeToString(k.computeMAC(path, expires))
}

// Verify verifies a signature of [URLKey.Sign]. expires is in Unix seconds. Verify returns
// ErrInvalidSignature if Sign would return another signature for path and expires. It returns
// ErrExpired if now is at or after expires.
func (k URLKey) Verify(path string, expires int64, signature string, now time.Time) error {
	got, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !hmac.Equal(got, k.computeMAC(path, expires)) {
		return ErrInvalidSignature
	}
	if now.Unix() >= expires {
		return ErrExpired
	}
	return nil
}

func (k URLKey) computeMAC(path string, expires int64) []byte {
	h := hmac.New(k.hash, k.secret)
	fmt.Fprintf(h, "%d %s", expires, path)
	return h.Sum(nil)
}
