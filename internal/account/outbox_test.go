package account

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// clock is a clock that the test advances.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// mailbox is a Mailer whose first emails fail.
type mailbox struct {
	down int // how many emails fail
	got  chan string
}

func (m *mailbox) Send(_ context.Context, to, subject, text string) error {
	if m.down > 0 {
		m.down--
		return errors.New("connection refused")
	}
	m.got <- to + "\n" + subject + "\n" + text
	return nil
}

func open(t *testing.T, c *clock, options Options) *Accounts {
	t.Helper()
	rows, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "foretell.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rows.Close() })
	return newAccounts(rows, c, t.Output(), options)
}

var linkInMail = regexp.MustCompile(`https://foretell\.example\.com/password\?code=\S+`)

// TestApproveDomain checks that a person with an address in an approved domain gets a link by email,
// even if the mail server fails for hours.
func TestApproveDomain(t *testing.T) {
	t.Parallel()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	box := &mailbox{down: 30, got: make(chan string, 9)}
	a := open(t, c, Options{Mailer: box, PublicURL: "https://foretell.example.com", ApproveDomains: []string{"example.org"}})
	for _, email := range []string{"bob@example.org", "eve@mail.example.org", "eve@example.org.evil.example"} {
		form := api.NewAccessRequest{Name: "Bob", Organisation: "Example", Email: email, Reason: "to learn"}
		if _, err := a.RequestAccess(t.Context(), &api.RequestAccessInput{Body: form}); err != nil {
			t.Fatal(err)
		}
	}
	for box.down > 0 {
		sendNextMail(t, a)
		c.advance(maxMailRetryDelay)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.SendMails(ctx)
	}()
	mail := <-box.got
	stop()
	<-ended
	if !strings.HasPrefix(mail, "bob@example.org\nYour Foretell account\n") || len(box.got) > 0 {
		t.Fatalf("the email is %q", mail)
	}
	if counts := a.MailCounts(); counts[mailSent] != 1 || counts[mailFailed] != 30 {
		t.Errorf("the mails are counted as %v", counts)
	}
	if !strings.Contains(mail, "https://foretell.example.com/openapi.json") || strings.Contains(mail, "/api,") {
		t.Errorf("the email names an address of the API that does not exist: %q", mail)
	}
	link, err := url.Parse(linkInMail.FindString(mail))
	if err != nil {
		t.Fatal(err)
	}
	set := &api.SetPasswordInput{Body: api.NewPassword{Code: link.Query().Get("code"), Password: "a long password"}}
	if owner, err := a.SetPassword(t.Context(), set); err != nil || owner.Username != "bob@example.org" {
		t.Fatalf("%+v, %v", owner, err)
	}
	pending, err := a.ListAccessRequests(t.Context(), &api.ListAccessRequestsInput{PageInput: api.PageInput{Limit: 9}, Status: api.RequestPending})
	if err != nil || len(pending.AccessRequests) != 2 {
		t.Errorf("pending are %+v, %v", pending, err)
	}
}

