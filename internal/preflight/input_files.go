package preflight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/receipt"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/repair"
	"foretell/internal/tablefile"
	"foretell/internal/term"
)

// ShellArguments returns the arguments of the files, quoted for a shell. If flag is not "",
// it precedes each of them.
func (in *InputTable) ShellArguments(flag string) string {
	var words []string
	for _, path := range in.args {
		if flag != "" {
			words = append(words, flag)
		}
		words = append(words, ShellArgument(path))
	}
	return strings.Join(words, " ")
}

// CheckOneStdin returns an error if more than one path is standard input.
func CheckOneStdin(paths ...string) error {
	first := slices.Index(paths, "-")
	if first >= 0 && slices.Contains(paths[first+1:], "-") {
		return exit.Usagef("only one file can be read from standard input").WithHint("use - only once, and paths for the other files")
	}
	return nil
}

// OpenInput opens the files at paths as one table. The path - is standard input, and a path that
// does not exist may be a pattern such as part-*.csv. If blind is set, the table is a blind file.
// The caller must close the input.
func (l *LayoutFlags) OpenInput(ctx context.Context, f *cli.Factory, blind bool, paths ...string) (*InputTable, error) {
	layout, err := l.parseLayout(blind)
	if err != nil {
		return nil, err
	}
	in := &InputTable{Name: paths[0], args: paths, layout: layout, flagLayout: layout, drop: &l.drop, skipRows: l.skipRows}
	if more := len(paths) - 1; more > 0 {
		in.Name += fmt.Sprintf(" and %d more", more)
	} else if paths[0] == "-" {
		in.Name = receipt.StdinName
	}
	if !blind {
		in.trainingID, in.trainingColumns = l.trainingID, l.trainingColumns
	}
	var files []tablefile.File
	for _, path := range paths {
		found, err := expandPattern(path)
		if err != nil {
			return nil, errors.Join(err, in.Close())
		}
		for _, path := range found {
			file, err := in.openFile(ctx, f, path)
			if err != nil {
				return nil, errors.Join(err, in.Close())
			}
			files = append(files, file)
			in.Paths, in.names = append(in.Paths, file.Path), append(in.names, file.Name)
		}
	}
	opts := tablefile.Options{Encoding: l.encoding, OrUTF8: l.orUTF8, Sheet: l.sheet, SkipRows: l.skipRows, MaxBytes: api.MaxUploadBytes}
	if layout.Delimiter != csvfile.AutoDelimiter {
		opts.Delimiter = layout.Delimiter
	}
	opts.StdinCommand = func(name string) string {
		if slices.Contains(paths, name) {
			return f.CommandWithFiles(map[string]string{name: "-"}, "")
		}
		return f.Running.CommandPath() + " -" // the file matches a pattern
	}
	in.table = tablefile.New(files, opts)
	return in, nil
}

// NormalizedInput returns an InputTable for the file at path, which is already in canonical form.
// If blind is set, it is a blind file.
func NormalizedInput(name, path string, blind bool) *InputTable {
	return &InputTable{
		Name: name, args: []string{name}, Paths: []string{path}, names: []string{name}, layout: repair.Layout{Blind: blind},
		table: tablefile.New([]tablefile.File{{Name: name, Path: path}}, tablefile.Options{}),
	}
}

// expandPattern returns the files that match a pattern, sorted by name. A path that
// exists, or is not a pattern, is returned unchanged.
func expandPattern(path string) ([]string, error) {
	if _, err := os.Lstat(path); err == nil || path == "-" || !strings.ContainsAny(path, "*?[") {
		return []string{path}, nil
	}
	found, err := filepath.Glob(path)
	if err != nil {
		return nil, exit.Usagef("\"%s\": %w", path, err).WithHint("* matches any characters, ? matches one character, [a-z] matches one character of a range")
	}
	if len(found) == 0 {
		return nil, exit.Errorf(exit.NotFound, "no file matches \"%s\"", path).WithHint("check the pattern; a relative pattern starts at the current folder")
	}
	return found, nil
}

