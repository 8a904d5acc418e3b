package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// The keys of settings in a profile of the config file.
const (
	keyProfile  = "profile"
	keyServer   = "server"
	keyUsername = "username"
	keyStorage  = "storage"
	keyPaths    = "paths"
	keyDataDir  = "data-dir"
	keyNoInput  = "no-input"
	keyProgress = "progress"
	keyTimeout  = "timeout"
	keyDebug    = "debug"
	keyPager    = "pager"
)

const defaultProfile = "default"

// settings are the effective settings. Flags override the environment, which overrides
// the profile, which overrides the defaults.
type settings struct {
	*viper.Viper
	// profile is the name of the profile in use.
	profile string
	// exists is set if the config file has the profile.
	exists bool
	// origins has the origin of each setting, including profile, by key.
	origins map[string]string
}

// settings resolves the settings. Flags with the name of a key are a source.
func (f *factory) settings(flags *pflag.FlagSet) (*settings, error) {
	file, err := f.readConfig()
	if err != nil {
		return nil, err
	}
	fromFile := "file " + file.ConfigFileUsed()
	s := &settings{Viper: newViper(), profile: defaultProfile, origins: map[string]string{keyProfile: originBuiltin}}
	for _, source := range [][2]string{
		{file.GetString(keyProfile), fromFile},
		{f.env(envProfile), "variable " + envProfile},
		{flagText(flags, keyProfile), "flag --" + keyProfile},
	} {
		if source[0] != "" {
			s.profile, s.origins[keyProfile] = source[0], source[1]
		}
	}
	if err := checkProfileName(s.profile); err != nil {
		return nil, err
	}
	s.exists = file.IsSet("profiles" + keyDelimiter + s.profile)
	if err := s.MergeConfigMap(file.GetStringMap("profiles" + keyDelimiter + s.profile)); err != nil {
		return nil, fmt.Errorf("profile %s: %w", s.profile, err)
	}
	for _, v := range variables {
		if v.key == "" {
			continue
		}
		s.origins[v.key] = originBuiltin
		if s.IsSet(v.key) {
			s.origins[v.key] = fromFile
		}
		s.SetDefault(v.key, v.builtin)
		if text := f.env(v.name); text != "" {
			s.Set(v.key, text)
			s.origins[v.key] = "variable " + v.name
		}
		if flag := flags.Lookup(v.key); flag != nil && flag.Changed {
			s.Set(v.key, flag.Value.String())
			s.origins[v.key] = "flag --" + v.key
		}
	}
	return s, nil
}

// originName returns the name under which a setting was given.
func (s *settings) originName(key string) string {
	origin := s.origins[key]
	for _, kind := range []string{"flag ", "variable "} {
		if name, ok := strings.CutPrefix(origin, kind); ok {
			return name
		}
	}
	return key + " in " + strings.TrimPrefix(origin, "file ")
}

// checkProfile returns an error for an unknown profile, unless another source sets the
// service: a mistyped name would silently select another service.
func (s *settings) checkProfile(f *factory) error {
	if s.profile == defaultProfile || s.exists || s.origins[keyServer] != originBuiltin {
		return nil
	}
	file, err := f.readConfig()
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(file.GetStringMap("profiles")))
	e := usageErrorf("%s: unknown profile %q", s.originName(keyProfile), s.profile)
	if len(names) == 0 {
		return e.withHint("create it with `foretell login URL`")
	}
	return e.withHint("known profiles: %s; create one with `foretell login URL`", strings.Join(names, ", "))
}

// originBuiltin is the origin of a default.
const originBuiltin = "built-in"

// keyDelimiter allows dots in names.
const keyDelimiter = "::"

func newViper() *viper.Viper {
	return viper.NewWithOptions(viper.KeyDelimiter(keyDelimiter))
}

// readConfig reads config.yaml; a missing file is empty.
func (f *factory) readConfig() (*viper.Viper, error) {
	path, err := f.configFile()
	if err != nil {
		return nil, err
	}
	file := newViper()
	file.SetConfigFile(path)
	file.SetConfigType("yaml")
	if err := file.ReadInConfig(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, exitErrorf(ExitUsage, "cannot read %s: %w", path, err).withHint("fix the file, or move it away and sign in again")
	}
	return file, nil
}

func flagText(flags *pflag.FlagSet, name string) string {
	if flag := flags.Lookup(name); flag != nil {
		return flag.Value.String()
	}
	return ""
}

var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

func checkProfileName(name string) error {
	if !profileName.MatchString(name) {
		return usageErrorf("invalid --profile %q: want lower-case letters, digits, - and _", name)
	}
	return nil
}

// configFile returns the absolute path of config.yaml.
func (f *factory) configFile() (string, error) {
	dir, err := f.configDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.yaml"), nil
}

// configDir returns the absolute path of the folder of config.yaml.
func (f *factory) configDir() (string, error) {
	return f.userDir(envConfigDir, "XDG_CONFIG_HOME", map[string][]string{
		"windows": {"AppData"},
		"darwin":  {"HOME", "Library", "Application Support"},
		"":        {"HOME", ".config"},
	})
}

// dataDir returns the absolute path of the data folder.
func (f *factory) dataDir(s *settings) (string, error) {
	if dir := s.GetString(keyDataDir); dir != "" {
		return filepath.Abs(dir)
	}
	return f.userDir(envDataDir, "XDG_DATA_HOME", map[string][]string{
		"windows": {"LocalAppData"},
		"darwin":  {"HOME", "Library", "Application Support"},
		"":        {"HOME", ".local", "share"},
	})
}

// userDir returns a folder of foretell: the variable own, a folder in the variable xdg,
// or the native one, whose first element is a variable.
func (f *factory) userDir(own, xdg string, native map[string][]string) (string, error) {
	if dir := f.env(own); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := f.env(xdg); dir != "" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "foretell"), nil
	}
	path, ok := native[runtime.GOOS]
	if !ok {
		path = native[""]
	}
	base := f.env(path[0])
	if base == "" {
		return "", usageErrorf("%s is not set: there is no folder for data and settings", path[0]).
			withHint("set %s, or %s and %s to folders", path[0], envConfigDir, envDataDir)
	}
	return filepath.Join(append([]string{base}, append(slices.Clone(path[1:]), "foretell")...)...), nil
}

// paths returns the overridden paths by operation ID. viper lower-cases keys; known
// restores their spelling.
func (s *settings) paths(known []string) (map[string]string, error) {
	paths := map[string]string{}
	for key, path := range s.GetStringMapString(keyPaths) {
		i := slices.IndexFunc(known, func(id string) bool { return strings.EqualFold(id, key) })
		if i < 0 {
			return nil, usageErrorf("profile %s: unknown operation %q in paths", s.profile, key).withHint("known operations: %s", strings.Join(known, ", "))
		}
		paths[known[i]] = path
	}
	return paths, nil
}
