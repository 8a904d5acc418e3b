package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"foretell/internal/cli"
)

// TestDeployFiles compares the files in docs/deploy with the commands: every variable
// must belong to a flag of serve or worker, and every flag in a command must exist.
func TestDeployFiles(t *testing.T) {
	t.Parallel()
	root := NewRootCmd(&cli.Factory{})
	files, err := filepath.Glob("../docs/deploy/*")
	if err != nil || len(files) < 6 {
		t.Fatalf("docs/deploy has the files %v, %v", files, err)
	}
	variable := regexp.MustCompile(`\bFORETELL_[A-Z_0-9]+`)
	command := regexp.MustCompile(`(?:\bforetell|"\$foretell"|args: \[|CMD \["|command: \[)[ "]*(serve|worker|migrate|users)\b[^\n|;]*`)
	flag := regexp.MustCompile(`--([a-z][a-z-]+)`)
	flags := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range variable.FindAllString(string(text), -1) {
			flags++
			name := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "FORETELL_")), "_", "-")
			serve, _, _ := root.Find([]string{"serve"})
			if serve.Flags().Lookup(name) == nil && serve.InheritedFlags().Lookup(name) == nil {
				t.Errorf("%s: foretell serve has no flag --%s", file, name)
			}
		}
		for _, match := range command.FindAllStringSubmatch(string(text), -1) {
			cmd, _, err := root.Find([]string{match[1]})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range flag.FindAllStringSubmatch(match[0], -1) {
				flags++
				if cmd.Flags().Lookup(f[1]) == nil && cmd.InheritedFlags().Lookup(f[1]) == nil {
					t.Errorf("%s: %s has no flag --%s: %s", file, cmd.CommandPath(), f[1], match[0])
				}
			}
		}
	}
	if flags < 10 {
		t.Errorf("found only %d flags and variables in docs/deploy", flags)
	}
}

// TestTeamFilesArePrivate checks that team.sh creates the files of PostgreSQL and of the S3 server so
// that other users of the machine cannot read them.
func TestTeamFilesArePrivate(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join("..", "docs", "deploy", "team.sh"))
	if err != nil {
		t.Fatal(err)
	}
	private, first := strings.Index(string(script), "\numask 077"), strings.Index(string(script), `"$folder/`)
	if private < 0 || first < private {
		t.Error("umask 077 is not before the first file in the folder")
	}
}

// TestDeployUnits checks that the service and the workers on one machine can have different
// settings. With the same FORETELL_METRICS_LISTEN, the second process could not start, and without
// FORETELL_MEMORY each worker would fill the machine. A flag in ExecStart would override the variables
// in the files of settings, so a unit sets its defaults as variables before it reads these files.
func TestDeployUnits(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"foretell.service":         "\nEnvironment=FORETELL_DRAIN_DELAY=2s\nEnvironmentFile=-/etc/foretell/environment\nEnvironmentFile=-/etc/foretell/service\nExecStart=/usr/local/bin/foretell serve --data-dir ${STATE_DIRECTORY}\n",
		"foretell-worker@.service": "\nEnvironmentFile=-/etc/foretell/environment\nEnvironmentFile=-/etc/foretell/worker-%i\n",
		"compose.yaml":             "\n      FORETELL_MEMORY: ${WORKER_MEMORY",
		"team.sh":                  ` --memory "$memory"`,
	} {
		text, err := os.ReadFile(filepath.Join("..", "docs", "deploy", file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q: %v", file, want, err)
		}
	}
}
