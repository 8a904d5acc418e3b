package e2e_test

import (
	"slices"
	"strings"
	"testing"
)

var (
	comment   = pattern(`(?s)<!--.*?-->|<style>.*?</style>`)
	tag       = pattern(`<(/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*")?)*)\s*(/?)>`)
	attribute = pattern(`\s([a-zA-Z-]+)(?:="([^"]*)")?`)
	// datetime is the format of times in HTML, which have at most milliseconds.
	datetime = pattern(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$`)
)

// voidElements have no end tag.
var voidElements = []string{"meta", "link", "input", "br", "hr", "img"}

// checkMarkup fails the test if a page has a character < outside of tags, elements that are
// not closed in order, an ID or an attribute twice, or a reference to a missing ID. A
// validator checks more, but is not installed everywhere; docs/contributing.md says how to run
// one.
func checkMarkup(t *testing.T, path, page string) {
	t.Helper()
	page = comment().ReplaceAllString(page, "")
	if rest := tag().ReplaceAllString(strings.Replace(page, "<!DOCTYPE html>", "", 1), ""); strings.Contains(rest, "<") {
		t.Errorf("%s: there is text with <: %.80s", path, rest[strings.Index(rest, "<"):])
	}
	var open, ids, references []string
	for _, match := range tag().FindAllStringSubmatch(page, -1) {
		name, attributes := match[2], match[3]
		if match[1] == "/" {
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("%s: </%s> closes %v", path, name, open)
			}
			open = open[:len(open)-1]
			continue
		}
		if match[4] == "" && !slices.Contains(voidElements, name) {
			open = append(open, name)
		}
		var seen []string
		for _, a := range attribute().FindAllStringSubmatch(attributes, -1) {
			if slices.Contains(seen, a[1]) {
				t.Errorf("%s: an attribute %s is twice in <%s%s>", path, a[1], name, attributes)
			}
			seen = append(seen, a[1])
			switch a[1] {
			case "id":
				if slices.Contains(ids, a[2]) {
					t.Errorf("%s: the ID %s is there twice", path, a[2])
				}
				ids = append(ids, a[2])
			case "for", "aria-labelledby", "aria-describedby":
				references = append(references, strings.Fields(a[2])...)
			case "datetime":
				if !datetime().MatchString(a[2]) {
					t.Errorf("%s: %q is no time in HTML", path, a[2])
				}
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("%s: %v are not closed", path, open)
	}
	for _, id := range references {
		if !slices.Contains(ids, id) {
			t.Errorf("%s: there is no element with the ID %s", path, id)
		}
	}
}
