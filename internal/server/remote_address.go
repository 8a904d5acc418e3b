package server

import (
	"net/http"
	"net/netip"
	"strings"
)

// remoteAddress returns the address of the client: the peer, or, behind a trusted
// proxy, the one that the proxy reports. Of an IPv6 address it returns the /64
// network, because a host usually has a whole network of addresses.
func remoteAddress(r *http.Request, trustProxy bool) string {
	text := r.RemoteAddr
	if forwarded := r.Header.Values("X-Forwarded-For"); trustProxy && len(forwarded) > 0 {
		hops := strings.Split(forwarded[len(forwarded)-1], ",")
		text = strings.TrimSpace(hops[len(hops)-1]) // the peer of the proxy
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		if err != nil {
			return text
		}
		address = withPort.Addr()
	}
	address = address.Unmap()
	if address.Is6() {
		if prefix, err := address.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return address.String()
}
