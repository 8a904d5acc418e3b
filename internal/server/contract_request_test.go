package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// contractRequest is a generated request, without the account that sends it.
type contractRequest struct {
	name    string // what is special about it
	op      *contractOperation
	method  string
	path    map[string]string // values of the parameters, escaped
	query   []string          // name=value, escaped
	members []member          // of a valid JSON body
	body    string
	header  http.Header
	verdict verdict
	// mayApply reports whether the request may change its object. Such a request must not be sent
	// with the key of an object that other requests need.
	mayApply bool
}

// target returns the path and query of the request.
func (r *contractRequest) target() string {
	path := r.op.path
	for name, value := range r.path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	if len(r.query) > 0 {
		path += "?" + strings.Join(r.query, "&")
	}
	return path
}

// with returns a changed copy of the request.
func (r *contractRequest) with(name string, v verdict, change func(*contractRequest)) *contractRequest {
	c := *r
	c.name, c.verdict, c.mayApply = name, v, v != invalid
	c.path, c.query, c.header = maps.Clone(r.path), slices.Clone(r.query), r.header.Clone()
	change(&c)
	return &c
}

// requests returns variants of a valid request, each with another parameter, body or header.
func (doc *contractDocument) requests(base *contractRequest) []*contractRequest {
	requests := doc.parameterRequests(base)
	requests = append(requests, doc.bodyRequests(base)...)
	return append(requests, headerRequests(base)...)
}

// parameterRequests returns requests with variants of each parameter of the path and
// query.
func (doc *contractDocument) parameterRequests(base *contractRequest) []*contractRequest {
	var requests []*contractRequest
	add := func(name string, v verdict, change func(*contractRequest)) {
		requests = append(requests, base.with(name, v, change))
	}
	for i := range base.op.Parameters {
		p := &base.op.Parameters[i]
		if p.In == "path" {
			for _, k := range keyVariants() {
				add(p.Name+"/"+k.name, k.verdict, func(r *contractRequest) { r.path[p.Name] = k.text })
			}
			continue
		}
		set := func(values ...string) func(*contractRequest) {
			return func(r *contractRequest) {
				r.query = slices.DeleteFunc(r.query, func(pair string) bool { return strings.HasPrefix(pair, p.Name+"=") })
				for _, value := range values {
					r.query = append(r.query, p.Name+"="+value)
				}
			}
		}
		absent := unspecified
		if p.Required {
			absent = invalid
		}
		add(p.Name+"/absent", absent, set())
		add(p.Name+"/repeated", invalid, set("1", "2"))
		add(p.Name+"/invalid_escape", invalid, set("%zz"))
		add(p.Name+"/invalid_utf8", unspecified, set("%ff%fe"))
		for _, value := range queryVariants(doc.resolve(&p.Schema)) {
			add(p.Name+"/"+value.name, value.verdict, set(url.QueryEscape(value.text)))
		}
	}
	add("query/unknown", unspecified, func(r *contractRequest) { r.query = append(r.query, "unknown=1", "", "=", "&", "a;b") })
	add("query/long", unspecified, func(r *contractRequest) { r.query = append(r.query, "x="+strings.Repeat("y", 50_000)) })
	return requests
}

// keyVariants returns values for a key in the path, escaped.
func keyVariants() []variant {
	variants := []variant{
		{"unknown", noKey, unspecified},
		{"zero", "00000000-0000-0000-0000-000000000000", unspecified},
		{"short", "11111111-2222-4333-8444-55555555555", invalid},
		{"no_hyphens", "11111111222243338444555555555555", invalid},
		{"braces", url.PathEscape("{" + noKey + "}"), invalid},
		{"zero_byte", noKey + "%00", invalid},
		{"slash", "..%2f" + noKey, invalid},
		{"invalid_utf8", "%ff%fe", invalid},
		{"long", strings.Repeat("a", 9000), invalid},
		{"two", noKey + "," + noKey, invalid},
		{"sql", url.PathEscape("' OR '1'='1"), invalid},
		{"digits", "1", invalid},
		{"dots", "%2e%2e", invalid},
	}
	return variants
}

