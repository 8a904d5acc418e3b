package worker

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/blob"
	"foretell/internal/clamav"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/span"
	"foretell/internal/store"
)

// A process runs at most maxConcurrentJobs preparations and at most maxConcurrentJobs predictions
// at a time. At most maxConcurrentJobsPerAccount of the jobs of each kind belong to the same
// account, so that one account cannot occupy all workers.
const (
	maxConcurrentJobs           = 3
	maxConcurrentJobsPerAccount = 2
)

// newKinds returns the kinds of jobs. At most maxRaces races run at a time, because each race uses
// all cores and holds a dataset in memory. Preparations and predictions read their files row by
// row.
func (w *Worker) newKinds(maxRaces int) []job.Kind {
	kinds := []job.Kind{
		{Name: jobqueue.Prepare, Workers: maxConcurrentJobs, PerAccount: maxConcurrentJobsPerAccount, Do: w.withSpan(jobqueue.Prepare, w.postponeIfImpossible(w.preparer.Prepare)), Fail: w.preparer.Fail},
		{Name: jobqueue.Train, Workers: maxRaces, Do: w.withSpan(jobqueue.Train, w.postponeIfImpossible(w.trainer.Train)), Fail: w.trainer.Fail},
		{Name: jobqueue.Predict, Workers: maxConcurrentJobs, PerAccount: maxConcurrentJobsPerAccount, Do: w.withSpan(jobqueue.Predict, w.postponeIfImpossible(w.predictor.Predict)), Fail: w.predictor.Fail},
	}
	if w.trainer.DistributesRaces() {
		kinds = append(kinds, job.Kind{Name: jobqueue.Part, Workers: 1, OnlyWhenIdle: true, Do: w.withSpan(jobqueue.Part, w.postponeIfImpossible(w.trainer.TrainPart)), Fail: w.trainer.FailPart})
	}
	return kinds
}

// postponeIfImpossible returns a function that calls do. If do fails because the database, the S3
// store or the malware scanner is unavailable, the function returns an error that wraps
// job.ErrPostponed. The job then returns to the queue. A full disk has the same effect, because
// another worker may have space; but a command without a server reports it to its user. If the disk is
// no longer full when do has removed its own files, the job itself needs too much space, and it fails.
func (w *Worker) postponeIfImpossible(do func(context.Context, *job.RunningJob) error) func(context.Context, *job.RunningJob) error {
	return func(ctx context.Context, r *job.RunningJob) error {
		err := do(ctx, r)
		unavailable := errors.Is(err, blob.ErrUnavailable) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, clamav.ErrUnavailable)
		if unavailable || errors.Is(err, blob.ErrDiskFull) && w.queue.MustWaitForSpace() {
			return fmt.Errorf("%w: %w", job.ErrPostponed, err)
		}
		return err
	}
}

// withSpan returns a function that calls do in a new span. A job has one span for each attempt,
// named after the kind of the job. Without a tracer, withSpan returns do itself.
func (w *Worker) withSpan(kind string, do func(context.Context, *job.RunningJob) error) func(context.Context, *job.RunningJob) error {
	if w.tracer == nil {
		return do
	}
	return func(ctx context.Context, r *job.RunningJob) (err error) {
		ctx, own := w.tracer.Start(ctx, "job "+kind, trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
			attribute.String("foretell.job", r.Key), attribute.String("foretell.subject", r.Subject), attribute.Int("foretell.attempt", r.Attempt),
			attribute.Float64("foretell.queued_seconds", r.Begun.Sub(r.QueuedAt).Seconds()),
		))
		defer func() { span.End(own, err) }()
		return do(ctx, r)
	}
}
