package e2e_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"foretell/cmd"
	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/testenv"
)

// writeTables writes the files that the examples use: 240 rows with labels that can be
// learned, 40 rows without labels, and the labels of the 40 rows.
func writeTables(t *testing.T, dir string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var train, blind, answers strings.Builder
	train.WriteString("ID,size,weight,colour,class\n")
	blind.WriteString("ID,size,weight,colour\n")
	answers.WriteString("ID,class\n")
	for i := range 200 {
		size, weight := 10*rng.Float64(), 5*rng.Float64()
		class := "no"
		if size+rng.NormFloat64()/4 > 5 {
			class = "yes"
		}
		row := fmt.Sprintf("r%04d,%.2f,%.2f,%s", i, size, weight, []string{"red", "blue", "green"}[i%3])
		if i < 160 {
			fmt.Fprintf(&train, "%s,%s\n", row, class)
			continue
		}
		fmt.Fprintf(&blind, "%s\n", row)
		fmt.Fprintf(&answers, "r%04d,%s\n", i, class)
	}
	visits := strings.Builder{}
	visits.WriteString("ID,patient,day,pulse,class\n")
	for i := range 160 {
		fmt.Fprintf(&visits, "r%04d,p%d,2024-%02d-%02d,%d,%s\n", i, i/4, 1+i/20, 1+i%20, 50+rng.IntN(60), []string{"well", "ill"}[(i/4+rng.IntN(3))%2])
	}
	tabs := func(text string) string {
		return strings.NewReplacer(",", "\t", "ID", "order", "class", "churned").Replace(text)
	}
	customers := strings.NewReplacer("ID", "customer", "class", "churned").Replace(train.String())
	for name, text := range map[string]string{
		"train.csv": train.String(), "blind.csv": blind.String(), "answers.csv": answers.String(),
		"new-1.csv": blind.String(), "new-2.csv": blind.String(), "raw.csv": train.String(), "export.csv": customers, "visits.csv": visits.String(),
		"sales.tsv": tabs(train.String()), "new.tsv": tabs(blind.String()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shell runs a script with bash in a folder, with a data folder of its own, and checks that
// the exit status is one of want. It returns the output.
func shell(t *testing.T, dir, script string, want ...int) string {
	t.Helper()
	bash := exec.Command("bash", "-c", script)
	bash.Dir = dir
	bash.Env = []string{"PATH=" + os.Getenv("PATH"), "GOGC=" + os.Getenv("GOGC"), "HOME=" + dir, "TMPDIR=" + t.TempDir(), "CI=true"}
	out, err := bash.CombinedOutput()
	status := 0
	var exitErr *exec.ExitError
	if errors.As(err, &exitErr) {
		status, err = exitErr.ExitCode(), nil
	}
	for _, one := range append(want, 0) {
		if err == nil && status == one {
			return string(out)
		}
	}
	t.Errorf("%s\nexit status %d, %v:\n%s", script, status, err, out)
	return string(out)
}

// requireBash skips a test without bash.
func requireBash(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("races several times")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		testenv.SkipWithout(t, "bash", err)
	}
}

// TestRecipes runs the scripts of docs/recipes.md as printed, one after the other.
func TestRecipes(t *testing.T) {
	t.Parallel()
	requireBash(t)
	text, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeTables(t, dir)
	scripts := regexp.MustCompile("(?s)## ([^\n]+)\n.*?```bash\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(scripts) < 8 {
		t.Fatalf("docs/recipes.md has %d scripts", len(scripts))
	}
	for _, script := range scripts {
		if lines := strings.Count(script[2], "\n"); lines > 8 || !strings.HasPrefix(script[2], "set -euo pipefail\n") {
			t.Errorf("%s: %d lines, want at most 8 that begin with set -euo pipefail", script[1], lines)
		}
		shell(t, dir, script[2])
	}
}

// commandBlocks returns the command blocks of a page: for each, the whole match, the line before the
// block, and its text.
func commandBlocks(page string) [][]string {
	return regexp.MustCompile("(?s)(?:^|\n)([^\n]*)\n```(?:sh|bash|console)\n(.*?)```").FindAllStringSubmatch(page, -1)
}

// TestReadmeCommands runs the commands of README.md as printed, one after the other. It skips
// a block of commands with the comment notRun.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	requireBash(t)
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeTables(t, dir)
	shell(t, dir, "gzip sales.tsv new.tsv && mv new.tsv.gz april.tsv.gz && cp blind.csv new.csv")
	run := 0
	for _, block := range commandBlocks(string(text)) {
		if strings.Contains(block[1], notRun) || strings.HasPrefix(block[2], "$ ") { // TestReadmeSession runs the session
			continue
		}
		run++
		shell(t, dir, "set -euo pipefail\n"+block[2], int(exit.BelowTarget))
	}
	if run < 3 {
		t.Errorf("%d blocks were run", run)
	}
	if n := strings.Count(string(text), "\n"); n > 150 {
		t.Errorf("README.md has %d lines, want 150 at most", n)
	}
}

// notRun precedes a block of commands that cannot be tested.
const notRun = "<!-- not run by a test: "

// TestCommandsAreRun checks that every block of commands in the documentation is run by a
// test, or has the comment notRun with a reason.
func TestCommandsAreRun(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range commandBlocks(string(text)) {
			if filepath.Base(page) != "recipes.md" && !strings.Contains(block[1], notRun) {
				t.Errorf("%s: no test runs\n%s", page, block[2])
			}
		}
	}
}

