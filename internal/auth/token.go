package auth

import (
	"crypto/sha256"
	"crypto/sha3"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// tokenBytes is the number of random bytes in a token.
const tokenBytes = 32

// NewToken returns a new bearer token. The reader rand is the source of random bytes.
func NewToken(rand io.Reader) (string, error) {
	b := make([]byte, tokenBytes)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// tokenHashAlgorithm is a hash algorithm for tokens. A hash is stored as the prefix followed by
// the result of sum in hex.
type tokenHashAlgorithm struct {
	prefix string
	sum    func([]byte) [32]byte
}

// tokenHashAlgorithms are the algorithms of stored token hashes. New tokens are hashed with the
// first algorithm. Tokens that were hashed with another of these algorithms are accepted, too. To
// replace the algorithm, change the order: existing tokens then remain valid, also in processes of
// an earlier version. A fast hash algorithm is safe, because nobody can guess a token of 32 random
// bytes.
//
// SHA-256 hashes have no prefix, because earlier versions stored them without one.
var tokenHashAlgorithms = []tokenHashAlgorithm{{"", sha256.Sum256}, {"sha3-256:", sha3.Sum256}}

// HashToken returns the hash under which a new token is stored.
func HashToken(token string) string { return TokenHashes(token)[0] }

// TokenHashes returns the hashes under which a token may be stored: first the hash of new tokens,
// and then the hashes by the other algorithms.
func TokenHashes(token string) []string {
	hashes := make([]string, len(tokenHashAlgorithms))
	for i, algorithm := range tokenHashAlgorithms {
		sum := algorithm.sum([]byte(token))
		hashes[i] = algorithm.prefix + hex.EncodeToString(sum[:])
	}
	return hashes
}

// NewUUID returns a random UUID (version 4) with bytes from rand.
func NewUUID(rand io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return "", err
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

// SessionKey returns the UUID with which users refer to a session. hash is the hash of the
// session's token, in hexadecimal digits. The UUID is the first half of the hash, which does not
// reveal the token. Like all keys, it has version 4.
func SessionKey(hash string) string {
	hash = hash[strings.IndexByte(hash, ':')+1:] // without the name of the algorithm
	variant := "89ab"[hash[16]%4]
	return hash[:8] + "-" + hash[8:12] + "-4" + hash[13:16] + "-" + string(variant) + hash[17:20] + "-" + hash[20:32]
}