// TestTimeOfRequest checks that the time of the response to a request for access does not show
// whether the email has an account.
func TestTimeOfRequest(t *testing.T) {
	t.Parallel()
	a := open(t, newClock(), Options{})
	addUsers(t, a, api.RoleUser, testEmail)
	for _, email := range []string{testEmail, "new@example.com"} {
		began := time.Now()
		in := &api.RequestAccessInput{Body: api.NewAccessRequest{Name: "Ada", Email: email, Organisation: "Example", Reason: "to learn"}}
		if _, err := a.RequestAccess(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < accessRequestResponseTime {
			t.Errorf("the response for %s took %s, less than %s", email, took, accessRequestResponseTime)
		}
	}
}

// TestInvitationByMail checks that the response to an invitation has no link if the service emails
// it, and that the service gives up after a week if the email is never accepted.
func TestInvitationByMail(t *testing.T) {
	t.Parallel()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	box := &mailbox{down: 1 << 30, got: make(chan string, 9)}
	a := open(t, c, Options{Mailer: box, PublicURL: "https://foretell.example.com"})
	invited, err := a.CreateAccount(t.Context(), &api.CreateAccountInput{Body: api.NewAccount{Email: "bob@example.org"}})
	if err != nil || invited.Link != "" {
		t.Fatalf("%+v, %v", invited, err)
	}
	started := c.Now()
	for sendNextMail(t, a) {
		c.advance(maxMailRetryDelay)
	}
	events, err := a.ListAuditEvents(t.Context(), &api.ListAuditEventsInput{PageInput: api.PageInput{Limit: 9}, Action: "mail.approved"})
	if err != nil || len(events.Events) != 1 {
		t.Fatalf("%+v, %v", events, err)
	}
	if e := events.Events[0]; e.Outcome != outcomeRefused || e.Actor != serviceActor || e.Object != "bob@example.org" {
		t.Errorf("the event is %+v", e)
	}
	if age := c.Now().Sub(started); age < maxMailAge || age > maxMailAge+2*maxMailRetryDelay {
		t.Errorf("given up after %s", age)
	}
}

// TestSecondLinkByMail sends a new link to a person who has never set a password, and to one whose
// password was removed before. The email must not say that an administrator has removed a password, or
// that the account is ready.
func TestSecondLinkByMail(t *testing.T) {
	t.Parallel()
	c := newClock()
	box := &mailbox{got: make(chan string, 9)}
	a := open(t, c, Options{Mailer: box, PublicURL: "https://foretell.example.com"})
	invited, err := a.CreateAccount(t.Context(), &api.CreateAccountInput{Body: api.NewAccount{Email: "bob@example.org"}})
	if err != nil {
		t.Fatal(err)
	}
	sendNextMail(t, a)
	reset := func() string {
		t.Helper()
		if _, err := a.ResetAccount(t.Context(), &api.AccountInput{AccountKey: invited.AccountKey}); err != nil {
			t.Fatal(err)
		}
		sendNextMail(t, a)
		return <-box.got
	}
	first := <-box.got
	second := reset()
	if strings.Contains(second, "removed") || !strings.Contains(second, "Earlier links are no longer valid") || linkInMail.FindString(first) == linkInMail.FindString(second) {
		t.Errorf("the email with the second link: %s", second)
	}
	link, err := url.Parse(linkInMail.FindString(second))
	if err != nil {
		t.Fatal(err)
	}
	in := &api.SetPasswordInput{Body: api.NewPassword{Code: link.Query().Get("code"), Password: testPassword}}
	if _, err := a.SetPassword(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if third := reset(); !strings.Contains(third, "was removed by an administrator") {
		t.Errorf("the email after the password was removed: %s", third)
	}
	if fourth := reset(); strings.Contains(fourth, "is ready") || strings.Contains(fourth, "removed") {
		t.Errorf("the second email after the password was removed: %s", fourth)
	}
}

// TestNoMailDelaysNoWriter checks that a process that looks for emails does not wait for the
// transaction of a writer if no email is due, and therefore does not delay writers either.
func TestNoMailDelaysNoWriter(t *testing.T) {
	t.Parallel()
	a := open(t, &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, Options{Mailer: &mailbox{}})
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second) // or a failure would block forever
	defer stop()
	err := a.store.Write(t.Context(), func(*store.Tx) error {
		sent, err := a.sendNextMail(ctx)
		if sent {
			t.Error("an email was sent, but none is queued")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// stoppingMailer is a Mailer that stops the process during its first email.
type stoppingMailer struct {
	stop context.CancelFunc
	mailbox
}

func (m *stoppingMailer) Send(ctx context.Context, to, subject, text string) error {
	m.stop()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return m.mailbox.Send(ctx, to, subject, text)
}

// TestStopDuringMail checks that an email that is interrupted because the process stops does not count
// as failed, and is due at once.
func TestStopDuringMail(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	box := &stoppingMailer{stop, mailbox{got: make(chan string, 9)}}
	a := open(t, &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, Options{Mailer: box, PublicURL: "https://foretell.example.com"})
	if _, err := a.CreateAccount(t.Context(), &api.CreateAccountInput{Body: api.NewAccount{Email: "bob@example.org"}}); err != nil {
		t.Fatal(err)
	}
	a.SendMails(ctx)
	if counts := a.MailCounts(); counts[mailSent] != 0 || counts[mailFailed] != 0 {
		t.Errorf("the mails are counted as %v", counts)
	}
	if !sendNextMail(t, a) || len(box.got) != 1 {
		t.Errorf("the next process sends %d emails", len(box.got))
	}
}

// sendNextMail calls [Accounts.sendNextMail], which must not fail.
func sendNextMail(t *testing.T, a *Accounts) bool {
	t.Helper()
	sent, err := a.sendNextMail(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// hookMailer is a Mailer that calls a function while it sends its first email.
type hookMailer struct {
	duringFirst func()
	mailbox
}

func (m *hookMailer) Send(ctx context.Context, to, subject, text string) error {
	if during := m.duringFirst; during != nil {
		m.duringFirst = nil
		during()
	}
	return m.mailbox.Send(ctx, to, subject, text)
}

// TestRequestDuringMail requests access while the email about an earlier request is being sent. An
// administrator must get another email about it, and only one.
func TestRequestDuringMail(t *testing.T) {
	t.Parallel()
	c := newClock()
	box := &hookMailer{mailbox: mailbox{got: make(chan string, 9)}}
	a := open(t, c, Options{Mailer: box, PublicURL: "https://foretell.example.com"})
	addUsers(t, a, api.RoleAdministrator, testEmail)
	request := func(email string) {
		form := api.NewAccessRequest{Name: "Bob", Organisation: "Example", Email: email, Reason: "to learn"}
		if _, err := a.RequestAccess(t.Context(), &api.RequestAccessInput{Body: form}); err != nil {
			t.Error(err)
		}
	}
	box.duringFirst = func() { request("second@example.org") }
	request("first@example.org")
	for range 9 {
		c.advance(requestMailDelay)
		sendNextMail(t, a)
	}
	if len(box.got) != 2 {
		t.Fatalf("%d emails were sent, want 2", len(box.got))
	}
	if first, second := <-box.got, <-box.got; strings.Contains(first, "second@example.org") || !strings.Contains(second, "second@example.org") {
		t.Errorf("the emails are\n%s\nand\n%s", first, second)
	}
}

// TestQuotedEmail checks that the command in an email can be pasted into a shell if the email of the
// account has a quote.
func TestQuotedEmail(t *testing.T) {
	t.Parallel()
	box := &mailbox{got: make(chan string, 9)}
	a := open(t, newClock(), Options{Mailer: box, PublicURL: "https://foretell.example.com"})
	if _, err := a.CreateAccount(t.Context(), &api.CreateAccountInput{Body: api.NewAccount{Email: "o'brien@example.com"}}); err != nil {
		t.Fatal(err)
	}
	sendNextMail(t, a)
	if mail := <-box.got; !strings.Contains(mail, `--username 'o'\''brien@example.com'`+"\n") {
		t.Error(mail)
	}
}
