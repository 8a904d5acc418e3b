package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"foretell/internal/api"
	"foretell/internal/app"
)

// formOverhead is the maximum size of a multipart body without its file.
const formOverhead = 1 << 20

// mountStreams mounts the operations that receive or return a file. They stream the file without
// huma, which would hold it in memory.
func (s *service) mountStreams() {
	mountUpload(s, api.AddData, s.addData)
	mountUpload(s, api.UploadData, s.uploadData)
	mountUpload(s, api.CreatePrediction, s.createPrediction)
	mountUpload(s, api.CreatePredictionByForm, s.createPredictionByForm)
	mountDownload(s, api.DownloadResult, "text/csv; charset=utf-8", s.app.DownloadResult)
	mountDownload(s, api.DownloadModel, "application/octet-stream", s.app.DownloadModel)
}

// mountUpload is like mount, for an operation whose function do reads the body of the request
// itself. If the body cannot be read, the client gets the problem of the body instead of the error
// of do.
func mountUpload[In, Out any](s *service, e api.Endpoint[In, Out], do func(context.Context, *In, *request) (*Out, error)) {
	mount(s, e, func(ctx context.Context, in *In) (*Out, error) {
		req := requestFromContext(ctx)
		defer req.body.setIdleTimeout(req.w, uploadIdleTimeout, s.opts.Now)()
		out, err := do(ctx, in, req)
		if interrupted := req.body.problem(); err != nil && interrupted != nil {
			err = interrupted
		}
		return out, err
	})
}

func (s *service) addData(ctx context.Context, in *api.DatasetInput, req *request) (*api.DatasetEntry, error) {
	file, err := newFormFile(req.r, req.body, api.MaxAddDataBytes+formOverhead)
	if err != nil {
		return nil, err
	}
	return s.app.AddData(ctx, in, file)
}

func (s *service) createPrediction(ctx context.Context, in *api.NewPrediction, req *request) (*api.CreatedPrediction, error) {
	file, err := newFormFile(req.r, req.body, api.MaxUploadBytes+formOverhead)
	if err != nil {
		return nil, err
	}
	file.onFile = func(name string) { in.FileName = name }
	return s.app.CreatePrediction(ctx, in, file)
}

// uploadData stores the body, which is a CSV. It ignores headers such as
// X-Goog-Content-Length-Range, which clients send to object stores.
func (s *service) uploadData(ctx context.Context, in *api.UploadInput, req *request) (*api.DatasetEntry, error) {
	if kind := req.r.Header.Get("Content-Type"); kind != "" {
		media, _, err := mime.ParseMediaType(kind)
		if err != nil || media != "text/csv" && media != "application/csv" && media != "application/octet-stream" {
			return nil, api.NewProblem(api.CodeWrongMediaType, "the body must be text/csv")
		}
	}
	return s.app.UploadData(ctx, in, req.body, req.r.ContentLength)
}

// createPredictionByForm creates a prediction. It reads the key of the model from the
// query or from the part `modelKey`, which may follow the file.
func (s *service) createPredictionByForm(ctx context.Context, given *api.PredictionFormInput, req *request) (*api.CreatedPrediction, error) {
	file, err := newFormFile(req.r, req.body, api.MaxUploadBytes+formOverhead)
	if err != nil {
		return nil, err
	}
	in := &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: given.ModelKey}, ReasonsInput: given.ReasonsInput}
	file.onFile = func(name string) { in.FileName = name }
	parts := 0
	file.onField = func(name string, value io.Reader) error {
		if name != "modelKey" {
			return nil
		}
		if parts++; parts > 1 {
			return modelKeyError("must not be repeated")
		}
		text, err := io.ReadAll(io.LimitReader(value, 64))
		inQuery := in.ModelKey
		in.ModelKey = strings.TrimSpace(string(text))
		if err == nil && inQuery != "" && !strings.EqualFold(inQuery, in.ModelKey) {
			err = modelKeyError("must not differ between the query and the form")
		}
		return err
	}
	file.onComplete = func() error { return normalizeModelKey(&in.ModelInput) }
	if err := file.findFile(); err != nil {
		return nil, file.failReads(err)
	}
	if in.ModelKey != "" {
		if err := normalizeModelKey(&in.ModelInput); err != nil {
			return nil, err
		}
	}
	return s.app.CreatePrediction(ctx, in, file)
}

// modelKeyError returns the problem for a model's key that cannot be used. reason says why.
func modelKeyError(reason string) error {
	p := api.NewProblem(api.CodeMalformed, "modelKey: %s", reason)
	p.Errors = []api.FieldError{{Field: "modelKey", Message: reason}}
	return p
}

// normalizeModelKey validates the model's key from a form. It converts the key to lower case,
// because keys are stored in lower case.
func normalizeModelKey(in *api.ModelInput) error {
	switch {
	case in.ModelKey == "":
		return api.NewFieldProblem("modelKey", "is required: add a part that contains the model's key")
	case !isUUID(in.ModelKey):
		return modelKeyError("must be a UUID")
	}
	in.ModelKey = strings.ToLower(in.ModelKey)
	return nil
}

