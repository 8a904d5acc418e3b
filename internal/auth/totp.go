package auth

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

const (
	totpSecretBytes = 20 // the output size of HMAC-SHA-1, as RFC 4226 recommends
	totpStepSeconds = 30 // duration of a step in seconds
	totpDigits      = 6
	// maxTOTPClockSteps is the accepted difference between the clock of the service and the clock
	// of an authenticator app, in steps of 30 seconds.
	maxTOTPClockSteps = 1
)

var totpEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// TOTP is the secret that a service shares with the authenticator app of a user: 20 random
// bytes in base32. From the secret and the time, the app computes codes of six digits, each
// valid for 30 seconds (RFC 6238 with HMAC-SHA-1, which all apps support).
type TOTP string

// NewTOTP returns a new secret. The source rand must be cryptographically secure.
func NewTOTP(rand io.Reader) (TOTP, error) {
	secret := make([]byte, totpSecretBytes)
	if _, err := io.ReadFull(rand, secret); err != nil {
		return "", fmt.Errorf("reading random bytes: %w", err)
	}
	return TOTP(totpEncoding.EncodeToString(secret)), nil
}

// URL returns the otpauth URL of the secret, which authenticator apps read from a QR code. The
// app shows issuer and account next to its codes.
func (s TOTP) URL(issuer, account string) string {
	label := url.PathEscape(issuer) + ":" + url.PathEscape(account)
	return "otpauth://totp/" + label + "?secret=" + string(s) + "&issuer=" + url.QueryEscape(issuer)
}

// Code returns the code of a step. A step is an interval of 30 seconds. Its number is the Unix
// time in seconds divided by 30.
func (s TOTP) Code(step int64) (string, error) {
	secret, err := totpEncoding.DecodeString(string(s))
	if err != nil {
		return "", fmt.Errorf("the secret of the authenticator app: %w", err)
	}
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step) // writing to a hash never fails
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", totpDigits, number%1_000_000), nil
}

// Verify returns ok = true and the step of code if code is valid at the time now. lastStep is the
// step of the last accepted code. A code of this or an earlier step is invalid, so that each code
// can be used only once. Spaces in code are ignored.
func (s TOTP) Verify(code string, now time.Time, lastStep int64) (step int64, ok bool, err error) {
	code = strings.ReplaceAll(code, " ", "")
	current := now.Unix() / totpStepSeconds
	for candidate := max(current-maxTOTPClockSteps, lastStep+1); candidate <= current+maxTOTPClockSteps; candidate++ {
		want, err := s.Code(candidate)
		if err != nil {
			return 0, false, err
		}
		if subtle.ConstantTimeCompare([]byte(code), []byte(want)) == 1 {
			return candidate, true, nil
		}
	}
	return 0, false, nil
}
