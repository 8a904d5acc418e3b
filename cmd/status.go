package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/client"
)

type statusOptions struct {
	host      *host
	connector connector
	output    output
}

func newStatusCmd(h *host) *cobra.Command {
	opts := &statusOptions{host: h, connector: connector{idle: true}}
	cmd := &cobra.Command{
		Use: "status", Short: "Show which service is used, and as whom",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.connector.bind(cmd, h)
	opts.output.bindItem(cmd, h, prints[status]())
	return cmd
}

func (o *statusOptions) run(ctx context.Context) error {
	s, err := o.host.settings(o.connector.cmd.Flags())
	if err != nil {
		return err
	}
	config, err := o.host.configFile()
	if err != nil {
		return err
	}
	conn, err := o.connector.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	in := &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}}
	page, err := client.Call(ctx, conn.Client, api.ListDatasets, in)
	if err != nil {
		return err
	}
	st := status{
		Service: "embedded", DataFolder: conn.dataDir, Config: config, Profile: s.profile,
		Username: conn.account, Datasets: page.Total,
	}
	if !conn.embedded {
		st.Service, st.Credentials = conn.BaseURL(), o.host.credentialsFrom(s)
	}
	return item(&o.output, st, "service", "username", "credentials", "dataFolder", "datasets", "profile", "config")
}

// credentialsFrom names where the token comes from.
func (h *host) credentialsFrom(s *settings) string {
	switch {
	case h.env(envToken) != "":
		return envToken
	case h.env(envPassword) != "" && s.GetString(keyUsername) != "":
		return envPassword
	case h.env(envPasswordFile) != "" && s.GetString(keyUsername) != "":
		return envPasswordFile
	}
	return s.GetString(keyStorage)
}

// status is what status prints.
type status struct {
	Service     string `json:"service"`
	Username    string `json:"username"`
	Credentials string `json:"credentials,omitempty"`
	DataFolder  string `json:"dataFolder,omitempty"`
	Datasets    int64  `json:"datasets"`
	Profile     string `json:"profile"`
	Config      string `json:"config"`
}
