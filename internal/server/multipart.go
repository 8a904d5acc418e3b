package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"foretell/internal/api"
)

// fileField is the name of the part that holds the CSV.
const fileField = "file"

// formFile streams the part `file` of a multipart body. Nothing of the body is
// read before the first Read, so that a refusal (wrong state, unknown key)
// comes before a client that waits for 100 Continue has sent a byte. The part
// ends with io.EOF only if the whole body was well-formed.
type formFile struct {
	parts *multipart.Reader
	part  *multipart.Part // nil until found
	// field, if not nil, is given the parts before and after the file.
	field func(name string, value io.Reader) error
	// complete, if not nil, has the last word when all parts have been read.
	complete func() error
	// err is what ended the reading early.
	err error
}

// newFormFile checks that a request has a multipart body, and limits its size.
func newFormFile(w http.ResponseWriter, r *http.Request, limit int64) (*formFile, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return nil, api.NewProblem(api.CodeWrongMediaType, "the body has to be multipart/form-data with a part %q that holds the CSV", fileField)
	}
	if r.ContentLength > limit {
		return nil, api.NewProblem(api.CodeTooLarge, "the body has %d bytes: %s", r.ContentLength, maxFileText(limit))
	}
	// The reader takes the end of the body for the end of the form in places
	// where it is none; so the body never ends for it, but breaks off.
	body := io.MultiReader(http.MaxBytesReader(w, r.Body, limit), strings.NewReader("\r\n"), errReader{})
	return &formFile{parts: multipart.NewReader(body, params["boundary"])}, nil
}

// maxFileText says how large the file in a form of limit bytes may be, and where
// a larger one goes.
func maxFileText(limit int64) string {
	text := fmt.Sprintf("a file of at most %d bytes is taken here", limit-formOverhead)
	if limit < api.MaxUploadBytes {
		text += "; send a larger one to the dataset's uploadUrl"
	}
	return text
}

// errReader is the reader of what should not be read.
type errReader struct{}

// Read fails.
func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Read returns the bytes of the file.
func (f *formFile) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	if f.part == nil {
		if err := f.find(); err != nil {
			return 0, f.fail(err)
		}
	}
	n, err := f.part.Read(p)
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		return n, f.fail(err)
	}
	if err := f.finish(); err != nil {
		return n, f.fail(err)
	}
	f.err = io.EOF
	return n, io.EOF
}

// find moves to the part `file`.
func (f *formFile) find() error {
	for {
		part, err := f.parts.NextPart()
		if errors.Is(err, io.EOF) {
			return api.NewFieldProblem(fileField, "is required: a part that holds the CSV")
		}
		if err != nil {
			return err
		}
		if part.FormName() == fileField {
			f.part = part
			return nil
		}
		if err := f.handleField(part); err != nil {
			return err
		}
	}
}

// finish reads what comes after the file, so that a body that broke off there
// is not taken for whole.
func (f *formFile) finish() error {
	for {
		part, err := f.parts.NextPart()
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
	if f.complete != nil {
		return f.complete()
	}
	return nil
}

func (f *formFile) handleField(part *multipart.Part) error {
	if f.field == nil {
		return nil
	}
	return f.field(part.FormName(), part)
}

// fail remembers err, said so that the caller can see it.
func (f *formFile) fail(err error) error {
	f.err = bodyProblem(err)
	return f.err
}

// bodyProblem tells why a body could not be read.
func bodyProblem(err error) error {
	var (
		known *api.Problem
		large *http.MaxBytesError
	)
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &large):
		return api.NewProblem(api.CodeTooLarge, "the body has more than %d bytes: %s", large.Limit, maxFileText(large.Limit)).WithCause(err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return api.NewProblem(api.CodeMalformed, "the body stood still for too long; nothing was kept: send it again").WithCause(err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return api.NewProblem(api.CodeMalformed, "the body broke off; nothing was kept: send it again").WithCause(err)
	default:
		return api.NewProblem(api.CodeMalformed, "the body cannot be read; nothing was kept").WithCause(err)
	}
}
