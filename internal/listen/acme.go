package listen

import (
	"crypto/tls"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// ACME obtains and renews certificates from an ACME server (RFC 8555). To verify the hosts, the
// ACME server connects to their port 443 (tls-alpn-01).
type ACME struct {
	// Hosts are the names of the hosts for which certificates are obtained.
	Hosts []string
	// Folder is where the key of the ACME account and the certificates are stored. It is
	// created if it does not exist.
	Folder string
	// Directory is the URL of the ACME server. Defaults to the server of Let's Encrypt.
	Directory string
}

// TLSConfig returns the TLS configuration of a server with these certificates. It
// accepts the terms of service of the ACME server.
func (a ACME) TLSConfig() *tls.Config {
	manager := &autocert.Manager{
		Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(a.Hosts...), Cache: autocert.DirCache(a.Folder),
	}
	if a.Directory != "" {
		manager.Client = &acme.Client{DirectoryURL: a.Directory}
	}
	config := manager.TLSConfig()
	config.MinVersion = tls.VersionTLS12
	return config
}