// TestQuickstart runs the commands of `help quickstart` as printed.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	requireBash(t)
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for line := range strings.Lines(cli.QuickstartHelp) {
		if strings.HasPrefix(line, "  ") {
			script.WriteString(line)
		}
	}
	shell(t, t.TempDir(), script.String())
}

// TestExamples runs each example of each command's help in a folder with its files.
// Requirements of an example may be missed.
func TestExamples(t *testing.T) {
	t.Parallel()
	requireBash(t)
	stage := t.TempDir()
	writeTables(t, stage)
	shell(t, stage, `set -euo pipefail
gzip sales.tsv new.tsv
foretell run train.csv --blind blind.csv --algorithm BSIX01 -o old.csv -q
foretell training create train --algorithm BSIX01 --seed 2 -q
foretell predict blind.csv --with train@v2 -o new.csv -q
foretell models export train -o train.model -q
foretell predict blind.csv --columns ID=id,prediction -o submission.csv -q
foretell run train.csv --name churn --algorithm BSIX01 -q
foretell run train.csv --blind blind.csv --name again --algorithm BSIX01 -q
foretell users add ada@example.org -q`)
	if t.Failed() {
		return
	}
	run := 0
	forEachCommand(cmd.NewRootCmd(&cli.Factory{}), func(command *cobra.Command) {
		// open serves until Ctrl-C, and backup and restore name a folder and a database of a
		// service. TestReadmeCommands and TestQuickstart run the examples of demo, which trains
		// two models.
		if slices.Contains([]string{"open", "backup", "restore", "demo"}, command.Name()) {
			return
		}
		for line := range strings.Lines(command.Example) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(stage)); err != nil {
				t.Fatal(err)
			}
			line = strings.TrimSpace(line)
			if !strings.Contains(line, "foretell score") && !strings.Contains(line, "foretell replay") { // these two read the result of the other commands
				for _, name := range []string{"blind.predictions.csv", "blind.predictions.csv.receipt.json"} {
					if err := os.Remove(filepath.Join(dir, name)); err != nil {
						t.Fatal(err)
					}
				}
			}
			var allowed []int
			if strings.Contains(line, "--require") || strings.Contains(line, "--threshold") {
				allowed = append(allowed, int(exit.BelowTarget))
			}
			shell(t, dir, line, allowed...)
			run++
		}
	})
	if run < 15 {
		t.Errorf("%d examples were run", run)
	}
}

// forEachCommand calls visit for a command and all commands and help topics below it that help
// lists.
func forEachCommand(command *cobra.Command, visit func(command *cobra.Command)) {
	visit(command)
	for _, child := range command.Commands() {
		if child.IsAvailableCommand() || child.IsAdditionalHelpTopicCommand() {
			forEachCommand(child, visit)
		}
	}
}
