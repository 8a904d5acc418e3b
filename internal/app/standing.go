package app

import (
	"context"
	"errors"

	"foretell/internal/api"
	"foretell/internal/store"
)

// standing is the state of the job on a resource. The status of the resource is
// not enough: the process that wrote RUNNING may have died.
type standing struct {
	job *store.JobState // nil if there is none
	// working reports whether a living process runs it.
	working bool
	// interrupted reports whether no process runs it and none will resume it
	// automatically.
	interrupted bool
	// before is the number of jobs that run first; 0 if it was not looked up.
	before int
}

// processes caches which processes are alive.
type processes struct {
	app    *App
	known  map[string]bool
	worker bool // some process runs the jobs of all processes
}

// processes looks up whether any process runs the jobs of all processes.
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

// standing returns the standing of a job, which may be nil.
func (p *processes) standing(j *store.JobState) standing {
	if j == nil {
		return standing{}
	}
	s := standing{job: j, working: p.alive(j.Owner) && j.Until.After(p.app.now())}
	s.interrupted = !s.working && !p.worker && !p.alive(j.Process)
	return s
}

// standing returns the standing of the job on one resource, with its place in
// the queue.
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

// standings returns the standings of all jobs of an account by the keys of
// their resources.
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

// status returns the status to report: PENDING instead of RUNNING if no process
// runs the job, otherwise the status as written.
func (s standing) status(written string) string {
	if written == api.TrainingRunning && s.job != nil && !s.working { // the same string as of a prediction
		return api.TrainingPending
	}
	return written
}

// training converts a race, or one algorithm's run in it.
func (s standing) training(r *store.Training) api.Training {
	r.Status = s.status(r.Status)
	out := trainingOut(r)
	if s.interrupted {
		out.Outcome = api.OutcomeInterrupted
	}
	out.QueuedBehind, out.Interrupted = s.before, s.interrupted
	return out
}

// TakeUp makes this process run the job on a dataset, race or prediction, even
// if a process that has died queued it. It does nothing if a living process
// runs the job or there is none.
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

// Elsewhere reports whether another living process runs the job on a dataset,
// race or prediction.
func (a *App) Elsewhere(ctx context.Context, key string) (bool, error) {
	var s standing
	err := a.store.Read(ctx, func(t *store.Tx) (err error) {
		s, err = a.standing(ctx, t, key)
		return err
	})
	return s.working && s.job.Owner != a.store.Process(), a.problem(err)
}
