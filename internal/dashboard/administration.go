package dashboard

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/term"
)

// administrationPage is the data of the front page of the administration.
type administrationPage struct {
	Requests []api.AccessRequest // one page of the PENDING requests
	Pager    pager               // pager of the requests
	Accounts int64               // the number of all accounts
	Events   []api.AuditEvent    // the newest events of the audit log
	// Invitation is the message about a new one-time link, or nil.
	Invitation *invitationView
}

func (p *Pages) showAdministration(v *visit) error {
	return p.writeAdministration(v, http.StatusOK, "")
}

func (p *Pages) writeAdministration(v *visit, status int, message string) error {
	ctx := v.r.Context()
	requests, err := client.Call(ctx, v.client, api.ListAccessRequests, &api.ListAccessRequestsInput{PageInput: pageInput(v.r), Status: api.RequestPending})
	if err != nil {
		return err
	}
	if last := v.lastPage(requests.Page); last != "" {
		return v.redirect(last)
	}
	accounts, err := client.Call(ctx, v.client, api.ListAccounts, &api.ListAccountsInput{PageInput: api.PageInput{Limit: 1}})
	if err != nil {
		return err
	}
	events, err := client.Call(ctx, v.client, api.ListAuditEvents, &api.ListAuditEventsInput{PageInput: api.PageInput{Limit: 10}})
	if err != nil {
		return err
	}
	address := &url.URL{Path: "/admin", RawQuery: v.r.URL.RawQuery} // not v.r.URL, because a form to decide a request has another path
	return p.show(v, status, "admin", page{
		Title: "Administration", Section: "admin", Error: message, Commands: []string{"foretell api GET /api/v1/admin/requests -f status=PENDING --paginate", "foretell api GET /api/v1/admin/accounts --paginate"},
		Data: administrationPage{Requests: requests.AccessRequests, Pager: newPager(address, requests.Page, len(requests.AccessRequests)), Accounts: accounts.Total, Events: events.Events, Invitation: p.takeInvitation(v)},
	})
}

// decideRequest handles the form that approves or refuses a request for an account.
func (p *Pages) decideRequest(v *visit) error {
	in := &api.AccessRequestInput{RequestKey: v.r.PathValue("key")}
	var invitation *api.Invitation
	var err error
	if v.r.PostForm.Get("decision") == "approve" {
		invitation, err = client.Call(v.r.Context(), v.client, api.ApproveAccessRequest, in)
	} else {
		_, err = client.Call(v.r.Context(), v.client, api.RefuseAccessRequest, in)
	}
	if err != nil {
		problem := p.formProblem(v, err)
		return p.writeAdministration(v, problem.Status, problem.Detail)
	}
	if invitation == nil {
		return v.redirect("/admin")
	}
	return p.redirectToInvitation(v, "/admin", invitation)
}

// usersPage is the data of the list of accounts.
type usersPage struct {
	Accounts []api.Account
	Pager    pager
	// Form holds the values of a rejected form to create an account.
	Form api.NewAccount
	// Invitation is the message about a new one-time link, or nil.
	Invitation *invitationView
}

func (p *Pages) listAccounts(v *visit) error {
	return p.writeAccounts(v, api.NewAccount{}, nil)
}

// accountFields are the fields of the form to create an account.
var accountFields = []formField{{"email", "email", "Email"}, {"name", "name", "Name"}, {"organisation", "organisation", "Organisation"}, {"role", "role", "Role"}}

