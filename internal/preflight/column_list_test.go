package preflight

import (
	"slices"
	"testing"
)

func TestColumnList(t *testing.T) {
	header := []string{"a", "b, c", `my label, with "quotes"`, "d", "a,d"}
	for _, c := range []struct {
		name   string
		values []string
		want   []string
	}{
		{"names", []string{"a,d", "x"}, []string{"a", "d", "x"}},
		{"quoted", []string{`"b, c",a`}, []string{"b, c", "a"}},
		{"whole_name", []string{"b, c", "a"}, []string{"b, c", "a"}},
		{"whole_name_with_quotes", []string{`my label, with "quotes"`}, []string{`my label, with "quotes"`}},
		{"unknown_names", []string{"x, y"}, []string{"x", " y"}},
		{"none", nil, nil},
		{"an_empty_variable_of_the_shell", []string{""}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l columnList
			for _, value := range c.values {
				if err := l.Set(value); err != nil {
					t.Fatal(err)
				}
			}
			l.joinNames(header)
			if got := l.GetSlice(); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
