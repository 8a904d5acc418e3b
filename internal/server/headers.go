package server

import "net/http"

// setDefaultHeaders sets the headers that every response has unless its handler
// replaces them. The API sends only data. Therefore a browser must not run, embed,
// cache or forward a response.
func (s *service) setDefaultHeaders(h http.Header, r *http.Request) {
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // URLs may have signatures
	h.Set("X-Content-Type-Options", "nosniff")
	if s.schemeOf(r) == "https" {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// schemeOf returns the scheme, http or https, with which the client sent a request.
func (s *service) schemeOf(r *http.Request) string {
	if s.proxies.forwards(r) {
		if forwarded := r.Header.Get("X-Forwarded-Proto"); forwarded == "http" || forwarded == "https" {
			return forwarded
		}
	}
	if r.TLS != nil {
		return "https"
	}
	return "http"
}
