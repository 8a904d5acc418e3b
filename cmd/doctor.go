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
	"foretell/internal/humanize"
	"foretell/internal/term"
)

type doctorOptions struct {
	host    *factory
	service serviceFlags
	output  output
	files   bool
}

func newDoctorCmd(f *factory) *cobra.Command {
	opts := &doctorOptions{host: f, service: serviceFlags{idle: true}}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the setup and the connection",
		Long: `Checks the version, the config file, the data folder and its disk, the proxy, the
service and its clock, the sign-in, the keyring and the terminal. Each check prints
a line: ok, warn or fail. The exit status is that of the first failure.

--files reads every stored file of the data folder and compares it with its stored
SHA-256. The folder is that of the embedded service, or of ` + "`foretell serve`" + ` if
--data-dir names its folder.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.service.bind(cmd, f)
	opts.output.bindList(cmd, f, resultType[checkResult]())
	cmd.Flags().BoolVar(&opts.files, "files", false, "read every stored file of the data folder and verify its SHA-256")
	opts.output.noTruncate = true // a path that is cut helps nobody
	return cmd
}

func (o *doctorOptions) run(ctx context.Context) error {
	checkups := o.runChecks(ctx)
	if err := printList(&o.output, checkups, "check", "verdict", "message"); err != nil {
		return err
	}
	failed := 0
	var first *checkResult
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
	e := *first.err
	e.fact = fmt.Sprintf("%s of %d failed, first %s: %s", humanize.Count(failed, "check"), len(checkups), first.Check, e.fact)
	return &e
}

// The verdicts of a check.
const (
	verdictOK   = "ok"
	verdictWarn = "warn"
	verdictFail = "fail"
)

// checkResult is one line of doctor.
type checkResult struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// err is the error that a command would return; nil unless the verdict is fail.
	err *cliError
}

func checkOK(check, format string, args ...any) checkResult {
	return checkResult{Check: check, Verdict: verdictOK, Message: fmt.Sprintf(format, args...)}
}

func checkWarn(check, hint, format string, args ...any) checkResult {
	return checkResult{Check: check, Verdict: verdictWarn, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func checkFail(ctx context.Context, check string, err error) checkResult {
	e := asCLIError(ctx, err)
	return checkResult{Check: check, Verdict: verdictFail, Message: e.fact, Hint: e.hint, err: e}
}

// runChecks runs all checks, except those that depend on a failed one.
func (o *doctorOptions) runChecks(ctx context.Context) []checkResult {
	b := currentBuild()
	checkups := []checkResult{checkOK("version", "foretell %s, %s, %s", b.Version, b.Go, b.Platform)}
	config, s := o.checkConfig(ctx)
	checkups = append(checkups, config)
	if s != nil {
		server := s.GetString(keyServer)
		if o.service.local {
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

func (o *doctorOptions) checkConfig(ctx context.Context) (checkResult, *settings) {
	const name = "config"
	path, err := o.host.configFile()
	if err != nil {
		return checkFail(ctx, name, err), nil
	}
	s, err := o.host.settings(o.service.cmd.Flags())
	if err != nil {
		return checkFail(ctx, name, err), nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return checkOK(name, "%s does not exist: built-in settings are used", path), s
	case err != nil:
		return checkFail(ctx, name, err), nil
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return checkWarn(name, "restrict it with `chmod 600 "+shellQuote(path)+"`", "%s is readable by others", path), s
	}
	return checkOK(name, "%s, profile %s", path, s.profile), s
}

// checkData checks that the data folder is writable or can be created.
func (o *doctorOptions) checkData(ctx context.Context, s *settings) checkResult {
	const name = "data"
	dir, err := o.host.dataDir(s)
	if err != nil {
		return checkFail(ctx, name, err)
	}
	there := nearestExisting(dir)
	probe, err := os.CreateTemp(there, ".foretell-probe-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	switch {
	case err != nil:
		return checkFail(ctx, name, dataDirError(dir, err))
	case there != dir:
		return checkOK(name, "%s does not exist, and can be created", dir)
	}
	return checkOK(name, "%s is writable", dir)
}

// nearestExisting returns the folder, or its nearest existing parent.
func nearestExisting(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// Less free space, in bytes or percent of the disk, is a warning.
const (
	lowSpace   = 1 << 30
	lowPercent = 5
)

// checkDisk checks the free space of the data folder's disk.
func (o *doctorOptions) checkDisk(ctx context.Context, s *settings) checkResult {
	const name = "disk"
	dir, err := o.host.dataDir(s)
	if err != nil {
		return checkFail(ctx, name, err)
	}
	free, total, err := blob.Space(nearestExisting(dir))
	if err != nil {
		return checkFail(ctx, name, err)
	}
	message := fmt.Sprintf("%s free of %s", term.Bytes(int64(free)), term.Bytes(int64(total)))
	const remedy = "`foretell prune --dry-run` lists what can be deleted"
	switch {
	case free == 0:
		return checkFail(ctx, name, fmt.Errorf("%s: %w", dir, syscall.ENOSPC))
	case free < lowSpace || free < total/100*lowPercent:
		return checkWarn(name, remedy, "%s", message)
	}
	return checkOK(name, "%s", message)
}

func checkProxy(ctx context.Context, server string) checkResult {
	const name = "proxy"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server, nil)
	if err != nil {
		return checkFail(ctx, name, usageErrorf("invalid address %s: %w", server, err))
	}
	proxy, err := http.ProxyFromEnvironment(req)
	switch {
	case err != nil:
		return checkFail(ctx, name, usageErrorf("invalid proxy address: %w", err).withHint("fix HTTPS_PROXY or HTTP_PROXY"))
	case proxy == nil:
		return checkOK(name, "no proxy for %s", server)
	}
	return checkOK(name, "%s for %s", proxy.Redacted(), server)
}

// A larger difference between the clocks is a warning, or breaks tokens and signed URLs.
const (
	warnSkew = 30 * time.Second
	maxSkew  = 10 * time.Minute
)

// checkServer sends a request without signing in: any response of the API, even an error,
// shows that the service is reachable.
func (o *doctorOptions) checkServer(ctx context.Context, server string) []checkResult {
	var seen client.RoundTrip
	c, err := newClient(client.Options{
		BaseURL: server, UserAgent: userAgent(), Now: o.host.now, Attempts: 1,
		Wrap: func(next http.RoundTripper) http.RoundTripper {
			return client.Observe(next, o.host.now, func(e client.RoundTrip) { seen = e })
		},
	})
	if err != nil {
		return []checkResult{checkFail(ctx, "server", err)}
	}
	_, err = client.Call(ctx, c, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}})
	var network *client.NetworkError
	if errors.As(err, &network) || seen.Status == 0 || seen.Status >= 500 {
		return []checkResult{checkFail(ctx, "server", err)}
	}
	return []checkResult{
		checkOK("server", "%s responds in %d ms", c.BaseURL(), seen.Elapsed.Milliseconds()),
		o.checkClock(seen.Header.Get("Date")),
	}
}

func (o *doctorOptions) checkClock(date string) checkResult {
	const name = "clock"
	there, err := http.ParseTime(date)
	if err != nil {
		return checkWarn(name, "", "the service sends no Date header")
	}
	skew := o.host.now().Sub(there).Abs()
	switch {
	case skew > maxSkew:
		e := exitErrorf(ExitUnavailable, "this machine's clock differs from the service's by %s", skew.Round(time.Second))
		e = e.withHint("set the clock: tokens and signed URLs depend on it")
		return checkResult{Check: name, Verdict: verdictFail, Message: e.fact, Hint: e.hint, err: e}
	case skew > warnSkew:
		return checkWarn(name, "set the clock: tokens and signed URLs depend on it", "differs from the service's by %s", skew.Round(time.Second))
	}
	return checkOK(name, "within %s of the service's", warnSkew)
}

// checkSignIn signs in as every command does.
func (o *doctorOptions) checkSignIn(ctx context.Context, s *settings) checkResult {
	const name = "sign-in"
	session, err := o.service.connect(ctx)
	if err != nil {
		return checkFail(ctx, name, err)
	}
	defer session.Close()
	in := &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}}
	if _, err := client.Call(ctx, session.Client, api.ListDatasets, in); err != nil {
		return checkFail(ctx, name, err)
	}
	if session.embedded {
		return checkOK(name, "not needed: the embedded service")
	}
	return checkOK(name, "as %s, with %s", session.account, o.host.credentialOrigin(s))
}

// checkKeyring tests the keyring. It is not required if credentials are stored elsewhere.
func checkKeyring(ctx context.Context, s *settings) checkResult {
	const name = "keyring"
	err := newKeyringStore().probe()
	switch {
	case err == nil:
		return checkOK(name, "available")
	case s.GetString(keyStorage) == storageKeyring:
		return checkFail(ctx, name, exitErrorf(ExitSignIn, "%w", err).withHint("unlock it, set %s, or sign in with `foretell login --storage file`", envToken))
	}
	return checkWarn(name, "without one, `foretell login` needs --storage file, or "+envToken, "%v", err)
}

func (o *doctorOptions) checkTerminal() checkResult {
	const name = "terminal"
	c := o.host.console
	if !c.OutTerminal && !c.ErrTerminal {
		return checkOK(name, "none: output goes to a pipe or a file")
	}
	locale := ""
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = o.host.env(variable)
		}
	}
	message := fmt.Sprintf("%d columns, TERM=%s", c.ErrWidth(), o.host.env("TERM"))
	if !c.Redraw {
		message += ", no redrawing"
	}
	if runtime.GOOS != "windows" && !strings.Contains(strings.ToUpper(strings.ReplaceAll(locale, "-", "")), "UTF8") {
		return checkWarn(name, "set LANG to a UTF-8 locale, such as C.UTF-8, or curves may look broken", "%s, no UTF-8", message)
	}
	return checkOK(name, "%s", message)
}
