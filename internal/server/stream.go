package server

import (
	"context"
	"io"
	"mime"
	"net/http"
	"reflect"
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

// mountUpload is mount for an operation whose function do reads the body. If the body cannot be
// read, the response is the problem of the body instead of the error of do.
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
// X-Goog-Content-Length-Range, which clients send for object stores. The app limits the size
// anyway.
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
func (s *service) createPredictionByForm(ctx context.Context, reasons *api.ReasonsInput, req *request) (*api.CreatedPrediction, error) {
	file, err := newFormFile(req.r, req.body, api.MaxUploadBytes+formOverhead)
	if err != nil {
		return nil, err
	}
	given := req.r.URL.Query()["modelKey"]
	if len(given) > 1 {
		return nil, repeatedModelKeyError()
	}
	in := &api.NewPrediction{ModelInput: api.ModelInput{ModelKey: strings.Join(given, "")}, ReasonsInput: *reasons}
	file.onFile = func(name string) { in.FileName = name }
	parts := 0
	file.onField = func(name string, value io.Reader) error {
		if name != "modelKey" {
			return nil
		}
		if parts++; parts > 1 {
			return repeatedModelKeyError()
		}
		text, err := io.ReadAll(io.LimitReader(value, 64))
		in.ModelKey = strings.TrimSpace(string(text))
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

func repeatedModelKeyError() error {
	p := api.NewProblem(api.CodeMalformed, "modelKey: must not be repeated")
	p.Errors = []api.FieldError{{Field: "modelKey", Message: "must not be repeated"}}
	return p
}

// normalizeModelKey validates the model's key from a form. It converts the key to lower case,
// because keys are stored in lower case.
func normalizeModelKey(in *api.ModelInput) error {
	switch {
	case in.ModelKey == "":
		return api.NewFieldProblem("modelKey", "is required: add a part that contains the model's key")
	case !isUUID(in.ModelKey):
		p := api.NewProblem(api.CodeMalformed, "modelKey: must be a UUID")
		p.Errors = []api.FieldError{{Field: "modelKey", Message: "must be a UUID"}}
		return p
	}
	in.ModelKey = strings.ToLower(in.ModelKey)
	return nil
}

// download is the response of an operation that returns a file.
type download struct {
	Body func(huma.Context)
}

// mountDownload mounts an operation that returns a file. Like http.ServeContent, it
// supports ranges and conditional requests.
func mountDownload[In any](s *service, e api.Endpoint[In, api.None], media string, open func(context.Context, *In) (*app.File, error)) {
	handle := func(ctx context.Context, in *In) (*download, error) {
		file, err := open(ctx, in)
		if err != nil {
			return nil, &problem{s.toProblem(ctx, err)}
		}
		return &download{Body: func(ctx huma.Context) {
			defer file.Close()
			r, w := humago.Unwrap(ctx)
			h := w.Header()
			h.Set("Content-Type", media)
			h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
			h.Set("Cache-Control", "private")
			h.Set("ETag", `"`+file.ETag+`"`)
			http.ServeContent(&rangeErrorWriter{ResponseWriter: w}, r, "", file.ModTime, file)
		}}, nil
	}
	s.operations = append(s.operations, operation{e.Operation, func(to huma.API) {
		huma.Register(to, s.describeOperation(e.Operation, reflect.TypeFor[In]()), handle)
	}})
}

// rangeErrorWriter sends a problem instead of the error of http.ServeContent for an
// unsatisfiable range.
type rangeErrorWriter struct {
	http.ResponseWriter
	replaced bool
}

// WriteHeader sends the problem if the requested range is unsatisfiable.
func (w *rangeErrorWriter) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.replaced = true
	p := api.NewProblem(api.CodeBadRange, "the file does not have the requested range")
	w.Header().Del("Content-Length")
	w.Header().Del("Content-Disposition")
	w.Header().Set("Cache-Control", "no-store") // http.ServeContent has deleted this header
	writeProblem(w.ResponseWriter, p)
}

// Write writes b. If the problem was sent, it discards b.
func (w *rangeErrorWriter) Write(b []byte) (int, error) {
	if w.replaced {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// ReadFrom copies src to the underlying writer, which can then use sendfile.
func (w *rangeErrorWriter) ReadFrom(src io.Reader) (int64, error) {
	return io.Copy(w.ResponseWriter, src)
}
