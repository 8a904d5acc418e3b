package server

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"foretell/internal/api"
)

// bearerScheme is the name, in the OpenAPI document, of the security scheme for tokens.
const bearerScheme = "bearer"

// schemaPrefix is the prefix of references to schemas in the OpenAPI document.
const schemaPrefix = "#/components/schemas/"

// humaConfig returns the configuration of huma. It supports only JSON, serves no
// documentation pages and adds nothing to bodies.
func humaConfig(version string) huma.Config {
	if version == "" {
		version = "0"
	}
	schemas := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[api.Decimal](), reflect.TypeFor[decimalSchema]())
	schemas.RegisterTypeAlias(reflect.TypeFor[api.Threshold](), reflect.TypeFor[thresholdSchema]())
	schemas.RegisterTypeAlias(reflect.TypeFor[api.ClassWeights](), reflect.TypeFor[classWeightsSchema]())
	schemas.RegisterTypeAlias(reflect.TypeFor[api.Monotone](), reflect.TypeFor[monotoneSchema]())
	schemas.RegisterTypeAlias(reflect.TypeFor[api.DatasetEntries](), reflect.TypeFor[datasetEntriesSchema]())
	schemas.RegisterTypeAlias(reflect.TypeFor[problem](), reflect.TypeFor[api.Problem]())
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Foretell", Version: version,
				Contact: &huma.Contact{Name: "The operator of this service"},
				License: &huma.License{Name: "MIT", Identifier: "MIT"},
				Description: "Predictive applications on labelled tables: upload a CSV, race four algorithms on it, " +
					"predict the rows of another CSV with the model that wins. Every error is a problem details object (RFC 9457).",
			},
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{bearerScheme: {
					Type: "http", Scheme: "bearer", Description: "A token from " + api.LogIn.Path + "; it is valid for 3600 s.",
				}},
			},
			Servers: []*huma.Server{{URL: "/"}},
			Tags: []*huma.Tag{
				{Name: "login", Description: "Tokens."},
				{Name: "datasets", Description: "Datasets and their CSV files."},
				{Name: "training", Description: "Races of the training algorithms."},
				{Name: "models", Description: "Models, their reports and files."},
				{Name: "predictions", Description: "Predictions and their results."},
				{Name: "account", Description: "The caller's account, and requests for one."},
				{Name: "admin", Description: "Accounts, requests for access, the audit log, jobs and workers; for administrators."},
			},
		},
		Formats: map[string]huma.Format{
			"application/json": {Marshal: marshalJSON, Unmarshal: unmarshalJSON},
			"json":             {Marshal: marshalJSON, Unmarshal: unmarshalJSON}, // problem+json
		},
		DefaultFormat: "application/json",
	}
}

// decimalSchema is the schema of [api.Decimal].
type decimalSchema struct{}

// Schema returns the schema of a nullable string.
func (decimalSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: `^-?[0-9]+(\.[0-9]+)?$`, Nullable: true, Examples: []any{"0.9667"}}
}

// thresholdSchema is the schema of [api.Threshold].
type thresholdSchema struct{}

// Schema returns the schema of a nullable number.
func (thresholdSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Format: "double", Minimum: new(0.0), Maximum: new(1.0), Nullable: true}
}

// classWeightsSchema is the schema of [api.ClassWeights].
type classWeightsSchema struct{}

// Schema returns a schema that allows balanced, or an object of numbers.
func (classWeightsSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString, Enum: []any{api.ClassWeightsBalanced}},
		{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeNumber, Format: "double"}},
	}}
}

// monotoneSchema is the schema of [api.Monotone].
type monotoneSchema struct{}

// Schema returns the schema of an object that maps columns to directions.
func (monotoneSchema) Schema(huma.Registry) *huma.Schema {
	direction := &huma.Schema{Type: huma.TypeString, Enum: []any{api.Increasing, api.Decreasing}}
	direction.PrecomputeMessages() // huma calls it for all schemas except AdditionalProperties
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: direction}
}

