package connect

import (
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/exit"
)

// AwaitDataset waits until a dataset is prepared and returns it. If the dataset is FAILED, it
// returns an error with the reason.
func (c *Session) AwaitDataset(ctx context.Context, key string) (*api.Dataset, error) {
	if err := c.adoptInterruptedJob(ctx, key); err != nil {
		return nil, err
	}
	phase := c.Progress.StartPhase("the service is preparing the dataset")
	defer phase.Done()
	status, again := "", "foretell datasets wait "+key
	dataset, err := c.WaitDataset(ctx, key, func(d *api.Dataset) {
		if d == nil {
			phase.Tick(outageActivity)
			return
		}
		if d.SHA256 != "" { // a repeated run finds the dataset by its SHA-256
			again = c.resumeCommand("foretell datasets wait "+key, "")
		}
		if status = d.Status; status == api.DatasetPending {
			phase.Tick("still PENDING")
			return
		}
		phase.Tick(waitingActivity(d.WaitingFor))
	})
	switch {
	case err != nil && status == api.DatasetPending && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, exit.Errorf(exit.StillRunning, "dataset %s did not finish before --timeout: it is still PENDING, because it has no data yet", key).
			WithHint("upload its CSV with `foretell datasets upload %s FILE`", key)
	case err != nil:
		return nil, c.WaitError(ctx, err, "dataset", key, again)
	}
	if dataset.Status == api.DatasetFailed && api.IsInternalFailure(dataset.FailureReason) {
		return nil, c.internalFailure(dataset)
	}
	if dataset.Status == api.DatasetFailed {
		e := exit.Errorf(exit.Rejected, "dataset %s was rejected: %s", dataset.DatasetName, dataset.FailureReason)
		if api.IsQuotaFailure(dataset.FailureReason) { // the reason also says how to get space
			e.Status, e.Code, e.Cause = exit.Conflict, string(api.CodeQuota), api.NewProblem(api.CodeQuota, "%s", dataset.FailureReason)
			return nil, e.WithHint("when the quota has enough space, delete the dataset with `foretell datasets delete %s`, then create it again", key)
		}
		return nil, e.WithHint("fix the file, delete the dataset with `foretell datasets delete %s`, then create it again", key)
	}
	return dataset, nil
}

// internalFailure returns the error for a dataset that FAILED because of a fault of the service.
func (c *Session) internalFailure(d *api.Dataset) error {
	if !c.Embedded {
		return exit.Errorf(exit.Unexpected, "dataset %s was not prepared: %s", d.DatasetName, d.FailureReason).
			WithHint("the file is not the cause: report the failure to the operator of the service, with the key of the dataset, %s", d.DatasetKey)
	}
	return exit.Errorf(exit.Unexpected, "dataset %s was not prepared: %s", d.DatasetName, d.FailureReason).
		WithHint("the file is not the cause: to see the cause, set %s=1 and repeat the command; if the machine has enough memory, report the output as a bug; to remove the failed dataset, use `foretell datasets delete %s`",
			config.EnvDebug, d.DatasetKey)
}

// ResumeEmbeddedPreparation continues the preparation of a dataset if the service is in this
// process and the process that prepared the dataset has ended. Otherwise it does nothing.
func (c *Session) ResumeEmbeddedPreparation(ctx context.Context, key string) error {
	if !c.Embedded { // a server resumes its jobs by itself
		return nil
	}
	d, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: key})
	if err != nil || d.Status != api.DatasetProcessing || !d.Interrupted {
		return err
	}
	_, err = c.AwaitDataset(ctx, key)
	return err
}

// FetchClassLabels requests the dataset with the given key and returns the labels of its classes;
// nil if they are unknown.
func (c *Session) FetchClassLabels(ctx context.Context, dataset string) ([]string, error) {
	d, err := client.Call(ctx, c.Client, api.GetDataset, &api.DatasetInput{DatasetKey: dataset})
	if err != nil {
		return nil, err
	}
	return DatasetClassLabels(d), nil
}

// DatasetClassLabels returns the labels of the classes of a dataset; nil if they are unknown.
func DatasetClassLabels(d *api.Dataset) []string {
	if len(d.Classes) == 0 {
		return nil
	}
	labels := make([]string, len(d.Classes))
	for i, class := range d.Classes {
		labels[i] = class.Label
	}
	return labels
}
