// Package tabletest makes small CSV files for the tests of the packages of tables.
package tabletest

import (
	"fmt"
	"strings"
	"time"
)

// Column returns a training file with an ID, one feature x with the given cells, and a label y with
// the classes a and b.
func Column(cells ...string) string {
	var file strings.Builder
	file.WriteString("id,x,y\n")
	for i, cell := range cells {
		fmt.Fprintf(&file, "%d,%s,%c\n", i, cell, 'a'+i%2)
	}
	return file.String()
}

// Cells returns the texts that the function cell returns for the numbers 0…n-1.
func Cells(n int, cell func(i int) string) []string {
	list := []string{}
	for i := range n {
		list = append(list, cell(i))
	}
	return list
}

// Dates returns a training file of 60 rows, or a blind file if label is false. The file has a column
// when and, unless other is "", a column other. The arguments when and other are the layouts of the
// dates in these columns, as package time uses them. A layout with the suffix "?" has only dates that
// can be read in two ways.
func Dates(label bool, when, other string) string {
	var b strings.Builder
	write := func(id string, cells ...string) {
		b.WriteString(id)
		for _, cell := range cells {
			b.WriteString("," + cell)
		}
		b.WriteString("\n")
	}
	date := func(row int, layout string) string {
		layout, ambiguous := strings.CutSuffix(layout, "?")
		day := 1 + row*11%28
		if ambiguous {
			day = 1 + row%12
		}
		return time.Date(2024, time.Month(1+row*5%12), day, 0, 0, 0, 0, time.UTC).Format(layout)
	}
	head := []string{"when"}
	if other != "" {
		head = append(head, "other")
	}
	if label {
		head = append(head, "y")
	}
	write("id", head...)
	for row := range 60 {
		cells := []string{date(row, when)}
		if other != "" {
			cells = append(cells, date(row+1, other))
		}
		if label {
			cells = append(cells, []string{"a", "b"}[row%2])
		}
		write(fmt.Sprint(row), cells...)
	}
	return b.String()
}
