package dashboard

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"foretell/internal/api"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/repair"
)

// TestConvertedName checks that the name of a converted file has the name of the visitor's file.
func TestConvertedName(t *testing.T) {
	long := strings.Repeat("x", maxFileNameLen-4) + ".csv"
	for name, want := range map[string]string{"blind.csv": "blind (converted).csv", "blind": "blind (converted)", long: "data (converted).csv"} {
		got := convertedName(name)
		if got != want || len(got) > maxFileNameLen {
			t.Errorf("%s is stored as %s", name, got)
		}
		if original := originalName(got); name != long && original != name {
			t.Errorf("%s is shown as %s", got, original)
		}
	}
}

// TestTextReader reads texts in chunks of different sizes, because a character may be in two chunks.
func TestTextReader(t *testing.T) {
	for text, line := range map[string]int{
		"":                       0,
		"id,\u20ac,\U0001F339\n": 0,
		"id\n1,caf\xe9\n":        2,
		"id\n1,caf\xe9":          2,
		"\xe9\n":                 1,
		"\xe2\x82x":              1,
		"id\n\n1,\x00\n":         3,
	} {
		for name, chunks := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "half": iotest.HalfReader, "with_error": iotest.DataErrReader} {
			got, err := io.ReadAll(&textReader{src: chunks(strings.NewReader(text))})
			var defect *csvfile.Defect
			switch {
			case errors.As(err, &defect):
				if defect.Line != line {
					t.Errorf("%q, %s: the defect is in line %d, want %d", text, name, defect.Line, line)
				}
			case err != nil || line > 0 || string(got) != text:
				t.Errorf("%q, %s: %q, %v", text, name, got, err)
			}
		}
	}
	if _, err := io.ReadAll(&textReader{src: strings.NewReader("caf\xc3"), isCut: true}); err != nil {
		t.Errorf("the beginning of a file: %v", err)
	}
}

