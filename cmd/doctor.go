package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/client"
	"foretell/internal/term"
)

type doctorOptions struct {
	host      *host
	connector connector
	output    output
	files     bool
}

func newDoctorCmd(h *host) *cobra.Command {
	opts := &doctorOptions{host: h, connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check all that commands depend on",
		Long: `Checks the version, the config file, the data folder and its disk, the proxy, the
service and its clock, the sign-in, the keyring and the terminal. Each is a line:
ok, warn or fail. The exit status is that of the first failure.

--files reads every stored file of the data folder and compares it with its stored
SHA-256. The folder is that of the embedded service, or of ` + "`foretell serve`" + ` if
--data-dir names its folder.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindList(cmd, h, prints[checkup]())
	cmd.Flags().BoolVar(&opts.files, "files", false, "read all stored files of the data folder and compare their sums")
	opts.output.whole = true // a path that is cut helps nobody
	return cmd
}

func (o *doctorOptions) run(ctx context.Context) error {
	checkups := o.examine(ctx)
	if err := list(&o.output, checkups, "check", "verdict", "message"); err != nil {
		return err
	}
	failed := 0
	var first *checkup
	for i := range checkups {
		c := &checkups[i]
		if c.Verdict == verdictFail {
			failed++
			if first == nil {
				first = c
			}
		} else if c.Verdict == verdictWarn && c.Hint != "" && !o.output.json {
			o.output.note("%s: %s", c.Check, c.Hint)
		}
	}
	if first == nil {
		return nil
	}
	f := *first.failure
	f.fact = fmt.Sprintf("%s of %d failed, first %s: %s", plural(failed, "check"), len(checkups), first.Check, f.fact)
	return &f
}

// The verdicts of a checkup.
const (
	verdictOK   = "ok"
	verdictWarn = "warn"
	verdictFail = "fail"
)

// checkup is one line of doctor.
type checkup struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// failure is what a command would end with; nil unless the verdict is fail.
	failure *failure
}

func healthy(check, format string, args ...any) checkup {
	return checkup{Check: check, Verdict: verdictOK, Message: fmt.Sprintf(format, args...)}
}

func doubtful(check, hint, format string, args ...any) checkup {
	return checkup{Check: check, Verdict: verdictWarn, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func ill(ctx context.Context, check string, err error) checkup {
	f := explain(ctx, err)
	return checkup{Check: check, Verdict: verdictFail, Message: f.fact, Hint: f.hint, failure: f}
}

// examine makes all checks. What cannot be known after a failure is left out.
func (o *doctorOptions) examine(ctx context.Context) []checkup {
	b := currentBuild()
	checkups := []checkup{healthy("version", "foretell %s, %s, %s", b.Version, b.Go, b.Platform)}
	config, s := o.checkConfig(ctx)
	checkups = append(checkups, config)
	if s != nil {
		server := s.GetString(keyServer)
		if o.connector.local {
			server = ""
		}
		checkups = append(checkups, o.checkData(ctx, s), o.checkDisk(ctx, s))
		if server == "" || o.files {
			if c, known := o.checkFiles(ctx, s); known {
				checkups = append(checkups, c)
			}
		}
		if server != "" {
			checkups = append(checkups, checkProxy(ctx, server))
			checkups = append(checkups, o.checkServer(ctx, server)...)
		}
		checkups = append(checkups, o.checkSignIn(ctx, s), checkKeyring(ctx, s))
	}
	return append(checkups, o.checkTerminal())
}

func (o *doctorOptions) checkConfig(ctx context.Context) (checkup, *settings) {
	const name = "config"
	path, err := o.host.configFile()
	if err != nil {
		return ill(ctx, name, err), nil
	}
	s, err := o.host.settings(o.connector.cmd.Flags())
	if err != nil {
		return ill(ctx, name, err), nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return healthy(name, "%s is not there: built-in settings", path), s
	case err != nil:
		return ill(ctx, name, err), nil
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return doubtful(name, "keep it to yourself with `chmod 600 "+quote(path)+"`", "%s may be read by others", path), s
	}
	return healthy(name, "%s, profile %s", path, s.profile), s
}

// checkData tries to write where the embedded service keeps its data, or where
// its folder would be made.
func (o *doctorOptions) checkData(ctx context.Context, s *settings) checkup {
	const name = "data"
	dir, err := o.host.dataDir(s)
	if err != nil {
		return ill(ctx, name, err)
	}
	there := existing(dir)
	probe, err := os.CreateTemp(there, ".foretell-probe-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	switch {
	case err != nil:
		return ill(ctx, name, unusable(dir, err))
	case there != dir:
		return healthy(name, "%s is not there, and can be made", dir)
	}
	return healthy(name, "%s can be written", dir)
}

// existing returns the folder, or the nearest one above it that is there.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// Less free space than this, in bytes or hundredths of the disk, is worth a
// warning.
const (
	lowSpace   = 1 << 30
	lowPercent = 5
)

// checkDisk looks for space where the embedded service keeps its data.
func (o *doctorOptions) checkDisk(ctx context.Context, s *settings) checkup {
	const name = "disk"
	dir, err := o.host.dataDir(s)
	if err != nil {
		return ill(ctx, name, err)
	}
	free, total, err := blob.Space(existing(dir))
	if err != nil {
		return ill(ctx, name, err)
	}
	message := fmt.Sprintf("%s free of %s", term.Bytes(int64(free)), term.Bytes(int64(total)))
	const remedy = "see with `foretell prune --dry-run` what can be deleted"
	switch {
	case free == 0:
		return ill(ctx, name, fmt.Errorf("%s: %w", dir, syscall.ENOSPC))
	case free < lowSpace || free < total/100*lowPercent:
		return doubtful(name, remedy, "%s", message)
	}
	return healthy(name, "%s", message)
}

func checkProxy(ctx context.Context, server string) checkup {
	const name = "proxy"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server, nil)
	if err != nil {
		return ill(ctx, name, usage("%s is no address: %w", server, err))
	}
	proxy, err := http.ProxyFromEnvironment(req)
	switch {
	case err != nil:
		return ill(ctx, name, usage("the proxy's address cannot be used: %w", err).advise("mend HTTPS_PROXY or HTTP_PROXY"))
	case proxy == nil:
		return healthy(name, "none on the way to %s", server)
	}
	return healthy(name, "%s on the way to %s", proxy.Redacted(), server)
}

// A clock that is further off is worth a warning, or keeps tokens and signed
// addresses from working.
const (
	skewWorthTelling = 30 * time.Second
	skewTooLarge     = 10 * time.Minute
)

// checkServer asks the service without signing in: every answer of its API, a
// refusal too, shows that it is there.
func (o *doctorOptions) checkServer(ctx context.Context, server string) []checkup {
	var seen client.Exchange
	c, err := newClient(client.Options{
		BaseURL: server, UserAgent: userAgent(), Now: o.host.now, Attempts: 1,
		Wrap: func(next http.RoundTripper) http.RoundTripper {
			return client.Observe(next, o.host.now, func(e client.Exchange) { seen = e })
		},
	})
	if err != nil {
		return []checkup{ill(ctx, "server", err)}
	}
	_, err = client.Call(ctx, c, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}})
	var network *client.NetworkError
	if errors.As(err, &network) || seen.Status == 0 || seen.Status >= 500 {
		return []checkup{ill(ctx, "server", err)}
	}
	return []checkup{
		healthy("server", "%s answers in %d ms", c.BaseURL(), seen.Elapsed.Milliseconds()),
		o.checkClock(seen.Header.Get("Date")),
	}
}

func (o *doctorOptions) checkClock(date string) checkup {
	const name = "clock"
	there, err := http.ParseTime(date)
	if err != nil {
		return doubtful(name, "", "the service does not tell its time")
	}
	skew := o.host.now().Sub(there).Abs()
	switch {
	case skew > skewTooLarge:
		f := fail(ExitUnavailable, "this machine's clock and the service's are %s apart", skew.Round(time.Second))
		f = f.advise("set the clock: tokens and addresses expire by it")
		return checkup{Check: name, Verdict: verdictFail, Message: f.fact, Hint: f.hint, failure: f}
	case skew > skewWorthTelling:
		return doubtful(name, "set the clock: tokens and addresses expire by it", "%s from the service's", skew.Round(time.Second))
	}
	return healthy(name, "within %s of the service's", skewWorthTelling)
}

// checkSignIn does what every command does first.
func (o *doctorOptions) checkSignIn(ctx context.Context, s *settings) checkup {
	const name = "sign-in"
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return ill(ctx, name, err)
	}
	defer conn.Close()
	in := &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}}
	if _, err := client.Call(ctx, conn.Client, api.ListDatasets, in); err != nil {
		return ill(ctx, name, err)
	}
	if conn.embedded {
		return healthy(name, "none needed: the embedded service")
	}
	return healthy(name, "as %s, by %s", conn.account, o.host.credentialsFrom(s))
}

// checkKeyring tries the keyring. Whoever keeps credentials elsewhere does not
// need one.
func checkKeyring(ctx context.Context, s *settings) checkup {
	const name = "keyring"
	err := newKeyringVault().probe()
	switch {
	case err == nil:
		return healthy(name, "can be used")
	case s.GetString(keyStorage) == storageKeyring:
		return ill(ctx, name, fail(ExitSignIn, "%w", err).advise("unlock it, set %s, or sign in with `foretell login --storage file`", envToken))
	}
	return doubtful(name, "without one, `foretell login` needs --storage file, or "+envToken, "%v", err)
}

func (o *doctorOptions) checkTerminal() checkup {
	const name = "terminal"
	c := o.host.console
	if !c.OutTerminal && !c.ErrTerminal {
		return healthy(name, "none: output goes to a pipe or a file")
	}
	locale := ""
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = o.host.env(variable)
		}
	}
	message := fmt.Sprintf("%d columns, TERM=%s", c.ErrWidth(), o.host.env("TERM"))
	if !c.Redraw {
		message += ", nothing is redrawn"
	}
	if runtime.GOOS != "windows" && !strings.Contains(strings.ToUpper(strings.ReplaceAll(locale, "-", "")), "UTF8") {
		return doubtful(name, "set LANG to a UTF-8 locale, such as C.UTF-8, or curves may look broken", "%s, no UTF-8", message)
	}
	return healthy(name, "%s", message)
}
