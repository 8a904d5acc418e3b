package service

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/account"
	"foretell/internal/auth"
	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/mail"
)

// accountFlags holds the flags of serve for accounts and emails.
type accountFlags struct {
	smtp           string
	approveDomains []string
	notifyRequests []string
	maxSessions    int
	defaultQuota   []string
	requestRate    int

	requireSecondFactor bool
	breachedPasswords   string
}

const (
	// defaultRequestRate is in requests per second. The commands and open pages of a person
	// send fewer, and a service can answer many more.
	defaultRequestRate = 100
	maxRequestRate     = 1_000_000
)

func (a *accountFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&a.smtp, "smtp", "", "`URL` of the mail server, smtp://USER:PASSWORD@HOST:587?from=ADDRESS, or \"none\"; if it has a password, set FORETELL_SMTP instead")
	flags.StringSliceVar(&a.approveDomains, "approve-domain", nil, "automatically approve account requests from email addresses of these `domains`; needs --smtp")
	flags.StringSliceVar(&a.notifyRequests, "notify-requests", nil, "email `addresses` of the administrators who get an email when someone requests an account, or \"none\" (default all administrators)")
	flags.IntVar(&a.maxSessions, "max-sessions", account.DefaultMaxSessions, "maximum `number` of sessions of an account; if a log-in exceeds it, the oldest session ends")
	flags.StringSliceVar(&a.defaultQuota, "default-quota", nil, "`limits` of new accounts that are not administrators, such as datasets=100,bytes=20GB,races=4, or \"none\" (default the limits that were last set with this flag)")
	flags.IntVar(&a.requestRate, "requests-per-second", defaultRequestRate, "maximum `number` of requests per second and account; a burst can contain six times as many; 0 means no limit")
	flags.BoolVar(&a.requireSecondFactor, "require-second-factor", false, "require an authenticator app; an account without one can only set one up")
	flags.StringVar(&a.breachedPasswords, "breached-passwords", "", "refuse new passwords whose SHA-1 hash is in `file`, a sorted list such as Pwned Passwords")
	cli.SetFlagGroup(flags, cli.GroupAccounts, "smtp", "approve-domain", "notify-requests", "max-sessions", "default-quota", "requests-per-second", "require-second-factor", "breached-passwords")
}

var domainFormat = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// accountOptions returns the options of accounts that the flags set. publicURL is the value of
// --public-url.
func (a *accountFlags) accountOptions(publicURL string) (account.Options, error) {
	out := account.Options{PublicURL: strings.TrimSuffix(publicURL, "/"), MaxSessions: a.maxSessions, RequireSecondFactor: a.requireSecondFactor}
	if a.maxSessions < 1 {
		return out, exit.Usagef("invalid --max-sessions %d: must be at least 1", a.maxSessions)
	}
	if a.requestRate < 0 || a.requestRate > maxRequestRate {
		return out, exit.Usagef("invalid --requests-per-second %d: must be between 0 and %d", a.requestRate, maxRequestRate)
	}
	var err error
	if a.breachedPasswords != "" {
		if out.BreachedPasswords, err = auth.OpenBreachedPasswords(a.breachedPasswords); err != nil {
			return out, exit.Usagef("invalid --breached-passwords: %w", err)
		}
	}
	if len(a.defaultQuota) > 0 {
		quota, err := parseQuota(a.defaultQuota)
		if err != nil {
			return out, err
		}
		out.DefaultQuota = &quota
	}
	for _, text := range a.approveDomains {
		domain := strings.ToLower(strings.TrimPrefix(text, "@"))
		if !domainFormat.MatchString(domain) {
			return out, exit.Usagef("invalid --approve-domain %q: must be a domain such as example.org", text)
		}
		out.ApproveDomains = append(out.ApproveDomains, domain)
	}
	for _, email := range a.notifyRequests {
		if email = strings.ToLower(strings.TrimSpace(email)); email == "none" {
			email = "" // no administrator
		} else if !strings.Contains(email, "@") {
			return out, exit.Usagef("invalid --notify-requests %q: must be the email addresses of administrators, or \"none\"", email)
		}
		out.NotifyRequests = append(out.NotifyRequests, email)
	}
	switch {
	case a.smtp == "" && len(out.ApproveDomains) > 0:
		return out, exit.Usagef("--approve-domain needs --smtp, because only an email can prove that an address belongs to the person")
	case a.smtp == "":
		return out, nil
	case publicURL == "":
		return out, exit.Usagef("--smtp needs --public-url, the base of the links in emails")
	}
	sender, err := mail.New(a.smtp)
	if err != nil {
		return out, exit.Usagef("invalid --smtp: %w", err)
	}
	out.Mailer = sender
	return out, nil
}
