package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"foretell/internal/exit"
	"foretell/internal/term"
)

type pet struct {
	Name  string   `json:"name"`
	Born  string   `json:"bornOn,omitempty"`
	Legs  int      `json:"legs"`
	Share float64  `json:"share"`
	Owner *string  `json:"owner"`
	Toys  []pet    `json:"toys,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

var pets = []pet{
	{Name: "cat\nof two lines", Born: "2026-11-21T23:00:00Z", Legs: 4, Share: 0.8125, Tags: []string{"a", "b"}, Toys: []pet{{Name: "ball"}, {Name: "rope"}}},
	{Name: "<eel>", Legs: 12345678},
}

// filtered runs a command whose result is a list of pets. It passes the given flags and
// returns the output.
func filtered(t *testing.T, flags ...string) (string, error) {
	t.Helper()
	streams := [3]*os.File{}
	for i := range streams {
		file, err := os.Create(filepath.Join(t.TempDir(), "stream"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		streams[i] = file
	}
	now := func() time.Time { return time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC) }
	f := &Factory{Streams: streams, Env: func(string) string { return "" }, Now: now, Color: "auto"}
	f.OpenConsole()
	var out Output
	cmd := &cobra.Command{
		Use: "pets", SilenceErrors: true, SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error { return PrintList(&out, pets, "name", "legs") },
	}
	out.BindList(cmd, f, ResultType[pet]())
	cmd.SetArgs(flags)
	err := cmd.ExecuteContext(t.Context())
	printed, readErr := os.ReadFile(streams[1].Name())
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(printed), err
}

func TestFilters(t *testing.T) {
	tests := []struct {
		name, flag, text, want string
	}{
		{"text_is_raw", "--jq", ".[].name", "cat\nof two lines\n<eel>\n"},
		{"null_is_an_empty_line", "--jq", ".[].owner", "\n\n"},
		{"numbers_stay_as_they_are", "--jq", ".[] | .legs, .share", "4\n0.8125\n12345678\n0\n"},
		{"objects_are_one_line", "--jq", ".[1] | {name, legs}", "{\"legs\":12345678,\"name\":\"<eel>\"}\n"},
		{"tabs_of_tsv_stay", "--jq", ".[1] | [.name, .legs] | @tsv", "<eel>\t12345678\n"},
		{"halt_ends", "--jq", "1, halt, 2", "1\n"},
		{"the_environment_is_not_there", "--jq", "env | length", "0\n"},
		{"a_large_number_is_no_power_of_ten", "--template", "{{range .}}{{.legs}} {{.share}};{{end}}", "4 0.8125;12345678 0;"},
		{"what_is_left_out_is_empty", "--template", "{{range .}}[{{.bornOn}}{{.owner}}]{{end}}", "[2026-11-21T23:00:00Z][]"},
		{"numbers_compare", "--template", "{{range .}}{{if gt .legs 4}}{{.name}}{{end}}{{end}}", "<eel>"},
		{"functions", "--template", `{{with index . 0}}{{join "+" .tags}} {{pluck "name" .toys | join ","}} {{timeago .bornOn}} {{truncate 3 .bornOn}} {{json .tags}}{{end}}`, `a+b ball,rope 1 hour ago 20… ["a","b"]`},
		{"rows_come_last", "--template", `{{range .}}{{tablerow .legs "x"}}{{end}}{{tablerow "short"}}head:` + "\n", "head:\n4\tx\n12345678\tx\nshort\t\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := filtered(t, test.flag, test.text)
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	t.Run("fields_come_before", func(t *testing.T) {
		got, err := filtered(t, "--fields", "legs,owner", "--jq", ".[0] | keys")
		if err != nil || got != "[\"legs\",\"owner\"]\n" {
			t.Errorf("%q, %v", got, err)
		}
	})
}

func TestFiltersThatFail(t *testing.T) {
	tests := []struct {
		name, flag, text, want string
	}{
		{"a_token_too_many", "--jq", ".[0]]", "unexpected token \"]\" at position 5"},
		{"an_end_too_soon", "--jq", ".[", "at position 3"},
		{"an_unknown_function", "--jq", "nope", "function not defined: nope/0"},
		{"a_result_that_is_none", "--jq", ".name", "expected an object"},
		{"an_unknown_template_function", "--template", "{{nope}}", `--template:1: function "nope" not defined`},
		{"an_unknown_member", "--template", "{{range .}}{{.name}}{{.nope}}{{end}}", `--template:1:22: at <.nope>: map has no entry for key "nope"`},
		{"an_unknown_field", "--fields", "name,nope", `unknown field "nope"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := filtered(t, test.flag, test.text)
			var e *exit.Error
			if !errors.As(err, &e) || e.Status != exit.Usage || !strings.Contains(e.Fact, test.want) {
				t.Errorf("%v, want exit %d with %q", err, exit.Usage, test.want)
			}
			if got != "" {
				t.Errorf("printed %q", got)
			}
		})
	}
}

func TestFormsExcludeEachOther(t *testing.T) {
	for _, flags := range [][]string{
		{"--jq", ".", "--csv"},
		{"--template", "x", "--quiet"},
		{"--jq", ".", "--template", "x"},
		{"--json", "--no-header"},
	} {
		if got, err := filtered(t, flags...); err == nil || got != "" {
			t.Errorf("%v: %v, printed %q", flags, err, got)
		}
	}
}

// FuzzQuery checks that no expression causes a panic.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{".", ".[0]]", "env", "[limit(3;repeat(1))]", "\"\\(1+1)\"", "€["} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := parseJQ(text)
		if (err == nil) != (read != nil) {
			t.Errorf("%q: %v and %v", text, read, err)
		}
	})
}

func TestJSONErrorsWithFilters(t *testing.T) {
	for _, arg := range []string{"--jq", "--jq=.", "--template=x"} {
		f := &Factory{Args: []string{"datasets", "list", arg}}
		if !f.WantsJSON() {
			t.Errorf("%s implies --json, but errors are not JSON", arg)
		}
	}
	var b bytes.Buffer
	exit.Usagef("x").Write(&term.Console{Err: &b}, true)
	if !json.Valid(b.Bytes()) {
		t.Errorf("%s is not JSON", &b)
	}
}
