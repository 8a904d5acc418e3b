package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestPasswords(t *testing.T) {
	p := NewPasswordHasher(2, 0, rand.Reader)
	hash, err := p.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", hash)
	}
	t.Run("the password fits", func(t *testing.T) {
		if err := p.Verify(t.Context(), hash, "correct horse"); err != nil {
			t.Error(err)
		}
	})
	t.Run("another does not", func(t *testing.T) {
		if err := p.Verify(t.Context(), hash, "correct donkey"); !errors.Is(err, ErrWrongPassword) {
			t.Error(err)
		}
	})
	t.Run("nothing fits an empty hash", func(t *testing.T) {
		if err := p.Verify(t.Context(), "", ""); !errors.Is(err, ErrWrongPassword) {
			t.Error(err)
		}
	})
	t.Run("two hashes of one password differ", func(t *testing.T) {
		again, err := p.Hash(t.Context(), "correct horse")
		if err != nil || again == hash {
			t.Error(again, err)
		}
	})
	t.Run("who waits for a slot can give up", func(t *testing.T) {
		p.slots <- struct{}{}
		p.slots <- struct{}{}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.Verify(ctx, hash, "correct horse"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// The reference vector of the argon2 command line tool, version 20190702:
// echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

func TestVerifyReadsOtherCosts(t *testing.T) {
	p := NewPasswordHasher(1, 0, rand.Reader)
	if err := p.Verify(t.Context(), reference, "password"); err != nil {
		t.Error(err)
	}
}

func FuzzParsePHC(f *testing.F) {
	f.Add(reference)
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$$")
	f.Add("$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	f.Fuzz(func(t *testing.T, s string) {
		h, err := parsePHC(s)
		if err == nil && h.String() != s {
			t.Errorf("%q reads as %q", s, h)
		}
		if err == nil && (h.memory > maxMemoryKiB || h.passes > maxPasses) {
			t.Errorf("%q costs too much", s)
		}
	})
}

func TestTokens(t *testing.T) {
	a, errA := NewToken(rand.Reader)
	b, errB := NewToken(rand.Reader)
	if errA != nil || errB != nil || a == b || len(a) != 43 {
		t.Errorf("tokens %q, %q, %v, %v", a, b, errA, errB)
	}
	if HashToken(a) == HashToken(b) || strings.Contains(HashToken(a), a) {
		t.Error("the hash does not hide the token")
	}
}

func TestSignedAddress(t *testing.T) {
	secret, now := []byte("secret"), time.Unix(1_800_000_000, 0)
	expires := now.Unix() + 60
	good := SignURL(secret, "/a/b", expires)
	for _, tt := range []struct {
		name, path, signature string
		expires               int64
		secret                string
		after                 time.Duration
		want                  error
	}{
		{"as signed", "/a/b", good, expires, "secret", 0, nil},
		{"until it expires", "/a/b", good, expires, "secret", 59 * time.Second, nil},
		{"and no longer", "/a/b", good, expires, "secret", 60 * time.Second, ErrExpired},
		{"another path", "/a/c", good, expires, "secret", 0, ErrInvalidSignature},
		{"another time", "/a/b", good, expires + 1, "secret", 0, ErrInvalidSignature},
		{"another secret", "/a/b", good, expires, "secrets", 0, ErrInvalidSignature},
		{"no signature", "/a/b", "", expires, "secret", 0, ErrInvalidSignature},
		{"no base64", "/a/b", "é", expires, "secret", 0, ErrInvalidSignature},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := VerifyURL([]byte(tt.secret), tt.path, tt.expires, tt.signature, now.Add(tt.after))
			if !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("/a", int64(1), "")
	f.Add("/a", int64(1), SignURL([]byte("other"), "/a", 1))
	f.Fuzz(func(t *testing.T, path string, expires int64, signature string) {
		if VerifyURL([]byte("secret"), path, expires, signature, time.Unix(0, 0)) == nil && signature != SignURL([]byte("secret"), path, expires) {
			t.Errorf("%q holds for %q", signature, path)
		}
	})
}