// writeAccounts shows the list of accounts. If problem is not nil, it says why the form to create
// an account was rejected, and form holds the values of this form.
func (p *Pages) writeAccounts(v *visit, form api.NewAccount, problem *api.Problem) error {
	list, err := client.Call(v.r.Context(), v.client, api.ListAccounts, &api.ListAccountsInput{PageInput: pageInput(v.r)})
	if err != nil {
		return err
	}
	if last := v.lastPage(list.Page); last != "" {
		return v.redirect(last)
	}
	data := usersPage{Accounts: list.Accounts, Pager: newPager(v.r.URL, list.Page, len(list.Accounts)), Form: form, Invitation: p.takeInvitation(v)}
	content := page{
		Title: "Accounts", Section: "admin", Data: data, Commands: []string{"foretell api GET /api/v1/admin/accounts --paginate", "foretell api POST /api/v1/admin/accounts -f email=EMAIL"},
	}
	content.setProblem(problem, accountFields)
	return p.show(v, statusOf(problem), "users", content)
}

func (p *Pages) createAccount(v *visit) error {
	f := v.r.PostForm
	form := api.NewAccount{Email: f.Get("email"), Name: f.Get("name"), Organisation: f.Get("organisation"), Role: f.Get("role")}
	invitation, err := client.Call(v.r.Context(), v.client, api.CreateAccount, &api.CreateAccountInput{Body: form})
	if err != nil {
		return p.writeAccounts(v, form, p.formProblem(v, err))
	}
	return p.redirectToInvitation(v, "/admin/accounts", invitation)
}

// userPage is the data of the page of one account.
type userPage struct {
	User *api.Account
	// Invitation is the message about a new one-time link, or nil.
	Invitation *invitationView
	// Events are the newest events that the account has caused.
	Events []api.AuditEvent
	Quota  quotaForm
}

// quotaForm holds the fields of the form to set the limits of an account, as they were typed.
type quotaForm struct{ Datasets, Megabytes, Races string }

// quotaFields are the fields of the form to set the limits of an account.
var quotaFields = []formField{{"datasets", "datasets", "Datasets"}, {"bytes", "megabytes", "Stored files in MB"}, {"races", "races", "Races at once"}}

// newQuotaForm returns the form with the limits of an account.
func newQuotaForm(q api.Quota) quotaForm {
	format := func(limit *int64, unit float64) string {
		if limit == nil {
			return "" // no limit
		}
		return strconv.FormatFloat(float64(*limit)/unit, 'f', -1, 64)
	}
	return quotaForm{format(q.Datasets, 1), format(q.Bytes, 1e6), format(q.Races, 1)}
}

func (p *Pages) showUser(v *visit) error { return p.writeUser(v, nil, nil) }

// writeUser shows the page of an account. If problem is not nil, it says why a form was rejected.
// form holds the limits of the account as they were typed in a rejected form. If form is nil, the
// page shows the stored limits.
func (p *Pages) writeUser(v *visit, form *quotaForm, problem *api.Problem) error {
	user, err := client.Call(v.r.Context(), v.client, api.GetAccount, &api.AccountInput{AccountKey: v.r.PathValue("key")})
	if err != nil {
		return err
	}
	events, err := client.Call(v.r.Context(), v.client, api.ListAuditEvents, &api.ListAuditEventsInput{PageInput: api.PageInput{Limit: 20}, Actor: user.Email})
	if err != nil {
		return err
	}
	if form == nil {
		stored := newQuotaForm(user.Quota)
		form = &stored
	}
	content := page{
		Title: user.Email, Section: "admin", Data: userPage{User: user, Invitation: p.takeInvitation(v), Events: events.Events, Quota: *form},
		Commands: []string{"foretell api GET /api/v1/admin/accounts/" + user.AccountKey},
	}
	content.setProblem(problem, quotaFields)
	return p.show(v, statusOf(problem), "user", content)
}

