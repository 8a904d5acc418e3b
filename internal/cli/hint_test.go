package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/config"
	"foretell/internal/exit"
)

// TestHintOfUnavailableDatabase checks that a command that uses a PostgreSQL database suggests a command
// that has the flag --database, too.
func TestHintOfUnavailableDatabase(t *testing.T) {
	for _, c := range []struct {
		args     []string
		variable string
		want     string
	}{
		{[]string{"users", "--data-dir", "D"}, "", "`foretell status --data-dir D` shows"},
		{[]string{"users", "--data-dir", "D", "--database", "postgres://db/x"}, "", "`foretell doctor --data-dir D --database postgres://db/x` checks"},
		{[]string{"users"}, "postgres://db/x", "`foretell doctor` checks"},
		{[]string{"users", "--database", ""}, "postgres://db/x", "`foretell status` shows"},
		{[]string{"status"}, "postgres://db/x", "`foretell status` shows"},
	} {
		f := &Factory{Env: func(name string) string { return map[string]string{config.EnvDatabase: c.variable}[name] }}
		root := &cobra.Command{Use: "foretell"}
		for _, name := range []string{"users", "doctor", "status"} {
			command := &cobra.Command{Use: name, Run: func(command *cobra.Command, _ []string) { f.Running = command }}
			command.Flags().String("data-dir", "", "")
			if name != "status" {
				command.Flags().String("database", "", "")
			}
			root.AddCommand(command)
		}
		root.SetArgs(c.args)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		e := exit.FromError(t.Context(), api.NewProblem(api.CodeNotReady, "the database does not respond"))
		if f.AddHint(e); !strings.Contains(e.Hint, c.want) {
			t.Errorf("the hint of %q is %q, want %q", c.args, e.Hint, c.want)
		}
	}
}
