package profile

import (
	"fmt"
	"strings"
	"testing"
)

// TestCountKnownRows finds the blind rows that have the features of a training row, in any order of the
// columns and with further columns, and none if the training rows are hardly different.
func TestCountKnownRows(t *testing.T) {
	for _, c := range []struct {
		different, want int // the number of different training rows, and of known blind rows
	}{{100, 40}, {10, 0}} {
		var train, blind strings.Builder
		train.WriteString("id,size,town,constant,label\n")
		blind.WriteString("id,town,size,note,label\n")
		for i := range 100 {
			n := i % c.different
			fmt.Fprintf(&train, "r%d,%d.5,t%d,7,%c\n", i, n*n, n%7, 'a'+i%2)
			fmt.Fprintf(&blind, "b%d,t%d,%d.5,n%d,a\n", i, (n+60)%7, (n+60)*(n+60), i)
		}
		p := scanText(t, train.String(), ScanOptions{})
		got := p.CountKnownRows(scanText(t, blind.String(), ScanOptions{Blind: true, Training: p.Schema}))
		if got != c.want {
			t.Errorf("%d of 100 blind rows are known, want %d", got, c.want)
		}
	}
}
