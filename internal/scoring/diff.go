package scoring

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"

	"foretell/internal/learn/metric"
)

// maxProbabilityChanges is the maximum length of Difference.ProbabilityChanges.
const maxProbabilityChanges = 10

// Difference describes how two files of predictions for the same rows differ.
type Difference struct {
	Rows int `json:"rows"`
	// ChangedRows are the rows whose predicted class differs, in the order of the
	// first file.
	ChangedRows []ChangedRow `json:"flipped"`
	// LabelChanges counts the changed rows by the pair of predicted classes, the most frequent
	// pair first.
	LabelChanges []LabelChange `json:"changes"`
	// ProbabilityChanges are the largest differences between the probabilities of a class, one
	// per row, the largest first. It is nil unless both files have probabilities.
	ProbabilityChanges []ProbabilityChange `json:"moves"`
	// OrderReason is the reason for joining rows by their order, as a clause. It is "" if all rows
	// were joined by their IDs or because of Options.InOrder.
	OrderReason string `json:"-"`
	// IDNumbers is not nil if the IDs of two of the files were compared as numbers.
	IDNumbers IDNumbers `json:"-"`
	// Truth compares both files with the true labels. It is nil if these are unknown.
	Truth *TruthComparison `json:"truth,omitempty"`
}

// ChangedRow is a row with different predictions.
type ChangedRow struct {
	ID   string `json:"id"`
	From string `json:"from"`
	To   string `json:"to"`
	// Truth is the true label, or "" if it is unknown.
	Truth string `json:"truth,omitempty"`
}

// LabelChange counts the rows that one file predicts as From and the other as To.
type LabelChange struct {
	From string `json:"from"`
	To   string `json:"to"`
	Rows int    `json:"rows"`
}

// ProbabilityChange holds the probabilities that the two files have for the same class
// and row.
type ProbabilityChange struct {
	ID    string  `json:"id"`
	Class string  `json:"class"`
	From  float64 `json:"from"`
	To    float64 `json:"to"`
}

// TruthComparison compares two files of predictions with the true labels. It counts the rows that
// both files, only the first, only the second, or neither predict correctly. It also counts the
// rows without a true label.
type TruthComparison struct {
	BothRight      int `json:"bothRight"`
	OnlyFirst      int `json:"onlyFirst"`
	OnlySecond     int `json:"onlySecond"`
	NeitherRight   int `json:"neither"`
	UnlabelledRows int `json:"unlabelledRows,omitempty"`
	// PValue is the p-value of McNemar's exact test, whose null hypothesis is that both
	// files are right equally often.
	PValue float64 `json:"pValue"`
}

// Diff compares two files of predictions with each other and, if answers is not nil, with the true
// labels in answers. A *Fault describes an error in a file; its File is Predictions for the
// first file and SecondPredictions for the second.
func Diff(ctx context.Context, first, second, answers io.Reader, opts Options) (*Difference, error) {
	d, err := diffFiles(ctx, first, second, answers, opts)
	var fault *Fault
	if errors.As(err, &fault) && (fault.Hint == swappedHint || fault.Hint == predictionHint) {
		fault.Hint = diffHint
	}
	return d, err
}

func diffFiles(ctx context.Context, first, second, answers io.Reader, opts Options) (*Difference, error) {
	var answersTable *table
	if answers != nil {
		var err error
		if answersTable, err = openTable(answers, Answers); err != nil {
			return nil, err
		}
	}
	a, b, err := openBothPredictions(ctx, first, second, answersTable, opts)
	if err != nil {
		return nil, err
	}
	key, idNumbers := newIDNumbers(a.ids, b.ids)
	a.idKey, b.idKey = key, key
	order, orderReason, err := joinPredictions(a, b, opts)
	if err != nil {
		return nil, err
	}
	d := &Difference{Rows: len(order), ChangedRows: []ChangedRow{}, LabelChanges: []LabelChange{}, IDNumbers: idNumbers, OrderReason: orderReason}
	var truths []string
	if answersTable == nil {
		setLabelKey(nil, a, b)
		if err := checkSecondLabels(a, b); err != nil {
			return nil, err
		}
	} else {
		if truths, err = d.joinAnswers(ctx, answersTable, a, b, opts); err != nil {
			return nil, err
		}
		d.Truth = &TruthComparison{}
	}
	for i, at := range order {
		d.compareRow(a, b, i, at, truths)
	}
	d.summarizeChanges()
	d.listProbabilityChanges(a, b, order)
	return d, nil
}

