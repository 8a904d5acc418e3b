package dashboard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"sync/atomic"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/roles"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/repair"
	"foretell/internal/tablefile"
)

// convertedMark marks the stored name of a file that was converted during its upload. It precedes
// the extension. The stored file differs from the visitor's file, so the digest in a receipt is not
// the digest of the visitor's file.
//
// There is one exception: if a file has more than sampleBytes bytes and only blank rows at its end
// are omitted, its name has no mark, because the name is sent before the end of the file has been
// read. The digest is then not the digest of the visitor's file, either.
const convertedMark = " (converted)"

// maxFileNameLen is the maximum number of bytes of a stored name.
const maxFileNameLen = 255

// convertedName returns the stored name of a converted file: blind.csv → blind (converted).csv.
func convertedName(name string) string {
	extension := path.Ext(name)
	converted := strings.TrimSuffix(name, extension) + convertedMark + extension
	if len(converted) > maxFileNameLen {
		return "data" + convertedMark + ".csv"
	}
	return converted
}

// originalName is the inverse of convertedName. It returns other names unchanged.
func originalName(name string) string {
	extension := path.Ext(name)
	return strings.TrimSuffix(strings.TrimSuffix(name, extension), convertedMark) + extension
}

// blindFileName returns the name of the file that the visitor uploaded for a prediction, or "" if
// it is unknown.
func blindFileName(blind *api.InputFile) string {
	if blind == nil {
		return ""
	}
	return originalName(blind.FileName)
}

// convertedFile is an uploaded file, converted to the CSV that the service expects.
type convertedFile struct {
	client.Source
	// defect holds the defect of the file, if one has ended the upload, or nil.
	defect *atomic.Pointer[csvfile.Defect]
}

// convertFile returns the file of the form as the source of an upload. It passes the beginning of
// the file to layout, which returns how the file is rewritten while it is read. For wanted, see
// readSample. The source can be read only once.
func (f *fileForm) convertFile(ctx context.Context, wanted func(name string) bool, layout func(*fileSample) (repair.Layout, error)) (*convertedFile, error) {
	file, err := peekFile(f.file)
	if err != nil {
		return nil, err
	}
	if err := file.checkIsCSV(f.fileName); err != nil {
		return nil, err
	}
	sample, err := readSample(ctx, file.beginning, file.isWhole, wanted)
	if err != nil {
		return nil, err
	}
	file.isCut = file.isCut || sample.size < len(file.beginning)
	file.Reader = csvfile.NewBlankRowTrimmer(file.Reader, sample.delimiter, nil)
	if roles.IsTitleLine(sample.header) {
		return nil, api.NewFieldProblem("file", "only one of %d columns has a name, so the first line is probably a title above the header: delete this line", len(sample.header))
	}
	shape, err := layout(sample)
	if err != nil {
		return nil, err
	}
	normalized, err := repair.Normalize(&textReader{src: file}, shape)
	if err != nil {
		return nil, fileProblem(err)
	}
	out := &convertedFile{Source: client.Source{Name: f.fileName, Size: -1}, defect: &atomic.Pointer[csvfile.Defect]{}}
	if file.isCut || !normalized.IsUnchanged() {
		out.Name = convertedName(f.fileName)
	}
	out.Open = func() (io.ReadCloser, error) { return io.NopCloser(defectReader{normalized, out.defect}), nil }
	return out, nil
}

// peekedFile is an uploaded file whose beginning has been read. The Reader reads the whole file.
type peekedFile struct {
	io.Reader
	// beginning are the first sampleBytes, or the whole file if isWhole is set.
	beginning []byte
	isWhole   bool
	// isCut reports whether it is known before the upload that a part of the file is omitted: a separator
	// line at its beginning, such as sep=;, or blank rows at its end if isWhole is set. The line end of
	// the separator line is kept, so that the numbers of the other lines do not change.
	isCut bool
}

// peekFile reads the first sampleBytes bytes of a file.
func peekFile(src io.Reader) (*peekedFile, error) {
	file := bufio.NewReaderSize(src, sampleBytes)
	beginning, err := file.Peek(sampleBytes)
	isWhole := errors.Is(err, io.EOF)
	if err != nil && !isWhole {
		return nil, api.NewProblem(api.CodeMalformed, "the upload was interrupted: send the form again").WithCause(err)
	}
	separator := csvfile.SeparatorLineLen(beginning)
	if _, err := file.Discard(separator); err != nil {
		return nil, err // cannot happen: these bytes are in the buffer
	}
	return &peekedFile{Reader: file, beginning: beginning[separator:], isWhole: isWhole, isCut: separator > 0}, nil
}

// csvDescription is the end of a message to people who have chosen another kind of file. It
// describes CSV files.
const csvDescription = "a CSV has a header and a row for each example, with commas between the columns"

// checkIsCSV returns a problem if the beginning of a file with this name shows that it is not CSV in
// UTF-8. The service would reject the file, too, but only after a dataset was created for it.
func (f *peekedFile) checkIsCSV(name string) error {
	if defect := csvfile.FindFileType(f.beginning); defect != nil {
		return api.NewFieldProblem("file", "%s", defect.Message)
	}
	if message := tablefile.FindOtherFormat(name, f.beginning); message != "" {
		return api.NewFieldProblem("file", "%s", message)
	}
	if len(f.beginning) == 0 {
		return api.NewFieldProblem("file", "the file is empty: %s", csvDescription)
	}
	text := &textReader{src: bytes.NewReader(f.beginning), isCut: !f.isWhole}
	_, err := io.Copy(io.Discard, text)
	return fileProblem(err)
}

// uploadError returns the error to show after an upload of f has failed with err. If a defect of
// the file ended the upload, it is a problem that describes the defect. Otherwise it is err.
func (f *convertedFile) uploadError(err error) error {
	if defect := f.defect.Load(); err != nil && defect != nil {
		return fileProblem(defect)
	}
	return err
}

// fileProblem converts a defect of the file to a problem about the form field `file`. It returns
// any other err unchanged.
func fileProblem(err error) error {
	var defect *csvfile.Defect
	if errors.As(err, &defect) {
		return api.NewFieldProblem("file", "%s", defect.Error()).WithCause(err)
	}
	return err
}

// defectReader reads a file. If a defect of the file ends the reading, it stores the defect.
type defectReader struct {
	io.Reader
	defect *atomic.Pointer[csvfile.Defect]
}

// Read implements io.Reader.
func (r defectReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	var defect *csvfile.Defect
	if errors.As(err, &defect) {
		r.defect.Store(defect)
	}
	return n, err
}
