package text

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestLargeCorporaAreSampled(t *testing.T) {
	texts := slices.Repeat([]string{strings.Repeat("many different words of a long text ", 60)}, 20_000)
	if stride, err := chooseStride(t.Context(), texts); err != nil || stride < 2 {
		t.Errorf("every %d-th text is used, error %v", stride, err)
	}
}

// TestSampledCorporaHaveAllClasses checks that a sample of rows contains all classes, even if the
// classes of the rows take turns.
func TestSampledCorporaHaveAllClasses(t *testing.T) {
	texts, labels := table(1500, 2, 9)
	order := make([]int32, 0, len(texts))
	for row := range texts { // classes take turns
		order = append(order, int32(row))
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(labels[a] - labels[b]) })
	turns, turnLabels := make([]string, 0, len(texts)), make([]int32, 0, len(texts))
	half := slices.IndexFunc(order, func(row int32) bool { return labels[row] == 1 })
	for i := range min(half, len(order)-half) {
		for _, row := range []int32{order[i], order[half+i]} {
			turns, turnLabels = append(turns, texts[row]), append(turnLabels, labels[row])
		}
	}
	corpus, err := newCorpus(t.Context(), turns, 2, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	trained := len(turns) - 400
	_, features, err := corpus.CrossFit(t.Context(), turns, newTask(turnLabels, 2, trained, 2))
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for row := trained; row < len(turns); row++ {
		if (features[0][row] > 0) == (turnLabels[row] == 1) {
			right++
		}
	}
	if share := float64(right) / 400; share < 0.7 { // one label in five is drawn at random
		t.Errorf("%v of new rows are right", share)
	}
}

// TestSampledFeaturesDoNotDependOnLabelsOfThePart checks that a training row whose text is not in
// the corpus is also scored by a model that was not trained on the part of the row.
func TestSampledFeaturesDoNotDependOnLabelsOfThePart(t *testing.T) {
	const trained, part = 250, 2
	texts, labels := table(300, 2, 4)
	features := func(labels []int32) []float64 {
		corpus, err := newCorpus(t.Context(), texts, 3, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		task := newTask(labels, 2, trained, 2)
		f := newCrossFit(corpus, &task)
		if err := f.runPass(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		f.saveAsBest()
		all, err := f.features(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	other := slices.Clone(labels)
	for row := part; row < trained; row += 5 {
		other[row] = 1 - other[row]
	}
	one, two := features(labels), features(other)
	for row := range texts {
		if same := one[row] == two[row]; row%5 == part && row < trained && !same {
			t.Errorf("the score of row %d depends on the labels of its part", row)
		} else if row >= trained && same {
			t.Errorf("the score of the new row %d does not depend on labels", row)
		}
	}
}

func TestDrawRows(t *testing.T) {
	for _, size := range [][2]int{{0, 1}, {7, 1}, {10, 3}, {12, 4}, {3, 5}} {
		rows, stride := size[0], size[1]
		sample := drawRowPerStride(rows, stride)
		if len(sample) != (rows+stride-1)/stride {
			t.Errorf("%d of %d rows with stride %d", len(sample), rows, stride)
		}
		for i, row := range sample {
			if int(row)/stride != i || int(row) >= rows {
				t.Errorf("row %d of %d is drawn from range %d with stride %d", row, rows, i, stride)
			}
		}
	}
}

func TestIndexOfABucket(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	for _, n := range []int{0, 1, 2, 100, minBitmapBuckets - 1, minBitmapBuckets, numBuckets} {
		buckets := make([]uint32, 0, n)
		for _, b := range rand.New(rand.NewPCG(1, uint64(n))).Perm(numBuckets)[:n] {
			buckets = append(buckets, uint32(b))
		}
		slices.Sort(buckets)
		v := newVocabulary(buckets, nil)
		next := 0
		for b := range uint32(numBuckets) {
			want := int32(-1)
			if next < n && buckets[next] == b {
				want = int32(next)
				next++
			}
			if got := v.index(b); got != want {
				t.Fatalf("%d buckets: index %d of bucket %d, want %d", n, got, b, want)
			}
		}
	}
}

// TestMemoryOfSmallModels checks that the memory of a model is a small multiple of its size in a
// file.
func TestMemoryOfSmallModels(t *testing.T) {
	const models = 1000
	b, err := newModel(newVocabulary(nil, nil), 2, make([]float32, 1), nil).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range models {
		if _, err := ReadModel(b); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if one := (after.TotalAlloc - before.TotalAlloc) / models; one > 4096 {
		t.Errorf("a model of %d bytes takes %d bytes", len(b), one)
	}
}
