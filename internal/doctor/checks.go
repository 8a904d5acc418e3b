// Package doctor checks what commands depend on: the settings, the connection, the
// credentials, the terminal, and the data folder or the server. The doctor and prune
// commands use it.
package doctor

import (
	"cmp"
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

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/credential"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// Checker runs the checks.
type Checker struct {
	Factory     *cli.Factory
	Service     connect.ServiceFlags
	VerifyFiles bool // read all stored files and compare their contents with their SHA-256
}

// The values of Result.Verdict.
const (
	verdictOK   = "ok"
	VerdictWarn = "warn"
	verdictFail = "fail"
)

// Result is the result of one check: a line in the output of doctor.
type Result struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Err is the error with which the command ends if this is the first failed check. It is nil
	// unless Verdict is fail.
	Err *exit.Error `json:"-"`
}

// FirstFailure returns the error of the first failed check, and adds how many checks have
// failed. It returns nil if no check has failed.
func FirstFailure(results []Result) error {
	var first *Result
	failed := 0
	for i := range results {
		if results[i].Verdict == verdictFail {
			first, failed = cmp.Or(first, &results[i]), failed+1
		}
	}
	if first == nil {
		return nil
	}
	e := *first.Err
	e.Fact = fmt.Sprintf("%s of %d failed; the first is %s: %s", humanize.Count(failed, "check"), len(results), first.Check, e.Fact)
	return &e
}

func okResult(check, format string, args ...any) Result {
	return Result{Check: check, Verdict: verdictOK, Message: fmt.Sprintf(format, args...)}
}

