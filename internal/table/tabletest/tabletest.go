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

// Dates returns a file of 60 rows with dates: a training file if labelled is set, and otherwise a
// blind file. whenLayout and otherLayout are the layouts, as in package time, of the dates in the
// columns when and other. If otherLayout is "", the file has no column other. If a layout ends in
// "?", its column contains only dates that can be read in two ways.
func Dates(labelled bool, whenLayout, otherLayout string) string {
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
	if otherLayout != "" {
		head = append(head, "other")
	}
	if labelled {
		head = append(head, "y")
	}
	write("id", head...)
	for row := range 60 {
		cells := []string{date(row, whenLayout)}
		if otherLayout != "" {
			cells = append(cells, date(row+1, otherLayout))
		}
		if labelled {
			cells = append(cells, []string{"a", "b"}[row%2])
		}
		write(fmt.Sprint(row), cells...)
	}
	return b.String()
}
