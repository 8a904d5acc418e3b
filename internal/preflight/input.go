package preflight

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/exit"
	"foretell/internal/receipt"
	"foretell/internal/roles"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
	"foretell/internal/table/repair"
	"foretell/internal/tablefile"
	"foretell/internal/term"
)

// InputTable is a table, in one or several files, that a command reads several times.
type InputTable struct {
	Name       string        // name for messages
	args       []string      // the arguments of the command that name the files
	Paths      []string      // the paths of the files
	names      []string      // the names of the files, in the order of Paths
	TempPaths  []string      // temporary files among Paths, which Close removes
	layout     repair.Layout // the layout with which the files are read
	flagLayout repair.Layout // the layout set by flags
	drop       *columnList   // the value of --drop; nil if the input is not from flags
	skipRows   int           // value of --skip-rows
	trainingID string        // value of --training-id if this is a training file
	// trainingColumns is the value of --training-columns if this is a training file.
	trainingColumns []string
	columns         int // number of columns of the header; 0 before readHeader
	// fileBytes is the size of the files at Paths; 0 before scanProfile, or if it is unknown.
	fileBytes int64
	// rowsAboveHeader is the estimated number of rows above the header. scanProfile sets it only
	// for a file that is not CSV and whose rows have different numbers of cells.
	rowsAboveHeader int
	// headerBelowTitle has the names of the header if --fix leaves out rows above it, and nil otherwise.
	// findHeaderBelowTitle sets it.
	headerBelowTitle []string
	// isUnalignable is set by scanProfile if no row has as many fields as the header. --fix can
	// then align no row.
	isUnalignable bool
	// cutLine is the last line if scanProfile has found incomplete rows in a CSV file and this line has
	// no line end; otherwise it is 0.
	cutLine int
	ignored []string // columns of layout.Drop that have neither a name nor a value
	table   *tablefile.Table

	// readError is the error in a file at which scanProfile stopped; nil if there was no
	// error.
	readError *finding
	// hash, if not nil, hashes the canonical form while scanProfile reads the table. hashed is
	// the number of hashed bytes.
	hash   hash.Hash
	hashed int64
}

// openCSV returns a reader of the table as it is in its files.
func (in *InputTable) openCSV(ctx context.Context) (*tablefile.Reader, error) {
	in.table.SetNoHeader(in.layout.NoHeader)
	return in.table.OpenCSV(ctx)
}

// Open returns a reader of the table in canonical form: a CSV with commas, the ID first and the label
// last.
func (in *InputTable) Open(ctx context.Context) (*inputReader, error) {
	file, err := in.openCSV(ctx)
	if err != nil {
		return nil, in.wrapError(err)
	}
	layout := in.layout
	if in.table.IsConverted() {
		layout.Delimiter = ','
	}
	normalized, err := repair.Normalize(file, layout)
	if err != nil {
		return nil, errors.Join(in.wrapError(err), file.Close())
	}
	return &inputReader{normalized: normalized, file: file, in: in}, nil
}

// readHeader returns the column names in file order. If the content of the file is invalid, it
// returns nil, because the profile of the file reports the error.
func (in *InputTable) readHeader(ctx context.Context) ([]string, error) {
	file, err := in.inFileOrder().Open(ctx)
	if err != nil {
		return nil, ignoreContentError(err)
	}
	defer file.Close()
	file.normalized.CollectDefects() // a defective row must not hide the header
	names, err := roles.ReadHeader(file)
	in.columns = len(names)
	return names, ignoreContentError(err)
}

// describeColumns returns a description of the columns of the file from its first rows. names are
// the names of the columns. It fully describes only columns that may be the ID or the label, and
// columns for whose name wanted returns true. wanted may be nil. See [roles.Describe].
func (in *InputTable) describeColumns(ctx context.Context, names []string, wanted func(name string) bool) (*roles.Description, error) {
	file, err := in.inFileOrder().Open(ctx)
	if err != nil {
		return roles.NewDescription(names), ignoreContentError(err)
	}
	defer file.Close()
	file.normalized.CollectDefects()
	return roles.Describe(ctx, file, names, wanted)
}

