package inference

import (
	"cmp"
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
)

// Limits for words that become features.
const (
	maxColumnWords  = 40         // largest number of words of a column
	maxTotalWords   = 120        // largest number of words of all columns together
	minColumnWords  = 20         // number of words that each column may have, even if maxTotalWords is exceeded
	maxWordCells    = 12_000_000 // largest number of values (rows × words) of the word features of all columns
	minDocFreq      = 5          // smallest number of texts with a word, and of texts without it
	textsPerDocFreq = 500        // with many texts, minDocFreq is replaced by the number of texts divided by textsPerDocFreq
	maxVocabulary   = 200_000    // largest number of distinct words that are counted
)

// LimitFeatures removes words and items from results if the columns of the table would otherwise
// have too many word or item features. rows is the number of rows of the table.
func LimitFeatures(results []Result, rows int) {
	limitItems(results, rows)
	texts := 0
	for i := range results {
		if results[i].Form == FormText && results[i].Separator == "" {
			texts++
		}
	}
	limit := wordsPerColumn(texts, rows)
	for i := range results {
		results[i].Words = results[i].Words[:min(len(results[i].Words), limit)]
	}
}

// wordsPerColumn returns the largest number of word features per column, for a table with the given
// numbers of text columns and of rows.
func wordsPerColumn(columns, rows int) int {
	columns = max(columns, 1)
	return min(max(maxTotalWords/columns, minColumnWords), maxColumnWords, maxWordCells/columns/max(rows, 1))
}

// selectWords returns the words that divide the texts most evenly, best first: the fraction of
// texts with the best words is nearest to a half. It does not use the labels. occurrences is the
// sum, over the returned words, of the number of texts with the word.
func selectWords(texts []columnstats.Value) (words []string, occurrences int) {
	counts := make(map[string]*docFreq)
	var r cells.Tokenizer
	for i := range texts {
		r.Tokenize([]byte(texts[i].Text), func(word []byte) {
			c := counts[string(word)]
			if c == nil {
				if len(counts) == maxVocabulary {
					return
				}
				c = &docFreq{word: string(word)}
				counts[c.word] = c
			}
			if c.lastText != i+1 {
				c.count++
				c.lastText = i + 1
			}
		})
	}
	least := max(minDocFreq, len(texts)/textsPerDocFreq)
	list := make([]*docFreq, 0, 1024)
	for _, c := range counts {
		if c.count >= least && c.count <= len(texts)-least {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *docFreq) int {
		weigh := func(c *docFreq) int { return min(c.count, len(texts)-c.count) }
		return cmp.Or(cmp.Compare(weigh(b), weigh(a)), cmp.Compare(a.word, b.word))
	})
	list = list[:min(len(list), maxColumnWords)]
	for _, c := range list {
		words = append(words, c.word)
		occurrences += c.count
	}
	return words, occurrences
}

// docFreq is the number of texts that contain a word.
type docFreq struct {
	word     string
	count    int
	lastText int // number of the last text that was counted, from 1
}
