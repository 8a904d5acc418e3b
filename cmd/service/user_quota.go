package service

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/app"
	"foretell/internal/cli"
	"foretell/internal/exit"
)

type usersQuotaOptions struct {
	dataDir dataDirFlag
	cmd     *cobra.Command
	output  cli.Output

	datasets, bytes, races string
}

// quota is the output of `users quota`: what the account uses, and its limits; nil means no limit.
type quota struct {
	Email       string `json:"email"`
	Datasets    int64  `json:"datasets"`
	MaxDatasets *int64 `json:"maxDatasets"`
	Bytes       int64  `json:"bytes"`
	MaxBytes    *int64 `json:"maxBytes"`
	Races       int64  `json:"races"`
	MaxRaces    *int64 `json:"maxRaces"`
}

func newUsersQuotaCmd(f *cli.Factory) *cobra.Command {
	opts := &usersQuotaOptions{}
	cmd := &cobra.Command{
		Use: "quota EMAIL", Short: "Show or change the limits of an account",
		Long: `Shows the usage and the limits of an account. Each flag changes a limit. The value none
removes the limit. Data that exceeds a new limit is kept.`,
		Example: `  foretell users quota ada@example.org --datasets 100 --bytes 20GB --races none`,
		Args:    cli.PositionalArgs("EMAIL"),
		RunE:    func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args[0]) },
	}
	opts.cmd = cmd
	opts.dataDir.bind(cmd, f)
	cli.BindNeedlessYes(cmd)
	opts.output.BindItem(cmd, f, cli.ResultType[quota]())
	cmd.Flags().StringVar(&opts.datasets, "datasets", "", "maximum `number` of datasets, or \"none\" for no limit")
	cmd.Flags().StringVar(&opts.bytes, "bytes", "", "maximum `size` of all stored files, such as 20GB, or \"none\" for no limit")
	cmd.Flags().StringVar(&opts.races, "races", "", "maximum `number` of races that run or wait, or \"none\" for no limit")
	return cmd
}

func (o *usersQuotaOptions) run(ctx context.Context, email string) error {
	return o.dataDir.withAccount(ctx, email, func(a *app.App, found *api.Account) error { return o.setAndPrintQuota(ctx, a, found) })
}

// setAndPrintQuota changes the limits of an account as the flags say, and prints the quota of
// the account.
func (o *usersQuotaOptions) setAndPrintQuota(ctx context.Context, a *app.App, found *api.Account) (err error) {
	changed := false
	for _, limit := range []struct {
		flag, text string
		value      **int64
	}{{"datasets", o.datasets, &found.Quota.Datasets}, {"bytes", o.bytes, &found.Quota.Bytes}, {"races", o.races, &found.Quota.Races}} {
		if !o.cmd.Flags().Changed(limit.flag) {
			continue
		}
		changed = true
		if *limit.value, err = parseLimit(limit.flag, limit.text); err != nil {
			return err
		}
	}
	if changed {
		in := &api.SetQuotaInput{AccountInput: api.AccountInput{AccountKey: found.AccountKey}, Body: found.Quota}
		if found, err = a.SetQuota(ctx, in); err != nil {
			return err
		}
	}
	return cli.PrintItem(&o.output, quota{
		Email: found.Email, Datasets: found.Usage.Datasets, MaxDatasets: found.Quota.Datasets, Bytes: found.Usage.Bytes, MaxBytes: found.Quota.Bytes,
		Races: found.Usage.Races, MaxRaces: found.Quota.Races,
	}, "email", "datasets", "maxDatasets", "bytes", "maxBytes", "races", "maxRaces")
}

// parseLimit parses text, the value of flag. It returns nil for "none", which means no limit.
// Only --bytes accepts units.
func parseLimit(flag, text string) (*int64, error) {
	if text == "none" {
		return nil, nil
	}
	parse, wanted := cli.ParseBytes, "a size such as 20GB"
	if flag != "bytes" {
		wanted = "a number"
		parse = func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }
	}
	n, err := parse(text)
	if err != nil || n < 0 {
		return nil, exit.Usagef("invalid --%s %q: must be %s, or \"none\" for no limit", flag, text, wanted)
	}
	return &n, nil
}
