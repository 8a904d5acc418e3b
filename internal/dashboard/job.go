package dashboard

import (
	"net/http"

	"foretell/internal/api"
	"foretell/internal/client"
	"foretell/internal/term"
)

// jobsPage is the data of the page of jobs and workers.
type jobsPage struct {
	Workers []api.Worker
	Queues  []api.JobQueue
	Jobs    []api.Job
	// Account is the email of the account whose jobs are shown; empty for all accounts.
	Account string
	Pager   pager
}

// listJobs shows the jobs that each account has in the queue, and the job that each worker runs.
func (p *Pages) listJobs(v *visit) error {
	ctx := v.r.Context()
	data := jobsPage{Account: v.r.URL.Query().Get("account")}
	workers, err := client.Call(ctx, v.client, api.ListWorkers, &api.None{})
	if err != nil {
		return err
	}
	jobs, err := client.Call(ctx, v.client, api.ListJobs, &api.ListJobsInput{PageInput: pageInput(v.r), Account: data.Account})
	if err != nil {
		return err
	}
	if last := v.lastPage(jobs.Page); last != "" {
		return v.redirect(last)
	}
	data.Workers, data.Queues, data.Jobs, data.Pager = workers.Workers, jobs.Queues, jobs.Jobs, newPager(v.r.URL, jobs.Page, len(jobs.Jobs))
	command := "foretell jobs list"
	if data.Account != "" {
		command += " --account " + term.ShellQuote(data.Account)
	}
	return p.show(v, http.StatusOK, "jobs", page{Title: "Jobs and workers", Section: "admin", Commands: []string{command, "foretell jobs workers"}, Data: data})
}