// queryVariants returns values for a parameter of the query. The service treats an empty
// value as an absent one.
func queryVariants(schema *contractSchema) []variant {
	var variants []variant
	switch schema.Type.first() {
	case "integer":
		variants = append(numberVariants(schema), variant{"plus", "+1", unspecified}, variant{"blank", " 1", invalid},
			variant{"hexadecimal", "0x1", invalid}, variant{"arabic", "٣", invalid}, variant{"word", "one", invalid})
	case "boolean":
		for _, text := range []string{"1", "TRUE", "yes", "on", "null", "truefalse"} {
			variants = append(variants, variant{text, text, invalid})
		}
		variants = append(variants, variant{"true", "true", valid}, variant{"false", "false", valid})
	default:
		variants = stringVariants(schema)
	}
	for i := range variants {
		if variants[i].text == "" {
			variants[i].verdict = unspecified
		}
	}
	return append(variants, variant{"empty", "", unspecified})
}

// bodyRequests returns requests with variants of the body.
func (doc *contractDocument) bodyRequests(base *contractRequest) []*contractRequest {
	var requests []*contractRequest
	add := func(name, body string, v verdict) {
		requests = append(requests, base.with("body/"+name, v, func(r *contractRequest) { r.body = body }))
	}
	v := unspecified
	if base.op.RequestBody != nil {
		v = invalid
	}
	add("empty", "", v)
	for i, text := range []string{"null", "[]", `"text"`, "7", "{", `{"a":`, "\xff\xfe{}", "{}{}", "<a/>", "--", strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 20_000)} {
		add(fmt.Sprintf("text_%d", i), text, v)
	}
	if base.op.mediaType() != "text/csv" { // which may have any bytes
		add("huge", `{"a":"`+strings.Repeat("x", 2<<20)+`"}`, v)
	}
	schema := doc.body(base.op)
	if schema == nil {
		return requests
	}
	members := base.members
	add("extra_member", joinMembers(append(slices.Clone(members), member{"extra", "1"})), invalid)
	add("member_proto", joinMembers(append(slices.Clone(members), member{"__proto__", `{"role":"administrator"}`})), invalid)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		rest := slices.DeleteFunc(slices.Clone(members), func(m member) bool { return m.name == name })
		absent := unspecified
		if slices.Contains(schema.Required, name) {
			absent = invalid
		}
		add(name+"/absent", joinMembers(rest), absent)
		own := member{name, doc.validJSON(schema.Properties[name])}
		add(name+"/repeated", joinMembers(append(rest, own, own)), invalid)
		add(name+"/other_case", joinMembers(append(rest, member{strings.ToUpper(name), own.text})), invalid)
		for _, value := range doc.jsonVariants(schema.Properties[name]) {
			add(name+"/"+value.name, joinMembers(append(rest, member{name, value.text})), value.verdict)
		}
	}
	return requests
}

// headerRequests returns requests with other content types and codings.
func headerRequests(base *contractRequest) []*contractRequest {
	var requests []*contractRequest
	add := func(name string, v verdict, header, value string) {
		requests = append(requests, base.with("header/"+name, v, func(r *contractRequest) { r.header.Set(header, value) }))
	}
	v := unspecified
	if base.op.RequestBody != nil {
		v = invalid
	}
	for _, kind := range []string{
		"text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/mixed; boundary=a", "image/png", "x", "/", "application/json, text/csv",
	} {
		add("type_"+kind, v, "Content-Type", kind)
	}
	for _, coding := range []string{"gzip", "br", "deflate", "zstd", "gzip, identity"} {
		add("coding_"+coding, invalid, "Content-Encoding", coding)
	}
	add("accept", unspecified, "Accept", "application/xml;q=1, */*;q=0")
	add("range", unspecified, "Range", "bytes=9999999999999-")
	add("ranges", unspecified, "Range", "bytes=0-0,2-2,4-4,-1")
	add("invalid_range", unspecified, "Range", "bytes=z")
	add("precondition", unspecified, "If-None-Match", "*")
	add("expect", unspecified, "Expect", "100-continue")
	add("request_id", unspecified, "X-Request-Id", "<script>"+strings.Repeat("a", 100))
	add("override", unspecified, "X-HTTP-Method-Override", "DELETE")
	add("forwarded", unspecified, "X-Forwarded-Host", "evil.example")
	return requests
}
