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

// tokenHash is an algorithm of token hashes. The stored form of a hash is the prefix followed by the
// hash in hex.
type tokenHash struct {
	prefix string
	sum    func([]byte) [32]byte
}

// tokenHashes are the algorithms of stored hashes. New tokens get the first one, and tokens with the
// other ones are accepted, too. To replace the algorithm, change the order. Because every release
// accepts all algorithms, the tokens stay valid, also those of a process of an earlier release
// on the same database. The hash of a fast algorithm is safe here, because nobody can guess a token
// of 32 random bytes.
//
// The hashes of SHA-256 have no prefix, because those of earlier releases have none.
var tokenHashes = []tokenHash{{"", sha256.Sum256}, {"sha3-256:", sha3.Sum256}}

// HashToken returns the hash under which a new token is stored.
func HashToken(token string) string { return TokenHashes(token)[0] }

// TokenHashes returns the hashes under which a token may be stored, the most likely one first.
func TokenHashes(token string) []string {
	hashes := make([]string, len(tokenHashes))
	for i, algorithm := range tokenHashes {
		sum := algorithm.sum([]byte(token))
		hashes[i] = algorithm.prefix + hex.EncodeToString(sum[:])
	}
	return hashes
}

// NewKey returns a random UUID (version 4) with bytes from rand.
func NewKey(rand io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return "", err
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

// SessionKey returns the UUID with which users refer to a session. It is the first half of hash,
// the hash of the session's token, so that the UUID does not reveal the token.
func SessionKey(hash string) string {
	hash = hash[strings.IndexByte(hash, ':')+1:] // without the name of the algorithm
	return hash[:8] + "-" + hash[8:12] + "-" + hash[12:16] + "-" + hash[16:20] + "-" + hash[20:32]
}
