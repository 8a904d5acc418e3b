package preflight

import (
	"context"
	"errors"
	"fmt"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/exit"
	"foretell/internal/term"
)

// Upload is a checked file to be sent to a dataset.
type Upload struct {
	In   *InputTable
	Size int64 // size of the file's canonical form in bytes
	// RoleFlags are the flags with which `foretell datasets upload` reads the file in the same way;
	// "" if it infers the same ID and label. See [Preflight.RoleFlags].
	RoleFlags string
	// IsNew is set if the command has created the dataset itself. If the file exceeds the quota,
	// UploadFile then deletes the dataset, unless an earlier attempt to send the file may have
	// succeeded.
	IsNew bool
}

// uploadTextMemory is profile.ScanOptions.TextMemory, in bytes, for an upload. It is small, because
// an upload needs only the defects of the file and no statistics.
const uploadTextMemory = 3 << 20

// PrepareUpload checks the training file at paths, and returns it for [UploadFile]. It returns an
// error if the file has a defect.
func (l *LayoutFlags) PrepareUpload(ctx context.Context, o *cli.Output, progress *term.Progress, paths ...string) (*Upload, error) {
	in, err := l.OpenInput(ctx, o.Factory, false, paths...)
	if err != nil {
		return nil, err
	}
	in.HashWhileChecking()
	p := &Preflight{Factory: o.Factory, Train: in, textMemory: uploadTextMemory}
	if err = p.Run(ctx, progress); err == nil {
		p.NoteRoles(o)
		err = p.DefectError()
	}
	if err == nil {
		err = p.ConfirmManyClasses(ctx, func() {})
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return &Upload{In: in, Size: p.TrainProfile.Bytes}, nil
}

// RoleFlags returns --label and --id with the label and the ID of the training file, quoted for a
// shell. They may have been inferred from the blind file, which a later command does not have.
func (p *Preflight) RoleFlags() string {
	if p.roles.Label == "" {
		return ""
	}
	flags, id := "--label "+term.ShellQuote(p.roles.Label), p.roles.ID
	if p.roles.GeneratedID {
		id = generateIDs
	}
	if id != "" {
		flags += " --id " + term.ShellQuote(id)
	}
	return flags
}

// UploadFile sends the file. The dataset stays PENDING until the whole file has arrived.
func UploadFile(ctx context.Context, c *connect.Session, created *api.CreatedDataset, file *Upload) error {
	meter := c.Progress.StartTransfer("uploading "+file.In.Name, file.Size)
	_, err := c.Upload(ctx, created, file.In.uploadSource(ctx, file.Size), meter.Set)
	meter.Done()
	if err == nil {
		return nil
	}
	again := fmt.Sprintf("foretell datasets upload %s %s", created.DatasetKey, file.In.ShellArguments(""))
	if file.RoleFlags != "" {
		again += " " + file.RoleFlags
	}
	if c.RunCommand != nil {
		again += " && " + c.RunCommand("")
	}
	var interrupted *exit.InterruptError
	if errors.As(context.Cause(ctx), &interrupted) {
		e := &exit.Error{Status: interrupted.Status(), Fact: "interrupted while uploading: the dataset is still PENDING", Cause: err}
		return e.WithHint("restart the upload with `%s`", again)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return exit.Errorf(exit.StillRunning, "the upload did not finish before --timeout: the dataset is still PENDING").
			WithHint("restart the upload with `%s`", again)
	}
	err = asFileRejection(ctx, file.In.Name, err)
	e := exit.FromError(ctx, err)
	if e.Status == exit.Unavailable || e.Code == codeFileChanged {
		e = e.WithHint("the dataset is still PENDING; restart the upload with `%s`", again)
	}
	if e.Code == string(api.CodeQuota) {
		if file.IsNew && !errors.Is(err, client.ErrRetried) && deleteEmptyDataset(ctx, c, created.DatasetKey, e) {
			return e
		}
		e = e.WithHint("dataset %[1]s is still PENDING and counts towards the quota: delete it with `foretell datasets delete %[1]s`, or upload the file to it later with `%[2]s`", created.DatasetKey, again)
	}
	return e
}

// deleteEmptyDataset deletes a dataset whose file exceeds the quota, and adds to the message of e
// that the dataset was deleted. It returns false if the dataset could not be deleted.
func deleteEmptyDataset(ctx context.Context, c *connect.Session, key string, e *exit.Error) bool {
	if _, err := client.Call(ctx, c.Client, api.DeleteDataset, &api.DatasetInput{DatasetKey: key}); err != nil {
		return false
	}
	e.Fact += "; the new dataset was deleted, because it is empty"
	return true
}

// DeleteIfOverQuota deletes a dataset that the command has created if err says that its file
// exceeds the quota. err is the error of the wait for the dataset, or nil: if the file was sent to
// an object store, the service checks the quota only during the wait. After the deletion,
// DeleteIfOverQuota returns an error that mentions the deletion, otherwise err.
func DeleteIfOverQuota(ctx context.Context, c *connect.Session, key string, err error) error {
	var problem *api.Problem
	if errors.As(err, &problem) && problem.Code == api.CodeQuota {
		if e := exit.FromError(ctx, problem); deleteEmptyDataset(ctx, c, key, e) {
			return e
		}
	}
	return err
}

// SubmitPrediction sends a blind file to be predicted.
func SubmitPrediction(ctx context.Context, c *connect.Session, in *api.NewPrediction, blind *Upload) (*api.CreatedPrediction, error) {
	meter := c.Progress.StartTransfer("uploading "+blind.In.Name, blind.Size)
	created, err := c.CreatePrediction(ctx, in, blind.In.uploadSource(ctx, blind.Size), meter.Set)
	meter.Done()
	if err != nil {
		return nil, asFileRejection(ctx, blind.In.Name, err)
	}
	return created, nil
}

// LostPredictionError adds a hint to err, an error of [SubmitPrediction], if the service may have
// created the prediction although the response was lost: the user should not predict the file
// twice. resume is the command that downloads the result of the prediction KEY. The text in
// otherwise says what to do if there is no prediction. Any other err is returned unchanged,
// including nil and the error of an interrupted command.
func LostPredictionError(ctx context.Context, err error, resume, otherwise string) error {
	if err == nil || ctx.Err() != nil || !client.MayHaveSucceeded(err) {
		return err
	}
	return exit.FromError(ctx, err).WithHint("the prediction may have been created: if `foretell predictions list` shows it, continue with `%s`, where KEY is the key of the prediction; otherwise %s", resume, otherwise)
}

// asFileRejection converts the service's error response to an upload into an error about the file.
// Without it, HTTP status 422 would be reported as an invalid flag.
func asFileRejection(ctx context.Context, file string, err error) error {
	var problem *api.Problem
	if !errors.As(err, &problem) {
		return err
	}
	e := exit.FromError(ctx, err)
	if problem.Status == 400 || problem.Status == 413 || problem.Status == 415 || problem.Status == 422 {
		e.Status, e.File = exit.Rejected, file
		e.Fact = file + ": " + e.Fact
		e = e.WithHint("check the file with `foretell check %s`", ShellArgument(file))
	}
	return e
}

// DatasetRequest returns the request for a dataset. An argument that is zero selects the
// default of the service.
func DatasetRequest(name, description string, buckets int) api.NewDataset {
	body := api.NewDataset{DatasetName: name}
	if description != "" {
		body.Description = &description
	}
	if buckets != 0 {
		body.NumberOfBuckets = &buckets
	}
	return body
}
