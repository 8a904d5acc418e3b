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
	host    *factory
	service serviceFlags
	output  output
}

func newStatusCmd(f *factory) *cobra.Command {
	opts := &statusOptions{host: f, service: serviceFlags{idle: true}}
	cmd := &cobra.Command{
		Use: "status", Short: "Show the service and the account in use",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.service.bind(cmd, f)
	opts.output.bindItem(cmd, f, resultType[status]())
	return cmd
}

func (o *statusOptions) run(ctx context.Context) error {
	s, err := o.host.settings(o.service.cmd.Flags())
	if err != nil {
		return err
	}
	config, err := o.host.configFile()
	if err != nil {
		return err
	}
	session, err := o.service.connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	in := &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}}
	page, err := client.Call(ctx, session.Client, api.ListDatasets, in)
	if err != nil {
		return err
	}
	st := status{
		Service: "embedded", DataFolder: session.dataDir, Config: config, Profile: s.profile,
		Username: session.account, Datasets: page.Total,
	}
	if session.embedded {
		if err := st.measure(ctx, session); err != nil {
			return err
		}
	} else {
		st.Service, st.Credentials = session.BaseURL(), o.host.credentialOrigin(s)
	}
	return printItem(&o.output, st, "service", "username", "credentials", "dataFolder", "bytes", "datasetBytes", "modelBytes",
		"predictionBytes", "orphans", "orphanBytes", "freeBytes", "datasets", "profile", "config")
}

// measure sets the sizes of the data folder and of its parts, and the free space.
func (s *status) measure(ctx context.Context, session *session) error {
	free, _, err := blob.Space(session.dataDir)
	if err != nil {
		return err
	}
	s.FreeBytes = int64(free)
	used, err := session.app.Usage(ctx)
	if err != nil {
		return err
	}
	s.DatasetBytes, s.ModelBytes, s.PredictionBytes = used.Datasets, used.Models, used.Predictions
	s.Orphans, s.OrphanBytes = used.Orphans.Count, used.Orphans.Bytes
	return filepath.WalkDir(session.dataDir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, gone := entry.Info(); gone == nil { // another process may delete a file meanwhile
				s.Bytes += info.Size()
			}
		}
		return nil
	})
}

// credentialOrigin returns where the token comes from.
func (f *factory) credentialOrigin(s *settings) string {
	switch {
	case f.env(envToken) != "":
		return envToken
	case f.env(envPassword) != "" && s.GetString(keyUsername) != "":
		return envPassword
	case f.env(envPasswordFile) != "" && s.GetString(keyUsername) != "":
		return envPasswordFile
	}
	return s.GetString(keyStorage)
}

// status is the output of status.
type status struct {
	Service     string `json:"service"`
	Username    string `json:"username"`
	Credentials string `json:"credentials,omitempty"`
	DataFolder  string `json:"dataFolder,omitempty"`
	// Bytes is the total size of the data folder: datasets, models, predictions, orphans
	// and the database. FreeBytes is the free space of its disk.
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
