package server

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxies are the networks of the proxies whose X-Forwarded headers are used.
type proxies []netip.Prefix

// trusts reports whether an address is that of a trusted proxy.
func (p proxies) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// forwards reports whether a request came from a trusted proxy.
func (p proxies) forwards(r *http.Request) bool {
	peer, ok := parseAddress(r.RemoteAddr)
	return ok && p.trusts(peer)
}

// remoteAddress returns the address of the client: that of the peer, or, with
// trustProxy, the one that the proxy reports. Instead of an IPv6 address it
// returns its /64 network, because a host usually has all addresses of one.
func (p proxies) remoteAddress(r *http.Request) string {
	address, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for p.trusts(address) && len(hops) > 0 {
		last := hops[len(hops)-1]
		hops = hops[:len(hops)-1]
		hop, ok := parseAddress(strings.TrimSpace(last))
		if !ok { // a proxy writes addresses: someone else wrote this
			break
		}
		address = hop
	}
	if address.Is6() {
		if prefix, err := address.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return address.String()
}

// parseAddress parses an IP address with or without a port.
func parseAddress(text string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(text)
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		if err != nil {
			return address, false
		}
		address = withPort.Addr()
	}
	return address.Unmap().WithZone(""), true
}
