package rowsample

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"foretell/internal/table/cells"
)

// Limits for reporting a column as leaking. A minority row is a sampled row whose label is not the
// most frequent label.
const (
	minLeakRows     = 50 // smallest number of sampled rows
	minMinorityRows = 15 // smallest number of minority rows
	// A leaking column predicts at least the fraction minLeakShare of the minority rows. If at most
	// maxMissedLeakRows rows are predicted wrongly, the fraction minLeakShareFewMissed is enough,
	// because one row on each side of the boundary between two classes may be predicted wrongly.
	minLeakShare          = 0.98
	minLeakShareFewMissed = 0.9
	maxMissedLeakRows     = 2
	// maxCopiesShare is the largest fraction of the rows of a class that may be copies of one row
	// and are kept in the same half. If more copies were kept together, most rows of a class could
	// be in one half.
	maxCopiesShare = 0.05
)

// LeakDetector computes how accurately each column alone predicts the label of the sampled rows. It
// predicts the rows of each half of the sample from the other half. Copies of a row are in the same
// half if they are few, because any column could predict the label of a row from a copy in the
// other half.
//
// The prediction for a value is the most frequent class of the rows in the other half with this
// value. If no row of the other half has this value, the prediction for a number is that for the
// nearest number, and the prediction for any other value is the most frequent class of all rows of
// the other half that have a value.
type LeakDetector struct {
	sample        *Sample
	classes       []int32 // by row: its class, numbered from 0, or unlabelled
	classRows     []int   // by class: its number of rows
	halves        []uint8 // by row: 0 or 1, the half that it belongs to
	labelled      int     // number of rows with a label
	majorityClass int     // the most frequent class
	workspaces    sync.Pool
}

type leakWorkspace struct {
	keys           []uint64
	order          []int32 // rows sorted by key, so that rows with equal values are adjacent
	counts, filled []int
	runs           []cellRun
	predicted      []int32
	distance       []float64
}

// unlabelled is the class of a row without a label, which is not predicted.
const unlabelled = -1

// NewLeakDetector returns a detector for a sample, or nil if the sample is too small.
func NewLeakDetector(ctx context.Context, s *Sample) (*LeakDetector, error) {
	d := &LeakDetector{sample: s, workspaces: sync.Pool{New: func() any { return new(leakWorkspace) }}}
	var labels []uint64
	err := s.forEachField(ctx, func(field int) bool { return field == s.label }, func(_ int, cells []uint64) { labels = slices.Clone(cells) })
	if err != nil {
		return nil, err
	}
	index := make(map[uint64]int32)
	for _, cell := range labels {
		if cell == sampledBlank {
			d.classes = append(d.classes, unlabelled)
			continue
		}
		class, known := index[cell]
		if !known {
			class = int32(len(index))
			index[cell] = class
			d.classRows = append(d.classRows, 0)
		}
		d.classRows[class]++
		d.labelled++
		d.classes = append(d.classes, class)
	}
	for class, rows := range d.classRows {
		if rows > d.classRows[d.majorityClass] {
			d.majorityClass = class
		}
	}
	if d.labelled < minLeakRows || d.labelled-d.classRows[d.majorityClass] < minMinorityRows {
		return nil, nil
	}
	deciding, err := d.representativeRows(ctx)
	for _, row := range deciding {
		d.halves = append(d.halves, uint8(cells.Mix64(uint64(row)+1)>>63))
	}
	return d, err
}

