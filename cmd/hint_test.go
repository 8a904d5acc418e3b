package cmd_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// csv writes a table of 60 rows: a header and what row makes of their numbers.
func csv(header string, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range 60 {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

func cell(texts string, i int) string {
	list := strings.Split(texts, " ")
	return list[i%len(list)]
}

// oddFiles are tables that something is wrong with.
var oddFiles = map[string]string{
	"good.csv": csv("ID,size,colour,y\n", func(i int) string {
		return fmt.Sprintf("r%d,%d.5,%s,%s", i, i*7%40, cell("red blue", i), cell("yes no no", i))
	}),
	"blind.csv": csv("ID,size,colour\n", func(i int) string { return fmt.Sprintf("q%d,%d.5,%s", i, i*7%40, cell("red blue", i)) }),
	"lacks.csv": csv("ID,colour\n", func(i int) string { return fmt.Sprintf("q%d,%s", i, cell("red blue", i)) }),
	"two.csv":   csv("ID,size\n", func(i int) string { return fmt.Sprintf("q%d,%d.5", i, i*7%40) }),
	"open.csv": csv("ID,survived,size,port of call\n", func(i int) string {
		return fmt.Sprintf("r%d,%s,%d.5,%s", i, cell("1 0", i), i*7%40, cell("S C Q", i))
	}),
	"latin 1.csv": csv("ID,gr\xf6\xdfe,y\n", func(i int) string { return fmt.Sprintf("r%d,%d,%s", i, i*7%40, cell("sch\xf6n nein", i)) }),
	"twice.csv":   csv("ID,size,y\n", func(i int) string { return fmt.Sprintf("r%d,%d,%s", i/2, i*7%40, cell("yes no no", i)) }),
	"ragged.csv": csv("ID,size,y\n", func(i int) string {
		return strings.TrimSuffix(fmt.Sprintf("r%d,%d,yes", i, i*7%40), cell(",yes :", min(i, 1)))
	}),
	"bare.csv": csv("", func(i int) string {
		return fmt.Sprintf("r%d,%d.5,%s,%s", i, i*7%40, cell("red blue", i), cell("yes no no", i))
	}),
	"empty label.csv": csv("ID,size,y\n", func(i int) string {
		return fmt.Sprintf("r%d,%d,%s", i, i*7%40, strings.ReplaceAll(cell("yes no no none", i), "none", ""))
	}),
	"price.csv": csv("ID,town,price\n", func(i int) string { return fmt.Sprintf("r%d,%s,%d", i, cell("Bonn Ulm", i), 1000+i*17) }),
	"leak.csv": csv("ID,size,told,y\n", func(i int) string {
		return fmt.Sprintf("r%d,%d,%s,%s", i, i*7%40, cell("a b b", i), cell("yes no no", i))
	}),
}

var offered = regexp.MustCompile("`(foretell [^`]+)`")

// TestHintsWork types the commands that hints offer as they are printed: each ends
// with success or another fact than the command that it is offered for, and none is
// a wrong use.
func TestHintsWork(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("hints are quoted as a Unix shell reads them")
	}
	fast := " --algorithm BSIX01 --seed 1 --time-limit 5s --progress none -o out.csv --force"
	for _, command := range []string{
		"foretell check open.csv",
		"foretell check 'latin 1.csv' --encoding utf-8",
		"foretell check twice.csv --id ID",
		"foretell check ragged.csv",
		"foretell check bare.csv",
		"foretell check 'empty label.csv'",
		"foretell check price.csv",
		"foretell check leak.csv",
		"foretell check good.csv lacks.csv",
		"foretell check good.csv --label colou",
		"foretell datasets create open open.csv",
		"foretell datasets create twice twice.csv --id=ID",
		"foretell run good.csv --blind lacks.csv" + fast,
		"foretell run good.csv --blind=two.csv" + fast,
		"foretell run open.csv --blind two.csv" + fast,
		"foretell run 'latin 1.csv' --encoding utf-8" + strings.ReplaceAll(fast, " -o out.csv --force", ""),
		"foretell run ragged.csv --blind two.csv" + fast,
		"foretell run price.csv" + strings.ReplaceAll(fast, " -o out.csv --force", ""),
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range oddFiles {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, fact, said := typed(t, dir, command)
			hints := offered.FindAllStringSubmatch(said, -1)
			if len(hints) == 0 {
				t.Fatalf("no command is offered:\n%s", said)
			}
			var done []string
			for _, hint := range hints {
				if slices.Contains(done, hint[1]) {
					continue
				}
				done = append(done, hint[1])
				exit, other, said := typed(t, dir, hint[1])
				if exit == 2 || exit != 0 && other == fact {
					t.Errorf("exit %d of %s\n%s", exit, hint[1], said)
				}
			}
		})
	}
}

// typed runs a command in a shell and gives its exit status, the fact of its error
// and all that it printed.
func typed(t *testing.T, dir, command string) (exit int, fact, said string) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", "-c", command)
	shell.Dir, shell.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	out, err := shell.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "foretell: ") {
			fact = line
		}
	}
	return shell.ProcessState.ExitCode(), fact, string(out)
}
