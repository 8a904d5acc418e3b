package dashboard

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/term"
)

// administrationPage is the data of the front page of the administration.
type administrationPage struct {
	Requests []api.AccessRequest
	Accounts int64
	Events   []api.AuditEvent
	// Invitation is set if this request has created or reset an account. It then has the one-time
	// link of the account.
	Invitation *api.Invitation
}

func (p *Pages) showAdministration(v *visit) error {
	return p.writeAdministration(v, http.StatusOK, nil, "")
}

func (p *Pages) writeAdministration(v *visit, status int, invitation *api.Invitation, message string) error {
	ctx := v.r.Context()
	requests, err := client.Call(ctx, v.client, api.ListAccessRequests, &api.ListAccessRequestsInput{PageInput: api.PageInput{Limit: rowsPerPage}, Status: api.RequestPending})
	if err != nil {
		return err
	}
	accounts, err := client.Call(ctx, v.client, api.ListAccounts, &api.ListAccountsInput{PageInput: api.PageInput{Limit: 1}})
	if err != nil {
		return err
	}
	events, err := client.Call(ctx, v.client, api.ListAuditEvents, &api.ListAuditEventsInput{PageInput: api.PageInput{Limit: 10}})
	if err != nil {
		return err
	}
	return p.show(v, status, "admin", page{
		Title: "Administration", Section: "admin", Error: message, Commands: []string{"foretell api GET /api/v1/admin/requests -f status=PENDING", "foretell api GET /api/v1/admin/accounts"},
		Data: administrationPage{Requests: requests.AccessRequests, Accounts: accounts.Total, Events: events.Events, Invitation: invitation},
	})
}

// decideRequest approves or refuses a request for an account.
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
		return p.writeAdministration(v, problem.Status, nil, problem.Detail)
	}
	if invitation == nil {
		return v.redirect("/admin")
	}
	return p.writeAdministration(v, http.StatusOK, invitation, "")
}

// usersPage is the data of the list of accounts.
type usersPage struct {
	Accounts   []api.Account
	Pager      pager
	Form       api.NewAccount
	Invitation *api.Invitation
}

func (p *Pages) listAccounts(v *visit) error {
	return p.writeAccounts(v, http.StatusOK, usersPage{}, "")
}

func (p *Pages) writeAccounts(v *visit, status int, data usersPage, message string) error {
	list, err := client.Call(v.r.Context(), v.client, api.ListAccounts, &api.ListAccountsInput{PageInput: pageInput(v.r)})
	if err != nil {
		return err
	}
	data.Accounts, data.Pager = list.Accounts, newPager(v.r.URL, list.Page, len(list.Accounts))
	return p.show(v, status, "users", page{
		Title: "Accounts", Section: "admin", Error: message, Data: data, Commands: []string{"foretell api GET /api/v1/admin/accounts", "foretell api POST /api/v1/admin/accounts -f email=EMAIL"},
	})
}

func (p *Pages) createAccount(v *visit) error {
	f := v.r.PostForm
	form := api.NewAccount{Email: f.Get("email"), Name: f.Get("name"), Organisation: f.Get("organisation"), Role: f.Get("role")}
	invitation, err := client.Call(v.r.Context(), v.client, api.CreateAccount, &api.CreateAccountInput{Body: form})
	if err != nil {
		problem := p.formProblem(v, err)
		return p.writeAccounts(v, problem.Status, usersPage{Form: form}, problem.Detail)
	}
	return p.writeAccounts(v, http.StatusOK, usersPage{Invitation: invitation}, "")
}

// userPage is the data of the page of one account.
type userPage struct {
	User       *api.Account
	Invitation *api.Invitation
	Events     []api.AuditEvent
}

func (p *Pages) showUser(v *visit) error { return p.writeUser(v, http.StatusOK, nil, "") }

func (p *Pages) writeUser(v *visit, status int, invitation *api.Invitation, message string) error {
	user, err := client.Call(v.r.Context(), v.client, api.GetAccount, &api.AccountInput{AccountKey: v.r.PathValue("key")})
	if err != nil {
		return err
	}
	events, err := client.Call(v.r.Context(), v.client, api.ListAuditEvents, &api.ListAuditEventsInput{PageInput: api.PageInput{Limit: 20}, Actor: user.Email})
	if err != nil {
		return err
	}
	return p.show(v, status, "user", page{
		Title: user.Email, Section: "admin", Error: message, Data: userPage{User: user, Invitation: invitation, Events: events.Events},
		Commands: []string{"foretell api GET /api/v1/admin/accounts/" + user.AccountKey},
	})
}

// changeUser handles the forms on the page of an account. The field `do` names the operation,
// such as disabling the account.
func (p *Pages) changeUser(v *visit) error {
	ctx, f := v.r.Context(), v.r.PostForm
	in := api.AccountInput{AccountKey: v.r.PathValue("key")}
	var invitation *api.Invitation
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
		var quota *api.Quota
		if quota, err = parseQuota(f.Get("datasets"), f.Get("megabytes"), f.Get("races")); err == nil {
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
		problem := p.formProblem(v, err)
		return p.writeUser(v, problem.Status, nil, problem.Detail)
	}
	if invitation != nil {
		return p.writeUser(v, http.StatusOK, invitation, "")
	}
	return v.redirect(v.r.URL.Path)
}

// parseQuota parses the limits in the form to set a quota. An empty field means no limit.
func parseQuota(datasets, megabytes, races string) (*api.Quota, error) {
	var quota api.Quota
	for _, field := range []struct {
		name, text, kind string
		limit            **int64
		unit             float64
	}{
		{"datasets", datasets, "whole number", &quota.Datasets, 1},
		{"megabytes", megabytes, "number", &quota.Bytes, 1e6},
		{"races", races, "whole number", &quota.Races, 1},
	} {
		text := strings.TrimSpace(field.text)
		if text == "" {
			continue
		}
		value, err := strconv.ParseFloat(text, 64)
		units := math.Round(value * field.unit)
		if err != nil || !(units >= 0 && units <= 1<<53) || field.unit == 1 && units != value {
			return nil, api.NewFieldProblem(field.name, "must be a %s of at least 0, or empty for no limit", field.kind)
		}
		n := int64(units)
		*field.limit = &n
	}
	return &quota, nil
}

// eventsPage is the data of the audit log.
type eventsPage struct {
	Events        []api.AuditEvent
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
	data.Events, data.Pager = list.Events, newPager(v.r.URL, list.Page, len(list.Events))
	command := "foretell api GET /api/v1/admin/events"
	if data.Actor != "" {
		command += " -f " + term.ShellQuote("actor="+data.Actor)
	}
	if data.Action != "" {
		command += " -f " + term.ShellQuote("action="+data.Action)
	}
	return p.show(v, http.StatusOK, "events", page{Title: "Audit log", Section: "admin", Commands: []string{command}, Data: data})
}
