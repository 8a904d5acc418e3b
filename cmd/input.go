package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/frame"
	"foretell/internal/term"
)

// shaper holds the flags that tell how a file differs from the contract's
// shape: a CSV with commas, the ID first and the label last.
type shaper struct {
	label     string
	id        string
	drop      []string
	delimiter string
	encoding  string
}

// makeID as --id asks for an ID column to be made.
const makeID = "-"

func (s *shaper) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&s.label, "label", "", "`column` that is the label (default the last)")
	flags.StringVar(&s.id, "id", "", "`column` that is the row ID (default the first); - makes one")
	flags.StringSliceVar(&s.drop, "drop", nil, "leave out these `columns`")
	flags.StringVar(&s.delimiter, "delimiter", "", "character between the fields, or tab (default found out)")
	flags.StringVar(&s.encoding, "encoding", "", "utf-8, utf-16, latin-1 or windows-1252 (default utf-8, or what its first bytes say)")
	choices(cmd, "encoding", "utf-8", "utf-16", "latin-1", "windows-1252")
	choices(cmd, "delimiter", ",", ";", "tab", "|")
}

func (s *shaper) shape(blind bool) (frame.Shape, error) {
	shape := frame.Shape{Label: s.label, Drop: s.drop, Blind: blind, Delimiter: frame.DetectDelimiter}
	if s.id == makeID {
		shape.MakeID = true
	} else {
		shape.ID = s.id
	}
	switch {
	case s.delimiter == "":
	case s.delimiter == "tab" || s.delimiter == `\t`:
		shape.Delimiter = '\t'
	case len(s.delimiter) == 1 && !strings.ContainsAny(s.delimiter, "\"\r\n"):
		shape.Delimiter = s.delimiter[0]
	default:
		return shape, usage("--delimiter %q: one character is needed, or tab", s.delimiter)
	}
	if decoder, err := frame.Decode(strings.NewReader(""), s.encoding); err != nil {
		return shape, usage("--%w", err)
	} else if err := decoder.Close(); err != nil {
		return shape, err
	}
	return shape, nil
}

// input is a file that a command reads, more than once.
type input struct {
	name     string // as the user knows it
	path     string
	shape    frame.Shape
	encoding string
	spooled  bool // standard input, kept in a file of ours
}

// stdin is what standard input is called by.
const stdin = "standard input"

// argument gives the name of an input as it is typed.
func argument(name string) string {
	if name == stdin {
		return "-"
	}
	return quote(name)
}

// oneStdin refuses to read two files from standard input.
func oneStdin(paths ...string) error {
	first := slices.Index(paths, "-")
	if first >= 0 && slices.Contains(paths[first+1:], "-") {
		return usage("only one file can be read from standard input").advise("name the other one")
	}
	return nil
}

// input opens the file at path; - is standard input. The caller closes it.
func (s *shaper) input(h *host, path string, blind bool) (*input, error) {
	shape, err := s.shape(blind)
	if err != nil {
		return nil, err
	}
	in := &input{name: path, path: path, shape: shape, encoding: s.encoding}
	if path == "-" {
		in.name = stdin
		return in, in.spool(h.console.In)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, usage("%s is a folder", path).advise("name a CSV file in it")
	}
	if !info.Mode().IsRegular() { // such as a named pipe: it can be read only once
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return in, in.spool(file)
	}
	return in, nil
}

// spool keeps what can be read only once.
func (in *input) spool(src io.Reader) error {
	file, err := os.CreateTemp("", "foretell-*.csv")
	if err != nil {
		return err
	}
	in.path, in.spooled = file.Name(), true
	_, err = io.Copy(file, src)
	if err := errors.Join(err, file.Close()); err != nil {
		in.Close()
		return fmt.Errorf("%s: %w", in.name, err)
	}
	return nil
}

// Close removes what was kept of standard input.
func (in *input) Close() {
	if in.spooled {
		_ = os.Remove(in.path) // it lies in the folder for temporary files
	}
}

