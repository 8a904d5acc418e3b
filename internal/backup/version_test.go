package backup_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/backup"
	"foretell/internal/store"
)

// TestNewerBackup checks that a backup of a newer version of this program is refused.
func TestNewerBackup(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	header := `{"format":2,"schema":99}`
	err := errors.Join(w.WriteHeader(&tar.Header{Name: "backup.json", Size: int64(len(header)), Mode: 0o600}))
	if _, errWrite := io.WriteString(w, header); errors.Join(err, errWrite, w.Close()) != nil {
		t.Fatal(err, errWrite)
	}
	target := newPlace(t)
	if _, err := target.restore(t, archive.Bytes()); !errors.Is(err, backup.ErrNewer) {
		t.Errorf("restored: %v", err)
	}
}

// restoreEarlier restores a backup that a program with schema 11 wrote, without upgrading it.
func restoreEarlier(t *testing.T, database, storage string) (*place, *backup.Summary) {
	t.Helper()
	archive, err := os.ReadFile("testdata/schema-11.tar")
	if err != nil {
		t.Fatal(err)
	}
	old := open(t, database, storage, 11)
	summary, err := old.restore(t, archive)
	if err != nil {
		t.Fatal(err)
	}
	return old, summary
}

// TestEarlierSchema restores a backup that a program with schema 11 wrote, and upgrades it.
func TestEarlierSchema(t *testing.T) {
	t.Parallel()
	for name, create := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database, storage := create(t)
			_, summary := restoreEarlier(t, database, storage)
			if summary.Header.Schema != 11 || summary.Rows != 4 || summary.Files != 3 {
				t.Errorf("the summary is %+v", summary)
			}
			want := map[string]string{}
			for i := range 3 {
				want[fmt.Sprintf("d%d", i)] = strings.Repeat("id,class\n", 100*i+1)
			}
			if diff := cmp.Diff(want, open(t, database, storage, 0).contents(t)); diff != "" {
				t.Errorf("upgraded (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBackupOfEarlierSchema backs up a database with schema 11, which must keep that schema.
func TestBackupOfEarlierSchema(t *testing.T) {
	t.Parallel()
	for name, create := range backends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database, storage := create(t)
			old, _ := restoreEarlier(t, database, storage)
			unchanged, err := store.OpenUnchanged(t.Context(), database)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = unchanged.Close() }()
			var again bytes.Buffer
			summary, err := backup.Write(t.Context(), &again, backup.ServiceData{Store: unchanged, Blobs: old.Blobs}, "test", created)
			if err != nil {
				t.Fatal(err)
			}
			if summary.Header.Schema != 11 || summary.Files != 3 || unchanged.HasNewestSchema() {
				t.Errorf("the summary is %+v", summary)
			}
			if m := open(t, database, storage, 11).Store.Migration(); m.From != 11 {
				t.Errorf("after the backup the schema is %d", m.From)
			}
			target, files := create(t)
			if _, err := open(t, target, files, 11).restore(t, again.Bytes()); err != nil {
				t.Errorf("restore: %v", err)
			}
		})
	}
}