// joinPredictions returns, for each row of the first predictions, its row in the second.
// orderReason says why the rows are joined by their order, or by IDs that are only row numbers;
// otherwise it is "". In these cases, or if the ID columns have different names, joinPredictions
// checks the columns of both files that have the same cells, in any order. It returns a *Fault if
// two joined rows have different cells in such a column.
func joinPredictions(first, second *predictions, opts Options) (order []int, orderReason string, err error) {
	from, to := first.asJoinInput(Predictions, "the first predictions"), second.asJoinInput(SecondPredictions, "the second predictions")
	orderReason = first.orderReason
	switch {
	case opts.InOrder:
	case first.ids != nil && second.ids == nil:
		from.ids, orderReason = nil, "the second predictions have no column of IDs"
	case first.ids != nil && opts.ID == "" && areGeneratedIDs(first.ids) && areGeneratedIDs(second.ids):
		orderReason = "the IDs of both files were generated"
	case first.ids != nil && opts.ID == "":
		orderReason = indexReason(first.id, first.ids, second.ids)
	}
	if order, err = joinRows(from, to, ""); err != nil || orderReason == "" && first.id == second.id {
		return order, orderReason, err
	}
	from.shared, to.shared = first.features, second.features.withoutChanged(first.features)
	return order, orderReason, orderFault(from, to, order, orderReason)
}

// openBothPredictions reads two files of predictions. answersTable is nil without answers.
func openBothPredictions(ctx context.Context, first, second io.Reader, answersTable *table, opts Options) (a, b *predictions, err error) {
	firstTable, err := openTable(first, Predictions)
	if err != nil {
		return nil, nil, err
	}
	secondTable, err := openTable(second, SecondPredictions)
	if err != nil {
		return nil, nil, err
	}
	firstTable.otherNames, secondTable.otherNames = secondTable.names, firstTable.names
	var answerColumns []string
	others := [][]string{secondTable.names}
	if answersTable != nil {
		answerColumns = answersTable.names
		others = append(others, answerColumns)
	}
	if a, err = readPredictions(ctx, firstTable, answerColumns, commonIDName(firstTable.names, others...), opts); err != nil {
		return nil, nil, err
	}
	opts.Classes = opts.SecondClasses
	b, err = readPredictions(ctx, secondTable, answerColumns, a.id, opts)
	return a, b, err
}

// joinAnswers reads the answers and returns the true label of each row of the predictions first,
// or "" for a row without a label. It sets IDNumbers if the IDs of the answers are compared as
// numbers, and OrderReason if the answers are joined by their order. It returns a *Fault if no row has
// a label, or if one of the two files of predictions has none of the true labels among its classes.
func (d *Difference) joinAnswers(ctx context.Context, answersTable *table, first, second *predictions, opts Options) (trueLabels []string, err error) {
	joined := *first // without IDs if the answers lack the generated IDs
	answers, err := readTrueLabels(ctx, answersTable, &joined, opts)
	if err != nil {
		return nil, err
	}
	key, idNumbers := newIDNumbers(joined.ids, answers.ids)
	joined.idKey, answers.idKey = key, key
	if d.IDNumbers == nil {
		d.IDNumbers = idNumbers
	}
	d.OrderReason = cmp.Or(d.OrderReason, joined.orderReason)
	order, err := joinRows(joined.asJoinInput(Predictions, "the predictions"), answers.asJoinInput(), "")
	if err != nil {
		return nil, err
	}
	if err := orderFault(joined.asJoinInput(Predictions, "the predictions"), answers.asJoinInput(), order, joined.orderReason); err != nil {
		return nil, err
	}
	setLabelKey(answers.labels, first, second)
	isNoLabel := newMissingLabelTest(first, second)
	truths := make([]string, len(order))
	var labels []string
	for i, at := range order {
		if label := answers.labels[at]; !isNoLabel(label) {
			truths[i], labels = label, append(labels, label)
		}
	}
	if len(order) > 0 {
		if len(labels) == 0 {
			return nil, answers.noLabelFault()
		}
		answers.labels = labels
		if err := cmp.Or(checkLabels(Predictions, first, answers), checkLabels(SecondPredictions, second, answers)); err != nil {
			return nil, err
		}
	}
	return truths, nil
}

