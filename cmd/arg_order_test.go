package cmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/cli"
)

func TestFlagsAfterCommand(t *testing.T) {
	root := newRootCmd(&cli.Factory{})
	tests := []struct{ name, in, want string }{
		{"switches_go_behind", "--json datasets list", "datasets list --json"},
		{"values_go_along", "--server URL --profile p status", "status --server URL --profile p"},
		{"values_after_an_equals_sign", "--server=URL status -q", "status --server=URL -q"},
		{"between_group_and_command", "datasets --json list --limit 3", "datasets list --json --limit 3"},
		{"shorthands", "-q model list", "model list -q"},
		{"a_shorthand_with_a_value", "-o out.csv run train.csv", "run -o out.csv train.csv"},
		{"a_shorthand_that_holds_its_value", "-oout.csv run train.csv", "run -oout.csv train.csv"},
		{"an_optional_value_is_none", "--debug status", "status --debug"},
		{"arguments_stay", "--json run --blind run check", "run --json --blind run check"},
		{"an_unknown_command_stays", "--json rnu x", "--json rnu x"},
		{"an_unknown_flag_takes_nothing", "--nope datasets list", "datasets list --nope"},
		{"behind_two_hyphens_nothing_moves", "--json -- datasets list", "--json -- datasets list"},
		{"a_value_that_looks_like_a_command", "--profile datasets status", "status --profile datasets"},
		{"completion_keeps_the_last_word", "__complete --json datasets li", "__complete datasets li"},
		{"completion_of_a_value", "__complete datasets --json --profile l", "__complete datasets --json --profile l"},
		{"completion_in_order", "__complete --json datasets list --fi", "__complete datasets list --json --fi"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(cli.FlagsAfterCommand(root, strings.Fields(test.in)), " ")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestFlagsMeanOneThing checks that a flag takes a value in all commands or in none;
// otherwise it could not precede the command's name.
func TestFlagsMeanOneThing(t *testing.T) {
	root := newRootCmd(&cli.Factory{})
	all := cli.AllFlags(root)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if known := all.Lookup(f.Name); (known.NoOptDefVal == "") != (f.NoOptDefVal == "") {
				t.Errorf("--%s of %s takes a value, or not, other than elsewhere", f.Name, cmd.CommandPath())
			}
			if known := all.ShorthandLookup(f.Shorthand); f.Shorthand != "" && known.Name != f.Name {
				t.Errorf("-%s of %s is --%s elsewhere", f.Shorthand, cmd.CommandPath(), known.Name)
			}
		})
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
}

func TestNearestFlag(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Bool("json", false, "")
	flags.Bool("threshold", false, "")
	for typed, want := range map[string]string{"jsno": "json", "jsons": "json", "thresh": "threshold", "label": ""} {
		if got := cli.NearestFlag(typed, flags); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

// TestManPages checks that no word of a command's help is lost in its manual page.
func TestManPages(t *testing.T) {
	root := newRootCmd(&cli.Factory{})
	pages := 0
	plain := strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "", `\fP`, "", `\-`, "-", `\&`, "", `\\`, `\`, `\e`, `\`)
	err := eachPage(root, func(cmd *cobra.Command) error {
		pages++
		var page strings.Builder
		if err := writeManPage(&page, cmd); err != nil {
			return err
		}
		got := plain.Replace(page.String())
		texts := []string{cmd.Short, cmd.Long, cmd.Example}
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { texts = append(texts, "--"+f.Name, f.Usage) })
		for _, text := range texts {
			for _, word := range strings.Fields(strings.ReplaceAll(text, "`", " ")) {
				if !strings.Contains(got, word) {
					t.Errorf("%s: the page lacks %q", cmd.CommandPath(), word)
				}
			}
		}
		return nil
	})
	if err != nil || pages < 30 {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// TestFormsAreKnownEarly checks that every command declares its output, so that an
// invalid --fields is found before it runs and can be completed.
func TestFormsAreKnownEarly(t *testing.T) {
	root := newRootCmd(&cli.Factory{})
	err := eachPage(root, func(cmd *cobra.Command) error {
		if cmd.Flags().Lookup("fields") == nil {
			return nil
		}
		complete, ok := cmd.GetFlagCompletionFunc("fields")
		if !ok {
			t.Errorf("%s completes no --fields", cmd.CommandPath())
			return nil
		}
		if names, _ := complete(cmd, nil, ""); len(names) == 0 {
			t.Errorf("%s does not tell what it prints", cmd.CommandPath())
		}
		if err := cmd.Flags().Set("fields", "no such member"); err == nil {
			t.Errorf("%s takes a --fields that there is not", cmd.CommandPath())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
