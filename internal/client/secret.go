package client

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// redacted replaces secrets in traces and errors.
const redacted = "[cut]"

// secretWords are the parts by which isSecretName recognises the names of secrets. Secrets of this
// service, of object stores and of gateways have such names. The headers of an upload
// (extraHeaders) may contain credentials of an object store.
var secretWords = []string{
	"accesskey", "apikey", "authorization", "cookie", "credential", "customerkey", "extraheaders", "password", "secret", "signature", "token",
}

// isSecretName reports whether the query parameter, header or JSON member with this name may
// contain a secret. A name that ends in "code" may be the name of a one-time code; see also
// isErrorObject.
func isSecretName(name string) bool {
	if isSignatureParam(name) {
		return true
	}
	name = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	isPart := func(word string) bool { return strings.Contains(name, word) }
	return slices.ContainsFunc(secretWords, isPart) || isCodeName(name)
}

// isCodeName reports whether a name is "code" or ends in it, in any case.
func isCodeName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "code") || strings.HasSuffix(name, "codes")
}

// redactURL formats a URL without its user and its secrets.
func redactURL(u *url.URL) string { return redactText(u.String()) }

var (
	userPattern  = regexp.MustCompile(`://[^/?#@\s]*@`)
	paramPattern = regexp.MustCompile(`([?&#])([^=?&#\s]+)=[^&#\s]*`)
)

// redactText returns text without the users and the secret parameters of the URLs in it.
func redactText(text string) string {
	text = userPattern.ReplaceAllString(text, "://")
	return paramPattern.ReplaceAllStringFunc(text, func(param string) string {
		name, _, _ := strings.Cut(param[1:], "=")
		if decoded, err := url.QueryUnescape(name); err == nil && isSecretName(decoded) {
			return param[:1] + name + "=" + redacted
		}
		return param
	})
}

// redactHeader returns a copy of h without its secrets.
func redactHeader(h http.Header) http.Header {
	safe := h.Clone()
	for name, values := range safe {
		if isSecretName(name) {
			safe[name] = []string{redacted}
			continue
		}
		for i, value := range values {
			values[i] = redactText(value)
		}
	}
	return safe
}

// redactJSON returns JSON without its secrets, or "" if body is not JSON.
func redactJSON(body []byte) string {
	var tree any
	if json.Unmarshal(body, &tree) != nil {
		return ""
	}
	safe, err := json.Marshal(redactValue(tree))
	if err != nil {
		return ""
	}
	return string(safe)
}

func redactValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		isError := isErrorObject(v)
		for name, inner := range v {
			isErrorCode := isError && isCodeName(name)
			if isSecretName(name) && !isErrorCode {
				v[name] = redacted
			} else {
				v[name] = redactValue(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = redactValue(v[i])
		}
	case string:
		return redactText(v)
	}
	return value
}

// isErrorObject reports whether a JSON object is an error, as in api.Problem. Its member code is
// then not a one-time code.
func isErrorObject(object map[string]any) bool {
	for _, name := range []string{"detail", "message"} {
		if _, ok := object[name]; ok {
			return true
		}
	}
	return false
}
