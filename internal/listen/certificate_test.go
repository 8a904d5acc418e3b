package listen_test

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/listen"
	"foretell/internal/testenv"
)

func asTimeout(err error, target *net.Error) bool {
	return errors.As(err, target) && (*target).Timeout()
}

// TestCertificate serves a certificate from files over HTTP/2, and replaces it.
func TestCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	testenv.WriteCertificate(t, certFile, keyFile, "first")
	log := &logs{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	var later atomic.Int64 // time that has passed on the clock of the service
	now := func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	certificate, err := listen.ReadCertificate(certFile, keyFile, logger, now)
	if err != nil {
		t.Fatal(err)
	}
	address := serveTLS(t, certificate.TLSConfig(), logger)
	served := func() (name, protocol string) {
		client := &http.Client{Transport: &http.Transport{
			ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // its name is compared
		}}
		resp, err := client.Get("https://" + address)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.TLS.PeerCertificates[0].Subject.CommonName, resp.Proto
	}
	if name, protocol := served(); name != "first" || protocol != "HTTP/2.0" {
		t.Errorf("got the certificate %s by %s", name, protocol)
	}
	testenv.WriteCertificate(t, certFile, keyFile, "the second")
	later.Add(int64(2 * time.Second))
	if name, _ := served(); name != "the second" {
		t.Errorf("got the certificate %s after the files changed", name)
	}
	if err := os.WriteFile(keyFile, []byte("half a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		later.Add(int64(2 * time.Second))
		if name, _ := served(); name != "the second" {
			t.Errorf("got the certificate %s while the files are invalid", name)
		}
	}
	if n := strings.Count(log.String(), "the previous TLS certificate remains in use"); n != 1 {
		t.Errorf("%d errors: %s", n, log)
	}
	testenv.WriteCertificate(t, certFile, keyFile, "third")
	certificate.Reload()
	if name, _ := served(); name != "third" {
		t.Errorf("got the certificate %s after Reload", name)
	}
	if _, err := listen.ReadCertificate(keyFile, certFile, logger, time.Now); err == nil {
		t.Error("swapped files were accepted")
	}
}

// TestCertificateValidity checks that a certificate that is not valid now, or expires soon, is
// reported at the start and whenever it is read again.
func TestCertificateValidity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	testenv.WriteCertificate(t, certFile, keyFile, "any") // for one hour
	for want, later := range map[string]time.Duration{
		"the TLS certificate is not valid yet, so clients refuse it": -100 * 365 * 24 * time.Hour,
		"the TLS certificate expires soon":                           0,
		"the TLS certificate has expired, so clients refuse it":      2 * time.Hour,
		"": -30 * 24 * time.Hour,
	} {
		log := &logs{}
		certificate, err := listen.ReadCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(log, nil)), func() time.Time { return time.Now().Add(later) })
		if err != nil {
			t.Fatal(err)
		}
		certificate.Reload()
		if n := strings.Count(log.String(), `level=WARN msg="`+want); (want == "") != (n == 0) || n != 0 && n != 2 {
			t.Errorf("%s: %q, %d times: %s", later, want, n, log)
		}
		if left := time.Until(certificate.Expiry()); left <= 0 || left > time.Hour {
			t.Errorf("the certificate expires in %s", left)
		}
	}
}

// serveTLS serves hello with TLS and returns the address.
func serveTLS(t *testing.T, config *tls.Config, logger *slog.Logger) string {
	t.Helper()
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := listen.NewServer(hello, logger)
	server.TLSConfig = config
	listener := listen.New(inner, listen.Limits{}, logger, time.Now)
	served := make(chan error, 1)
	go func() { served <- server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}
