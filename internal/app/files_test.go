package app_test

import (
	"strings"
	"sync"
	"testing"

	"foretell/internal/api"
	"foretell/internal/blob"
)

// TestCheckOfDeletedFiles deletes datasets while CheckFiles reads the first file. Their files are
// not damaged.
func TestCheckOfDeletedFiles(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	var keys []string
	for _, name := range []string{"one", "two", "three"} { // no worker prepares the datasets
		key := b.create(t, name).DatasetKey
		b.add(t, key, labelled(60))
		keys = append(keys, key)
	}
	var once sync.Once
	b.ObserveFiles(func(c blob.BackendCall) {
		if c.Operation == blob.CallRead {
			once.Do(func() {
				for _, key := range keys {
					must(b.DeleteDataset(b.ctx, &api.DatasetInput{DatasetKey: key}))(t)
				}
			})
		}
	})
	result := must(b.CheckFiles(t.Context(), true))(t)
	if len(result.Damaged) > 0 || result.Files != 1 {
		t.Errorf("%d files, damaged: %v", result.Files, result.Damaged)
	}
}

// TestDownloadOfDeletedModel deletes the model after its download was opened and before the first
// byte is sent.
func TestDownloadOfDeletedModel(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	b.work(t)
	in := &api.ModelInput{ModelKey: b.trained(t, "flowers").ModelKey}
	file := must(b.DownloadModel(b.ctx, in))(t)
	must(b.DeleteModel(b.ctx, in))(t)
	err := begin(t, file)
	wantCode(t, err, api.CodeNotFound)
	if err == nil || !strings.Contains(err.Error(), "was deleted") {
		t.Errorf("the error is %v", err)
	}
}
