package cmd

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"
)

// confirmFlag holds the flags of a destructive command.
type confirmFlag struct {
	host *factory
	cmd  *cobra.Command
	yes  bool
}

func (a *confirmFlag) bind(cmd *cobra.Command, f *factory) {
	a.host, a.cmd = f, cmd
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "skip the confirmation prompt")
	cmd.Flags().Bool(keyNoInput, false, "never prompt; it is an error if a prompt is needed")
}

// ask asks for confirmation unless --yes is set. It is a usage error if prompting is
// disabled.
func (a *confirmFlag) ask(ctx context.Context, question string) error {
	if a.yes || isDryRun(a.cmd) {
		return nil
	}
	if mute, err := a.host.promptDisabled(a.cmd); err != nil {
		return err
	} else if mute {
		return usageErrorf("cannot ask %s: there is no terminal, or prompting is disabled", strconv.Quote(question)).withHint("confirm with --yes")
	}
	ok, err := a.host.console.Confirm(ctx, question)
	if err != nil {
		return err
	}
	if !ok {
		return exitErrorf(ExitUsage, "cancelled: not confirmed").withHint("nothing was changed; --yes skips the prompt")
	}
	return nil
}

// promptDisabled reports whether prompting is disabled.
func (f *factory) promptDisabled(cmd *cobra.Command) (bool, error) {
	s, err := f.settings(cmd.Flags())
	if err != nil {
		return false, err
	}
	never, err := strconv.ParseBool(cmp.Or(s.GetString(keyNoInput), "false"))
	if err != nil {
		return false, usageErrorf("invalid %s %q: want true or false", s.originName(keyNoInput), s.GetString(keyNoInput))
	}
	return never || !f.console.CanAsk(), nil
}
