package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"foretell/internal/exit"
	"foretell/internal/filelock"
)

func TestEditYAML(t *testing.T) {
	tests := []struct {
		name  string
		in    string
		value string
		keys  []string
		want  string
	}{
		{"an_empty_file_gets_the_path", "", "u", []string{"profiles", "p", "server"}, "profiles:\n  p:\n    server: u\n"},
		{"comments_stay", "# mine\nprofiles:\n  p:\n    server: old # the old one\n", "new", []string{"profiles", "p", "server"}, "# mine\nprofiles:\n  p:\n    server: new # the old one\n"},
		{"a_null_becomes_a_mapping", "profiles:\n", "u", []string{"profiles", "p"}, "profiles:\n  p: u\n"},
		{"nothing_removes", "a: 1\nb: 2\n", "", []string{"a"}, "b: 2\n"},
		{"the_case_of_keys_is_ignored", "profiles:\n  P:\n    Server: old\n", "new", []string{"profiles", "p", "server"}, "profiles:\n  P:\n    Server: new\n"},
		{"nothing_removes_a_key_of_another_case", "Server: old\nb: 2\n", "", []string{"server"}, "b: 2\n"},
		{"what_looks_like_a_number_stays_text", "", "0123", []string{"username"}, "username: \"0123\"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := editYAML([]byte(test.in), test.value, test.keys)
			if diff := cmp.Diff(test.want, string(got)); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	if _, err := editYAML([]byte("profiles: 7\n"), "u", []string{"profiles", "p"}); err == nil {
		t.Error("a scalar in the way is no error")
	}
}

func TestSettings(t *testing.T) {
	dir := t.TempDir()
	content := "profile: work\nprofiles:\n  work:\n    server: https://from.config\n    timeout: 5m\n    paths:\n      listTrainings: /elsewhere\n"
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{envConfigDir: dir, envTimeout: "6m", envProgress: "none"}
	getenv := func(name string) string { return env[name] }
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.String("profile", "", "")
	flags.String(KeyServer, "", "")
	flags.String(KeyTimeout, "", "")
	flags.String(KeyProgress, "auto", "")
	if err := flags.Parse([]string{"--progress", "bar"}); err != nil {
		t.Fatal(err)
	}
	s, err := Load(getenv, flags)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{s.Profile, s.GetString(KeyServer), s.GetString(KeyTimeout), s.GetString(KeyProgress)}
	if diff := cmp.Diff([]string{"work", "https://from.config", "6m", "bar"}, got); diff != "" {
		t.Errorf("flag > environment > profile (-want +got):\n%s", diff)
	}
	paths, err := s.PathOverrides([]string{"listTrainings"})
	if diff := cmp.Diff(map[string]string{"listTrainings": "/elsewhere"}, paths); err != nil || diff != "" {
		t.Errorf("paths: %v (-want +got):\n%s", err, diff)
	}
	if _, err := s.PathOverrides([]string{"other"}); err == nil {
		t.Error("an unknown operation in paths is no error")
	}
}

func TestConfigIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps a user's folder private by other means")
	}
	dir := t.TempDir()
	getenv := func(name string) string { return map[string]string{envConfigDir: dir}[name] }
	if err := WriteOrRemoveValue(getenv, "https://x", "profiles", "default", "server"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "config.yaml"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", err, info.Mode())
	}
}

