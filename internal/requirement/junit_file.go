package requirement

import (
	"bytes"
	"io"
	"os"

	"foretell/internal/cli"
	"foretell/internal/exit"
)

// junitHeadSize is how many bytes of a file are searched for the beginning of a JUnit report.
const junitHeadSize = 4096

// CheckJUnitFile returns an error if the file of --junit must not be written. The file must differ
// from all inputs and from outputs, the other files that the command writes; "" in these lists is
// ignored. An existing file may be replaced if it is empty, if it is a JUnit report, or with
// --force.
func (f *Flags) CheckJUnitFile(outputs []string, inputs ...string) error {
	const other = "choose another file with --junit"
	if f.junit == "" {
		return nil
	}
	for _, in := range inputs {
		if cli.SameFile(f.junit, in) {
			return exit.Usagef("the output \"%s\" is also the input \"%s\"", f.junit, in).WithHint(other)
		}
	}
	for _, output := range outputs {
		if output != "" && cli.SamePath(f.junit, output) {
			return exit.Usagef("--junit \"%s\" is also the path of another file that this command writes", f.junit).WithHint(other)
		}
	}
	if err := cli.CheckOutputPath(f.junit, true, other); err != nil {
		return err
	}
	forced := f.force != nil && f.force.Changed && f.force.Value.String() == "true"
	if forced || !isRegularFile(f.junit) || isJUnitFile(f.junit) {
		return nil
	}
	e := exit.Errorf(exit.Conflict, "the output \"%s\" already exists and is not a JUnit report", f.junit)
	if f.force == nil {
		return e.WithHint(other)
	}
	return e.WithHint("replace it with --force, or %s", other)
}

// isRegularFile reports whether path is an existing file, and not a folder, device or pipe.
func isRegularFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isJUnitFile reports whether a file is a JUnit report or empty.
func isJUnitFile(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, junitHeadSize))
	return err == nil && (len(head) == 0 || bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")) && bytes.Contains(head, []byte("<testsuite")))
}
