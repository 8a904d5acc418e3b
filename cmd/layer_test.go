package cmd_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// layers is the import table of docs/architecture.md: each package with the internal
// packages that it imports outside its tests. cmd may import anything except the parts of
// the engine.
var layers = map[string][]string{
	".":                        {"cmd"},
	"cmd":                      {"api", "app", "blob", "client", "frame", "gate", "humanize", "learn", "learningcurve", "prune", "receipt", "report", "roles", "scoring", "server", "store", "tablefile", "term"},
	"internal/api":             nil,
	"internal/app":             {"api", "auth", "blob", "frame", "job", "learn", "spill", "store"},
	"internal/auth":            nil,
	"internal/blob":            nil,
	"internal/client":          {"api"},
	"internal/frame":           {"humanize", "spill"},
	"internal/gate":            {"api", "learn/metric"},
	"internal/humanize":        nil,
	"internal/job":             nil,
	"internal/learn":           {"frame", "learn/boost", "learn/codec", "learn/forest", "learn/metric", "learn/neural", "learn/parallel", "learn/rng", "learn/split", "learn/tree", "spill"},
	"internal/learn/boost":     {"frame", "learn/codec", "learn/kernel", "learn/parallel", "learn/rng", "learn/split", "learn/tree", "learn/workspace", "spill"},
	"internal/learn/codec":     nil,
	"internal/learn/forest":    {"frame", "learn/codec", "learn/metric", "learn/parallel", "learn/split", "learn/tree", "spill"},
	"internal/learn/kernel":    {"learn/rng"},
	"internal/learn/metric":    nil,
	"internal/learn/neural":    {"frame", "learn/codec", "learn/kernel", "learn/parallel", "learn/rng", "learn/split", "learn/workspace"},
	"internal/learn/parallel":  nil,
	"internal/learn/rng":       nil,
	"internal/learn/split":     nil,
	"internal/learn/tree":      {"frame", "learn/codec", "learn/kernel", "learn/parallel"},
	"internal/learn/workspace": nil,
	"internal/learningcurve":   {"frame", "learn/split"},
	"internal/prune":           {"api", "client"},
	"internal/receipt":         {"api", "frame"},
	"internal/report":          {"api", "humanize"},
	"internal/roles":           {"frame"},
	"internal/scoring":         {"frame", "learn/metric"},
	"internal/spill":           nil,
	"internal/server":          {"api", "app", "auth"},
	"internal/store":           {"api"},
	"internal/tablefile":       {"frame"},
	"internal/term":            nil,
}

// TestLayers compares the code with the table: an edge or package that is not in it
// fails, and so does an unused row or edge.
func TestLayers(t *testing.T) {
	got := map[string][]string{}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Dir(strings.TrimPrefix(filepath.ToSlash(name), "../"))
		if file.Name.Name == "main" && pkg != "." {
			return nil // a generator: no part of the program
		}
		got[pkg] = slices.Clip(got[pkg]) // the package is there, even if it imports nothing
		for _, imported := range file.Imports {
			ours, ok := strings.CutPrefix(strings.Trim(imported.Path.Value, `"`), "foretell/")
			if ours = strings.TrimPrefix(ours, "internal/"); ok && !slices.Contains(got[pkg], ours) {
				got[pkg] = append(got[pkg], ours)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, edges := range got {
		slices.Sort(edges)
	}
	if diff := cmp.Diff(layers, got); diff != "" {
		t.Errorf("the imports are not those of the table (-table +code):\n%s", diff)
	}
}
