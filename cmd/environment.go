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

// The environment variables of foretell. They are only read through factory.env.
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

// variable is an environment variable and its setting.
type variable struct {
	name    string
	meaning string
	// key is the name of the setting, which is also a flag and a value in a profile. It
	// is "" for a secret and for variables that are read before the settings.
	key string
	// values are the valid values; nil if check decides.
	values []string
	// check returns an error for an invalid value; nil accepts any.
	check func(value string) error
	// builtin is the default.
	builtin string
	// bareValue is the value of the flag without a value; "" if a value is required.
	bareValue string
	// secret is set if the value must not be shown.
	secret bool
}

// variables lists all environment variables. Settings are bound by it, `config` checks
// and lists by it, and `help environment` and docs/cli.md print it.
var variables = []variable{
	{name: envServer, meaning: "address of the service; empty uses the embedded one", key: keyServer, check: checkServer},
	{name: envProfile, meaning: "profile of the config file to use"},
	{name: envUsername, meaning: "e-mail to sign in with", key: keyUsername},
	{name: envPassword, meaning: "password to sign in with; never stored", secret: true},
	{name: envPasswordFile, meaning: "file that holds the password"},
	{name: envToken, meaning: "bearer token to use", secret: true},
	{name: envStorage, meaning: "where credentials are stored: keyring, file or none", key: keyStorage, values: []string{storageKeyring, storageFile, storageNone}},
	{name: envConfigDir, meaning: "folder of config.yaml"},
	{name: envDataDir, meaning: "folder of the embedded service", key: keyDataDir},
	{name: envNoInput, meaning: "1 disables prompts", key: keyNoInput, check: checkSwitch, builtin: "false", bareValue: "true"},
	{name: envProgress, meaning: "auto, bar, plain, json or none", key: keyProgress, values: term.Modes(), builtin: string(term.Auto)},
	{name: envTimeout, meaning: "how long to wait for jobs, such as 30m", key: keyTimeout, check: checkDuration, builtin: "0s"},
	{name: envDebug, meaning: "1 traces requests to standard error, a path to that file; without secrets", key: keyDebug, bareValue: "true"},
	{name: envPager, meaning: "pager for lists longer than the terminal; cat for none (default PAGER)", key: keyPager},
	{name: "PAGER", meaning: "the same for all programs"},
	{name: "NO_COLOR", meaning: "if set, no colour"},
	{name: "CLICOLOR_FORCE", meaning: "if set and not 0, colour in pipes too"},
	{name: "TERM", meaning: "dumb: no redrawing"},
	{name: "LC_ALL, LC_CTYPE, LANG", meaning: "if not UTF-8, histograms are drawn in ASCII"},
	{name: "COLUMNS", meaning: "width of the terminal"},
	{name: "CI", meaning: "if set, no redrawing and no pager"},
	{name: envGitHub, meaning: "true annotates missed requirements on standard error"},
	{name: envGitHubSummary, meaning: "file to append a table of the requirements to"},
	{name: envGitLab, meaning: "true puts missed requirements into a section of the log"},
	{name: "BROWSER", meaning: "browser command of `foretell open`"},
	{name: "XDG_CONFIG_HOME", meaning: "parent of the config folder"},
	{name: "XDG_DATA_HOME", meaning: "parent of the data folder"},
	{name: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY", meaning: "proxy for requests to the service"},
	{name: "SSL_CERT_FILE, SSL_CERT_DIR", meaning: "certificate authorities to trust"},
}

// findSetting returns the variable of a setting.
func findSetting(key string) (variable, bool) {
	i := slices.IndexFunc(variables, func(v variable) bool { return v.key == key && key != "" })
	if i < 0 {
		return variable{}, false
	}
	return variables[i], true
}

// validate returns an error for an invalid value of the setting.
func (v variable) validate(value string) error {
	switch {
	case value == "":
		return usageErrorf("%s must not be empty", v.key).withHint("remove it with `foretell config unset %s`", v.key)
	case v.values != nil && !slices.Contains(v.values, value):
		return usageErrorf("invalid %s %q: want %s", v.key, value, strings.Join(v.values, ", "))
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
		return usageErrorf("invalid %s %q: want true or false", keyNoInput, value)
	}
	return nil
}

func checkDuration(value string) error {
	if d, err := time.ParseDuration(value); err != nil || d < 0 {
		return usageErrorf("invalid %s %q: want a duration such as 90s, 30m or 2h", keyTimeout, value)
	}
	return nil
}

// environmentText returns the text of `help environment`.
func environmentText() string {
	var b strings.Builder
	b.WriteString("Flags override variables, and variables override the profile in the config file.\n\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "  %-34s %s\n", v.name, v.meaning)
	}
	b.WriteString("\nSettings of a profile, for `foretell config`:\n\n")
	for _, v := range variables {
		if v.key != "" {
			fmt.Fprintf(&b, "  %-34s as %s\n", v.key, v.name)
		}
	}
	fmt.Fprintf(&b, "  %-34s %s\n", keyPaths+".OPERATION", "path of an operation of this service, such as listTrainings")
	return b.String()
}
