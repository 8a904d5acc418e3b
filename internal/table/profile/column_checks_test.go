package profile

import (
	"fmt"
	"strings"
	"testing"
)

func TestOnlyIntegersNumberTheRows(t *testing.T) {
	for _, c := range []struct {
		format   string
		features int
		warnings int
	}{{"$%d", 0, 1}, {"$%d.5", 1, 0}, {"%d", 0, 1}, {"%d.5", 1, 0}} {
		var file strings.Builder
		file.WriteString("id,x,y\n")
		for i := range 100 {
			fmt.Fprintf(&file, "r%d,"+c.format+",%c\n", i, i*37%100, 'a'+i%2)
		}
		p := scanText(t, file.String(), ScanOptions{})
		if n := p.Columns[0].Features; n != c.features || len(p.Warnings) != c.warnings {
			t.Errorf("%s: %d features, %v", c.format, n, p.Warnings)
		}
	}
}
