package account

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/store"
)

// TestRequestsAreDeleted checks that a request for access is deleted with its account, and 90 days
// after it was decided. The audit log keeps the decision.
func TestRequestsAreDeleted(t *testing.T) {
	t.Parallel()
	c := newClock()
	a := open(t, c, Options{ApproveDomains: []string{"example.org"}})
	request := func(email string) {
		form := api.NewAccessRequest{Name: "Bob", Organisation: "Example", Email: email, Reason: "to learn"}
		if _, err := a.RequestAccess(t.Context(), &api.RequestAccessInput{Body: form}); err != nil {
			t.Fatal(err)
		}
	}
	list := func() (emails []string) {
		page, err := a.ListAccessRequests(t.Context(), &api.ListAccessRequestsInput{PageInput: api.PageInput{Limit: 9}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.AccessRequests {
			emails = append(emails, r.Email)
		}
		slices.Sort(emails)
		return emails
	}
	request("bob@example.org") // is approved
	request("eve@example.com")
	request("dan@example.com")
	pending, err := a.ListAccessRequests(t.Context(), &api.ListAccessRequestsInput{PageInput: api.PageInput{Limit: 9}, Status: api.RequestPending})
	if err != nil {
		t.Fatal(err)
	}
	refused := pending.AccessRequests[0]
	if _, err := a.RefuseAccessRequest(t.Context(), &api.AccessRequestInput{RequestKey: refused.RequestKey}); err != nil {
		t.Fatal(err)
	}
	accounts, err := a.ListAccounts(t.Context(), &api.ListAccountsInput{PageInput: api.PageInput{Limit: 9}})
	if err != nil || len(accounts.Accounts) != 1 {
		t.Fatalf("%+v, %v", accounts, err)
	}
	if _, err := a.DeleteAccount(t.Context(), &api.AccountInput{AccountKey: accounts.Accounts[0].AccountKey}); err != nil {
		t.Fatal(err)
	}
	if got := list(); !slices.Equal(got, []string{"dan@example.com", "eve@example.com"}) {
		t.Errorf("after the account was deleted, the requests are %v", got)
	}
	for _, days := range []int{89, 2} {
		c.advance(time.Duration(days) * 24 * time.Hour)
		if err := a.DeleteOldAccessRequests(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := len(list()), map[int]int{89: 2, 2: 1}[days]; got != want {
			t.Errorf("%d requests are left, want %d", got, want)
		}
	}
	if got := list(); len(got) == 1 && got[0] == refused.Email {
		t.Error("the refused request is left, not the pending one")
	}
	recorded := false
	err = a.EachAuditEvent(t.Context(), &api.ListAuditEventsInput{}, 0, func(e *api.AuditEvent) error {
		recorded = recorded || e.Action == "access.refuse" && e.Object == refused.Email
		return nil
	})
	if err != nil || !recorded {
		t.Errorf("the audit log has no entry of the refusal: %v", err)
	}
}

// TestSecondApproval decides a request that is already approved. Both decisions must be refused for
// the same reason.
func TestSecondApproval(t *testing.T) {
	t.Parallel()
	a := open(t, newClock(), Options{})
	form := api.NewAccessRequest{Name: "Bob", Organisation: "Example", Email: "bob@example.org", Reason: "to learn"}
	if _, err := a.RequestAccess(t.Context(), &api.RequestAccessInput{Body: form}); err != nil {
		t.Fatal(err)
	}
	pending, err := a.ListAccessRequests(t.Context(), &api.ListAccessRequestsInput{PageInput: api.PageInput{Limit: 9}})
	if err != nil {
		t.Fatal(err)
	}
	in := &api.AccessRequestInput{RequestKey: pending.AccessRequests[0].RequestKey}
	if _, err := a.ApproveAccessRequest(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	_, approved := a.ApproveAccessRequest(t.Context(), in)
	_, refused := a.RefuseAccessRequest(t.Context(), in)
	for _, err := range []error{approved, refused} {
		if api.CodeFromError(err) != api.CodeWrongState || !strings.Contains(err.Error(), "is already APPROVED") {
			t.Errorf("a second decision: %v", err)
		}
	}
}

// TestRequestText rejects control characters in a request for access. Only the reason may have line
// breaks.
func TestRequestText(t *testing.T) {
	t.Parallel()
	a := open(t, newClock(), Options{})
	for name, change := range map[string]func(*api.NewAccessRequest){
		"a line feed in the name":               func(r *api.NewAccessRequest) { r.Name = "Bob\nEve" },
		"a carriage return in the organisation": func(r *api.NewAccessRequest) { r.Organisation = "Example\rInc" },
		"a tab in the name":                     func(r *api.NewAccessRequest) { r.Name = "Bob\tEve" },
		"an escape in the reason":               func(r *api.NewAccessRequest) { r.Reason = "to\x1blearn" },
		"line breaks in the reason":             func(r *api.NewAccessRequest) { r.Reason = "to learn\r\nand\tto teach" },
	} {
		form := api.NewAccessRequest{Name: "Bob", Organisation: "Example", Email: "bob@example.org", Reason: "to learn"}
		change(&form)
		_, err := a.RequestAccess(t.Context(), &api.RequestAccessInput{Body: form})
		if isValid := name == "line breaks in the reason"; (err == nil) != isValid || err != nil && api.CodeFromError(err) != api.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRepeatedApproval runs the transaction of a request of an approved domain twice, as after a
// conflict with a concurrent transaction. The second run must create the account.
func TestRepeatedApproval(t *testing.T) {
	t.Parallel()
	a := open(t, newClock(), Options{ApproveDomains: []string{"example.org"}})
	request, err := a.newAccessRequest(api.NewAccessRequest{Name: "Bob", Organisation: "Example", Email: "bob@example.org", Reason: "to learn"})
	if err != nil {
		t.Fatal(err)
	}
	errConflict := errors.New("conflict")
	for _, want := range []error{errConflict, nil} {
		err := a.store.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := a.storeAndApproveOrNotify(t.Context(), tx, request); err != nil {
				return err
			}
			return want // an error rolls the transaction back
		})
		if !errors.Is(err, want) {
			t.Fatal(err)
		}
	}
	if _, err := a.FindAccount(t.Context(), "bob@example.org"); err != nil {
		t.Error(err)
	}
}

// TestAccountText rejects control characters in the names of a new account, as in a request for
// access. The names may be empty.
func TestAccountText(t *testing.T) {
	t.Parallel()
	a := open(t, newClock(), Options{})
	for _, c := range []struct {
		email, name, organisation string
		isValid                   bool
	}{
		{"ann@example.com", "", "", true},
		{"bob@example.com", "Bob", "Example", true},
		{"eve@example.com", "Eve\x1b[2J", "", false},
		{"dan@example.com", "Dan", "Exam\u202eple", false},
	} {
		n := api.NewAccount{Email: c.email, Name: c.name, Organisation: c.organisation}
		_, invited := a.CreateAccount(t.Context(), &api.CreateAccountInput{Body: n})
		n.Email = "second." + n.Email
		added := a.AddUser(t.Context(), n, testPassword)
		for _, err := range []error{invited, added} {
			if (err == nil) != c.isValid || err != nil && api.CodeFromError(err) != api.CodeInvalid {
				t.Errorf("%q of %q: %v", c.name, c.organisation, err)
			}
		}
	}
}
