package listen

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Certificate is a TLS certificate that is read from files, and again when the files change.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	now               func() time.Time

	current atomic.Pointer[tls.Certificate]
	checked atomic.Int64 // when the files were last checked for changes, in Unix nanoseconds

	mu sync.Mutex // held while the files are checked and read
	// tried holds the states of the certificate file and the key file at the last attempt to read
	// them.
	tried [2]fileState
}

// checkInterval is the shortest time between two checks whether the files have changed. Handshakes
// in between do not access the disk.
const checkInterval = time.Second

// fileState is compared to detect that a file was written or replaced.
type fileState struct {
	modified time.Time
	size     int64
}

// ReadCertificate reads a certificate with its chain and its private key, both in PEM. If the
// certificate is not valid now or expires soon, it only logs a warning, so that the service can
// start.
func ReadCertificate(certFile, keyFile string, log *slog.Logger, now func() time.Time) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log, now: now}
	c.tried = c.fileStates()
	c.checked.Store(now().UnixNano())
	if err := c.loadFiles(); err != nil {
		return nil, err
	}
	c.warnIfInvalidOrExpiring()
	return c, nil
}

// Expiry returns the time when the certificate in use expires.
func (c *Certificate) Expiry() time.Time {
	return c.current.Load().Leaf.NotAfter
}

// TLSConfig returns the TLS configuration of a server with the certificate.
func (c *Certificate) TLSConfig() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.getCertificate}
}

// Reload reads the files again. If they are invalid, it logs that and keeps the
// previous certificate.
func (c *Certificate) Reload() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried = c.fileStates()
	c.reloadLocked()
}

// getCertificate returns the certificate for a handshake. Once in each checkInterval, it first
// reads the files again if they have changed. Other handshakes use the previous certificate
// meanwhile.
func (c *Certificate) getCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	elapsed := time.Duration(c.now().UnixNano() - c.checked.Load())
	if (elapsed >= checkInterval || elapsed < 0) && c.mu.TryLock() { // negative if the clock was set back
		defer c.mu.Unlock()
		c.checked.Store(c.now().UnixNano())
		if state := c.fileStates(); state != c.tried {
			c.tried = state // before reading, so that files that cannot be read are logged only once
			c.reloadLocked()
		}
	}
	return c.current.Load(), nil
}

// reloadLocked reads the files and logs the result. The caller must hold the mutex.
func (c *Certificate) reloadLocked() {
	if err := c.loadFiles(); err != nil {
		c.log.Error("the previous TLS certificate remains in use", "error", err)
		return
	}
	c.log.Info("TLS certificate read", "file", c.certFile, "expires", c.Expiry())
	c.warnIfInvalidOrExpiring()
}

// expiryWarning is how long before the expiry of a certificate a warning is logged.
const expiryWarning = 14 * 24 * time.Hour

// warnIfInvalidOrExpiring logs a warning if clients refuse the current certificate because of its dates, or
// will soon do so.
func (c *Certificate) warnIfInvalidOrExpiring() {
	now, leaf := c.now(), c.current.Load().Leaf
	switch {
	case now.Before(leaf.NotBefore):
		c.log.Warn("the TLS certificate is not valid yet, so clients refuse it", "file", c.certFile, "validFrom", leaf.NotBefore)
	case now.After(leaf.NotAfter):
		c.log.Warn("the TLS certificate has expired, so clients refuse it", "file", c.certFile, "expires", leaf.NotAfter)
	case now.Add(expiryWarning).After(leaf.NotAfter):
		c.log.Warn("the TLS certificate expires soon", "file", c.certFile, "expires", leaf.NotAfter)
	}
}

// loadFiles sets c.current to the certificate in the two files. After an error, c.current is
// unchanged.
func (c *Certificate) loadFiles() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("reading the certificate %s with the key %s: %w", c.certFile, c.keyFile, err)
	}
	c.current.Store(&pair)
	return nil
}

// fileStates returns the state of the two files. The state of a missing file is zero.
func (c *Certificate) fileStates() (states [2]fileState) {
	for i, name := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(name); err == nil {
			states[i] = fileState{info.ModTime(), info.Size()}
		}
	}
	return states
}
