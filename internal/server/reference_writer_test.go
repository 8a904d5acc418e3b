package server

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"foretell/internal/api"
	"foretell/internal/app"
)

// Reference returns docs/api.md: every operation, type and error, generated
// from the endpoints and their OpenAPI document.
func Reference() []byte {
	s := newService(&app.App{}, Options{Version: "reference", Metrics: &Metrics{}}) // no operation is called
	s.mountAll(&router{})
	w := &referenceWriter{doc: s.openAPIDocument()}
	w.printf(referenceHead)
	w.errors()
	w.operations()
	w.types()
	return w.Bytes()
}

const referenceHead = `# The API

This page is generated from the endpoints in internal/api by ` + "`go test ./internal/server -update`" + `. A test compares the page with the code. The service
returns the same information as an OpenAPI 3.1 document at ` + "`GET /openapi.json`" + `.

- **Order of use**: [log in](#login) → [create a dataset](#createdataset) → [add a CSV](#adddata) → wait until it is COMPLETED →
  [train](#createtraining) → wait → [predict](#createprediction) a CSV without labels → wait → [download](#downloadresult) the result.
- **CSV files** must be in UTF-8, with commas between the fields and a header. The command ` + "`foretell`" + ` converts other files to this form before it sends them.
  In a training CSV, the first column contains the row IDs and the last column contains the labels. The names of these columns do not matter. See [addData](#adddata) and [createPrediction](#createprediction).
- **Token**: all operations except those marked *public* require ` + "`Authorization: Bearer <token>`" + `. A token is valid for 3600 s. After that, log in again.
- **Origin**: Foretell implements the API of an existing hosted service, whose documentation is not part of this repository. The word after the path of an
  operation is its origin. *Documented*: the documentation of the hosted service describes the operation. *Decided*: the operation is needed, but that documentation
  does not describe it; this project chose its path, and other implementations may use another path. *Extension*: this project added the operation, and other
  implementations do not have it. Descriptions of fields also mark extensions.
- **Lists** require ` + "`offset` and `limit`" + `, and return the newest items first. Each response has ` + "`offset`, `limit` and `total`" + `. All pages except the last
  also have ` + "`nextOffset`" + `. A limit above 1000 is reduced to 1000.
- **JSON** requests have the type ` + "`application/json`" + `, are encoded in UTF-8 and are at most 1 MiB. Unknown fields are rejected. Times are ISO 8601
  in UTC, to the second. Only the ` + "`time`" + ` of an [AuditEvent](#auditevent) is to the microsecond.
- **Two quirks** of the hosted service's API are kept: the ` + "`datasets`" + ` member of a dataset list is a string that contains a JSON array, and
  ` + "`achievedPerformance`" + ` of a model is a string that contains a number.
- **Methods**: HEAD is supported wherever GET is. OPTIONS is supported everywhere, and returns the methods in ` + "`Allow`" + `.
- **Parameters** and fields marked * are required in a request. A parameter that cannot be parsed is rejected with 400, and one that is out of range with 422.
  Unknown parameters in the query are rejected with 400, except in signed URLs.
- **Uploads** are streamed. An interrupted upload stores nothing. A file cannot be uploaded in parts: a request with ` + "`Content-Range`" + ` is rejected with 400. If a client sends ` + "`Expect: 100-continue`" + ` and the service rejects the
  request, the response arrives before the client sends the body.
- **Request ID**: every response has the header ` + "`X-Request-Id`" + `. The client can choose the ID: up to 64 letters, digits, - and _.

These routes require no token, and are not operations:

- ` + "`GET /healthz`" + ` responds 200 while the process is running.
- ` + "`GET /readyz`" + ` responds 200 if the service is ready. It responds 503 while the database does not respond, the disk is full or the service is about to stop.
- ` + "`GET /metrics`" + ` has the metrics for Prometheus. With ` + "`serve --metrics-listen`" + `, they are at another address.
`

