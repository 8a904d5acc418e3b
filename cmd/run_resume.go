package cmd

import (
	"cmp"
	"context"

	"foretell/internal/api"
	"foretell/internal/client"
)

// resumeWith is the command that was typed, going on with a race; with "", the same
// command from its start.
func (p *runPipeline) resumeWith(race string) string { return p.host.commandWith("resume", race) }

// resumeTraining takes the race of an earlier run on the same data to its end, and finds the
// model that it has to beat. A race that was cancelled may have left a model, too.
func (p *runPipeline) resumeTraining(ctx context.Context) error {
	key, err := p.trainingKey(ctx, p.resume)
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
	sum := p.files.train.sha256(p.files.trainProfile.Bytes)
	if p.dataset.SHA256 != "" && sum != "" && sum != p.dataset.SHA256 {
		return exitErrorf(ExitUntrusted, "race %s learns from other data than %s: the sums differ", key, p.files.train.name).
			withHint("name the file that the race was started on, or start a race on this one: `%s`", p.resumeWith(""))
	}
	p.output.note("going on with race %s on dataset %s", key, p.dataset.DatasetName)
	if p.job, err = p.awaitRace(ctx, key); err != nil {
		return err
	}
	if p.job.ModelKey == "" {
		return trainingFailed(p.job)
	}
	return p.gate.findBaselineOf(ctx, p.session, p.job.ModelKey)
}
