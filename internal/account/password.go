package account

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/store"
)

const (
	minPasswordLength = 10   // characters
	maxPasswordBytes  = 1024 // bytes
	maxEmailBytes     = 320  // bytes
)

// checkAndHashPassword returns the hash of a new password for the account with this email.
// It returns a problem if the password is too short, too long, common, breached or similar
// to the email.
func (a *Accounts) checkAndHashPassword(ctx context.Context, email, password string) (string, error) {
	if err := checkPassword(email, password); err != nil {
		return "", err
	}
	if list := a.options.BreachedPasswords; list != nil {
		breached, err := list.Contains(password)
		if err != nil {
			return "", err
		}
		if breached {
			return "", api.NewFieldProblem("password", "is known from a data breach of another service: choose another")
		}
	}
	return a.passwords.Hash(ctx, password)
}

func checkPassword(email, password string) error {
	folded := strings.ToLower(strings.TrimSpace(password))
	name, _, _ := strings.Cut(email, "@")
	switch n := utf8.RuneCountInString(password); {
	case n < minPasswordLength:
		return api.NewFieldProblem("password", "%d characters: must be at least %d", n, minPasswordLength)
	case len(password) > maxPasswordBytes:
		return api.NewFieldProblem("password", "must be at most %d bytes", maxPasswordBytes)
	case folded == email || folded == name:
		return api.NewFieldProblem("password", "must not be the email")
	case isCommonPassword(folded):
		return api.NewFieldProblem("password", "is one of the most common passwords, or one of them with digits or symbols around it: choose another")
	case isEmailPartOrProgramName(folded, email):
		return api.NewFieldProblem("password", "is only the name of this program or a part of the email address, with digits or symbols around it: choose another")
	}
	return nil
}

// SetPassword uses a one-time link to set the password of its account, and ends the sessions of
// the account. With a link from [Accounts.NewFirstAdministratorLink], it creates the first
// administrator instead. After too many invalid links and failed log-ins from one network address, it
// returns a *api.Problem with CodeTooMany.
func (a *Accounts) SetPassword(ctx context.Context, in *api.SetPasswordInput) (*api.PasswordOwner, error) {
	leave, err := a.logins.enter(ctx, CallerFromContext(ctx).RemoteAddress)
	if err != nil {
		return nil, err
	}
	defer leave()
	attempt := a.loginAttemptFromAddress(ctx)
	if refused, err := a.allowAttempts(ctx, attempt); err != nil {
		return nil, err
	} else if refused != nil {
		return nil, tooManyFromAddressProblem(refused.Wait)
	}
	link, err := a.GetOneTimeLink(ctx, in.Body.Code)
	if err != nil {
		return nil, err
	}
	if err := a.refundAttempts(ctx, []store.Attempt{attempt}); err != nil { // only invalid links count
		return nil, err
	}
	email, invalidEmail := emailForLink(link, in.Body.Email)
	hash, err := a.checkAndHashPassword(ctx, email, in.Body.Password)
	if err := joinFieldProblems(invalidEmail, err); err != nil {
		return nil, err
	}
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if err := t.DeleteOneTimeLink(ctx, link.hash); err != nil {
			return err
		}
		if link.CreatesFirstAdministrator {
			return a.insertFirstAdministrator(ctx, t, email, hash)
		}
		if err := updatePassword(ctx, t, link.account, hash); err != nil {
			return err
		}
		return a.insertAuditEvent(ctx, t, auditEvent{actor: email, action: "password.set", outcome: outcomeDone})
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, invalidLinkProblem().WithCause(err)
	case errors.Is(err, store.ErrExists):
		return nil, api.NewProblem(api.CodeNameTaken,
			"account %s already exists: choose another email address, or make this account an administrator on the machine of the service with `foretell users role`", email).WithCause(err)
	case err != nil:
		return nil, a.toProblem(err)
	}
	return &api.PasswordOwner{Username: email}, nil
}

// emailForLink returns the email of the account whose password is set with a link. given is the
// email in the request, or nil. If the link creates the first administrator, given is required.
// Otherwise it must be nil or equal to the email of the account.
func emailForLink(link *OneTimeLink, given *string) (email string, err error) {
	switch {
	case link.CreatesFirstAdministrator && given == nil:
		return "", api.NewFieldProblem("email", "is required: the email address of the first administrator")
	case link.CreatesFirstAdministrator:
		email = normalizeEmail(*given)
		return email, checkEmail(email)
	case given != nil && normalizeEmail(*given) != link.Email:
		return link.Email, api.NewFieldProblem("email", "is not the email address of the link: omit it")
	}
	return link.Email, nil
}

