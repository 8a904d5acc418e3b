package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/cli"
)

// flagValues has a valid and an invalid value for each type of flag.
var flagValues = map[string]struct{ valid, invalid string }{
	"age":      {"12h0m0s", "old"},
	"bool":     {"true", "maybe"},
	"duration": {"1m30s", "soon"},
	"float":    {"0.5", "half"},
	"int":      {"7", "seven"},
	"int64":    {"7", "seven"},
	"uint":     {"7", "-7"},
}

// TestFlagsParse parses each flag of each command without running the command. A valid value
// must be stored, and an invalid value must be an error. The defaults of flags are checked by
// TestReference.
func TestFlagsParse(t *testing.T) {
	forEachFlag(t, func(cmd *cobra.Command, flag *pflag.Flag) {
		values, ok := flagValues[flag.Value.Type()]
		if !ok { // any text is valid
			return
		}
		err := cmd.ParseFlags([]string{"--" + flag.Name + "=" + values.valid})
		if err != nil || !flag.Changed || flag.Value.String() != values.valid {
			t.Errorf("%s --%s=%s: %s, %v", cmd.CommandPath(), flag.Name, values.valid, flag.Value, err)
		}
		if flag.Name == "debug" || cmd.CommandPath() == "foretell config list" { // --debug also takes a path; config list checks flags itself
			return
		}
		if err := cmd.ParseFlags([]string{"--" + flag.Name + "=" + values.invalid}); err == nil {
			t.Errorf("%s --%s takes %q", cmd.CommandPath(), flag.Name, values.invalid)
		}
	})
}

// conflicts are the groups of flags that exclude each other, by command. Those of lists,
// results and the service are omitted, because they are the same in all commands.
var conflicts = []string{
	"check: no-label label",
	"explain: model data-dir",
	"explain: model debug",
	"explain: model dry-run",
	"explain: model local",
	"explain: model profile",
	"explain: model server",
	"explain: model verbose",
	"jobs list: database server",
	"jobs workers: database server",
	"login: code token-stdin",
	"login: password-stdin token-stdin",
	"login: stay-signed-in token-stdin",
	"predict: model data-dir",
	"predict: model debug",
	"predict: model dry-run",
	"predict: model local",
	"predict: model no-wait",
	"predict: model profile",
	"predict: model server",
	"predict: model timeout",
	"predict: model verbose",
	"predict: model with",
	"predict: no-wait columns",
	"predict: no-wait output",
	"predictions create: no-wait columns",
	"predictions create: no-wait output",
	"predictions diff: id in-order",
	"predictions list: dataset model",
	"run: plan beat",
	"run: plan blind",
	"run: plan dry-run",
	"run: plan force",
	"run: plan junit",
	"run: plan name",
	"run: plan no-receipt",
	"run: plan output",
	"run: plan require",
	"run: plan resume",
	"score: id in-order",
	"score: partial in-order",
	"training create: no-wait beat",
	"training create: no-wait junit",
	"training create: no-wait require",
	"users audit: csv json-lines",
	"users audit: fields json-lines",
	"users audit: tsv json-lines",
}

// TestFlagConflicts compares the groups of flags that exclude each other with the list
// conflicts. It runs a command with the first two flags of each group, which must be an
// error.
func TestFlagConflicts(t *testing.T) {
	var got []string
	forEachFlag(t, func(cmd *cobra.Command, flag *pflag.Flag) {
		_, path, _ := strings.Cut(cmd.CommandPath(), " ")
		for _, group := range flag.Annotations["cobra_annotation_mutually_exclusive"] {
			names := strings.Fields(group)
			if slices.Contains([]string{"json", "jq", "template", "quiet", "local", "data-dir"}, names[0]) || slices.Contains(got, path+": "+group) {
				continue
			}
			got = append(got, path+": "+group)
			both, _, err := NewRootCmd(&cli.Factory{}).Find(strings.Fields(path))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names[:2] {
				both.Flags().Lookup(name).Changed = true
			}
			if err := both.ValidateFlagGroups(); err == nil {
				t.Errorf("%s takes --%s with --%s", path, names[0], names[1])
			}
		}
	})
	slices.Sort(got)
	if diff := cmp.Diff(conflicts, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFlagsMeanOneThing checks that a flag takes a value in all commands or in none.
// Otherwise it would be unknown in `foretell --flag x list` whether x is the value of the
// flag or a command.
func TestFlagsMeanOneThing(t *testing.T) {
	root := NewRootCmd(&cli.Factory{})
	all := cli.AllFlags(root)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if known := all.Lookup(f.Name); (known.NoOptDefVal == "") != (f.NoOptDefVal == "") {
				t.Errorf("--%s must take a value in all commands or in none; %s differs from the others", f.Name, cmd.CommandPath())
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

// TestOutputTypesAreDeclared checks that every command declares the type of its output. Otherwise
// --fields could neither be completed nor be checked before the command runs.
func TestOutputTypesAreDeclared(t *testing.T) {
	root := NewRootCmd(&cli.Factory{})
	err := forEachManPage(root, func(cmd *cobra.Command) error {
		if cmd.Flags().Lookup("fields") == nil {
			return nil
		}
		complete, ok := cmd.GetFlagCompletionFunc("fields")
		if !ok {
			t.Errorf("%s completes no --fields", cmd.CommandPath())
			return nil
		}
		if names, _ := complete(cmd, nil, ""); len(names) == 0 {
			t.Errorf("%s completes no name of a field", cmd.CommandPath())
		}
		if err := cmd.Flags().Set("fields", "no such member"); err == nil {
			t.Errorf("%s accepts the name of an unknown field", cmd.CommandPath())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// forEachFlag calls visit for each flag of each command.
func forEachFlag(t *testing.T, visit func(cmd *cobra.Command, flag *pflag.Flag)) {
	t.Helper()
	err := forEachManPage(NewRootCmd(&cli.Factory{}), func(cmd *cobra.Command) error {
		cmd.InheritedFlags() // adds those of its parents
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { visit(cmd, flag) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