// fileResponse is the response of an operation that returns a file.
type fileResponse struct {
	Body func(huma.Context)
}

// mountDownload mounts an operation that returns a file. open opens the file for a request, and
// media is its Content-Type. Like http.ServeContent, the operation supports ranges and conditional
// requests.
func mountDownload[In any](s *service, e api.Endpoint[In, api.None], media string, open func(context.Context, *In) (*app.File, error)) {
	handle := func(ctx context.Context, in *In) (*fileResponse, error) {
		file, err := open(ctx, in)
		if err != nil {
			return nil, &problem{s.toProblem(ctx, err)}
		}
		return &fileResponse{Body: func(ctx huma.Context) {
			defer file.Close()
			r, w := humago.Unwrap(ctx)
			w.Header().Set("Content-Type", media)
			s.serveFile(w, r, file)
		}}, nil
	}
	s.operations = append(s.operations, operation{e.Operation, func(to huma.API) {
		huma.Register(to, s.describeOperation(e.Operation, reflect.TypeFor[In]()), handle)
	}})
}

// serveFile responds with a file or a part of it. It calls file.BeforeSend before it sends any
// bytes, but not if it sends none: for HEAD, or if the client already has the file.
func (s *service) serveFile(w http.ResponseWriter, r *http.Request, file *app.File) {
	h := w.Header()
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	h.Set("Cache-Control", "private")
	h.Set("ETag", `"`+file.ETag+`"`)
	begin := func() *api.Problem {
		if r.Method == http.MethodHead {
			return nil
		}
		if err := file.BeforeSend(r.Context()); err != nil {
			return s.toProblem(r.Context(), err)
		}
		return nil
	}
	out := &fileOrProblemWriter{ResponseWriter: w, begin: begin, size: file.Size}
	http.ServeContent(out, withNormalRange(r), "", file.ModTime, file)
}

// unsatisfiableRange is a range of bytes that begins after the end of any file.
const unsatisfiableRange = "9223372036854775807-"

// withNormalRange returns a request for a file with the header Range as http.ServeContent needs it to
// follow RFC 9110, section 14.2:
//
//   - Only GET has ranges.
//   - The unit bytes may be written in upper case. A range in another unit is ignored.
//   - The last 0 bytes of a file are not a range that can be sent.
func withNormalRange(r *http.Request) *http.Request {
	text := r.Header.Get("Range")
	if text == "" {
		return r
	}
	clone := *r
	clone.Header = r.Header.Clone()
	unit, list, _ := strings.Cut(text, "=")
	if r.Method != http.MethodGet || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		clone.Header.Del("Range")
		return &clone
	}
	ranges := strings.Split(list, ",")
	for i, one := range ranges {
		if suffix, ok := strings.CutPrefix(strings.TrimSpace(one), "-"); ok && isZero(suffix) {
			ranges[i] = unsatisfiableRange
		}
	}
	clone.Header.Set("Range", "bytes="+strings.Join(ranges, ","))
	return &clone
}

// isZero reports whether package net/http reads text as the length 0.
func isZero(text string) bool {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return err == nil && n == 0
}

// fileOrProblemWriter is the writer to which http.ServeContent writes a file. It calls begin before
// the first byte. It sends a problem instead of the file if begin returns one, if the file does not
// have the requested range, or if the file does not meet a condition of the request.
type fileOrProblemWriter struct {
	http.ResponseWriter
	begin    func() *api.Problem
	size     int64 // bytes of the file
	replaced bool  // WriteHeader has sent a problem instead of the file
}

// errProblemSent is returned by [fileOrProblemWriter.Write] if a problem was sent instead of the file.
// http.ServeContent then stops reading the file.
var errProblemSent = errors.New("the response is a problem")

// WriteHeader sends the status, or a problem instead of the file. For the statuses 200 and 206, it calls
// begin, and sends a problem if begin returns one. For 412 and 416, it always sends a problem. It sends any
// other status unchanged.
func (w *fileOrProblemWriter) WriteHeader(status int) {
	var p *api.Problem
	switch status {
	case http.StatusOK, http.StatusPartialContent:
		p = w.begin()
	case http.StatusPreconditionFailed:
		p = api.NewProblem(api.CodePrecondition, "the file does not meet the condition of the header If-Match or If-Unmodified-Since")
	case http.StatusRequestedRangeNotSatisfiable:
		p = api.NewProblem(api.CodeBadRange, "the file does not have the requested range")
	}
	if p == nil {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.replaced = true
	for _, name := range []string{"Content-Length", "Content-Disposition", "ETag", "Last-Modified", "Accept-Ranges"} {
		w.Header().Del(name)
	}
	w.Header().Del("Content-Range")
	if status == http.StatusRequestedRangeNotSatisfiable {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", w.size))
	}
	w.Header().Set("Cache-Control", "no-store")
	writeProblem(w.ResponseWriter, p)
}

// Write writes b. If WriteHeader has sent a problem instead of the file, Write writes nothing and
// returns errProblemSent.
func (w *fileOrProblemWriter) Write(b []byte) (int, error) {
	if w.replaced {
		return 0, errProblemSent
	}
	return w.ResponseWriter.Write(b)
}