// TestConcurrentChanges changes different values of config.yaml at the same time, as several processes
// would.
func TestConcurrentChanges(t *testing.T) {
	dir := t.TempDir()
	getenv := func(name string) string { return map[string]string{envConfigDir: dir}[name] }
	const profiles = 20
	synctest.Test(t, func(t *testing.T) { // writing takes no time, so none waits too long on a slow disk
		var wg sync.WaitGroup
		for i := range profiles {
			wg.Go(func() {
				if err := WriteOrRemoveValue(getenv, "https://x", "profiles", fmt.Sprintf("p%d", i), "server"); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	content, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if n := strings.Count(string(content), "server: https://x"); n != profiles {
		t.Errorf("%d of %d values are left, %v", n, profiles, err)
	}
}

// TestLockedFile changes config.yaml while another process holds its lock.
func TestLockedFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the wait takes no time
		dir := t.TempDir()
		lock, err := filelock.TryLock(filepath.Join(dir, ".config.yaml.lock"))
		if err != nil {
			t.Fatal(err)
		}
		change := func() error {
			return WriteOrRemoveValue(func(name string) string { return map[string]string{envConfigDir: dir}[name] }, "https://x", "server")
		}
		if err := change(); exit.FromError(t.Context(), err).Status != exit.Conflict || !strings.Contains(err.Error(), "another process has been changing the file "+filepath.Join(dir, "config.yaml")) {
			t.Errorf("the error is %v", err)
		}
		if err := errors.Join(lock.Close(), change()); err != nil {
			t.Errorf("after the other process: %v", err)
		}
	})
}

// TestConfigKeepsLink checks that a link such as config.yaml → dotfiles/foretell.yaml stays, and that its
// target is changed.
func TestConfigKeepsLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("only administrators may create links")
	}
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles.yaml"), filepath.Join(dir, "config.yaml")
	if err := errors.Join(os.WriteFile(target, []byte("username: ann\n"), 0o600), os.Symlink("dotfiles.yaml", link)); err != nil {
		t.Fatal(err)
	}
	err := WriteOrRemoveValue(func(name string) string { return map[string]string{envConfigDir: dir}[name] }, "https://x", "server")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.Readlink(link); got != "dotfiles.yaml" {
		t.Errorf("the link has the target %q, %v", got, err)
	}
	content, err := os.ReadFile(target)
	if diff := cmp.Diff("username: ann\nserver: https://x\n", string(content)); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestEveryVariableIsInTheTable(t *testing.T) {
	listed := map[string]bool{}
	for _, v := range EnvVars {
		listed[v.Name] = true
	}
	for _, name := range []string{
		EnvServer, envProfile, EnvUsername, EnvPassword, EnvPasswordFile, EnvToken, envAuthStorage,
		envConfigDir, EnvDataDir, EnvDatabase, EnvStorage, EnvMemory, envNoInput, envProgress, envTimeout, EnvDebug, envPager,
	} {
		if !listed[name] {
			t.Errorf("%s is read but not in the table", name)
		}
	}
}

// TestSettingsWithoutHome reads settings without a folder for config.yaml, as a service does that has
// only --data-dir. It also passes the flag --storage of such a service, which is not the setting of this
// name.
func TestSettingsWithoutHome(t *testing.T) {
	getenv := func(string) string { return "" }
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.String(KeyDataDir, "", "")
	flags.String(KeyAuthStorage, "", "")
	if err := flags.SetAnnotation(KeyAuthStorage, NotASetting, []string{}); err != nil {
		t.Fatal(err)
	}
	without, err := Load(getenv, flags)
	if err != nil {
		t.Fatal(err)
	}
	if dir, err := DataDir(getenv, without); err == nil || !strings.Contains(err.Error(), EnvDataDir) {
		t.Errorf("without a data folder: %v, %s", err, dir)
	}
	if err := flags.Parse([]string{"--data-dir", t.TempDir(), "--storage", "s3://bucket/prefix"}); err != nil {
		t.Fatal(err)
	}
	s, err := Load(getenv, flags)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.GetString(KeyAuthStorage); got == "s3://bucket/prefix" {
		t.Errorf("credentials are stored in %s", got)
	}
}

func TestWrongKindIsRejected(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"a_list_of_servers", "profiles:\n  default:\n    server: [https://a.example.com]\n", ":3: invalid server: must have one value"},
		{"a_server_with_keys", "profiles:\n  default:\n    Server:\n      url: https://a.example.com\n", ":3: invalid Server: must have one value"},
		{"a_profile_that_is_a_list", "profiles:\n  default: [server]\n", ":2: invalid default: must have names with values, on the lines below it and indented"},
		{"profiles_that_are_a_text", "profiles: text\n", ":1: invalid profiles: must have names with values, on the lines below it and indented"},
		{"an_alias_of_a_list", "profiles:\n  a: &a\n    username: u\n  b:\n    server: *a\n", ":5: invalid server: must have one value"},
		{"a_path_that_is_a_list", "profiles:\n  default:\n    paths:\n      login: [/a]\n", ":4: invalid login: must have one value"},
		{"a_list_of_names_of_profiles", "profile: [a]\n", ":1: invalid profile: must have one value"},
		{"a_setting_of_two_cases", "profiles:\n  default:\n    server: https://a.example.com\n    Server: https://b.example.com\n", ":4: Server is set twice, because upper and lower case do not differ"},
		{"no_values", "profile:\nprofiles:\n  default:\n    server:\n    paths:\n", ""},
		{"aliases", "profiles:\n  a: &a\n    server: &s https://a.example.com\n  b: *a\n  c:\n    <<: *a\n    server: *s\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := checkKeys(path); err != nil {
				got = strings.TrimPrefix(err.Error(), path)
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestUnreadableFile checks the hint about a config file that this user may not read.
func TestUnreadableFile(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("this user may read every file")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), nil, 0o000); err != nil {
		t.Fatal(err)
	}
	_, err := ReadFile(func(name string) string { return map[string]string{envConfigDir: dir}[name] })
	if e := exit.FromError(t.Context(), err); e.Status != exit.Usage || !strings.Contains(e.Hint, "FORETELL_CONFIG_DIR=") {
		t.Errorf("%+v", e)
	}
}
