package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/store"
	"foretell/internal/testenv"
)

// openDirect opens an App with direct transfers, and returns the context of an account with it.
func openDirect(t *testing.T) (*App, context.Context) {
	t.Helper()
	return openWithoutWorkers(t, t.TempDir(), testenv.S3(t).String(), slog.New(slog.DiscardHandler))
}

// openWithoutWorkers opens an App that runs no jobs, with a database in dir, and returns the
// context of an account with it. The App has direct transfers if storage is an S3 store.
func openWithoutWorkers(t *testing.T, dir, storage string, log *slog.Logger) (*App, context.Context) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(t.Context(), filepath.Join(dir, "foretell.db"))
	ok(err)
	t.Cleanup(func() { _ = st.Close() })
	blobs, err := blob.Open(t.Context(), storage, blob.Options{Process: st.ProcessName(), TempDir: dir, Getenv: os.Getenv})
	ok(err)
	a, err := New(Config{Store: st, Blobs: blobs, TempDir: dir, Now: time.Now, Rand: rand.Reader, Log: log, DirectTransfers: strings.HasPrefix(storage, "s3:")})
	ok(err)
	session, err := a.OpenLocalSession(t.Context())
	ok(err)
	caller, err := a.Authenticate(t.Context(), session.AccessToken)
	ok(err)
	return a, account.WithCaller(t.Context(), caller)
}

// TestRefusedUploads uploads files to the S3 store that the service must refuse. The datasets must
// be FAILED, so that no client waits for them.
func TestRefusedUploads(t *testing.T) {
	t.Parallel()
	a, ctx := openDirect(t)
	create := func(name string) (*api.CreatedDataset, error) {
		return a.CreateDataset(ctx, &api.CreateDatasetInput{Body: api.NewDataset{DatasetName: name}})
	}
	check := func(key, reason string) {
		t.Helper()
		d, err := a.GetDataset(ctx, &api.DatasetInput{DatasetKey: key})
		if err != nil || d.Status != api.DatasetFailed || !strings.Contains(d.FailureReason, reason) {
			t.Errorf("%v, the dataset is %+v", err, d)
		}
		if left, err := a.direct.Uploads(ctx); err != nil || len(left) > 0 {
			t.Errorf("%v, the uploads are %v", err, left)
		}
	}
	me := callerFromContext(ctx).Account
	setQuota := func(bytes int64) {
		t.Helper()
		_, err := a.SetQuota(ctx, &api.SetQuotaInput{AccountInput: api.AccountInput{AccountKey: me}, Body: api.Quota{Bytes: &bytes}})
		if err != nil {
			t.Fatal(err)
		}
	}

	large, err := create("large")
	if err != nil {
		t.Fatal(err)
	}
	err = a.processUpload(ctx, blob.Upload{Name: me + "/" + large.DatasetKey, Size: api.MaxUploadBytes + 1, Modified: time.Now()})
	if err != nil {
		t.Error(err)
	}
	check(large.DatasetKey, "the file exceeds 534773760 bytes")

	setQuota(500)
	over, err := create("over")
	if err != nil {
		t.Fatal(err)
	}
	put, err := http.NewRequestWithContext(ctx, http.MethodPut, over.DatasetUploadInfo.UploadURL, bytes.NewReader(make([]byte, 600)))
	if err != nil {
		t.Fatal(err)
	}
	put.Header.Set("Content-Type", csvMediaType)
	resp, err := http.DefaultClient.Do(put)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.Body.Close() != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %s", err, resp.Status)
	}
	if _, err := a.processUploads(ctx); err != nil {
		t.Error(err)
	}
	if d, err := a.GetDataset(ctx, &api.DatasetInput{DatasetKey: over.DatasetKey}); err != nil || !api.IsQuotaFailure(d.FailureReason) {
		t.Errorf("%v, the failure reason %q is not about the quota", err, d.FailureReason)
	}
	check(over.DatasetKey, "the account's quota for stored bytes is 500 (used: 0, needed by this request: 600)")
	setQuota(5)
	if _, err := create("none"); api.CodeFromError(err) != api.CodeQuota {
		t.Errorf("a dataset without space for a file: %v", err)
	}
}
