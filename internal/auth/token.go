package auth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
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

// HashToken returns the hash under which a token is stored. A fast hash is safe here, because
// nobody can guess a token of 32 random bytes.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
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
	return hash[:8] + "-" + hash[8:12] + "-" + hash[12:16] + "-" + hash[16:20] + "-" + hash[20:32]
}
