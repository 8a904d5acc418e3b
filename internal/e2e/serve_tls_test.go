//go:build unix

package e2e_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/testenv"
)

// TestServeTLS uses a service with a certificate that the client trusts.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	testenv.WriteCertificate(t, certFile, keyFile, "first")
	_, address := serveAt(t, "127.0.0.1:0", filepath.Join(dir, "data"), "--no-work", "--tls-cert", certFile, "--tls-key", keyFile)
	if !strings.HasPrefix(address, "https://127.0.0.1:") {
		t.Fatalf("listens on %s", address)
	}
	env := append(account(t, func(*testing.T) (string, string) { return address, filepath.Join(dir, "data") }), "SSL_CERT_FILE="+certFile)
	list := exec.Command("foretell", "datasets", "list", "--json")
	list.Env = env
	if out, err := list.CombinedOutput(); err != nil || string(out) != "[]\n" {
		t.Errorf("%v: %s", err, out)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // only the metric is tested
	response, err := client.Get(address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(metrics), "\nforetell_tls_certificate_expiry_timestamp_seconds ") {
		t.Errorf("%v: %s", err, metrics)
	}
}

// TestReloadCertificate replaces the certificate of a service and sends SIGHUP, which must not
// end the service.
func TestReloadCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	testenv.WriteCertificate(t, certFile, keyFile, "first")
	serve := exec.Command("foretell", "serve", "--listen", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "data"), "--tls-cert", certFile, "--tls-key", keyFile)
	_, messages, err := follow(t, serve, func(line string) {
		switch {
		case strings.Contains(line, "listening on "):
			testenv.WriteCertificate(t, certFile, keyFile, "second")
			_ = serve.Process.Signal(syscall.SIGHUP)
		case strings.Contains(line, "TLS certificate read"):
			_ = serve.Process.Signal(syscall.SIGTERM)
		}
	})
	if err != nil || !strings.Contains(messages, "TLS certificate read") {
		t.Errorf("%v: %s", err, messages)
	}
}

// TestLinkOfACMEHost checks that the link that creates the first administrator has a host for which the
// certificate is valid, and not the address of the listener.
func TestLinkOfACMEHost(t *testing.T) {
	t.Parallel()
	serve := exec.Command("foretell", "serve", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--no-work",
		"--tls-acme", "foretell.example.com,other.example.com", "--tls-acme-directory", "http://127.0.0.1:1/")
	_, messages, err := follow(t, serve, func(line string) {
		if strings.Contains(line, "there is no administrator yet") {
			_ = serve.Process.Signal(syscall.SIGTERM)
		}
	})
	if err != nil || !strings.Contains(messages, "\nhttps://foretell.example.com/") {
		t.Errorf("%v: %s", err, messages)
	}
}
