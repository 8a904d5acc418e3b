package training

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/learn"
	"foretell/internal/span"
)

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
