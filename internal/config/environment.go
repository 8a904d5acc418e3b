package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"foretell/internal/client"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// The environment variables of foretell. Only cli.Factory.Env reads them.
const (
	EnvServer       = "FORETELL_SERVER"
	envProfile      = "FORETELL_PROFILE"
	EnvUsername     = "FORETELL_USERNAME"
	EnvPassword     = "FORETELL_PASSWORD"
	EnvPasswordFile = "FORETELL_PASSWORD_FILE"
	EnvToken        = "FORETELL_TOKEN"
	envAuthStorage  = "FORETELL_AUTH_STORAGE"
	envConfigDir    = "FORETELL_CONFIG_DIR"
	EnvDataDir      = "FORETELL_DATA_DIR"
	EnvStorage      = "FORETELL_STORAGE"
	EnvMemory       = "FORETELL_MEMORY"
	EnvDatabase     = "FORETELL_DATABASE"
	envNoInput      = "FORETELL_NO_INPUT"
	envProgress     = "FORETELL_PROGRESS"
	envTimeout      = "FORETELL_TIMEOUT"
	EnvDebug        = "FORETELL_DEBUG"
	envPager        = "FORETELL_PAGER"
	// EnvCertificateFile is a variable of all programs, which package crypto/x509 reads.
	EnvCertificateFile = "SSL_CERT_FILE"
)

// envVar is an environment variable and the setting with the same meaning, if there is one.
type envVar struct {
	Name        string
	description string
	// Key is the name of the setting, which is also the name of its flag and its key in a
	// profile. It is "" if the variable is not a setting.
	Key string
	// Values are the valid values; nil if they are not a fixed set.
	Values []string
	// check returns an error for an invalid value. A nil check accepts every value.
	check func(value string) error
	// defaultValue is the value of the setting if nothing sets it.
	defaultValue string
	// BareValue is the value of the setting if its flag has no value. It is "" if the flag requires
	// a value.
	BareValue string
	// secret is set if the value must not be printed.
	secret bool
}

