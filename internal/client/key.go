package client

import (
	"reflect"
	"strings"
)

// findInvalidKey returns the first key in a decoded response that is not a valid key, or "" if all keys
// are valid. A key is the value of a field of type string whose name ends with Key. Messages contain
// commands with keys, so a key must not be able to add a flag or another command to them.
func findInvalidKey(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		return findInvalidKey(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if key := findInvalidKey(v.Index(i)); key != "" {
				return key
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			if field.Kind() != reflect.String {
				if key := findInvalidKey(field); key != "" {
					return key
				}
			} else if strings.HasSuffix(v.Type().Field(i).Name, "Key") && !isValidKey(field.String()) {
				return field.String()
			}
		}
	}
	return ""
}

// isValidKey reports whether a key is empty, or consists of at most 200 letters, digits and the
// characters ._- and does not begin with a hyphen. The keys of this service are UUIDs, but other
// deployments may have other keys.
func isValidKey(key string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return len(key) <= 200 && !strings.HasPrefix(key, "-") && strings.Trim(key, allowed) == ""
}