// representativeRows returns, for each row of the sample, the index in the file of the row that
// decides its half. This is the first row with the same content, so that copies are in the same
// half. A row with many copies decides its own half, because the copies may be equal by chance. If
// the sample contains few distinct rows, every row decides its own half.
func (d *LeakDetector) representativeRows(ctx context.Context) ([]int, error) {
	numbers := d.sample.rowIndices()
	hashes, err := d.sample.rowHashes(ctx)
	if err != nil {
		return nil, err
	}
	first, copies, deciding := make(map[uint64]int, len(hashes)), make(map[uint64]int, len(hashes)), slices.Clone(numbers)
	for i, hash := range hashes {
		if copies[hash]++; copies[hash] == 1 {
			first[hash] = numbers[i]
		}
	}
	if len(first) < minLeakRows {
		return numbers, nil
	}
	for i, hash := range hashes {
		if class := d.classes[i]; class != unlabelled && float64(copies[hash]) <= maxCopiesShare*float64(d.classRows[class]) {
			deciding[i] = first[hash]
		}
	}
	return deciding, nil
}

// rowHashes returns a hash of the content of each row of the sample, without the ID.
func (s *Sample) rowHashes(ctx context.Context) ([]uint64, error) {
	return s.RowHashes(ctx, func(field int) bool { return field != s.id }, func(field int) uint64 { return uint64(field) + 1 })
}

// RowHashes returns a hash of the wanted fields of each row of the sample. key identifies each
// field by a number, so the hash does not depend on the order of the fields.
func (s *Sample) RowHashes(ctx context.Context, wanted func(field int) bool, key func(field int) uint64) ([]uint64, error) {
	hashes, mutex := make([]uint64, len(s.rowIndices())), sync.Mutex{}
	err := s.forEachField(ctx, wanted, func(field int, values []uint64) {
		seed := cells.Mix64(key(field))
		for i, cell := range values {
			values[i] = cells.Mix64(cell ^ seed)
		}
		mutex.Lock()
		defer mutex.Unlock()
		for i, hash := range values {
			hashes[i] += hash
		}
	})
	return hashes, err
}

// Baseline returns the accuracy of always predicting the most frequent label.
func (d *LeakDetector) Baseline() float64 {
	return float64(d.classRows[d.majorityClass]) / float64(d.labelled)
}

// IsLeak reports whether a column with the given accuracy predicts the label of nearly all minority
// rows: rows that are not of the most frequent class.
func (d *LeakDetector) IsLeak(accuracy float64) bool {
	rows := float64(d.labelled)
	odd, missed := (1-d.Baseline())*rows, (1-accuracy)*rows
	const rounding = 1e-6
	return accuracy > d.Baseline() && missed <= max((1-minLeakShare)*odd, min((1-minLeakShareFewMissed)*odd, maxMissedLeakRows))+rounding
}

// Reading is another way to read the cells of a field, for example amounts as numbers instead of
// texts. It maps the sampled value of a cell to the cell's sampled value in this reading; see
// encodeNumber and encodeText.
type Reading map[uint64]uint64

// AddNumber makes r read cells with the given text as the given number.
func (r Reading) AddNumber(text string, number float64) {
	r[encodeFeature([]byte(text))] = encodeNumber(number)
}

// AddText makes r read cells with the given text as if they had the text other.
func (r Reading) AddText(text string, other []byte) {
	r[encodeFeature([]byte(text))] = encodeText(other)
}

// Accuracies returns, for each field, the fraction of the sampled rows with a label that is predicted
// correctly from this field alone. For fields that are not wanted, the result is 0. readings
// returns further ways to read the values of a field, such as amounts as numbers. Each way is
// tried, and the highest accuracy counts. wanted and readings may be called concurrently.
func (d *LeakDetector) Accuracies(ctx context.Context, wanted func(field int) bool, readings func(field int) []Reading) ([]float64, error) {
	accuracy := make([]float64, d.sample.fields)
	err := d.sample.forEachField(ctx, wanted, func(field int, cells []uint64) {
		ws := d.workspaces.Get().(*leakWorkspace)
		accuracy[field] = d.accuracy(cells, ws)
		for _, reading := range readings(field) {
			other := slices.Clone(cells)
			for row, cell := range other {
				if value, known := reading[cell]; known {
					other[row] = value
				}
			}
			accuracy[field] = max(accuracy[field], d.accuracy(other, ws))
		}
		d.workspaces.Put(ws)
	})
	return accuracy, err
}

