package config

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"foretell/internal/exit"
)

// checkKeys returns an error with the line of the first key of config.yaml, which is at path, that is
// not a setting. A misspelt key would otherwise be ignored: with a misspelt server, commands would use
// the embedded service. Keys may have upper-case letters, which viper ignores.
func checkKeys(path string) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var doc yaml.Node
	if yaml.Unmarshal(content, &doc) != nil || len(doc.Content) == 0 {
		return nil // the caller has reported a syntax error; an empty file has no keys
	}
	top := doc.Content[0]
	if err := checkMapping(path, top, KeyProfile, "profiles"); err != nil {
		return err
	}
	known := []string{KeyPaths}
	for _, key := range SettingKeys() {
		if key != KeyProfile {
			known = append(known, key)
		}
	}
	for name, profiles := range mappingItems(top) {
		if strings.ToLower(name.Value) != "profiles" {
			continue
		}
		for _, profile := range mappingItems(profiles) {
			if err := checkMapping(path, profile, known...); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkMapping returns an error if a mapping of the file at path has a key that is not in known.
func checkMapping(path string, mapping *yaml.Node, known ...string) error {
	for key := range mappingItems(mapping) {
		if key.Tag == "!!merge" || slices.Contains(known, strings.ToLower(key.Value)) {
			continue
		}
		return exit.Usagef("%s:%d: unknown setting %q", path, key.Line, key.Value).At(path, key.Line, key.Column).
			WithHint("correct or remove the line; known settings here: %s", strings.Join(known, ", "))
	}
	return nil
}

// mappingItems yields the keys and values of a mapping. It yields nothing for another node.
func mappingItems(mapping *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		if mapping.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if !yield(mapping.Content[i], mapping.Content[i+1]) {
				return
			}
		}
	}
}
