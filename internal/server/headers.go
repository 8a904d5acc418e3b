package server

import "net/http"

// setDefaultHeaders sets the headers that every response has unless its handler replaces them. They
// forbid browsers to run, embed or cache a response, because responses of the API are data and not
// pages.
func (s *service) setDefaultHeaders(h http.Header, r *http.Request) {
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the URL may contain a signature, which allows a download
	h.Set("X-Content-Type-Options", "nosniff")
	if s.schemeOf(r) == "https" {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// schemeOf returns the scheme, http or https, with which the client sent a request. A trusted
// proxy reports this scheme in the header X-Forwarded-Proto.
func (s *service) schemeOf(r *http.Request) string {
	if s.proxies.isFromProxy(r) {
		if forwarded := r.Header.Get("X-Forwarded-Proto"); forwarded == "http" || forwarded == "https" {
			return forwarded
		}
	}
	if r.TLS != nil {
		return "https"
	}
	return "http"
}
