package preflight

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"foretell/internal/cli"
)

// TestInstallBothCopies checks that no copy is installed if the second one cannot be, because a file or
// a folder with its name was created in the meantime.
func TestInstallBothCopies(t *testing.T) {
	for name, c := range map[string]struct {
		create func(path string) error
		force  bool
	}{
		"a_file":   {func(path string) error { return os.WriteFile(path, []byte("other"), 0o600) }, false},
		"a_folder": {func(path string) error { return os.Mkdir(path, 0o700) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := &Repairer{}
			for _, name := range []string{"train.csv", "blind.csv"} {
				temp, err := cli.CreateTemp(dir)
				if err != nil {
					t.Fatal(err)
				}
				r.Copies = append(r.Copies, &correctedCopy{Path: filepath.Join(dir, name), temp: temp})
			}
			if err := c.create(r.Copies[1].Path); err != nil {
				t.Fatal(err)
			}
			if err := r.Install(c.force); !errors.Is(err, fs.ErrExist) {
				t.Errorf("error %v, want %v", err, fs.ErrExist)
			}
			r.Discard()
			files, err := os.ReadDir(dir)
			if err != nil || len(files) != 1 || files[0].Name() != "blind.csv" {
				t.Errorf("the folder has %v, %v; want only blind.csv", files, err)
			}
		})
	}
}
