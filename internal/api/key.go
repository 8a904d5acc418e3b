package api

import "strings"

// ShortKey returns the first part of the key of an object. Commands accept it in place of the key.
func ShortKey(key string) string {
	first, _, _ := strings.Cut(key, "-")
	return first
}
