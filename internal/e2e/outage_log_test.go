//go:build unix

package e2e_test

import (
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"foretell/internal/testenv"
)

// outageTest is an outage of a service that foretell serve depends on.
type outageTest struct {
	flags []string // of the service
	// prepare is called before the outage. The function use sends a request that fails during it.
	prepare func(base string) (use func())
	setDown func(down bool)
	metric  string // 0 during the outage
	name    string // what the log calls the other service
}

// run checks that the log of a service has two lines about the outage, and no line for a request or
// poll that fails after the first of them.
func (o outageTest) run(t *testing.T) {
	t.Helper()
	serve := exec.Command("foretell", append([]string{"serve", "--listen", "127.0.0.1:0", "--log-level", "warn"}, o.flags...)...)
	defer time.AfterFunc(3*time.Minute, func() { _ = serve.Process.Kill() }).Stop()
	stop := func() { _ = serve.Process.Signal(syscall.SIGTERM) }
	_, messages, err := follow(t, serve, func(line string) {
		if strings.Contains(line, o.name+" is available again") { // no probe has failed for five seconds
			stop()
			return
		}
		_, base, ok := strings.Cut(line, "listening on ")
		if !ok {
			return
		}
		defer func() {
			if t.Failed() {
				stop()
			}
		}()
		use := o.prepare(base)
		o.awaitMetric(t, base, "1")
		o.setDown(true)
		use()
		o.awaitMetric(t, base, "0")
		for range 5 {
			use()
		}
		o.setDown(false)
		o.awaitMetric(t, base, "1")
	})
	if err != nil {
		t.Error(err)
	}
	want := regexp.MustCompile(`^ error=.*\n` +
		`time=\S+ level=WARN msg="` + o.name + ` is available again" outage=\S+s\n$`)
	var log strings.Builder
	for line := range strings.Lines(messages) {
		if strings.HasPrefix(line, "time=") && !strings.Contains(line, " msg=audit ") { // the audit log is written at every level
			log.WriteString(line)
		}
	}
	_, sinceOutage, _ := strings.Cut(log.String(), " level=WARN msg=\""+o.name+" is unavailable\"")
	if !want.MatchString(sinceOutage) {
		t.Errorf("the log is\n%s", log.String())
	}
}

// awaitMetric waits until the metric has a value.
func (o outageTest) awaitMetric(t *testing.T, base, value string) {
	t.Helper()
	text := ""
	for range 300 {
		resp, err := http.Get(base + "/metrics") //nolint:noctx // it is answered at once
		if err != nil {
			t.Error(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if text = string(body); strings.Contains(text, "\n"+o.metric+" "+value+"\n") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%s does not become %s in\n%s", o.metric, value, text)
}

// TestLogOfDatabaseOutage interrupts the connections to PostgreSQL.
func TestLogOfDatabaseOutage(t *testing.T) {
	t.Parallel()
	relay, address := testenv.StartRelay(t, testenv.Postgres(t))
	outageTest{
		flags: []string{"--database", address, "--data-dir", t.TempDir()},
		prepare: func(base string) func() {
			return func() {
				for _, path := range []string{"/readyz", "/api/v1/datasets?offset=0&limit=1"} {
					if resp := sendBody(t, http.MethodGet, base+path, "token", "", ""); resp.status != http.StatusServiceUnavailable {
						t.Errorf("%s: status %d", path, resp.status)
					}
				}
			}
		},
		setDown: func(down bool) {
			relay.SetMode(map[bool]testenv.RelayMode{true: testenv.Refusing, false: testenv.Forwarding}[down])
		},
		metric: "foretell_database_up", name: "the database",
	}.run(t)
}

// TestLogOfStorageOutage interrupts the connections to the S3 store while a client uploads a file
// again and again.
func TestLogOfStorageOutage(t *testing.T) {
	t.Parallel()
	proxy, dir := testenv.NewS3Proxy(t, testenv.S3(t)), t.TempDir()
	flags := []string{"--storage", proxy.Location.String(), "--data-dir", dir}
	outageTest{
		flags: flags,
		prepare: func(base string) func() {
			accountOn(t, base, flags...)
			created, token := createDataset(t, base)
			return func() {
				resp := sendCSV(t, created.DatasetUploadInfo.UploadURL, token, "id,size,kind\n1,1,a\n2,2,b\n")
				if resp.status != http.StatusServiceUnavailable {
					t.Errorf("status %d", resp.status)
				}
			}
		},
		setDown: proxy.SetDown, metric: "foretell_storage_up", name: "the storage of files",
	}.run(t)
}