func warnResult(check, hint, format string, args ...any) Result {
	return Result{Check: check, Verdict: VerdictWarn, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func failResult(ctx context.Context, check string, err error) Result {
	e := exit.FromError(ctx, err)
	return Result{Check: check, Verdict: verdictFail, Message: e.Fact, Hint: e.Hint, Err: e}
}

// Run runs all checks. If the configuration is invalid, it skips the checks that depend on the
// configuration.
func (o *Checker) Run(ctx context.Context) []Result {
	b := build.Current()
	results := []Result{okResult("version", "foretell %s, %s, %s", b.Version, b.Go, b.Platform)}
	if unknown := cli.UnknownEnvVars(o.Service.Cmd.Root(), o.Factory.Environ()); len(unknown) > 0 {
		results = append(results, warnResult("variables", "`foretell help environment` and `foretell serve --help` list the variables", "no command reads %s", strings.Join(unknown, ", ")))
	}
	configured, s := o.checkConfig(ctx)
	results = append(results, configured)
	if s != nil {
		server := o.serverAddress(s)
		located, usable := o.checkStorage(ctx, s)
		results = append(results, o.checkDataFolder(ctx, s), o.checkDisk(ctx, s, usable))
		results = append(results, located...)
		if usable && (server == "" || o.VerifyFiles) {
			if c, shown := o.checkFiles(ctx, s); shown {
				results = append(results, c)
			}
		}
		if server != "" {
			results = append(results, o.checkProxy(ctx, server))
			results = append(results, o.checkServer(ctx, server)...)
		}
		results = append(results, o.checkSignIn(ctx, s), checkKeyring(ctx, s))
	}
	return append(results, o.checkTerminal())
}

// serverAddress returns the address of the server that commands use, or "" if they run without a
// server.
func (o *Checker) serverAddress(s *config.Settings) string {
	if o.Service.WantsEmbedded() {
		return ""
	}
	return s.GetString(config.KeyServer)
}

func (o *Checker) checkConfig(ctx context.Context) (result Result, settings *config.Settings) {
	const name = "config"
	path, err := config.FilePath(o.Factory.Env)
	if err != nil {
		return failResult(ctx, name, err), nil
	}
	s, err := config.Load(o.Factory.Env, o.Service.Cmd.Flags())
	if err != nil {
		return failResult(ctx, name, err), nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return okResult(name, "%s does not exist; using the built-in settings", path), s
	case err != nil:
		return failResult(ctx, name, err), nil
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return warnResult(name, "restrict access to the file with `chmod 600 "+term.ShellQuote(path)+"`", "%s is readable by others", path), s
	}
	return okResult(name, "%s, profile %s", path, s.Profile), s
}

// checkDataFolder checks that the data folder is writable or can be created.
func (o *Checker) checkDataFolder(ctx context.Context, s *config.Settings) Result {
	const name = "data"
	dir, err := config.DataDir(o.Factory.Env, s)
	if err != nil {
		return failResult(ctx, name, err)
	}
	there := nearestExistingDir(dir)
	probe, err := os.CreateTemp(there, ".foretell-probe-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	switch {
	case err != nil:
		return failResult(ctx, name, connect.DataDirError(dir, err))
	case there != dir:
		return okResult(name, "%s does not exist, and can be created", dir)
	}
	return okResult(name, "%s is writable", dir)
}

// nearestExistingDir returns dir, or its nearest existing parent.
func nearestExistingDir(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// The check of the disk warns if less than lowFreeBytes or less than lowFreePercent is free.
const (
	lowFreeBytes   = 1 << 30
	lowFreePercent = 5
)

// The check of the clock warns if the clocks of this machine and of the service differ by more than
// warnSkew. It fails if they differ by more than maxSkew, because the service then rejects tokens and
// signed URLs.
const (
	warnSkew = 30 * time.Second
	maxSkew  = 10 * time.Minute
)

// checkDisk checks the free space of the data folder's disk. usable reports whether the data in the
// folder can be opened; the hint depends on it, see diskRemedy.
func (o *Checker) checkDisk(ctx context.Context, s *config.Settings, usable bool) Result {
	const name = "disk"
	dir, err := config.DataDir(o.Factory.Env, s)
	if err != nil {
		return failResult(ctx, name, err)
	}
	free, total, err := blob.DiskSpace(nearestExistingDir(dir))
	if err != nil {
		return failResult(ctx, name, err)
	}
	message := fmt.Sprintf("%s free of %s", term.FormatBytes(int64(free)), term.FormatBytes(int64(total)))
	switch {
	case free == 0:
		return failResult(ctx, name, fmt.Errorf("%s: %w", dir, syscall.ENOSPC))
	case free < lowFreeBytes || free < total/100*lowFreePercent:
		return warnResult(name, o.diskRemedy(ctx, dir, usable), "%s", message)
	}
	return okResult(name, "%s", message)
}

// diskRemedy returns the hint if the disk with the data folder dir is almost full. It normally
// suggests `foretell prune`, which deletes data of the account of the embedded service. If
// `foretell serve` has used the folder, the data belongs to other accounts and `foretell prune`
// would find nothing, so the hint suggests other remedies. usable reports whether the data in dir
// can be opened. If not, diskRemedy cannot find out who has used the folder, and suggests `foretell
// prune`.
func (o *Checker) diskRemedy(ctx context.Context, dir string, usable bool) string {
	const embedded = "`foretell prune --dry-run` lists what can be deleted"
	if !usable || o.Service.Cmd.Flags().Changed(config.KeyServer) || !connect.HasLocalData(o.Factory, o.Service.Cmd, dir) {
		return embedded
	}
	service, err := connect.OpenSelected(ctx, o.Factory, o.Service.Cmd, false)
	if err != nil {
		return embedded // another check reports the error
	}
	defer func() { _ = service.Close() }() // an error does no harm: nothing was written
	if served, err := service.App.HasBeenServed(ctx); err != nil || !served {
		return embedded
	}
	return "the folder belongs to a service: delete old data with the flags --keep-... of `foretell serve`, limit accounts with `foretell users quota`, or enlarge the disk"
}

func (o *Checker) checkProxy(ctx context.Context, server string) Result {
	const name = "proxy"
	if variable := config.InvalidProxy(o.Factory.Env, server); variable != "" {
		return failResult(ctx, name, exit.Usagef("%s is not the address of a proxy, so requests are sent without a proxy", variable).WithHint("set it to an address such as http://proxy.example.com:3128, or unset it"))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server, nil)
	if err != nil {
		return failResult(ctx, name, exit.Usagef("invalid address %s: %w", server, err))
	}
	proxy, err := http.ProxyFromEnvironment(req)
	switch {
	case err != nil:
		return failResult(ctx, name, exit.Usagef("invalid proxy address: %w", err).WithHint("fix HTTPS_PROXY or HTTP_PROXY"))
	case proxy == nil:
		return okResult(name, "no proxy is set for %s", server)
	}
	return okResult(name, "%s for %s", proxy.Redacted(), server)
}

// checkServer sends a request without a token, and checks the clock of the service. The service is
// reachable if it responds with a status below 500, even if the response is an error.
func (o *Checker) checkServer(ctx context.Context, server string) []Result {
	var seen client.RoundTrip
	c, err := config.NewClient(client.Options{
		BaseURL: server, UserAgent: build.UserAgent(), CertificateFile: o.Factory.Env(config.EnvCertificateFile), Now: o.Factory.Now, Attempts: 1,
		Wrap: func(next http.RoundTripper) http.RoundTripper {
			return client.Observe(next, o.Factory.Now, func(e client.RoundTrip) { seen = e })
		},
	})
	if err != nil {
		return []Result{failResult(ctx, "server", err)}
	}
	_, err = client.Call(ctx, c, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}})
	var network *client.NetworkError
	if errors.As(err, &network) || seen.Status == 0 || seen.Status >= 500 {
		return []Result{failResult(ctx, "server", err)}
	}
	return []Result{
		okResult("server", "%s responds in %d ms", c.BaseURL(), seen.Elapsed.Milliseconds()),
		o.checkClock(seen.Header.Get("Date")),
	}
}

func (o *Checker) checkClock(date string) Result {
	const name = "clock"
	there, err := http.ParseTime(date)
	if err != nil {
		return warnResult(name, "", "the service sends no Date header")
	}
	skew := o.Factory.Now().Sub(there).Abs()
	switch {
	case skew > maxSkew:
		e := exit.Errorf(exit.Unavailable, "the clocks of this machine and of the service differ by %s", skew.Round(time.Second))
		e = e.WithHint("set the clock: tokens and signed URLs depend on it")
		return Result{Check: name, Verdict: verdictFail, Message: e.Fact, Hint: e.Hint, Err: e}
	case skew > warnSkew:
		return warnResult(name, "set the clock: tokens and signed URLs depend on it", "differs by %s from the clock of the service", skew.Round(time.Second))
	}
	return okResult(name, "differs by less than %s from the clock of the service", warnSkew)
}

// checkSignIn logs in with the credentials that every command uses, and lists a dataset.
func (o *Checker) checkSignIn(ctx context.Context, s *config.Settings) Result {
	const name = "sign-in"
	if o.serverAddress(s) == "" { // a session without a server would create a database and an account
		return okResult(name, "not needed for the embedded service")
	}
	session, err := o.Service.Connect(ctx)
	if err != nil {
		return failResult(ctx, name, err)
	}
	defer session.Close()
	in := &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}}
	if _, err := client.Call(ctx, session.Client, api.ListDatasets, in); err != nil {
		return failResult(ctx, name, err)
	}
	return okResult(name, "as %s, with %s", session.Account, credential.TokenOrigin(o.Factory.Env, s))
}

