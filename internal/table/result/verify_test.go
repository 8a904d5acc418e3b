package result

import (
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
)

func TestVerify(t *testing.T) {
	blind := "id,x\n1,\"a\nb\"\n2,c\n"
	head := "id,x,prediction,probability,probability_no,probability_yes\n"
	first := "1,\"a\nb\",yes,0.75,0.25,0.75\n"

	for _, c := range []struct{ name, result, want string }{
		{"good", head + first + "2,c,no,1,1,0\n", ""},
		{"quoting_may_differ", head + first + "\"2\",\"c\",no,1.0,1,0.0004\n", ""},
		{"row_missing", head + first, "line 4: the result ends after 1 row, but the blind file has more rows"},
		{"row_too_many", head + first + "2,c,no,1,1,0\n3,c,no,1,1,0\n", "line 5: the result has more rows than the blind file, which has 2 rows"},
		{"order", head + "2,c,no,1,1,0\n" + first, `line 2, column 1 (id): the cell is "2", but "1" in line 2 of the blind file`},
		{"cell", head + first + "2,d,no,1,1,0\n", `line 4, column 2 (x): the cell is "d", but "c" in line 4 of the blind file`},
		{"class", head + first + "2,c,maybe,1,1,0\n", `line 4, column 3 (prediction): "maybe" is not one of the classes`},
		{"not_a_number", head + first + "2,c,no,1,NaN,0\n", `line 4, column 5 (probability_no): "NaN" is not a probability`},
		{"out_of_range", head + first + "2,c,no,1,1.1,0\n", `line 4, column 5 (probability_no): "1.1" is not a probability`},
		{"sum", head + first + "2,c,no,0.5,0.5,0.4\n", "line 4, column 4 (probability): the probabilities of the classes sum to 0.9, not to 1"},
		{"another_class", head + first + "2,c,no,0.6,0.4,0.6\n", "line 4, column 4 (probability): the probability is 0.6, but the column of the predicted class has 0.4"},
		{"column_missing", "id,x,prediction,probability,probability_no\n", `line 1, column 6: the column "probability_yes" is missing`},
		{"column_renamed", "id,y,prediction,probability,probability_no,probability_yes\n", `line 1, column 2 (y): expected the column "x"`},
		{"empty", "", "line 1, column 1: the file is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Verify(t.Context(), strings.NewReader(blind), strings.NewReader(c.result), []string{"no", "yes"})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}

	t.Run("classes_are_taken_from_the_header", func(t *testing.T) {
		rows, err := Verify(t.Context(), strings.NewReader(blind), strings.NewReader(head+first+"2,c,no,1,1,0\n"), nil)
		if rows != 2 || err != nil {
			t.Errorf("%d rows, %v", rows, err)
		}
	})
}

// FuzzVerify checks that any two files can be verified, and that a valid result has the
// rows of the blind file.
func FuzzVerify(f *testing.F) {
	f.Add("id,x\n1,a\n", "id,x,prediction,probability,probability_no,probability_yes\n1,a,no,1,1,0\n")
	f.Add("id,x\n1,\"a\n", "id,x,prediction,probability\n1,a\n")
	f.Add("id,prediction\n1,a\n", "id,prediction,prediction_2,probability,probability_no,probability_yes\n1,a,no,1e0,1,0\n")
	f.Fuzz(func(t *testing.T, blind, result string) {
		rows, err := Verify(t.Context(), strings.NewReader(blind), strings.NewReader(result), []string{"no", "yes"})
		if err != nil {
			return
		}
		want, wantErr := csvfile.CountRows(t.Context(), strings.NewReader(blind))
		got, gotErr := csvfile.CountRows(t.Context(), strings.NewReader(result))
		if rows != want || rows != got || wantErr != nil || gotErr != nil {
			t.Fatalf("%d rows verified, %d (%v) and %d (%v) read", rows, want, wantErr, got, gotErr)
		}
	})
}
