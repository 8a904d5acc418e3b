package testenv

import (
	"errors"
	"os/exec"
	"testing"
)

// Python returns the path of a Python interpreter that has NumPy. If none exists, the test is
// skipped, see [SkipWithout].
func Python(t *testing.T) string {
	t.Helper()
	err := errors.New("no python3 found")
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, lookErr := exec.LookPath(name)
		if lookErr != nil {
			continue
		}
		if err = exec.CommandContext(t.Context(), path, "-c", "import numpy").Run(); err == nil {
			return path
		}
	}
	SkipWithout(t, "python", err)
	return ""
}
