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
	host    *factory
	service serviceFlags
	output  output
	files   bool
}

func newDoctorCmd(f *factory) *cobra.Command {
	opts := &doctorOptions{host: f, service: serviceFlags{idle: true}}
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
	opts.service.bind(cmd, f)
	opts.output.bindList(cmd, f, resultType[checkResult]())
	cmd.Flags().BoolVar(&opts.files, "files", false, "read all stored files of the data folder and compare their sums")
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
	e.fact = fmt.Sprintf("%s of %d failed, first %s: %s", plural(failed, "check"), len(checkups), first.Check, e.fact)
	return &e
}

// The verdicts of a checkup.
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
	// err is what a command would end with; nil unless the verdict is fail.
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

// runChecks makes all checks. What cannot be known after a failure is left out.
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
		return checkOK(name, "%s is not there: built-in settings", path), s
	case err != nil:
		return checkFail(ctx, name, err), nil
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return checkWarn(name, "keep it to yourself with `chmod 600 "+shellQuote(path)+"`", "%s may be read by others", path), s
	}
	return checkOK(name, "%s, profile %s", path, s.profile), s
}

// checkData tries to write where the embedded service keeps its data, or where
// its folder would be made.
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
		return checkOK(name, "%s is not there, and can be made", dir)
	}
	return checkOK(name, "%s can be written", dir)
}

// nearestExisting returns the folder, or the nearest one above it that is there.
func nearestExisting(dir string) string {
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
	const remedy = "see with `foretell prune --dry-run` what can be deleted"
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
		return checkFail(ctx, name, usageErrorf("%s is no address: %w", server, err))
	}
	proxy, err := http.ProxyFromEnvironment(req)
	switch {
	case err != nil:
		return checkFail(ctx, name, usageErrorf("the proxy's address cannot be used: %w", err).withHint("mend HTTPS_PROXY or HTTP_PROXY"))
	case proxy == nil:
		return checkOK(name, "none on the way to %s", server)
	}
	return checkOK(name, "%s on the way to %s", proxy.Redacted(), server)
}

// A clock that is further off is worth a warning, or keeps tokens and signed
// addresses from working.
const (
	warnSkew = 30 * time.Second
	maxSkew  = 10 * time.Minute
)

// checkServer asks the service without signing in: every answer of its API, a
// refusal too, shows that it is there.
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
		checkOK("server", "%s answers in %d ms", c.BaseURL(), seen.Elapsed.Milliseconds()),
		o.checkClock(seen.Header.Get("Date")),
	}
}

func (o *doctorOptions) checkClock(date string) checkResult {
	const name = "clock"
	there, err := http.ParseTime(date)
	if err != nil {
		return checkWarn(name, "", "the service does not tell its time")
	}
	skew := o.host.now().Sub(there).Abs()
	switch {
	case skew > maxSkew:
		e := exitErrorf(ExitUnavailable, "this machine's clock and the service's are %s apart", skew.Round(time.Second))
		e = e.withHint("set the clock: tokens and addresses expire by it")
		return checkResult{Check: name, Verdict: verdictFail, Message: e.fact, Hint: e.hint, err: e}
	case skew > warnSkew:
		return checkWarn(name, "set the clock: tokens and addresses expire by it", "%s from the service's", skew.Round(time.Second))
	}
	return checkOK(name, "within %s of the service's", warnSkew)
}

// checkSignIn does what every command does first.
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
		return checkOK(name, "none needed: the embedded service")
	}
	return checkOK(name, "as %s, by %s", session.account, o.host.credentialOrigin(s))
}

// checkKeyring tries the keyring. Whoever keeps credentials elsewhere does not
// need one.
func checkKeyring(ctx context.Context, s *settings) checkResult {
	const name = "keyring"
	err := newKeyringStore().probe()
	switch {
	case err == nil:
		return checkOK(name, "can be used")
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
		message += ", nothing is redrawn"
	}
	if runtime.GOOS != "windows" && !strings.Contains(strings.ToUpper(strings.ReplaceAll(locale, "-", "")), "UTF8") {
		return checkWarn(name, "set LANG to a UTF-8 locale, such as C.UTF-8, or curves may look broken", "%s, no UTF-8", message)
	}
	return checkOK(name, "%s", message)
}
