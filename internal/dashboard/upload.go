package dashboard

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"

	"foretell/internal/api"
)

// maxFields is the maximum number of fields of a form with a file, besides the file.
const maxFields = 100

// fileForm is a form with a file. The fields before the file have been read into values. The file is
// streamed from file.
type fileForm struct {
	values   map[string]string
	file     io.Reader // nil if the form has no file
	fileName string
}

// readFileForm reads the fields of a form before the field `file`. The content of the file is not
// read yet, so that it can be streamed. It returns an error if there are more than maxFields fields,
// or if their names and values have more than limit bytes together.
func readFileForm(r *http.Request, limit int64) (*fileForm, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, api.NewProblem(api.CodeMalformed, "the form cannot be parsed").WithCause(err)
	}
	form := &fileForm{values: map[string]string{}}
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return nil, api.NewProblem(api.CodeMalformed, "the upload was interrupted: send the form again").WithCause(err)
		}
		if part.FormName() == "file" {
			form.file, form.fileName = &lastPart{parts: parts, part: part}, partFileName(part)
			return form, nil
		}
		name := part.FormName()
		value, err := io.ReadAll(io.LimitReader(part, limit+1))
		if err != nil {
			return nil, api.NewProblem(api.CodeMalformed, "the upload was interrupted: send the form again").WithCause(err)
		}
		if limit -= int64(len(name) + len(value)); limit < 0 || len(form.values) == maxFields {
			return nil, api.NewProblem(api.CodeTooLarge, "the fields of the form are too long")
		}
		form.values[name] = string(value)
	}
}

// lastPart reads the file of a form. It returns an error if a field follows the file. Such a field
// would be ignored, because the file is used while it is received.
type lastPart struct {
	parts *multipart.Reader
	part  *multipart.Part
	end   error // the result of a Read after the end of the file; nil before
}

func (p *lastPart) Read(b []byte) (int, error) {
	if p.end != nil {
		return 0, p.end
	}
	n, err := p.part.Read(b)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	next, err := p.parts.NextRawPart()
	switch {
	case errors.Is(err, io.EOF):
		p.end = io.EOF
	case err != nil:
		p.end = api.NewProblem(api.CodeMalformed, "the upload was interrupted: send the form again").WithCause(err)
	default:
		p.end = api.NewProblem(api.CodeMalformed, "the field %q is after the file: send all fields before the file", next.FormName())
	}
	return n, p.end
}

// partFileName returns the file name of a part without its folders, which some browsers send.
func partFileName(part *multipart.Part) string {
	name := path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
	if name == "." || name == "/" {
		return ""
	}
	return api.DecodeFileName(name)
}
