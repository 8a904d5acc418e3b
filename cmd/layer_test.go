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

// layers is the table of imports that docs/architecture.md refers to: for each package, the
// packages of this module that it imports outside its tests. cmd may import any package except
// the parts of the engine other than learn/model.
var layers = map[string][]string{
	".":                           {"cmd"},
	"cmd":                         {"api", "blob", "build", "cli", "client", "cmd/crud", "cmd/dataset", "cmd/model", "cmd/prediction", "cmd/service", "cmd/session", "cmd/training", "config", "connect", "credential", "doctor", "download", "exit", "gate", "humanize", "leaderboard", "learn/model", "learningcurve", "modelfile", "preflight", "prune", "race", "receipt", "report", "request", "requirement", "rescue", "scoring", "table/profile", "term"},
	"cmd/crud":                    {"cli", "client", "connect", "requirement"},
	"cmd/dataset":                 {"api", "cli", "client", "cmd/crud", "connect", "exit", "preflight", "term"},
	"cmd/model":                   {"api", "cli", "client", "cmd/crud", "connect", "download", "drift", "exit", "htmlreport", "leaderboard", "learn/model", "modelfile", "preflight", "receipt", "report", "requirement", "term"},
	"cmd/prediction":              {"api", "build", "cli", "client", "cmd/crud", "connect", "download", "exit", "gate", "humanize", "learn/model", "modelfile", "preflight", "race", "receipt", "report", "requirement", "scoring", "table/profile", "term"},
	"cmd/service":                 {"account", "api", "app", "auth", "backup", "cli", "client", "config", "connect", "credential", "exit", "filelock", "humanize", "listen", "machine", "mail", "server", "symlink", "term", "urlkey"},
	"cmd/session":                 {"api", "build", "cli", "client", "config", "connect", "credential", "exit"},
	"cmd/training":                {"api", "cli", "client", "cmd/crud", "connect", "exit", "race", "requirement", "term"},
	"internal/account":            {"api", "auth", "store", "term"},
	"internal/api":                {"humanize"},
	"internal/app":                {"account", "api", "auth", "blob", "clamav", "drift", "humanize", "jobqueue", "learn", "learn/memory", "learn/metric", "modelreport", "outage", "problem", "quota", "repeat", "store", "storedfile", "table/csvfile", "table/frame", "table/profile", "turn", "urlkey", "worker", "worker/training"},
	"internal/auth":               nil,
	"internal/backup":             {"blob", "humanize", "spill", "store"},
	"internal/blob":               {"span", "spill"},
	"internal/build":              nil,
	"internal/clamav":             nil,
	"internal/cli":                {"api", "build", "client", "config", "exit", "humanize", "otlp", "span", "symlink", "table/csvfile", "term"},
	"internal/client":             {"api", "humanize", "span"},
	"internal/config":             {"api", "client", "exit", "filelock", "humanize", "symlink", "term"},
	"internal/connect":            {"account", "api", "app", "auth", "backup", "blob", "build", "clamav", "cli", "client", "config", "credential", "dashboard", "exit", "humanize", "listen", "machine", "server", "store", "store/pgurl", "storedfile", "term"},
	"internal/credential":         {"api", "client", "config", "exit", "symlink", "term"},
	"internal/dashboard":          {"account", "api", "client", "design", "htmlreport", "humanize", "leaderboard", "receipt", "report", "roles", "spill", "table/csvfile", "table/repair", "table/result", "tablefile", "term", "turn"},
	"internal/design":             {"api", "humanize", "term"},
	"internal/doctor":             {"api", "blob", "build", "cli", "client", "config", "connect", "credential", "exit", "humanize", "storedfile", "term"},
	"internal/download":           {"api", "build", "cli", "client", "connect", "exit", "humanize", "learn/model", "modelfile", "preflight", "receipt", "scoring", "symlink", "table/csvfile", "table/profile", "table/result", "term"},
	"internal/drift":              {"api", "humanize", "table/cells", "table/compare", "table/csvfile", "table/frame", "table/inference", "table/profile"}, // compare counts the numbers that a model does not read
	"internal/exit":               {"api", "client", "gate", "table/csvfile", "term"},
	"internal/filelock":           nil,
	"internal/gate":               {"api", "humanize", "learn/metric"},
	"internal/htmlreport":         {"api", "client", "design", "humanize", "report"},
	"internal/humanize":           nil,
	"internal/job":                {"rescue"},
	"internal/jobqueue":           {"api", "auth", "job", "store"},
	"internal/leaderboard":        {"api", "client", "gate", "report", "term"},
	"internal/learn":              {"learn/boost", "learn/codec", "learn/duplicate", "learn/evaluation", "learn/explain", "learn/forest", "learn/logistic", "learn/metric", "learn/model", "learn/neural", "learn/parallel", "learn/rng", "learn/scheduler", "learn/screen", "learn/smooth", "learn/split", "learn/text", "learn/tree", "spill", "table/frame"},
	"internal/learn/boost":        {"learn/codec", "learn/kernel", "learn/parallel", "learn/rng", "learn/shapley", "learn/split", "learn/tree", "learn/workspace", "onnx", "spill", "table/frame"},
	"internal/learn/codec":        nil,
	"internal/learn/duplicate":    {"learn/parallel", "learn/rng", "table/frame"},
	"internal/learn/evaluation":   {"learn/metric", "learn/mixture", "learn/split"},
	"internal/learn/explain":      {"learn/codec", "learn/duplicate", "learn/metric", "learn/parallel", "learn/rng", "learn/shapley", "learn/split", "table/cells", "table/csvfile", "table/frame"},
	"internal/learn/forest":       {"learn/codec", "learn/metric", "learn/parallel", "learn/shapley", "learn/split", "learn/tree", "onnx", "spill", "table/frame"},
	"internal/learn/kernel":       {"learn/rng"},
	"internal/learn/logistic":     {"learn/codec", "learn/kernel", "learn/preprocess", "learn/rng", "learn/shapley", "learn/split", "onnx", "table/frame"},
	"internal/learn/memory":       {"learn/model", "learn/screen", "learn/smooth", "learn/split", "learn/text", "table/frame"},
	"internal/learn/metric":       {"humanize"},
	"internal/learn/mixture":      {"learn/split"},
	"internal/learn/model":        {"learn/boost", "learn/codec", "learn/explain", "learn/forest", "learn/metric", "learn/neural", "learn/parallel", "learn/shapley", "learn/smooth", "learn/text", "onnx", "spill", "table/cells", "table/frame", "table/result"},
	"internal/learn/neural":       {"learn/codec", "learn/kernel", "learn/parallel", "learn/preprocess", "learn/rng", "learn/shapley", "learn/split", "learn/workspace", "onnx", "table/frame"},
	"internal/learn/parallel":     {"rescue"},
	"internal/learn/preprocess":   nil,
	"internal/learn/rng":          nil,
	"internal/learn/scheduler":    nil,
	"internal/learn/screen":       {"learn/parallel", "learn/split", "learn/tree", "table/frame"},
	"internal/learn/shapley":      nil,
	"internal/learn/smooth":       {"learn/codec", "learn/logistic", "learn/metric", "learn/neural", "learn/parallel", "learn/shapley", "learn/split", "onnx", "table/frame"},
	"internal/learn/split":        nil,
	"internal/learn/text":         {"learn/codec", "learn/parallel", "learn/rng", "table/cells"},
	"internal/learn/tree":         {"learn/codec", "learn/kernel", "learn/parallel", "onnx", "table/frame"},
	"internal/learn/workspace":    nil,
	"internal/learningcurve":      {"learn/split", "table/csvfile", "table/profile"},
	"internal/listen":             nil,
	"internal/machine":            nil,
	"internal/mail":               nil,
	"internal/modelfile":          {"api", "exit", "humanize", "learn/model", "onnx", "table/frame", "table/inference", "term"},
	"internal/modelreport":        {"api", "learn", "store"},
	"internal/onnx":               nil,
	"internal/onnx/onnxtest":      nil,
	"internal/otlp":               {"span"},
	"internal/outage":             nil,
	"internal/preflight":          {"api", "cli", "client", "connect", "drift", "exit", "humanize", "receipt", "roles", "symlink", "table/cells", "table/check", "table/columnstats", "table/compare", "table/csvfile", "table/frame", "table/inference", "table/profile", "table/repair", "table/result", "tablefile", "term"},
	"internal/problem":            {"api", "blob", "humanize", "job", "machine", "store"},
	"internal/prune":              {"api", "client", "humanize", "term"},
	"internal/quota":              {"api", "store"},
	"internal/race":               {"api", "cli", "client", "connect", "exit", "gate", "humanize", "learn/metric", "learningcurve", "preflight", "table/csvfile", "table/frame", "table/profile"},
	"internal/receipt":            {"api", "build", "client", "scoring", "symlink", "table/csvfile", "table/profile", "table/result"},
	"internal/repeat":             nil,
	"internal/report":             {"api", "client", "gate", "humanize", "scoring", "term"},
	"internal/request":            {"api", "client", "exit"},
	"internal/requirement":        {"api", "cli", "client", "config", "connect", "exit", "gate", "term"},
	"internal/rescue":             nil,
	"internal/roles":              {"humanize", "table/cells", "table/csvfile", "table/inference", "table/profile"},
	"internal/scoring":            {"humanize", "learn/metric", "table/cells", "table/csvfile", "table/result"},
	"internal/server":             {"account", "api", "app", "auth", "blob", "dashboard", "rescue", "storedfile", "table/csvfile"}, // auth limits the requests of an account; csvfile compares names; storedfile has the type of the sizes in the metrics
	"internal/span":               nil,
	"internal/spill":              nil,
	"internal/store":              {"api", "span", "store/database", "store/process", "store/schema"},
	"internal/store/database":     {"filelock", "machine", "store/pgurl", "store/process", "store/schema"},
	"internal/store/pgurl":        nil,
	"internal/store/process":      {"filelock"},
	"internal/store/schema":       nil,
	"internal/storedfile":         {"api", "auth", "blob", "clamav", "humanize", "store", "turn"}, // turn limits verifications
	"internal/symlink":            nil,
	"internal/table/cells":        nil,
	"internal/table/check":        {"humanize", "table/cells", "table/columnstats", "table/csvfile", "table/frame", "table/inference"},
	"internal/table/columnstats":  {"table/cells", "table/csvfile", "table/frame"},
	"internal/table/compare":      {"humanize", "table/cells", "table/columnstats", "table/csvfile", "table/frame", "table/inference", "table/profile"},
	"internal/table/csvfile":      {"humanize", "rescue", "table/cells"},
	"internal/table/dupid":        {"spill", "table/csvfile"},
	"internal/table/frame":        {"humanize", "table/cells", "table/csvfile", "table/dupid"},
	"internal/table/inference":    {"table/cells", "table/columnstats", "table/frame"},
	"internal/table/profile":      {"humanize", "rescue", "table/cells", "table/check", "table/columnstats", "table/csvfile", "table/dupid", "table/frame", "table/inference", "table/rowsample"},
	"internal/table/repair":       {"humanize", "table/cells", "table/check", "table/columnstats", "table/csvfile", "table/dupid", "table/frame", "table/inference", "table/profile"},
	"internal/table/result":       {"humanize", "table/cells", "table/csvfile", "table/frame"},
	"internal/table/rowsample":    {"rescue", "spill", "table/cells", "table/csvfile"},
	"internal/table/tabletest":    nil,
	"internal/tablefile":          {"humanize", "table/cells", "table/csvfile"},
	"internal/term":               nil,
	"internal/testenv":            nil,
	"internal/testenv/chrome":     {"testenv"},
	"internal/turn":               {"rescue"},
	"internal/urlkey":             {"api", "auth", "store"},
	"internal/worker":             {"blob", "clamav", "job", "jobqueue", "problem", "repeat", "span", "spill", "store", "storedfile", "worker/prediction", "worker/preparation", "worker/training"},
	"internal/worker/prediction":  {"api", "job", "jobqueue", "learn/model", "problem", "quota", "repeat", "store", "storedfile", "table/csvfile"},
	"internal/worker/preparation": {"api", "job", "jobqueue", "problem", "store", "storedfile", "table/inference", "table/profile"},
	"internal/worker/training":    {"api", "auth", "blob", "job", "jobqueue", "learn", "learn/memory", "learn/parallel", "modelreport", "problem", "repeat", "span", "spill", "store", "storedfile", "table/frame"},
}

// TestLayers compares the imports in the code with layers. It fails if a package or an import
// is missing in the table, and if a package or an import of the table is missing in the code.
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
			return nil // a code generator is not part of the program
		}
		got[pkg] = slices.Clip(got[pkg]) // adds the package even if it imports nothing
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
