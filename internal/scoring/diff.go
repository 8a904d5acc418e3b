package scoring

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// maxListedMoves is the maximum number of rows in Difference.Moves.
const maxListedMoves = 10

// Difference is the difference of two files of predictions for the same rows.
type Difference struct {
	Rows int `json:"rows"`
	// Flipped are the rows whose predicted class differs, in the order of the
	// first file.
	Flipped []Flip `json:"flipped"`
	// Changes counts the flipped rows by both classes, the most frequent first.
	Changes []Change `json:"changes"`
	// Moves are the rows in which the probability of a class differs most,
	// largest first; nil unless both files have probabilities.
	Moves []Move `json:"moves"`
	// Truth compares both with the true labels; nil without answers.
	Truth *Truth `json:"truth,omitempty"`
}

// Flip is a row with different predictions.
type Flip struct {
	ID   string `json:"id"`
	From string `json:"from"`
	To   string `json:"to"`
	// Truth is the true label; "" without answers.
	Truth string `json:"truth,omitempty"`
}

// Change counts the rows that one file predicts as From and the other as To.
type Change struct {
	From string `json:"from"`
	To   string `json:"to"`
	Rows int    `json:"rows"`
}

// Move is the probability of a class in a row by both files.
type Move struct {
	ID    string  `json:"id"`
	Class string  `json:"class"`
	From  float64 `json:"from"`
	To    float64 `json:"to"`
}

// Truth counts the rows by which of the files is right, and tests whether both
// are right equally often.
type Truth struct {
	BothRight   int `json:"bothRight"`
	OnlyFirst   int `json:"onlyFirst"`
	OnlySecond  int `json:"onlySecond"`
	NeitherTrue int `json:"neither"`
	// PValue is that of McNemar's exact test: the probability of a difference
	// at least as large if both were right equally often.
	PValue float64 `json:"pValue"`
}

// Diff compares two files of predictions and, if answers is not nil, which of them is
// correct. A *Fault in the error describes an error in a file; its File is Predictions for
// the first file and Second for the second.
func Diff(ctx context.Context, first, second, answers io.Reader, opts Options) (*Difference, error) {
	a, err := openPredictions(ctx, first, Predictions, opts)
	if err != nil {
		return nil, err
	}
	b, err := openPredictions(ctx, second, Second, opts)
	if err != nil {
		return nil, err
	}
	order, err := join(a.joinable(Predictions, "the first predictions"), b.joinable(Second, "the second ones"))
	if err != nil {
		return nil, err
	}
	d := &Difference{Rows: len(order), Flipped: []Flip{}, Changes: []Change{}}
	var truths []string
	if answers != nil {
		if truths, err = truthsOf(ctx, answers, a, opts); err != nil {
			return nil, err
		}
		d.Truth = &Truth{}
	}
	for i, at := range order {
		d.compare(a, b, i, at, truths)
	}
	d.finish()
	d.listMoves(a, b, order)
	return d, nil
}

func openPredictions(ctx context.Context, src io.Reader, file File, opts Options) (*predictions, error) {
	t, err := openTable(src, file)
	if err != nil {
		return nil, err
	}
	return readPredictions(ctx, t, nil, opts)
}

// truthsOf returns the true label of each row of a.
func truthsOf(ctx context.Context, src io.Reader, a *predictions, opts Options) ([]string, error) {
	t, err := openTable(src, Answers)
	if err != nil {
		return nil, err
	}
	answers, err := readAnswers(ctx, t, a, opts)
	if err != nil {
		return nil, err
	}
	order, err := join(a.joinable(Predictions, "the predictions"), answers.joinable())
	if err != nil {
		return nil, err
	}
	truths := make([]string, len(order))
	for i, at := range order {
		truths[i] = answers.labels[at]
	}
	return truths, nil
}

// compare compares row i of a with row at of b.
func (d *Difference) compare(a, b *predictions, i, at int, truths []string) {
	from, to := canonical(a.labels[i]), canonical(b.labels[at])
	flip := Flip{ID: a.name(i), From: a.labels[i], To: b.labels[at]}
	if truths != nil {
		flip.Truth = truths[i]
		switch truth := canonical(truths[i]); {
		case from == truth && to == truth:
			d.Truth.BothRight++
		case from == truth:
			d.Truth.OnlyFirst++
		case to == truth:
			d.Truth.OnlySecond++
		default:
			d.Truth.NeitherTrue++
		}
	}
	if from != to {
		d.Flipped = append(d.Flipped, flip)
	}
}

// finish counts the changes and tests the truth.
func (d *Difference) finish() {
	rows := map[[2]string]int{}
	for _, flip := range d.Flipped {
		rows[[2]string{flip.From, flip.To}]++
	}
	for pair, n := range rows {
		d.Changes = append(d.Changes, Change{pair[0], pair[1], n})
	}
	slices.SortFunc(d.Changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(y.Rows, x.Rows), cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To))
	})
	if d.Truth != nil {
		d.Truth.PValue = metric.McNemar(d.Truth.OnlyFirst, d.Truth.OnlySecond)
	}
}

// listMoves lists the largest changes of a probability, one per row.
func (d *Difference) listMoves(a, b *predictions, order []int) {
	if len(a.classes) == 0 || len(b.classes) == 0 {
		return
	}
	d.Moves = []Move{}
	place := make([]int, len(a.classes)) // position in b of each class of a
	for i, class := range a.classes {
		place[i] = slices.IndexFunc(b.classes, func(other string) bool { return canonical(other) == canonical(class) })
	}
	for i, at := range order {
		var most Move
		for c, to := range place {
			if to < 0 {
				continue
			}
			p, q := float64(a.probabilities[i*len(a.classes)+c]), float64(b.probabilities[at*len(b.classes)+to])
			if math.Abs(q-p) > math.Abs(most.To-most.From) {
				most = Move{a.name(i), a.classes[c], p, q}
			}
		}
		if most.From != most.To {
			d.Moves = append(d.Moves, most)
		}
	}
	slices.SortStableFunc(d.Moves, func(x, y Move) int { return cmp.Compare(math.Abs(y.To-y.From), math.Abs(x.To-x.From)) })
	d.Moves = d.Moves[:min(len(d.Moves), maxListedMoves)]
}