// accuracy returns the accuracy of predicting the label from cells, the sampled values of
// one field.
func (d *LeakDetector) accuracy(cells []uint64, ws *leakWorkspace) float64 {
	ws.order, ws.keys = slices.Grow(ws.order[:0], len(cells)), slices.Grow(ws.keys[:0], len(cells))
	for i, cell := range cells {
		if ws.keys = append(ws.keys, sortKey(cell)); d.classes[i] != unlabelled {
			ws.order = append(ws.order, int32(i))
		}
	}
	keys := ws.keys
	slices.SortFunc(ws.order, func(i, j int32) int { return cmp.Compare(keys[i], keys[j]) })
	right := 0
	for half := range uint8(2) {
		right += d.countCorrect(cells, ws, half)
	}
	return float64(right) / float64(d.labelled)
}

// cellRun is a group of rows that are adjacent when sorted by sortKey, because they have the same
// sampled value.
type cellRun struct {
	rows  []int32
	value float64 // NaN for blanks and texts
	class int32   // the most frequent class among the rows of the run that are in the other half, or -1 if no row of the run is in it
}

// countCorrect predicts the labels of the rows in one half of the sample from the values of a
// column and the rows in the other half. It returns the number of right predictions.
func (d *LeakDetector) countCorrect(cells []uint64, ws *leakWorkspace, half uint8) int {
	order, runs := ws.order, ws.runs[:0]
	ws.counts, ws.filled = resizeZeroed(ws.counts, len(d.classRows)), resizeZeroed(ws.filled, len(d.classRows))
	counts, filled := ws.counts, ws.filled
	for len(order) > 0 {
		cell, end := cells[order[0]], 1
		for end < len(order) && cells[order[end]] == cell {
			end++
		}
		r := cellRun{rows: order[:end], value: math.Float64frombits(cell), class: -1}
		clear(counts)
		for _, row := range r.rows {
			if d.halves[row] == half {
				continue
			}
			class := d.classes[row]
			if counts[class]++; r.class < 0 || counts[class] > counts[r.class] {
				r.class = class
			}
			if cell != sampledBlank {
				filled[class]++
			}
		}
		runs = append(runs, r)
		order = order[end:]
	}
	usual := int32(d.majorityClass) // the most frequent class of the rows whose cell is not blank
	for class, rows := range filled {
		if rows > filled[usual] {
			usual = int32(class)
		}
	}
	ws.runs = runs
	right := 0
	for i, class := range ws.predictRuns(usual) {
		for _, row := range runs[i].rows {
			if d.halves[row] == half && d.classes[row] == class {
				right++
			}
		}
	}
	return right
}

// resizeZeroed returns a slice of n zeros, reusing list if it is large enough.
func resizeZeroed(list []int, n int) []int {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// predictRuns returns the predicted class of each run: its own class if it has one. If not, a run
// with a number gets the class of the run with the nearest number; all other runs get fallback.
func (ws *leakWorkspace) predictRuns(fallback int32) []int32 {
	runs := ws.runs
	ws.predicted = slices.Grow(ws.predicted[:0], len(runs))[:len(runs)]
	ws.distance = slices.Grow(ws.distance[:0], len(runs))[:len(runs)]
	list, distance := ws.predicted, ws.distance
	below, above := -1, -1
	for i, r := range runs {
		list[i], distance[i] = fallback, math.Inf(1)
		switch {
		case r.class >= 0:
			list[i], below = r.class, i
		case r.value == r.value && below >= 0:
			list[i], distance[i] = runs[below].class, r.value-runs[below].value
		}
	}
	for i, r := range slices.Backward(runs) {
		switch {
		case r.value != r.value: // a blank or text; these come after the numbers
		case r.class >= 0:
			above = i
		case above >= 0 && runs[above].value-r.value < distance[i]:
			list[i] = runs[above].class
		}
	}
	return list
}
