package explain

import (
	"testing"
	"time"

	"foretell/internal/table/cells"
)

// TestFormatNumber checks that each second of days before and after 1970 is formatted as
// it is in a file.
func TestFormatNumber(t *testing.T) {
	for _, day := range []string{"1969-12-31", "2024-02-29"} {
		begin, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		for second := range 24 * 60 * 60 {
			want := begin.Add(time.Duration(second) * time.Second).Format(time.DateTime)
			m, ok := cells.ParseDateTime([]byte(want), false)
			if second == 0 {
				want = day
			}
			if got := formatNumber(m.EpochDays(), true); !ok || got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	}
	if got := formatNumber(0.1, false); got != "0.1" {
		t.Errorf("got %s", got)
	}
}
