package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/doctor"
	"foretell/internal/humanize"
)

type doctorOptions struct {
	checker doctor.Checker
	output  cli.Output
}

func newDoctorCmd(f *cli.Factory) *cobra.Command {
	opts := &doctorOptions{checker: doctor.Checker{Host: f, Service: connect.ServiceFlags{Idle: true}}}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the setup and the connection",
		Long: `Checks the version, the config file, the data folder and its disk, the proxy, the
service and its clock, the sign-in, the keyring and the terminal. Each check prints
a line: ok, warn or fail. The exit status is that of the first failure.

--files reads every stored file of the data folder and compares it with its stored
SHA-256. The folder is that of the embedded service, or of ` + "`foretell serve`" + ` if
--data-dir names its folder.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.checker.Service.Bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[doctor.Result]())
	cmd.Flags().BoolVar(&opts.checker.Files, "files", false, "read every stored file of the data folder and verify its SHA-256")
	opts.output.NoTruncate = true // a path that is cut helps nobody
	return cmd
}

func (o *doctorOptions) run(ctx context.Context) error {
	checkups := o.checker.Run(ctx)
	if err := cli.PrintList(&o.output, checkups, "check", "verdict", "message"); err != nil {
		return err
	}
	failed := 0
	var first *doctor.Result
	for i := range checkups {
		c := &checkups[i]
		if c.Verdict == doctor.VerdictFail {
			failed++
			if first == nil {
				first = c
			}
		} else if c.Verdict == doctor.VerdictWarn && c.Hint != "" && !o.output.JSON {
			o.output.Note("%s: %s", c.Check, c.Hint)
		}
	}
	if first == nil {
		return nil
	}
	e := *first.Err
	e.Fact = fmt.Sprintf("%s of %d failed, first %s: %s", humanize.Count(failed, "check"), len(checkups), first.Check, e.Fact)
	return &e
}
