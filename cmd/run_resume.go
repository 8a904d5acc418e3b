package cmd

import (
	"cmp"
	"context"

	"foretell/internal/api"
	"foretell/internal/client"
)

// resumed is the command that was typed, going on with a race; with "", the same
// command from its start.
func (j *journey) resumed(race string) string { return j.host.again("resume", race) }

// goOn takes the race of an earlier run on the same data to its end, and finds the
// model that it has to beat. A race that was cancelled may have left a model, too.
func (j *journey) goOn(ctx context.Context) error {
	key, err := j.trainingKey(ctx, j.resume)
	if err != nil {
		return err
	}
	race, err := client.Call(ctx, j.Client, api.GetTraining, &api.TrainingInput{TrainingJobKey: key})
	if err != nil {
		return err
	}
	key = cmp.Or(race.ParentTrainingJobKey, key)
	j.table, err = client.Call(ctx, j.Client, api.GetDataset, &api.DatasetInput{DatasetKey: race.DatasetKey})
	if err != nil {
		return err
	}
	sum := j.files.train.sha256(j.files.trained.Bytes)
	if j.table.SHA256 != "" && sum != "" && sum != j.table.SHA256 {
		return fail(ExitUntrusted, "race %s learns from other data than %s: the sums differ", key, j.files.train.name).
			advise("name the file that the race was started on, or start a race on this one: `%s`", j.resumed(""))
	}
	j.output.note("going on with race %s on dataset %s", key, j.table.DatasetName)
	if j.job, err = j.sit(ctx, key); err != nil {
		return err
	}
	if j.job.ModelKey == "" {
		return trainingFailed(j.job)
	}
	return j.gate.seekBefore(ctx, j.connection, j.job.ModelKey)
}
