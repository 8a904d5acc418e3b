package config

import (
	"cmp"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"foretell/internal/client"
	"foretell/internal/exit"
)

// NewClient returns a client. An invalid address is a usage error.
func NewClient(opts client.Options) (*client.Client, error) {
	c, err := client.New(opts)
	if err == nil {
		return c, nil
	}
	if guess := guessScheme(strings.TrimLeft(strings.TrimSpace(opts.BaseURL), "/")); !strings.Contains(opts.BaseURL, "://") && isAddress(guess) {
		return nil, exit.Usagef("%w", err).WithHint("did you mean %s?", guess)
	}
	example := "https://foretell.example.com"
	if u, parseErr := url.Parse(strings.TrimSpace(opts.BaseURL)); parseErr == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		example = client.Origin(u)
	}
	return nil, exit.Usagef("%w", err).WithHint("use the address of the service, as in --server %s", example)
}

// guessScheme returns the URL that is probably meant by an address without a scheme. It adds
// http:// to an address of this machine, and https:// to any other.
func guessScheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "http://" + address
	}
	return "https://" + address
}

// isAddress reports whether text is a URL that has a host.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != ""
}

// InvalidProxy returns the name of the variable with the proxy for requests to server if its value
// is not the address of a proxy. Otherwise it returns "". With such a value, package net/http sends
// the requests without a proxy, and reports no error.
func InvalidProxy(env Getenv, server string) (variable string) {
	u, err := url.Parse(strings.TrimSpace(server))
	if err != nil {
		return ""
	}
	const valid = "http://proxy.invalid" // to find out whether a proxy would be used for requests to server
	settings := httpproxy.Config{HTTPProxy: valid, HTTPSProxy: valid, NoProxy: cmp.Or(env("NO_PROXY"), env("no_proxy"))}
	if proxy, err := settings.ProxyFunc()(u); err != nil || proxy == nil {
		return ""
	}
	variable = strings.ToUpper(u.Scheme) + "_PROXY"
	if env(variable) == "" {
		variable = strings.ToLower(variable)
	}
	proxy := env(variable)
	for _, address := range []string{proxy, "http://" + proxy} {
		if _, err := url.Parse(address); err == nil {
			return ""
		}
	}
	return variable
}

// EmbeddedURL is the base URL of a service in this process. No connection is made to it, because
// the transport of the client is [client.NewInProcessTransport].
const EmbeddedURL = "http://foretell.invalid"
