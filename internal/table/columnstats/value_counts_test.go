package columnstats

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
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
