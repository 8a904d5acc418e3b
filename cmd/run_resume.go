package cmd

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/race"
)

// resumeCommand returns the command line that resumes the race with the given key. If race is "",
// the command line starts the run again. A command line that resumes a race omits --time-limit,
// because the race keeps its time limit. Without a server, it also omits --timeout: the race starts
// over, and would reach the same timeout again.
func (p *runPipeline) resumeCommand(race string) string {
	if race == "" {
		return p.factory.CommandWith("resume", race)
	}
	if p.Embedded {
		return p.factory.CommandWith("resume", race, "time-limit", "timeout")
	}
	return p.factory.CommandWith("resume", race, "time-limit")
}

// continueCommand returns the command that continues the run after its race. The command resumes
// the race. If the run read a stream, which cannot be read again, the command predicts with the
// model of the race instead.
func (p *runPipeline) continueCommand() string {
	switch {
	case p.RunCommand != nil:
		return p.RunCommand(p.job.TrainingJobKey)
	case p.PredictCommand != nil:
		return p.PredictCommand(p.job.ModelKey)
	}
	return "foretell models report " + p.job.ModelKey
}

// resumeTraining waits for the race that --resume names, and finds the baseline of --beat. It
// returns an error if the race uses other data or other parameters than this run, or has no model.
// A cancelled race may have a model. request holds the parameters that the flags of this run set.
func (p *runPipeline) resumeTraining(ctx context.Context, request *api.NewTraining) error {
	key, err := p.TrainingKey(ctx, p.resume)
	if err != nil {
		return err
	}
	job, err := client.Call(ctx, p.Client, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
	if err != nil {
		return err
	}
	key = cmp.Or(job.ParentTrainingJobKey, key)
	p.dataset, err = client.Call(ctx, p.Client, api.GetDataset, &api.DatasetInput{DatasetKey: job.DatasetKey})
	if err != nil {
		return err
	}
	sum := p.files.Train.Sha256(p.files.TrainProfile.Bytes)
	if p.dataset.SHA256 != "" && sum != "" && sum != p.dataset.SHA256 {
		return exit.Errorf(exit.Untrusted, "race %s was started with other data than the file %s: the SHA-256 differs", key, p.files.Train.Name).
			WithHint("use the file that the race was started on, or start a new race on this file with `%s`", p.resumeCommand(""))
	}
	if err := p.checkResumedFlags(ctx, key, job, request); err != nil {
		return err
	}
	p.output.Note("continuing race %s on dataset %s", key, p.dataset.DatasetName)
	if p.job, err = p.AwaitRace(ctx, key); err != nil {
		return err
	}
	if p.job.ModelKey == "" {
		return connect.TrainingError(p.job)
	}
	return exit.WithContinueCommand(ctx, p.gate.SetBaselineForModel(ctx, p.Session, p.job.ModelKey), p.continueCommand())
}

// checkResumedFlags returns a usage error if a flag on the command line differs from the parameters
// of the race with the given key. job is the race, or the training of one of its algorithms, which
// has the same parameters.
func (p *runPipeline) checkResumedFlags(ctx context.Context, key string, job *api.Training, request *api.NewTraining) error {
	commandWithout := func(flag string) string { return p.factory.CommandWith(flag, "") }
	if p.buckets != 0 && p.buckets != p.dataset.NumberOfBuckets {
		return race.ResumedFlagError(key, "buckets", strconv.Itoa(p.buckets), strconv.Itoa(p.dataset.NumberOfBuckets), commandWithout("buckets"))
	}
	if p.name != "" {
		all, err := client.ListSeries(ctx, p.Client)
		if err != nil {
			return err
		}
		isDataset := func(d api.DatasetEntry) bool { return d.DatasetKey == p.dataset.DatasetKey }
		if !slices.ContainsFunc(findRunSeries(all, p.name, "").Datasets, isDataset) {
			return race.ResumedFlagError(key, "name", p.name, cmp.Or(p.dataset.Series, p.dataset.DatasetName), commandWithout("name"))
		}
	}
	progress, err := client.Call(ctx, p.Client, api.GetTrainingProgress, &api.TrainingProgressInput{TrainingInput: api.TrainingInput{TrainingJobKey: key}})
	if err != nil {
		return err
	}
	var algorithms []string
	for i := range progress.Jobs {
		algorithms = append(algorithms, progress.Jobs[i].Algorithm)
	}
	return p.training.CheckResumedFlags(job, algorithms, request, commandWithout)
}
