package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
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
		if err == nil && (h.memory > maxArgonMemoryKiB || h.passes > maxArgonPasses) {
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

// TestTokenHashes checks the hashes under which a token may be stored. Earlier releases look up
// the SHA-256 hash.
func TestTokenHashes(t *testing.T) {
	want := []string{ // printf token | openssl dgst -sha256, -sha3-256
		"3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0",
		"sha3-256:8a0df52bcedfa7661d4c14e7e3b438d21239636d8ae08d0ae96414cbad894a05",
	}
	got := TokenHashes("token")
	if !slices.Equal(got, want) || HashToken("token") != want[0] {
		t.Errorf("the hashes are %q, want %q", got, want)
	}
	for _, hash := range want {
		if key := SessionKey(hash); len(key) != 36 || strings.Contains(key, ":") || key[14] != '4' || !strings.Contains("89ab", key[19:20]) {
			t.Errorf("the key of the session %s is %s", hash, key)
		}
	}
}

// urlKey returns the key with a secret.
func urlKey(t testing.TB, algorithm, secret string) URLKey {
	t.Helper()
	key, err := NewURLKey(algorithm, []byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSignedAddress(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	expires := now.Unix() + 60
	for i, algorithm := range URLAlgorithms() {
		other := URLAlgorithms()[1-i]
		good := urlKey(t, algorithm, "secret").Sign("/a/b", expires)
		for _, tt := range []struct {
			name, path, signature string
			expires               int64
			secret, algorithm     string
			after                 time.Duration
			want                  error
		}{
			{"as signed", "/a/b", good, expires, "secret", algorithm, 0, nil},
			{"until it expires", "/a/b", good, expires, "secret", algorithm, 59 * time.Second, nil},
			{"and no longer", "/a/b", good, expires, "secret", algorithm, 60 * time.Second, ErrExpired},
			{"another path", "/a/c", good, expires, "secret", algorithm, 0, ErrInvalidSignature},
			{"another time", "/a/b", good, expires + 1, "secret", algorithm, 0, ErrInvalidSignature},
			{"another secret", "/a/b", good, expires, "secrets", algorithm, 0, ErrInvalidSignature},
			{"another algorithm", "/a/b", good, expires, "secret", other, 0, ErrInvalidSignature},
			{"no signature", "/a/b", "", expires, "secret", algorithm, 0, ErrInvalidSignature},
			{"no base64", "/a/b", "é", expires, "secret", algorithm, 0, ErrInvalidSignature},
		} {
			t.Run(algorithm+" "+tt.name, func(t *testing.T) {
				err := urlKey(t, tt.algorithm, tt.secret).Verify(tt.path, tt.expires, tt.signature, now.Add(tt.after))
				if !errors.Is(err, tt.want) {
					t.Errorf("%v, want %v", err, tt.want)
				}
			})
		}
	}
	if _, err := NewURLKey("none", []byte("secret")); err == nil {
		t.Error("an unknown algorithm is accepted")
	}
}

func FuzzVerify(f *testing.F) {
	key := urlKey(f, DefaultURLAlgorithm, "secret")
	f.Add("/a", int64(1), "")
	f.Add("/a", int64(1), urlKey(f, DefaultURLAlgorithm, "other").Sign("/a", 1))
	f.Fuzz(func(t *testing.T, path string, expires int64, signature string) {
		if key.Verify(path, expires, signature, time.Unix(0, 0)) == nil && signature != key.Sign(path, expires) {
			t.Errorf("%q holds for %q", signature, path)
		}
	})
}
