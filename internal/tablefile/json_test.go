package tablefile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"foretell/internal/table/csvfile"
)

func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, in, want, form string }{
		{"lines", `{"id":1,"x":"a"}` + "\n" + `{"id":2,"x":"b"}` + "\n", "id,x\n1,a\n2,b\n", "JSON Lines"},
		{"one_line", `{"id":1,"x":"a"}`, "id,x\n1,a\n", "JSON Lines"},
		{"a_list", `[{"id":1,"x":"a"},{"id":2,"x":"b"}]`, "id,x\n1,a\n2,b\n", "JSON"},
		{"a_list_in_an_object", `{"count":2,"data":[{"id":1,"x":"a"},{"id":2,"x":"b"}],"next":null}`, "id,x\n1,a\n2,b\n", "JSON"},
		{"one_row_with_a_list", `{"id":7,"x":3,"tags":[{"n":1}]}`, "id,x,tags\n7,3,\"[{\"\"n\"\":1}]\"\n", "JSON Lines"},
		{"an_empty_row", `{}` + "\n" + `{"id":1}`, "id\n\"\"\n1\n", "JSON Lines"},
		{"several_lists", `{"errors":[{"row":1}],"Rows":[{"id":1,"x":"a"}],"more":[{"y":1}]}`, "id,x\n1,a\n", "JSON"},
		{"several_other_lists", `{"north":[{"id":1}],"south":[{"id":2}]}`, "id\n1\n", "JSON"},
		{"numbers_keep_their_text", `[{"id":1,"x":1.50},{"id":2,"x":1e6},{"id":3,"x":-0}]`, "id,x\n1,1.50\n2,1e6\n3,-0\n", "JSON"},
		{"other_values", `[{"a":true,"b":false,"c":null,"d":""}]`, "a,b,c,d\ntrue,false,,\n", "JSON"},
		{"keys_in_the_order_of_their_appearance", `[{"a":1},{"b":2,"a":3},{"c":4}]`, "a,b,c\n1,,\n3,2,\n,,4\n", "JSON"},
		{"an_empty_object", `[{},{"a":1}]`, "a\n\"\"\n1\n", "JSON"},
		{"escapes", `[{"a\n":"x\"y,\u00e9\n"}]`, "\"a\n\"\n\"x\"\"y,é\n\"\n", "JSON"},
		{"objects_in_objects", `[{"a":{"b":1,"c":{"d":2}},"e":3}]`, "a.b,a.c.d,e\n1,2,3\n", "JSON"},
		{"no_numbers", `[{"a":NaN,"b":"NaN","c":-Infinity,"d":"\"NaN"},{"a":1,"b":"x","c":-2,"d":Infinity}]`, "a,b,c,d\n,NaN,,\"\"\"NaN\"\n1,x,-2,\n", "JSON"},
		{"a_null_object_is_no_column", `[{"id":1,"u":{"a":1}},{"id":2,"u":null,"n":null},{"id":3,"v":{"b":null}},{"id":4,"v":0}]`, "id,u.a,n,v.b,v\n1,1,,,\n2,,,,\n3,,,,\n4,,,,0\n", "JSON"},
		{"lists_are_text", `[{"a":[1, {"b": 2}],"e":3}]`, "a,e\n\"[1,{\"\"b\"\":2}]\",3\n", "JSON"},
		{"a_mark_and_space", "\uFEFF \n" + `[{"a":1}]`, "a\n1\n", "JSON"},
		{"packed", gzipped(t, `{"a":1}`+"\n"), "a\n1\n", "gzip, JSON Lines"},
		{"utf16", in16("\uFEFF"+`[{"a":"€"}]`, false), "a\n€\n", "UTF-16, JSON"},
		{"windows_1252", "{\"a\":\"caf\xE9\"}", "a\ncafé\n", "Windows-1252, JSON Lines"},
		{"a_csv_that_begins_so", "[id],[x]\n1,2\n", "[id],[x]\n1,2\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := openText(t, c.in, Options{})
			for range 2 {
				if got, err := text(t, table); err != nil || got != c.want || table.Description() != c.form {
					t.Errorf("got %q, read as %q, %v", got, table.Description(), err)
				}
			}
		})
	}
}

