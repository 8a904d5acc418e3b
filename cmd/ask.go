package cmd

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"
)

// asker holds the flags of a command that asks before it does harm.
type asker struct {
	host *host
	cmd  *cobra.Command
	yes  bool
}

func (a *asker) bind(cmd *cobra.Command, h *host) {
	a.host, a.cmd = h, cmd
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "answer the question with yes")
	cmd.Flags().Bool(keyNoInput, false, "never ask; a question that is needed is an error")
}

// confirm asks unless --yes answers. A question that may not be asked is a
// wrong use that names the flag.
func (a *asker) confirm(ctx context.Context, question string) error {
	if a.yes || dryRun(a.cmd) {
		return nil
	}
	if mute, err := a.host.mute(a.cmd); err != nil {
		return err
	} else if mute {
		return usage("%s needs an answer, and there is nobody to ask", strconv.Quote(question)).advise("--yes answers it")
	}
	ok, err := a.host.console.Confirm(ctx, question)
	if err != nil {
		return err
	}
	if !ok {
		return fail(ExitUsage, "not done: the answer was no").advise("nothing was changed; --yes answers with yes")
	}
	return nil
}

// mute reports whether questions may not be asked.
func (h *host) mute(cmd *cobra.Command) (bool, error) {
	s, err := h.settings(cmd.Flags())
	if err != nil {
		return false, err
	}
	never, err := strconv.ParseBool(cmp.Or(s.GetString(keyNoInput), "false"))
	if err != nil {
		return false, usage("%s %q: it takes true or false", s.source(keyNoInput), s.GetString(keyNoInput))
	}
	return never || !h.console.CanAsk(), nil
}
