package frame

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestReshape(t *testing.T) {
	plain := "k,a,y,b\nr,1,\"u,v\",2\ns,3,w,4\n"
	for _, c := range []struct {
		name, in string
		shape    Shape
		want     string
	}{
		{"nothing_asked_changes_nothing", "a;b\r\n\"1\";2", Shape{}, "a;b\r\n\"1\";2"},
		{"label_moves_last", plain, Shape{Label: "y"}, "k,a,b,y\nr,1,2,\"u,v\"\ns,3,4,w\n"},
		{"id_moves_first", plain, Shape{ID: "b"}, "b,k,a,y\n2,r,1,\"u,v\"\n4,s,3,w\n"},
		{"id_is_made", plain, Shape{MakeID: true}, "id,k,a,y,b\nr1,r,1,\"u,v\",2\nr2,s,3,w,4\n"},
		{"made_id_gets_a_free_name", "id,a\n1,2\n", Shape{MakeID: true}, "id_2,id,a\nr1,1,2\n"},
		{"columns_are_dropped", plain, Shape{Drop: []string{"a", "b"}, Label: "k"}, "y,k\n\"u,v\",r\nw,s\n"},
		{"delimiter_is_replaced", "a;b\n1,5;\"x;\"\"y\"\n", Shape{Delimiter: ';'}, "a,b\n\"1,5\",\"x;\"\"y\"\n"},
		{"tab_is_detected", "a\tb, c\n1\t2\n", Shape{Delimiter: DetectDelimiter}, "a,\"b, c\"\n1,2\n"},
		{"comma_is_detected", plain, Shape{Delimiter: DetectDelimiter}, plain},
		{"blind_file_may_lack_the_label", plain, Shape{Label: "none", Drop: []string{"no"}, ID: "k", Blind: true}, plain},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Reshape(iotest.HalfReader(strings.NewReader(c.in)), c.shape)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}

	for _, c := range []struct {
		name, in string
		shape    Shape
		want     string
	}{
		{"missing_label", plain, Shape{Label: "z"}, `line 1: no column has the name "z", which is to be the label`},
		{"missing_id", plain, Shape{ID: "z", Blind: true}, `line 1: no column has the name "z", which is to be the ID`},
		{"missing_drop", plain, Shape{Drop: []string{"z"}}, `line 1: no column has the name "z", which is to be dropped`},
		{"ragged_row", "a;b\n1\n", Shape{Delimiter: ';'}, "line 2, column 2 (b): expected 2 fields, got 1"},
		{"two_ids", plain, Shape{ID: "a", MakeID: true}, `the ID is to be the column "a" and to be made: choose one`},
	} {
		t.Run(c.name+"_is_an_error", func(t *testing.T) {
			r, err := Reshape(strings.NewReader(c.in), c.shape)
			if err == nil {
				_, err = io.ReadAll(r)
			}
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestDefectsOfTheSourceComeThroughAScan(t *testing.T) {
	r, err := Reshape(strings.NewReader("y;id;x\na;1;2\nb;2\na;3;2\n"), Shape{Delimiter: ';', ID: "id", Label: "y"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Scan(t.Context(), r, ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"ragged-row: line 3, column 3 (x): expected 3 fields, got 2"}
	if d := cmp.Diff(want, errorsOf(p.Defects)); d != "" || !p.Partial {
		t.Error(d)
	}
}