// TestSeveralJSONLists checks that a warning says which of several lists has the rows.
func TestSeveralJSONLists(t *testing.T) {
	table := openText(t, `{"errors":[{"row":1}],"data":[{"id":1},{"id":2,"x":3}],"more":[{"y":1}]}`, Options{})
	if got, err := text(t, table); err != nil || got != "id,x\n1,\n2,3\n" {
		t.Errorf("%v\n%s", err, got)
	}
	const want = `the rows are read from the list "data"; the other members of the object are ignored`
	if list := table.Warnings(); len(list) != 1 || list[0].Message != want {
		t.Errorf("%q, want %q", list, want)
	}
}

// TestJSONListInAnObject checks that a warning names the list that has the rows if its key does not
// show this, and another member may have them.
func TestJSONListInAnObject(t *testing.T) {
	for in, want := range map[string]string{
		`{"count":1,"data":[{"id":1}]}`:            "",
		`{"people":[{"id":1}]}`:                    "",
		`{"type":"people","people":[{"id":1},{}]}`: `the rows are read from the list "people"; the other members of the object are ignored`,
		`{"count":1,"Items":[{"id":1}]}`:           `the rows are read from the list "Items"; the other members of the object are ignored`,
		`{"people":[{"id":1}],"about":{"n":1}}`:    `the rows are read from the list "people"; the other members of the object are ignored`,
	} {
		table := openText(t, in, Options{})
		if got, err := text(t, table); err != nil || !strings.HasPrefix(got, "id\n1\n") {
			t.Errorf("%s is read as %q, %v", in, got, err)
		}
		if list := table.Warnings(); len(list) > 0 != (want != "") || len(list) > 0 && list[0].Message != want {
			t.Errorf("%s: warnings %q, want %q", in, list, want)
		}
	}
}

// CSV may have to read a whole document to find its rows, so it must stop when the context
// is cancelled.
func TestJSONIsCancelled(t *testing.T) {
	table := openText(t, `{"count":1,"data":[{"a":1}]}`, Options{Encoding: "utf-8"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := table.OpenCSV(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

func TestJSONRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a_row_that_is_cut_off", "{\"a\":1}\n{\"a\":2}\n{\"a\":", "line 3: invalid JSON: the file ends within a value"},
		{"a_wrong_character", "{\"a\":1}\n\n{\"a\":x}\n", "line 3: invalid JSON: invalid character"},
		{"a_key_twice", "{\"a\":1}\n{\"a\":1,\"a\":2}\n", `line 2: the object has the key "a" twice`},
		{"a_key_twice_by_flattening", "{\"a\":1}\n{\"b\":{\"c\":1},\"b.c\":2}\n", `line 2: the object has the key "b.c" twice`},
		{"a_row_that_is_no_object", "{\"a\":1}\n[2]\n", "line 2: the row is not an object"},
		{"more_behind_the_list", "[{\"a\":1}]\n{\"a\":2}\n", "line 2: the document continues after the list"},
		{"whole_columns", `{"a":{"0":1,"1":2},"b":{"0":3,"1":4}}`, "line 1: this JSON has nested objects instead of a list of rows"},
		{"lists_of_columns", `{"a":[1,2],"b":[3,4]}`, "line 1: this JSON has columns instead of rows"},
		{"no_rows", `{"data":[{}],"x":[]}`, "the file is empty"},
		{"deep", `{"x":1,"a":` + strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 101), "objects are nested"},
		{"very_deep", "{\"a\":1}\n{\"a\":" + strings.Repeat("[", 1_000_000), "line 2: invalid JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := text(t, openText(t, c.in, Options{}))
			if c.name == "no_rows" && err == nil && got == "" {
				return // the reader of the CSV reports that there are no rows
			}
			var known *Error
			var defect *csvfile.Defect
			if !errors.As(err, &known) || !errors.As(err, &defect) || !strings.Contains(defect.Error(), c.want) {
				t.Fatalf("got %q, %v", got, err)
			}
		})
	}
}

