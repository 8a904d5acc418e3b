package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/frame"
)

// newRootCmd builds the command tree. It opens nothing; commands do that when they run.
func newRootCmd(f *factory) *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:   "foretell",
		Short: "Train a classifier on a table and predict another",
		Long: `Foretell trains a classifier on a labelled table and predicts another. Four
algorithms race; the best model, or their blend, is kept.

  foretell run train.csv --blind blind.csv

does everything on this machine, without account or network. With FORETELL_SERVER
or ` + "`foretell login`" + ` the same commands use a service.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case showVersion:
				return (&versionOptions{output: output{host: f, cmd: cmd}}).run()
			case len(args) == 0:
				return f.printIntro(cmd)
			}
			return runGroup(cmd, args)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(colors, f.color) {
				return usageErrorf("invalid --color %q: want %s", f.color, strings.Join(colors, ", "))
			}
			f.running = cmd
			f.openConsole()
			if err := checkDryRun(cmd); err != nil {
				return err
			}
			if err := cmd.ValidateFlagGroups(); err != nil {
				return exclusiveFlagsError(err)
			}
			return nil
		},
	}
	root.PersistentFlags().StringVar(&f.color, "color", "auto", "colour: auto, always or never")
	root.PersistentFlags().BoolP("help", "h", false, "show help for a command")
	root.Flags().BoolVarP(&showVersion, "version", "V", false, "print the version of this program")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(f.help)
	root.SetIn(f.streams[0])
	root.SetOut(f.streams[1])
	root.SetErr(f.streams[2])
	root.AddGroup(
		&cobra.Group{ID: "work", Title: "Train and predict:"},
		&cobra.Group{ID: "thing", Title: "Data and models:"},
		&cobra.Group{ID: "account", Title: "Account:"},
		&cobra.Group{ID: "service", Title: "Running a service:"},
		&cobra.Group{ID: "tool", Title: "Tools:"},
	)
	add := func(group string, cmds ...*cobra.Command) {
		for _, cmd := range cmds {
			cmd.GroupID = group
		}
		root.AddCommand(cmds...)
	}
	add("work", newRunCmd(f), newPredictCmd(f), newScoreCmd(f), newLeaderboardCmd(f), newReplayCmd(f), newCheckCmd(f), newDemoCmd(f))
	add("thing", newDatasetsCmd(f), newTrainingCmd(f), newModelsCmd(f), newPredictionsCmd(f))
	add("account", newLoginCmd(f), newLogoutCmd(f), newStatusCmd(f))
	add("service", newServeCmd(f), newWorkerCmd(f), newUsersCmd(f))
	add("tool", newOpenCmd(f), newConfigCmd(f), newAPICmd(f), newDoctorCmd(f), newPruneCmd(f))
	root.AddCommand(newVersionCmd(f), newManCmd(f))
	root.AddCommand(newHelpTopics()...)
	root.InitDefaultHelpCmd()
	validateHelpArgs(root)
	root.InitDefaultCompletionCmd()
	setRunGroup(root)
	completeValues(root, "color", colors...)
	completeDefaults(root)
	return root
}

// colors are the values of --color.
var colors = []string{"auto", "always", "never"}

// setRunGroup sets runGroup for every command that only has subcommands.
func setRunGroup(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		if child.HasSubCommands() && !child.Runnable() {
			child.Args, child.RunE = cobra.ArbitraryArgs, runGroup
		}
		setRunGroup(child)
	}
}

// runGroup prints help, or returns an error with suggestions for an unknown subcommand.
func runGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	e := usageErrorf("unknown command %q for %q", args[0], cmd.CommandPath())
	if way := commandSynonyms[args[0]]; way != "" && !cmd.HasParent() {
		return e.withHint("%s", way)
	}
	if likely := suggestions(cmd, args[0]); len(likely) > 0 {
		return e.withHint("did you mean %s?", strings.Join(likely, " or "))
	}
	return e.withHint("see `%s --help`", cmd.CommandPath())
}

// commandSynonyms maps command names of similar programs to ours.
var commandSynonyms = map[string]string{
	"train":    "to train and predict: `foretell run TRAIN.csv --blind BLIND.csv`",
	"fit":      "to train and predict: `foretell run TRAIN.csv --blind BLIND.csv`",
	"init":     "no setup is needed: try `foretell demo`, or see `foretell help quickstart`",
	"evaluate": "to score predictions: `foretell score PREDICTIONS.csv ANSWERS.csv`",
	"test":     "to score predictions: `foretell score PREDICTIONS.csv ANSWERS.csv`",
	"list":     "to list: `foretell datasets list`, `foretell models list` or `foretell training list`",
	"explain":  "to see what a model relies on: `foretell models report REF`",
	"diff":     "to compare: `foretell models diff A B` or `foretell predictions diff A.csv B.csv`",
	"export":   "to write a model's file: `foretell models export REF`",
	"verify":   "to check a result by its receipt: `foretell predictions verify RESULT.csv`",
}

// suggestions returns the subcommands similar to name.
func suggestions(cmd *cobra.Command, name string) []string {
	var names []string
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	return similarNames(name, names)
}

// similarNames returns at most three names that typed may mean, ignoring case: those with
// typed as a prefix, or the nearest with an edit distance of one or two.
func similarNames(typed string, names []string) []string {
	var found []string
	nearest := 3
	typed = strings.ToLower(typed)
	for _, name := range names {
		distance := frame.EditDistance([]rune(typed), []rune(strings.ToLower(name)), 3)
		if typed != "" && strings.HasPrefix(strings.ToLower(name), typed) {
			distance = 1
		}
		if distance < nearest {
			found, nearest = nil, distance
		}
		if distance == nearest && distance < 3 && len(found) < 3 {
			found = append(found, name)
		}
	}
	return found
}

// positionalArgs returns the check of a command's arguments. A name in brackets is
// optional; the last one may be repeated if it ends in "...".
func positionalArgs(names ...string) cobra.PositionalArgs {
	required, repeats := 0, false
	for _, name := range names {
		repeats = strings.HasSuffix(name, "...")
		if !strings.HasPrefix(name, "[") {
			required++
		}
	}
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < required:
			return usageErrorf("%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):required], " and ")).
				withHint("usage: %s", cmd.UseLine())
		case len(args) > len(names) && !repeats:
			return usageErrorf("%s takes no argument %q", cmd.CommandPath(), args[len(names)]).
				withHint("usage: %s", cmd.UseLine())
		}
		return nil
	}
}

// noArgs is the check of a command without arguments.
func noArgs(cmd *cobra.Command, args []string) error { return positionalArgs()(cmd, args) }
