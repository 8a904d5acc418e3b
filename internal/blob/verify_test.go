package blob

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestVerifiedReader(t *testing.T) {
	onEachBackend(t, func(t *testing.T, place testStore) {
		t.Helper()
		s := place.open(t, "a")
		info, err := put(t, s, strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, content string
			want          Info
			err           error
		}{
			{"whole", "hello", info, nil},
			{"flipped", "hallo", info, ErrDamaged},
			{"cut", "hell", info, ErrDamaged},
			{"longer", "hello!", info, ErrDamaged},
			{"cut, of a release without sums", "hell", Info{Key: info.Key, Size: 5}, ErrDamaged},
			{"nothing known", "hell", Info{Key: info.Key}, nil},
		} {
			t.Run(tt.name, func(t *testing.T) {
				place.overwrite(t, info.Key, tt.content)
				r, err := s.OpenVerified(t.Context(), tt.want)
				if err == nil {
					defer func() { _ = r.Close() }()
					var some [2]byte
					_, _ = io.ReadFull(r, some[:]) // a reader that stops early
					err = r.Verify()
					if again := r.Verify(); !errors.Is(again, err) {
						t.Errorf("first %v, then %v", err, again)
					}
				}
				wantError(t, err, tt.err)
			})
		}
		t.Run("a context that ends", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			r, err := s.OpenVerified(ctx, Info{Key: info.Key})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			cancel()
			wantError(t, r.Verify(), context.Canceled)
		})
	})
}
