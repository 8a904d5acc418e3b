package csvfile_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"foretell/internal/table/csvfile"
)

// A defect does not end the file if the reader can find the next record.
func ExampleReader() {
	r := csvfile.NewReader(strings.NewReader("id,name\n1,\"Smith, Ann\"\n2,5\" pipe\n3,Bo\n"), ',')
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		var defect *csvfile.Defect
		if errors.As(err, &defect) {
			fmt.Printf("line %d, field %d: %s\n", defect.Line, defect.Column, defect.Code)
			continue
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("line %d: %q\n", rec.Line, rec.Fields)
	}
	// Output:
	// line 1: ["id" "name"]
	// line 2: ["1" "Smith, Ann"]
	// line 3, field 2: stray-quote
	// line 4: ["3" "Bo"]
}

// A message names at most ten missing columns.
func ExampleMissingColumnsMessage() {
	fmt.Println(csvfile.MissingColumnsMessage([]string{"age"}, "of the training file"))
	fmt.Println(csvfile.MissingColumnsMessage([]string{"age", "size", "colour"}, "of the training file"))
	fmt.Println(csvfile.MissingColumnsMessage(strings.Split("abcdefghijklm", ""), "of the training file"))
	// Output:
	// the column "age" of the training file is missing
	// the columns "age", "size" and "colour" of the training file are missing
	// the columns "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" and 3 more of the training file are missing
}
