package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"
)

// The errors of VerifyURL. Use errors.Is to test for them.
var (
	ErrInvalidSignature = errors.New("invalid signature")
	ErrExpired          = errors.New("the URL has expired")
)

// SignURL returns the signature of a URL with the given path. The parameter expires is the time in
// Unix seconds at which the URL becomes invalid. The signature needs no escaping in a URL query.
func SignURL(secret []byte, path string, expires int64) string {
	return base64.RawURLEncoding.EncodeToString(computeMAC(secret, path, expires))
}

// VerifyURL verifies a signature of [SignURL]. It returns ErrInvalidSignature if the signature is
// not that for path and expires, and ErrExpired if the URL has expired at now.
func VerifyURL(secret []byte, path string, expires int64, signature string, now time.Time) error {
	got, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !hmac.Equal(got, computeMAC(secret, path, expires)) {
		return ErrInvalidSignature
	}
	if now.Unix() >= expires {
		return ErrExpired
	}
	return nil
}

func computeMAC(secret []byte, path string, expires int64) []byte {
	h := hmac.New(sha256.New, secret)
	fmt.Fprintf(h, "%d %s", expires, path)
	return h.Sum(nil)
}
