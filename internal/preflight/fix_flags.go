package preflight

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/symlink"
	"foretell/internal/term"
)

// FixFlags holds the flags for corrected copies.
type FixFlags struct {
	Train, Blind string
	// SwapSeparators are columns of the blind file. In the copy, points and commas in their numbers
	// are exchanged.
	SwapSeparators []string
	// Force is set if existing files may be replaced by the copies.
	Force bool
}

// Bind adds --fix, --fix-blind, --swap-separators and --force to cmd.
func (f *FixFlags) Bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Train, "fix", "", "write a corrected copy of FILE to this `file`")
	flags.StringVar(&f.Blind, "fix-blind", "", "write a corrected copy of BLIND to this `file`")
	flags.StringSliceVar(&f.SwapSeparators, "swap-separators", nil, "in the copy of a blind file, exchange points and commas in the numbers of these `columns`")
	flags.BoolVar(&f.Force, "force", false, "replace the copies if they exist")
}

// IsSet reports whether a corrected copy is requested.
func (f *FixFlags) IsSet() bool { return f.Train != "" || f.Blind != "" }

// CheckCopies returns an error if --force is set without a copy to write, or if --swap-separators is
// set without the flag that writes a copy of the blind file. This flag is --fix if FILE is the blind
// file (fileIsBlind), and otherwise --fix-blind.
func (f *FixFlags) CheckCopies(fileIsBlind bool) error {
	if f.Force && !f.IsSet() {
		return exit.Usagef("--force has no effect without a corrected copy").WithHint("add --fix COPY or --fix-blind COPY, or omit --force")
	}
	if len(f.SwapSeparators) == 0 || f.Blind != "" || f.Train != "" && fileIsBlind {
		return nil
	}
	return exit.Usagef("--swap-separators requires a copy of a blind file").WithHint("add --fix-blind COPY (if FILE is itself the blind file: --no-label --fix COPY)")
}

// CheckPaths returns an error if a copy would overwrite an input or an existing file.
func (f *FixFlags) CheckPaths(p *Preflight) error {
	if f.Blind != "" && p.Blind == nil {
		return exit.Usagef("--fix-blind requires BLIND").WithHint("add the blind file after FILE, or correct FILE with --fix")
	}
	for _, asked := range [][2]string{{"--fix", f.Train}, {"--fix-blind", f.Blind}} {
		flag, path := asked[0], asked[1]
		if path == "" {
			continue
		}
		if path == "-" {
			return exit.Usagef("%s cannot write to standard output, because the report is written there", flag).WithHint("name a file with %s", flag)
		}
		if err := (&cli.CSVOutput{Path: path, Flag: flag, Noun: "copy", Contents: "corrected copies"}).CheckExtension(); err != nil {
			return err
		}
		for _, in := range []*InputTable{p.Train, p.Blind} {
			if in != nil && in.HasPath(path) {
				return exit.Usagef("the copy \"%s\" is also the input \"%s\"", path, in.Name).WithHint("name another file with %s", flag)
			}
		}
		if err := f.checkDestination(flag, path); err != nil {
			return err
		}
	}
	if f.Train != "" && f.Blind != "" && filepath.Clean(f.Train) == filepath.Clean(f.Blind) {
		return exit.Usagef("--fix and --fix-blind name the same file, \"%s\"", f.Train).WithHint("name another file with --fix-blind")
	}
	return nil
}

func (f *FixFlags) checkDestination(flag, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, syscall.ENAMETOOLONG):
		return exit.Usagef("the name of the copy \"%s\" is too long", term.Truncate(path, 60)).WithHint("name a file with %s", flag)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return exit.Usagef("the copy \"%s\" is a folder or a device, not a file", path).WithHint("name a file with %s", flag)
	case !f.Force:
		return exit.Errorf(exit.Conflict, "the copy \"%s\" already exists", path).WithHint("add --force to replace it, or name another file with %s", flag)
	}
	return cli.CheckFolder(filepath.Dir(symlink.Resolve(path)), "copy", "name another file with "+flag)
}
