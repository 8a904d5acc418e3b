// Package mail sends emails over SMTP.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// timeout is the time limit for connecting to the server, and for each SMTP command.
const timeout = 30 * time.Second

// Sender sends emails through an SMTP server. It is safe for concurrent use, because it opens a
// connection for each email.
type Sender struct {
	host    string
	from    string
	options []gomail.Option
	// unencrypted is true if emails may be sent without TLS.
	unencrypted bool
}

// New returns a Sender with the server, user and sender address of a URL:
//
//	smtp://USER:PASSWORD@HOST:PORT?from=ADDRESS    STARTTLS, port 587 by default
//	smtps://USER:PASSWORD@HOST:PORT?from=ADDRESS   TLS from the start, port 465 by default
//
// USER:PASSWORD@ is optional. With smtp, the server must support STARTTLS, unless the host is a
// loopback address or the URL has the parameter tls=none. Errors do not contain the URL, which may
// have a password.
func New(address string) (*Sender, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
		return nil, errors.New("must be a URL such as smtp://user:password@mail.example.com:587?from=foretell@example.com")
	}
	query := u.Query()
	for name := range query {
		if name != "from" && name != "tls" {
			return nil, fmt.Errorf("unknown parameter %q; known parameters: from, tls", name)
		}
	}
	from, err := netmail.ParseAddress(query.Get("from"))
	if err != nil {
		return nil, fmt.Errorf("invalid from=%q: must be the sender's address", query.Get("from"))
	}
	if query.Has("tls") && (query.Get("tls") != "none" || u.Scheme == "smtps") {
		return nil, fmt.Errorf("invalid tls=%q: only tls=none is supported, and only with smtp://", query.Get("tls"))
	}
	s := &Sender{host: u.Hostname(), from: from.String(), unencrypted: query.Get("tls") == "none" || isLoopback(u.Hostname())}
	port, err := smtpPort(u)
	if err != nil {
		return nil, err
	}
	s.options = []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(timeout), gomail.WithTLSConfig(&tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12})}
	switch {
	case u.Scheme == "smtps":
		s.unencrypted = false
		s.options = append(s.options, gomail.WithSSL())
	case s.unencrypted:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	s.options = append(s.options, s.authOptions(u.User)...)
	return s, nil
}

// authOptions returns the options with which the Sender authenticates as user. It returns nil if
// the URL has no user.
func (s *Sender) authOptions(user *url.Userinfo) []gomail.Option {
	if user.Username() == "" {
		return nil
	}
	password, _ := user.Password()
	method := gomail.SMTPAuthAutoDiscover
	if s.unencrypted {
		method = gomail.SMTPAuthPlainNoEnc
	}
	return []gomail.Option{gomail.WithUsername(user.Username()), gomail.WithPassword(password), gomail.WithSMTPAuth(method)}
}

func smtpPort(u *url.URL) (int, error) {
	if u.Port() == "" {
		return map[string]int{"smtp": 587, "smtps": 465}[u.Scheme], nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("invalid port %q", u.Port())
	}
	return int(port), nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// Send sends a plain-text email. It returns nil when the SMTP server has accepted the email. When
// ctx ends, Send returns after at most stopTimeout, but it is then unknown whether the server accepts the
// email.
func (s *Sender) Send(ctx context.Context, to, subject, text string) error {
	message := gomail.NewMsg()
	if err := errors.Join(message.From(s.from), message.To(to)); err != nil {
		return err
	}
	message.Subject(subject)
	message.SetDate()
	message.SetMessageID()
	message.SetGenHeader("Auto-Submitted", "auto-generated") // prevents automatic replies, such as vacation notices
	message.SetBodyString(gomail.TypeTextPlain, text)
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() { sent <- client.DialAndSendWithContext(ctx, message) }() // observes ctx only while it connects
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-sent:
		return err
	case <-time.After(stopTimeout):
		return ctx.Err()
	}
}

// stopTimeout is how long Send waits for the SMTP server after ctx has ended. An email whose
// acceptance is unknown will be sent again.
const stopTimeout = 3 * time.Second
