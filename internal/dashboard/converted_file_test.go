package dashboard

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"foretell/internal/table/csvfile"
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