// EnvVars lists all environment variables of the program. [Load], the config commands, `help
// environment` and docs/cli.md are based on it.
var EnvVars = []envVar{
	{Name: EnvServer, description: "address of the service; if neither the variable nor the profile contains one, the command runs the embedded service", Key: KeyServer, check: checkServer},
	{Name: envProfile, description: "profile of the config file to use"},
	{Name: EnvUsername, description: "email to log in with", Key: KeyUsername},
	{Name: EnvPassword, description: "password to log in with; never stored", secret: true},
	{Name: EnvPasswordFile, description: "file that holds the password"},
	{Name: EnvToken, description: "bearer token to use", secret: true},
	{Name: envAuthStorage, description: "where credentials are stored: keyring, file or none", Key: KeyAuthStorage, Values: []string{AuthStorageKeyring, AuthStorageFile, AuthStorageNone}},
	{Name: envConfigDir, description: "folder of config.yaml"},
	{Name: EnvDataDir, description: "folder in which the embedded service stores its data", Key: KeyDataDir},
	{Name: EnvStorage, description: "S3 bucket or folder in which a service stores its files; see `foretell serve --help`"},
	{Name: EnvMemory, description: "memory for the races of the embedded service, such as 12GB, or \"none\" for no limit"},
	{Name: EnvDatabase, description: "URL of a service's PostgreSQL database; the default of --database", secret: true},
	{Name: envNoInput, description: "if 1 or true, prompts are disabled; 0 or false enables them", Key: KeyNoInput, check: checkBool, defaultValue: "false", BareValue: "true"},
	{Name: envProgress, description: "how progress is shown: auto, bar, plain, json or none", Key: KeyProgress, Values: term.ProgressModes(), defaultValue: string(term.Auto)},
	{Name: envTimeout, description: "how long to wait for jobs, such as 30m", Key: KeyTimeout, check: checkDuration, defaultValue: "0s"},
	{Name: EnvDebug, description: "if 1 or true, requests are traced to standard error; if a path, to this file; secrets are omitted; 0 or false disables the trace", Key: KeyDebug, BareValue: "true"},
	{Name: envPager, description: "pager for lists longer than the terminal; cat disables it (default $PAGER)", Key: KeyPager},
	{Name: "PAGER", description: "pager of all programs, used if FORETELL_PAGER is not set"},
	{Name: "OTEL_EXPORTER_OTLP_ENDPOINT", description: "URL of the OpenTelemetry collector that receives traces, such as http://127.0.0.1:4318; the other OTEL_ variables work as well"},
	{Name: "TRACEPARENT", description: "trace and span of the calling program, as in the W3C header traceparent; requests to the service continue this trace"},
	{Name: "NO_COLOR", description: "if set, output is not coloured"},
	{Name: "CLICOLOR_FORCE", description: "if set and not 0, output is coloured even in pipes"},
	{Name: "TERM", description: "if dumb, lines are not redrawn"},
	{Name: "LC_ALL, LC_CTYPE, LANG", description: "locale; without UTF-8, histograms are drawn in ASCII"},
	{Name: "COLUMNS", description: "width of the terminal, and of help in a pipe"},
	{Name: "CI", description: "if set, lines are not redrawn and no pager is used"},
	{Name: EnvGitHub, description: "if true, missed requirements are annotated on standard error"},
	{Name: EnvGitHubSummary, description: "file to which a table of the requirements is appended"},
	{Name: EnvGitLab, description: "if true, missed requirements are printed as a section of the job's log"},
	{Name: "AWS_ACCESS_KEY_ID", description: "ID of the access key of the S3 store"},
	{Name: "AWS_SECRET_ACCESS_KEY", description: "secret of the access key", secret: true},
	{Name: "AWS_SESSION_TOKEN", description: "session token, if the access key is temporary", secret: true},
	{Name: "AWS_REGION, AWS_ENDPOINT_URL", description: "region and address of the S3 store"},
	{Name: "AWS_PROFILE", description: "profile of the AWS configuration files that contains the access key"},
	{Name: "BROWSER", description: "command with which `foretell open` opens a page"},
	{Name: "XDG_CONFIG_HOME", description: "parent of the default config folder"},
	{Name: "XDG_DATA_HOME", description: "parent of the default data folder"},
	{Name: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY", description: "proxy for requests to the service"},
	{Name: "SSL_CERT_FILE, SSL_CERT_DIR", description: "certificate authorities to trust (not on macOS and Windows)"},
}

// FindSetting returns the environment variable for the setting with the given key. It
// returns false if there is no such setting.
func FindSetting(key string) (v envVar, found bool) {
	i := slices.IndexFunc(EnvVars, func(v envVar) bool { return v.Key == key && key != "" })
	if i < 0 {
		return envVar{}, false
	}
	return EnvVars[i], true
}

// validate returns an error if value is invalid for the setting.
func (v envVar) validate(value string) error {
	switch {
	case value == "":
		return exit.Usagef("%s must not be empty", v.Key).WithHint("remove the setting with `foretell config unset %s`", v.Key)
	case v.Values != nil && !slices.Contains(v.Values, value):
		return exit.Usagef("invalid %s %q: must be %s", v.Key, value, humanize.JoinOr(v.Values))
	case v.check != nil:
		return v.check(value)
	}
	return nil
}

func checkServer(value string) error {
	_, err := NewClient(client.Options{BaseURL: value})
	return err
}

func checkBool(value string) error {
	if _, err := strconv.ParseBool(value); err != nil {
		return exit.Usagef("invalid %s %q: must be true or false", KeyNoInput, value)
	}
	return nil
}

// ParseDebug parses the value of FORETELL_DEBUG or --debug: 1 or true, 0 or false, or the path of
// the file to which requests are traced. enabled reports whether to trace; it is false if value is
// "". path is "" unless value is a path.
func ParseDebug(value string) (enabled bool, path string) {
	if value == "" {
		return false, ""
	}
	if enabled, err := strconv.ParseBool(value); err == nil {
		return enabled, ""
	}
	return true, value
}

func checkDuration(value string) error {
	if d, err := time.ParseDuration(value); err != nil || d < 0 {
		return exit.Usagef("invalid %s %q: must be a duration of at least 0s, such as 90s, 30m or 2h", KeyTimeout, value)
	}
	return nil
}

// Isolate returns variables for a nested command that stores its data only in the folder dir. They
// select no config file, service, database or storage. Of the settings in env and in the config
// file, Isolate keeps only those for progress and the trace.
func Isolate(env Getenv, dir string) Getenv {
	own := map[string]string{
		EnvDataDir: dir, envConfigDir: dir, EnvServer: "", envProfile: "", EnvStorage: "", EnvDatabase: "", envTimeout: "",
	}
	if outer, err := Load(env, pflag.NewFlagSet("", pflag.ContinueOnError)); err == nil { // the nested command does not need a valid config file
		own[envProgress], own[EnvDebug] = outer.GetString(KeyProgress), outer.GetString(KeyDebug)
	}
	if _, path := ParseDebug(own[EnvDebug]); path != "" {
		if path, err := filepath.Abs(path); err == nil { // the current folder may change
			own[EnvDebug] = path
		}
	}
	return func(name string) string {
		if value, ok := own[name]; ok {
			return value
		}
		return env(name)
	}
}

// EnvironmentHelp returns the text of `help environment`.
func EnvironmentHelp() string {
	var b strings.Builder
	b.WriteString("Flags override variables, and variables override the profile in the config file. A variable\n" +
		"that is set to an empty text counts as not set. --local runs the embedded service, whatever\n" +
		"the variables and the profile contain.\n\n")
	for _, v := range EnvVars {
		fmt.Fprintf(&b, "  %-34s %s\n", v.Name, v.description)
	}
	b.WriteString("\nA profile can hold these settings. Set them with `foretell config set KEY VALUE`:\n\n")
	for _, v := range EnvVars {
		if v.Key != "" {
			fmt.Fprintf(&b, "  %-34s same as %s\n", v.Key, v.Name)
		}
	}
	fmt.Fprintf(&b, "  %-34s %s\n", KeyPaths+".OPERATION", "URL path of an API operation, such as listTrainings, for a service with other paths")
	return b.String()
}

// The values of --storage.
const (
	AuthStorageKeyring = "keyring"
	AuthStorageFile    = "file"
	AuthStorageNone    = "none"
)

// The variables that identify CI services.
const (
	EnvGitHub        = "GITHUB_ACTIONS"
	EnvGitHubSummary = "GITHUB_STEP_SUMMARY"
	EnvGitLab        = "GITLAB_CI"
)
