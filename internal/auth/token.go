package auth

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
)

// tokenBytes is how much chance a token holds.
const tokenBytes = 32

// NewToken makes a bearer token from rand.
func NewToken(rand io.Reader) (string, error) {
	b := make([]byte, tokenBytes)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// HashToken gives what is stored of a token, from which it cannot be had
// back. A fast hash is right here: a token cannot be guessed.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
