package config

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
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

func TestEveryVariableIsInTheTable(t *testing.T) {
	listed := map[string]bool{}
	for _, v := range Variables {
		listed[v.Name] = true
	}
	for _, name := range []string{
		envServer, envProfile, EnvUsername, EnvPassword, EnvPasswordFile, EnvToken, envAuthStorage,
		envConfigDir, EnvDataDir, EnvDatabase, EnvStorage, EnvMemory, envNoInput, envProgress, envTimeout, EnvDebug, envPager,
	} {
		if !listed[name] {
			t.Errorf("%s is read but not in the table", name)
		}
	}
}
