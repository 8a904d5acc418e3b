package listen_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"foretell/internal/listen"
)

const acmeHost = "foretell.example.com"

// certificateAuthority is an ACME server (RFC 8555) that issues certificates for acmeHost. It
// checks the tls-alpn-01 challenge, but not the signatures of requests.
type certificateAuthority struct {
	t   *testing.T
	url string
	key *ecdsa.PrivateKey

	mu      sync.Mutex
	service string // where acmeHost is served
	valid   bool   // the challenge was met
	issued  []byte // PEM; nil until finalized
	orders  int
}

func newCertificateAuthority(t *testing.T) *certificateAuthority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &certificateAuthority{t: t, key: key}
	server := httptest.NewServer(ca)
	t.Cleanup(server.Close)
	ca.url = server.URL
	return ca
}

// ServeHTTP responds to one step of the protocol.
func (ca *certificateAuthority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ca.mu.Lock()
	defer ca.mu.Unlock()
	w.Header().Set("Replay-Nonce", "nonce")
	status := map[bool]string{false: "pending", true: "valid"}
	reply := func(code int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v)
	}
	challenge := map[string]any{"type": "tls-alpn-01", "url": ca.url + "/challenge", "token": "token", "status": status[ca.valid]}
	identifier := map[string]any{"type": "dns", "value": acmeHost}
	order := func() map[string]any {
		o := map[string]any{
			"status": "pending", "identifiers": []any{identifier}, "authorizations": []any{ca.url + "/authorization"}, "finalize": ca.url + "/finalize",
		}
		if ca.valid {
			o["status"] = "ready"
		}
		if ca.issued != nil {
			o["status"], o["certificate"] = "valid", ca.url+"/certificate"
		}
		return o
	}
	switch r.URL.Path {
	case "/":
		reply(http.StatusOK, map[string]any{"newNonce": ca.url + "/nonce", "newAccount": ca.url + "/account", "newOrder": ca.url + "/orders"})
	case "/nonce":
	case "/account":
		w.Header().Set("Location", ca.url+"/account/1")
		reply(http.StatusCreated, map[string]any{"status": "valid"})
	case "/orders":
		ca.orders++
		w.Header().Set("Location", ca.url+"/order")
		reply(http.StatusCreated, order())
	case "/order":
		w.Header().Set("Location", ca.url+"/order")
		reply(http.StatusOK, order())
	case "/authorization":
		reply(http.StatusOK, map[string]any{"status": status[ca.valid], "identifier": identifier, "challenges": []any{challenge}})
	case "/challenge":
		ca.valid = ca.check()
		challenge["status"] = status[ca.valid]
		reply(http.StatusOK, challenge)
	case "/finalize":
		ca.issue(r)
		w.Header().Set("Location", ca.url+"/order")
		reply(http.StatusOK, order())
	case "/certificate":
		w.Header().Set("Content-Type", "application/pem-certificate-chain")
		_, _ = w.Write(ca.issued)
	default:
		http.NotFound(w, r)
	}
}

// check reports whether the service meets the challenge (RFC 8737).
func (ca *certificateAuthority) check() bool {
	conn, err := tls.Dial("tcp", ca.service, &tls.Config{ServerName: acmeHost, NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true}) //nolint:gosec // by RFC 8737
	if err != nil {
		ca.t.Errorf("checking the challenge: %v", err)
		return false
	}
	defer func() { _ = conn.Close() }()
	for _, extension := range conn.ConnectionState().PeerCertificates[0].Extensions {
		if extension.Id.Equal(asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 31}) {
			return true
		}
	}
	return false
}

// issue signs the certificate that a request asks for.
func (ca *certificateAuthority) issue(r *http.Request) {
	var signed struct{ Payload string }
	var payload struct{ CSR string }
	err := json.NewDecoder(r.Body).Decode(&signed)
	decode := func(text string) (b []byte) {
		if err == nil {
			b, err = base64.RawURLEncoding.DecodeString(text)
		}
		return b
	}
	if text := decode(signed.Payload); err == nil {
		err = json.Unmarshal(text, &payload)
	}
	var request *x509.CertificateRequest
	if der := decode(payload.CSR); err == nil {
		request, err = x509.ParseCertificateRequest(der)
	}
	if err != nil {
		ca.t.Error(err)
		return
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: acmeHost}, DNSNames: request.DNSNames,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, root, request.PublicKey, ca.key)
	if err != nil {
		ca.t.Error(err)
		return
	}
	ca.issued = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// TestACME obtains a certificate from an ACME server once and keeps it in the folder.
func TestACME(t *testing.T) {
	t.Parallel()
	ca := newCertificateAuthority(t)
	dir := t.TempDir()
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	for range 2 { // the second service finds the certificate in the folder
		address := serveTLS(t, listen.ACME{Hosts: []string{acmeHost}, Folder: dir, Directory: ca.url + "/"}.TLSConfig(), logger)
		ca.mu.Lock()
		ca.service = address
		ca.mu.Unlock()
		conn, err := tls.Dial("tcp", address, &tls.Config{ServerName: acmeHost, InsecureSkipVerify: true}) //nolint:gosec // its issuer is compared
		if err != nil {
			t.Fatal(err)
		}
		if got := conn.ConnectionState().PeerCertificates[0]; got.Issuer.CommonName != "test authority" || got.VerifyHostname(acmeHost) != nil {
			t.Errorf("got a certificate of %s for %v", got.Issuer, got.DNSNames)
		}
		_ = conn.Close()
		other, err := tls.Dial("tcp", address, &tls.Config{ServerName: "other.example.com", InsecureSkipVerify: true}) //nolint:gosec // it must fail
		if err == nil {
			_ = other.Close()
			t.Error("a certificate for another host")
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) == 0 || ca.orders != 1 {
		t.Errorf("%d orders, %d files, %v", ca.orders, len(files), err)
	}
}
