package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/exit"
)

// Setting is a setting in the output of the config commands.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// maskedValue replaces the value of a secret in the output of the config commands.
const maskedValue = "(secret)"

// ListSettings returns all settings with their origins: the profile, the settings in it, the
// paths of operations, and the secrets in the environment. The values of secrets are masked.
func ListSettings(env Getenv, s *Settings) ([]Setting, error) {
	documents := []Setting{{KeyProfile, s.Profile, s.origins[KeyProfile]}}
	for _, v := range EnvVars {
		value := ""
		switch {
		case v.secret && env(v.Name) != "":
			documents = append(documents, Setting{v.Name, maskedValue, "variable " + v.Name})
			continue
		case v.Key == "":
			continue
		case v.Key == KeyDataDir:
			dir, err := DataDir(env, s)
			if err != nil {
				return nil, err
			}
			value = dir
			if xdg := "XDG_DATA_HOME"; s.origins[v.Key] == originDefault && filepath.IsAbs(env(xdg)) { // the variable determines the default data folder; see userDir
				s.origins[v.Key] = "variable " + xdg
			}
		default:
			value = s.GetString(v.Key)
		}
		documents = append(documents, Setting{v.Key, value, s.origins[v.Key]})
	}
	paths, err := s.PathOverrides(OperationIDs())
	if err != nil {
		return nil, err
	}
	path, err := FilePath(env)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(paths)) {
		documents = append(documents, Setting{KeyPaths + "." + id, paths[id], "file " + path})
	}
	return documents, nil
}

// SettingKeys returns all valid keys, except paths.OPERATION for the paths of operations.
func SettingKeys() []string {
	keys := []string{KeyProfile}
	for _, v := range EnvVars {
		if v.Key != "" {
			keys = append(keys, v.Key)
		}
	}
	return keys
}

// CheckKey returns an error if there is no setting with this key.
func CheckKey(key string) error {
	if slices.Contains(SettingKeys(), key) {
		return nil
	}
	if id, ok := strings.CutPrefix(key, KeyPaths+"."); ok {
		if slices.Contains(OperationIDs(), id) {
			return nil
		}
		return exit.Usagef("unknown operation %q", id).WithHint("known operations: %s", strings.Join(OperationIDs(), ", "))
	}
	e := exit.Usagef("unknown setting %q", key)
	if word := strings.ToLower(key); strings.Contains(word, "password") || strings.Contains(word, "token") {
		return e.WithHint("secrets are not stored in the config file: log in with `foretell login`")
	}
	return e.WithHint("known settings: %s and %s.OPERATION", strings.Join(SettingKeys(), ", "), KeyPaths)
}

// CheckSetting returns an error if the key is unknown or the value is invalid.
func CheckSetting(key, value string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if key == KeyProfile {
		if !isProfileName(value) {
			return invalidProfileError(fmt.Sprintf("invalid %s %q", key, value))
		}
		return nil
	}
	if id, ok := strings.CutPrefix(key, KeyPaths+"."); ok {
		if _, err := client.New(client.Options{BaseURL: EmbeddedURL, Paths: map[string]string{id: value}}); err != nil {
			return exit.Usagef("%w", err).WithHint("the path must also contain the operation's parameters in braces; see docs/api.md")
		}
		return nil
	}
	v, _ := FindSetting(key)
	return v.validate(value)
}

// YAMLPath returns the keys that lead to a setting in the config file, from the top level.
func YAMLPath(s *Settings, key string) []string {
	if key == KeyProfile {
		return []string{KeyProfile}
	}
	return append([]string{"profiles", s.Profile}, strings.SplitN(key, ".", 2)...)
}

// OperationIDs returns the IDs of all operations of the API. The settings of paths use these
// IDs as keys.
func OperationIDs() []string {
	ids := make([]string, 0, len(api.Operations()))
	for _, op := range api.Operations() {
		ids = append(ids, op.ID)
	}
	return ids
}
