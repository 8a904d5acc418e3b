package text

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// vocabulary is the set of buckets whose terms have weights. A bucket stands for all terms with the
// same hash value. The vocabulary is chosen without labels.
type vocabulary struct {
	buckets []uint32  // ascending
	idf     []float32 // the inverse document frequency of each bucket, by its index in buckets
	// bitmap finds the index of a bucket in buckets. Small vocabularies use first and shift
	// instead, which need less memory, and their bitmap is nil.
	bitmap *bitmap
	// first[i] is the number of buckets of the vocabulary below i<<shift.
	first []int32
	shift int
}

// minBitmapBuckets is the smallest number of buckets for which a vocabulary has a bitmap. With a
// bitmap, a smaller vocabulary would be many times as large in memory as in its binary form.
const minBitmapBuckets = 4096

// bitmap is a set of buckets: bit b%64 of present[b/64] is set if b is in the set.
// before[i] is the number of buckets in the set below 64·i.
type bitmap struct {
	present [numBuckets / 64]uint64
	before  [numBuckets / 64]uint32
}

// newVocabulary returns the vocabulary of the given buckets, which must be ascending.
func newVocabulary(sortedBuckets []uint32, idf []float32) *vocabulary {
	v := &vocabulary{buckets: sortedBuckets, idf: idf}
	if len(sortedBuckets) >= minBitmapBuckets {
		v.bitmap = newBitmap(sortedBuckets)
		return v
	}
	width := bits.Len(uint(len(sortedBuckets)))
	v.first, v.shift = make([]int32, 1<<width+1), bucketBits-width
	for _, b := range sortedBuckets {
		v.first[b>>v.shift+1]++
	}
	for i := range v.first[1:] {
		v.first[i+1] += v.first[i]
	}
	return v
}

func newBitmap(buckets []uint32) *bitmap {
	m := new(bitmap)
	for _, b := range buckets {
		m.present[b/64] |= 1 << (b % 64)
	}
	n := uint32(0)
	for i, word := range m.present {
		m.before[i] = n
		n += uint32(bits.OnesCount64(word))
	}
	return m
}

// index returns the index of a bucket in buckets, or -1 if it is not in the vocabulary.
func (v *vocabulary) index(bucket uint32) int32 {
	if m := v.bitmap; m != nil {
		word, bit := m.present[bucket/64], uint64(1)<<(bucket%64)
		if word&bit == 0 {
			return -1
		}
		return int32(m.before[bucket/64] + uint32(bits.OnesCount64(word&(bit-1))))
	}
	slot := bucket >> v.shift
	for i := v.first[slot]; i < v.first[slot+1]; i++ {
		if v.buckets[i] == bucket {
			return i
		}
	}
	return -1
}

// selectVocabulary returns a vocabulary of at most maxBuckets buckets. counts[b] is the number
// of texts, out of numTexts, that have a term in bucket b. The buckets with the highest counts are
// selected, but none with fewer than minTexts texts.
func selectVocabulary(counts []uint32, numTexts, maxBuckets int) *vocabulary {
	const minTexts = 2
	var buckets []uint32
	for b, count := range counts {
		if count >= minTexts {
			buckets = append(buckets, uint32(b))
		}
	}
	slices.SortStableFunc(buckets, func(a, b uint32) int { return cmp.Compare(counts[b], counts[a]) })
	buckets = buckets[:min(len(buckets), maxBuckets)]
	slices.Sort(buckets)
	idf := make([]float32, len(buckets))
	for i, b := range buckets {
		// The smoothed inverse document frequency of scikit-learn.
		idf[i] = float32(math.Log(float64(numTexts+1)/float64(counts[b]+1)) + 1)
	}
	return newVocabulary(buckets, idf)
}

// kindNorms are the norms to which the terms of each kind are scaled. Character n-grams weigh less
// than words and pairs of words, because there are more n-grams and they overlap.
var kindNorms = [numKinds]float32{1, 0.7}

// termCount is a term of a text. index is the index of its bucket in the vocabulary, and count is the
// number of times that it occurs in the text, at most 255.
type termCount struct {
	index int32
	kind  termKind
	count uint8
}

// vector is a text as a sparse vector. terms are ascending indices in the vocabulary, and
// values are the weights of the terms. The values of each kind of term have the norm in
// kindNorms.
type vector struct {
	terms  []int32
	values []float32
}

// termCounter counts how often each term of the vocabulary is in a text.
type termCounter struct {
	vocabulary *vocabulary
	reader     termReader
	found      []uint64 // numKinds·index + kind of each term that was found
	entries    []termCount
}

func newTermCounter(v *vocabulary) *termCounter {
	return &termCounter{vocabulary: v}
}

// count returns the terms of a text that are in the vocabulary, by ascending index. The
// result is valid until the next call.
func (e *termCounter) count(text string) []termCount {
	e.found, e.entries = e.found[:0], e.entries[:0]
	e.reader.read(text, func(kind termKind, bucket uint32) {
		if i := e.vocabulary.index(bucket); i >= 0 {
			e.found = append(e.found, uint64(i)*uint64(numKinds)+uint64(kind))
		}
	})
	slices.Sort(e.found)
	for i, key := range e.found {
		if i > 0 && key == e.found[i-1] {
			if last := &e.entries[len(e.entries)-1]; last.count < math.MaxUint8 {
				last.count++
			}
			continue
		}
		e.entries = append(e.entries, termCount{int32(key / uint64(numKinds)), termKind(key % uint64(numKinds)), 1})
	}
	return e.entries
}

// logTermFrequency[n] is the weight of a term that occurs n times in a text: 1 + ln(n); see
// Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, section
// 6.4.1.
var logTermFrequency = func() (table [math.MaxUint8 + 1]float32) {
	for i := 1; i < len(table); i++ {
		table[i] = float32(1 + math.Log(float64(i)))
	}
	return table
}()

// fillVector sets dst to the vector of a text with the given entries.
func (v *vocabulary) fillVector(dst *vector, entries []termCount) {
	dst.terms, dst.values = dst.terms[:0], dst.values[:0]
	var squares [numKinds]float32
	for _, e := range entries {
		value := logTermFrequency[e.count] * v.idf[e.index]
		squares[e.kind] += float32(value * value)
		dst.terms, dst.values = append(dst.terms, e.index), append(dst.values, value)
	}
	var scale [numKinds]float32
	for kind, sum := range squares {
		if sum > 0 {
			scale[kind] = kindNorms[kind] / float32(math.Sqrt(float64(sum)))
		}
	}
	for i, e := range entries {
		dst.values[i] *= scale[e.kind]
	}
}
