package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

// auditActionParts maps parts of actions in the code, such as "model.", to the texts that complete them.
var auditActionParts = map[string][]string{
	"account.role.": {api.RoleUser, api.RoleAdministrator},
	"mail.":         {"approved", "new-link", "reset", "forgotten", "requests"},
	"model.":        {api.ModelPromoted, api.ModelAccepted, api.ModelRejected, api.ModelAutomatic},
	".delete":       {"dataset", "training", "model", "prediction"},
	".download":     {"model", "result"},
	".expire":       {"dataset", "training", "prediction"},
}

// TestAuditActions compares the actions of the audit log in the code with those of docs/operations.md.
func TestAuditActions(t *testing.T) {
	inCode := map[string]bool{"login": true, "logout": true} // auditActionTexts finds only texts with a dot
	for _, dir := range []string{"../internal/account", "../internal/app", "../internal/worker", "../internal/connect"} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			for _, text := range auditActionTexts(file) {
				switch {
				case strings.HasSuffix(text, "."):
					for _, part := range auditActionParts[text] {
						inCode[text+part] = true
					}
				case strings.HasPrefix(text, "."):
					for _, part := range auditActionParts[text] {
						inCode[part+text] = true
					}
				}
				if strings.Trim(text, ".") == text {
					inCode[text] = true
				} else if auditActionParts[text] == nil {
					t.Errorf("%s: auditActionParts lacks %q", path, text)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| Actions | Recorded when |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if !found {
		t.Fatal("docs/operations.md has no table of actions")
	}
	inDocs := map[string]bool{}
	for line := range strings.Lines(table) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, name := range regexp.MustCompile("`([a-z.-]+)`").FindAllStringSubmatch(cell, -1) {
			inDocs[name[1]] = true
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(inCode)), slices.Sorted(maps.Keys(inDocs))); diff != "" {
		t.Errorf("the actions in docs/operations.md are not those of the code (-code +docs):\n%s", diff)
	}
}

// auditActionTexts returns the texts in a file from which actions are made: in calls of functions that
// record an event, in fields called action, and in constants whose names begin with action.
func auditActionTexts(file *ast.File) (texts []string) {
	isAction := regexp.MustCompile(`^[a-z-]*(\.[a-z-]*)+$`)
	collect := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if text, err := strconv.Unquote(literal.Value); err == nil && isAction.MatchString(text) {
					texts = append(texts, text)
				}
			}
			_, isFunction := n.(*ast.FuncLit)
			return !isFunction
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			if lower := strings.ToLower(name); strings.Contains(lower, "record") || name == "verifyCallerPassword" {
				for _, arg := range n.Args {
					collect(arg)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "action" {
				collect(n.Value)
			}
		case *ast.ValueSpec:
			if strings.HasPrefix(n.Names[0].Name, "action") {
				for _, value := range n.Values {
					collect(value)
				}
			}
		}
		return true
	})
	return texts
}
