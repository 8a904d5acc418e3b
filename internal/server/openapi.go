package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"foretell/internal/api"
)

// bearerScheme is the name of the token's security scheme in the document.
const bearerScheme = "bearer"

// schemaPrefix begins the references to types.
const schemaPrefix = "#/components/schemas/"

// apiConfig sets huma up: JSON only, no pages of its own, nothing added to bodies.
func apiConfig(version string) huma.Config {
	if version == "" {
		version = "0"
	}
	schemas := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[api.Decimal](), reflect.TypeFor[decimalSchema]())
	schemas.RegisterTypeAlias(reflect.TypeFor[api.Threshold](), reflect.TypeFor[thresholdSchema]())
	schemas.RegisterTypeAlias(reflect.TypeFor[api.DatasetEntries](), reflect.TypeFor[datasetEntriesSchema]())
	schemas.RegisterTypeAlias(reflect.TypeFor[problem](), reflect.TypeFor[api.Problem]())
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Foretell", Version: version,
				Description: "Predictive applications on labelled tables: upload a CSV, race four algorithms on it, " +
					"predict the rows of another CSV with the model that wins. Every error is problem details (RFC 9457).",
			},
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{bearerScheme: {
					Type: "http", Scheme: "bearer", Description: "A token from " + api.LogIn.Path + "; it lives 3600 s.",
				}},
			},
			Servers: []*huma.Server{{URL: "/"}},
		},
		Formats: map[string]huma.Format{
			"application/json": {Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: readJSON},
			"json":             {Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: readJSON}, // problem+json
		},
		DefaultFormat: "application/json",
	}
}

// readJSON is json.Unmarshal with errors that name no Go types and repeat no values.
func readJSON(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var (
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("is not JSON: the error is at byte %d", syntax.Offset)
	case errors.As(err, &mismatch):
		return fmt.Errorf("%s: the number is too large or not whole", mismatch.Field)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("is not JSON: it ends too early")
	default:
		return errors.New("is not JSON of this request")
	}
}

// decimalSchema describes [api.Decimal].
type decimalSchema struct{}

// Schema is that of a string that may be null.
func (decimalSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: `^-?[0-9]+(\.[0-9]+)?$`, Nullable: true, Examples: []any{"0.9667"}}
}

// thresholdSchema describes [api.Threshold].
type thresholdSchema struct{}

// Schema is that of a number that may be null.
func (thresholdSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Format: "double", Minimum: new(0.0), Maximum: new(1.0), Nullable: true}
}

// datasetEntriesSchema describes [api.DatasetEntries].
type datasetEntriesSchema struct{}

// Schema is that of the string that is sent, with what it holds.
func (datasetEntriesSchema) Schema(r huma.Registry) *huma.Schema {
	entry := r.Schema(reflect.TypeFor[api.DatasetEntry](), true, "")
	return &huma.Schema{
		Description: "A string that holds a JSON array of DatasetEntry. A service may be set to send the array itself.",
		OneOf: []*huma.Schema{
			{Type: huma.TypeString, Extensions: map[string]any{
				"contentMediaType": "application/json",
				"contentSchema":    map[string]any{"type": "array", "items": map[string]any{"$ref": entry.Ref}},
			}},
			{Type: huma.TypeArray, Items: entry},
		},
	}
}

// noun is the group that an operation stands in.
func noun(op api.Operation) string {
	path := strings.TrimPrefix(op.Path, "/api/")
	path = strings.TrimPrefix(path, "v1/")
	first, _, _ := strings.Cut(path, "/")
	return first
}

// description tells what the document's other fields have no place for.
func description(op api.Operation) string {
	text := map[api.Origin]string{
		api.Documented: "Documented.",
		api.Decided:    "Decided here where the documentation is silent; another deployment may have placed it elsewhere.",
		api.Extension:  "An extension.",
	}[op.Origin]
	if more := remarks[op.ID]; more != "" {
		text = more + "\n\n" + text
	}
	for _, alias := range op.Aliases {
		text += " Also answered at " + alias + "."
	}
	return text
}

// remarks are what a caller has to know of an operation beyond its summary.
var remarks = map[string]string{
	api.AddData.ID: "The part `file` may stand anywhere in the form; other parts are ignored. " +
		"More than 32 MB (33,554,432 bytes) are refused with 413: upload them to the uploadUrl of the dataset's creation. " +
		"A body that breaks off leaves the dataset PENDING.",
	api.UploadData.ID: "Needs the bearer token and the signature. The body is the CSV itself, text/csv. " +
		"The headers of extraHeaders may be sent. Fewer than 10 bytes give 422, more than 534,773,760 give 413; " +
		"both, and a body that breaks off, leave the dataset PENDING with nothing stored.",
	api.CreateTraining.ID: "One of performanceThreshold and targetPerformance, two names of one thing, has to be there. null, for a race without a threshold, is an extension.",
	api.CreatePredictionByForm.ID: "The part `modelKey` goes before the part `file` so that a wrong one is refused before the file is sent; " +
		"after it is accepted too. The query parameter `modelKey` does as well.",
	api.DownloadResult.ID: "Needs no token: the signature in the address does. Answers ranges and HEAD.",
	api.DownloadModel.ID:  "Answers ranges and HEAD. The last 32 bytes of the file are the SHA-256 of all before them.",
}

// describe adds to the document what huma cannot see: the bodies of the
// operations that stream, and the kind of problem answers.
func describe(doc *huma.OpenAPI) {
	file := &huma.Schema{Type: huma.TypeString, Format: "binary", Description: "The CSV."}
	form := &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: map[string]*huma.Schema{"file": file}}
	keyed := &huma.Schema{Type: huma.TypeObject, Required: []string{"modelKey", "file"}, Properties: map[string]*huma.Schema{
		"modelKey": {Type: huma.TypeString, Format: "uuid", Description: "The model's key."},
		"file":     file,
	}}
	setBody(doc, api.AddData.Operation, "multipart/form-data", form)
	setBody(doc, api.UploadData.Operation, "text/csv", file)
	setBody(doc, api.CreatePrediction.Operation, "multipart/form-data", form)
	setBody(doc, api.CreatePredictionByForm.Operation, "multipart/form-data", keyed)
	result := described(doc, api.DownloadResult.Operation)
	result.Responses["200"].Content = map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: huma.TypeString}}}
	model := described(doc, api.DownloadModel.Operation)
	model.Responses["200"].Content = map[string]*huma.MediaType{
		"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}
	for _, op := range api.Operations() {
		if op.Status == http.StatusCreated {
			described(doc, op).Responses["201"].Headers = map[string]*huma.Param{"Location": {
				Description: "Where the created thing is.", Schema: &huma.Schema{Type: huma.TypeString, Format: "uri"},
			}}
		}
	}
}

func setBody(doc *huma.OpenAPI, op api.Operation, media string, schema *huma.Schema) {
	described(doc, op).RequestBody = &huma.RequestBody{
		Required: true, Content: map[string]*huma.MediaType{media: {Schema: schema}},
	}
}

// described finds an operation in the document.
func described(doc *huma.OpenAPI, op api.Operation) *huma.Operation {
	item := doc.Paths[op.Path]
	switch op.Method {
	case http.MethodPost:
		return item.Post
	case http.MethodPut:
		return item.Put
	case http.MethodPatch:
		return item.Patch
	case http.MethodDelete:
		return item.Delete
	default:
		return item.Get
	}
}
