// Package config reads the settings of the command line. They come from flags, environment
// variables and the profiles of config.yaml, in this order of precedence.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"foretell/internal/exit"
	"foretell/internal/term"
)

// The keys of settings. All except KeyProfile belong to a profile of the config file.
const (
	KeyProfile     = "profile"
	KeyServer      = "server"
	KeyUsername    = "username"
	KeyAuthStorage = "storage"
	KeyPaths       = "paths"
	KeyDataDir     = "data-dir"
	KeyNoInput     = "no-input"
	KeyProgress    = "progress"
	KeyTimeout     = "timeout"
	KeyDebug       = "debug"
	KeyPager       = "pager"
)

// Getenv returns the value of an environment variable; "" if it is not set.
type Getenv = func(name string) string

const defaultProfile = "default"

// Settings are the effective settings. A flag overrides an environment variable, a variable
// overrides the profile, and the profile overrides the default.
type Settings struct {
	*viper.Viper
	// Profile is the name of the profile in use.
	Profile string
	// profileExists is set if the config file contains the profile.
	profileExists bool
	// origins says where the value of each setting comes from, such as "flag --server". Its keys
	// are the keys of the settings, KeyProfile and KeyPaths.
	origins map[string]string
}

// NotASetting is the annotation of a flag that has the same name as a setting, but another meaning.
const NotASetting = "notASetting"

// Load returns the effective settings. A flag sets the setting of the same name, unless it has the
// annotation [NotASetting]. If there is no folder for config.yaml, for example without HOME, the
// settings have no file.
func Load(env Getenv, flags *pflag.FlagSet) (*Settings, error) {
	file := NewEmptyViper()
	if _, errDir := Dir(env); errDir == nil {
		var err error
		if file, err = ReadFile(env); err != nil {
			return nil, err
		}
	}
	fromFile := "file " + file.ConfigFileUsed()
	s := &Settings{Viper: NewEmptyViper(), Profile: defaultProfile, origins: map[string]string{KeyProfile: originDefault, KeyPaths: fromFile}}
	for _, source := range [][2]string{
		{file.GetString(KeyProfile), fromFile},
		{env(envProfile), "variable " + envProfile},
		{flagValue(flags, KeyProfile), "flag --" + KeyProfile},
	} {
		if source[0] != "" {
			s.Profile, s.origins[KeyProfile] = source[0], source[1]
		}
	}
	if !isProfileName(s.Profile) {
		e := invalidProfileError(s.describeInvalid(KeyProfile, s.Profile))
		if s.origins[KeyProfile] == fromFile {
			return nil, e.WithHint("select a profile with `foretell config set profile default`")
		}
		return nil, e
	}
	s.profileExists = file.IsSet("profiles" + KeyDelimiter + s.Profile)
	if err := s.MergeConfigMap(file.GetStringMap("profiles" + KeyDelimiter + s.Profile)); err != nil {
		return nil, fmt.Errorf("profile %s: %w", s.Profile, err)
	}
	if dir := s.GetString(KeyDataDir); dir != "" { // the same folder for commands in all folders
		dir, err := AbsDir(env, dir, filepath.Dir(file.ConfigFileUsed()))
		if err != nil {
			return nil, err
		}
		s.Set(KeyDataDir, dir)
	}
	for _, v := range EnvVars {
		if v.Key == "" {
			continue
		}
		s.origins[v.Key] = originDefault
		if s.IsSet(v.Key) {
			s.origins[v.Key] = fromFile
		}
		s.SetDefault(v.Key, v.defaultValue)
		if text := env(v.Name); text != "" {
			s.Set(v.Key, text)
			s.origins[v.Key] = "variable " + v.Name
		}
		if flag := flags.Lookup(v.Key); flag != nil && flag.Changed && flag.Annotations[NotASetting] == nil {
			s.Set(v.Key, flag.Value.String())
			s.origins[v.Key] = "flag --" + v.Key
		}
	}
	return s, nil
}

// OriginName returns the name of the flag or variable that set a setting, or the key and the file
// if the setting is from the profile.
func (s *Settings) OriginName(key string) string {
	origin := s.origins[key]
	for _, kind := range []string{"flag ", "variable "} {
		if name, ok := strings.CutPrefix(origin, kind); ok {
			return name
		}
	}
	return key + " in " + strings.TrimPrefix(origin, "file ")
}

// DescribeInvalid returns the beginning of an error message about an invalid setting, such as
// "invalid --timeout \"soon\"". For a setting from the profile, it names the key and the file.
func (s *Settings) DescribeInvalid(key string) string {
	return s.describeInvalid(key, s.GetString(key))
}

// describeInvalid is like DescribeInvalid, for a setting with the given value.
func (s *Settings) describeInvalid(key, value string) string {
	name, file, inFile := strings.Cut(s.OriginName(key), " in ")
	text := fmt.Sprintf("invalid %s %q", name, value)
	if inFile {
		text += " in " + file
	}
	return text
}

// CheckProfile returns an error if the config file does not have the selected profile, because its
// name may be mistyped. It returns nil for the profile default, and if a flag or variable sets the
// address of the service.
func (s *Settings) CheckProfile(env Getenv) error {
	if s.Profile == defaultProfile || s.profileExists || s.origins[KeyServer] != originDefault {
		return nil
	}
	file, err := ReadFile(env)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(file.GetStringMap("profiles")))
	e := exit.Usagef("%s: unknown profile %q", s.OriginName(KeyProfile), s.Profile)
	create := "foretell login URL --profile " + term.ShellQuote(s.Profile)
	if len(names) == 0 {
		return e.WithHint("create it with `%s`", create)
	}
	return e.WithHint("known profiles: %s; create this one with `%s`", strings.Join(names, ", "), create)
}

