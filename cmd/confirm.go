package cmd

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"
)

// confirmFlag holds the flags of a command that asks before it does harm.
type confirmFlag struct {
	host *factory
	cmd  *cobra.Command
	yes  bool
}

func (a *confirmFlag) bind(cmd *cobra.Command, f *factory) {
	a.host, a.cmd = f, cmd
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "answer the question with yes")
	cmd.Flags().Bool(keyNoInput, false, "never ask; a question that is needed is an error")
}

// ask asks unless --yes answers. A question that may not be asked is a
// wrong use that names the flag.
func (a *confirmFlag) ask(ctx context.Context, question string) error {
	if a.yes || isDryRun(a.cmd) {
		return nil
	}
	if mute, err := a.host.promptDisabled(a.cmd); err != nil {
		return err
	} else if mute {
		return usageErrorf("%s needs an answer, and there is nobody to ask", strconv.Quote(question)).withHint("--yes answers it")
	}
	ok, err := a.host.console.Confirm(ctx, question)
	if err != nil {
		return err
	}
	if !ok {
		return exitErrorf(ExitUsage, "not done: the answer was no").withHint("nothing was changed; --yes answers with yes")
	}
	return nil
}

// promptDisabled reports whether questions may not be asked.
func (f *factory) promptDisabled(cmd *cobra.Command) (bool, error) {
	s, err := f.settings(cmd.Flags())
	if err != nil {
		return false, err
	}
	never, err := strconv.ParseBool(cmp.Or(s.GetString(keyNoInput), "false"))
	if err != nil {
		return false, usageErrorf("%s %q: it takes true or false", s.originName(keyNoInput), s.GetString(keyNoInput))
	}
	return never || !f.console.CanAsk(), nil
}
