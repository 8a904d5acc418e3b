package cmd

import "testing"

func TestGarbagePercent(t *testing.T) {
	for _, tt := range []struct {
		name string
		live uint64
		want int
	}{
		{"nothing_in_use", 0, 30},
		{"a_command_that_only_asks", 5 << 20, 30},
		{"a_race_on_a_small_file", 100 << 20, 12},
		{"a_race_on_a_large_file", 2 << 30, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := garbagePercent(tt.live); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
