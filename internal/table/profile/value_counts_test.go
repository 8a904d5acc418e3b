package profile

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestLevelsAreRetainedByCount(t *testing.T) {
	t.Run("rare_texts_go_where_there_are_many", func(t *testing.T) {
		cells := cellsOf(1_500, func(i int) string { return "w" + strconv.Itoa(i) })
		cells = append(cells, cells[:700]...)
		if n := len(scanText(t, column(cells...), ScanOptions{}).Schema.Columns[0].Levels); n != 700 {
			t.Errorf("%d levels", n)
		}
	})

	t.Run("frequent_texts_survive_forgetting", func(t *testing.T) {
		stats := ColumnStats{limits: memoryLimits{maxTexts: 10, maxHashes: 4_096, sampleBytes: maxSampleBytes}}
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range 100_000 {
			cell := "rare" + strconv.Itoa(i)
			if i%2 == 0 {
				cell = "often" + strconv.Itoa(rng.IntN(50))
			}
			stats.addCell([]byte(cell), i)
			if len(stats.texts.values) == 1_000 {
				stats.texts.evictRareTexts(stats.texts.bytes/2, &stats.limits)
			}
		}
		often := 0
		for _, one := range stats.texts.levels() {
			if strings.HasPrefix(one.text, "often") && one.rows > 800 {
				often++
			}
		}
		n, exact := stats.texts.distinctCount()
		if often != 50 || exact || n < 47_000 || n > 53_000 || len(stats.texts.values) > 1_000 {
			t.Errorf("%d frequent texts, %d different (exact %v), %d kept", often, n, exact, len(stats.texts.values))
		}
	})
}
