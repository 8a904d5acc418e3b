package cmd

import (
	"cmp"
	"context"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
)

// resumeCommand returns the command line that resumes the race with the key race, which keeps its
// time limit. If race is "", the command line starts the run again.
func (p *runPipeline) resumeCommand(race string) string {
	if race == "" {
		return p.factory.CommandWith("resume", race)
	}
	return p.factory.CommandWith("resume", race, "time-limit")
}

// resumeTraining waits for the race of an earlier run on the same data, and finds the
// baseline. A cancelled race is accepted if it has a model.
func (p *runPipeline) resumeTraining(ctx context.Context) error {
	key, err := p.TrainingKey(ctx, p.resume)
	if err != nil {
		return err
	}
	race, err := client.Call(ctx, p.Client, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
	if err != nil {
		return err
	}
	key = cmp.Or(race.ParentTrainingJobKey, key)
	p.dataset, err = client.Call(ctx, p.Client, api.GetDataset, &api.DatasetInput{DatasetKey: race.DatasetKey})
	if err != nil {
		return err
	}
	sum := p.files.Train.Sha256(p.files.TrainProfile.Bytes)
	if p.dataset.SHA256 != "" && sum != "" && sum != p.dataset.SHA256 {
		return exit.Errorf(exit.Untrusted, "race %s uses other data than %s: the SHA-256 differs", key, p.files.Train.Name).
			WithHint("use the file that the race was started on, or start a new race on this one with `%s`", p.resumeCommand(""))
	}
	p.output.Note("continuing race %s on dataset %s", key, p.dataset.DatasetName)
	if p.job, err = p.AwaitRace(ctx, key); err != nil {
		return err
	}
	if p.job.ModelKey == "" {
		return connect.TrainingError(p.job)
	}
	return p.gate.SetBaselineForModel(ctx, p.Session, p.job.ModelKey)
}
