package cmd

import (
	"context"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/blob"
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
	if conn.embedded {
		if err := st.measure(conn.dataDir); err != nil {
			return err
		}
	} else {
		st.Service, st.Credentials = conn.BaseURL(), o.host.credentialsFrom(s)
	}
	return item(&o.output, st, "service", "username", "credentials", "dataFolder", "bytes", "freeBytes", "datasets", "profile", "config")
}

// measure fills in the size of the data folder and the free space.
func (s *status) measure(dir string) error {
	free, _, err := blob.Space(dir)
	if err != nil {
		return err
	}
	s.FreeBytes = int64(free)
	return filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, gone := entry.Info(); gone == nil { // another process may delete a file meanwhile
				s.Bytes += info.Size()
			}
		}
		return nil
	})
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
	// Bytes is the size of all in the data folder, and FreeBytes what its disk has
	// left.
	Bytes     int64  `json:"bytes,omitempty"`
	FreeBytes int64  `json:"freeBytes,omitempty"`
	Datasets  int64  `json:"datasets"`
	Profile   string `json:"profile"`
	Config    string `json:"config"`
}
