package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// fixFlags holds the flags for corrected copies.
type fixFlags struct {
	train, blind string
	force        bool
}

func (f *fixFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.train, "fix", "", "write a corrected copy of FILE to this `file`")
	flags.StringVar(&f.blind, "fix-blind", "", "write a corrected copy of BLIND to this `file`")
	flags.BoolVar(&f.force, "force", false, "replace the copies if they exist")
}

func (f *fixFlags) isSet() bool { return f.train != "" || f.blind != "" }

// checkPaths returns an error if a copy would overwrite an input or an existing file.
func (f *fixFlags) checkPaths(p *preflight) error {
	if f.blind != "" && p.blind == nil {
		return usageErrorf("--fix-blind needs BLIND").withHint("name the blind file after FILE, or correct FILE with --fix")
	}
	for _, asked := range [][2]string{{"--fix", f.train}, {"--fix-blind", f.blind}} {
		flag, path := asked[0], asked[1]
		if path == "" {
			continue
		}
		if path == "-" {
			return usageErrorf("%s cannot write to standard output: the report goes there", flag).withHint("name a file with %s", flag)
		}
		for _, in := range []*input{p.train, p.blind} {
			if in != nil && in.reads(path) {
				return usageErrorf("the copy %s is the input %s", path, in.name).withHint("name another file with %s", flag)
			}
		}
		if err := f.checkFree(flag, path); err != nil {
			return err
		}
	}
	if f.train != "" && f.blind != "" && filepath.Clean(f.train) == filepath.Clean(f.blind) {
		return usageErrorf("--fix and --fix-blind name the same file, %s", f.train).withHint("name another file with --fix-blind")
	}
	return nil
}

func (f *fixFlags) checkFree(flag, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir := filepath.Dir(path); !isDir(dir) {
			return exitErrorf(ExitNotFound, "the folder %s of the copy does not exist", dir).withHint("create it, or name another file with %s", flag)
		}
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return usageErrorf("the copy %s is a folder or a device, not a file", path).withHint("name a file with %s", flag)
	case !f.force:
		return exitErrorf(ExitConflict, "the copy %s already exists", path).withHint("replace it with --force, or name another file with %s", flag)
	}
	return nil
}
