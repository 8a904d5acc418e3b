package text

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/testenv"
)

// table returns texts of random words. Some words depend on the class.
func table(rows, classes int, seed uint64) (texts []string, labels []int32) {
	draw := rand.New(rand.NewPCG(seed, 1))
	for range rows {
		class := draw.IntN(classes)
		words := []string{fmt.Sprintf("topic%c%d", 'a'+class%26, class/26)}
		for range 4 + draw.IntN(6) {
			words = append(words, fmt.Sprintf("w%d", draw.IntN(60)))
		}
		draw.Shuffle(len(words), func(i, k int) { words[i], words[k] = words[k], words[i] })
		if draw.IntN(5) == 0 {
			class = draw.IntN(classes)
		}
		texts, labels = append(texts, strings.Join(words, " ")), append(labels, int32(class))
	}
	return texts, labels
}

// newTask returns the task of the first rows, in five parts.
func newTask(labels []int32, classes, rows, workers int) Task {
	t := Task{Labels: labels, Classes: classes, NumParts: 5, Seed: 3, Workers: workers}
	for row := range rows {
		t.Rows, t.Parts = append(t.Rows, int32(row)), append(t.Parts, row%5)
	}
	return t
}

// train returns the model and the features of the first trained texts.
func train(tb testing.TB, texts []string, task Task) (*Model, [][]float64) {
	tb.Helper()
	corpus, err := NewCorpus(tb.Context(), texts, task.Classes, task.Workers)
	if err != nil {
		tb.Fatal(err)
	}
	m, features, err := corpus.CrossFit(tb.Context(), texts, task)
	if err != nil {
		tb.Fatal(err)
	}
	return m, features
}

