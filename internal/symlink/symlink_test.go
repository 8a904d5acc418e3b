package symlink

import (
	"os"
	"runtime"
	"testing"
)

// TestResolve resolves links to files, to other links and to files that do not exist.
func TestResolve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("only administrators may create links")
	}
	t.Chdir(t.TempDir())
	for _, err := range []error{
		os.MkdirAll("a/b", 0o700), os.WriteFile("a/file", nil, 0o600), os.Symlink("a/b", "folder"),
		os.Symlink("a/file", "link"), os.Symlink("link", "twice"), os.Symlink("../new", "a/dangling"), os.Symlink("../lost", "a/b/lost"), os.Symlink("cycle", "cycle"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"a/file":          "a/file",
		"missing":         "missing",
		"link":            "a/file",
		"twice":           "a/file",
		"a/dangling":      "new",
		"folder/lost":     "a/lost", // not lost, because folder is a link
		"cycle":           "cycle",
		"folder/../other": "folder/../other",
	} {
		if got := Resolve(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