// datasetEntriesSchema is the schema of [api.DatasetEntries].
type datasetEntriesSchema struct{}

// Schema returns a schema that allows a string, which holds a JSON array, or the array.
func (datasetEntriesSchema) Schema(r huma.Registry) *huma.Schema {
	entry := r.Schema(reflect.TypeFor[api.DatasetEntry](), true, "")
	return &huma.Schema{
		Description: "A string that holds a JSON array of DatasetEntry. Other services may send the array itself.",
		OneOf: []*huma.Schema{
			{Type: huma.TypeString, Extensions: map[string]any{
				"contentMediaType": "application/json",
				"contentSchema":    map[string]any{"type": "array", "items": map[string]any{"$ref": entry.Ref}},
			}},
			{Type: huma.TypeArray, Items: entry},
		},
	}
}

// operationTag returns the tag of an operation: the first segment of its path after /api/ and the
// version, such as "datasets".
func operationTag(op api.Operation) string {
	path := strings.TrimPrefix(op.Path, "/api/")
	path = strings.TrimPrefix(path, "v1/")
	first, _, _ := strings.Cut(path, "/")
	return first
}

// operationDescription returns the description of an operation: its remark, its origin and its
// aliases.
func operationDescription(op api.Operation) string {
	text := map[api.Origin]string{
		api.Documented: "Documented.",
		api.Decided:    "The documentation does not specify this operation, so other deployments may differ.",
		api.Extension:  "This operation is an extension of the documented API.",
	}[op.Origin]
	if more := operationRemarks[op.ID]; more != "" {
		text = more + "\n\n" + text
	}
	for _, alias := range op.Aliases {
		text += " Also available at " + alias + "."
	}
	return text
}

// trainingForm and blindForm describe the CSVs that the service accepts, and resultForm describes
// the result of a prediction. A client that knows only the OpenAPI document needs them: the service
// accepts any first column of unique values as IDs and any last column of few values as labels, and
// the blind CSV may be the result of another prediction.
const (
	trainingForm = "The CSV must be in UTF-8, with commas between the fields (RFC 4180) and a header of unique names. " +
		"The first column contains the row IDs, which must be unique. The last column contains the labels, and the columns between are the features. " +
		"The service chooses these columns by their position and not by their names. In a file without IDs, the service may mistake a feature for the IDs: check idName and labelName of the dataset. " +
		"An empty field is a missing value. A row has at most 65,536 fields and 16 MiB, and a field at most 1 MiB. The name of a column has at most 1,000 characters, and a label at most 500. There are at most 1,000 distinct labels."
	blindForm = "The CSV must be in UTF-8, with commas between the fields (RFC 4180) and a header. It needs the columns of all features that the model uses, with the names of the training CSV and in any order. " +
		"It also needs unique row IDs, in the column with the name of the ID column of the training CSV. If there is no such column, the first column contains the IDs. " +
		"Other columns are copied to the result. A value that cannot be read as in training, such as 5,7 instead of 5.7, is not an error: it is treated as missing. " +
		"The warnings of getPredictionDrift report such values. " + resultForm
	resultForm = "The result contains the rows of the blind CSV in the same order, with all its columns, followed by prediction (the predicted class), " +
		"probability (the probability of this class), probability_<class> for each class, and the columns of the parameter reasons. " +
		"If the blind CSV already has a column with one of these names, the name of the added column gets the first of the suffixes _2, _3, … that makes it unique, as in prediction_2. " +
		"The added columns are therefore always the last columns."
)

