package columnstats

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/table/cells"
)

func TestLevelsAreRetainedByCount(t *testing.T) {
	t.Run("rare_texts_go_where_there_are_many", func(t *testing.T) {
		columns, _ := NewColumns(1, 0)
		for i := range 1_500 + 700 { // 700 texts have two rows
			columns[0].AddCell([]byte("w"+strconv.Itoa(i%1_500)), i+2)
		}
		if n := len(columns[0].Levels()); n != 700 {
			t.Errorf("%d levels", n)
		}
	})

	t.Run("frequent_texts_survive_forgetting", func(t *testing.T) {
		stats := Column{limits: memoryLimits{maxTexts: 10, maxHashes: 4_096, sampleBytes: maxSampleBytes}}
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range 100_000 {
			cell := "rare" + strconv.Itoa(i)
			if i%2 == 0 {
				cell = "often" + strconv.Itoa(rng.IntN(50))
			}
			stats.AddCell([]byte(cell), i)
			if len(stats.texts.values) == 1_000 {
				stats.texts.evictRareTexts(stats.texts.bytes/2, &stats.limits)
			}
		}
		often := 0
		for _, one := range stats.Levels() {
			if strings.HasPrefix(one.Text, "often") && one.Rows > 800 {
				often++
			}
		}
		n, exact := stats.texts.distinctCount()
		if often != 50 || exact || n < 47_000 || n > 53_000 || len(stats.texts.values) > 1_000 {
			t.Errorf("%d frequent texts, %d different (exact %v), %d kept", often, n, exact, len(stats.texts.values))
		}
	})
}

// TestLateTextsAreCounted checks that a text is counted even if hardly any text repeats before it.
func TestLateTextsAreCounted(t *testing.T) {
	const rows, late = 300_000, 200_000 // from row late on, every third row is "west"
	columns, _ := NewColumns(1, 0)
	stats := &columns[0]
	for i := range rows {
		cell := "shop" + strconv.Itoa(i)
		if i >= late && i%3 == 0 {
			cell = "west"
		}
		stats.AddCell([]byte(cell), i)
		if len(stats.texts.values) == 20_000 {
			stats.texts.evictRareTexts(stats.texts.bytes/2, &stats.limits)
		}
	}
	const all = (rows - late) / 3
	if west := stats.texts.find("west"); west == nil || west.Rows < all*99/100 || west.Rows > all {
		t.Errorf("west is counted as %+v, want about %d rows", west, all)
	}
	if n := len(stats.texts.values); n > rows/50 {
		t.Errorf("%d texts are counted, although most occur once", n)
	}
}

// TestSampleOfEvictedTexts checks that the sample of a column has texts of all its rows with their exact
// rows, in bounded memory, and that it does not depend on their order.
func TestSampleOfEvictedTexts(t *testing.T) {
	const texts, rowsPerText, maxBytes = 20_000, 3, 64 << 10
	sample := func(text func(i int) int) map[string]int {
		limits := memoryLimits{maxHashes: 4_096, sampleBytes: maxBytes}
		var counts valueCounts
		for row := range texts * rowsPerText {
			cell := fmt.Appendf(nil, "text %d", text(row%texts))
			counts.add(cell, cells.Hash(cell), row)
			if row%5_000 == 4_999 {
				counts.evictRareTexts(0, &limits)
			}
		}
		if size := counts.sample.counts.bytes; size > maxBytes || size < maxBytes/4 {
			t.Errorf("the sample takes %d bytes", size)
		}
		rows := make(map[string]int)
		for _, one := range counts.sample.counts.values {
			rows[one.Text] = one.Rows
		}
		return rows
	}
	forward := sample(func(i int) int { return i })
	late, all := 0, 0
	for text, rows := range forward {
		if rows != rowsPerText {
			t.Errorf("%s has %d rows", text, rows)
		}
		number, err := strconv.Atoi(strings.TrimPrefix(text, "text "))
		if all++; err != nil || number >= texts/2 {
			late++
		}
	}
	if 3*late < all {
		t.Errorf("only %d of %d texts are from the second half", late, all)
	}
	if backward := sample(func(i int) int { return texts - 1 - i }); !maps.Equal(forward, backward) {
		t.Errorf("%d and %d texts", len(forward), len(backward))
	}
}
