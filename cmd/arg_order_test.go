package cmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/cli"
)

func TestFlagsAfterCommand(t *testing.T) {
	root := NewRootCmd(&cli.Factory{})
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
			got := strings.Join(cli.MoveFlagsAfterCommand(root, strings.Fields(test.in)), " ")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
