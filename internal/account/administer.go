package account

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
	"foretell/internal/term"
)

// actorFromContext returns the email of the caller, or operatorActor if there is no caller.
func actorFromContext(ctx context.Context) string {
	return cmp.Or(CallerFromContext(ctx).Email, operatorActor)
}

// accountLookup is a function that reads one account, by its key or email.
type accountLookup func(ctx context.Context, t *store.Tx) (*store.Account, error)

func lookUpByKey(key string) accountLookup {
	return func(ctx context.Context, t *store.Tx) (*store.Account, error) {
		account, err := t.GetAccountByKey(ctx, key)
		return account, translateAccountNotFound(err, key)
	}
}

func lookUpByEmail(email string) accountLookup {
	email = normalizeEmail(email)
	return func(ctx context.Context, t *store.Tx) (*store.Account, error) {
		account, err := t.GetAccount(ctx, email)
		return account, translateAccountNotFound(err, email)
	}
}

// exceptLocal returns a function that is like lookup, but returns a problem for the account that
// commands use when they run without a server. Nobody can log in to this account, so it has neither
// a password nor a role.
func exceptLocal(lookup accountLookup) accountLookup {
	return func(ctx context.Context, t *store.Tx) (*store.Account, error) {
		account, err := lookup(ctx, t)
		if err == nil && account.Email == localAccountEmail {
			return nil, api.NewProblem(api.CodeWrongState, "nobody can log in to the account %s: only commands that run without a server use this account", localAccountEmail)
		}
		return account, err
	}
}

// translateAccountNotFound converts store.ErrNotFound to a problem with CodeNotFound. name is the
// key or email that no account has. Other errors are returned unchanged.
func translateAccountNotFound(err error, name string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NewProblem(api.CodeNotFound, "no account %s: list the accounts to find it", name).WithCause(err)
	}
	return err
}

// findAccount calls lookup in a read transaction and returns the account.
func (a *Accounts) findAccount(ctx context.Context, lookup accountLookup) (account *store.Account, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		account, err = lookup(ctx, t)
		return err
	})
	return account, a.toProblem(err)
}

// insertAccount adds an account with a new key and, for a user, the default quota. The account that
// commands use without a server gets no quota.
func (a *Accounts) insertAccount(ctx context.Context, t *store.Tx, account *store.Account) (err error) {
	if account.Key, err = auth.NewUUID(a.rand); err != nil {
		return err
	}
	if account.Role != api.RoleAdministrator && account.Email != localAccountEmail {
		if account.Quota, err = a.defaultQuota(ctx, t); err != nil {
			return err
		}
	}
	account.Created = a.now()
	return t.InsertAccount(ctx, account)
}

// updateAndRecord changes an account in one transaction: it reads the account with lookup, calls
// change, and records the action in the audit log. It returns the changed account. The function
// change must write its changes to the store.
func (a *Accounts) updateAndRecord(ctx context.Context, lookup accountLookup, action string,
	change func(t *store.Tx, account *store.Account) error,
) (*api.Account, error) {
	return a.updateAndRecordDetail(ctx, lookup, auditEvent{action: action}, change)
}

// updateAndRecordDetail is like updateAndRecord, but also records a detail. event holds the action
// and the detail; updateAndRecordDetail sets the other fields.
func (a *Accounts) updateAndRecordDetail(ctx context.Context, lookup accountLookup, event auditEvent,
	change func(t *store.Tx, account *store.Account) error,
) (*api.Account, error) {
	var out api.Account
	err := a.store.Write(ctx, func(t *store.Tx) error {
		account, err := lookup(ctx, t)
		if err != nil {
			return err
		}
		if err := change(t, account); err != nil {
			return err
		}
		if err := a.checkAdministratorRemains(ctx, t, account); err != nil {
			return err
		}
		event.object, event.outcome = account.Email, outcomeDone
		if err := a.insertAuditEvent(ctx, t, event); err != nil {
			return err
		}
		if account, err = t.GetAccountByKey(ctx, account.Key); err != nil {
			return err
		}
		out, err = toAccountWithUsage(ctx, t, account)
		return err
	})
	if err != nil {
		return nil, a.toProblem(err)
	}
	return &out, nil
}

// checkAdministratorRemains returns a problem if an account was the last enabled administrator.
// It must be called after the account was disabled, deleted or made a user. before is the account
// before this change.
func (a *Accounts) checkAdministratorRemains(ctx context.Context, t *store.Tx, before *store.Account) error {
	return a.checkAdministrators(ctx, t, before, 1)
}

// checkAdministrators returns a problem if before is an enabled administrator, and the store now
// has fewer enabled administrators than required. before is the account as it was before the
// change.
func (a *Accounts) checkAdministrators(ctx context.Context, t *store.Tx, before *store.Account, required int) error {
	if before.Role != api.RoleAdministrator || before.Disabled || before.Email == localAccountEmail {
		return nil
	}
	n, err := t.CountEnabledAccounts(ctx, api.RoleAdministrator, localAccountEmail)
	if err == nil && int(n) < required {
		return api.NewProblem(api.CodeWrongState, "%s is the only administrator: make another account an administrator first", before.Email)
	}
	return err
}