// TestUnnamedLabel checks that the question for the label says that a column has no name, as on the
// command line.
func TestUnnamedLabel(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,class,size,\n")
	for i := range 40 {
		fmt.Fprintf(&text, "r%d,%c,%d,%c\n", i, 'a'+rune(i%2), i%7, 'x'+rune(i%3))
	}
	sample, err := readSample(t.Context(), []byte(text.String()), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := sample.chooseColumns(&datasetForm{})
	if err != nil || chosen.Question == nil || !strings.Contains(chosen.Question.Why, `the last column has no name and is read as "column_4"`) {
		t.Errorf("%+v, %v", chosen, err)
	}
}

// convertText converts a file with this name and text for the given layout, and returns the name and
// text of the stored file.
func convertText(t *testing.T, name, text string, layout func(*fileSample) (repair.Layout, error)) (storedName, stored string, err error) {
	t.Helper()
	form := &fileForm{file: strings.NewReader(text), fileName: name}
	file, err := form.convertFile(t.Context(), nil, layout)
	if err != nil {
		return "", "", err
	}
	src, err := file.Open()
	if err != nil {
		return "", "", err
	}
	out, err := io.ReadAll(src)
	return file.Name, string(out), err
}

// TestBlindFileLikeCommandLine converts blind files that `foretell predict` accepts, too: with names in
// another case or with other punctuation, and with blank rows at the end.
func TestBlindFileLikeCommandLine(t *testing.T) {
	d := &api.Dataset{IDName: "row_id", LabelName: "kind", Columns: []api.Column{{Name: "Total Price"}, {Name: "width"}, {Name: "x"}, {Name: "X_"}}}
	for name, c := range map[string]struct{ text, wantName, want string }{
		"other_case":      {"total_price,Row ID,WIDTH,x,X_\n1,a,2,3,4\n", "blind (converted).csv", "row_id,Total Price,width,x,X_\na,1,2,3,4\n"},
		"ambiguous":       {"row_id,Total Price,width,X,X-\n1,2,3,4,5\n", "blind.csv", "row_id,Total Price,width,X,X-\n1,2,3,4,5\n"},
		"blank_rows":      {"row_id,Total Price,width,x,X_\r\na,1,2,3,4\r\n\r\n\r\n,,,,\r\n", "blind (converted).csv", "row_id,Total Price,width,x,X_\r\na,1,2,3,4\r\n"},
		"empty_last_cell": {"row_id,Total Price,width,x,X_\na,1,2,3,\n", "blind.csv", "row_id,Total Price,width,x,X_\na,1,2,3,\n"},
	} {
		t.Run(name, func(t *testing.T) {
			storedName, stored, err := convertText(t, "blind.csv", c.text, func(s *fileSample) (repair.Layout, error) { return s.blindLayout(d), nil })
			if err != nil || storedName != c.wantName || stored != c.want {
				t.Errorf("%s has %q, %v", storedName, stored, err)
			}
		})
	}
}

// TestTrainingFileWithBlankRows converts training files whose last rows have only empty cells. The second
// file is longer than the beginning from which the columns are chosen.
func TestTrainingFileWithBlankRows(t *testing.T) {
	for _, rows := range []int{40, sampleBytes / 8} {
		var text strings.Builder
		text.WriteString("id;size;kind\n")
		for i := range rows {
			fmt.Fprintf(&text, "r%d;%d;%s\n", i, i%7, []string{"rose", "tulip"}[i%2])
		}
		_, stored, err := convertText(t, "train.csv", text.String()+";;\n;;\n", func(s *fileSample) (repair.Layout, error) { return s.trainingLayout(&datasetForm{}) })
		if want := strings.ReplaceAll(text.String(), ";", ","); err != nil || stored != want {
			t.Errorf("%d rows: the stored file ends with %q, %v", rows, stored[max(0, len(stored)-40):], err)
		}
	}
}

// TestOtherFormats rejects files in other formats than CSV, and says what to do with them.
func TestOtherFormats(t *testing.T) {
	xz := "this is an xz file: unpack it"
	for text, c := range map[string]struct{ name, want string }{
		`[{"id": 1, "kind": "rose"}]`:       {"a.txt", "this is JSON: write the table as CSV, or send it with the command"},
		"{\"id\": 1}\n{\"id\": 2}\n":        {"a.jsonl", "this is JSON"},
		"[[1, 2], [3, 4]]":                  {"a.json", "this is JSON"},
		"<!DOCTYPE html><table>":            {"a.csv", "this is a web page"},
		"<?xml version=\"1.0\"?><a>1</a>":   {"a.csv", "this is an XML file: write the table as CSV"},
		"@RELATION iris\n@ATTRIBUTE a REAL": {"a.arff", "this is an ARFF file: write the table as CSV"},
		"% a\n%\n@relation iris\n":          {"a.arff", "this is an ARFF file"},
		"\xFD7zXZ\x00\x00\x04":              {"a.csv.xz", xz},
		"7z\xBC\xAF\x27\x1C\x00":            {"a.7z", "this is a 7z archive: unpack it"},
		"Obj\x01\x04\x16":                   {"a.avro", "this is an Avro file: write the table as CSV"},
	} {
		_, _, err := convertText(t, c.name, text, func(*fileSample) (repair.Layout, error) { return repair.Layout{}, nil })
		if err == nil || !strings.Contains(err.Error(), c.want) || c.want == xz && !strings.HasSuffix(err.Error(), xz) || strings.Contains(err.Error(), "Parquet") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, text := range []string{"PARENT,ORC\n1,2\n", "[a],{b}\n1,2\n", "PAR1,b\n1,2\n", "PAR1\tb\n1\t2\n"} {
		if _, _, err := convertText(t, "a.csv", text, func(*fileSample) (repair.Layout, error) { return repair.Layout{Delimiter: ','}, nil }); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
