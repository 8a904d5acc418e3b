package account

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
)

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

// withMail returns Accounts whose emails go to the returned mailbox.
func withMail(t *testing.T, c *clock, options Options) (*Accounts, *mailbox) {
	t.Helper()
	box := &mailbox{got: make(chan string, 99)}
	options.Mailer, options.PublicURL = box, "https://foretell.example.com"
	return open(t, c, options), box
}

// addUsers adds accounts with a password.
func addUsers(t *testing.T, a *Accounts, role string, emails ...string) {
	t.Helper()
	for _, email := range emails {
		if err := a.AddUser(t.Context(), api.NewAccount{Email: email, Role: role}, "a long password"); err != nil {
			t.Fatal(err)
		}
	}
}

// mails sends all emails that are due, and returns them.
func mails(t *testing.T, a *Accounts, box *mailbox) (all []string) {
	t.Helper()
	for sendNextMail(t, a) {
		if len(box.got) > 0 {
			all = append(all, <-box.got)
		}
	}
	return all
}

func logsIn(t *testing.T, a *Accounts, email, password string) bool {
	t.Helper()
	_, err := a.LogIn(t.Context(), &api.LogInInput{Body: api.Credentials{Username: email, Password: password}})
	return err == nil
}

// TestForgottenBeforeReset checks that an email which the owner of an account asked for, but which could
// not be sent at once, does not invalidate the link of a later reset or follow a new password.
// Passwords that are refused do not count as attempts to guess a link.
func TestForgottenBeforeReset(t *testing.T) {
	t.Parallel()
	c := newClock()
	a, box := withMail(t, c, Options{})
	addUsers(t, a, api.RoleUser, testEmail)
	forget := func() {
		t.Helper()
		if _, err := a.RequestPassword(t.Context(), &api.RequestPasswordInput{Body: api.ForgottenPassword{Email: testEmail}}); err != nil {
			t.Fatal(err)
		}
	}
	forget()
	box.down = 1 // the email is tried again after minMailRetryDelay
	mails(t, a, box)
	ada, err := a.FindAccount(t.Context(), testEmail)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.ResetAccount(t.Context(), &api.AccountInput{AccountKey: ada.AccountKey}); err != nil {
		t.Fatal(err)
	}
	c.advance(time.Minute)
	sent := mails(t, a, box)
	if len(sent) != 1 {
		t.Fatalf("the emails are %q", sent)
	}
	link, err := url.Parse(linkInMail.FindString(sent[0]))
	if err != nil {
		t.Fatal(err)
	}
	set := &api.SetPasswordInput{Body: api.NewPassword{Code: link.Query().Get("code"), Password: "short"}}
	for range 2 * loginAddressBurst {
		if _, err := a.SetPassword(t.Context(), set); api.CodeFromError(err) != api.CodeInvalid {
			t.Fatalf("a short password: %v", err)
		}
	}
	forget()
	set.Body.Password = testPassword
	if _, err := a.SetPassword(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	c.advance(time.Minute)
	if sent := mails(t, a, box); len(sent) > 0 || !logsIn(t, a, testEmail, testPassword) {
		t.Errorf("emails after the password was set: %q", sent)
	}
}

// TestForgottenPassword requests new passwords for accounts of each kind. Only enabled accounts may
// get an email, and the old password must stay valid until the link is used.
func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	c := newClock()
	a, box := withMail(t, c, Options{})
	addUsers(t, a, api.RoleUser, "ada@example.com", "off@example.com")
	off, err := a.FindAccount(t.Context(), "off@example.com")
	if err == nil {
		_, err = a.DisableAccount(t.Context(), &api.AccountInput{AccountKey: off.AccountKey})
	}
	if err != nil {
		t.Fatal(err)
	}
	request := func(email string) error {
		_, err := a.RequestPassword(t.Context(), &api.RequestPasswordInput{Body: api.ForgottenPassword{Email: email}})
		return err
	}
	for _, email := range []string{"off@example.com", "unknown@example.com", " Ada@example.com"} {
		if err := request(email); err != nil {
			t.Errorf("%s: %v", email, err)
		}
	}
	sent := mails(t, a, box)
	if len(sent) != 1 || !strings.HasPrefix(sent[0], "ada@example.com\nSet a new Foretell password\n") || !strings.Contains(sent[0], "still valid") {
		t.Fatalf("the emails are %q", sent)
	}
	if !logsIn(t, a, "ada@example.com", "a long password") {
		t.Error("the old password is invalid before the link is used")
	}
	link, err := url.Parse(linkInMail.FindString(sent[0]))
	if err != nil {
		t.Fatal(err)
	}
	set := &api.SetPasswordInput{Body: api.NewPassword{Code: link.Query().Get("code"), Password: "another password"}}
	if _, err := a.SetPassword(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	if logsIn(t, a, "ada@example.com", "a long password") || !logsIn(t, a, "ada@example.com", "another password") {
		t.Error("the link did not replace the password")
	}

	// The requests from one address are limited, and the emails to one account.
	for range 2 {
		if err := request("ada@example.com"); err != nil {
			t.Error(err)
		}
	}
	if err := request("unknown@example.com"); api.CodeFromError(err) != api.CodeTooMany {
		t.Errorf("the sixth request: %v", err)
	}
	count := len(mails(t, a, box))
	for range 20 {
		c.advance(passwordRequestInterval)
		if err := request("ada@example.com"); err != nil {
			t.Error(err)
		}
		count += len(mails(t, a, box))
	}
	if count > passwordRequestMailBurst {
		t.Errorf("%d emails in 20 minutes", count)
	}
}

// TestForgottenWithoutMail requests a new password from a service that cannot send emails.
func TestForgottenWithoutMail(t *testing.T) {
	t.Parallel()
	a := open(t, newClock(), Options{})
	addUsers(t, a, api.RoleUser, "ada@example.com")
	for _, email := range []string{"ada@example.com", "unknown@example.com"} {
		_, err := a.RequestPassword(t.Context(), &api.RequestPasswordInput{Body: api.ForgottenPassword{Email: email}})
		if api.CodeFromError(err) != api.CodeWrongState {
			t.Errorf("%s: %v", email, err)
		}
	}
}

// TestRequestMails checks which administrators get emails about requests for access, and that one
// email has all requests that arrive within a short time.
func TestRequestMails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		notify []string
		want   []string
	}{
		"all":      {nil, []string{"root@example.com", "second@example.com"}},
		"one":      {[]string{"second@example.com", "user@example.com"}, []string{"second@example.com"}},
		"nobody":   {[]string{""}, nil},
		"approved": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			options := Options{NotifyRequests: test.notify}
			if name == "approved" {
				options.ApproveDomains = []string{"example.org"}
			}
			a, box := withMail(t, c, options)
			addUsers(t, a, api.RoleAdministrator, "root@example.com", "second@example.com")
			addUsers(t, a, api.RoleUser, "user@example.com")
			for _, email := range []string{"bob@example.org", "eve@example.org"} {
				form := api.NewAccessRequest{Name: "A  name", Organisation: "Example", Email: email, Reason: "to learn"}
				if _, err := a.RequestAccess(t.Context(), &api.RequestAccessInput{Body: form}); err != nil {
					t.Fatal(err)
				}
			}
			c.advance(requestMailDelay)
			var got []string
			for _, mail := range mails(t, a, box) {
				to, text, _ := strings.Cut(mail, "\n")
				if !strings.HasPrefix(text, "Requests for a Foretell account\n") {
					continue // to a person who was approved
				}
				got = append(got, to)
				for _, part := range []string{"bob@example.org, A name, Example\n", "eve@example.org, A name, Example\n", "at https://foretell.example.com:\n", "\nhttps://foretell.example.com/admin\n"} {
					if !strings.Contains(text, part) {
						t.Errorf("no %q in %s", part, text)
					}
				}
			}
			slices.Sort(got) // emails that are due together have no order
			if strings.Join(got, " ") != strings.Join(test.want, " ") {
				t.Errorf("mails to %v, want %v", got, test.want)
			}
		})
	}
}
