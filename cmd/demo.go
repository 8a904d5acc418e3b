package cmd

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// sample holds the files of the demonstration: 150 flowers of three species, divided into
// train.csv, blind.csv and answers.csv.
//
//go:embed sample/*.csv
var sample embed.FS

type demoOptions struct {
	factory *cli.Factory
}

func newDemoCmd(f *cli.Factory) *cobra.Command {
	opts := &demoOptions{factory: f}
	return &cobra.Command{
		Use: "demo [FOLDER]", Short: "Run every step on a small sample",
		Long: `Writes a small sample, 150 flowers of three species, and then runs and explains each
step. It takes a few seconds, works offline and needs no account.

The sample and the results are written to FOLDER, and the models to its subfolder data.
If FOLDER exists, it must be empty. Without FOLDER, the demo uses a temporary folder and
removes it at the end.`,
		Example: `  foretell demo
  foretell demo flowers`,
		Args: cli.PositionalArgs("[FOLDER]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
}

// demoSteps are the commands of the demo, each with an explanation.
var demoSteps = []struct{ why, command string }{
	{"train.csv lists flowers with their species, and blind.csv lists flowers without it. Check both files:", "foretell check train.csv blind.csv --quiet"},
	{"Train four algorithms on train.csv, and predict blind.csv with a blend of them:", "foretell run train.csv --blind blind.csv --name flowers --time-limit 20s"},
	{"answers.csv contains the true species of the flowers in blind.csv. Compare the predictions with it:", "foretell score blind.predictions.csv answers.csv"},
	{"Show why the model was chosen, and which columns it depends on:", "foretell models report flowers"},
	{"Verify with the receipt that no byte of the result has changed:", "foretell predictions verify blind.predictions.csv"},
}

func (o *demoOptions) run(ctx context.Context, args []string) error {
	folder, err := o.createFolder(args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		defer func() { _ = os.RemoveAll(folder) }()
	}
	if err := writeSample(folder); err != nil {
		return err
	}
	before, err := os.Getwd()
	if err != nil {
		return err
	}
	env := config.Isolate(o.factory.Env, filepath.Join(folder, "data"))
	if err := os.Chdir(folder); err != nil { // the paths in the printed commands are relative to the folder
		return err
	}
	defer func() { _ = os.Chdir(before) }()
	for _, step := range demoSteps {
		o.factory.Note("\n%s\n$ %s", step.why, step.command)
		if err := o.runStep(ctx, folder, env, step.command); err != nil {
			return err
		}
	}
	o.factory.Note("\nTo use your own files:\n  foretell run TRAIN.csv --blind BLIND.csv\nStep by step: foretell help quickstart")
	if len(args) > 0 {
		o.factory.Note("The files are in %s; list the models with: foretell leaderboard --data-dir %s", folder, term.ShellQuote(filepath.Join(folder, "data")))
	}
	return nil
}

// createFolder creates the folder args[0] or, without arguments, a temporary folder, and returns
// its path. It returns an error if the folder args[0] exists and is not empty.
func (o *demoOptions) createFolder(args []string) (folder string, err error) {
	if len(args) == 0 {
		return os.MkdirTemp("", "foretell-demo-")
	}
	if err := os.MkdirAll(args[0], 0o777); err != nil {
		return "", err
	}
	found, err := os.ReadDir(args[0])
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		return "", exit.Errorf(exit.Conflict, "the folder \"%s\" is not empty", args[0]).WithHint("choose another folder, or omit the folder to use a temporary one")
	}
	return filepath.Abs(args[0])
}

// writeSample writes the sample files into a folder.
func writeSample(folder string) error {
	return fs.WalkDir(sample, "sample", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := sample.ReadFile(name)
		return errors.Join(err, os.WriteFile(filepath.Join(folder, entry.Name()), text, 0o666))
	})
}

// runStep runs a command line such as "foretell check train.csv" in this process. env is the
// environment of the steps, and folder the folder of the demonstration.
func (o *demoOptions) runStep(ctx context.Context, folder string, env config.Getenv, command string) error {
	return exit.FromNested(ctx, execute(ctx, o.factory.NewNested(strings.Fields(command)[1:], env, o.factory.Streams[0], nil)), folder)
}
