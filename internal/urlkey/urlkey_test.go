package urlkey

import (
	"crypto/rand"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"foretell/internal/auth"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// TestRotate replaces the key while two processes use it. Both must sign with the new key a second
// later. Old URLs must work until the end of the grace period, also those that a process signs before
// it has noticed the new key.
func TestRotate(t *testing.T) {
	t.Parallel()
	for name, location := range map[string]func(testing.TB) string{
		"SQLite":     func(t testing.TB) string { t.Helper(); return filepath.Join(t.TempDir(), "foretell.db") },
		"PostgreSQL": testenv.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where, now := location(t), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			expires := now.Unix() + 3600
			open := func() *RotatingKey {
				rows, err := store.Open(t.Context(), where)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = rows.Close() })
				k, err := New(t.Context(), rows, func() time.Time { return now }, rand.Reader)
				if err != nil {
					t.Fatal(err)
				}
				return k
			}
			first, second := open(), open()
			verify := func(k *RotatingKey, signature string, want error) {
				t.Helper()
				if err := k.Verify(t.Context(), "/a", expires, signature); !errors.Is(err, want) {
					t.Errorf("error %v, want %v", err, want)
				}
			}
			replace := func(algorithm, want string) {
				t.Helper()
				var info *Info
				err := first.store.Write(t.Context(), func(tx *store.Tx) (err error) {
					info, err = first.Rotate(t.Context(), tx, algorithm)
					return err
				})
				if err != nil || info.Algorithm != want || info.CreatedOn == "" {
					t.Fatalf("the new key is %+v, %v", info, err)
				}
				if described, err := second.Describe(t.Context()); err != nil || described.Algorithm != want || described.CreatedOn == "" {
					t.Errorf("the key is %+v, want %+v, %v", described, info, err)
				}
			}
			old := first.Sign(t.Context(), "/a", expires)
			verify(second, old, nil)
			for _, c := range []struct{ algorithm, want string }{{"", auth.DefaultURLAlgorithm}, {"HMAC-SHA3-256", "HMAC-SHA3-256"}, {"", "HMAC-SHA3-256"}} {
				_ = second.Sign(t.Context(), "/a", expires)
				replace(c.algorithm, c.want)
				late := second.Sign(t.Context(), "/a", expires)
				if late != old {
					t.Error("the old key is not used for a second")
				}
				verify(first, late, nil)
				now = now.Add(maxCacheAge)
				fresh := second.Sign(t.Context(), "/a", expires)
				verify(first, fresh, nil)
				verify(second, late, nil)
				now = now.Add(gracePeriod) // more than the rest, because the clocks of the processes may differ
				for _, k := range []*RotatingKey{first, second, open()} {
					verify(k, old, auth.ErrInvalidSignature)
					verify(k, fresh, nil)
				}
				old = fresh
			}
			err := first.store.Write(t.Context(), func(tx *store.Tx) error {
				_, err := first.Rotate(t.Context(), tx, "none")
				return err
			})
			if err == nil {
				t.Error("an unknown algorithm is accepted")
			}
			verify(second, old, nil)
			now = now.Add(time.Hour)
			verify(second, old, auth.ErrExpired)
		})
	}
}

// TestSignWithoutDatabase checks that URLs are still signed while the database does not respond, and
// that no signature is accepted.
func TestSignWithoutDatabase(t *testing.T) {
	t.Parallel()
	rows, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "foretell.db"))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	k, err := New(t.Context(), rows, func() time.Time { return now }, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	before := k.Sign(t.Context(), "/a", now.Unix()+60)
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	now = now.Add(maxCacheAge)
	if after := k.Sign(t.Context(), "/a", now.Unix()+59); after != before {
		t.Errorf("the signature is %s, want %s", after, before)
	}
	if err := k.Verify(t.Context(), "/a", now.Unix()+59, before); err == nil || errors.Is(err, auth.ErrInvalidSignature) {
		t.Errorf("error %v", err)
	}
}
