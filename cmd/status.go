package cmd

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/blob"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/connect"
	"foretell/internal/credential"
)

type statusOptions struct {
	factory *cli.Factory
	service connect.ServiceFlags
	output  cli.Output
}

func newStatusCmd(f *cli.Factory) *cobra.Command {
	opts := &statusOptions{factory: f, service: connect.ServiceFlags{NoJobs: true, ReadOnly: true, CreatesNothing: true}}
	cmd := &cobra.Command{
		Use: "status", Short: "Show the service and the account in use",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opts.run(cmd.Context()) },
	}
	opts.service.Bind(cmd, f)
	opts.output.BindItem(cmd, f, cli.ResultType[status]())
	return cmd
}

func (o *statusOptions) run(ctx context.Context) error {
	s, err := config.Load(o.factory.Env, o.service.Cmd.Flags())
	if err != nil {
		return err
	}
	content, err := config.FilePath(o.factory.Env)
	if err != nil {
		return err
	}
	session, err := o.service.Connect(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	page, err := client.Call(ctx, session.Client, api.ListDatasets, &api.ListDatasetsInput{PageInput: api.PageInput{Limit: 1}})
	if err != nil {
		return err
	}
	st := status{
		Service: "embedded", DataFolder: session.DataDir, Config: content, Profile: s.Profile,
		Username: session.Account,
	}
	if page.Total >= 0 { // other services may not count
		st.Datasets = &page.Total
	}
	if session.Embedded {
		if err := st.setSizes(ctx, session); err != nil {
			return err
		}
	} else {
		st.Service, st.Credentials = session.BaseURL(), credential.TokenOrigin(o.factory.Env, s)
		if err := st.setQuota(ctx, session); err != nil {
			return err
		}
	}
	return cli.PrintItem(&o.output, st, "service", "username", "credentials", "dataFolder", "bytes", "maxBytes", "datasetBytes", "modelBytes",
		"predictionBytes", "orphans", "orphanBytes", "freeBytes", "datasets", "maxDatasets", "races", "maxRaces", "profile", "config")
}

// setQuota sets the usage and the limits of the account, if the service has quotas.
func (s *status) setQuota(ctx context.Context, session *connect.Session) error {
	account, err := session.OwnAccount(ctx)
	if err != nil || account == nil || account.Usage == nil {
		return err
	}
	s.Bytes, s.MaxBytes, s.MaxDatasets = account.Usage.Bytes, account.Quota.Bytes, account.Quota.Datasets
	s.Races, s.MaxRaces = &account.Usage.Races, account.Quota.Races
	return nil
}

// setSizes sets the sizes of the data folder and of its parts, and the free disk space.
func (s *status) setSizes(ctx context.Context, session *connect.Session) error {
	free, _, err := blob.DiskSpace(session.DataDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // another command creates the folder
		return err
	}
	s.FreeBytes = int64(free)
	used, err := session.App.Usage(ctx)
	if err != nil {
		return err
	}
	s.DatasetBytes, s.ModelBytes, s.PredictionBytes = used.Datasets, used.Models, used.Predictions
	orphans, err := session.App.Orphans(ctx)
	if err != nil {
		return err
	}
	s.Orphans, s.OrphanBytes = orphans.Count, orphans.Bytes
	return filepath.WalkDir(session.DataDir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, gone := entry.Info(); gone == nil { // another process may delete a file meanwhile
				s.Bytes += info.Size()
			}
		}
		return nil
	})
}

// status is the output of the command status.
type status struct {
	Service     string `json:"service"`
	Username    string `json:"username"`
	Credentials string `json:"credentials,omitempty"`
	DataFolder  string `json:"dataFolder,omitempty"`
	// Bytes is the total size of the data folder: datasets, models, predictions, orphans and the
	// database. FreeBytes is the free space of its disk. For an account on a server, Bytes is the
	// size of all files of the account.
	Bytes           int64  `json:"bytes,omitempty" doc:"Size of the data folder, or of all files of the account on a service."`
	MaxBytes        *int64 `json:"maxBytes,omitempty" doc:"Limit of bytes; absent if there is none."`
	DatasetBytes    int64  `json:"datasetBytes,omitempty" doc:"Size of the uploaded CSV files."`
	ModelBytes      int64  `json:"modelBytes,omitempty"`
	PredictionBytes int64  `json:"predictionBytes,omitempty" doc:"Size of the results and blind files."`
	Orphans         int    `json:"orphans,omitempty" doc:"Number of files that the database does not refer to. They are kept for 30 days."`
	OrphanBytes     int64  `json:"orphanBytes,omitempty"`
	FreeBytes       int64  `json:"freeBytes,omitempty"`
	Datasets        *int64 `json:"datasets,omitempty" doc:"Number of datasets; absent if the service does not count them."`
	MaxDatasets     *int64 `json:"maxDatasets,omitempty" doc:"Limit of datasets; absent if there is none."`
	Races           *int64 `json:"races,omitempty" doc:"Number of races of the account that run or wait, on a service."`
	MaxRaces        *int64 `json:"maxRaces,omitempty" doc:"Limit of races; absent if there is none."`
	Profile         string `json:"profile"`
	Config          string `json:"config"`
}