// operationRemarks maps operation IDs to texts that follow the summary in the OpenAPI document.
var operationRemarks = map[string]string{
	api.AddData.ID: "The part `file` can be anywhere in the form; other parts are ignored. " +
		"A file of more than 32 MB (33,554,432 bytes) is rejected with 413: upload it to the dataset's uploadUrl. " +
		"An interrupted upload leaves the dataset PENDING. An empty file, like any other invalid file, makes it FAILED. " + trainingForm,
	api.UploadData.ID: "Requires the bearer token and the signature. The body is the CSV itself, text/csv. " +
		"The headers in extraHeaders are optional. A body of fewer than 10 bytes is rejected with 422, and a body of more than 534,773,760 bytes with 413. " +
		"A rejected or interrupted upload leaves the dataset PENDING and stores nothing. " + trainingForm,
	api.CreateTraining.ID:   "performanceThreshold is required; targetPerformance is another name of it. The value null means a race without a threshold (an extension).",
	api.CreatePrediction.ID: blindForm,
	api.CreatePredictionByForm.ID: "Send the part `modelKey` before the part `file`, so that an unknown key is rejected before the file is sent. " +
		"The other order is accepted, too. The query parameter `modelKey` is an alternative to the part. " + blindForm,
	api.GetPrediction.ID: "COMPLETED does not mean that all values could be read; see the warnings of getPredictionDrift.",
	api.RequestPassword.ID: "The response is the same whether or not the email address has an account. The old password stays valid until the link is used. " +
		"409 if the service is not configured to send emails.",
	api.DownloadResult.ID: "Requires the signature in the URL instead of a token. Supports ranges and HEAD. " + resultForm,
	api.DownloadModel.ID:  "Supports ranges and HEAD. The last 32 bytes of the file are the SHA-256 of the bytes before them.",
}

// completeDocument adds to the OpenAPI document what huma cannot derive from the types: the bodies
// of operations that stream, the statuses of downloads, objects that may be null, alternative members,
// headers and aliases.
func completeDocument(doc *huma.OpenAPI) {
	file := &huma.Schema{Type: huma.TypeString, Format: "binary", Description: "The CSV."}
	form := &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: map[string]*huma.Schema{"file": file}}
	keyed := &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: map[string]*huma.Schema{
		"modelKey": {Type: huma.TypeString, Format: "uuid", Description: "The model's key. Required unless it is in the query."},
		"file":     file,
	}}
	setRequestBody(doc, api.AddData.Operation, "multipart/form-data", form)
	setRequestBody(doc, api.UploadData.Operation, "text/csv", file)
	setRequestBody(doc, api.CreatePrediction.Operation, "multipart/form-data", form)
	setRequestBody(doc, api.CreatePredictionByForm.Operation, "multipart/form-data", keyed)
	result := findOperation(doc, api.DownloadResult.Operation)
	result.Responses["200"].Content = map[string]*huma.MediaType{"text/csv": {Schema: &huma.Schema{Type: huma.TypeString}}}
	model := findOperation(doc, api.DownloadModel.Operation)
	model.Responses["200"].Content = map[string]*huma.MediaType{
		"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}
	for _, download := range []*huma.Operation{result, model} {
		partial := maps.Clone(download.Responses["200"].Content)
		partial["multipart/byteranges"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}} // the response to several ranges
		download.Responses["206"] = &huma.Response{Description: http.StatusText(http.StatusPartialContent), Content: partial}
		download.Responses["304"] = &huma.Response{Description: http.StatusText(http.StatusNotModified)}
	}
	documentNulls(doc, api.Operations()...)
	threshold := doc.Components.Schemas.SchemaFromRef(schemaPrefix + "NewTraining")
	threshold.AnyOf = []*huma.Schema{{Required: []string{"performanceThreshold"}}, {Required: []string{"targetPerformance"}}}
	for _, op := range api.Operations() {
		documentErrorHeaders(findOperation(doc, op))
		findOperation(doc, op).Responses["431"] = &huma.Response{ // sent by net/http, which does not call the handler
			Description: http.StatusText(http.StatusRequestHeaderFieldsTooLarge),
			Content:     map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}},
		}
		if op.Status == http.StatusCreated {
			findOperation(doc, op).Responses["201"].Headers = map[string]*huma.Param{"Location": {
				Description: "The URL of the created resource.", Schema: &huma.Schema{Type: huma.TypeString, Format: "uri"},
			}}
		}
		documentAliases(doc, op)
	}
}