// toAccount converts a stored account to an api.Account without Usage.
func toAccount(account *store.Account) api.Account {
	out := api.Account{
		AccountKey: account.Key, Email: account.Email, Name: account.Name, Organisation: account.Organisation,
		Role: account.Role, State: api.AccountActive, SecondFactor: account.SecondFactor.Secret != "", Quota: api.Quota(account.Quota), CreatedOn: api.FormatTime(account.Created),
	}
	switch {
	case account.Disabled:
		out.State = api.AccountDisabled
	case account.PasswordHash == "" && account.Email != localAccountEmail:
		out.State = api.AccountInvited
	}
	return out
}

// toAccountWithUsage converts a stored account to an api.Account, and reads its Usage from the
// store.
func toAccountWithUsage(ctx context.Context, t *store.Tx, account *store.Account) (api.Account, error) {
	out := toAccount(account)
	usage, err := t.GetUsage(ctx, account.Key)
	out.Usage = new(api.Usage(usage))
	return out, err
}

// getAccount returns the account that lookup finds, with its usage.
func (a *Accounts) getAccount(ctx context.Context, lookup accountLookup) (*api.Account, error) {
	var out api.Account
	err := a.store.Read(ctx, func(t *store.Tx) error {
		account, err := lookup(ctx, t)
		if err != nil {
			return err
		}
		out, err = toAccountWithUsage(ctx, t, account)
		return err
	})
	if err != nil {
		return nil, a.toProblem(err)
	}
	return &out, nil
}

// GetOwnAccount returns the account of the caller.
func (a *Accounts) GetOwnAccount(ctx context.Context, _ *api.None) (*api.Account, error) {
	return a.getAccount(ctx, lookUpByKey(CallerFromContext(ctx).Account))
}

// GetAccount returns the account with the key in.AccountKey, including its usage.
func (a *Accounts) GetAccount(ctx context.Context, in *api.AccountInput) (*api.Account, error) {
	return a.getAccount(ctx, lookUpByKey(in.AccountKey))
}

// FindAccount returns the account with this email. Upper and lower case are not distinguished. If
// there is no such account, FindAccount returns a *api.Problem with CodeNotFound.
func (a *Accounts) FindAccount(ctx context.Context, email string) (*api.Account, error) {
	return a.getAccount(ctx, lookUpByEmail(email))
}

// ListAccounts returns a page of the accounts, newest first.
func (a *Accounts) ListAccounts(ctx context.Context, in *api.ListAccountsInput) (*api.AccountPage, error) {
	page, err := in.Page()
	if err != nil {
		return nil, err
	}
	out := &api.AccountPage{Accounts: []api.Account{}}
	err = a.store.Read(ctx, func(t *store.Tx) error {
		accounts, total, err := t.ListAccounts(ctx, store.Page{Offset: page.Offset, Limit: page.Limit})
		for _, account := range accounts {
			out.Accounts = append(out.Accounts, toAccount(account))
		}
		page.SetTotalAndNext(total)
		return err
	})
	out.Page = page
	return out, a.toProblem(err)
}

// newAccount returns an account with the normalized fields of n. If fields are invalid, it returns
// a problem that lists them. The names of the person and of the organisation may be empty.
func newAccount(n api.NewAccount) (*store.Account, error) {
	account := &store.Account{
		Email: normalizeEmail(n.Email), Name: strings.TrimSpace(n.Name), Organisation: strings.TrimSpace(n.Organisation), Role: n.Role,
	}
	invalid := []error{checkEmail(account.Email)}
	if account.Name != "" {
		invalid = append(invalid, checkText("name", account.Name, maxNameLength, ""))
	}
	if account.Organisation != "" {
		invalid = append(invalid, checkText("organisation", account.Organisation, maxNameLength, ""))
	}
	return account, joinFieldProblems(invalid...)
}

// CreateAccount creates an account and invites its owner to set a password. The returned
// invitation has the one-time link, unless the service sends it by email.
func (a *Accounts) CreateAccount(ctx context.Context, in *api.CreateAccountInput) (out *api.Invitation, err error) {
	account, err := newAccount(in.Body)
	if err != nil {
		return nil, err
	}
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if err := a.insertAccount(ctx, t, account); err != nil {
			return err
		}
		if err := a.RecordAuditEvent(ctx, t, "account.create", account.Email); err != nil {
			return err
		}
		out, err = a.inviteOwner(ctx, t, account, mailApproved)
		return err
	})
	if errors.Is(err, store.ErrExists) {
		return nil, emailTakenProblem(account.Email).WithCause(err)
	}
	return out, a.toProblem(err)
}

