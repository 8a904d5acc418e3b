package account

import (
	"context"
	"fmt"
	"strings"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/term"
)

// mailContent is the subject and the plain text of an email.
type mailContent struct{ subject, text string }

// composeMail returns the content of an email of the given kind to an account, or nil if the email
// is no longer needed.
func (a *Accounts) composeMail(ctx context.Context, t *store.Tx, kind string, account *store.Account) (*mailContent, error) {
	switch {
	case account.Disabled:
		return nil, nil //nolint:nilnil // no email
	case kind == mailRequests:
		return a.composeRequestList(ctx, t, account)
	}
	// Each attempt to send the email has a new link. The new link invalidates the link of the
	// previous attempt, which may have been delivered although the attempt failed.
	expires := a.now().Add(oneTimeLinkLifetime)
	code, err := a.replaceOneTimeLink(ctx, t, account.Key, expires)
	if err != nil {
		return nil, err
	}
	subject, intro, end := "Your Foretell account", "your account "+account.Email+" is ready.", ""
	switch kind {
	case mailNewLink:
		subject = "Set your Foretell password"
		intro = "your account " + account.Email + " has no password. Earlier links are no longer valid."
	case mailReset:
		subject = "Set a new Foretell password"
		intro = "the password of your account " + account.Email + " was removed by an administrator."
	case mailForgotten:
		subject = "Set a new Foretell password"
		intro = "someone requested a new password for your account " + account.Email + "."
		end = "\nIf this was not you, ignore this email: your password is still valid.\n"
	}
	return &mailContent{subject, fmt.Sprintf(`Hello,

%s Set a password with this link, which works once
and until %s:

%s

Then log in:

foretell login %s --username %s

The API is described at %[4]s/openapi.json.
%[6]s`, intro, api.FormatTime(expires), oneTimeLinkURL(a.options.PublicURL, code), a.options.PublicURL, term.ShellQuote(account.Email), end)}, nil
}

// maxListedRequests is the maximum number of requests for access that an email lists.
const maxListedRequests = 20

// composeRequestList returns an email to an administrator that lists the PENDING requests for access,
// newest first. It returns nil if there are none, or if the account is no longer an administrator.
func (a *Accounts) composeRequestList(ctx context.Context, t *store.Tx, account *store.Account) (*mailContent, error) {
	requests, total, err := t.ListAccessRequests(ctx, api.RequestPending, store.Page{Limit: maxListedRequests})
	if err != nil || total == 0 || account.Role != api.RoleAdministrator {
		return nil, err
	}
	var list strings.Builder
	for _, r := range requests {
		fmt.Fprintf(&list, "%s, %s, %s, %s\n", api.FormatTime(r.Created), r.Email, oneLine(r.Name), oneLine(r.Organisation))
	}
	if hidden := total - int64(len(requests)); hidden > 0 {
		fmt.Fprintf(&list, "and %d older\n", hidden)
	}
	return &mailContent{"Requests for a Foretell account", fmt.Sprintf(`Hello,

requests for an account wait for a decision at %[1]s:

%[2]s
To see the reasons, and to approve or refuse a request, open this page:

%[1]s/admin

or use these commands:

foretell api GET '%[3]s?offset=0&limit=20&status=PENDING'
foretell api PATCH %[4]s
`, a.options.PublicURL, list.String(), api.ListAccessRequests.Path, api.PathOf(api.ApproveAccessRequest.Operation, "KEY"))}, nil
}

// oneLine returns text with each line break, and all other white space, replaced by one space. The
// text comes from an unknown person, whose line breaks could imitate the rest of an email.
// Requests of earlier versions may have line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
