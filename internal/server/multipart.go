package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"foretell/internal/api"
)

// fileField is the name of the part that contains the CSV.
const fileField = "file"

// formFile reads the part `file` of a multipart body. Read returns io.EOF only if the whole body is
// well-formed. Nothing is read before the first call of Read, so a client that waits for 100
// Continue can receive an error before it sends the body.
type formFile struct {
	parts *multipart.Reader
	part  *multipart.Part // nil until found
	// fileName is the name of the file, which may be empty.
	fileName string
	// onFile is called with the name of the file before the file is read. The name may be empty.
	// onFile may be nil.
	onFile func(name string)
	// onField is called with each part other than the file. It may be nil.
	onField func(name string, value io.Reader) error
	// onComplete is called when all parts have been read. It may be nil.
	onComplete func() error
	// err is the error that ended the reading. All further reads return it.
	err error
}

// newFormFile returns a reader of the file in the multipart body of a request.
// The body may have at most limit bytes.
func newFormFile(r *http.Request, body *requestBody, limit int64) (*formFile, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return nil, api.NewProblem(api.CodeWrongMediaType, "the body must be multipart/form-data with a part %q that contains the CSV", fileField)
	}
	if r.ContentLength > limit {
		return nil, api.NewProblem(api.CodeTooLarge, "the request body has %d bytes, but %s", r.ContentLength, formatFileLimit(limit))
	}
	body.form, body.limit = true, limit
	return &formFile{parts: multipart.NewReader(body, params["boundary"])}, nil
}

// formatFileLimit returns a text for messages: how large the file in a form of at most limit bytes
// may be, and where to send a larger file.
func formatFileLimit(limit int64) string {
	text := fmt.Sprintf("the file must not exceed %d bytes", limit-formOverhead)
	if limit < api.MaxUploadBytes {
		text += "; send a larger file to the dataset's uploadUrl"
	}
	return text
}

// Read returns the bytes of the file.
func (f *formFile) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	if f.part == nil {
		if err := f.findFile(); err != nil {
			return 0, f.failReads(err)
		}
	}
	n, err := f.part.Read(p)
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		return n, f.failReads(err)
	}
	if err := f.readPartsAfterFile(); err != nil {
		return n, f.failReads(err)
	}
	f.err = io.EOF
	return n, io.EOF
}

// FileName returns the name of the file. It is empty until the file is found in the body.
func (f *formFile) FileName() string { return f.fileName }

// findFile reads the body up to the content of the part `file`, and calls onField with the parts
// before it. It returns a problem if the body has no part `file`.
func (f *formFile) findFile() error {
	for {
		part, err := f.parts.NextRawPart() // unlike NextPart, it does not decode quoted-printable
		if errors.Is(err, io.EOF) {
			return api.NewFieldProblem(fileField, "is required: add a part that contains the CSV")
		}
		if err != nil {
			return err
		}
		if part.FormName() == fileField {
			f.part, f.fileName = part, api.DecodeFileName(part.FileName())
			if f.onFile != nil {
				f.onFile(f.fileName)
			}
			return nil
		}
		if err := f.handleField(part); err != nil {
			return err
		}
	}
}

// readPartsAfterFile reads the parts after the file. It returns an error if the body is
// truncated there, or has another file.
func (f *formFile) readPartsAfterFile() error {
	for {
		part, err := f.parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if part.FormName() == fileField {
			return api.NewProblem(api.CodeMalformed, "the body has more than one part %q: send one file", fileField)
		}
		if err := f.handleField(part); err != nil {
			return err
		}
	}
	if f.onComplete != nil {
		return f.onComplete()
	}
	return nil
}

func (f *formFile) handleField(part *multipart.Part) error {
	if f.onField == nil {
		return nil
	}
	return f.onField(part.FormName(), part)
}

// failReads converts err to a problem and returns it. All further reads return the same
// problem.
func (f *formFile) failReads(err error) error {
	f.err = bodyProblem(err)
	return f.err
}