// compareRow adds a row to the counts and, if its label changed, to ChangedRows. firstRow and
// secondRow are its positions in the two files. trueLabels may be nil.
func (d *Difference) compareRow(first, second *predictions, firstRow, secondRow int, trueLabels []string) {
	from, to := first.key(first.labels[firstRow]), first.key(second.labels[secondRow])
	changed := ChangedRow{ID: first.rowName(firstRow), From: first.labels[firstRow], To: second.labels[secondRow]}
	if trueLabels != nil {
		changed.Truth = trueLabels[firstRow]
		switch truth := first.key(trueLabels[firstRow]); {
		case truth == "":
			d.Truth.UnlabelledRows++
		case from == truth && to == truth:
			d.Truth.BothRight++
		case from == truth:
			d.Truth.OnlyFirst++
		case to == truth:
			d.Truth.OnlySecond++
		default:
			d.Truth.NeitherRight++
		}
	}
	if from != to {
		d.ChangedRows = append(d.ChangedRows, changed)
	}
}

// summarizeChanges sets LabelChanges and Truth.PValue.
func (d *Difference) summarizeChanges() {
	rows := map[[2]string]int{}
	for _, changed := range d.ChangedRows {
		rows[[2]string{changed.From, changed.To}]++
	}
	for pair, n := range rows {
		d.LabelChanges = append(d.LabelChanges, LabelChange{pair[0], pair[1], n})
	}
	sort.Slice(d.LabelChanges, func(i, j int) bool {
		x, y := &d.LabelChanges[i], &d.LabelChanges[j]
		return cmp.Or(cmp.Compare(y.Rows, x.Rows), cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To)) < 0
	})
	if d.Truth != nil {
		d.Truth.PValue = metric.McNemar(d.Truth.OnlyFirst, d.Truth.OnlySecond)
	}
}

func (d *Difference) listProbabilityChanges(first, second *predictions, secondRows []int) {
	if len(first.classes) == 0 || len(second.classes) == 0 {
		return
	}
	d.ProbabilityChanges = []ProbabilityChange{}
	place := make([]int, len(first.classes)) // position in second of each class of first
	for i, class := range first.classes {
		place[i] = slices.IndexFunc(second.classes, func(other string) bool { return first.key(other) == first.key(class) })
	}
	for i, at := range secondRows {
		var most ProbabilityChange
		for c, to := range place {
			if to < 0 {
				continue
			}
			p, q := float64(first.probabilities[i*len(first.classes)+c]), float64(second.probabilities[at*len(second.classes)+to])
			if math.Abs(q-p) > math.Abs(most.To-most.From) {
				most = ProbabilityChange{first.rowName(i), first.classes[c], p, q}
			}
		}
		if most.From != most.To {
			most.From, most.To = widen(most.From), widen(most.To)
			d.ProbabilityChanges = append(d.ProbabilityChanges, most)
		}
	}
	sort.SliceStable(d.ProbabilityChanges, func(i, j int) bool {
		x, y := &d.ProbabilityChanges[i], &d.ProbabilityChanges[j]
		return math.Abs(x.To-x.From) > math.Abs(y.To-y.From)
	})
	d.ProbabilityChanges = d.ProbabilityChanges[:min(len(d.ProbabilityChanges), maxProbabilityChanges)]
}

// widen returns the number with the fewest digits that is equal to q as a float32: 0.1 instead of
// 0.10000000149011612.
func widen(q float64) float64 {
	number, _ := strconv.ParseFloat(strconv.FormatFloat(q, 'g', -1, 32), 64) // valid
	return number
}