// AddUser creates an account that has a password, so that its owner needs no one-time link. It
// returns a problem with CodeNameTaken if the email already has an account.
func (a *Accounts) AddUser(ctx context.Context, user api.NewAccount, password string) error {
	account, err := newAccount(user)
	if err != nil {
		return err
	}
	hash, err := a.checkAndHashPassword(ctx, account.Email, password)
	if err != nil {
		return err
	}
	account.PasswordHash = hash
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if err := a.insertAccount(ctx, t, account); err != nil {
			return err
		}
		return a.RecordAuditEvent(ctx, t, "account.create", account.Email)
	})
	if errors.Is(err, store.ErrExists) {
		return emailTakenProblem(account.Email).WithCause(err)
	}
	return a.toProblem(err)
}

// SetUserPassword changes the password of the account with this email and ends its sessions. It
// returns a problem if the password is not allowed, or if there is no such account.
func (a *Accounts) SetUserPassword(ctx context.Context, email, password string) error {
	hash, err := a.checkAndHashPassword(ctx, normalizeEmail(email), password)
	if err != nil {
		return err
	}
	_, err = a.updateAndRecord(ctx, exceptLocal(lookUpByEmail(email)), "password.set", func(t *store.Tx, account *store.Account) error {
		return updatePassword(ctx, t, account.Key, hash)
	})
	return err
}

// DisableAccount ends an account's sessions at once and prevents new sessions. Its data is kept.
// Its jobs stop at their next heartbeat and wait in the queue until EnableAccount.
func (a *Accounts) DisableAccount(ctx context.Context, in *api.AccountInput) (*api.Account, error) {
	return a.updateAndRecord(ctx, exceptLocal(lookUpByKey(in.AccountKey)), "account.disable", func(t *store.Tx, account *store.Account) error {
		return t.UpdateDisabled(ctx, account.Key, true, a.now())
	})
}

// EnableAccount enables a disabled account. Its password is unchanged.
func (a *Accounts) EnableAccount(ctx context.Context, in *api.AccountInput) (*api.Account, error) {
	return a.updateAndRecord(ctx, lookUpByKey(in.AccountKey), "account.enable", func(t *store.Tx, account *store.Account) error {
		return t.UpdateDisabled(ctx, account.Key, false, a.now())
	})
}

// ResetAccount removes the password of an account, ends its sessions and invites its owner to set a
// new password. Callers cannot reset their own account: they would be logged out before they can
// use the link.
func (a *Accounts) ResetAccount(ctx context.Context, in *api.AccountInput) (out *api.Invitation, err error) {
	_, err = a.updateAndRecord(ctx, exceptLocal(lookUpByKey(in.AccountKey)), "account.reset", func(t *store.Tx, account *store.Account) error {
		if account.Disabled {
			return api.NewProblem(api.CodeWrongState, "account %s is disabled: enable it first", account.Email)
		}
		if account.Key == CallerFromContext(ctx).Account {
			return api.NewProblem(api.CodeWrongState, "%s is your own account: change its password instead. If you have forgotten the password, run `foretell users reset %s` on the machine of the service", account.Email, term.ShellQuote(account.Email))
		}
		if err := updatePassword(ctx, t, account.Key, ""); err != nil {
			return err
		}
		kind := mailReset
		if account.PasswordHash == "" { // the owner has not used the earlier link, for the first or a new password
			kind = mailNewLink
		}
		out, err = a.inviteOwner(ctx, t, account, kind)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// SetRole makes an account an administrator or an ordinary user. It returns a problem if no
// administrator would remain.
func (a *Accounts) SetRole(ctx context.Context, in *api.SetRoleInput) (*api.Account, error) {
	lookup := lookUpByKey(in.AccountKey)
	if in.Body.Role == api.RoleAdministrator { // the account that commands use without a server cannot get this role, but can lose it if an earlier version granted it
		lookup = exceptLocal(lookup)
	}
	return a.updateAndRecordDetail(ctx, lookup, auditEvent{action: "account.role." + in.Body.Role, detail: "role=" + in.Body.Role}, func(t *store.Tx, account *store.Account) error {
		return t.UpdateRole(ctx, account.Key, in.Body.Role)
	})
}

// SetQuota changes the limits of an account. Nothing is deleted if the account already
// exceeds them.
func (a *Accounts) SetQuota(ctx context.Context, in *api.SetQuotaInput) (*api.Account, error) {
	return a.updateAndRecordDetail(ctx, lookUpByKey(in.AccountKey), auditEvent{action: "account.quota", detail: formatQuota(in.Body)}, func(t *store.Tx, account *store.Account) error {
		return t.UpdateQuota(ctx, account.Key, store.Quota(in.Body))
	})
}

// formatQuota formats a quota for the audit log, such as "datasets=1 bytes=1000000 races=none".
func formatQuota(q api.Quota) string {
	limit := func(n *int64) string {
		if n == nil {
			return "none"
		}
		return strconv.FormatInt(*n, 10)
	}
	return "datasets=" + limit(q.Datasets) + " bytes=" + limit(q.Bytes) + " races=" + limit(q.Races)
}
