package repair_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/repair"
)

func ExampleFile() {
	open := func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("id;size;kind\n1;5\" pipe;steel\n1;7;copper \n3;9;steel\n")), nil
	}
	layout := repair.Layout{Delimiter: csvfile.AutoDelimiter}
	report, err := repair.File(context.Background(), open, os.Stdout, repair.Options{Layout: layout})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.Changes {
		fmt.Printf("line %d: %s\n", c.Line, c.Message)
	}
	// Output:
	// id,size,kind
	// 1,"5"" pipe",steel
	// 1-2,7,copper
	// 3,9,steel
	// line 1: fields separated by ';' are now separated by commas
	// line 2: corrected misplaced quotes in 1 row
	// line 3: trimmed the spaces around 1 label
	// line 3: appended a number to the ID of 1 row with a repeated ID
}

func ExampleNormalize() {
	layout := repair.Layout{ID: "order", Label: "churned", Drop: []string{"colour"}, Delimiter: ';'}
	file, err := repair.Normalize(strings.NewReader("churned;colour;price;order\nno;red;3,50;A7\n"), layout)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, _ = io.Copy(os.Stdout, file)
	// Output:
	// order,price,churned
	// A7,"3,50",no
}
