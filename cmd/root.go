package cmd

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"foretell/cmd/dataset"
	"foretell/cmd/model"
	"foretell/cmd/prediction"
	"foretell/cmd/service"
	"foretell/cmd/session"
	"foretell/cmd/training"
	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/humanize"
)

// NewRootCmd returns the root command with all subcommands. It opens no files or connections.
func NewRootCmd(f *cli.Factory) *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:   "foretell",
		Short: "Train a classifier on a table and predict another",
		Long: `Foretell trains a classifier on a labelled table and predicts another. Four
algorithms race, and the model is a blend of them.

  foretell run train.csv --blind blind.csv

does everything on this machine, without an account or a network. To use a service
with the same commands, set FORETELL_SERVER or log in with ` + "`foretell login`" + `.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case showVersion:
				return (&versionOptions{output: cli.Output{Factory: f, Cmd: cmd}}).run()
			case len(args) == 0:
				return f.PrintIntro(cmd)
			}
			return cli.RunGroup(cmd, args)
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(colorModes, f.Color) {
				return exit.Usagef("invalid --color %q: must be %s", f.Color, humanize.JoinOr(colorModes))
			}
			f.Running = cmd
			f.OpenConsole()
			f.StartCommandSpan(cmd, cmd.GroupID != serviceGroup) // a service command has no span: its requests and jobs have their own
			if err := cmp.Or(cli.CheckEmptyFlags(cmd), cli.CheckEmptyArgs(cmd, args), cli.CheckDryRunFlags(cmd)); err != nil {
				return err
			}
			if err := cmd.ValidateFlagGroups(); err != nil {
				return cli.ExclusiveFlagsError(err)
			}
			return nil
		},
	}
	root.PersistentFlags().StringVar(&f.Color, "color", "auto", "colour: auto, always or never")
	root.PersistentFlags().BoolP("help", "h", false, "show help for a command")
	root.Flags().BoolVarP(&showVersion, "version", "V", false, "print the version of this program")
	root.SetFlagErrorFunc(f.FlagError)
	root.SetHelpFunc(f.PrintHelp)
	root.SetIn(f.Streams[0])
	root.SetOut(f.Stdout)
	root.SetErr(f.Streams[2])
	addCommands(root, f)
	root.AddCommand(cli.NewHelpTopics()...)
	root.InitDefaultHelpCmd()
	cli.RejectUnknownHelpTopics(root)
	root.InitDefaultCompletionCmd()
	setGroupHandlers(root)
	cli.SetFlagCompletions(root, "color", colorModes...)
	return root
}

// serviceGroup is the ID of the group of commands that run a service, in the help page.
const serviceGroup = "service"

// addCommands adds all commands, in the groups of the help page.
func addCommands(root *cobra.Command, f *cli.Factory) {
	root.AddGroup(
		&cobra.Group{ID: "work", Title: "Train and predict:"},
		&cobra.Group{ID: "thing", Title: "Data and models:"},
		&cobra.Group{ID: "account", Title: "Account:"},
		&cobra.Group{ID: serviceGroup, Title: "Running a service:"},
		&cobra.Group{ID: "tool", Title: "Tools:"},
	)
	add := func(group string, cmds ...*cobra.Command) {
		for _, cmd := range cmds {
			cmd.GroupID = group
		}
		root.AddCommand(cmds...)
	}
	add("work", newRunCmd(f), prediction.NewPredictCmd(f), newExplainCmd(f), prediction.NewScoreCmd(f), newLeaderboardCmd(f), newReplayCmd(f), newCheckCmd(f), newDemoCmd(f))
	add("thing", dataset.NewDatasetsCmd(f), training.NewTrainingCmd(f), model.NewModelsCmd(f), prediction.NewPredictionsCmd(f))
	add("account", session.NewLoginCmd(f), session.NewLogoutCmd(f), newStatusCmd(f), session.NewSessionsCmd(f))
	add(serviceGroup, service.NewServeCmd(f), service.NewWorkerCmd(f), service.NewMigrateCmd(f), service.NewBackupCmd(f), service.NewRestoreCmd(f), service.NewUsersCmd(f), service.NewKeysCmd(f), service.NewJobsCmd(f))
	add("tool", newOpenCmd(f), newConfigCmd(f), newAPICmd(f), newDoctorCmd(f), newPruneCmd(f))
	root.AddCommand(newVersionCmd(f), newManCmd(f))
}

// colorModes are the valid values of --color.
var colorModes = []string{"auto", "always", "never"}

// setGroupHandlers makes cli.RunGroup the RunE of every command that only has subcommands. RunGroup
// prints the help, or reports an unknown subcommand.
func setGroupHandlers(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		if child.HasSubCommands() && !child.Runnable() {
			child.Args, child.RunE = cobra.ArbitraryArgs, cli.RunGroup
		}
		setGroupHandlers(child)
	}
}