// checkKeyring checks that the keyring is available. If it is not, the check fails if the settings
// store credentials in the keyring, and otherwise only warns.
func checkKeyring(ctx context.Context, s *config.Settings) Result {
	const name = "keyring"
	err := credential.NewKeyringStore().Probe()
	switch {
	case err == nil:
		return okResult(name, "available")
	case s.GetString(config.KeyAuthStorage) == config.AuthStorageKeyring:
		return failResult(ctx, name, exit.Errorf(exit.SignIn, "%w", err).WithHint("start or unlock the keyring, set the variable %s, or log in with `foretell login --storage file`", config.EnvToken))
	}
	return warnResult(name, "without a keyring, log in with `foretell login --storage file`, or set the variable "+config.EnvToken, "%v", err)
}

func (o *Checker) checkTerminal() Result {
	const name = "terminal"
	c := o.Factory.Console
	if !c.OutTerminal && !c.ErrTerminal {
		return okResult(name, "none: output goes to a pipe or a file")
	}
	locale := ""
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = o.Factory.Env(variable)
		}
	}
	message := fmt.Sprintf("%d columns, TERM=%s", c.ErrWidth(), o.Factory.Env("TERM"))
	if !c.Redraw {
		message += ", no redrawing"
	}
	if runtime.GOOS != "windows" && !strings.Contains(strings.ToUpper(strings.ReplaceAll(locale, "-", "")), "UTF8") {
		return warnResult(name, "set LANG to a UTF-8 locale such as C.UTF-8; otherwise curves may look broken", "%s, no UTF-8", message)
	}
	return okResult(name, "%s", message)
}
