package cli

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"foretell/internal/config"
	"foretell/internal/exit"
)

// ConfirmFlag holds the flags of a command that asks for confirmation.
type ConfirmFlag struct {
	Factory *Factory
	Cmd     *cobra.Command
	yes     bool
}

// Bind adds --yes and --no-input to cmd.
func (a *ConfirmFlag) Bind(cmd *cobra.Command, f *Factory) {
	a.Factory, a.Cmd = f, cmd
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "skip the confirmation prompt")
	cmd.Flags().Bool(config.KeyNoInput, false, "never prompt; fail if a prompt is needed")
}

// BindNeedlessYes adds the flag --yes to cmd, a command that never asks for confirmation. The flag
// has no effect there, but a script can pass it to all commands of a group.
func BindNeedlessYes(cmd *cobra.Command) {
	cmd.Flags().BoolP("yes", "y", false, "has no effect, because this command never prompts; accepted for scripts that pass it to every command")
}

// Ask asks for confirmation unless --yes or --dry-run is set. It returns an error if the
// user does not confirm, or if prompting is disabled.
func (a *ConfirmFlag) Ask(ctx context.Context, question string) error {
	if a.yes || IsDryRun(a.Cmd) {
		return nil
	}
	if mute, err := a.Factory.PromptDisabled(a.Cmd); err != nil {
		return err
	} else if mute {
		return exit.Usagef("cannot ask %s: there is no terminal, or prompting is disabled", strconv.Quote(question)).WithHint("confirm with --yes")
	}
	ok, err := a.Factory.Console.Confirm(ctx, question)
	if err != nil {
		return err
	}
	if !ok {
		return exit.Errorf(exit.Usage, "cancelled: not confirmed").WithHint("nothing was changed; --yes skips the prompt")
	}
	return nil
}

// PromptDisabled reports whether prompts are disabled: by --no-input, by the setting no-input, or
// because there is no terminal.
func (f *Factory) PromptDisabled(cmd *cobra.Command) (disabled bool, err error) {
	s, err := config.Load(f.Env, cmd.Flags())
	if err != nil {
		return false, err
	}
	never, err := strconv.ParseBool(cmp.Or(s.GetString(config.KeyNoInput), "false"))
	if err != nil {
		return false, exit.Usagef("%s: must be true or false", s.DescribeInvalid(config.KeyNoInput))
	}
	return never || !f.Console.CanPrompt(), nil
}
