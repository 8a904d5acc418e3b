package cmd

import (
	"fmt"
	"strings"
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
)

// variable is one environment variable that is read.
type variable struct {
	name    string
	meaning string
	// key is the setting that it gives; "" where the variable is read by
	// itself, since it is a secret or needed before the settings.
	key string
}

// variables is the one table of what is read from the environment: settings
// are bound by it, `help environment` and docs/cli.md print it.
var variables = []variable{
	{envServer, "address of the service; empty uses the embedded one", keyServer},
	{envProfile, "profile of the config file to use", ""},
	{envUsername, "e-mail to sign in with", keyUsername},
	{envPassword, "password to sign in with; never stored", ""},
	{envPasswordFile, "file that holds the password", ""},
	{envToken, "bearer token to use as it is", ""},
	{envStorage, "where credentials are kept: keyring, file or none", keyStorage},
	{envConfigDir, "folder of config.yaml", ""},
	{envDataDir, "folder of the embedded service", keyDataDir},
	{envNoInput, "1 never asks", keyNoInput},
	{envProgress, "auto, bar, plain, json or none", keyProgress},
	{envTimeout, "how long to wait for jobs, such as 30m", keyTimeout},
	{envDebug, "1 traces the requests to standard error, a path to that file; secrets are cut out", keyDebug},
	{"NO_COLOR", "not empty: no colour", ""},
	{"CLICOLOR_FORCE", "not 0: colour in pipes, too", ""},
	{"TERM", "dumb: nothing is redrawn", ""},
	{"COLUMNS", "width to fit tables to", ""},
	{"CI", "not empty: nothing is redrawn", ""},
	{envGitHub, "true: missed requirements are annotated on standard error", ""},
	{envGitHubSummary, "file that a table of the requirements is added to", ""},
	{envGitLab, "true: missed requirements are a section of the log", ""},
	{"XDG_CONFIG_HOME", "parent of the config folder", ""},
	{"XDG_DATA_HOME", "parent of the data folder", ""},
	{"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "the proxy on the way to the service", ""},
	{"SSL_CERT_FILE, SSL_CERT_DIR", "certificate authorities to trust", ""},
}

// environmentText is the page of `help environment`.
func environmentText() string {
	var b strings.Builder
	b.WriteString("A flag is stronger than a variable, a variable stronger than the profile in the config file.\n\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "  %-34s %s\n", v.name, v.meaning)
	}
	return b.String()
}
