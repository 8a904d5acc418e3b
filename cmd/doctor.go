package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/connect"
	"foretell/internal/doctor"
)

type doctorOptions struct {
	checker doctor.Checker
	output  cli.Output
}

func newDoctorCmd(f *cli.Factory) *cobra.Command {
	opts := &doctorOptions{checker: doctor.Checker{Factory: f, Service: connect.ServiceFlags{NoJobs: true}}}
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the setup and the connection",
		Long: `Checks the version, the config file, the data folder and its disk, the proxy, the
service and its clock, whether you are logged in, the keyring and the terminal. Each
check prints a line: ok, warn or fail. The exit status is that of the first failure.

With --database or FORETELL_DATABASE, the command also checks the connection to this
PostgreSQL database. With --storage or FORETELL_STORAGE, it also checks the connection to
the S3 store or, if the storage is a folder, whether the folder exists.

--files reads every stored file of the data folder, and compares its SHA-256 with the
stored one. The default data folder is that of the embedded service. To check the files
of ` + "`foretell serve`" + `, set --data-dir to its folder.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.checker.Service.Bind(cmd, f)
	connect.BindStorage(cmd)
	connect.BindDatabase(cmd)
	opts.output.BindList(cmd, f, cli.ResultType[doctor.Result]())
	cmd.Flags().BoolVar(&opts.checker.VerifyFiles, "files", false, "read every stored file of the data folder and verify its SHA-256")
	opts.output.NoTruncate = true // show paths in full
	return cmd
}

func (o *doctorOptions) run(ctx context.Context) error {
	results := o.checker.Run(ctx)
	if err := cli.PrintList(&o.output, results, "check", "verdict", "message"); err != nil {
		return err
	}
	for _, r := range results {
		if r.Verdict == doctor.VerdictWarn && r.Hint != "" && !o.output.JSON {
			o.output.Note("%s: %s", r.Check, r.Hint)
		}
	}
	return doctor.FirstFailure(results)
}
