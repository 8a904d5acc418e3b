package blob

import (
	"path/filepath"
	"testing"
)

func TestSpace(t *testing.T) {
	dir := t.TempDir()
	free, total, err := DiskSpace(dir)
	if err != nil || free == 0 || total < free {
		t.Errorf("%d bytes free of %d, %v", free, total, err)
	}
	if _, _, err := DiskSpace(filepath.Join(dir, "missing")); err == nil {
		t.Error("a folder that is missing has space")
	}
}
