package auth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
)

// tokenBytes is the number of random bytes in a token.
const tokenBytes = 32

// NewToken returns a new bearer token. rand is the source of its random bytes.
func NewToken(rand io.Reader) (string, error) {
	b := make([]byte, tokenBytes)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// HashToken returns the hash under which a token is stored. It is a fast hash,
// which is safe because nobody can guess a token of 32 random bytes.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
