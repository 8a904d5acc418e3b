package cmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"foretell/internal/client"
	"foretell/internal/term"
)

// The environment variables of ours. Every reading goes through host.env.
const (
	envServer       = "FORETELL_SERVER"
	envProfile      = "FORETELL_PROFILE"
	envUsername     = "FORETELL_USERNAME"
	envPassword     = "FORETELL_PASSWORD"
	envPasswordFile = "FORETELL_PASSWORD_FILE"
	envToken        = "FORETELL_TOKEN"
	envStorage      = "FORETELL_AUTH_STORAGE"
	envConfigDir    = "FORETELL_CONFIG_DIR"
	envDataDir      = "FORETELL_DATA_DIR"
	envNoInput      = "FORETELL_NO_INPUT"
	envProgress     = "FORETELL_PROGRESS"
	envTimeout      = "FORETELL_TIMEOUT"
	envDebug        = "FORETELL_DEBUG"
	envPager        = "FORETELL_PAGER"
)

// variable is one environment variable that is read, and with it the setting of
// the same meaning.
type variable struct {
	name    string
	meaning string
	// key is the setting that it sets: the name of a flag, and of a value in a
	// profile of the config file; "" where the variable is read by itself, since
	// it is a secret or needed before the settings.
	key string
	// values are all that the setting may be; nil where check decides.
	values []string
	// check refuses a value; nil takes any.
	check func(value string) error
	// builtin is the value where nothing says otherwise.
	builtin string
	// bareValue is what the flag without a value means; "" where it needs one.
	bareValue string
	// secret values are never shown.
	secret bool
}

// variables is the one table of what is read from the environment: settings
// are bound by it, `config` checks and lists by it, `help environment` and
// docs/cli.md print it.
var variables = []variable{
	{name: envServer, meaning: "address of the service; empty uses the embedded one", key: keyServer, check: checkServer},
	{name: envProfile, meaning: "profile of the config file to use"},
	{name: envUsername, meaning: "e-mail to sign in with", key: keyUsername},
	{name: envPassword, meaning: "password to sign in with; never stored", secret: true},
	{name: envPasswordFile, meaning: "file that holds the password"},
	{name: envToken, meaning: "bearer token to use as it is", secret: true},
	{name: envStorage, meaning: "where credentials are kept: keyring, file or none", key: keyStorage, values: []string{storageKeyring, storageFile, storageNone}},
	{name: envConfigDir, meaning: "folder of config.yaml"},
	{name: envDataDir, meaning: "folder of the embedded service", key: keyDataDir},
	{name: envNoInput, meaning: "1 never asks", key: keyNoInput, check: checkSwitch, builtin: "false", bareValue: "true"},
	{name: envProgress, meaning: "auto, bar, plain, json or none", key: keyProgress, values: term.Modes(), builtin: string(term.Auto)},
	{name: envTimeout, meaning: "how long to wait for jobs, such as 30m", key: keyTimeout, check: checkDuration, builtin: "0s"},
	{name: envDebug, meaning: "1 traces the requests to standard error, a path to that file; secrets are cut out", key: keyDebug, bareValue: "true"},
	{name: envPager, meaning: "command that shows lists longer than the terminal; cat for none (default PAGER's)", key: keyPager},
	{name: "PAGER", meaning: "the same for all programs"},
	{name: "NO_COLOR", meaning: "not empty: no colour"},
	{name: "CLICOLOR_FORCE", meaning: "not 0: colour in pipes, too"},
	{name: "TERM", meaning: "dumb: nothing is redrawn"},
	{name: "LC_ALL, LC_CTYPE, LANG", meaning: "not UTF-8: histograms are drawn in ASCII"},
	{name: "COLUMNS", meaning: "width to fit tables to"},
	{name: "CI", meaning: "not empty: nothing is redrawn, no pager"},
	{name: envGitHub, meaning: "true: missed requirements are annotated on standard error"},
	{name: envGitHubSummary, meaning: "file that a table of the requirements is added to"},
	{name: envGitLab, meaning: "true: missed requirements are a section of the log"},
	{name: "BROWSER", meaning: "command that `foretell open` shows pages with"},
	{name: "XDG_CONFIG_HOME", meaning: "parent of the config folder"},
	{name: "XDG_DATA_HOME", meaning: "parent of the data folder"},
	{name: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY", meaning: "the proxy on the way to the service"},
	{name: "SSL_CERT_FILE, SSL_CERT_DIR", meaning: "certificate authorities to trust"},
}

// findSetting finds the variable whose setting has the key.
func findSetting(key string) (variable, bool) {
	i := slices.IndexFunc(variables, func(v variable) bool { return v.key == key && key != "" })
	if i < 0 {
		return variable{}, false
	}
	return variables[i], true
}

// validate tells what is wrong with a value of the setting; nil if nothing is.
func (v variable) validate(value string) error {
	switch {
	case value == "":
		return usageErrorf("%s may not be empty", v.key).withHint("take it away with `foretell config unset %s`", v.key)
	case v.values != nil && !slices.Contains(v.values, value):
		return usageErrorf("%s %q: %s", v.key, value, strings.Join(v.values, ", "))
	case v.check != nil:
		return v.check(value)
	}
	return nil
}

func checkServer(value string) error {
	_, err := newClient(client.Options{BaseURL: value})
	return err
}

func checkSwitch(value string) error {
	if _, err := strconv.ParseBool(value); err != nil {
		return usageErrorf("%s %q: true or false", keyNoInput, value)
	}
	return nil
}

func checkDuration(value string) error {
	if d, err := time.ParseDuration(value); err != nil || d < 0 {
		return usageErrorf("%s %q: a duration such as 90s, 30m or 2h", keyTimeout, value)
	}
	return nil
}

// environmentText is the page of `help environment`.
func environmentText() string {
	var b strings.Builder
	b.WriteString("A flag is stronger than a variable, a variable stronger than the profile in the config file.\n\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "  %-34s %s\n", v.name, v.meaning)
	}
	b.WriteString("\nSettings of a profile, for `foretell config`:\n\n")
	for _, v := range variables {
		if v.key != "" {
			fmt.Fprintf(&b, "  %-34s as %s\n", v.key, v.name)
		}
	}
	fmt.Fprintf(&b, "  %-34s %s\n", keyPaths+".OPERATION", "where this service has an operation, such as listTrainings")
	return b.String()
}
