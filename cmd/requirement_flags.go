package cmd

import (
	"github.com/spf13/cobra"

	"foretell/internal/gate"
)

// requirementFlags holds the flags of a command that checks a model against requirements.
type requirementFlags struct {
	host  *factory
	texts []string
	beat  string
	junit string

	requirements []*gate.Requirement
	baseline     baseline
}

func (g *requirementFlags) bind(cmd *cobra.Command, c *serviceFlags) {
	g.host = c.host
	flags := cmd.Flags()
	flags.StringArrayVar(&g.texts, "require", nil,
		"`requirement` on test rows, such as 'rocAuc>=0.9' or 'recall[fraud]>=0.8'; may be repeated (exit status 10 if missed)")
	flags.StringVar(&g.beat, "beat", "", "`model` to beat on test rows: champion, or a reference; a tie is a miss (exit status 10)")
	flags.StringVar(&g.junit, "junit", "", "write the requirements as JUnit XML to `FILE`")
	_ = cmd.RegisterFlagCompletionFunc("beat", c.completeOrWord(champion, modelNames))
}

// isSet reports whether there is a requirement.
func (g *requirementFlags) isSet() bool { return len(g.texts) > 0 || g.beat != "" }

// parse parses the requirements, before the command does anything.
func (g *requirementFlags) parse() error {
	for _, text := range g.texts {
		r, err := gate.Parse(text)
		if err != nil {
			return usageErrorf("invalid requirement %w", err)
		}
		g.requirements = append(g.requirements, r)
	}
	switch {
	case g.junit == "":
	case !g.isSet():
		return usageErrorf("--junit needs a requirement").withHint("add --require or --beat")
	case g.junit == "-":
		return usageErrorf("--junit cannot write to standard output: the result goes there").withHint("name a file")
	}
	return nil
}

// checkClasses returns an error if a requirement names an unknown class. It returns nil
// if classes is empty, because they are not known yet.
func (g *requirementFlags) checkClasses(classes []string) error {
	for _, r := range g.requirements {
		if err := r.ValidFor(classes); err != nil && len(classes) > 0 {
			return usageErrorf("invalid requirement %w", err)
		}
	}
	return nil
}