// inFileOrder returns a copy of the input that reads all columns in file order.
func (in *InputTable) inFileOrder() *InputTable {
	other := *in
	other.layout = repair.Layout{Delimiter: in.layout.Delimiter, NoHeader: in.layout.NoHeader}
	return &other
}

// ignoreContentError returns nil if err is about the content of a file, because the profile of
// the file reports such an error. Otherwise it returns err.
func ignoreContentError(err error) error {
	var e *exit.Error
	var defect *csvfile.Defect
	if errors.As(err, &e) && e.Status == exit.Rejected || errors.As(err, &defect) || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// wrapError returns an error of reading as an *exit.Error that names the file. It returns
// errors of the context unchanged.
func (in *InputTable) wrapError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var (
		known  *tablefile.Error
		defect *csvfile.Defect
	)
	if errors.Is(err, fs.ErrPermission) { // says nothing about the content
		e := exit.FromError(context.Background(), err)
		e.File = in.Name
		return e
	}
	if errors.As(err, &known) {
		e := exit.Errorf(exit.Rejected, "%w", err)
		e.File = known.File
		if errors.As(err, &defect) {
			e.Code, e.Line, e.Column = defect.Code, defect.Line, defect.Column
		}
		return e
	}
	e := exit.Errorf(exit.Rejected, "%s: %w", in.Name, err)
	e.File = in.Name
	if errors.As(err, &defect) {
		e.Code = defect.Code
		e.File, e.Line, e.Column = in.table.Locate(defect.Line, defect.Column)
	}
	return e
}

type inputReader struct {
	normalized *repair.NormalizeResult
	file       *tablefile.Reader
	in         *InputTable
}

func (r *inputReader) Read(p []byte) (int, error) {
	n, err := r.normalized.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.in.wrapError(err)
	}
	return n, err
}

func (r *inputReader) Close() error { return r.file.Close() }

// scanProfile reads the file once and returns its profile. If the content of the file is
// invalid, the profile has defects, and scanProfile returns no error.
func (in *InputTable) scanProfile(ctx context.Context, progress *term.Progress, opts profile.ScanOptions) (*profile.Profile, error) {
	in.readError = nil
	if in.hash != nil {
		in.hash.Reset()
		in.hashed = 0
	}
	file, err := in.Open(ctx)
	if err != nil {
		if in.readError = findingFromError(err); in.readError == nil {
			return nil, err
		}
		return &profile.Profile{Schema: &frame.Schema{}, Partial: true}, nil
	}
	defer file.Close()
	phase, size := progress.StartPhase("checking "+in.Name), in.table.Size()
	defer phase.Done()
	var source *tablefile.Error
	metered := readerFunc(func(p []byte) (int, error) {
		n, err := file.Read(p)
		errors.As(err, &source)
		if in.hash != nil {
			in.hash.Write(p[:n])
			in.hashed += int64(n)
		}
		phase.TickBytes(file.file.BytesRead(), size)
		return n, err
	})
	in.fileBytes = in.sizeOnDisk()
	file.normalized.CollectDefects()
	opts.Blind, opts.GeneratedID = in.layout.Blind, in.layout.GenerateID && in.layout.CopyID == ""
	opts.Locate, opts.SourceLine = file.normalized.Locate, in.table.SourceLine
	p, err := profile.Scan(ctx, metered, opts)
	if err != nil {
		return nil, err
	}
	file.normalized.AddDefectsTo(p)
	if in.table.IsConverted() && hasRaggedRows(p) {
		in.rowsAboveHeader = in.estimateRowsAboveHeader(ctx)
	}
	in.isUnalignable = !in.layout.Blind && !in.table.IsConverted() && hasRaggedRows(p) && in.noRowFits(ctx)
	isIncomplete := func(d csvfile.Defect) bool {
		return d.Code == csvfile.CodeRaggedRow || d.Code == csvfile.CodeUnclosedQuote
	}
	if slices.ContainsFunc(p.Defects, isIncomplete) && !in.table.IsConverted() && len(in.Paths) == 1 {
		in.cutLine = in.lineWithoutEnd(ctx)
	}
	if source != nil {
		in.readError = findingFromError(in.wrapError(source))
	}
	if in.readError != nil {
		p.Defects = slices.DeleteFunc(p.Defects, func(d csvfile.Defect) bool { return d.Code == in.readError.Code && d.Message == in.readError.Message })
		p.Partial = true
	}
	if p.Bytes > api.MaxUploadBytes {
		p.Defects = append(p.Defects, csvfile.Defect{
			Code:    string(api.CodeTooLarge),
			Message: fmt.Sprintf("the file has %d bytes, the limit is %d", p.Bytes, int64(api.MaxUploadBytes)),
		})
	}
	return p, nil
}

