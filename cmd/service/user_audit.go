package service

import (
	"context"
	"encoding/json"
	"math"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/cli"
)

type usersAuditOptions struct {
	dataDir dataDirFlag
	output  cli.Output
	list    cli.ListFlags

	actor, action string
	jsonLines     bool
}

func newUsersAuditCmd(f *cli.Factory) *cobra.Command {
	opts := &usersAuditOptions{}
	cmd := &cobra.Command{
		Use: "audit", Short: "List or export the audit log",
		Long: `Lists the events of the audit log, newest first: log-ins, password changes, requests for
access, administration, deletions and downloads.`,
		Example: `  foretell users audit --actor ada@example.org --limit 20
  foretell users audit --json-lines > audit.jsonl`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.dataDir.bind(cmd, f)
	opts.output.BindList(cmd, f, cli.ResultType[api.AuditEvent]())
	opts.output.Untrusted = true
	opts.list.Bind(cmd)
	cmd.Flags().StringVar(&opts.actor, "actor", "", "list only events of this email `address`; operator stands for commands on the data folder")
	cmd.Flags().StringVar(&opts.action, "action", "", "list only events of this `action`, such as login")
	cmd.Flags().BoolVar(&opts.jsonLines, "json-lines", false, "print one JSON document per line")
	cli.SetFlagGroup(cmd.Flags(), cli.GroupOutput, "json-lines")
	for _, form := range []string{"json", "jq", "template", "csv", "tsv", "fields", "quiet"} {
		cmd.MarkFlagsMutuallyExclusive(form, "json-lines")
	}
	return cmd
}

func (o *usersAuditOptions) run(ctx context.Context) error {
	service, err := o.dataDir.openService(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Close() }() // an error does no harm: nothing was written
	var events []api.AuditEvent
	err = service.App.EachAuditEvent(ctx, &api.ListAuditEventsInput{Actor: o.actor, Action: o.action}, int(min(o.list.Limit, math.MaxInt)), func(e *api.AuditEvent) error {
		if o.jsonLines {
			return json.NewEncoder(o.output.Factory.Console.Out).Encode(e)
		}
		events = append(events, *e)
		return nil
	})
	if err != nil || o.jsonLines {
		return err
	}
	return cli.PrintList(&o.output, events, "time", "actor", "action", "object", "detail", "outcome", "remoteAddress")
}