// The size of a row, and of the text between two rows, is limited, so that it cannot fill
// the memory.
func TestJSONIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	for name, in := range map[string]string{
		"text":  `{"a":"` + strings.Repeat("x", 40<<20) + `"}`,
		"space": "{\"a\":1}\n" + strings.Repeat(" ", 80<<20) + "{\"a\":2}\n",
	} {
		t.Run(name, func(t *testing.T) {
			var defect *csvfile.Defect
			if _, err := text(t, openText(t, in, Options{})); !errors.As(err, &defect) || defect.Code != csvfile.CodeTooLong {
				t.Errorf("got %v", err)
			}
		})
	}
	var keys strings.Builder
	for i := range csvfile.MaxFields + 1 {
		fmt.Fprintf(&keys, "{\"k%d\":1}\n", i)
	}
	var defect *csvfile.Defect
	if _, err := text(t, openText(t, keys.String(), Options{})); !errors.As(err, &defect) || defect.Code != csvfile.CodeTooManyColumns {
		t.Errorf("a column in every row: %v", err)
	}
	if _, err := text(t, openText(t, strings.Repeat("{\"a\":1}\n", 1000), Options{MaxBytes: 500})); !errors.As(err, &defect) || defect.Code != CodeLargeTable {
		t.Errorf("got %v", err)
	}
}

func TestJSONPlaces(t *testing.T) {
	table := openText(t, "[\n  {\"a\": 1,\n   \"b\": \"x\\ny\"},\n\n  {\"a\": 2,\n   \"b\": [1]},\n  {\"c\": {\"d\": 1}}\n]", Options{})
	got, err := text(t, table)
	if want := "a,b,c.d\n1,\"x\ny\",\n2,[1],\n,,1\n"; err != nil || got != want {
		t.Fatalf("got %q, %v", got, err)
	}
	for line, want := range map[int]int{1: 0, 2: 2, 4: 5, 5: 7} {
		if _, got, _ := table.Locate(line, 1); got != want {
			t.Errorf("line %d is line %d of the file, not %d", line, got, want)
		}
	}
	var said []string
	for _, w := range table.Warnings() {
		said = append(said, w.String())
	}
	if len(said) != 2 || !strings.HasPrefix(said[0], "line 5: the column has lists") && !strings.HasPrefix(said[0], "line 5") || !strings.HasPrefix(said[1], "line 7") {
		t.Errorf("got %q", said)
	}
}

func TestConvertIsCancelled(t *testing.T) {
	table := openText(t, strings.Repeat("{\"a\":1}\n", 10_000), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := table.OpenCSV(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkJSON(b *testing.B) {
	var in strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&in, "{\"id\":%d,\"age\":%d,\"city\":\"Berlin %d\",\"score\":%d.25,\"label\":\"yes\"}\n", i, i%90, i%100, i%1000)
	}
	b.SetBytes(int64(in.Len()))
	table := openText(b, in.String(), Options{})
	for b.Loop() {
		table.inspected = false
		if err := table.Close(); err != nil {
			b.Fatal(err)
		}
		if err := table.detectAndConvert(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// A number that is not finite may begin in one block of the input and end in the next.
func TestNonFiniteNumbersAcrossReads(t *testing.T) {
	const in, want = `{"a":NaN,"b":[-Infinity,Infinity,-1],"N\"NaN":"-Infinity"}`, `{"a":"" ,"b":[null     ,null    ,-1],"N\"NaN":"-Infinity"}`
	for _, src := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in))} {
		got, err := io.ReadAll(iotest.OneByteReader(&nonFiniteReader{src: bufio.NewReader(src)}))
		if err != nil || string(got) != want {
			t.Errorf("%v: %s", err, got)
		}
	}
}
