package account

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/store/pgurl"
)

// loggedService is one of several services on a database, with its log.
type loggedService struct {
	*Accounts
	log  bytes.Buffer
	stop func()
}

func openLogged(t *testing.T, location string, options Options) *loggedService {
	t.Helper()
	rows, err := store.Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	s := &loggedService{stop: sync.OnceFunc(func() { _ = rows.Close() })}
	t.Cleanup(s.stop)
	s.Accounts = newAccounts(rows, newClock(), &s.log, options)
	return s
}

// invited adds an account as a command on the data folder does. It returns the link and the maximum
// number of datasets; the link is "" if it is mailed.
func (s *loggedService) invited(t *testing.T, email string) (link string, datasets int64) {
	t.Helper()
	invitation, err := s.CreateAccount(t.Context(), &api.CreateAccountInput{Body: api.NewAccount{Email: email, Role: api.RoleUser}})
	if err != nil {
		t.Fatal(err)
	}
	account, err := s.FindAccount(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	if account.Quota.Datasets != nil {
		datasets = *account.Quota.Datasets
	}
	return invitation.Link, datasets
}

// TestServiceSettings checks that a service without a flag does not change what other services have
// stored, that a change is logged, and that each service uses its own quota.
func TestServiceSettings(t *testing.T) {
	t.Parallel()
	for name, newDatabase := range newDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := newDatabase(t)
			start := func(s ServiceSettings, quota *api.Quota) *loggedService {
				t.Helper()
				service := openLogged(t, location, Options{DefaultQuota: quota})
				if err := service.StoreServiceSettings(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				return service
			}
			command := openLogged(t, location, Options{})
			want := func(email, link string, datasets int64) {
				t.Helper()
				if gotLink, gotDatasets := command.invited(t, email); !strings.HasPrefix(gotLink, link) || (link == "") != (gotLink == "") || gotDatasets != datasets {
					t.Errorf("%s: %q and %d, want %q and %d", email, gotLink, gotDatasets, link, datasets)
				}
			}
			want("a@example.com", defaultServiceURL, 0)

			first := start(ServiceSettings{Address: "http://127.0.0.1:1111"}, &api.Quota{Datasets: new(int64(7))})
			want("b@example.com", "http://127.0.0.1:1111/", 7)

			adHoc := start(ServiceSettings{Address: "http://127.0.0.1:2222"}, nil)
			want("c@example.com", "http://127.0.0.1:1111/", 7)
			if text := adHoc.log.String(); !strings.Contains(text, `level=INFO msg="the stored setting remains in use" setting=default-quota`) || strings.Contains(text, "WARN") {
				t.Errorf("the log is %s", text)
			}

			wantURLs := func(urls ...string) {
				t.Helper()
				if got, err := command.ServiceURLs(t.Context()); !slices.Equal(got, urls) || err != nil {
					t.Errorf("the URLs are %q, %v, want %q", got, err, urls)
				}
				if served, err := command.HasBeenServed(t.Context()); !served || err != nil {
					t.Errorf("served: %v, %v", served, err)
				}
			}
			wantURLs("http://127.0.0.1:1111")
			adHoc.stop()
			first.stop()
			if !pgurl.Is(location) { // PostgreSQL knows that a process has ended only after some seconds
				wantURLs() // another service may now have this address
			}
			other := start(ServiceSettings{Address: "http://127.0.0.1:3333"}, &api.Quota{Datasets: new(int64(9))})
			if text := other.log.String(); !strings.Contains(text, `level=WARN msg="a setting that all services share was changed" setting=default-quota old="{\"datasets\":7,`) || !strings.Contains(text, `new="{\"datasets\":9,`) {
				t.Errorf("the log is %s", text)
			}
			if !pgurl.Is(location) { // PostgreSQL knows that a process has ended only after some seconds
				want("d@example.com", "http://127.0.0.1:3333/", 9)
			}

			start(ServiceSettings{Address: "http://127.0.0.1:4444", PublicURL: new("https://foretell.example.com")}, &api.Quota{})
			want("e@example.com", "https://foretell.example.com/", 0)
			if _, datasets := other.invited(t, "f@example.com"); datasets != 9 {
				t.Errorf("a service does not use its own quota: %d", datasets)
			}

			start(ServiceSettings{Address: "http://127.0.0.1:5555", SendsMail: new(true)}, nil)
			want("g@example.com", "", 0)
			start(ServiceSettings{Address: "http://127.0.0.1:6666"}, nil)
			want("h@example.com", "", 0)
			removing := start(ServiceSettings{Address: "http://127.0.0.1:7777", SendsMail: new(false), PublicURL: new("")}, nil)
			want("i@example.com", "http://127.0.0.1:", 0)
			if text := removing.log.String(); !strings.Contains(text, "setting=mail old=on new=off") || !strings.Contains(text, `setting=public-url old=https://foretell.example.com new=""`) {
				t.Errorf("the log is %s", text)
			}
		})
	}
}
