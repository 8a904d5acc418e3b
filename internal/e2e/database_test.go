//go:build unix

package e2e_test

import (
	"database/sql"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"foretell/internal/testenv"
)

// foretellOn runs a command with a password on standard input and returns its output.
func foretellOn(t *testing.T, args ...string) (string, error) {
	t.Helper()
	command := exec.Command("foretell", args...)
	command.Stdin = strings.NewReader("a long password\n")
	out, err := command.CombinedOutput()
	return string(out), err
}

// TestMigrate checks that migrate prints the versions before and after, and does nothing the
// second time.
func TestMigrate(t *testing.T) {
	address := testenv.Postgres(t)
	for _, from := range []string{`"from": 0`, `"from": `} {
		out, err := foretellOn(t, "migrate", "--database", address, "--data-dir", t.TempDir(), "--json")
		if err != nil || !strings.Contains(out, from) || !strings.Contains(out, `"to": `) {
			t.Errorf("%v: %s", err, out)
		}
	}
	out, err := foretellOn(t, "migrate", "--database", address, "--data-dir", t.TempDir(), "--jq", ".from == .to")
	if err != nil || out != "true\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestDatabaseDoctor checks that doctor reports the state of a database, and changes nothing.
func TestDatabaseDoctor(t *testing.T) {
	t.Parallel()
	address := testenv.Postgres(t)
	for _, want := range []string{"database\twarn\n", "database\tok\n"} {
		out, err := foretellOn(t, "doctor", "--database", address, "--fields", "check,verdict", "--data-dir", t.TempDir())
		if !strings.Contains(out, want) {
			t.Errorf("%v: %s, want %q", err, out, want)
		}
		if out, err := foretellOn(t, "migrate", "--database", address, "--data-dir", t.TempDir()); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// TestNoImplicitUpgrade checks that the commands on the data of a service neither create the tables nor
// upgrade them, because an upgrade stops the workers of an earlier version.
func TestNoImplicitUpgrade(t *testing.T) {
	t.Parallel()
	address := testenv.Postgres(t)
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	fails := func(want string) {
		t.Helper()
		for _, command := range []string{"users list", "users add ann@example.com", "users audit", "keys list", "jobs list", "jobs workers"} {
			out, err := foretellOn(t, append(strings.Fields(command), "--database", address, "--data-dir", t.TempDir())...)
			if err == nil || !strings.Contains(out, want) || !strings.Contains(out, "`foretell migrate --data-dir ") {
				t.Errorf("%s: %v: %s", command, err, out)
			}
		}
	}
	count := func(of string) (n int) {
		t.Helper()
		if err := db.QueryRow("SELECT count(*) FROM " + of).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	fails("has no tables of foretell")
	if n := count("pg_tables WHERE schemaname = current_schema()"); n != 0 {
		t.Errorf("the commands have created %d tables", n)
	}
	if out, err := foretellOn(t, "migrate", "--database", address, "--data-dir", t.TempDir()); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := db.Exec("DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)"); err != nil {
		t.Fatal(err)
	}
	before := count("goose_db_version")
	fails("the schema of the database is too old")
	if n := count("goose_db_version"); n != before {
		t.Errorf("the commands have applied %d migrations", n-before)
	}
}

// TestDatabaseErrors checks that errors of a database have a hint with the next step.
func TestDatabaseErrors(t *testing.T) {
	t.Parallel()
	address, dir := testenv.Postgres(t), t.TempDir()
	add := func(database string) (string, error) {
		return foretellOn(t, "users", "add", "ann@example.com", "--password-stdin", "--database", database, "--data-dir", dir)
	}
	other := testenv.Postgres(t)
	for _, database := range []string{address, other} {
		if out, err := foretellOn(t, "migrate", "--database", database, "--data-dir", dir); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if out, err := add(address); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "blobs", "writer-name"), []byte("a stored file"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	missing.Path = "/no_such_database"
	secure := strings.Replace(address, "sslmode=disable", "sslmode=require", 1)
	setting := address + "&password=a-secret-word&no_such_setting=1"
	for _, test := range []struct{ name, database, want string }{
		{"a database that does not exist", missing.String(), "check the database, its user and the password with `psql 'postgres://"},
		{"a server without TLS", secure, "no connection with these parameters"},
		{"a server without TLS, in psql", secure, "sslmode=require"},
		{"an unknown setting", setting, "options=-c%20no_such_setting%3D1%20"},
		{"a standby", address + "&default_transaction_read_only=on", "name the primary server in the URL, or all servers with the parameter target_session_attrs=primary"},
		{"a database of other files", other, "no stored file was changed; use --data-dir with the data folder that belongs to this database"},
	} {
		out, err := add(test.database)
		if err == nil || !strings.Contains(out, test.want) || strings.Contains(out, "does not respond") || strings.Contains(out, "a-secret-word") {
			t.Errorf("%s: %v: %s", test.name, err, out)
		}
	}
}

// TestDatabaseOutage interrupts the connection of the service to its database during a race.
// Requests must fail with 503. The race must continue, and its model must be stored when the
// database is available again.
func TestDatabaseOutage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it races")
	}
	relay, address := testenv.StartRelay(t, testenv.Postgres(t))
	dir := t.TempDir()
	_, service := serveAt(t, "127.0.0.1:0", dir, "--database", address)
	run := exec.Command("foretell", "run", firstRows(t, "../../testdata/credit-g/train.csv", 150), "--algorithm", "BSEV01,BFIF01", "--progress", "json")
	run.Env = accountOn(t, service, "--database", address, "--data-dir", dir)
	const outage = 3 * time.Second // longer than the race
	cut := false
	stdout, messages, err := follow(t, run, func(line string) {
		if cut || !strings.Contains(line, `"event":"score"`) {
			return
		}
		cut = true
		relay.SetMode(testenv.Refusing)
		for _, path := range []string{"/readyz", "/api/v1/datasets"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, service+path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("Authorization", "Bearer token")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" ||
				response.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %s, %v", path, response.Status, response.Header)
			}
		}
		time.AfterFunc(outage, func() { relay.SetMode(testenv.Forwarding) })
	})
	if err != nil || !cut || len(strings.TrimSpace(stdout)) != 36 {
		t.Errorf("%v, cut %v, printed %q: %s", err, cut, stdout, messages)
	}
}

// TestPostgresOfOperations runs the commands for PostgreSQL in docs/operations.md with the
// address of a test database.
func TestPostgresOfOperations(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## PostgreSQL\n")
	_, section, _ = strings.Cut(section, "```\n")
	block, _, found := strings.Cut(section, "```\n")
	if !found {
		t.Fatal("there is no block")
	}
	block = strings.NewReplacer("postgres://foretell@db.example.org/foretell", "'"+testenv.Postgres(t)+"'",
		"/srv/foretell", t.TempDir(), "0.0.0.0:8080", "127.0.0.1:0").Replace(block)
	env := append(os.Environ(), "PASSWORD=a long password")
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		ready := map[string]string{"serve": "listening on", "worker": "running the jobs of postgres://"}[args[1]]
		if ready != "" {
			if got := runUntil(t, env, args[1:], ready, syscall.SIGINT); got.code != 0 {
				t.Errorf("%s: exit status %d: %s", line, got.code, got.stderr)
			}
			continue
		}
		command := exec.Command("bash", "-c", line)
		command.Env = env
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
		}
	}
}

