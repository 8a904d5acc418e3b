package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// verdict says whether a generated request is valid by the schema.
type verdict int

const (
	unspecified verdict = iota // the schema does not say whether it is valid
	valid                      // the response must not be 400, 415 or 422
	invalid                    // the response must be 4xx
)

// variant is a value for a parameter or a member of a body.
type variant struct {
	name    string
	text    string // JSON of a member, or the unescaped value of a parameter
	verdict verdict
}

// hostileTexts are texts that programs often handle wrongly. All are valid UTF-8.
var hostileTexts = []string{
	"", " ", "\x00", "a\x00b", "\r\nSet-Cookie: a=b", "\x1b[31m", "\u202egnp.exe", "\u200b\u200b\u200b", "\ufeffname", "e\u0301e\u0301e\u0301",
	"' OR '1'='1", `"; DROP TABLE account; --`, "../../../etc/passwd", `..\..\boot.ini`, "%00", "%s%n%d", "${jndi:ldap://127.0.0.1/a}",
	"{{7*7}}", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "null", "NaN", "-Infinity", "0x10", "1e309", "٣", "🦆🦆🦆", "a,b;c|d",
}

// jsonVariants returns values for a member of a JSON body.
func (doc *contractDocument) jsonVariants(schema *contractSchema) []variant {
	schema = doc.resolve(schema)
	variants := doc.jsonOfWrongTypes(schema)
	add := func(name, text string, v verdict) { variants = append(variants, variant{name, text, v}) }
	switch schema.Type.first() {
	case "integer", "number":
		for _, n := range numberVariants(schema) {
			add(n.name, n.text, n.verdict)
		}
		add("1e400", "1e400", invalid)
		add("minus_zero", "-0", unspecified)
		add("1e0", "1e0", unspecified)
	case "string":
		for _, s := range stringVariants(schema) {
			add(s.name, quoteJSON(s.text), s.verdict)
		}
		add("invalid_utf8", "\"ab\xff\xfec\"", invalid)
		add("lone_surrogate", `"abc\ud800"`, invalid)
		add("raw_newline", "\"a\nb\"", invalid)
	case "array":
		item := "1"
		if schema.Items != nil {
			item = doc.validJSON(schema.Items)
		}
		for _, n := range []int{0, 1, 4, 5, 1000} {
			v := unspecified
			if schema.MinItems != nil && n < *schema.MinItems || schema.MaxItems != nil && n > *schema.MaxItems {
				v = invalid
			}
			add(fmt.Sprintf("%d_items", n), "["+strings.Join(slices.Repeat([]string{item}, n), ",")+"]", v)
		}
	}
	return variants
}

// jsonOfWrongTypes returns a value of each JSON type. A type that the schema does not
// allow is invalid.
func (doc *contractDocument) jsonOfWrongTypes(schema *contractSchema) []variant {
	var variants []variant
	for kind, text := range map[string]string{
		"null": "null", "boolean": "true", "integer": "7", "string": `"text"`, "array": `["x"]`, "object": `{"x":1}`,
	} {
		v := invalid
		isAllowed := func(one *contractSchema) bool { return slices.Contains(one.Type, kind) }
		if isAllowed(schema) || slices.ContainsFunc(schema.OneOf, isAllowed) || kind == "integer" && slices.Contains(schema.Type, "number") {
			v = unspecified
		}
		variants = append(variants, variant{"type_" + kind, text, v})
	}
	slices.SortFunc(variants, func(a, b variant) int { return strings.Compare(a.name, b.name) })
	return variants
}

// numberVariants returns the bounds of a number, the values next to them, and huge
// values.
func numberVariants(schema *contractSchema) []variant {
	isInteger := schema.Type.first() == "integer"
	within := func(x float64) verdict {
		if schema.Minimum != nil && x < *schema.Minimum || schema.Maximum != nil && x > *schema.Maximum {
			return invalid
		}
		return unspecified // other rules may apply
	}
	variants := []variant{
		{"past_int64", "9223372036854775808", within(1 << 62)},
		{"huge", strings.Repeat("9", 400), invalid},
		{"max_int64", "9223372036854775807", within(1 << 62)},
		{"min_int64", "-9223372036854775808", within(-1 << 62)},
	}
	if isInteger {
		variants[0].verdict = invalid
		variants = append(variants, variant{"fraction", "1.5", invalid})
	}
	for _, bound := range []*float64{schema.Minimum, schema.Maximum} {
		if bound == nil {
			continue
		}
		for _, x := range []float64{*bound - 1, *bound, *bound + 1} {
			variants = append(variants, variant{fmt.Sprintf("bound_%g", x), strconv.FormatFloat(x, 'f', -1, 64), within(x)})
		}
	}
	return variants
}

// stringVariants returns the bounds of a string's length, the lengths next to them, and
// hostile texts.
func stringVariants(schema *contractSchema) []variant {
	within := func(s string) verdict {
		n := len([]rune(s))
		switch {
		case schema.MinLength != nil && n < *schema.MinLength, schema.MaxLength != nil && n > *schema.MaxLength:
			return invalid
		case len(schema.Enum) > 0 && !slices.Contains(schema.Enum, any(s)):
			return invalid
		}
		return unspecified
	}
	var variants []variant
	for i, s := range hostileTexts {
		variants = append(variants, variant{fmt.Sprintf("text_%d", i), s, within(s)})
	}
	for _, bound := range []*int{schema.MinLength, schema.MaxLength} {
		if bound == nil {
			continue
		}
		for _, n := range []int{*bound - 1, *bound, *bound + 1} {
			s := strings.Repeat("ä", max(n, 0))
			variants = append(variants, variant{fmt.Sprintf("length_%d", n), s, within(s)})
		}
	}
	for _, e := range schema.Enum {
		s, ok := e.(string)
		if !ok {
			continue // null
		}
		variants = append(variants, variant{"enum_" + s, s, valid}, variant{"enum_in_other_case", swapCase(s), within(swapCase(s))})
	}
	long := strings.Repeat("x", 100_000)
	return append(variants, variant{"long", long, within(long)})
}

func swapCase(s string) string {
	if upper := strings.ToUpper(s); upper != s {
		return upper
	}
	return strings.ToLower(s)
}

// validJSON returns a value that is valid by the schema. The operation may still reject it, for
// example because a string must be the key of an object.
func (doc *contractDocument) validJSON(schema *contractSchema) string {
	schema = doc.resolve(schema)
	switch schema.Type.first() {
	case "integer", "number":
		if schema.Minimum != nil {
			return strconv.FormatFloat(*schema.Minimum, 'f', -1, 64)
		}
		return "1"
	case "boolean":
		return "true"
	case "array":
		return "[" + doc.validJSON(schema.Items) + "]"
	}
	if len(schema.Enum) > 0 {
		return quoteJSON(fmt.Sprint(schema.Enum[0]))
	}
	n := 10
	if schema.MaxLength != nil {
		n = min(n, *schema.MaxLength)
	}
	return quoteJSON(strings.Repeat("v", n))
}

func quoteJSON(s string) string {
	text, _ := json.Marshal(s) // a string is always valid
	return string(text)
}

// member is a member of a JSON object.
type member struct{ name, text string }

func joinMembers(members []member) string {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = quoteJSON(m.name) + ":" + m.text
	}
	return "{" + strings.Join(parts, ",") + "}"
}
