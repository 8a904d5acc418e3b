package server

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxies are the networks of trusted proxies. The X-Forwarded headers of other clients
// are ignored.
type proxies []netip.Prefix

// trusts reports whether a trusted proxy has this address.
func (p proxies) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// isFromProxy reports whether a request came from a trusted proxy.
func (p proxies) isFromProxy(r *http.Request) bool {
	peer, ok := parseAddress(r.RemoteAddr)
	return ok && p.trusts(peer)
}

// remoteAddress returns the IP address of the client. If a trusted proxy sent the request, it is
// the address that the proxy reports. For IPv6, it is the /64 network of the address, because a
// client can usually use all addresses of its network.
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
		if !ok { // no proxy writes such text, so the client wrote it
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
func parseAddress(text string) (address netip.Addr, ok bool) {
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
