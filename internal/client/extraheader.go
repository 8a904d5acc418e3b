package client

import (
	"fmt"
	"net/http"
	"strings"
)

// parseExtraHeaders parses the headers that the service requires for an upload, one Name:value per
// line. It skips blank lines. A header that would affect the body, the connection or the token is
// an error.
func parseExtraHeaders(text string) (http.Header, error) {
	headers := http.Header{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !isHeaderName(name) || !isHeaderValue(value) {
			return nil, fmt.Errorf("extraHeaders: invalid line %q: must be Name:value", line)
		}
		switch http.CanonicalHeaderKey(name) {
		case "Authorization", "Content-Length", "Transfer-Encoding", "Host", "Connection", "Expect", "Upgrade", "Trailer", "Te":
			return nil, fmt.Errorf("extraHeaders: %s must not be set", name)
		}
		headers.Add(name, value)
	}
	return headers, nil
}

// isHeaderName reports whether s is a valid header name (RFC 9110, 5.6.2).
func isHeaderName(s string) bool {
	for _, r := range s {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return false
		}
	}
	return s != ""
}

func isHeaderValue(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return true
}
