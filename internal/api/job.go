package api

// The states of a job.
const (
	JobQueued  = "QUEUED"  // it waits for a worker
	JobPaused  = "PAUSED"  // it waits until its account is enabled
	JobRunning = "RUNNING" // a live worker runs it
)

// ListJobsInput is the request of [ListJobs].
type ListJobsInput struct {
	PageInput
	Account string `query:"account" doc:"Only jobs of the account with this email address." maxLength:"320"`
}

// JobPage is a page of the jobs of all accounts.
type JobPage struct {
	Jobs   []Job      `json:"jobs" doc:"The running jobs, oldest first, then the queued jobs, oldest first." nullable:"false"`
	Queues []JobQueue `json:"queues" doc:"The number of jobs of each account that has any, the longest queue first." nullable:"false"`
	Page
}

// Job is work on a dataset, training job or prediction that waits in the queue or is running. Work
// that has ended has no Job.
type Job struct {
	JobKey    string `json:"jobKey" doc:"The job's key." format:"uuid"`
	Kind      string `json:"kind" doc:"What the job does: prepare a dataset, train a race, train part of a race on another worker, or predict." enum:"prepare,train,part,predict"`
	Account   string `json:"account" doc:"The email address of the account to which the job belongs."`
	ObjectKey string `json:"objectKey" doc:"The key of the dataset, training job or prediction." format:"uuid"`
	State     string `json:"state" doc:"RUNNING: a live worker runs the job. QUEUED: the job waits for a worker. PAUSED: the job waits until its disabled account is enabled." enum:"QUEUED,PAUSED,RUNNING"`
	Worker    string `json:"worker,omitempty" doc:"The process that runs the job. For a queued job: the process of a command without a server that has queued the job or waits for it. Absent if there is none."`
	Host      string `json:"host,omitempty" doc:"The machine of that process; absent if unknown."`
	Attempt   int    `json:"attempt" doc:"Number of times that the job has begun."`
	Memory    int64  `json:"memory" doc:"Estimated peak memory of the job in bytes; 0 if the job needs little."`
	CreatedOn string `json:"createdOn" doc:"When the job was queued."`
	StartedOn string `json:"startedOn,omitempty" doc:"When the current attempt began; absent unless RUNNING."`
}

// JobQueue has the number of jobs of an account.
type JobQueue struct {
	Account  string `json:"account" doc:"The email address of the account."`
	Queued   int64  `json:"queued" doc:"Number of jobs that wait for a worker, or for the account to be enabled."`
	Running  int64  `json:"running" doc:"Number of jobs that workers have claimed."`
	OldestOn string `json:"oldestOn,omitempty" doc:"When the queued job that has waited longest began to wait: when it was created, when its worker stopped, or when the account was enabled. Absent if no job is queued or the account is disabled."`
	// AccountDisabled reports whether the account is disabled, so that its jobs do not run.
	AccountDisabled bool `json:"accountDisabled" doc:"Whether the account is disabled, so that its jobs wait until it is enabled."`
}

// WorkerList has the live workers.
type WorkerList struct {
	Workers []Worker `json:"workers" doc:"The workers, oldest first." nullable:"false"`
}

// Worker is a live process that runs the jobs of all accounts: foretell serve or foretell
// worker. The values that a worker of an earlier version does not report are empty or 0.
type Worker struct {
	Worker     string `json:"worker" doc:"The name of the process, unique on the service."`
	Host       string `json:"host" doc:"The machine on which it runs."`
	Version    string `json:"version" doc:"The version of the program."`
	Cores      int64  `json:"cores" doc:"Number of cores that the process can use."`
	Memory     int64  `json:"memory" doc:"Memory that the process can use for its jobs, in bytes; 0 means no limit."`
	ScansFiles bool   `json:"scansFiles" doc:"Whether the process scans uploaded files for malware, see the flag --clamav."`
	Jobs       int64  `json:"jobs" doc:"Number of jobs that the process runs now."`
	StartedOn  string `json:"startedOn,omitempty" doc:"When the process started."`
	LastSeenOn string `json:"lastSeenOn" doc:"Time of the last heartbeat of the process. With SQLite there are no heartbeats, because a lock shows that the process is alive. lastSeenOn is then the time of the request."`
}

// The values of the members waitingFor of datasets, trainings and predictions.
const (
	// WaitingForWorker means that no live process runs the jobs of the service.
	WaitingForWorker = "worker"
	// WaitingForSpace means that the job may be unable to begin or to end, because the disk is full. Only
	// the machine that runs the job reports it or, if the job is queued, the machine with all workers.
	WaitingForSpace = "space"
)
