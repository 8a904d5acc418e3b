package check_test

import (
	"fmt"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

func TestSecondHeader(t *testing.T) {
	rows := func(second ...string) string {
		text := "time,temp,press,state\n" + strings.Join(second, "")
		for row := range 60 {
			text += fmt.Sprintf("%d,%d.5,0.%d,%s\n", row, row%7, row%5, []string{"a", "b"}[row%2])
		}
		return text
	}
	const message = "the line looks like a second header or a line of units, but it is read as a row"
	const two = "this line and the next row look like more header lines or lines of units, but they are read as rows"
	for name, c := range map[string]struct{ file, want string }{
		"none":             {rows(), ""},
		"units":            {rows("s,degC,Pa,-\n"), message},
		"questions_and_ID": {rows("When?,\"How warm\nis it?\",Pressure?,State?\n", "Q1,Q2,Q3,Q4\n"), two},
		"a_known_label":    {rows("s,degC,Pa,a\n"), ""},
		"missing_values":   {rows("0,n/a,NA,c\n"), ""},
		"one_text":         {rows("0,cold,5,c\n"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, w := range scanText(t, c.file, profile.ScanOptions{}).Warnings {
				if w.Code == csvfile.CodeSecondHeader {
					got += w.Message
					if w.Line != 2 {
						t.Errorf("line %d", w.Line)
					}
				}
			}
			if got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
