package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// oddFiles returns tables with a defect.
func oddFiles() map[string]string {
	good, unlabelled := goodFiles()
	return map[string]string{
		"good.csv":  good,
		"blind.csv": unlabelled,
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
}

var offered = pattern("`(foretell [^`]+)`")

// TestHintsWork runs the commands in hints. Each must succeed, or fail with another error than the
// one with the hint, and not with a usage error.
func TestHintsWork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a hundred commands; the scripts cover their concurrency")
	}
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
			write(t, dir, oddFiles())
			_, fact, said := typed(t, dir, command)
			hints := offered().FindAllStringSubmatch(said, -1)
			if len(hints) == 0 {
				t.Fatalf("no command is offered:\n%s", said)
			}
			var done []string
			for _, hint := range hints {
				if slices.Contains(done, hint[1]) {
					continue
				}
				done = append(done, hint[1])
				exitErr, other, said := typed(t, dir, hint[1])
				if exitErr == 2 || exitErr != 0 && other == fact {
					t.Errorf("exit %d of %s\n%s", exitErr, hint[1], said)
				}
			}
		})
	}
}

// TestEveryHintLeadsOn passes odd files to each command that reads files, and follows the
// hints of its errors. The commands must succeed after at most maxSteps hints.
func TestEveryHintLeadsOn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a hundred commands; the scripts cover their concurrency")
	}
	if runtime.GOOS == "windows" {
		t.Skip("hints are quoted as a Unix shell reads them")
	}
	stage := t.TempDir()
	good, unlabelled := goodFiles()
	files := map[string]string{"good.csv": good, "blind.csv": unlabelled}
	write(t, stage, files)
	if exitErr, _, said := typed(t, stage, "foretell run good.csv --algorithm BSIX01 --seed 1 --name good -q"); exitErr != 0 {
		t.Fatal(said)
	}
	for name, odd := range oddPairs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hints{stage: stage, files: map[string]string{"train.csv": odd.train}, done: map[string]bool{}}
			commands := []string{"foretell check train.csv", "foretell datasets create odd train.csv --dry-run", "foretell run train.csv --dry-run"}
			if odd.blind != "" {
				h.files["blind.csv"] = odd.blind
				commands = append(commands, "foretell check train.csv blind.csv", "foretell run train.csv --blind blind.csv -o out.csv --dry-run")
			}
			if strings.HasPrefix(name, "blind ") {
				commands = append(commands, "foretell predictions create good blind.csv -o out.csv")
			}
			if testing.Short() {
				commands = commands[:1]
			}
			for _, command := range commands {
				h.follow(t, command)
			}
		})
	}
}

// hints follows the hints of commands on some files.
type hints struct {
	stage string
	files map[string]string
	done  map[string]bool // commands that were followed
}

// follow runs a command, and then each of its hints in a folder of its own.
func (h *hints) follow(t *testing.T, command string) {
	t.Helper()
	_, _, said := typed(t, h.dir(t), command)
	for _, offer := range offers(said) {
		if h.done[offer] {
			continue
		}
		h.done[offer] = true
		h.lead(t, command, offer)
	}
}

// lead runs the command of a hint. If it fails, lead follows its hints.
func (h *hints) lead(t *testing.T, command, offer string) {
	t.Helper()
	dir, path := h.dir(t), []string{command}
	for next := offer; ; {
		path = append(path, next)
		exitErr, said := 0, ""
		for one := range strings.SplitSeq(next, then) {
			if exitErr, _, said = typed(t, dir, one); exitErr != 0 {
				break
			}
		}
		if exitErr == 0 {
			return
		}
		found := offers(said)
		if len(found) == 0 || len(path) > maxSteps || slices.Contains(path, found[0]) {
			t.Errorf("exit %d, and no way on:\n%s\n%s", exitErr, strings.Join(path, "\n"), said)
			return
		}
		next = found[0]
	}
}

// then separates commands to run one after the other.
const then = "`, then `"

var sequence = pattern("`foretell [^`]+`(, then `foretell [^`]+`)*")

// offers returns the commands in a text. Commands that must be run one after the other are
// joined by then.
func offers(said string) []string {
	var list []string
	for _, offer := range sequence().FindAllString(said, -1) {
		list = append(list, strings.Trim(offer, "`"))
	}
	return list
}

// maxSteps is the maximum number of hints that a user must follow until a command succeeds.
const maxSteps = 3

// dir returns a new folder with the files and with a data folder. The data folder has
// only the model called good.
func (h *hints) dir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(h.stage)); err != nil {
		t.Fatal(err)
	}
	write(t, dir, h.files)
	return dir
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// typed runs a command in a shell and returns its exit status, the fact of its error and
// its output.
func typed(t *testing.T, dir, command string) (exitErr int, fact, said string) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", "-c", command)
	shell.Dir, shell.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "GOGC=" + os.Getenv("GOGC"), "HOME=" + dir, "TMPDIR=" + dir}
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
