package download

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/cli"
)

// TestInstallReceipt fails to install a receipt. The result must stay in its place, except if
// another process has created the receipt.
func TestInstallReceipt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		force, lost, own bool // lost: the written receipt was removed; own: another process has created a receipt
		wantKept         bool
	}{
		{"force_and_lost", true, true, false, true},
		{"lost", false, true, false, true},
		{"taken", false, false, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			final, temp, written := filepath.Join(dir, "out.csv"), filepath.Join(dir, "temp"), filepath.Join(dir, "written")
			files := []string{final}
			if !tt.lost {
				files = append(files, written)
			}
			if tt.own {
				files = append(files, final+".receipt.json")
			}
			for _, path := range files {
				if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := (&OutputFile{Force: tt.force}).installReceipt(written, temp, final)
			if err == nil || strings.Contains(err.Error(), "was written, but not its receipt") != tt.wantKept || errors.Is(err, fs.ErrExist) == tt.wantKept {
				t.Errorf("error %v", err)
			}
			if _, err := os.Stat(final); (err == nil) != tt.wantKept {
				t.Errorf("the result: %v", err)
			}
			if _, err := os.Stat(written); err == nil {
				t.Error("the temporary receipt remains")
			}
		})
	}
}

// TestCheckMayWrite checks the place of the receipt before the race.
func TestCheckMayWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a.csv.receipt.json", "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.csv", "b.csv.receipt.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		file OutputFile
		want string
	}{
		{OutputFile{Path: "a.csv"}, "is a folder or a device"},
		{OutputFile{Path: "a.csv", Force: true}, "is a folder or a device"},
		{OutputFile{Path: "b.csv"}, "already exists"},
		{OutputFile{Path: "b.csv", Force: true}, ""},
		{OutputFile{Path: strings.Repeat("n", 242)}, ""},
		{OutputFile{Path: strings.Repeat("n", 243)}, "the name of the receipt"},
		{OutputFile{Path: strings.Repeat("n", 255), NoReceipt: true}, ""},
		{OutputFile{Path: strings.Repeat("n", 256), NoReceipt: true}, "the name of the output"},
	} {
		tt.file.Path, tt.file.Factory = filepath.Join(dir, tt.file.Path), &cli.Factory{}
		err := tt.file.CheckMayWrite()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, force %v: %v, want %q", filepath.Base(tt.file.Path), tt.file.Force, err, tt.want)
		}
	}
}
