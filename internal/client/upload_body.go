package client

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Source is a file to upload. It is opened once for each attempt.
type Source struct {
	// Name is the file name that is sent to the service.
	Name string
	// Size is the number of bytes; -1 if unknown.
	Size int64
	// Open returns a reader of the file from its beginning. The bytes must be the same for
	// each call.
	Open func() (io.ReadCloser, error)
}

// sourceError is an error from reading the file, not from the network.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// uploadBody is the body of one attempt to upload a file. It streams the file, or a form
// that contains the file, and counts the bytes of the file.
type uploadBody struct {
	file       io.ReadCloser
	size, sent int64  // bytes of the file; size is -1 if unknown
	head, tail string // unread bytes of the form before and after the file
	fileEnded  bool   // whether the file was read to its end
	progress   func(sent int64)
}

// multipartForm holds the bytes before and after the file in a multipart/form-data body,
// whose only part is `file`. With the zero value the body is the file itself.
type multipartForm struct {
	head, tail  string
	contentType string
}

// newForm returns a form for a CSV file of the given name.
func newForm(name string) multipartForm {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	boundary := hex.EncodeToString(random[:])
	if name == "" {
		name = "data.csv"
	}
	return multipartForm{
		head: "--" + boundary + "\r\n" +
			`Content-Disposition: form-data; name="file"; filename="` + fileNameEscaper.Replace(name) + "\"\r\n" +
			"Content-Type: text/csv\r\n\r\n",
		tail:        "\r\n--" + boundary + "--\r\n",
		contentType: "multipart/form-data; boundary=" + boundary,
	}
}

// fileNameEscaper escapes a file name as browsers do.
var fileNameEscaper = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")

// setFileBody sets the body of the request to src, as a part of the form f. progress, which may be
// nil, is called with the number of bytes of src sent so far. A retry restarts at 0.
func (req *request) setFileBody(f multipartForm, src Source, progress func(sent int64)) {
	req.open = func() (io.ReadCloser, error) {
		file, err := src.Open()
		if err != nil {
			return nil, &sourceError{err}
		}
		return &uploadBody{file: file, size: src.Size, head: f.head, tail: f.tail, progress: progress}, nil
	}
	req.size = -1
	if src.Size >= 0 {
		req.size = int64(len(f.head)) + src.Size + int64(len(f.tail))
	}
	if f.contentType != "" {
		req.header.Set("Content-Type", f.contentType)
	}
	if req.size < 0 || req.size >= minExpectContinueBytes {
		req.header.Set("Expect", "100-continue")
	}
}

// Read reads from the head, the file and the tail, in this order.
func (b *uploadBody) Read(p []byte) (int, error) {
	if b.head != "" {
		n := copy(p, b.head)
		b.head = b.head[n:]
		return n, nil
	}
	if !b.fileEnded {
		n, err := b.readFile(p)
		if errors.Is(err, io.EOF) {
			b.fileEnded, err = true, nil
		}
		return n, err
	}
	if b.tail == "" {
		return 0, io.EOF
	}
	n := copy(p, b.tail)
	b.tail = b.tail[n:]
	return n, nil
}

// readFile reads from the file and reports the progress. It returns a sourceError if the
// file cannot be read or does not have the announced size.
func (b *uploadBody) readFile(p []byte) (int, error) {
	n, err := b.file.Read(p)
	b.sent += int64(n)
	if b.size >= 0 && (b.sent > b.size || err == io.EOF && b.sent < b.size) {
		return 0, &sourceError{fmt.Errorf("the file changed during the upload: its size is %d bytes, not %d", b.sent, b.size)}
	}
	if b.progress != nil && n > 0 {
		b.progress(b.sent)
	}
	if err != nil && err != io.EOF {
		err = &sourceError{err}
	}
	return n, err
}

// Close closes the file.
func (b *uploadBody) Close() error { return b.file.Close() }
