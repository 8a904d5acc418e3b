package auth

import (
	"crypto/rand"
	"net/url"
	"testing"
	"time"
)

// TestTOTPVectors compares codes with those of RFC 6238, appendix B, shortened to six digits.
func TestTOTPVectors(t *testing.T) {
	secret := TOTP(totpEncoding.EncodeToString([]byte("12345678901234567890")))
	for seconds, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		got, err := secret.Code(seconds / totpStepSeconds)
		if err != nil || got != want {
			t.Errorf("at %d: %s, %v; want %s", seconds, got, err, want)
		}
	}
}

func TestTOTPVerify(t *testing.T) {
	secret, err := NewTOTP(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_800_000_000, 0)
	current := now.Unix() / totpStepSeconds
	for _, c := range []struct {
		name         string
		offset, last int64
		valid        bool
	}{
		{"current", 0, 0, true},
		{"the clock of the app is slow", -1, 0, true},
		{"the clock of the app is fast", 1, 0, true},
		{"too old", -2, 0, false},
		{"too new", 2, 0, false},
		{"used before", 0, current, false},
		{"older than a used one", -1, current, false},
		{"newer than a used one", 1, current, true},
	} {
		code, err := secret.Code(current + c.offset)
		if err != nil {
			t.Fatal(err)
		}
		step, valid, err := secret.Verify(code[:3]+" "+code[3:], now, c.last)
		if err != nil || valid != c.valid || valid && step != current+c.offset {
			t.Errorf("%s: %d, %v, %v", c.name, step, valid, err)
		}
	}
	for _, code := range []string{"", "12345", "1234567", "abcdef"} {
		if _, valid, err := secret.Verify(code, now, 0); valid || err != nil {
			t.Errorf("%q: %v, %v", code, valid, err)
		}
	}
	if _, _, err := TOTP("not base32!").Verify("123456", now, 0); err == nil {
		t.Error("no error for an invalid secret")
	}
}

func TestTOTPURL(t *testing.T) {
	u, err := url.Parse(TOTP("ABC").URL("models.example.com", "ada+x@example.com"))
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/models.example.com:ada+x@example.com" ||
		u.Query().Get("secret") != "ABC" || u.Query().Get("issuer") != "models.example.com" {
		t.Errorf("%+v, %v", u, err)
	}
}
