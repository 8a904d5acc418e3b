// Package requirement has the flags --require, --beat and --junit, and checks a model against
// them with the rules of package gate. The run, training, models and score commands use it.
package requirement

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/gate"
)

// Flags holds the flags of a command that checks a model against requirements.
type Flags struct {
	factory *cli.Factory
	texts   []string // the values of --require
	beat    string
	junit   string
	// sources names the flags whose results --junit writes, for error messages: "--require or
	// --beat".
	sources string
	// force is the flag --force of the command, or nil if the command has none.
	force *pflag.Flag

	requirements []*gate.Requirement
	baseline     baseline
	// rejected is true if ApplyToChampion has rejected the model.
	rejected bool
}

// Bind adds --require, --beat and --junit to cmd. If cmd has --force, it must have been
// added before. c completes the values of --beat.
func (f *Flags) Bind(cmd *cobra.Command, c *connect.ServiceFlags) {
	f.factory, f.sources, f.force = c.Factory, "--require or --beat", cmd.Flags().Lookup("force")
	flags := cmd.Flags()
	flags.StringArrayVar(&f.texts, "require", nil,
		"end with exit status 10 if the model misses this `requirement` on the test rows, such as 'rocAuc>=0.9' or 'recall[fraud]>=0.8'; may be repeated")
	flags.StringVar(&f.beat, "beat", "", "end with exit status 10 unless the trained model has a higher score on the test rows than this `model`: champion or a model reference")
	flags.StringVar(&f.junit, "junit", "", "write the results of --require and --beat as JUnit XML to `FILE`")
	_ = cmd.RegisterFlagCompletionFunc("beat", c.CompleteReferenceOrWord(connect.ChampionRef, connect.ListModelRefs))
}

// BindScores adds --require and --junit to cmd, which scores a file of predictions.
func (f *Flags) BindScores(cmd *cobra.Command, factory *cli.Factory) {
	f.factory, f.sources = factory, "--require"
	flags := cmd.Flags()
	flags.StringArrayVar(&f.texts, "require", nil,
		"end with exit status 10 if the predictions miss this `requirement`, such as 'rocAuc>=0.9' or 'recall[fraud]>=0.8'; may be repeated")
	flags.StringVar(&f.junit, "junit", "", "write the results of --require as JUnit XML to `FILE`")
}

// IsSet reports whether the flags have a requirement or a model to beat.
func (f *Flags) IsSet() bool { return len(f.texts) > 0 || f.beat != "" }

// Parse parses the requirements. Commands call it before they do anything else.
func (f *Flags) Parse() error {
	for _, text := range f.texts {
		r, err := gate.ParseRequirement(text)
		if err != nil {
			return exit.Usagef("invalid requirement %w", err)
		}
		f.requirements = append(f.requirements, r)
	}
	switch {
	case f.junit == "":
	case !f.IsSet():
		return exit.Usagef("--junit needs %s", f.sources).WithHint("add a requirement, such as `%s`", f.factory.CommandWith("require", "accuracy>=0.8"))
	case f.factory.IsStdout(f.junit):
		return exit.Usagef("--junit cannot write to standard output, because the result is written there").WithHint("use --junit FILE")
	}
	return nil
}

// RenameClasses replaces the class of each requirement by the class that name returns for it.
func (f *Flags) RenameClasses(name func(class string) string) {
	for _, r := range f.requirements {
		if r.Class != "" {
			r.Class = name(r.Class)
		}
	}
}

// CheckClasses returns an error if a requirement is on a class that is not in classes. If
// classes is empty, the classes are unknown, and CheckClasses returns nil.
func (f *Flags) CheckClasses(classes []string) error {
	for _, r := range f.requirements {
		if err := r.CheckClass(classes); err != nil && len(classes) > 0 {
			return exit.Usagef("invalid requirement %w", err)
		}
	}
	return nil
}

// TrainingFields are the fields of api.Training, in the order in which commands print them.
var TrainingFields = []string{
	"trainingJobKey", "parentTrainingJobKey", "algorithm", "datasetKey", "datasetName", "outcome", "failureReason",
	"metric", "scalingFactor", "groupColumn", "timeColumn", "effort", "classWeights", "monotone", "targetPerformance", "achievedPerformance", "logLoss", "testPerformance", "trainingPerformance",
	"modelKey", "createdOn", "startedOn", "finishedOn",
}