// changeUser handles the forms on the page of an account. The field `do` names the operation,
// such as disabling the account.
func (p *Pages) changeUser(v *visit) error {
	ctx, f := v.r.Context(), v.r.PostForm
	in := api.AccountInput{AccountKey: v.r.PathValue("key")}
	var invitation *api.Invitation
	var limits *quotaForm
	var err error
	switch f.Get("do") {
	case "disable":
		_, err = client.Call(ctx, v.client, api.DisableAccount, &in)
	case "enable":
		_, err = client.Call(ctx, v.client, api.EnableAccount, &in)
	case "reset":
		invitation, err = client.Call(ctx, v.client, api.ResetAccount, &in)
	case "remove-second-factor":
		_, err = client.Call(ctx, v.client, api.RemoveSecondFactorOf, &in)
	case "role":
		_, err = client.Call(ctx, v.client, api.SetRole, &api.SetRoleInput{AccountInput: in, Body: api.NewRole{Role: f.Get("role")}})
	case "quota":
		limits = &quotaForm{f.Get("datasets"), f.Get("megabytes"), f.Get("races")}
		var quota *api.Quota
		if quota, err = limits.parse(); err == nil {
			_, err = client.Call(ctx, v.client, api.SetQuota, &api.SetQuotaInput{AccountInput: in, Body: *quota})
		}
	case "delete":
		if _, err = client.Call(ctx, v.client, api.DeleteAccount, &in); err == nil {
			return v.redirect("/admin/accounts")
		}
	default:
		err = api.NewProblem(api.CodeMalformed, "the form has no known operation")
	}
	if err != nil {
		return p.writeUser(v, limits, p.formProblem(v, err))
	}
	if invitation != nil {
		return p.redirectToInvitation(v, v.r.URL.Path, invitation)
	}
	return v.redirect(v.r.URL.Path)
}

// parse returns the typed limits. An empty field means no limit. Other fields must be numbers of at
// least 0, and Datasets and Races whole numbers. parse returns a problem that lists all invalid
// fields.
func (f quotaForm) parse() (*api.Quota, error) {
	var quota api.Quota
	var invalid []api.FieldError
	for _, field := range []struct {
		name, text, kind string
		limit            **int64
		unit             float64
	}{
		{"datasets", f.Datasets, "whole number", &quota.Datasets, 1},
		{"bytes", f.Megabytes, "number", &quota.Bytes, 1e6},
		{"races", f.Races, "whole number", &quota.Races, 1},
	} {
		text := strings.TrimSpace(field.text)
		if text == "" {
			continue
		}
		value, err := strconv.ParseFloat(text, 64)
		units := math.Round(value * field.unit)
		if err != nil || !(units >= 0 && units <= 1<<53) || field.unit == 1 && units != value {
			invalid = append(invalid, api.FieldError{Field: field.name, Message: "must be a " + field.kind + " of at least 0, or empty for no limit"})
			continue
		}
		n := int64(units)
		*field.limit = &n
	}
	if len(invalid) > 0 {
		return nil, api.NewFieldProblems(invalid)
	}
	return &quota, nil
}

// eventsPage is the data of the audit log.
type eventsPage struct {
	Events []api.AuditEvent
	// Only events with this actor and action are listed. An empty text means all.
	Actor, Action string
	Pager         pager
}

func (p *Pages) listEvents(v *visit) error {
	query := v.r.URL.Query()
	data := eventsPage{Actor: query.Get("actor"), Action: query.Get("action")}
	list, err := client.Call(v.r.Context(), v.client, api.ListAuditEvents, &api.ListAuditEventsInput{PageInput: pageInput(v.r), Actor: data.Actor, Action: data.Action})
	if err != nil {
		return err
	}
	if last := v.lastPage(list.Page); last != "" {
		return v.redirect(last)
	}
	data.Events, data.Pager = list.Events, newPager(v.r.URL, list.Page, len(list.Events))
	command := "foretell api GET /api/v1/admin/events --paginate"
	if data.Actor != "" {
		command += " -f " + term.ShellQuote("actor="+data.Actor)
	}
	if data.Action != "" {
		command += " -f " + term.ShellQuote("action="+data.Action)
	}
	return p.show(v, http.StatusOK, "events", page{Title: "Audit log", Section: "admin", Commands: []string{command}, Data: data})
}
