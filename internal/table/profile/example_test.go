package profile_test

import (
	"context"
	"fmt"
	"strings"

	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// A training file has the ID first and the label last. Its profile has the schema with
// which it is loaded.
func ExampleScan() {
	const file = "id,age,city,risk\n1,39,Bonn,low\n2,51,Köln,high\n3,,Bonn,low\n"
	p, err := profile.Scan(context.Background(), strings.NewReader(file), profile.ScanOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range p.Columns {
		fmt.Printf("%s: %s, %d missing, %d distinct\n", c.Name, c.Form, c.Missing, c.Distinct)
	}
	f, err := frame.Load(context.Background(), strings.NewReader(file), p.Schema, frame.LoadOptions{Labelled: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Rows, "rows, classes", f.Schema.Classes, f.Labels)
	// Output:
	// age: numeric, 1 missing, 2 distinct
	// city: category, 0 missing, 2 distinct
	// 3 rows, classes [high low] [1 0 1]
}

// Defects of a file are in its profile; they are not an error of Scan.
func ExampleScan_defects() {
	const file = "id,age,risk\n1,39,low\n1,51,high\n3,45,\n"
	p, err := profile.Scan(context.Background(), strings.NewReader(file), profile.ScanOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range p.Defects {
		fmt.Printf("%d:%d %s: %s\n", d.Line, d.Column, d.Code, d.Message)
	}
	// Output:
	// 3:1 duplicate-id: line 2 has the same ID: IDs must be unique
	// 4:3 empty-label: the row has no label
}
