package gate

import (
	"fmt"

	"foretell/internal/api"
	"foretell/internal/humanize"
)

// correctForSingletons corrects the accuracy of a report with SingletonRows, because a model is
// wrong on rows of classes that its training file lacked. It returns the end of a reason that says
// so. Other metrics cannot be corrected, and a recall needs no correction.
func (r *Requirement) correctForSingletons(s *Score, report *api.ModelReport) (note string) {
	if report.SingletonRows == 0 || r.Metric == Recall {
		return ""
	}
	rows := fmt.Sprintf("%s of %s rows are the only row of their class and were not scored", humanize.Comma(report.SingletonRows), humanize.Comma(report.Rows))
	if r.Metric != api.MetricAccuracy {
		return "; the value is too good, because " + rows
	}
	measured, share := *s.Value, report.KnownClassShare()
	corrected := share * measured
	s.Value = &corrected
	if s.Interval != nil {
		s.Interval = &api.Interval{Low: share * s.Interval.Low, High: share * s.Interval.High}
	}
	return fmt.Sprintf("; the accuracy of %s is corrected, because %s", formatDistinctly(measured, 0), rows)
}