// insertFirstAdministrator creates the first administrator, with this email and password hash. If
// another request has created one meanwhile, it returns store.ErrNotFound, because the link is
// then invalid.
func (a *Accounts) insertFirstAdministrator(ctx context.Context, t *store.Tx, email, hash string) error {
	if exists, err := hasAdministrator(ctx, t); err != nil {
		return err
	} else if exists {
		return store.ErrNotFound
	}
	if err := t.DeleteFirstAdministratorLinks(ctx); err != nil {
		return err
	}
	if err := a.insertAccount(ctx, t, &store.Account{Email: email, PasswordHash: hash, Role: api.RoleAdministrator}); err != nil {
		return err
	}
	return a.insertAuditEvent(ctx, t, auditEvent{actor: email, action: "account.create.first", object: email, outcome: outcomeDone})
}

// updatePassword sets the password hash of an account, ends its sessions and one-time links, and deletes
// the queued emails that would create other links.
func updatePassword(ctx context.Context, t *store.Tx, account, hash string) error {
	if err := t.UpdatePasswordAndEndSessions(ctx, account, hash); err != nil {
		return err
	}
	return t.DeleteQueuedMail(ctx, account, linkMails...)
}

// ChangePassword changes the password of the caller, if the current password in the request is
// correct, and ends all sessions of the account.
func (a *Accounts) ChangePassword(ctx context.Context, in *api.ChangePasswordInput) (*api.None, error) {
	account, err := a.verifyCallerPassword(ctx, in.Body.CurrentPassword, "password.change")
	if err != nil {
		return nil, err
	}
	hash, err := a.checkAndHashPassword(ctx, account.Email, in.Body.NewPassword)
	if err != nil {
		return nil, renameProblemField(err, "newPassword")
	}
	err = a.store.Write(ctx, func(t *store.Tx) error {
		if err := checkCredentialsUnchanged(ctx, t, account); err != nil {
			return err
		}
		if err := updatePassword(ctx, t, account.Key, hash); err != nil {
			return err
		}
		return a.RecordAuditEvent(ctx, t, "password.change", "")
	})
	if errors.Is(err, errCredentialsChanged) {
		return nil, wrongPasswordProblem(err)
	}
	return &api.None{}, a.toProblem(err)
}

// verifyCallerPassword returns the account of the caller if password is correct. Otherwise it
// records in the audit log that action was refused, and returns a problem. A wrong password counts
// as a failed log-in.
func (a *Accounts) verifyCallerPassword(ctx context.Context, password, action string) (*store.Account, error) {
	caller := CallerFromContext(ctx)
	taken, err := a.allowLoginAttempts(ctx, caller.Email)
	if err != nil {
		return nil, err
	}
	account, err := a.findAccount(ctx, lookUpByKey(caller.Account))
	if err != nil {
		return nil, err
	}
	err = a.passwords.Verify(ctx, account.PasswordHash, password)
	if errors.Is(err, auth.ErrWrongPassword) {
		a.recordOrLogError(ctx, auditEvent{action: action, outcome: outcomeRefused})
		return nil, wrongPasswordProblem(err)
	}
	if err != nil {
		return nil, err
	}
	return account, a.refundAttempts(ctx, taken)
}

func wrongPasswordProblem(cause error) *api.Problem {
	p := api.NewProblem(api.CodeForbidden, "the current password is wrong")
	p.Errors = []api.FieldError{{Field: "currentPassword", Message: "is wrong"}}
	return p.WithCause(cause)
}

// renameProblemField returns a copy of a problem about one field, with another name for the field:
// the name that the field has in the request. It returns other errors unchanged.
func renameProblemField(err error, name string) error {
	var p *api.Problem
	if !errors.As(err, &p) || len(p.Errors) != 1 {
		return err
	}
	return api.NewFieldProblem(name, "%s", p.Errors[0].Message)
}

// normalizeEmail returns an email in lower case and without surrounding white space. Emails are
// stored and looked up in this form.
func normalizeEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// checkEmail returns a problem if email does not have the form of an email address. The address
// need not exist.
func checkEmail(email string) error {
	name, domain, ok := strings.Cut(email, "@")
	invisible := func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }
	if !ok || name == "" || domain == "" || len(email) > maxEmailBytes || strings.ContainsAny(email, "<>,;\"\\") ||
		strings.Contains(domain, "@") || !utf8.ValidString(email) || strings.ContainsFunc(email, invisible) {
		return api.NewFieldProblem("email", "%q is not an email address", email)
	}
	return nil
}

// emailTakenProblem returns the problem of an email that already has an account.
func emailTakenProblem(email string) *api.Problem {
	return api.NewProblem(api.CodeNameTaken, "account %s already exists: change its password, or choose another email address", email)
}
