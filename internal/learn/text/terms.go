package text

import (
	"unicode"
	"unicode/utf8"

	"foretell/internal/table/cells"
)

// The terms of a text are its words, its pairs of consecutive words, and its character n-grams, all
// in lower case. Words are defined by cells.Tokenizer. The n-grams are the sequences of
// minGramLength to maxGramLength characters within a run. A run consists of consecutive characters
// other than white space, with a space added at both ends, so that n-grams show punctuation and
// where words begin and end.
const (
	minGramLength = 3
	maxGramLength = 5
	// maxTextTerms is the largest number of terms of each kind in a text, counting
	// repetitions. Further terms are ignored.
	maxTextTerms = 20_000
	// maxRunLength is the largest number of characters of a run that are used.
	maxRunLength = 40
)

// termKind is a kind of term. The terms of each kind in a text are normalised separately.
type termKind uint8

const (
	kindWords termKind = iota // words and pairs
	kindGrams                 // character n-grams
	numKinds
)

// bucketBits is the base-2 logarithm of the number of buckets that terms are hashed to.
const (
	bucketBits = 20
	numBuckets = 1 << bucketBits
)

// Terms are hashed by FNV-1a with 32 bits (Fowler, Noll & Vo 1991), with different
// initial values for words, pairs and n-grams. The hash is then mixed by the finaliser
// of MurmurHash3 (Appleby 2008).
const (
	fnvPrime      = 16777619
	wordHashBasis = 2166136261
	pairHashBasis = wordHashBasis ^ 0x5bd1e995
	gramHashBasis = wordHashBasis ^ 0x1b873593
)

func hashByte(h uint32, b byte) uint32 { return (h ^ uint32(b)) * fnvPrime }

func hashBytes(h uint32, text []byte) uint32 {
	for _, b := range text {
		h = hashByte(h, b)
	}
	return h
}

// bucketOf returns the bucket of a term with the hash h.
func bucketOf(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return (h ^ h>>16) >> (32 - bucketBits)
}

// termReader finds the terms of texts.
type termReader struct {
	tokenizer cells.Tokenizer
	text      []byte
	run       []byte // the current run in lower case, after a space
	starts    []int  // the offset of each character of run
	left      int    // number of terms of the current kind that may still be visited
	visit     func(kind termKind, bucket uint32)
}

// read calls visit with the kind and the bucket of each term of a text: first words and
// pairs of words, then character n-grams.
func (r *termReader) read(text string, visit func(kind termKind, bucket uint32)) {
	r.visit, r.left = visit, maxTextTerms
	r.text = append(r.text[:0], text...)
	previous, hasPrevious := uint32(0), false
	r.tokenizer.Tokenize(r.text, func(word []byte) {
		r.addTerm(kindWords, hashBytes(wordHashBasis, word))
		if hasPrevious {
			r.addTerm(kindWords, hashBytes(hashByte(previous, ' '), word))
		}
		previous, hasPrevious = hashBytes(pairHashBasis, word), true
	})
	r.resetRun()
	r.left = maxTextTerms
	for i := 0; i < len(r.text) && r.left > 0; {
		char, size := rune(r.text[i]), 1
		if char >= utf8.RuneSelf {
			char, size = utf8.DecodeRune(r.text[i:])
		}
		i += size
		if char <= ' ' || char >= utf8.RuneSelf && (char == utf8.RuneError || unicode.IsSpace(char)) {
			r.endRun()
		} else if len(r.starts) <= maxRunLength {
			r.starts = append(r.starts, len(r.run))
			r.run = utf8.AppendRune(r.run, unicode.ToLower(char))
		}
	}
	r.endRun()
}

func (r *termReader) resetRun() {
	r.run = append(r.run[:0], ' ')
	r.starts = append(r.starts[:0], 0)
}

// endRun visits the character n-grams of the current run.
func (r *termReader) endRun() {
	if len(r.starts) <= 1 {
		return
	}
	r.starts = append(r.starts, len(r.run), len(r.run)+1)
	r.run = append(r.run, ' ')
	n := len(r.starts) - 1
	for first := 0; first+minGramLength <= n; first++ {
		h := hashBytes(gramHashBasis, r.run[r.starts[first]:r.starts[first+minGramLength-1]])
		for last := first + minGramLength - 1; last < min(first+maxGramLength, n); last++ {
			h = hashBytes(h, r.run[r.starts[last]:r.starts[last+1]])
			r.addTerm(kindGrams, h)
		}
	}
	r.resetRun()
}

func (r *termReader) addTerm(kind termKind, h uint32) {
	if r.left > 0 {
		r.left--
		r.visit(kind, bucketOf(h))
	}
}
