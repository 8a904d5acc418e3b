package cmd_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSecurityPage checks that each test that docs/security.md names exists, and that the page
// names a test for each requirement or states what is missing.
func TestSecurityPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	declared := declaredTests(t)
	for _, name := range regexp.MustCompile("`(?:([a-z0-9]+)\\.)?((?:Test|Fuzz)[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1) {
		folder, test := name[1], name[2]
		switch folders := declared[test]; {
		case len(folders) == 0, folder != "" && !slices.Contains(folders, folder):
			t.Errorf("docs/security.md names %s, which does not exist", name[0])
		case folder == "" && len(folders) > 1:
			t.Errorf("docs/security.md names %s, which is ambiguous: write the package before it, one of %v", name[0], folders)
		}
	}
	requirement := regexp.MustCompile(`^\| (\d+\.\d+\.\d+)`)
	var rows []string
	for line := range strings.Lines(string(page)) {
		if found := requirement.FindStringSubmatch(line); found != nil {
			rows = append(rows, found[1])
			if cells := strings.Split(line, "|"); len(cells) != 5 || strings.TrimSpace(cells[2]) == "" || strings.TrimSpace(cells[3]) == "" {
				t.Errorf("the row is incomplete: %s", line)
			}
		}
	}
	if len(rows) < 80 || len(slices.Compact(slices.Sorted(slices.Values(rows)))) != len(rows) {
		t.Errorf("%d rows: %v", len(rows), rows)
	}
}

// declaredTests returns, for the name of each test and fuzz target of the module, the names of the
// folders whose packages have it.
func declaredTests(t *testing.T) map[string][]string {
	t.Helper()
	names := map[string][]string{}
	declaration := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range declaration.FindAllStringSubmatch(string(text), -1) {
			names[found[1]] = append(names[found[1]], filepath.Base(filepath.Dir(path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