// codeMeanings explain the codes.
var codeMeanings = map[api.Code]string{
	api.CodeMalformed:         "the request cannot be parsed: invalid JSON or form, a key that is not a UUID, text instead of a number, an unknown parameter in the query, an interrupted body, a part of a body (`Content-Range`)",
	api.CodeUnauthorized:      "missing, invalid or expired token; the response has `WWW-Authenticate: Bearer`",
	api.CodeBadCredentials:    "wrong email or password",
	api.CodeAuthenticatorCode: "the password is right, and the log-in also needs `authenticatorCode`, the code of the authenticator app",
	api.CodeNoSecondFactor:    "the service requires an authenticator app, and the account has none",
	api.CodeForbidden:         "the account is not allowed to do this, or a signed URL is invalid or has expired",
	api.CodeNotFound:          "unknown key, or key of another account's object",
	api.CodeNoRoute:           "no operation at this path",
	api.CodeMethodNotAllowed:  "the path has operations, but none with this method; the response has `Allow`",
	api.CodeWrongState:        "the state of the resource does not allow the operation",
	api.CodeNameTaken:         "the account already has a dataset of this name, or the email address already has an account",
	api.CodePrecondition:      "a file does not meet the condition of `If-Match` or `If-Unmodified-Since`",
	api.CodeTooLarge:          "the body is larger than allowed",
	api.CodeWrongMediaType:    "unsupported Content-Type or Content-Encoding",
	api.CodeBadRange:          "the file does not have the requested range",
	api.CodeInvalid:           "a value is missing or out of range; `errors` lists the fields",
	api.CodeTooSmall:          "the file is smaller than any CSV",
	api.CodeTooMany:           "too many failed log-ins, wrong codes, requests for access, or requests of the account (see `--requests-per-second` of `foretell serve`); the response has `Retry-After`",
	api.CodeQuota:             "the account would exceed one of its limits, see [Quota](#quota)",
	api.CodeStorageFull:       "the service's disk is full, so nothing was stored",
	api.CodeDamaged:           "a stored file is missing or corrupt; `detail` names it, and no part of it is sent",
	api.CodeInternal:          "a bug in the service; `requestId` identifies it in the log. If the response has `Retry-After`, the database did not confirm a change, which may have been stored",
	api.CodeNotReady:          "the service is starting or stopping, or its database or storage does not respond. Nothing was stored, so any request can be repeated",
}

// referenceWriter writes Markdown from the document.
type referenceWriter struct {
	bytes.Buffer
	doc *huma.OpenAPI
}

func (w *referenceWriter) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *referenceWriter) errors() {
	w.printf("\n## Errors\n\nThe body of an error is `application/problem+json` (RFC 9457), with the members `type`, `title`, `status` and `detail`, and a stable `code`. " +
		"The member `errors` lists the invalid fields as `{field, message}`. Errors never contain passwords.\n\n" +
		"Errors that end a request before it reaches an operation are `text/plain`, not `application/problem+json`: 400 if the request is not HTTP, 431 if its URL and headers exceed 64 KiB, " +
		"501 for a `Transfer-Encoding` other than `chunked`, and 505 for a version of HTTP that the service does not know. A response with 417, for an `Expect` other than `100-continue`, has no body.\n\n| Status | Code | When |\n|---|---|---|\n")
	for _, code := range api.Codes() {
		if codeMeanings[code] == "" {
			panic("codeMeanings lacks " + string(code))
		}
		w.printf("| %d | `%s` | %s |\n", code.Status(), code, codeMeanings[code])
	}
}

func (w *referenceWriter) operations() {
	group := ""
	for _, op := range api.Operations() {
		if n := operationTag(op); n != group {
			group = n
			w.printf("\n## Operations: %s\n", n)
		}
		w.operation(op, findOperation(w.doc, op))
	}
}

func (w *referenceWriter) operation(op api.Operation, d *huma.Operation) {
	public := ""
	switch {
	case op.Public:
		public = ", public"
	case op.Administrator:
		public = ", for administrators"
	}
	w.printf("\n### %s\n\n`%s %s` (%s%s)\n\n%s\n", op.ID, op.Method, op.Path, op.Origin, public, op.Summary)
	if more := operationRemarks[op.ID]; more != "" {
		w.printf("%s\n", more)
	}
	for _, alias := range op.Aliases {
		w.printf("Also available at `%s`.\n", alias)
	}
	if len(d.Parameters) > 0 {
		w.printf("\n| Parameter | In | Type | |\n|---|---|---|---|\n")
		for _, p := range d.Parameters {
			w.printf("| `%s` | %s%s | %s | %s |\n", p.Name, p.In, requiredMark(p.Required), w.describeType(p.Schema), escapeCell(p.Description))
		}
	}
	if body := d.RequestBody; body != nil {
		for media, content := range body.Content {
			w.printf("\nRequest: `%s`, %s.\n", media, w.describeType(content.Schema))
		}
	}
	w.printf("\nResponse: %s. Errors: %s.\n", w.describeResponse(op, d), strings.Join(w.errorStatuses(d), ", "))
}