// originDefault is the origin of a setting that has its default value.
const originDefault = "built-in"

// KeyDelimiter separates the parts of a viper key. It is not a dot, so that names may
// contain dots.
const KeyDelimiter = "::"

// NewEmptyViper returns a viper without settings, whose keys may contain dots.
func NewEmptyViper() *viper.Viper {
	return viper.NewWithOptions(viper.KeyDelimiter(KeyDelimiter))
}

// ReadFile reads config.yaml. If the file does not exist, the result is empty.
func ReadFile(env Getenv) (*viper.Viper, error) {
	path, err := FilePath(env)
	if err != nil {
		return nil, err
	}
	file := NewEmptyViper()
	file.SetConfigFile(path)
	file.SetConfigType("yaml")
	if err := file.ReadInConfig(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		var malformed viper.ConfigParseError
		if errors.As(err, &malformed) { // its message begins with a sentence of its own
			err = malformed.Unwrap()
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, exit.Errorf(exit.Usage, "cannot read %s: %w", path, err).
				WithHint("make the file readable, or use no config file: `export FORETELL_CONFIG_DIR=$(mktemp -d)`")
		}
		return nil, exit.Errorf(exit.Usage, "cannot read %s: %w", path, err).WithHint("fix the file, or move it away; without the file, you are not logged in to any service")
	}
	return file, checkKeys(path)
}

func flagValue(flags *pflag.FlagSet, name string) string {
	if flag := flags.Lookup(name); flag != nil {
		return flag.Value.String()
	}
	return ""
}

// maxProfileName is the maximum length of the name of a profile.
const maxProfileName = 40

func isProfileName(name string) bool {
	const first = "abcdefghijklmnopqrstuvwxyz0123456789"
	return name != "" && len(name) <= maxProfileName && strings.Trim(name, first+"_-") == "" && strings.Contains(first, name[:1])
}

// invalidProfileError returns the error for an invalid name of a profile. description is the beginning
// of its message; see [Settings.DescribeInvalid].
func invalidProfileError(description string) *exit.Error {
	return exit.Usagef("%s: must have only lower-case letters, digits, - and _", description)
}

// FilePath returns the absolute path of config.yaml.
func FilePath(env Getenv) (string, error) {
	dir, err := Dir(env)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.yaml"), nil
}

// Dir returns the absolute path of the folder of config.yaml.
func Dir(env Getenv) (string, error) {
	return userDir(env, envConfigDir, "XDG_CONFIG_HOME", map[string][]string{
		"windows": {"AppData"},
		"darwin":  {"HOME", "Library", "Application Support"},
		"":        {"HOME", ".config"},
	})
}

// AbsDir returns the absolute path of dir, a folder that the config file names. A relative path is
// below the folder base, or below the current folder if base is "". ~ and ~/ mean the home folder.
func AbsDir(env Getenv, dir, base string) (string, error) {
	home := cmp.Or(env("HOME"), env("USERPROFILE"))
	if below, ok := strings.CutPrefix(filepath.ToSlash(dir)+"/", "~/"); ok && home != "" {
		base, dir = home, below
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(base, dir)
	}
	return filepath.Abs(dir)
}

// DataDir returns the absolute path of the data folder, where the embedded service stores its data.
func DataDir(env Getenv, s *Settings) (string, error) {
	if dir := s.GetString(KeyDataDir); dir != "" {
		return filepath.Abs(dir)
	}
	return userDir(env, EnvDataDir, "XDG_DATA_HOME", map[string][]string{
		"windows": {"LocalAppData"},
		"darwin":  {"HOME", "Library", "Application Support"},
		"":        {"HOME", ".local", "share"},
	})
}

// folderContents says what is stored in the folder that a variable sets.
var folderContents = map[string]string{envConfigDir: "settings", EnvDataDir: "data"}

// userDir returns the first of these folders that is set:
//   - the value of the environment variable own
//   - the folder foretell in the value of the variable xdg
//   - the folder foretell in the default folder of the operating system
//
// native maps an operating system to its default folder. The key "" is for all other systems. A
// folder is a variable followed by path elements: {"HOME", ".config"} means $HOME/.config.
func userDir(env Getenv, own, xdg string, native map[string][]string) (string, error) {
	if dir := env(own); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := env(xdg); dir != "" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "foretell"), nil
	}
	path, ok := native[runtime.GOOS]
	if !ok {
		path = native[""]
	}
	base := env(path[0])
	if base == "" {
		return "", exit.Usagef("neither %s nor %s is set, so there is no folder for %s", path[0], own, folderContents[own]).
			WithHint("set one of them")
	}
	return filepath.Join(append([]string{base}, append(slices.Clone(path[1:]), "foretell")...)...), nil
}

// PathOverrides returns the URL paths that the profile sets for operations, by operation ID. The
// parameter known has the IDs of all operations. PathOverrides restores the case of the IDs,
// because viper returns them in lower case.
func (s *Settings) PathOverrides(known []string) (map[string]string, error) {
	paths := map[string]string{}
	for key, path := range s.GetStringMapString(KeyPaths) {
		i := slices.IndexFunc(known, func(id string) bool { return strings.EqualFold(id, key) })
		if i < 0 {
			return nil, exit.Usagef("unknown operation %q in paths of the profile %q in %s", key, s.Profile, strings.TrimPrefix(s.origins[KeyPaths], "file ")).
				WithHint("remove or correct the operation in this file; known operations: %s", strings.Join(known, ", "))
		}
		paths[known[i]] = path
	}
	return paths, nil
}
