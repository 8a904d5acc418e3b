package app

import (
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/store"
)

// standing is how the work on a thing stands. The thing's row alone does not
// tell: the process that wrote RUNNING may have died since.
type standing struct {
	job *store.JobState // nil if there is no work to do
	// working tells that a living process works on it.
	working bool
	// interrupted tells that none does, and that none will until somebody asks.
	interrupted bool
	// before is how many jobs workers do first; 0 where that was not looked up.
	before int
}

// processes tells which processes live, asking once for each.
type processes struct {
	app    *App
	known  map[string]bool
	worker bool // some process takes up every job
}

// processes looks up whether any process takes up every job.
func (a *App) processes(ctx context.Context, t *store.Tx) (*processes, error) {
	p := &processes{app: a, known: map[string]bool{"": false}}
	workers, err := t.Workers(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range workers {
		p.worker = p.worker || p.alive(w)
	}
	return p, nil
}

func (p *processes) alive(process string) bool {
	lives, ok := p.known[process]
	if !ok {
		lives = p.app.store.Alive(process)
		p.known[process] = lives
	}
	return lives
}

// standing judges a job, which may be nil.
func (p *processes) standing(j *store.JobState) standing {
	if j == nil {
		return standing{}
	}
	s := standing{job: j, working: p.alive(j.Owner) && j.Until.After(p.app.now())}
	s.interrupted = !s.working && !p.worker && !p.alive(j.Process)
	return s
}

// standing reads how the work on one thing stands, with its place in the queue.
func (a *App) standing(ctx context.Context, t *store.Tx, subject string) (standing, error) {
	j, err := t.GetJobState(ctx, subject)
	if errors.Is(err, store.ErrNotFound) {
		return standing{}, nil
	}
	if err != nil {
		return standing{}, err
	}
	p, err := a.processes(ctx, t)
	if err != nil {
		return standing{}, err
	}
	s := p.standing(j)
	if p.worker && !s.working {
		s.before, err = t.JobsBefore(ctx, j)
	}
	return s, err
}

// standings reads how the work on all things of an account stands, by their
// keys; a thing that is not there has no work to do.
func (a *App) standings(ctx context.Context, t *store.Tx, account string) (map[string]standing, error) {
	jobs, err := t.ListJobStates(ctx, account)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	p, err := a.processes(ctx, t)
	if err != nil {
		return nil, err
	}
	all := make(map[string]standing, len(jobs))
	for _, j := range jobs {
		all[j.Subject] = p.standing(j)
	}
	return all, nil
}

// status is the state of a thing that waits for work: PENDING rather
// than RUNNING where no process works on it. Other states stay.
func (s standing) status(written string) string {
	if written == api.TrainingRunning && s.job != nil && !s.working { // a prediction's state is spelt the same
		return api.TrainingPending
	}
	return written
}

// training is a race as it stands, or one algorithm's part in it.
func (s standing) training(r *store.Training) api.Training {
	r.Status = s.status(r.Status)
	out := trainingOut(r)
	if s.interrupted {
		out.Outcome = api.OutcomeInterrupted
	}
	out.QueuedBehind, out.Interrupted = s.before, s.interrupted
	return out
}

// TakeUp has this process do the work on a dataset, a race or a prediction, also
// if another process queued it and died. While a living process does it, that
// goes on. Nothing happens where there is nothing to do.
func (a *App) TakeUp(ctx context.Context, key string) error {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		s, err := a.standing(ctx, t, key)
		if err != nil || s.job == nil || !s.interrupted {
			return err
		}
		return t.AdoptJob(ctx, key, a.store.Process())
	})
	a.pool.Want(key)
	return a.problem(err)
}

// Elsewhere reports whether a living process other than this one works on a
// dataset, a race or a prediction.
func (a *App) Elsewhere(ctx context.Context, key string) (bool, error) {
	var s standing
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		s, err = a.standing(ctx, t, key)
		return err
	})
	return s.working && s.job.Owner != a.store.Process(), a.problem(err)
}
