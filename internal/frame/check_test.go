package frame

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	// pets returns a file of 60 rows.
	pets := func(header string, row func(i int) string) string {
		file := header + "\n"
		for i := range 60 {
			file += fmt.Sprintf("r%d,%s\n", i, row(i))
		}
		return file
	}
	train := scanText(t, pets("id,age,weight,colour,kind", func(i int) string {
		return fmt.Sprintf("%d,%d.5,%s,%s", i%9, i, []string{"red", "black"}[i%2], []string{"cat", "dog"}[i/30])
	}), ScanOptions{})
	if err := train.Err(); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"alike", pets("id,colour,age,weight", func(i int) string { return fmt.Sprintf("red,%d,%d.5", i%9, i) }), nil},
		{"missing_and_extra_columns", pets("id,colour,age,note,kind", func(i int) string { return fmt.Sprintf("red,%d,x,cat", i%9) }), []string{
			"defect missing-column weight: the column of the training file is missing",
			"warning extra-column note: not in the training file: carried through, not used to predict",
			"warning extra-column kind: the label is carried through and never used to predict",
		}},
		{"another_id", pets("key,colour,age,weight", func(i int) string { return fmt.Sprintf("red,%d,%d.5", i%9, i) }), []string{
			`warning other-id-name id: no column has this name: the first, "key", is taken as the ID`,
		}},
		{"no_id", pets("age,colour,weight", func(i int) string { return fmt.Sprintf("red,%d.5", i) }), []string{
			`defect missing-column id: the ID column is missing, and the first column, "age", is a feature`,
		}},
		{"other_cells", pets("id,colour,age,weight", func(i int) string {
			return fmt.Sprintf("%s,%s,%d.5", []string{"red", "blue", "green", "blue"}[i%4], []string{"old", "", ""}[i%3], i+40)
		}), []string{
			"warning more-missing age: 67 % of the rows have no value, 0 % in training",
			"warning changed-kind age: a column of numbers in training, of texts here: the texts are taken as missing",
			"warning moved-range weight: from 40.5 to 99.5, in training from 0.5 to 59.5",
			`warning unseen-category colour: in 45 rows texts that training never had: 2 different ones, most often "blue"`,
		}},
		{"another_mean", pets("id,colour,age,weight", func(i int) string { return fmt.Sprintf("red,7,%d.5", i) }), []string{
			"warning moved-range age: 7 on average, in training 3.85",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range Check(train, scanText(t, c.file, ScanOptions{Blind: true, ID: train.Schema.ID})) {
				got = append(got, fmt.Sprintf("%s %s %s: %s", f.Severity, f.Code, f.Name, f.Message))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
