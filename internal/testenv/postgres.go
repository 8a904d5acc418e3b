package testenv

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// postgresVariable is the environment variable with the URL of a PostgreSQL database for
// tests.
const postgresVariable = "FORETELL_TEST_POSTGRES"

// Postgres returns the URL of an empty PostgreSQL database. It is a new schema in the
// database of FORETELL_TEST_POSTGRES, and is dropped after the test. If that variable is
// not set, the test is skipped; see [SkipWithout].
func Postgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv(postgresVariable)
	if server == "" {
		SkipWithout(t, "postgres", errors.New(postgresVariable+" is not set"))
	}
	address, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s is not a URL", postgresVariable)
	}
	schema := "foretell_test_" + strings.ToLower(rand.Text())
	execPostgres(t, server, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { execPostgres(t, server, "DROP SCHEMA "+schema+" CASCADE") })
	query := address.Query()
	query.Set("search_path", schema)
	address.RawQuery = query.Encode()
	return address.String()
}

func execPostgres(t testing.TB, server, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(statement); err != nil { // without t.Context(), which has ended when Cleanup runs
		t.Fatal(err)
	}
}