// TestNoticeOfDataFolder checks that a command with a PostgreSQL database does not say that the data is
// in the data folder.
func TestNoticeOfDataFolder(t *testing.T) {
	t.Parallel()
	env := append(os.Environ(), "FORETELL_DATABASE="+testenv.Postgres(t), "XDG_DATA_HOME="+t.TempDir())
	for _, args := range [][]string{{"migrate"}, {"jobs", "workers"}} {
		command := exec.Command("foretell", args...)
		command.Env = env
		if out, err := command.CombinedOutput(); err != nil || strings.Contains(string(out), "data is stored in") {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}

// TestFolderOfPostgresService checks that a command without --database does not create an SQLite
// database in the data folder of a service on PostgreSQL.
func TestFolderOfPostgresService(t *testing.T) {
	t.Parallel()
	address := testenv.Postgres(t)
	location, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	location.User = url.UserPassword(location.User.Username(), "a-secret-word")
	served, worked := t.TempDir(), t.TempDir()
	serveAt(t, "127.0.0.1:0", served, "--database", location.String())
	if out, err := foretellOn(t, "users", "add", "ann@example.com", "--database", location.String(), "--data-dir", served); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := runUntil(t, os.Environ(), []string{"worker", "--database", location.String(), "--data-dir", worked}, "running the jobs of", syscall.SIGINT); got.code != 0 {
		t.Fatalf("worker: exit status %d: %s", got.code, got.stderr)
	}
	where := strings.TrimPrefix(location.Path, "/") + " on " + location.Hostname() + ", port " + location.Port()
	for _, dir := range []string{served, worked} {
		marker, err := os.ReadFile(filepath.Join(dir, "database.txt"))
		if err != nil || string(marker) != "the PostgreSQL database "+where+"\n" {
			t.Errorf("%v: the marker is %q", err, marker)
		}
		for _, command := range []string{
			"users add bob@example.com", "users list", "keys list", "jobs list", "backup " + filepath.Join(dir, "backup.tar"), "restore --verify=false " + filepath.Join(dir, "database.txt"),
			"worker", "serve --listen 127.0.0.1:0", "migrate", "doctor --files", "datasets list",
		} {
			out, err := foretellOn(t, append(strings.Fields(command), "--data-dir", dir)...)
			hint := "pass the URL of this database with --database or FORETELL_DATABASE"
			if command == "datasets list" {
				hint = "use the service with --server"
			}
			out = strings.Join(strings.Fields(out), " ")
			if err == nil || !strings.Contains(out, "belongs to the PostgreSQL database "+where) || !strings.Contains(out, hint) || strings.Contains(out, "secret-word") {
				t.Errorf("%s: %v: %s", command, err, out)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "foretell.db")); err == nil {
			t.Error("a command has created an SQLite database")
		}
	}
	if out, err := foretellOn(t, "users", "list", "--database", address, "--data-dir", served, "--fields", "email", "--no-header"); err != nil || !strings.Contains(out, "ann@example.com") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestStrayDatabaseVariable sets FORETELL_DATABASE for commands on the data folder of an SQLite
// service. They must be refused and must not mark the folder, so that the service starts again.
func TestStrayDatabaseVariable(t *testing.T) {
	t.Parallel()
	address, dir := testenv.Postgres(t), t.TempDir()
	if out, err := foretellOn(t, "users", "add", "ann@example.com", "--data-dir", dir); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	env := append(os.Environ(), "FORETELL_DATABASE="+address)
	for _, command := range []string{"users list", "migrate", "backup " + filepath.Join(t.TempDir(), "backup.tar"), "restore " + os.DevNull, "worker", "serve --listen 127.0.0.1:0"} {
		refused := exec.Command("foretell", append(strings.Fields(command), "--data-dir", dir)...)
		refused.Env = env
		out, err := refused.CombinedOutput()
		if text := strings.Join(strings.Fields(string(out)), " "); err == nil || !strings.Contains(text, "has its own database file foretell.db") || !strings.Contains(text, "pass --database ''") {
			t.Errorf("%s: %v: %s", command, err, out)
		}
	}
	listed := exec.Command("foretell", "users", "list", "--database", "", "--data-dir", dir, "--fields", "email", "--no-header")
	listed.Env = env
	if out, err := listed.CombinedOutput(); err != nil || !strings.Contains(string(out), "ann@example.com") {
		t.Errorf("--database '': %v: %s", err, out)
	}
	if got := runUntil(t, os.Environ(), []string{"worker", "--data-dir", dir}, "running the jobs of", syscall.SIGINT); got.code != 0 {
		t.Errorf("worker: exit status %d: %s", got.code, got.stderr)
	}
}

// TestMarkerIsKept starts a worker on a folder that is marked for another database, and runs a
// command that must not mark a folder.
func TestMarkerIsKept(t *testing.T) {
	t.Parallel()
	address, dir := testenv.Postgres(t), t.TempDir()
	path := filepath.Join(dir, "database.txt")
	if out, err := foretellOn(t, "migrate", "--database", address, "--data-dir", t.TempDir()); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := foretellOn(t, "users", "list", "--database", address, "--data-dir", dir); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("users list has marked the folder")
	}
	const marker = "the PostgreSQL database other on db.example.org, port 5432"
	if err := os.WriteFile(path, []byte(marker+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runUntil(t, os.Environ(), []string{"worker", "--database", address, "--data-dir", dir}, "running the jobs of", syscall.SIGINT)
	if got.code != 0 || !strings.Contains(got.stderr, "names another database") || !strings.Contains(got.stderr, marker) {
		t.Errorf("exit status %d: %s", got.code, got.stderr)
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != marker+"\n" {
		t.Errorf("%v: the marker is %q", err, kept)
	}
}

// TestDefaultFolderIsNotMarked checks that a command for a service on PostgreSQL does not mark the
// default data folder, which may have other data of the user.
func TestDefaultFolderIsNotMarked(t *testing.T) {
	t.Parallel()
	env := append(os.Environ(), "HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir())
	address := testenv.Postgres(t)
	for _, args := range [][]string{{"migrate", "--database", address}, {"users", "list", "--database", address}, {"datasets", "list"}} {
		command := exec.Command("foretell", args...)
		command.Env = env
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}
