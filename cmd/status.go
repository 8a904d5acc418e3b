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
		if err := st.measure(ctx, conn); err != nil {
			return err
		}
	} else {
		st.Service, st.Credentials = conn.BaseURL(), o.host.credentialsFrom(s)
	}
	return item(&o.output, st, "service", "username", "credentials", "dataFolder", "bytes", "datasetBytes", "modelBytes",
		"predictionBytes", "orphans", "orphanBytes", "freeBytes", "datasets", "profile", "config")
}

// measure fills in the size of the data folder and of its parts, and the free space.
func (s *status) measure(ctx context.Context, conn *connection) error {
	free, _, err := blob.Space(conn.dataDir)
	if err != nil {
		return err
	}
	s.FreeBytes = int64(free)
	used, err := conn.inside.Usage(ctx)
	if err != nil {
		return err
	}
	s.DatasetBytes, s.ModelBytes, s.PredictionBytes = used.Datasets, used.Models, used.Predictions
	s.Orphans, s.OrphanBytes = used.Orphans.Count, used.Orphans.Bytes
	return filepath.WalkDir(conn.dataDir, func(_ string, entry fs.DirEntry, err error) error {
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
	// Bytes is the size of all in the data folder: of the files of datasets, models
	// and predictions, of orphans, and of the database. FreeBytes is what its disk
	// has left.
	Bytes           int64  `json:"bytes,omitempty"`
	DatasetBytes    int64  `json:"datasetBytes,omitempty" doc:"Of uploaded CSV files."`
	ModelBytes      int64  `json:"modelBytes,omitempty"`
	PredictionBytes int64  `json:"predictionBytes,omitempty" doc:"Of results and blind files."`
	Orphans         int    `json:"orphans,omitempty" doc:"How many files the database does not name. They are kept for 30 days."`
	OrphanBytes     int64  `json:"orphanBytes,omitempty"`
	FreeBytes       int64  `json:"freeBytes,omitempty"`
	Datasets        int64  `json:"datasets"`
	Profile         string `json:"profile"`
	Config          string `json:"config"`
}
