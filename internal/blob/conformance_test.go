package blob

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"foretell/internal/testenv"
)

// testStore is an empty place for blobs.
type testStore struct {
	location string
	// overwrite replaces the bytes of a blob, to simulate damage to the storage.
	overwrite func(t *testing.T, key, content string)
}

// open opens the store as the named process would.
func (s testStore) open(t *testing.T, process string) *Store {
	t.Helper()
	opened, err := Open(t.Context(), s.location, Options{Process: process, TempDir: t.TempDir(), Getenv: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// onEachBackend runs a test of the contract of Store, once with a folder and once with a
// bucket.
func onEachBackend(t *testing.T, test func(t *testing.T, s testStore)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		test(t, testStore{
			location: "file://" + filepath.ToSlash(dir),
			overwrite: func(t *testing.T, key, content string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(dir, key), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
	t.Run("bucket", func(t *testing.T) { test(t, testBucket(t)) })
}

// testBucket returns an empty prefix in the bucket of FORETELL_TEST_S3.
func testBucket(t *testing.T) testStore {
	t.Helper()
	s := testStore{location: testenv.S3(t).String()}
	s.overwrite = func(t *testing.T, key, content string) {
		t.Helper()
		b := s.open(t, "a").backend.(*bucketStore)
		if _, err := b.core.Client.PutObject(t.Context(), b.bucket, b.objectName(key), strings.NewReader(content), int64(len(content)), minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		opened, err := Open(ctx, s.location, Options{Process: "a", Getenv: os.Getenv})
		if err != nil {
			return // the test has broken the store
		}
		b := opened.backend.(*bucketStore)
		for object := range b.core.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true}) {
			_ = b.core.RemoveObject(ctx, b.bucket, object.Key, minio.RemoveObjectOptions{})
		}
	})
	return s
}

// put stores the bytes of r, or nothing if r fails.
func put(t *testing.T, s *Store, r io.Reader) (Info, error) {
	t.Helper()
	w, err := s.Create(t.Context())
	if err != nil {
		return Info{}, err
	}
	defer w.Abort()
	if _, err := io.Copy(w, r); err != nil {
		return Info{}, err
	}
	return w.Commit()
}

// mustPut stores a blob and returns its key.
func mustPut(t *testing.T, s *Store, content string) string {
	t.Helper()
	info, err := put(t, s, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return info.Key
}

// names returns the names of all blobs except orphans. It includes incomplete blobs.
func names(t *testing.T, s *Store) []string {
	t.Helper()
	return listNames(t, s, false)
}

// orphanNames returns the names of all orphans.
func orphanNames(t *testing.T, s *Store) []string {
	t.Helper()
	return listNames(t, s, true)
}

func listNames(t *testing.T, s *Store, orphans bool) []string {
	t.Helper()
	var all []string
	err := s.eachBatch(t.Context(), func(entries []listedBlob) error {
		for _, e := range entries {
			if e.orphaned.IsZero() != orphans {
				all = append(all, e.name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantNames(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// wantContent checks the bytes of a blob.
func wantContent(t *testing.T, s *Store, key, want string) {
	t.Helper()
	r, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); string(b) != want || r.Size != int64(len(want)) || err != nil {
		t.Errorf("%d bytes of %d (want %d), %v", len(b), r.Size, len(want), err)
	}
}

func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}
