package repair

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

func TestNormalize(t *testing.T) {
	plain := "k,a,y,b\nr,1,\"u,v\",2\ns,3,w,4\n"
	for _, c := range []struct {
		name, in string
		shape    Layout
		want     string
	}{
		{"nothing_asked_changes_nothing", "a;b\r\n\"1\";2", Layout{}, "a;b\r\n\"1\";2"},
		{"label_moves_last", plain, Layout{Label: "y"}, "k,a,b,y\nr,1,2,\"u,v\"\ns,3,4,w\n"},
		{"id_moves_first", plain, Layout{ID: "b"}, "b,k,a,y\n2,r,1,\"u,v\"\n4,s,3,w\n"},
		{"id_is_made", plain, Layout{GenerateID: true}, "id,k,a,y,b\nr1,r,1,\"u,v\",2\nr2,s,3,w,4\n"},
		{"id_is_copied", plain, Layout{GenerateID: true, CopyID: "a"}, "id,k,a,y,b\n1,r,1,\"u,v\",2\n3,s,3,w,4\n"},
		{"columns_are_added", plain, Layout{Add: []string{"e", "f,g"}}, "k,a,y,b,e,\"f,g\"\nr,1,\"u,v\",2,,\ns,3,w,4,,\n"},
		{"made_id_gets_a_free_name", "id,a\n1,2\n", Layout{GenerateID: true}, "id_2,id,a\nr1,1,2\n"},
		{"columns_are_dropped", plain, Layout{Drop: []string{"a", "b"}, Label: "k"}, "y,k\n\"u,v\",r\nw,s\n"},
		{"delimiter_is_replaced", "a;b\n1,5;\"x;\"\"y\"\n", Layout{Delimiter: ';'}, "a,b\n\"1,5\",\"x;\"\"y\"\n"},
		{"tab_is_detected", "a\tb, c\n1\t2\n", Layout{Delimiter: csvfile.AutoDelimiter}, "a,\"b, c\"\n1,2\n"},
		{"comma_is_detected", plain, Layout{Delimiter: csvfile.AutoDelimiter}, plain},
		{"columns_get_other_names", plain, Layout{Names: []string{"k", "a", "b", "b_2"}, Label: "a"}, "k,b,b_2,a\nr,\"u,v\",2,1\ns,w,4,3\n"},
		{"made_id_gets_the_name_that_is_asked_for", "id,a\n1,2\n", Layout{GenerateID: true, GeneratedIDName: "id", Names: []string{"id_2", "a"}}, "id,id_2,a\nr1,1,2\n"},
		{"first_row_may_be_data", "\"r\nq\",1\n\ns,2\n", Layout{NoHeader: true}, "column_1,column_2\n\"r\nq\",1\ns,2\n"},
		{"first_row_may_be_data_with_names", "r,1\n", Layout{NoHeader: true, Names: []string{"k", "a"}, GenerateID: true}, "id,k,a\nr1,r,1\n"},
		{"blind_file_may_lack_the_label", plain, Layout{Label: "none", Drop: []string{"no"}, ID: "k", Blind: true}, plain},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Normalize(iotest.HalfReader(strings.NewReader(c.in)), c.shape)
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
		shape    Layout
		want     string
	}{
		{"missing_label", plain, Layout{Label: "z"}, `line 1: there is no column "z" for the label`},
		{"missing_id", plain, Layout{ID: "z", Blind: true}, `line 1: there is no column "z" for the ID`},
		{"missing_drop", plain, Layout{Drop: []string{"z"}}, `line 1: there is no column "z" to be dropped`},
		{"names_of_fewer_columns", plain, Layout{Names: []string{"k"}}, "line 1, column 1: expected 1 column, got 4"},
		{"ragged_row", "a;b\n1\n", Layout{Delimiter: ';'}, "line 2, column 2 (b): expected 2 fields, got 1"},
		{"two_ids", plain, Layout{ID: "a", GenerateID: true}, `the ID cannot be both the column "a" and generated: choose one`},
	} {
		t.Run(c.name+"_is_an_error", func(t *testing.T) {
			r, err := Normalize(strings.NewReader(c.in), c.shape)
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
	r, err := Normalize(strings.NewReader("y;id;x\na;1;2\nb;2\na;3;2\n"), Layout{Delimiter: ';', ID: "id", Label: "y"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Scan(t.Context(), r, profile.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"ragged-row: line 3, column 3 (x): expected 3 fields, got 2"}
	if d := cmp.Diff(want, defectTexts(p.Defects)); d != "" || !p.Partial {
		t.Error(d)
	}
}

func TestRolesInPlaceChangeNothing(t *testing.T) {
	names := []string{"id", "a", "y"}
	shape := Layout{Delimiter: csvfile.AutoDelimiter}
	shape.SetRoles(names, "id", false, "y")
	if d := cmp.Diff(Layout{Delimiter: csvfile.AutoDelimiter}, shape); d != "" {
		t.Error(d)
	}
	shape.SetRoles(names, "a", false, "id")
	if d := cmp.Diff(Layout{Delimiter: csvfile.AutoDelimiter, ID: "a", Label: "id"}, shape); d != "" {
		t.Error(d)
	}
	shape = Layout{Drop: []string{"y"}}
	shape.SetRoles(names, "", true, "a")
	if d := cmp.Diff(Layout{Drop: []string{"y"}, GenerateID: true, GeneratedIDName: "id_2"}, shape); d != "" {
		t.Error(d)
	}
}

func TestNormalizedLocations(t *testing.T) {
	src := "class;x;key\n\nyes;\"a\nb\";1\n\n\nno;2;\nno;3\nyes;4;1\n"
	r, err := Normalize(strings.NewReader(src), Layout{Delimiter: ';', Label: "class", ID: "key"})
	if err != nil {
		t.Fatal(err)
	}
	r.CollectDefects()
	p, err := profile.Scan(t.Context(), r, profile.ScanOptions{Locate: r.Locate})
	if err != nil {
		t.Fatal(err)
	}
	r.AddDefectsTo(p)
	want := []string{
		"empty-id: line 7, column 3 (key): the row has no ID",
		"ragged-row: line 8, column 3 (key): expected 3 fields, got 2",
		"duplicate-id: line 9, column 3 (key): line 3 has the same ID: IDs must be unique",
	}
	if d := cmp.Diff(want, defectTexts(p.Defects)); d != "" {
		t.Error(d)
	}
}

// defectTexts returns the text of each defect, with its code.
func defectTexts(defects []csvfile.Defect) []string {
	var list []string
	for i := range defects {
		list = append(list, defects[i].Code+": "+defects[i].Error())
	}
	return list
}