// stored gives the file as it is stored, from its beginning.
func (in *input) stored() (*storedFile, error) {
	file, err := os.Open(in.path)
	if err != nil {
		return nil, err
	}
	return &storedFile{File: file}, nil
}

// storedFile counts how much of it has been read.
type storedFile struct {
	*os.File
	done atomic.Int64
}

// Read implements io.Reader.
func (f *storedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.done.Add(int64(n))
	return n, err
}

// size is the length of the file as it is stored, -1 if that is unknown.
func (in *input) size() int64 {
	info, err := os.Stat(in.path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// open gives the file in the contract's shape, from its beginning.
func (in *input) open() (*inputReader, error) {
	file, err := in.stored()
	if err != nil {
		return nil, err
	}
	decoded, err := frame.Decode(file, in.encoding)
	if err != nil {
		return nil, errors.Join(in.fault(err), file.Close())
	}
	shaped, err := frame.Reshape(decoded, in.shape)
	if err != nil {
		return nil, errors.Join(in.fault(err), decoded.Close(), file.Close())
	}
	return &inputReader{shaped: shaped, decoded: decoded, file: file, in: in}, nil
}

// fault says which file an error is about; one that is no defect is of a flag
// or of the packing.
func (in *input) fault(err error) error {
	var defect *frame.Defect
	f := fail(ExitRejected, "%s: %w", in.name, err)
	f.file = in.name
	if errors.As(err, &defect) {
		f.code, f.line, f.column = defect.Code, defect.Line, defect.Column
	}
	return f
}

type inputReader struct {
	shaped  *frame.Reshaped
	decoded io.Closer
	file    *storedFile
	in      *input
}

func (r *inputReader) Read(p []byte) (int, error) {
	n, err := r.shaped.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.in.fault(err)
	}
	return n, err
}

func (r *inputReader) Close() error { return errors.Join(r.decoded.Close(), r.file.Close()) }

// profile reads the file once and finds out what it holds, by the options' ID and
// memory. A bad file is no error but has defects.
func (in *input) profile(ctx context.Context, progress *term.Progress, opts frame.ScanOptions) (*frame.Profile, error) {
	file, err := in.open()
	if err != nil {
		var f *failure
		if !errors.As(err, &f) || f.code == "" {
			return nil, err
		}
		return &frame.Profile{
			Schema: &frame.Schema{}, Partial: true,
			Defects: []frame.Defect{*asDefect(err)},
		}, nil
	}
	defer file.Close()
	phase, size := progress.Phase("checking "+in.name), in.size()
	defer phase.Done()
	metered := readerFunc(func(p []byte) (int, error) {
		n, err := file.Read(p)
		phase.Share(file.file.done.Load(), size)
		return n, err
	})
	file.shaped.Collect()
	opts.Blind, opts.Place = in.shape.Blind, file.shaped.Place
	p, err := frame.Scan(ctx, metered, opts)
	if err != nil {
		return nil, err
	}
	file.shaped.Complete(p)
	if p.Bytes > api.MaxUploadBytes {
		p.Defects = append(p.Defects, frame.Defect{
			Code:    string(api.CodeTooLarge),
			Message: fmt.Sprintf("the file has %d bytes: at most %d are taken", p.Bytes, int64(api.MaxUploadBytes)),
		})
	}
	return p, nil
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func asDefect(err error) *frame.Defect {
	var defect *frame.Defect
	errors.As(err, &defect)
	return defect
}

// source makes the file ready to be sent; size is that of its plain form.
func (in *input) source(size int64) client.Source {
	name := filepath.Base(in.name)
	if in.spooled {
		name = "data.csv"
	}
	return client.Source{Name: name, Size: size, Open: func() (io.ReadCloser, error) { return in.open() }}
}

// stem is the file's name without folder and endings: what things made from it
// are called by.
func (in *input) stem() string {
	if in.spooled && in.name == stdin {
		return "data"
	}
	name := filepath.Base(in.name)
	for _, ending := range []string{".gz", ".zst", ".csv", ".tsv", ".txt"} {
		if trimmed := strings.TrimSuffix(name, ending); trimmed != "" {
			name = trimmed
		}
	}
	return name
}
