package cmd_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPackageList checks that the list of packages in docs/architecture.md has every package of this
// module, and no other.
func TestPackageList(t *testing.T) {
	t.Parallel()
	code := map[string]bool{}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." || entry.Name() == "testdata"):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			code[strings.TrimPrefix(path.Dir(filepath.ToSlash(name)), "../")] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(code, "..")                                                                // main.go
	code["internal"], code["internal/table"], code["internal/e2e"] = true, true, true // they have only folders or tests
	if diff := cmp.Diff(slices.Sorted(maps.Keys(listedPackages(t))), slices.Sorted(maps.Keys(code))); diff != "" {
		t.Errorf("docs/architecture.md does not list the packages of the code (-list +code):\n%s", diff)
	}
}

// listedPackages returns the folders that docs/architecture.md lists. The folders of an indented
// line are subfolders of the last folder in the nearest earlier line with less indentation.
func listedPackages(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(page), "main.go                one line")
	list, _, closed := strings.Cut(list, "\n```\n")
	if !found || !closed {
		t.Fatal("docs/architecture.md has no list of packages")
	}
	names := regexp.MustCompile(`^( *)((?:[a-z0-9]+/ *)+)(?:  |$)`)
	listed, parents := map[string]bool{}, []string{}
	for line := range strings.Lines(list) {
		line := names.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if line == nil {
			continue
		}
		depth := len(line[1]) / 2
		parents = parents[:min(depth, len(parents))]
		var last string
		for _, name := range strings.Fields(line[2]) {
			last = strings.TrimSuffix(name, "/")
			listed[path.Join(path.Join(parents...), last)] = true
		}
		parents = append(parents, last)
	}
	return listed
}

// TestNamedBenchmarks checks that the benchmarks that the documentation names exist in the package of
// the command.
func TestNamedBenchmarks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile("-bench ([A-Za-z0-9|'^$]+)[^`\n]* \\./(internal/[a-z0-9/]+)")
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, named := range command.FindAllStringSubmatch(string(text), -1) {
			found++
			if pattern := regexp.MustCompile(strings.Trim(named[1], "'")); !hasBenchmark(t, "../"+named[2], pattern) {
				t.Errorf("%s: no benchmark of %s matches %s", page, named[2], pattern)
			}
		}
	}
	if found < 5 {
		t.Errorf("the pages name only %d benchmarks", found)
	}
}

// hasBenchmark reports whether a benchmark in the folder dir matches pattern.
func hasBenchmark(t *testing.T, dir string, pattern *regexp.Regexp) bool {
	t.Helper()
	files, err := filepath.Glob(dir + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(`(?m)^func (Benchmark[A-Za-z0-9]+)\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range declaration.FindAllStringSubmatch(string(text), -1) {
			if pattern.MatchString(declared[1]) {
				return true
			}
		}
	}
	return false
}
