package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

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

// checkHost returns a handler that calls next if the host of a request is allowed.
// /healthz and /readyz allow all hosts, because load balancers request them by address.
func (s *service) checkHost(next http.Handler) http.Handler {
	if len(s.opts.AllowedHosts) == 0 {
		return next
	}
	allowed := map[string]bool{}
	for _, host := range s.opts.AllowedHosts {
		allowed[strings.ToLower(host)] = true
	}
	if public, err := url.Parse(s.opts.PublicURL); err == nil && public.Hostname() != "" {
		allowed[strings.ToLower(public.Hostname())] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostName(s.requestHost(r))
		_, err := netip.ParseAddr(host)
		isAddress := err == nil
		isAllowed := allowed[host] || isAddress && allowed[allIPAddresses]
		if !isAllowed && !isProbe(r) {
			writeProblem(w, api.NewProblem(api.CodeMalformed, "the service does not accept requests to the host %q: use its public URL, or restart the service with this host in --allowed-hosts", escapeForLog(host)))
			return
		}
		next.ServeHTTP(w, r)
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
