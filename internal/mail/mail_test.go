package mail

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	gomail "github.com/wneessen/go-mail"
)

// mailServer is an SMTP server that keeps what it receives.
type mailServer struct {
	mu       sync.Mutex
	received []string // recipient and message
	user     string
	secure   bool // the last message came over TLS
}

type session struct {
	server *mailServer
	conn   *smtp.Conn
	to     string
}

func (m *mailServer) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &session{server: m, conn: c}, nil
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if password != "secret" {
			return errors.New("wrong password")
		}
		s.server.user = user
		return nil
	}), nil
}

func (s *session) Mail(string, *smtp.MailOptions) error { return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "unknown@") {
		return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
	}
	s.to = to
	return nil
}

func (s *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	_, secure := s.conn.TLSConnectionState()
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.received, s.server.secure = append(s.server.received, s.to+"\n"+string(b)), secure
	return err
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// listen starts a server, with TLS if there is a certificate.
func listen(t *testing.T, certificate *tls.Certificate) (server *mailServer, address string) {
	t.Helper()
	server = &mailServer{}
	srv := smtp.NewServer(server)
	srv.Domain, srv.AllowInsecureAuth = "localhost", true
	srv.ErrorLog = discard{}
	if certificate != nil {
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = srv.Serve(listener) }() // until it is closed
	t.Cleanup(func() { _ = srv.Close() })
	return server, listener.Addr().String()
}

type discard struct{}

func (discard) Printf(string, ...any) {}
func (discard) Println(...any)        {}

// newCertificate returns a certificate of 127.0.0.1 and the authority to trust.
func newCertificate(t *testing.T) (*tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(certificate)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func mustNew(t *testing.T, address string) *Sender {
	t.Helper()
	s, err := New(address)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSend(t *testing.T) {
	t.Parallel()
	server, address := listen(t, nil)
	s := mustNew(t, "smtp://ann:secret@"+address+"?from=Foretell+%3Cforetell@example.com%3E")
	if err := s.Send(t.Context(), "bob@example.com", "Grüße", "line one\nhttps://example.com/password?code=x_-\n"); err != nil {
		t.Fatal(err)
	}
	if len(server.received) != 1 || server.user != "ann" {
		t.Fatalf("received %q from %q", server.received, server.user)
	}
	for _, want := range []string{"bob@example.com\n", "From: \"Foretell\" <foretell@example.com>", "Subject: =?UTF-8?q?Gr=C3=BC=C3=9Fe?=", "Auto-Submitted: auto-generated", "Message-ID: <", "code=3Dx_-"} {
		if !strings.Contains(server.received[0], want) {
			t.Errorf("no %q in %s", want, server.received[0])
		}
	}
	if err := s.Send(t.Context(), "unknown@example.com", "subject", "text"); err == nil {
		t.Error("a rejected recipient is no error")
	}
	if err := s.Send(t.Context(), "bob@example.com>\r\nBcc: eve@example.com", "subject", "text"); err == nil {
		t.Error("an invalid recipient is no error")
	}
	wrong := mustNew(t, "smtp://ann:wrong-password@"+address+"?from=foretell@example.com")
	if err := wrong.Send(t.Context(), "bob@example.com", "subject", "text"); err == nil || strings.Contains(err.Error(), "wrong-password") {
		t.Errorf("the error is %v", err)
	}
	if len(server.received) != 1 {
		t.Errorf("received %q", server.received)
	}
}

// TestHangingServer checks that Send returns when its context ends, although the server does not
// respond.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			defer func() { _ = conn.Close() }()
		}
		stop()
		<-t.Context().Done()
	}()
	began := time.Now()
	err = mustNew(t, "smtp://"+listener.Addr().String()+"?from=foretell@example.com").Send(ctx, "bob@example.com", "subject", "text")
	if took := time.Since(began); !errors.Is(err, context.Canceled) || took > timeout/3 {
		t.Errorf("%v after %s", err, took)
	}
}

// TestSTARTTLS checks that an email is sent only over TLS, and only to a server with a trusted
// certificate.
func TestSTARTTLS(t *testing.T) {
	t.Parallel()
	certificate, trusted := newCertificate(t)
	server, address := listen(t, certificate)
	plain, plainAddress := listen(t, nil)
	secure := func(address string, pool *x509.CertPool) *Sender {
		_, port, _ := net.SplitHostPort(address)
		s := mustNew(t, "smtp://ann:secret@mail.example.com:"+port+"?from=foretell@example.com")
		s.host = "127.0.0.1"
		s.options = append(s.options, gomail.WithTLSConfig(&tls.Config{ServerName: "127.0.0.1", RootCAs: pool, MinVersion: tls.VersionTLS12}))
		return s
	}
	if err := secure(address, trusted).Send(t.Context(), "bob@example.com", "subject", "text"); err != nil || !server.secure {
		t.Errorf("over TLS: %t, %v", server.secure, err)
	}
	if err := secure(address, nil).Send(t.Context(), "bob@example.com", "subject", "text"); err == nil {
		t.Error("an unknown certificate is trusted")
	}
	if err := secure(plainAddress, trusted).Send(t.Context(), "bob@example.com", "subject", "text"); err == nil || len(plain.received) > 0 {
		t.Errorf("a server without STARTTLS received %q, %v", plain.received, err)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "mail.example.com", "http://mail.example.com?from=a@example.com", "smtp://?from=a@example.com", "smtp://mail.example.com",
		"smtp://mail.example.com?from=nobody", "smtp://mail.example.com?from=a@example.com&tls=maybe", "smtps://mail.example.com?from=a@example.com&tls=none",
		"smtp://mail.example.com:0?from=a@example.com", "smtp://mail.example.com?from=a@example.com&tsl=none", "smtp://ann:top%secret@mail.example.com?from=a@example.com",
	} {
		if _, err := New(address); err == nil {
			t.Errorf("%q is accepted", address)
		} else if bytes.Contains([]byte(err.Error()), []byte("secret")) {
			t.Errorf("%q: the error has the password: %v", address, err)
		}
	}
	for address, insecure := range map[string]bool{
		"smtp://mail.example.com?from=a@example.com": false, "smtps://mail.example.com?from=a@example.com": false, "smtp://[::1]:25?from=a@example.com": true,
		"smtp://mail.example.com?from=a@example.com&tls=none": true, "smtp://localhost.example.com?from=a@example.com": false,
	} {
		if s := mustNew(t, address); s.unencrypted != insecure {
			t.Errorf("%s without TLS: %t", address, s.unencrypted)
		}
	}
}
