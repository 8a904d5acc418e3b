package scoring

import (
	"fmt"

	"foretell/internal/humanize"
)

// partialHint is the hint about files that have only some IDs in common.
const partialHint = "to score only the rows whose ID is in both files, use --partial; otherwise, use files with the same rows, or choose the column of the row IDs with --id"

// dropUnmatched removes the rows whose ID is in only one of the files, and returns how many rows of p
// and of a it has removed. It returns a *Fault if the rows have no IDs, or if the files have no ID in
// common.
func dropUnmatched(p *predictions, a *answers) (unanswered, unpredicted int, err error) {
	if p.ids == nil || a.ids == nil {
		return 0, 0, &Fault{Message: "the rows have no IDs, so it is not known which of them are missing", Hint: "use files with IDs, or omit --partial"}
	}
	answered, predicted := a.idKey.set(a.ids), p.idKey.set(p.ids)
	kept, width := 0, len(p.classes)
	for i, id := range p.ids {
		if answered[p.idKey.of(id)] {
			p.ids[kept], p.labels[kept], p.rows[kept] = id, p.labels[i], p.rows[i]
			p.shared.moveRow(i, kept)
			copy(p.probabilities[kept*width:(kept+1)*width], p.probabilities[i*width:(i+1)*width])
			kept++
		}
	}
	if kept == 0 {
		return 0, 0, &Fault{Message: "no ID is in both files", Hint: zerosHint(p.ids, a.ids)}
	}
	unanswered = len(p.ids) - kept
	p.ids, p.labels, p.rows, p.probabilities = p.ids[:kept], p.labels[:kept], p.rows[:kept], p.probabilities[:kept*width]
	kept = 0
	for i, id := range a.ids {
		if predicted[a.idKey.of(id)] {
			a.ids[kept], a.labels[kept], a.rows[kept] = id, a.labels[i], a.rows[i]
			a.shared.moveRow(i, kept)
			kept++
		}
	}
	unpredicted = len(a.ids) - kept
	a.ids, a.labels, a.rows = a.ids[:kept], a.labels[:kept], a.rows[:kept]
	return unanswered, unpredicted, nil
}

// UnmatchedNote returns a sentence about the rows that were left out because of Options.Partial, without
// a full stop. It returns "" if there are none.
func (r *Result) UnmatchedNote() string {
	if r.UnansweredRows+r.UnpredictedRows == 0 {
		return ""
	}
	return fmt.Sprintf("the files have %s in common; %s no answer and %s no prediction are not scored", humanize.Count(r.Rows+r.UnlabelledRows, "ID"),
		humanize.Count(r.UnansweredRows, "row")+" with", humanize.Count(r.UnpredictedRows, "row")+" with")
}
