package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"foretell/internal/api"
)

// LoopbackHosts is the value of Options.AllowedHosts for a service that only this machine can
// reach. It prevents DNS rebinding, in which another site lets its host name resolve to the address
// of the service so that its pages can read the responses of the service.
var LoopbackHosts = []string{"localhost", allIPAddresses}

// allIPAddresses is an element of Options.AllowedHosts that allows all hosts that are IP addresses.
// This is safe, because DNS rebinding needs a host name. The space distinguishes the element from
// host names.
const allIPAddresses = "ip addresses"

// checkHost returns a handler that calls next if the host of a request is valid and allowed.
// /healthz and /readyz allow all hosts, because load balancers request them by address or without
// a host.
func (s *service) checkHost(next http.Handler) http.Handler {
	allowed := map[string]bool{}
	for _, host := range s.opts.AllowedHosts {
		allowed[strings.ToLower(host)] = true
	}
	if public, err := url.Parse(s.opts.PublicURL); err == nil && public.Hostname() != "" {
		allowed[strings.ToLower(public.Hostname())] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := s.requestHost(r)
		name := hostName(host)
		_, err := netip.ParseAddr(name)
		isAddress := err == nil
		isAllowed := len(s.opts.AllowedHosts) == 0 || allowed[name] || isAddress && allowed[allIPAddresses]
		switch {
		case isProbe(r):
			next.ServeHTTP(w, r)
		case !isValidHost(host):
			writeProblem(w, api.NewProblem(api.CodeMalformed, "the request has the invalid host %q: send a host name or an IP address, with or without a port, in the header Host (a proxy: X-Forwarded-Host)", escapeForLog(host)))
		case !isAllowed:
			writeProblem(w, api.NewProblem(api.CodeMalformed, "the service does not accept requests to the host %q: use its public URL, or restart the service with this host in --allowed-hosts", escapeForLog(name)))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isValidHost reports whether host consists of a host name or an IP address (an IPv6 address in
// brackets) and, optionally, a port. Absolute URLs in responses contain the host, so no other
// characters are valid.
func isValidHost(host string) bool {
	name, port, hasPort := host, "", false
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		name, port, hasPort = host[:i], host[i+1:], true
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil && hasPort && port != "" {
		return false
	}
	if literal, ok := strings.CutPrefix(name, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		address, err := netip.ParseAddr(literal)
		return ok && err == nil && address.Is6() && address.Zone() == ""
	}
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && c != '_' && c != '.' && !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsDigit(c)
	})
}

// hostName returns the name or address in a Host header: in lower case, without port, final dot,
// and the brackets of an IPv6 address.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

// requestHost returns the host to which the client sent a request. A trusted proxy reports this
// host in the header X-Forwarded-Host.
func (s *service) requestHost(r *http.Request) string {
	if s.proxies.isFromProxy(r) {
		if forwarded := r.Header.Get("X-Forwarded-Host"); forwarded != "" {
			host, _, _ := strings.Cut(forwarded, ",")
			return strings.TrimSpace(host)
		}
	}
	return strings.TrimSpace(r.Host)
}

// isProbe reports whether a load balancer or an orchestrator probes the health of the service.
func isProbe(r *http.Request) bool { return r.URL.Path == "/healthz" || r.URL.Path == "/readyz" }
