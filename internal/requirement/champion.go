package requirement

import (
	"context"

	"foretell/internal/api"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/connect"
	"foretell/internal/gate"
)

// ApplyToChampion applies the results of the requirements to the choice of the champion of a
// series: the model that `foretell predict --with NAME` uses. It returns the model after the
// change.
//
// A model that missed a requirement is rejected, unless the user has promoted it. With --beat
// champion, a model that beats the champion becomes the champion, even if its score on the
// validation rows is lower. It is then accepted or, if the old champion was promoted, promoted in
// its place. A model that an earlier check has rejected stays rejected, because that check may have
// had other requirements.
//
// ApplyToChampion returns nil if r is nil. It also returns nil, and no error, if the service could
// not reject the model, so that the missed requirement decides the exit status.
func (f *Flags) ApplyToChampion(ctx context.Context, o *cli.Output, session *connect.Session, model string, r *gate.Report) (*api.Model, error) {
	if r == nil {
		return nil, nil
	}
	if r.NumMissed() > 0 {
		m, err := f.reject(ctx, o, session, model)
		if err != nil && ctx.Err() == nil {
			o.Note("warning: the service could not mark model %s as rejected, so the model can become the champion of its series, the model that `foretell predict --with NAME` uses: %v", model, err)
			return nil, nil
		}
		return m, err
	}
	m, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: model})
	if err != nil {
		return nil, err
	}
	if m.State == api.ModelRejected {
		o.Note("the model stays rejected, because it missed a requirement of an earlier check; `foretell models promote %s` makes it the champion of its series", model)
		return m, nil
	}
	if !f.BeatsChampion() || f.baseline.key == "" || m.Champion {
		return m, nil
	}
	beaten, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: f.baseline.key})
	if err != nil || !beaten.Champion {
		return m, err
	}
	state := api.ModelAccepted
	if beaten.State == api.ModelPromoted {
		state = api.ModelPromoted
	}
	if m, err = setState(ctx, o, session, m, state); err == nil && m.Champion {
		o.Note("model %s is %s, because it beats the champion: it is now the champion", model, state)
	}
	return m, err
}

// reject rejects a model that missed a requirement, unless the user has promoted it.
func (f *Flags) reject(ctx context.Context, o *cli.Output, session *connect.Session, model string) (*api.Model, error) {
	m, err := client.Call(ctx, session.Client, api.GetModel, &api.ModelInput{ModelKey: model})
	if err != nil || m.State == api.ModelPromoted {
		return m, err
	}
	m, err = setState(ctx, o, session, m, api.ModelRejected)
	f.rejected = err == nil && m.State == api.ModelRejected
	return m, err
}

// setState sets the state of a model, such as rejected. If the service has no such states, it
// prints a warning and returns m.
func setState(ctx context.Context, o *cli.Output, session *connect.Session, m *api.Model, state string) (*api.Model, error) {
	changed, err := session.SetModelState(ctx, m.ModelKey, state)
	if err != nil {
		return nil, err
	}
	if changed != nil {
		return changed, nil
	}
	consequence := "so the model can become the champion of its series, the model that `foretell predict --with NAME` uses"
	if state != api.ModelRejected {
		consequence = "so the champion of its series may stay the same"
	}
	o.Note("warning: the service cannot mark model %s as %s, %s", m.ModelKey, state, consequence)
	return m, nil
}
