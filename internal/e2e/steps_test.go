//go:build unix

package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"foretell/internal/testenv"
)

// TestSteps runs a shell script of forty steps, with the embedded service and against a served
// one. It needs bash and jq, which are required if FORETELL_TEST_REQUIRE contains jq.
func TestSteps(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("forty commands that the scripts run one by one")
	}
	for _, tool := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			testenv.SkipWithout(t, tool, err)
		}
	}
	script, err := filepath.Abs("../../testdata/steps.sh")
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, env ...string) {
		t.Helper()
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("../../testdata/steps")); err != nil {
			t.Fatal(err)
		}
		steps := exec.Command("bash", script)
		steps.Dir = dir
		steps.Env = append([]string{"PATH=" + os.Getenv("PATH"), "GOGC=" + os.Getenv("GOGC"), "HOME=" + dir}, env...)
		if out, err := steps.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	t.Run("embedded", func(t *testing.T) { run(t) })
	t.Run("served", func(t *testing.T) {
		run(t, account(t, serve)...)
	})
}
