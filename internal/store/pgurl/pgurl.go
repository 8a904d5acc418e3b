// Package pgurl parses the URLs of PostgreSQL databases, and shows them without their passwords.
package pgurl

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The errors of [Parse]. Test with errors.Is.
var (
	// ErrInvalid is returned if the URL is malformed. Its message contains no password.
	ErrInvalid = errors.New("the URL of the database is invalid")
	// ErrInvalidParameter is returned if the URL is well formed, but the URL or the environment has
	// an invalid parameter, such as sslmode. It wraps ErrInvalid.
	ErrInvalidParameter error = invalidParameterError{}
)

// invalidParameterError is the type of ErrInvalidParameter. It wraps ErrInvalid, but has a message
// of its own.
type invalidParameterError struct{}

func (invalidParameterError) Error() string {
	return "cannot use the parameters of the database connection"
}
func (invalidParameterError) Unwrap() error { return ErrInvalid }

// connectTimeout is the time limit for connecting if the URL has none.
const connectTimeout = 5 * time.Second

// Is reports whether a location is the URL of a PostgreSQL database:
// postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS, as libpq defines it.
func Is(location string) bool {
	return strings.HasPrefix(location, "postgres://") || strings.HasPrefix(location, "postgresql://")
}

// Redact returns the URL of a database without its password and parameters, for logs.
// It returns a path unchanged.
func Redact(location string) string {
	if !Is(location) {
		return location
	}
	u, err := url.Parse(location)
	if err != nil {
		return "postgres://…"
	}
	shown := url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path}
	if name := u.User.Username(); name != "" {
		shown.User = url.User(name)
	}
	return shown.String()
}

// libpqParameters are the parameters of a URL that psql knows, except the secrets. psql rejects
// other parameters, such as search_path, which are settings of the session.
var libpqParameters = []string{
	"application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname", "gssencmode", "host", "hostaddr", "krbsrvname", "options", "passfile", "port",
	"require_auth", "service", "servicefile", "sslcert", "sslcertmode", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni", "ssl_max_protocol_version",
	"ssl_min_protocol_version", "target_session_attrs", "tcp_user_timeout", "user",
}

// ForPsql returns the URL with which psql connects to the same database as the program. Unlike
// Redact, it keeps the parameters, except the passwords.
func ForPsql(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return Redact(location)
	}
	kept, settings := url.Values{}, []string{}
	for name, values := range u.Query() {
		switch {
		case name == "password" || name == "sslpassword":
		case slices.Contains(libpqParameters, name):
			kept[name] = values
		default:
			settings = append(settings, "-c "+name+"="+strings.ReplaceAll(values[0], " ", `\ `))
		}
	}
	if len(settings) > 0 {
		slices.Sort(settings)
		kept.Set("options", strings.TrimSpace(kept.Get("options")+" "+strings.Join(settings, " ")))
	}
	if len(kept) == 0 {
		return Redact(location)
	}
	return Redact(location) + "?" + strings.ReplaceAll(kept.Encode(), "+", "%20") // libpq does not decode + as a space
}

// Describe returns the name of a PostgreSQL database and the address of its server, for
// messages. It contains neither the user nor a password.
func Describe(location string) (string, error) {
	config, err := Parse(location)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the PostgreSQL database %s on %s, port %d", config.Database, config.Host, config.Port), nil
}

// Parse parses the URL of a database. The error contains no password. For a malformed URL,
// it contains no part of the URL, because any part may belong to a password with an unescaped
// character.
func Parse(location string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, ErrInvalid
	}
	config, err := pgx.ParseConfig(location)
	if err != nil {
		cause := errors.Unwrap(err)
		if cause == nil { // a host or a port is invalid, maybe because the password has special characters
			return nil, fmt.Errorf("%w: %s", ErrInvalid, Redact(location))
		}
		reason := cause.Error()
		password, _ := u.User.Password()
		for _, secret := range []string{password, u.Query().Get("password"), u.Query().Get("sslpassword")} {
			if secret != "" {
				reason = strings.ReplaceAll(reason, secret, "…")
			}
		}
		return nil, fmt.Errorf("%w: %s: %s", ErrInvalidParameter, Redact(location), reason)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	return config, nil
}
