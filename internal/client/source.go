package client

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Source is a file to upload. It is opened once for each attempt.
type Source struct {
	// Name is the file's name as the service may show it.
	Name string
	// Size is the number of bytes that Open gives; -1 if that is not known.
	Size int64
	// Open returns the bytes from the beginning, the same each time.
	Open func() (io.ReadCloser, error)
}

// sourceError is a failure to read the file, as opposed to the network's.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// counted returns the same source, which tells progress, unless nil, how much of
// it is read; the count starts again with each Open.
func (s Source) counted(progress func(sent int64)) Source {
	open := s.Open
	s.Open = func() (io.ReadCloser, error) {
		file, err := open()
		if err != nil {
			return nil, &sourceError{err}
		}
		return &sourceReader{file: file, size: s.Size, progress: progress}, nil
	}
	return s
}

type sourceReader struct {
	file       io.ReadCloser
	size, sent int64 // size is -1 if unknown
	progress   func(int64)
}

// Read counts, and marks the failures that are the file's.
func (r *sourceReader) Read(p []byte) (int, error) {
	n, err := r.file.Read(p)
	r.sent += int64(n)
	if r.size >= 0 && (r.sent > r.size || err == io.EOF && r.sent < r.size) {
		return 0, &sourceError{fmt.Errorf("the file changed while it was sent: %d bytes of what were %d", r.sent, r.size)}
	}
	if r.progress != nil && n > 0 {
		r.progress(r.sent)
	}
	if err != nil && err != io.EOF {
		err = &sourceError{err}
	}
	return n, err
}

func (r *sourceReader) Close() error { return r.file.Close() }

// form is a multipart/form-data body with one part, `file`, that is never held
// in memory.
type form struct {
	head, tail  string
	contentType string
}

// newForm frames a CSV file of the given name.
func newForm(name string) form {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	boundary := hex.EncodeToString(random[:])
	if name == "" {
		name = "data.csv"
	}
	return form{
		head: "--" + boundary + "\r\n" +
			`Content-Disposition: form-data; name="file"; filename="` + quoteName.Replace(name) + "\"\r\n" +
			"Content-Type: text/csv\r\n\r\n",
		tail:        "\r\n--" + boundary + "--\r\n",
		contentType: "multipart/form-data; boundary=" + boundary,
	}
}

// quoteName escapes a file name as browsers do.
var quoteName = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")

// size is that of the whole body around a file of size bytes; -1 if unknown.
func (f form) size(file int64) int64 {
	if file < 0 {
		return -1
	}
	return int64(len(f.head)) + file + int64(len(f.tail))
}

// around opens the body around the file that open gives.
func (f form) around(open func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		file, err := open()
		if err != nil {
			return nil, err
		}
		body := io.MultiReader(strings.NewReader(f.head), file, strings.NewReader(f.tail))
		return struct {
			io.Reader
			io.Closer
		}{body, file}, nil
	}
}
