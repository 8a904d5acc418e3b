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

// The keys of settings, as they stand in a profile of the config file.
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

// settings are what a command is told, each value from the strongest source
// that has it: flag, environment, profile in the config file, built-in.
type settings struct {
	*viper.Viper
	// profile is the name of the profile in use.
	profile string
	// exists tells that the config file has the profile.
	exists bool
	// origins tells where each setting comes from, by key; that of profile, too.
	origins map[string]string
}

// settings reads the sources. flags with the name of a key are one.
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

// originName names what a setting comes from, as it would be mended there.
func (s *settings) originName(key string) string {
	origin := s.origins[key]
	for _, kind := range []string{"flag ", "variable "} {
		if name, ok := strings.CutPrefix(origin, kind); ok {
			return name
		}
	}
	return key + " in " + strings.TrimPrefix(origin, "file ")
}

// checkProfile refuses a profile that was named and is not there, unless
// another source says which service is meant: a name with a slip of the pen
// would choose another service than was thought of.
func (s *settings) checkProfile(f *factory) error {
	if s.profile == defaultProfile || s.exists || s.origins[keyServer] != originBuiltin {
		return nil
	}
	file, err := f.readConfig()
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(file.GetStringMap("profiles")))
	e := usageErrorf("%s: there is no profile %q", s.originName(keyProfile), s.profile)
	if len(names) == 0 {
		return e.withHint("make it with `foretell login URL`")
	}
	return e.withHint("there is %s; make another with `foretell login URL`", strings.Join(names, ", "))
}

// originBuiltin is the origin of what nothing says otherwise.
const originBuiltin = "built-in"

// keyDelimiter keeps dots in names what they are.
const keyDelimiter = "::"

func newViper() *viper.Viper {
	return viper.NewWithOptions(viper.KeyDelimiter(keyDelimiter))
}

// readConfig reads config.yaml; a file that is not there is an empty one.
func (f *factory) readConfig() (*viper.Viper, error) {
	path, err := f.configFile()
	if err != nil {
		return nil, err
	}
	file := newViper()
	file.SetConfigFile(path)
	file.SetConfigType("yaml")
	if err := file.ReadInConfig(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, exitErrorf(ExitUsage, "%s cannot be read: %w", path, err).withHint("mend the file, or move it away and sign in again")
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
		return usageErrorf("--profile %q: a profile's name is of small letters, digits, - and _", name)
	}
	return nil
}

// configFile is the absolute path of config.yaml.
func (f *factory) configFile() (string, error) {
	dir, err := f.configDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.yaml"), nil
}

// configDir is the absolute path of the folder of config.yaml.
func (f *factory) configDir() (string, error) {
	return f.userDir(envConfigDir, "XDG_CONFIG_HOME", map[string][]string{
		"windows": {"AppData"},
		"darwin":  {"HOME", "Library", "Application Support"},
		"":        {"HOME", ".config"},
	})
}

// dataDir is the absolute path of the embedded service's folder.
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

// userDir finds a folder of ours: where own says, under the folder that xdg
// says, or under the native one, whose first element is a variable.
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
		return "", usageErrorf("the variable %s is not set, so there is no folder to work in", path[0]).
			withHint("set %s, or %s and %s to folders", path[0], envConfigDir, envDataDir)
	}
	return filepath.Join(append([]string{base}, append(slices.Clone(path[1:]), "foretell")...)...), nil
}

// paths are the operations' paths that the profile overrides, by operation ID.
// viper gives keys in small letters, so known restores their spelling.
func (s *settings) paths(known []string) (map[string]string, error) {
	paths := map[string]string{}
	for key, path := range s.GetStringMapString(keyPaths) {
		i := slices.IndexFunc(known, func(id string) bool { return strings.EqualFold(id, key) })
		if i < 0 {
			return nil, usageErrorf("profile %s: paths has no operation %q", s.profile, key).withHint("the operations are %s", strings.Join(known, ", "))
		}
		paths[known[i]] = path
	}
	return paths, nil
}
