package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// maxWriters is the maximum number of write connections to PostgreSQL.
	maxWriters = 4
	// maxIdleTime is how long an idle connection to PostgreSQL stays open.
	maxIdleTime = time.Minute
	// connectTimeout is the time limit for connecting if the URL has none.
	connectTimeout = 5 * time.Second
)

// IsURL reports whether a location is the URL of a PostgreSQL database:
// postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS, as libpq defines it.
func IsURL(location string) bool {
	return strings.HasPrefix(location, "postgres://") || strings.HasPrefix(location, "postgresql://")
}

// RedactURL returns the URL of a database without its password and parameters, for logs.
// It returns a path unchanged.
func RedactURL(location string) string {
	if !IsURL(location) {
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

// libpqParameters are the parameters of a URL that psql knows, except the secrets. All others are
// settings of the session, such as search_path.
var libpqParameters = []string{
	"application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname", "gssencmode", "host", "hostaddr", "krbsrvname", "options", "passfile", "port",
	"require_auth", "service", "servicefile", "sslcert", "sslcertmode", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni", "ssl_max_protocol_version",
	"ssl_min_protocol_version", "target_session_attrs", "tcp_user_timeout", "user",
}

// PsqlURL returns the URL with which psql connects as the program does. Unlike RedactURL, it keeps
// the parameters, except the passwords.
func PsqlURL(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return RedactURL(location)
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
		return RedactURL(location)
	}
	return RedactURL(location) + "?" + strings.ReplaceAll(kept.Encode(), "+", "%20") // libpq decodes no plus sign
}

// DescribeServer returns the name of a PostgreSQL database and the address of its server, for
// messages. It contains neither the user nor a password.
func DescribeServer(location string) (string, error) {
	config, err := parsePostgres(location)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the PostgreSQL database %s on %s, port %d", config.Database, config.Host, config.Port), nil
}

// parsePostgres parses the URL of a database. The error contains no password. For a malformed URL,
// it contains no part of the URL, because any part may belong to a password with an unescaped
// character.
func parsePostgres(location string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, ErrInvalidURL
	}
	config, err := pgx.ParseConfig(location)
	if err != nil {
		cause := errors.Unwrap(err)
		if cause == nil { // a host or a port is invalid, maybe because the password has special characters
			return nil, fmt.Errorf("%w: %s", ErrInvalidURL, RedactURL(location))
		}
		reason := cause.Error()
		password, _ := u.User.Password()
		for _, secret := range []string{password, u.Query().Get("password"), u.Query().Get("sslpassword")} {
			if secret != "" {
				reason = strings.ReplaceAll(reason, secret, "…")
			}
		}
		return nil, fmt.Errorf("%w: %s: %s", ErrInvalidParameter, RedactURL(location), reason)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	return config, nil
}

// openPostgres opens the database with this URL, and migrates it to the given version of the
// schema.
func openPostgres(ctx context.Context, location string, version int64) (*Store, error) {
	config, err := parsePostgres(location)
	if err != nil {
		return nil, err
	}
	readOnly := config.Copy()
	readOnly.RuntimeParams["default_transaction_read_only"] = "on"
	s := &Store{dialect: postgresDialect, write: newPostgresPool(config, maxWriters), read: newPostgresPool(readOnly, maxReaders), leases: &leaseChecks{}, listenConfig: readOnly}
	fail := func(err error) (*Store, error) {
		return nil, errors.Join(fmt.Errorf("%s: %w", RedactURL(location), translateConnectError(err)), s.Close())
	}
	if s.migration, err = s.migratePostgres(ctx, version); err != nil {
		return fail(err)
	}
	rows, err := registerProcess(ctx, newPostgresPool(config, 1).DB)
	if err != nil {
		return fail(err)
	}
	s.processes = rows
	return s, nil
}

// dialErrorPrefix matches the beginning of an error of the driver that repeats the address:
// "host:5432 (10.0.0.1): dial error: dial tcp 10.0.0.1:5432: connect: connection refused".
var dialErrorPrefix = regexp.MustCompile(`^\S+ \([^)]*\): dial error: dial tcp `)

// translateConnectError is like translateError, for connection errors of PostgreSQL. It
// keeps only the last line of the message, because the driver writes one line for each address
// that it tried.
func translateConnectError(err error) error {
	if !isDisconnected(err) {
		return translateError(err)
	}
	text := err.Error()
	last := errors.New(dialErrorPrefix.ReplaceAllString(strings.TrimSpace(text[strings.LastIndex(text, "\n")+1:]), ""))
	known := ErrUnavailable
	if errors.As(err, new(*pgconn.ConnectError)) && !isNetworkError(err) {
		known = ErrNotAccepted
	}
	var refused *pgconn.PgError // the error that a running server sent
	if errors.As(err, &refused) {
		known = errorFromSQLState(refused.Code)
	}
	if known == nil {
		return last
	}
	return fmt.Errorf("%w: %w", known, last)
}

func newPostgresPool(config *pgx.ConnConfig, connections int) *connectionPool {
	p := newConnectionPool(stdlib.OpenDB(*config), connections)
	p.SetConnMaxIdleTime(maxIdleTime)
	return p
}

// migratePostgres migrates the database to a version while it holds a lock. If several
// processes start together, the first migrates and the others wait.
func (s *Store) migratePostgres(ctx context.Context, version int64) (m Migration, err error) {
	const lock = "hashtextextended(current_schema() || ' migrations', 0)"
	conn, err := s.read.Conn(ctx)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock("+lock+")"); err != nil {
		return m, err
	}
	m, err = s.dialect.migrate(ctx, s.write.DB, version)
	_, unlocked := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock("+lock+")")
	return m, errors.Join(err, unlocked)
}
