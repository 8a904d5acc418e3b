package download

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"foretell/internal/exit"
)

// TestCheckExtensionOfDevice checks that an output that is no regular file is not rejected.
func TestCheckExtensionOfDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.gz")
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Skip(err)
	}
	if err := (&OutputFile{Path: path}).CheckExtension(); err != nil && runtime.GOOS != "windows" {
		t.Error(err)
	}
}

// TestCheckExtension checks that an extension of another format is rejected, because all results are
// CSV.
func TestCheckExtension(t *testing.T) {
	for path, hint := range map[string]string{
		"-": "", "out": "", "out.csv": "", "out.txt": "", "out.predictions.csv": "", "/dev/stdout": "", "v1.2": "",
		"out.csv.gz": "-o out.csv, and compress", "out.gz": "-o out.csv, and compress", "a b.CSV.ZST": "-o 'a b.CSV', and compress",
		"out.tsv": "-o out.csv", "d/out.Parquet": "-o d/out.csv", "out.json": "-o out.csv",
		"out.7z": "-o out.csv, and compress", "out.tgz": "-o out.csv, and compress", "out.csv.lz4": "with lz4", "out.AVRO": "-o out.csv", "out.pkl": "-o out.csv",
	} {
		err := (&OutputFile{Path: path}).CheckExtension()
		var usage *exit.Error
		switch {
		case errors.As(err, &usage) != (hint != ""):
			t.Errorf("%s: %v", path, err)
		case err != nil && !strings.Contains(usage.Hint, hint):
			t.Errorf("%s: the hint %q lacks %q", path, usage.Hint, hint)
		}
	}
}
