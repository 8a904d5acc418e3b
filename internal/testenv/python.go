package testenv

import (
	"errors"
	"os/exec"
	"sync"
	"testing"
)

// Python returns the path of a Python interpreter that has NumPy. If there is none, the test is
// skipped; see [SkipWithout]. It is also skipped with -short, which CI uses only with the race
// detector: running Python tests no concurrency.
func Python(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("runs Python, and tests no concurrency")
	}
	path, err := findPython()
	if err != nil {
		SkipWithout(t, "python", err)
	}
	return path
}

// findPython looks for the interpreter once in each test process.
var findPython = sync.OnceValues(func() (string, error) {
	err := errors.New("no python3 found")
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, lookErr := exec.LookPath(name)
		if lookErr != nil {
			continue
		}
		if err = exec.Command(path, "-c", "import numpy").Run(); err == nil {
			return path, nil
		}
	}
	return "", err
})
