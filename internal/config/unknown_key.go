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

// checkKeys checks the keys of config.yaml, which is at path. It returns an error about the first
// key that is not a setting, is set twice, or has a value of the wrong kind, such as a list. Such a
// key would otherwise be ignored. Keys may be in upper or lower case.
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

// checkMapping returns an error if a key of a mapping is not in known, occurs twice, or has a value
// of the wrong kind. path is the path of the file.
func checkMapping(path string, mapping *yaml.Node, known ...string) error {
	seen := map[string]bool{}
	for key, value := range mappingItems(mapping) {
		if key.Tag == "!!merge" {
			continue
		}
		name := strings.ToLower(key.Value)
		if !slices.Contains(known, name) {
			return exit.Usagef("%s:%d: unknown setting %q", path, key.Line, key.Value).At(path, key.Line, key.Column).
				WithHint("correct or remove the line; known settings here: %s", strings.Join(known, ", "))
		}
		if seen[name] {
			return exit.Usagef("%s:%d: %s is set twice, because upper and lower case do not differ", path, key.Line, key.Value).
				At(path, key.Line, key.Column).WithHint("remove one of the lines")
		}
		seen[name] = true
		if err := checkKind(path, key, value, name == "profiles" || name == KeyPaths); err != nil {
			return err
		}
		for inner, item := range mappingItems(value) { // a profile, or the path of an operation
			if err := checkKind(path, inner, item, name == "profiles"); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkKind returns an error if the value of a key is of the wrong kind: a mapping is required if
// isMapping is set, and otherwise a scalar. A missing value is valid. path is the path of the file,
// for the message.
func checkKind(path string, key, value *yaml.Node, isMapping bool) error {
	value = resolveAlias(value)
	kind, wants := yaml.ScalarNode, "one value"
	if isMapping {
		kind, wants = yaml.MappingNode, "names with values, on the lines below it and indented"
	}
	if key.Tag == "!!merge" || value.Kind == kind || value.Tag == "!!null" {
		return nil
	}
	return exit.Usagef("%s:%d: invalid %s: must have %s", path, key.Line, key.Value, wants).At(path, key.Line, key.Column).
		WithHint("correct or remove the line")
}

// resolveAlias returns the node to which an alias refers. It returns any other node unchanged.
func resolveAlias(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// mappingItems yields the keys and values of a mapping. It yields nothing for another node.
func mappingItems(mapping *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	mapping = resolveAlias(mapping)
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