// noRowFits reports whether no row of a training file has as many fields as its header. It returns false
// if the file cannot be read.
func (in *InputTable) noRowFits(ctx context.Context) bool {
	file, err := in.openCSV(ctx)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // the file was only read
	return repair.NoRowFits(file, &in.layout)
}

// lineWithoutEnd returns the number of the last line if it has no line end. Otherwise, or if the file cannot
// be read, it returns 0.
func (in *InputTable) lineWithoutEnd(ctx context.Context) int {
	file, err := in.openCSV(ctx)
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }() // the file was only read
	line, part, last := 1, make([]byte, csvfile.ChunkSize), byte(0)
	for err == nil && ctx.Err() == nil {
		var n int
		if n, err = file.Read(part); n > 0 {
			line, last = line+bytes.Count(part[:n], []byte{'\n'}), part[n-1]
		}
	}
	if last == '\n' || !errors.Is(err, io.EOF) {
		return 0
	}
	return line
}

// sizeOnDisk returns the size of the files at Paths, or 0 if it is unknown.
func (in *InputTable) sizeOnDisk() (sum int64) {
	for _, path := range in.Paths {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		sum += info.Size()
	}
	return sum
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// findingFromError converts an error of Open or Read about a file's contents to a finding. It
// returns nil for other errors.
func findingFromError(err error) *finding {
	var e *exit.Error
	var defect *csvfile.Defect
	if !errors.As(err, &e) || !errors.As(err, &defect) {
		return nil
	}
	return &finding{Code: e.Code, File: e.File, Line: e.Line, Column: e.Column, Name: defect.Name, Message: defect.Message}
}

// UploadName returns the name under which the table is uploaded: the name of the file, or data.csv
// if the uploaded bytes differ from the bytes of the file. Receipts store the name together with the digest
// of the uploaded bytes. size is the number of uploaded bytes.
func (in *InputTable) UploadName(ctx context.Context, size int64) string {
	const other = "data.csv"
	if in.IsSpooled() || len(in.Paths) > 1 || in.table.Description() != "" || in.table.Size() != size {
		return other
	}
	r, err := in.Open(ctx)
	if err != nil {
		return other
	}
	defer r.Close()
	if !r.normalized.IsUnchanged() {
		return other
	}
	return filepath.Base(in.Paths[0])
}

// uploadSource returns the table for an upload. size is the size of its canonical form.
func (in *InputTable) uploadSource(ctx context.Context, size int64) client.Source {
	return client.Source{Name: in.UploadName(ctx, size), Size: size, Open: func() (io.ReadCloser, error) { return in.OpenChecked(ctx, size) }}
}

// ReceiptInput returns the description of an input for the receipt, with the digest of its files,
// joined in order. rows is the number of rows of the table.
func (in *InputTable) ReceiptInput(ctx context.Context, rows int) (*receipt.Input, error) {
	sum, err := receipt.DigestFiles(ctx, in.Paths...)
	input := &receipt.Input{Name: receipt.InputName(in.Name), Digest: sum, Rows: rows}
	if len(in.names) > 1 {
		for _, name := range in.names {
			input.Files = append(input.Files, receipt.InputName(name))
		}
	}
	return input, err
}
