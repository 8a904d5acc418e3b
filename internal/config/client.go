package config

import (
	"net"
	"net/url"
	"strings"

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
	variable = "HTTP_PROXY"
	if u, err := url.Parse(server); err == nil {
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
			return "" // requests to this machine are sent without a proxy
		}
		if u.Scheme == "https" {
			variable = "HTTPS_PROXY"
		}
	}
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
