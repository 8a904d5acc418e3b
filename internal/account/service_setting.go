package account

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"foretell/internal/api"
	"foretell/internal/store"
)

// The names of the settings that all processes on a store share.
const (
	settingPublicURL = "public-url"
	settingMail      = "mail" // "on" or "off"
	// settingQuota is the quota of new accounts, as JSON. It is empty or noQuota if they have none.
	settingQuota = "default-quota"
	// settingAddress is the URL of a service, and settingProcess the name of its process. Early
	// releases stored the public URL in settingAddress, and no settingProcess.
	settingAddress = "service-url"
	settingProcess = "service-process"
)

// defaultServiceURL is the beginning of one-time links before a service has called
// StoreServiceSettings.
const defaultServiceURL = "http://127.0.0.1:8080"

// ServiceSettings are the settings of a service that other processes need when they create
// accounts: other services, and commands that open the database themselves. A nil field leaves the
// stored value unchanged, because another service may have set it.
type ServiceSettings struct {
	// PublicURL is the beginning of one-time links. If it points to "", the stored value is
	// removed.
	PublicURL *string
	// SendsMail is true if services send emails.
	SendsMail *bool
	// Address is the URL of this process. It is required. One-time links begin with the address of
	// a running process if no public URL is stored.
	Address string
}

// StoreServiceSettings stores the settings and the Options.DefaultQuota of this process. It logs a
// warning if it replaces the stored value of a setting by another value. It logs a message if a
// setting has a stored value but s has none, so that the stored value remains in use.
func (a *Accounts) StoreServiceSettings(ctx context.Context, s ServiceSettings) error {
	var mail, quota *string
	detail := ""
	if s.SendsMail != nil {
		mail = new(map[bool]string{true: "on", false: "off"}[*s.SendsMail])
	}
	if a.options.DefaultQuota != nil {
		text, err := json.Marshal(a.options.DefaultQuota)
		if err != nil {
			return err
		}
		quota, detail = new(string(text)), formatQuota(*a.options.DefaultQuota)
	}
	return a.toProblem(a.store.Write(ctx, func(t *store.Tx) error {
		for _, setting := range []struct {
			name   string
			value  *string
			detail string
		}{{settingPublicURL, s.PublicURL, ""}, {settingMail, mail, ""}, {settingQuota, quota, detail}} {
			if err := a.storeSetting(ctx, t, setting.name, setting.value, setting.detail); err != nil {
				return err
			}
		}
		return a.storeServiceAddress(ctx, t, s.Address)
	}))
}

// storeSetting stores a setting unless value is nil, and records a change in the audit log. The entry
// has the given detail or, if it is "", the value. If storeSetting replaces another value, it logs a
// warning.
func (a *Accounts) storeSetting(ctx context.Context, t *store.Tx, name string, value *string, detail string) error {
	old, err := t.GetSetting(ctx, name)
	if err != nil {
		return err
	}
	unset := old == "" || old == "off" || old == noQuota
	switch {
	case value == nil && !unset:
		t.AfterCommit(func(error) {
			a.log.InfoContext(ctx, "the stored setting remains in use", "setting", name, "value", old)
		})
	case value != nil && *value != old:
		if !unset {
			t.AfterCommit(func(error) {
				a.log.WarnContext(ctx, "a setting that all services share was changed", "setting", name, "old", old, "new", *value)
			})
		}
		if err := t.SetSetting(ctx, name, *value); err != nil {
			return err
		}
		return a.insertAuditEvent(ctx, t, auditEvent{action: "setting.change", object: name, detail: cmp.Or(detail, *value), outcome: outcomeDone})
	}
	return nil
}

// noQuota is the zero quota as JSON.
const noQuota = `{"datasets":null,"bytes":null,"races":null}`

// storeServiceAddress stores the address of this process, unless the stored address belongs to
// another process that is running.
func (a *Accounts) storeServiceAddress(ctx context.Context, t *store.Tx, address string) error {
	process, err := t.GetSetting(ctx, settingProcess)
	if err != nil || process != "" && process != a.store.ProcessName() && a.store.IsProcessAlive(process) {
		return err
	}
	if err := t.SetSetting(ctx, settingAddress, address); err != nil {
		return err
	}
	return t.SetSetting(ctx, settingProcess, a.store.ProcessName())
}

// serviceURL returns the beginning of one-time links, for a command that opens the database itself:
// the stored public URL, the stored address of a service or defaultServiceURL.
func serviceURL(ctx context.Context, t *store.Tx) (string, error) {
	public, err := t.GetSetting(ctx, settingPublicURL)
	if err != nil || public != "" {
		return public, err
	}
	address, err := t.GetSetting(ctx, settingAddress)
	return cmp.Or(address, defaultServiceURL), err
}

// ServiceURLs returns the URLs of the service that uses the database: its public URL, and the
// stored address of one of its processes. If that process has ended, the address is omitted,
// because another service may have it now.
func (a *Accounts) ServiceURLs(ctx context.Context) (urls []string, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		public, address, process, err := serviceAddresses(ctx, t)
		if process != "" && !a.store.IsProcessAlive(process) {
			address = ""
		}
		urls = slices.DeleteFunc([]string{public, address}, func(url string) bool { return url == "" })
		return err
	})
	return urls, a.toProblem(err)
}

// HasBeenServed reports whether a service has ever used the database.
func (a *Accounts) HasBeenServed(ctx context.Context) (served bool, err error) {
	err = a.store.Read(ctx, func(t *store.Tx) error {
		public, address, _, err := serviceAddresses(ctx, t)
		served = public != "" || address != ""
		return err
	})
	return served, a.toProblem(err)
}

// serviceAddresses returns the stored public URL, and the stored address and name of a process. A
// value is "" if it is not stored.
func serviceAddresses(ctx context.Context, t *store.Tx) (public, address, process string, err error) {
	for name, value := range map[string]*string{settingPublicURL: &public, settingAddress: &address, settingProcess: &process} {
		if *value, err = t.GetSetting(ctx, name); err != nil {
			return "", "", "", err
		}
	}
	return public, address, process, nil
}

// defaultQuota returns the quota of new accounts: Options.DefaultQuota or, if it is nil, the
// stored quota.
func (a *Accounts) defaultQuota(ctx context.Context, t *store.Tx) (store.Quota, error) {
	if a.options.DefaultQuota != nil {
		return store.Quota(*a.options.DefaultQuota), nil
	}
	var quota api.Quota
	text, err := t.GetSetting(ctx, settingQuota)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &quota)
	}
	return store.Quota(quota), err
}

// sendsMail reports whether this process sends emails.
func (a *Accounts) sendsMail() bool { return a.options.Mailer != nil }

// anyProcessSendsMail reports whether this process or another service sends emails.
func (a *Accounts) anyProcessSendsMail(ctx context.Context, t *store.Tx) (bool, error) {
	if a.sendsMail() {
		return true, nil
	}
	mail, err := t.GetSetting(ctx, settingMail)
	return mail == "on", err
}
