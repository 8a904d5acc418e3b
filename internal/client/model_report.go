package client

import (
	"context"
	"errors"
	"net/http"

	"foretell/internal/api"
)

// ModelReport returns the report of a model. It returns nil and no error for a response of 404, 405
// or 501: not every service implements this extension of the API. The result is therefore also nil
// for an unknown model.
func (c *Client) ModelReport(ctx context.Context, model string) (*api.ModelReport, error) {
	return c.fetchModelReport(ctx, &api.ModelReportInput{ModelInput: api.ModelInput{ModelKey: model}})
}

// ModelReportSummary is like ModelReport, but requests a report without its long parts; see
// [api.ModelReportInput]. Some services return the whole report anyway.
func (c *Client) ModelReportSummary(ctx context.Context, model string) (*api.ModelReport, error) {
	return c.fetchModelReport(ctx, &api.ModelReportInput{ModelInput: api.ModelInput{ModelKey: model}, Summary: true})
}

func (c *Client) fetchModelReport(ctx context.Context, in *api.ModelReportInput) (*api.ModelReport, error) {
	return callIfImplemented(ctx, c, api.GetModelReport, in)
}

// OwnAccount returns the account of the caller with its quota and its usage. It returns nil and no
// error for a response of 404, 405 or 501, because not every service implements this extension of
// the API.
func (c *Client) OwnAccount(ctx context.Context) (*api.Account, error) {
	return callIfImplemented(ctx, c, api.GetOwnAccount, &api.None{})
}

// SetModelState promotes or rejects a model, or lets the scores decide again whether it is the
// champion of its series; see [api.SetModelState]. It returns nil and no error for a response of
// 404, 405 or 501, because not every service implements this extension of the API.
func (c *Client) SetModelState(ctx context.Context, model, state string) (*api.Model, error) {
	return callIfImplemented(ctx, c, api.SetModelState, &api.SetModelStateInput{ModelInput: api.ModelInput{ModelKey: model}, Body: api.NewModelState{State: state}})
}

// callIfImplemented calls an endpoint that not every service implements. It returns nil and no error
// if the service responds with 404, 405 or 501.
func callIfImplemented[In, Out any](ctx context.Context, c *Client, endpoint api.Endpoint[In, Out], in *In) (*Out, error) {
	out, err := Call(ctx, c, endpoint, in)
	if IsMissingOperation(err) {
		return nil, nil
	}
	return out, err
}

// IsMissingOperation reports whether err is a response of 404, 405 or 501, which a service returns
// for an operation that it does not implement.
func IsMissingOperation(err error) bool {
	var problem *api.Problem
	return errors.As(err, &problem) &&
		(problem.Status == http.StatusNotFound || problem.Status == http.StatusMethodNotAllowed || problem.Status == http.StatusNotImplemented)
}
