// Package requirement binds --require, --beat and --junit, and evaluates them on a model's
// test rows. The run, predict and training commands use it; package gate has the rules.
package requirement

import (
	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/gate"
)

// Flags holds the flags of a command that checks a model against requirements.
type Flags struct {
	host  *cli.Factory
	texts []string
	beat  string
	junit string

	requirements []*gate.Requirement
	baseline     baseline
}

// Bind adds --require, --beat and --junit to cmd. c completes the values of --beat.
func (g *Flags) Bind(cmd *cobra.Command, c *connect.ServiceFlags) {
	g.host = c.Host
	flags := cmd.Flags()
	flags.StringArrayVar(&g.texts, "require", nil,
		"`requirement` on test rows, such as 'rocAuc>=0.9' or 'recall[fraud]>=0.8'; may be repeated (exit status 10 if missed)")
	flags.StringVar(&g.beat, "beat", "", "`model` to beat on test rows: champion, or a reference; a tie is a miss (exit status 10)")
	flags.StringVar(&g.junit, "junit", "", "write the requirements as JUnit XML to `FILE`")
	_ = cmd.RegisterFlagCompletionFunc("beat", c.CompleteOrWord(connect.Champion, connect.ModelNames))
}

// IsSet reports whether there is a requirement.
func (g *Flags) IsSet() bool { return len(g.texts) > 0 || g.beat != "" }

// Parse parses the requirements, before the command does anything.
func (g *Flags) Parse() error {
	for _, text := range g.texts {
		r, err := gate.Parse(text)
		if err != nil {
			return exit.Usagef("invalid requirement %w", err)
		}
		g.requirements = append(g.requirements, r)
	}
	switch {
	case g.junit == "":
	case !g.IsSet():
		return exit.Usagef("--junit needs a requirement").WithHint("add --require or --beat")
	case g.junit == "-":
		return exit.Usagef("--junit cannot write to standard output: the result goes there").WithHint("name a file")
	}
	return nil
}

// CheckClasses returns an error if a requirement names an unknown class. It returns nil
// if classes is empty, because they are not known yet.
func (g *Flags) CheckClasses(classes []string) error {
	for _, r := range g.requirements {
		if err := r.ValidFor(classes); err != nil && len(classes) > 0 {
			return exit.Usagef("invalid requirement %w", err)
		}
	}
	return nil
}

// TrainingMembers are the fields of api.Training, in the order in which commands print it.
var TrainingMembers = []string{
	"trainingJobKey", "parentTrainingJobKey", "algorithm", "datasetKey", "datasetName", "outcome", "failureReason",
	"metric", "scalingFactor", "targetPerformance", "achievedPerformance", "logLoss", "testPerformance", "trainingPerformance",
	"modelKey", "createdOn", "startedOn", "finishedOn",
}