// openFile opens one file of the input. It copies a stream to a temporary file.
func (in *InputTable) openFile(ctx context.Context, f *cli.Factory, path string) (tablefile.File, error) {
	if path == "-" {
		return in.spoolStream(ctx, receipt.StdinName, func() (io.ReadCloser, error) { return io.NopCloser(f.Console.In), nil })
	}
	info, err := os.Stat(path)
	if err != nil {
		return tablefile.File{}, err
	}
	if info.IsDir() {
		return tablefile.File{}, exit.Usagef("\"%s\" is a folder, not a file", path).
			WithHint("name a file in the folder, or all its files with a pattern such as %s", term.ShellQuote(filepath.Join(path, "*.csv")))
	}
	if !info.Mode().IsRegular() { // such as a named pipe
		return in.spoolStream(ctx, path, func() (io.ReadCloser, error) { return os.Open(path) })
	}
	return tablefile.File{Name: path, Path: path}, nil
}

// spoolStream copies a stream to a temporary file. Opening and reading a pipe may block
// forever, so another goroutine does both, and spoolStream returns when ctx ends.
func (in *InputTable) spoolStream(ctx context.Context, name string, open func() (io.ReadCloser, error)) (tablefile.File, error) {
	file, err := os.CreateTemp("", "foretell-*.csv")
	if err != nil {
		return tablefile.File{}, err
	}
	in.TempPaths = append(in.TempPaths, file.Name())
	copied := make(chan error, 1)
	go func() {
		src, err := open()
		if err == nil {
			_, err = io.Copy(file, src) // fails when spoolStream has closed the file
			err = errors.Join(err, src.Close())
		}
		copied <- err
	}()
	select {
	case err = <-copied:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return tablefile.File{}, fmt.Errorf("%s: %w", name, err)
	}
	return tablefile.File{Name: name, Path: file.Name()}, nil
}

// Close removes the temporary files of the input.
func (in *InputTable) Close() error {
	for _, path := range in.TempPaths {
		_ = os.Remove(path) // at worst, a temporary file remains
	}
	if in.table == nil {
		return nil
	}
	return in.table.Close()
}

// HasPath reports whether path is a file of the input.
func (in *InputTable) HasPath(path string) bool {
	return slices.ContainsFunc(in.Paths, func(one string) bool { return cli.SameFile(path, one) })
}

// IsSpooled reports whether a file of the input is a stream, which a later command cannot
// read again.
func (in *InputTable) IsSpooled() bool { return len(in.TempPaths) > 0 }

// Stem returns the file name without directory and extensions. For several files it is the common
// prefix of their names. It is "data" for standard input, or if there is no common prefix. The
// names of outputs are made from it.
func (in *InputTable) Stem() string {
	if in.args[0] == "-" {
		return "data"
	}
	if in.IsSpooled() { // Paths are the names of temporary files
		return trimExtensions(in.args[0])
	}
	name := trimExtensions(in.Paths[0])
	for _, path := range in.Paths[1:] {
		name = commonPrefix(name, trimExtensions(path))
	}
	if len(in.Paths) > 1 {
		name = strings.TrimRight(name, "-_. 0")
	}
	return cmp.Or(name, "data")
}

// FolderName returns the name of the folder of the first file. It returns "" for a stream, and
// if the folder has no name.
func (in *InputTable) FolderName() string {
	if in.IsSpooled() {
		return ""
	}
	path, err := filepath.Abs(in.Paths[0])
	if err != nil {
		return ""
	}
	name := filepath.Base(filepath.Dir(path))
	if name == string(filepath.Separator) || name == "." {
		return ""
	}
	return name
}

func trimExtensions(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".zst", ".zip", ".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".pq", ".xlsx", ".xlsm"} {
		if n := len(name) - len(ending); n > 0 && strings.EqualFold(name[n:], ending) {
			name = name[:n]
		}
	}
	return name
}

// commonPrefix returns the longest common prefix of two texts, in whole characters.
func commonPrefix(a, b string) string {
	for i, char := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(char)) {
			return a[:i]
		}
	}
	return a
}

// ShellArgument returns the argument for the input with this name, quoted for a shell. The argument
// for standard input or another pipe is -. A name that looks like a flag gets the prefix ./, as in
// ./-a.csv.
func ShellArgument(name string) string {
	if name == receipt.StdinName || name == receipt.PipeName {
		return "-"
	}
	if strings.HasPrefix(name, "-") && name != "-" {
		name = "./" + name
	}
	return term.ShellQuote(name)
}