func TestTerms(t *testing.T) {
	var r termReader
	read := func(text string) (terms [numKinds][]uint32) {
		r.read(text, func(kind termKind, bucket uint32) { terms[kind] = append(terms[kind], bucket) })
		return terms
	}
	word := func(w string) uint32 { return bucketOf(hashBytes(wordHashBasis, []byte(w))) }
	pair := func(a, b string) uint32 { return bucketOf(hashBytes(pairHashBasis, []byte(a+" "+b))) }
	gram := func(g string) uint32 { return bucketOf(hashBytes(gramHashBasis, []byte(g))) }
	got := read("Don't STOP!\tÄß9\u00a0x")
	want := [numKinds][]uint32{
		{word("dont"), word("stop"), pair("dont", "stop"), word("äß"), pair("stop", "äß"), word("9"), pair("äß", "9"), word("x"), pair("9", "x")},
		nil,
	}
	for _, run := range []string{" don't ", " stop! ", " äß9 ", " x "} {
		chars := []rune(run)
		for first := range chars {
			for n := minGramLength; n <= maxGramLength && first+n <= len(chars); n++ {
				want[kindGrams] = append(want[kindGrams], gram(string(chars[first:first+n])))
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := read(" \t\u00a0 "); got[0] != nil || got[1] != nil {
		t.Errorf("white space has terms %v", got)
	}
	if n := len(read(strings.Repeat("abc ", maxTextTerms))[0]); n > maxTextTerms {
		t.Errorf("%d terms", n)
	}
}

// FuzzTerms checks that every text has valid buckets, and that reading it again after
// another text finds the same buckets.
func FuzzTerms(f *testing.F) {
	f.Add("Don't STOP!\tÄß9")
	f.Fuzz(func(t *testing.T, text string) {
		var r termReader
		read := func(text string) (all []uint32) {
			r.read(text, func(_ termKind, bucket uint32) {
				if bucket >= numBuckets {
					t.Fatalf("bucket %d", bucket)
				}
				all = append(all, bucket)
			})
			return all
		}
		first := read(text)
		read("another text")
		if !slices.Equal(first, read(text)) {
			t.Error("other terms after another text")
		}
	})
}

func TestVectorsHaveTheNormsOfTheirBlocks(t *testing.T) {
	texts, _ := table(100, 3, 1)
	corpus, err := NewCorpus(t.Context(), texts, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	e := newTermCounter(corpus.vocabulary)
	var x, again vector
	for row, one := range texts {
		entries := e.count(one)
		corpus.vocabulary.fillVector(&x, entries)
		var squares [numKinds]float64
		for i, entry := range entries {
			squares[entry.kind] += float64(x.values[i]) * float64(x.values[i])
		}
		for kind, sum := range squares {
			if want := float64(kindNorms[kind]); math.Abs(math.Sqrt(sum)-want) > 1e-5 {
				t.Errorf("norm %v of block %d, want %v", math.Sqrt(sum), kind, want)
			}
		}
		corpus.fillVector(&again, int32(row))
		if !slices.Equal(x.terms, again.terms) || !slices.Equal(x.values, again.values) {
			t.Fatalf("row %d of the corpus has another vector", row)
		}
	}
}

func TestWordsOfAClassAreLearned(t *testing.T) {
	for _, classes := range []int{2, 3, 12} {
		texts, labels := table(1200, classes, 2)
		m, features := train(t, texts, newTask(labels, classes, 900, 2))
		right := 0
		for row := 900; row < 1200; row++ {
			best := int32(0)
			for class := range features {
				if classes == 2 && features[0][row] > 0 || features[class][row] > features[best][row] {
					best = int32(class)
				}
			}
			if classes == 2 && features[0][row] > 0 {
				best = 1
			}
			if best == labels[row] {
				right++
			}
		}
		// One label in five is drawn at random.
		if share := float64(right) / 300; share < 0.7 {
			t.Errorf("%d classes: %v of new rows are right", classes, share)
		}
		one := make([]float32, m.Features())
		s := m.NewScorer()
		for row := 900; row < 1200; row++ {
			s.Score(one, texts[row])
			for i, value := range one {
				if float64(value) != features[i][row] {
					t.Fatalf("row %d: score %v, want %v", row, value, features[i][row])
				}
			}
		}
	}
}

// TestFeaturesOfARowDoNotDependOnItsLabel checks that another label of a row changes no features of
// rows in its part: the model that scores a part is not trained on the part.
func TestFeaturesOfARowDoNotDependOnItsLabel(t *testing.T) {
	texts, labels := table(300, 2, 4)
	task := newTask(labels, 2, 250, 2)
	f := func(labels []int32) []float64 {
		task.Labels = labels
		corpus, err := NewCorpus(t.Context(), texts, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := newCrossFit(corpus, &task)
		if err := c.runPass(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		var part []float64
		for _, score := range c.scores[2] {
			part = append(part, float64(score))
		}
		return part
	}
	other := slices.Clone(labels)
	for row := 2; row < 250; row += 5 { // the rows of part 2
		other[row] = 1 - other[row]
	}
	if !slices.Equal(f(labels), f(other)) {
		t.Error("the scores of a part depend on its labels")
	}
	task.Labels = labels
	_, want := train(t, texts, task)
	other = slices.Clone(labels)
	for row := 250; row < 300; row++ {
		other[row] = 1 - other[row]
	}
	task.Labels = other
	if _, got := train(t, texts, task); !cmp.Equal(got, want) {
		t.Error("labels of rows that are not trained on change the features")
	}
}

func TestWorkersDoNotChangeTheModel(t *testing.T) {
	texts, labels := table(700, 5, 5)
	var first []byte
	var features [][]float64
	for _, workers := range []int{1, 2, 8} {
		m, got := train(t, texts, newTask(labels, 5, 600, workers))
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, features = b, got
		}
		if !slices.Equal(b, first) || !cmp.Equal(got, features) {
			t.Errorf("%d workers make another model", workers)
		}
	}
}

func TestManyClassesHaveFewFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("the goroutines are those of TestWorkersDoNotChangeTheModel")
	}
	texts, labels := table(600, 100, 6)
	m, features := train(t, texts, newTask(labels, 100, 600, 2))
	if m.Features() != maxFeatures || len(features) != maxFeatures {
		t.Errorf("%d features, want %d", len(features), maxFeatures)
	}
}

// TestCancelledTraining checks that reading and training check the context at least once for each
// text that is read, and end soon after it is cancelled.
func TestCancelledTraining(t *testing.T) {
	const rows, trained = 600, 60
	texts, labels := table(rows, 2, 7)
	corpus, err := NewCorpus(t.Context(), texts, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		run  func(ctx context.Context) error
		read int // the number of texts that are read, counting repetitions
	}{
		"NewCorpus": {func(ctx context.Context) error { _, err := NewCorpus(ctx, texts, 2, 1); return err }, 3 * rows},
		"CrossFit": {func(ctx context.Context) error {
			_, _, err := corpus.CrossFit(ctx, texts, newTask(labels, 2, trained, 1))
			return err
		}, rows - trained},
	} {
		const many, soon = 1e9, 5
		ctx := &testenv.CountedContext{Context: t.Context(), Left: many}
		if err := c.run(ctx); err != nil {
			t.Fatal(err)
		}
		checks := many - ctx.Left
		if checks < c.read {
			t.Errorf("%s reads %d texts, but checks only %d times whether it is cancelled", name, c.read, checks)
		}
		for left := 0; left < checks; left += 1 + checks/30 {
			ctx := &testenv.CountedContext{Context: t.Context(), Left: left}
			if err := c.run(ctx); !errors.Is(err, context.Canceled) || ctx.Left < -soon {
				t.Errorf("%s, cancelled after %d of %d checks: error %v after %d more checks", name, left, checks, err, -ctx.Left)
			}
		}
	}
}

// smallBinary returns the binary form of a model with few terms.
func smallBinary(tb testing.TB) []byte {
	tb.Helper()
	texts, labels := table(60, 3, 8)
	m, _ := train(tb, texts, newTask(labels, 3, 60, 1))
	b, err := m.AppendBinary(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestBinaryForm(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	b := smallBinary(t)
	m, err := ReadModel(b)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := m.AppendBinary(nil); err != nil || !slices.Equal(again, b) {
		t.Error("bytes differ after reading and writing")
	}
	for n := range b {
		if _, err := ReadModel(b[:n]); err == nil {
			t.Fatalf("no error for %d of %d bytes", n, len(b))
		}
	}
}

func FuzzReadModel(f *testing.F) {
	f.Add(smallBinary(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ReadModel(b)
		if err != nil {
			return
		}
		one := make([]float32, m.Features())
		m.NewScorer().Score(one, "topica0 w1 w2 and other words")
		for _, x := range one {
			if x != x {
				t.Fatalf("features %v", one)
			}
		}
		again, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadModel(again); err != nil {
			t.Error(err)
		}
	})
}
