package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"foretell/internal/api"
)

// mailServer is an SMTP server that sends the emails it receives to the channel.
type mailServer chan string

// NewSession begins a connection.
func (m mailServer) NewSession(*smtp.Conn) (smtp.Session, error) { return mailSession{m}, nil }

type mailSession struct{ server mailServer }

func (mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (mailSession) Reset()                               {}
func (mailSession) Logout() error                        { return nil }
func (s mailSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.server <- strings.NewReplacer("=\r\n", "", "=3D", "=", "\r\n", "\n").Replace(string(text))
	return err
}

// TestAdministratorsCSV sends formulas and control characters in places that need no account. The
// CSV of the administrator's lists must not have them.
func TestAdministratorsCSV(t *testing.T) {
	t.Parallel()
	address, dir := serve(t)
	form, err := json.Marshal(api.NewAccessRequest{Name: `=HYPERLINK("http://example.org")`, Organisation: "@SUM(1)", Email: "ann@example.org", Reason: "+1\nsecond line\ttab"})
	if err != nil {
		t.Fatal(err)
	}
	post(t, address+api.RequestAccess.Path, form, http.StatusAccepted)
	login, err := json.Marshal(map[string]string{"username": "=1+1@example.org", "password": "a long password"})
	if err != nil {
		t.Fatal(err)
	}
	post(t, address+api.LogIn.Path, login, http.StatusUnauthorized)
	for list, want := range map[string]string{
		"requests --fields name,organisation,reason": "name,organisation,reason\n" + `"'=HYPERLINK(""http://example.org"")",'@SUM(1),'+1\nsecond line\ttab` + "\n",
		"audit --action login --fields actor":        "actor\n'=1+1@example.org\n",
	} {
		args := append([]string{"users"}, append(strings.Fields(list), "--data-dir", dir, "--csv")...)
		out, err := exec.Command("foretell", args...).Output()
		if err != nil || string(out) != want {
			t.Errorf("users %s printed %q, %v; want %q", list, out, err, want)
		}
	}
}

// TestCredentialsByMail requests an account and logs in with the link from the email. The email
// server starts only after the request.
func TestCredentialsByMail(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a mail server")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // the server may have closed it already
	dir := t.TempDir()
	const public = "https://foretell.example.com"
	_, address := serveAt(t, "127.0.0.1:0", dir, "--public-url", public, "--approve-domain", "example.org",
		"--smtp", "smtp://"+listener.Addr().String()+"?from=foretell@example.com")
	form, err := json.Marshal(api.NewAccessRequest{Name: "Ann", Organisation: "Example", Email: "ann@example.org", Reason: "to learn"})
	if err != nil {
		t.Fatal(err)
	}
	post(t, address+api.RequestAccess.Path, form, http.StatusAccepted)

	mails := make(mailServer, 9)
	server := smtp.NewServer(mails)
	go func() { _ = server.Serve(listener) }() // until it is closed
	defer func() { _ = server.Close() }()
	mail := <-mails
	code := regexp.MustCompile(`https://foretell\.example\.com/password\?code=([A-Za-z0-9_-]{43})\n`).FindStringSubmatch(mail)
	if code == nil || !strings.Contains(mail, "\nTo: <ann@example.org>\n") {
		t.Fatalf("the email is %s", mail)
	}
	password, err := json.Marshal(api.NewPassword{Code: code[1], Password: "a long password"})
	if err != nil {
		t.Fatal(err)
	}
	post(t, address+api.SetPassword.Path, password, http.StatusOK)
	if _, err := signIn(address, "ann@example.org"); err != nil {
		t.Error(err)
	}

	// A command on the data folder leaves the email to the service.
	reset := exec.Command("foretell", "users", "reset", "ann@example.org", "--yes", "--data-dir", dir)
	reset.Env = append(os.Environ(), "FORETELL_NO_INPUT=1")
	out, err := reset.CombinedOutput()
	if err != nil || strings.Contains(string(out), "code=") || !strings.Contains(string(out), "by email from the service") {
		t.Fatalf("%v: %s", err, out)
	}
	if mail := <-mails; !strings.Contains(mail, "Subject: Set a new Foretell password\n") {
		t.Errorf("the email is %s", mail)
	}

	// A forgotten password is replaced by email. The response does not reveal whether the
	// account exists.
	for _, email := range []string{"nobody@example.org", "ann@example.org"} {
		post(t, address+api.RequestPassword.Path, []byte(`{"email":"`+email+`"}`), http.StatusAccepted)
	}
	if mail := <-mails; !strings.Contains(mail, "\nTo: <ann@example.org>\n") || !strings.Contains(mail, "someone requested a new password") {
		t.Errorf("the email is %s", mail)
	}
}

// post sends JSON and checks that the service responds with the given status.
func post(t *testing.T, address string, body []byte, status int) {
	t.Helper()
	resp, err := http.Post(address, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		t.Fatalf("%s: %s, %v: %s", address, resp.Status, err, text)
	}
}

// TestStatusCreatesNoAccount shows the status of the data folder of a service.
func TestStatusCreatesNoAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := addAccount("a@example.com", []string{"--data-dir", dir}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status", "--fields", "username,datasets"}, {"users", "list", "--fields", "email", "--no-header"}} {
		out, err := exec.Command("foretell", append(args, "--data-dir", dir)...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		want := map[string]string{"status": "username\tlocal\ndatasets\t0\n", "users": "a@example.com\n"}[args[0]]
		if string(out) != want {
			t.Errorf("%v: %q, want %q", args, out, want)
		}
	}
}
