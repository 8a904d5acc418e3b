package text

import (
	"context"
	"math/rand/v2"

	"foretell/internal/learn/parallel"
)

// Limits of a corpus. They bound its memory and the time to train on it.
const (
	// maxEntries is about the largest number of entries of a corpus. A text has one entry per
	// distinct term, and an entry takes 8 bytes. If all texts together have more than maxEntries
	// entries, the corpus contains only some of the texts; see drawRowPerStride.
	maxEntries = 12_000_000
	// numSampleTexts is the number of texts from which the number of terms is estimated.
	numSampleTexts = 1000
	// maxVocabulary is the largest number of buckets that have weights. maxWeights is the largest
	// number of weights, that is, of such buckets times the number of outputs.
	maxVocabulary = 1 << 17
	maxWeights    = 2_000_000
	// blockTexts is the number of texts that one task encodes.
	blockTexts = 512
)

// EstimateMemory returns the estimated memory, in bytes, of a corpus and of training on it. texts
// is the number of texts, textBytes their total size, and parts the number of folds of the
// cross-fit.
func EstimateMemory(texts int, textBytes int64, classes, parts int) int64 {
	const (
		byteEntries = 1.7     // terms for each byte of a text
		newBuckets  = 20      // buckets of the vocabulary for each text
		fixed       = 4 * 4e6 // bytes of documentFrequencies
	)
	entries := min(float64(textBytes)*byteEntries, maxEntries)
	weights := min(float64(texts)*newBuckets*float64(numOutputs(classes)), maxWeights)
	// There is a model for each part, a model for all rows, and a copy of the latter. If some texts
	// are not in the corpus, there is a copy of every model.
	models := float64(parts + 2)
	if entries == maxEntries {
		models = 2 * float64(parts+1)
	}
	return int64(fixed + 8*entries + 4*weights*models)
}

// Corpus holds the texts of a table as vectors. It is immutable and safe for concurrent
// use.
type Corpus struct {
	vocabulary *vocabulary
	rows       []int32 // the rows of the table whose texts are in the corpus; see drawRowPerStride
	stride     int
	blocks     [][]termCount
	ends       []uint32 // by text: the end of its entries in its block
}

// NewCorpus returns the corpus of texts. classes is the number of classes that models will predict.
// NewCorpus returns an error only if ctx is cancelled.
func NewCorpus(ctx context.Context, texts []string, classes, workers int) (*Corpus, error) {
	stride, err := chooseStride(ctx, texts)
	if err != nil {
		return nil, err
	}
	return newCorpus(ctx, texts, stride, classes, workers)
}

// newCorpus returns the corpus of one text out of every stride consecutive texts; see
// drawRowPerStride.
func newCorpus(ctx context.Context, texts []string, stride, classes, workers int) (*Corpus, error) {
	c := &Corpus{rows: drawRowPerStride(len(texts), stride), stride: stride}
	counts, err := c.documentFrequencies(ctx, texts, workers)
	if err != nil {
		return nil, err
	}
	limit := min(maxVocabulary, maxWeights/numOutputs(classes))
	n := len(c.rows)
	c.vocabulary = selectVocabulary(counts, n, limit)
	c.ends = make([]uint32, n)
	c.blocks = make([][]termCount, (n+blockTexts-1)/blockTexts)
	err = parallel.ForContext(ctx, workers, len(c.blocks), func(_, i int) {
		e := newTermCounter(c.vocabulary)
		for at := i * blockTexts; at < min((i+1)*blockTexts, n) && ctx.Err() == nil; at++ {
			c.blocks[i] = append(c.blocks[i], e.count(texts[c.rows[at]])...)
			c.ends[at] = uint32(len(c.blocks[i]))
		}
	})
	return c, err
}

// drawRowPerStride divides rows into ranges of stride rows and returns one random row of each
// range. The last range may be shorter. The rows are drawn at random, because every stride-th row
// would be a biased sample of a table with periodic contents.
func drawRowPerStride(rows, stride int) []int32 {
	sample := make([]int32, (rows+stride-1)/stride)
	draw := rand.New(rand.NewPCG(uint64(rows), uint64(stride)))
	for i := range sample {
		lo, hi := i*stride, min((i+1)*stride, rows)
		sample[i] = int32(lo + draw.IntN(hi-lo))
	}
	return sample
}

// chooseStride returns the stride with which newCorpus returns a corpus of at most about
// maxEntries entries. It returns an error only if ctx is cancelled.
func chooseStride(ctx context.Context, texts []string) (int, error) {
	var r termReader
	terms, sample := 0, drawRowPerStride(len(texts), max(len(texts)/numSampleTexts, 1))
	for _, row := range sample {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		r.read(texts[row], func(termKind, uint32) { terms++ })
	}
	return max(1, (terms/max(len(sample), 1)*len(texts)+maxEntries-1)/maxEntries), nil
}

// documentFrequencies returns, for each bucket, the number of texts in the corpus with a term in
// this bucket.
func (c *Corpus) documentFrequencies(ctx context.Context, texts []string, workers int) ([]uint32, error) {
	type counter struct {
		reader termReader
		counts []uint32
		last   []uint32 // by bucket, the index of the last text that was counted, plus one
	}
	// Each counter needs 8 MB, and two counters are about as fast as many.
	counters := make([]counter, min(workers, 2))
	err := parallel.ForContext(ctx, len(counters), len(counters), func(_, at int) {
		k := &counters[at]
		k.counts, k.last = make([]uint32, numBuckets), make([]uint32, numBuckets)
		for i := at; i < len(c.rows) && ctx.Err() == nil; i += len(counters) {
			k.reader.read(texts[c.rows[i]], func(_ termKind, bucket uint32) {
				if k.last[bucket] != uint32(i)+1 {
					k.last[bucket] = uint32(i) + 1
					k.counts[bucket]++
				}
			})
		}
	})
	for i := range counters[1:] {
		for bucket, n := range counters[i+1].counts {
			counters[0].counts[bucket] += n
		}
	}
	return counters[0].counts, err
}

// contains reports whether the text of a row of the table is in the corpus.
func (c *Corpus) contains(row int32) bool { return c.rows[int(row)/c.stride] == row }

// fillVector sets dst to the vector of the text of a row. The text must be in the corpus.
func (c *Corpus) fillVector(dst *vector, row int32) {
	at := int(row) / c.stride
	first := uint32(0)
	if at%blockTexts > 0 {
		first = c.ends[at-1]
	}
	c.vocabulary.fillVector(dst, c.blocks[at/blockTexts][first:c.ends[at]])
}