// documentAliases adds a path for each alias of an operation.
func documentAliases(doc *huma.OpenAPI, op api.Operation) {
	for _, path := range op.Aliases {
		alias := *findOperation(doc, op)
		alias.Path = path
		alias.OperationID += "Alias" // the IDs of operations are unique
		doc.AddOperation(&alias)
	}
}

// documentErrorHeaders documents the headers of error responses; see problemHeaders.
func documentErrorHeaders(op *huma.Operation) {
	retryAfter := map[string]*huma.Param{"Retry-After": {
		Description: "How many seconds to wait before the request is sent again.", Schema: &huma.Schema{Type: huma.TypeInteger},
	}}
	for status, headers := range map[string]map[string]*huma.Param{
		"401": {"WWW-Authenticate": {Description: "The scheme Bearer.", Schema: &huma.Schema{Type: huma.TypeString}}},
		"429": retryAfter,
		"503": retryAfter,
	} {
		if response := op.Responses[status]; response != nil {
			response.Headers = headers
		}
	}
}

// documentNulls documents, in the schemas and in the bodies of operations, which values may be null.
func documentNulls(doc *huma.OpenAPI, operations ...api.Operation) {
	documentNullStructs(doc.Components.Schemas)
	for _, op := range operations {
		documentNullMembers(doc, findOperation(doc, op))
	}
}

// documentNullStructs documents that members whose Go type is a pointer to a struct may be null. huma
// documents this only for pointers to scalars. Members with omitempty are skipped, because they are
// absent instead of null.
func documentNullStructs(schemas huma.Registry) {
	for name, schema := range schemas.Map() {
		typ := schemas.TypeFromRef(schemaPrefix + name)
		if typ == nil || typ.Kind() != reflect.Struct {
			continue
		}
		for _, field := range reflect.VisibleFields(typ) {
			member, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[member]
			if property == nil || property.Ref == "" || field.Type.Kind() != reflect.Pointer || strings.Contains(options, "omitempty") {
				continue
			}
			schema.Properties[member] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}}, Description: property.Description}
		}
	}
}

// documentNullMembers documents that the optional members of an operation's JSON body may be null,
// which means the same as an absent member. huma accepts null for all of them, but documents it
// only for some.
func documentNullMembers(doc *huma.OpenAPI, op *huma.Operation) {
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return
	}
	body := doc.Components.Schemas.SchemaFromRef(op.RequestBody.Content["application/json"].Schema.Ref)
	for name, property := range body.Properties {
		if slices.Contains(body.Required, name) || property.Nullable {
			continue
		}
		if len(property.OneOf) > 0 { // it has no type of its own
			property.OneOf = append(property.OneOf, &huma.Schema{Type: "null", Enum: []any{nil}}) // huma does not know the type null, but checks the enum
			continue
		}
		property.Nullable = true
		if len(property.Enum) > 0 {
			property.Enum = append(property.Enum, nil)
		}
	}
}

// removeNameLengthLimits removes the maximum length of names from the schemas with which huma
// checks requests. The app checks the length after Unicode normalization, which makes some names
// shorter.
func removeNameLengthLimits(doc *huma.OpenAPI, op api.Operation) {
	if op.ID != api.CreateDataset.ID {
		return
	}
	body := doc.Components.Schemas.SchemaFromRef(findOperation(doc, op).RequestBody.Content["application/json"].Schema.Ref)
	for _, name := range []string{"datasetName", "series"} {
		body.Properties[name].MaxLength = nil
	}
}

func setRequestBody(doc *huma.OpenAPI, op api.Operation, media string, schema *huma.Schema) {
	findOperation(doc, op).RequestBody = &huma.RequestBody{
		Required: true, Content: map[string]*huma.MediaType{media: {Schema: schema}},
	}
}

// findOperation returns the description of an operation. The document must have its path.
func findOperation(doc *huma.OpenAPI, op api.Operation) *huma.Operation {
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
