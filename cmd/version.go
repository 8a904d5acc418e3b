package cmd

import (
	"github.com/spf13/cobra"

	"foretell/internal/build"
	"foretell/internal/cli"
)

type versionOptions struct {
	output cli.Output
}

func newVersionCmd(f *cli.Factory) *cobra.Command {
	opts := &versionOptions{}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  cli.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return opts.run() },
	}
	opts.output.BindItem(cmd, f, cli.ResultType[build.Info]())
	return cmd
}

func (o *versionOptions) run() error {
	return cli.PrintItem(&o.output, build.Current(), "version", "commit", "date", "go", "platform")
}
