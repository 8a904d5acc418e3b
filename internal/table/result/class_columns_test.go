package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/csvfile"
)

// TestClassColumns finds the classes of headers that AddedColumns made, with and without the
// labels of the model.
func TestClassColumns(t *testing.T) {
	for name, c := range map[string]struct {
		blind, classes []string
		want           []string // if the labels are unknown
	}{
		"plain":                    {[]string{"id", "x"}, []string{"no", "yes"}, []string{"no", "yes"}},
		"blind_has_columns":        {[]string{"id", "prediction", "probability", "probability_yes"}, []string{"no", "yes"}, []string{"no", "yes or yes_2"}},
		"blind_has_two":            {[]string{"id", "probability_yes", "probability_yes_2"}, []string{"no", "yes"}, []string{"no", "yes or yes_3"}},
		"labels_with_numbers":      {[]string{"id", "x"}, []string{"yes", "yes_2"}, []string{"yes", "yes_2"}},
		"number_and_renamed":       {[]string{"id", "probability"}, []string{"1", "2"}, []string{"1", "2 or 2_2"}},
		"label_of_an_added_column": {[]string{"id", "probability_a"}, []string{"a", "a_2"}, []string{"a or a_2", "a_2 or a_2_2"}},
		"spaces":                   {[]string{"id", "x"}, []string{"yes", "yes "}, []string{"yes", "yes "}},
		"renamed_label":            {[]string{"id", "probability_yes"}, []string{"no", "yes_2"}, []string{"no", "yes or yes_2"}},
	} {
		t.Run(name, func(t *testing.T) {
			names := append(c.blind[:len(c.blind):len(c.blind)], AddedColumns(c.blind, c.classes, 2)...)
			at := PredictionColumn(names)
			if at != len(c.blind) {
				t.Fatalf("the prediction is column %d of %q", at, names)
			}
			for i, column := range ClassColumns(names, at, c.classes) {
				if column.Index != at+2+i || column.Labels[0] != c.classes[i] || len(column.Labels) != 1 {
					t.Errorf("column %+v, want that of %q", column, c.classes[i])
				}
			}
			var got []string
			for i, column := range ClassColumns(names, at, nil) {
				if column.Index != at+2+i {
					t.Errorf("column %d of %q", column.Index, names)
				}
				got = append(got, strings.Join(column.Labels, " or "))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestProjectClasses selects the probabilities of classes whose columns were renamed, or whose names
// differ only in the spaces around them.
func TestProjectClasses(t *testing.T) {
	for name, c := range map[string]struct {
		result, columns string
		classes         []string
		want            string
	}{
		"blind_column": {
			"id,probability_yes,prediction,probability,probability_no,probability_yes_2\n1,OLD,no,0.9,0.9,0.1\n", "id,prediction,probability_yes",
			[]string{"no", "yes"},
			"id,prediction,probability_yes\n1,no,0.1\n",
		},
		"blind_column_unknown_classes": {
			"id,probability_yes,prediction,probability,probability_no,probability_yes_2\n1,OLD,no,0.9,0.9,0.1\n", "probability_yes,no=probability_no",
			nil, "probability_yes,no\n0.1,0.9\n",
		},
		"spaces": {
			"id,prediction,probability,probability_yes,probability_yes \n1,yes,0.9,0.9,0.1\n", "probability_yes",
			[]string{"yes", "yes "},
			"probability_yes\n0.9\n",
		},
		"only_with_spaces": {
			"id,prediction,probability,probability_no,probability_yes \n1,no,0.9,0.9,0.1\n", "probability_yes",
			[]string{"no", "yes "},
			"probability_yes\n0.1\n",
		},
		"not_a_class": {
			"id,probability_old,prediction,probability,probability_no,probability_yes\n1,OLD,no,0.9,0.9,0.1\n", "probability_old",
			[]string{"no", "yes"},
			"probability_old\nOLD\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			picks, err := ParseSelections(c.columns)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			if err := Project(t.Context(), strings.NewReader(c.result), &got, c.classes, picks); err != nil || got.String() != c.want {
				t.Errorf("%v\n%s\nwant\n%s", err, got.String(), c.want)
			}
		})
	}
}

// TestVerifyRenamedColumns verifies results whose columns were renamed because the blind file has
// columns of the same names. The classes are unknown.
func TestVerifyRenamedColumns(t *testing.T) {
	for name, c := range map[string]struct {
		blind   string
		classes []string
		label   string
	}{
		"all":              {"id,prediction,probability,probability_yes", []string{"no", "yes"}, "yes"},
		"renamed_label":    {"id,a,b,probability_yes", []string{"no", "yes_2"}, "yes_2"},
		"space":            {"id,a,b,c", []string{"yes", "yes "}, "yes "},
		"number_as_a_name": {"id,a,b,probability", []string{"1", "2"}, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			names := strings.Split(c.blind, ",")
			var result strings.Builder
			w := csvfile.NewWriter(&result)
			for _, name := range append(names, AddedColumns(names, c.classes, 0)...) {
				w.WriteField([]byte(name))
			}
			w.EndRecord()
			for _, cell := range []string{"1", "2", "3", "4", c.label, "0.75", "0.25", "0.75"} {
				w.WriteField([]byte(cell))
			}
			w.EndRecord()
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			rows, err := Verify(t.Context(), strings.NewReader(c.blind+"\n1,2,3,4\n"), strings.NewReader(result.String()), nil)
			if rows != 1 || err != nil {
				t.Errorf("%d rows, %v\n%s", rows, err, result.String())
			}
		})
	}
}
