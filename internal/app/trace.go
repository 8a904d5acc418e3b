package app

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/job"
	"foretell/internal/learn"
	"foretell/internal/span"
)

// withSpan returns a function that calls do in a new span. A job has one span for each attempt,
// named after the kind of the job. Without a tracer, withSpan returns do itself.
func (a *App) withSpan(kind string, do func(context.Context, *job.RunningJob) error) func(context.Context, *job.RunningJob) error {
	if a.tracer == nil {
		return do
	}
	return func(ctx context.Context, r *job.RunningJob) (err error) {
		ctx, own := a.tracer.Start(ctx, "job "+kind, trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
			attribute.String("foretell.job", r.Key), attribute.String("foretell.subject", r.Subject), attribute.Int("foretell.attempt", r.Attempt),
			attribute.Float64("foretell.queued_seconds", r.Begun.Sub(r.Created).Seconds()),
		))
		defer func() { span.End(own, err) }()
		return do(ctx, r)
	}
}

// runSpans holds one span for each algorithm of a race. The span ends when the training of the
// algorithm ends. A runSpans is safe for concurrent use.
type runSpans struct {
	mu    sync.Mutex
	spans map[string]trace.Span
}

// startRunSpans starts a span for each algorithm.
func startRunSpans(ctx context.Context, algorithms []string) *runSpans {
	s := &runSpans{spans: map[string]trace.Span{}}
	for _, algorithm := range algorithms {
		_, s.spans[algorithm] = span.Start(ctx, "train "+algorithm, trace.SpanKindInternal, attribute.String("foretell.algorithm", algorithm))
	}
	return s
}

// wrapProgress returns a function that calls record with each event of a race. At the last event of an
// algorithm, the function also ends the span of the algorithm.
func (s *runSpans) wrapProgress(record func(learn.Event)) func(learn.Event) {
	return func(e learn.Event) {
		record(e)
		if e.Status == learn.Running {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if own, ok := s.spans[e.Algorithm]; ok {
			own.SetAttributes(attribute.String("foretell.status", string(e.Status)), attribute.Int("foretell.steps", e.Step))
			own.End()
			delete(s.spans, e.Algorithm)
		}
	}
}

// end ends the spans of the algorithms that did not report their end.
func (s *runSpans) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, own := range s.spans {
		own.End()
	}
}
