package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKilledRaceLeavesNoFile kills a process that has spilled trees to the
// disk.
func TestKilledRaceLeavesNoFile(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	dataset := b.create(t, "flowers").DatasetKey
	b.add(t, dataset, noisy(5000))
	stop := b.work(t)
	b.awaitDataset(t, dataset)
	stop()

	race := newRace(dataset, 1)
	race.Body.Algorithms, race.Body.ScalingFactor = []string{"BFIF01"}, 0
	must(b.CreateTraining(b.ctx, race))(t)
	c := startChild(t, b.dir)
	eventually(t, func() ([]string, error) { return openFiles(c.cmd.Process.Pid) }, func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { // it has no name any more
			return strings.HasPrefix(name, filepath.Join(b.dir, ".foretell-scratch-")) && strings.HasSuffix(name, "(deleted)")
		})
	})
	c.kill()
	left, err := filepath.Glob(filepath.Join(b.dir, ".foretell-scratch-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v are left (%v)", left, err)
	}
}

// openFiles returns the paths of the files that a process has open.
func openFiles(pid int) ([]string, error) {
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	var names []string
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil { // it may be closed by now
			names = append(names, name)
		}
	}
	return names, err
}