// describeResponse describes the response.
func (w *referenceWriter) describeResponse(op api.Operation, d *huma.Operation) string {
	text := fmt.Sprintf("%d", op.Status)
	response := d.Responses[text]
	if len(response.Headers) > 0 {
		text += " with `Location`"
	}
	for media, content := range response.Content {
		if media == "application/json" {
			return text + ", " + w.describeType(content.Schema)
		}
		return text + ", `" + media + "`"
	}
	return text
}

// errorStatuses returns the statuses of errors.
func (w *referenceWriter) errorStatuses(d *huma.Operation) []string {
	var statuses []string
	for _, status := range slices.Sorted(maps.Keys(d.Responses)) {
		if status >= "4" && status != "431" { // which all have
			statuses = append(statuses, status)
		}
	}
	return statuses
}

func (w *referenceWriter) types() {
	w.printf("\n## Types\n\nFields marked * are always present in a response, and required in a request.\n")
	schemas := w.doc.Components.Schemas
	for _, name := range slices.Sorted(maps.Keys(schemas.Map())) {
		w.printf("\n### %s\n\n| Field | Type | |\n|---|---|---|\n", name)
		schema := schemas.Map()[name]
		for _, field := range reflect.VisibleFields(schemas.TypeFromRef(schemaPrefix + name)) {
			field, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[field]
			if property == nil {
				continue
			}
			w.printf("| `%s`%s | %s | %s |\n", field, requiredMark(slices.Contains(schema.Required, field)), w.describeType(property), escapeCell(property.Description))
		}
	}
}

func requiredMark(yes bool) string {
	if yes {
		return "*"
	}
	return ""
}

// escapeCell escapes a description for a table.
func escapeCell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// orNull is the end of the description of a type that includes null.
const orNull = ", or null"

// describeType describes the values of a schema.
func (w *referenceWriter) describeType(s *huma.Schema) string {
	if s == nil {
		return ""
	}
	if name, ok := strings.CutPrefix(s.Ref, schemaPrefix); ok {
		return "[" + name + "](#" + strings.ToLower(name) + ")"
	}
	switch {
	case len(s.AnyOf) > 0:
		return w.describeType(s.AnyOf[0]) + orNull
	case len(s.OneOf) > 0:
		text := w.describeType(s.OneOf[0])
		for _, other := range s.OneOf[1:] {
			text += ", or " + other.Type
		}
		return text
	case s.Type == huma.TypeArray:
		text := "array of " + strings.TrimSuffix(w.describeType(s.Items), orNull) + formatRange("items", s.MinItems, s.MaxItems)
		if s.Nullable {
			text += orNull
		}
		return text
	case s.Type == huma.TypeObject && len(s.Properties) > 0:
		var parts []string
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(s.Properties))) {
			parts = append(parts, "`"+name+"`")
		}
		return "parts " + strings.Join(parts, " and ")
	case s.Format == "binary":
		return "the bytes of the CSV"
	}
	text := s.Type
	if s.Format == "uuid" || s.Format == "uri" {
		text += " (" + s.Format + ")"
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			if v != nil { // else Nullable
				values = append(values, fmt.Sprintf("`%v`", v))
			}
		}
		text = strings.Join(values, ", ")
	}
	text += formatRange("characters", s.MinLength, s.MaxLength) + formatRange("", s.Minimum, s.Maximum)
	if s.Nullable {
		text += orNull
	}
	return text
}

// formatRange formats two limits. Either may be nil.
func formatRange[N int | float64](unit string, low, high *N) string {
	if unit != "" {
		unit = " " + unit
	}
	switch {
	case low != nil && high != nil:
		return fmt.Sprintf(", %v to %v%s", *low, *high, unit)
	case low != nil:
		return fmt.Sprintf(", %v or more%s", *low, unit)
	case high != nil:
		return fmt.Sprintf(", up to %v%s", *high, unit)
	}
	return ""
}
