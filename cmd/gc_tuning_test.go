package cmd

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestGCPercent(t *testing.T) {
	for _, tt := range []struct {
		name string
		live uint64
		want int
	}{
		{"nothing_in_use", 0, 30},
		{"a_command_that_only_asks", 5 << 20, 30},
		{"a_race_on_a_small_file", 100 << 20, 8},
		{"a_race_on_a_large_file", 2 << 30, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := gcPercent(tt.live); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestMemoryLimit(t *testing.T) {
	const live, others = 200 << 20, 10 << 20
	limit := memoryLimit(live, others, 6)
	keeps := int64(limitFraction * float64(limit))
	if needs := int64(live*106/100 + others); keeps < needs || keeps > needs+2*headroom {
		t.Errorf("%d bytes are kept where %d are needed", keeps, needs)
	}
}

func TestGCTunerLimitsMemory(t *testing.T) {
	limit, percent := debug.SetMemoryLimit(math.MaxInt64), debug.SetGCPercent(maxPercent)
	t.Cleanup(func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	})
	newGCTuner().adjust()
	if got := debug.SetMemoryLimit(-1); got == math.MaxInt64 {
		t.Error("no limit was set")
	}
	const users = 3 << 30
	debug.SetMemoryLimit(users)
	newGCTuner().adjust()
	if got := debug.SetMemoryLimit(-1); got != users {
		t.Errorf("the user's limit became %d", got)
	}
}
