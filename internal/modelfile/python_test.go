package modelfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/learn"
	"foretell/internal/learn/codec"
	"foretell/internal/learn/model"
	"foretell/internal/learn/neural"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
	"foretell/internal/testenv"
)

const goldenFolder = "../learn/model/testdata/"

// writePython writes the Python program of a model file to a temporary folder.
func writePython(t *testing.T, model string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "model.py")
	var out bytes.Buffer
	if err := WritePython(&out, model); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return program
}

// runPython runs Python in the folder of program and returns its standard output.
func runPython(t *testing.T, program string, input []byte, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), testenv.Python(t), args...)
	var stderr strings.Builder
	command.Dir, command.Stdin, command.Stderr = filepath.Dir(program), bytes.NewReader(input), &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	return out
}

// comparePython predicts a blind file with a model file and with its Python program.
func comparePython(t *testing.T, file, blind string) {
	t.Helper()
	m, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(blind)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var want bytes.Buffer
	if _, err := m.Predict(t.Context(), in, &want, model.PredictOptions{}); err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(blind)
	if err != nil {
		t.Fatal(err)
	}
	program := writePython(t, file)
	got := runPython(t, program, nil, program, absolute)
	compareResults(t, want.Bytes(), got, len(m.Schema().Classes))
	compareONNX(t, file, want.Bytes(), runPython(t, program, nil, program, absolute, "--features"))
}

// compareResults compares two results. Their last classes + 1 columns are probabilities,
// which may differ by a millionth.
func compareResults(t *testing.T, want, got []byte, classes int) {
	t.Helper()
	wanted, err := csv.NewReader(bytes.NewReader(want)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(got)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(wanted) || !slices.Equal(rows[0], wanted[0]) {
		t.Fatalf("%d lines, want %d; header %q, want %q", len(rows), len(wanted), rows[0], wanted[0])
	}
	texts := len(rows[0]) - classes - 1
	for i, row := range rows[1:] {
		if !slices.Equal(row[:texts], wanted[i+1][:texts]) {
			t.Errorf("row %d: %q, want %q", i+1, row[:texts], wanted[i+1][:texts])
		}
		for k, text := range row[texts:] {
			p, err := strconv.ParseFloat(text, 64)
			q, _ := strconv.ParseFloat(wanted[i+1][texts+k], 64)
			if err != nil || !(math.Abs(p-q) < 1.1e-6) { // the sixth digit may differ
				t.Errorf("row %d, %s: %v, want %v", i+1, rows[0][texts+k], p, q)
			}
		}
	}
}

// TestPythonPredictsLikeGoldens predicts with the committed models: blends of all four algorithms, and
// symmetric boosting with a hashed pair of categories.
func TestPythonPredictsLikeGoldens(t *testing.T) {
	t.Parallel()
	for model, blind := range map[string]string{
		"blend.model": "blind.csv", "version-1.model": "kinds.csv", "version-2.model": "kinds.csv", "version-3.model": "kinds.csv",
		"version-4.model": "kinds.csv", "version-5.model": "dates.csv", "version-6.model": "items.csv",
		"texts.model": "texts.csv", "pairs.model": "pairs.csv", "version-7.model": "kinds.csv",
	} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			comparePython(t, goldenFolder+model, goldenFolder+blind)
		})
	}
}

// TestPythonReadsHostileCells trains on a table with all kinds of columns and predicts rows
// with cells that are hard to read.
func TestPythonReadsHostileCells(t *testing.T) {
	t.Parallel()
	testenv.Python(t)
	folder := t.TempDir()
	f := loadFrame(t, hostileTable(300, true))
	kinds := map[frame.Extraction]bool{}
	for i := range f.Schema.Columns {
		kinds[f.Schema.Columns[i].Feature] = true
	}
	for _, kind := range []frame.Extraction{"", "amount", "text", "time", "weekday", "hour", "since", "length", "words", "word"} {
		if !kinds[kind] {
			t.Errorf("the table has no feature %q", kind)
		}
	}
	for name, has := range map[string]func(c frame.ColumnSchema) bool{
		"seconds":      func(c frame.ColumnSchema) bool { return c.Epoch == frame.EpochSeconds },
		"milliseconds": func(c frame.ColumnSchema) bool { return c.Epoch == frame.EpochMilliseconds },
		"year first":   func(c frame.ColumnSchema) bool { return c.YearFirst },
		"needs time":   func(c frame.ColumnSchema) bool { return c.NeedsTime },
	} {
		if !slices.ContainsFunc(f.Schema.Columns, has) {
			t.Errorf("the table has no column of dates with %s", name)
		}
	}
	blind := filepath.Join(folder, "blind.csv")
	if err := os.WriteFile(blind, hostileTable(200, false), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range []string{"MSEV01", "MFIF01", "MSIX01", "MSEV02"} {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			threshold := 0.0
			o, err := learn.Race(t.Context(), f, learn.Params{Algorithms: []string{algorithm}, Threshold: &threshold, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if _, err := o.Model.WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, algorithm+".model")
			if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			comparePython(t, path, blind)
		})
	}
}

// TestPythonPredictsWithoutInputs predicts with a network that has no inputs, as if the columns of its
// training rows had been constant.
func TestPythonPredictsWithoutInputs(t *testing.T) {
	t.Parallel()
	testenv.Python(t)
	const classes, members, width = 2, 3, 4
	w := codec.NewWriter([]byte{1}) // see neural.Model.AppendBinary
	for _, n := range []int{classes, members, 1, width, 1, 0} {
		w.Uvarint(n)
	}
	draw := rand.New(rand.NewPCG(1, 2))
	params := make([]float32, 2*members*width+members*width*classes+members*classes)
	for i := range params {
		params[i] = float32(draw.NormFloat64())
	}
	w.Float32s(params)
	binary, err := w.Result()
	if err != nil {
		t.Fatal(err)
	}
	var network neural.Model
	if err := network.UnmarshalBinary(binary); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := model.New(model.Parts{
		Schema:  &frame.Schema{ID: "id", Label: "y", Columns: []frame.ColumnSchema{{Name: "k"}}, Classes: []string{"a", "b"}},
		Members: []model.Member{{Algorithm: model.SEV01, Predictor: &network, Weight: 1}}, Algorithm: "BSEV01", Temperature: 1,
	}).WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	rows := "id,k\n"
	for i := range 200 {
		rows += fmt.Sprintf("n%d,7\n", i)
	}
	folder := t.TempDir()
	path, blind := filepath.Join(folder, "constant.model"), filepath.Join(folder, "blind.csv")
	if err := errors.Join(os.WriteFile(path, file.Bytes(), 0o600), os.WriteFile(blind, []byte(rows), 0o600)); err != nil {
		t.Fatal(err)
	}
	comparePython(t, path, blind)
}

func loadFrame(t *testing.T, table []byte) *frame.Frame {
	t.Helper()
	p, err := profile.Scan(t.Context(), bytes.NewReader(table), profile.ScanOptions{})
	if err == nil {
		err = p.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := frame.Load(t.Context(), bytes.NewReader(table), p.Schema, frame.LoadOptions{Labelled: true, Rows: p.Rows})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// hostileTable returns a table with a column of each kind. A blind table has more cells that
// are hard to read, a byte order mark, CRLF and quotes.
func hostileTable(rows int, labelled bool) []byte {
	rng := rand.New(rand.NewPCG(uint64(rows), 5))
	header := []string{"id", "number", "europe", "dollars", "percent", "day", "moment", "note", "town", "mixed", "plain", "seconds", "created_at", "short_day", "sometimes", "city, \"old\""}
	if labelled {
		header = append(header, "label")
	}
	lines := [][]string{header}
	for i := range rows {
		x := rng.NormFloat64() * 1000
		row := []string{
			fmt.Sprint("r", i), fmt.Sprintf("%.2f", x), europeanNumber(x * 3), fmt.Sprintf("$%.2f", math.Abs(x)), fmt.Sprintf("%.0f%%", math.Abs(x)/50),
			fmt.Sprintf("%02d.%02d.20%02d", 1+rng.IntN(28), 1+rng.IntN(12), 10+rng.IntN(14)),
			fmt.Sprintf("2023-%02d-%02d %02d:%02d:%02d", 1+rng.IntN(12), 1+rng.IntN(28), rng.IntN(24), rng.IntN(60), rng.IntN(60)),
			randomSentence(rng), fmt.Sprint("town", rng.IntN(40)), strconv.Itoa(rng.IntN(90)), strconv.Itoa(rng.IntN(5)),
			strconv.Itoa(1_600_000_020 + 60*rng.IntN(1_000_000)), fmt.Sprintf("%d.%d", 1_600_000_000_000+rng.Int64N(6e10), rng.IntN(3)),
			fmt.Sprintf("%02d/%02d/%02d", 17+rng.IntN(6), 1+rng.IntN(12), 1+rng.IntN(28+rng.IntN(3))), fmt.Sprintf("2023-03-%02d", 1+rng.IntN(28)), fmt.Sprint("city", rng.IntN(30)),
		}
		if strings.Contains(row[13], "/02/") {
			row[13] = row[13][:6] + "27"
		}
		if rng.IntN(2) == 0 {
			row[14] += fmt.Sprintf(" %02d:%02d", rng.IntN(24), rng.IntN(60))
		}
		if rng.IntN(12) == 0 {
			row[9] = []string{"unknown", "over 90", "ask"}[rng.IntN(3)]
		}
		if rng.IntN(15) == 0 {
			row[1+rng.IntN(len(row)-1)] = ""
		}
		if labelled {
			row = append(row, []string{"low", "mid", "high"}[min(max(int(x/600)+1, 0), 2)])
		} else if rng.IntN(2) == 0 {
			row[1+rng.IntN(len(row)-1)] = hostileCells[rng.IntN(len(hostileCells))]
		}
		lines = append(lines, row)
	}
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	if !labelled {
		table.WriteString("\ufeff")
		w.UseCRLF = true
	}
	_ = w.WriteAll(lines)
	return table.Bytes()
}

// hostileCells are cells that the parts of the reader treat in different ways.
var hostileCells = []string{
	"", " ", "\t12\v", " 7 ", "+5", "-0", "1e308", "-1e308", "1e309", "1e-400", ".5", "5.", "5e3", "5e", "0x10", "1_000", "NaN", "nan", "inf", "-Infinity", "N/A", "null", "?", "-", "..", "…", ":", "[c]", "[Low]", "5 [c]",
	"1,234", "1,23", "12,345,678.9", "1.234.567,8", "1.234,5", "$5", "5$", "€ 7", "-€7", "€-7", "(12)", "($12.50)", "7%", "7 %", "45 percent", "3k", "4K", "2M", "1B", "10+", "5k+", "12 months", "1 month", "1e5%",
	"2024-02-29", "2023-02-29", "29.02.2024", "1/2/2024", "13/1/2024", "Jan 2, 2006", "2nd January 2006", "Mon, 2 Jan 2006", "2006-01", "20240131", "24:00", "23:59:60", "26:30:00", "-1 day, 23:00:00", "-1 days +23:30:00.5", "1 day, 24:00:00", "PT1H30M", "P1DT", "-P2W", "PT0.5S", "+0:05:07", "\u22121:30:00", "PT-15M", "P-1DT23H30M0S", "PT-0.5S", "+-1:00:00", "PT1H-", "3 days", "-1 day", "3:04 PM", "12:00am",
	"1700000000", "1700000000.5", "1700000000123", "0", "-1", "86399", "06-01-31", "06-01-31 10:00", "31/01/06", "84/02/29",
	"Mon Jan  2 15:04:05 UTC 2006", "2024-01-31T23:59:59.999999999Z", "2024-01-31 10:11 +01:00", "0999-01-01", "3000-01-01",
	"don't stop", "C85 3rd e3b0c44298fc1c149afbf4c8996fb924", "naïve Café ÉCOLE", "İstanbul", "東京タワーへ", "สวัสดี", "e\u0301t\u00e9", "١٢٣", "１２", "🙂 fine", "line\nbreak", "say \"hi\"", "a,b", "\u00a05", "town3", " town3 ", "TOWN3",
	strings.Repeat("long", 20), strings.Repeat("x", 40), strings.Repeat("x", 41),
}

// europeanNumber formats a number as 1.234,56.
func europeanNumber(x float64) string {
	text := fmt.Sprintf("%.2f", math.Abs(x))
	whole, decimals, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "." + whole[at:]
	}
	if x < 0 {
		whole = "-" + whole
	}
	return whole + "," + decimals
}

func randomSentence(rng *rand.Rand) string {
	list := strings.Fields("late parcel broken box refund please thanks great don't arrived blue red size42 colour naïve 東京 again never quick slow")
	var picked []string
	for range 3 + rng.IntN(10) {
		picked = append(picked, list[rng.IntN(len(list))])
	}
	return strings.Join(picked, " ")
}

// TestPythonModule calls the functions of the program with rows from another source.
func TestPythonModule(t *testing.T) {
	t.Parallel()
	program := writePython(t, goldenFolder+"blend.model")
	folder, err := filepath.Abs(goldenFolder)
	if err != nil {
		t.Fatal(err)
	}
	const script = `
import csv, sys
import model
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
probabilities = model.predict_proba(rows)
assert probabilities.shape == (len(rows), len(model.CLASSES)), probabilities.shape
assert abs(probabilities.sum(axis=1) - 1).max() < 1e-6
assert model.predict(rows) == [row["prediction"] for row in csv.DictReader(open(sys.argv[2], newline=""))]
empty = {name: None for name in model.COLUMNS}
class NAType: # as pandas.NA
    def __ne__(self, other):
        return self
    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")
same = model.predict_proba([empty, {name: float("nan") for name in empty}, {name: " " for name in empty}, {name: NAType() for name in empty}])
assert (same == same[0]).all(), same
assert model.predict_proba([]).shape == (0, len(model.CLASSES))
assert model.predict([{" " + name + "\t": value for name, value in rows[0].items()}]) == model.predict(rows[:1])
features = model.features([*rows, empty])
assert features.shape == (len(rows) + 1, len(model.FEATURES)), features.shape
assert (features[-1] != features[-1]).all(), features[-1]
try:
    model.predict([{}])
except ValueError as error:
    assert model.COLUMNS[0] in str(error), error
else:
    raise AssertionError("a row without columns")
`
	runPython(t, program, nil, "-c", script, folder+"/blind.csv", folder+"/result.csv")
}

// TestPythonRejectsInvalidFiles runs the program on files that are not blind files.
func TestPythonRejectsInvalidFiles(t *testing.T) {
	t.Parallel()
	program := writePython(t, goldenFolder+"blend.model")
	blind, err := os.ReadFile(goldenFolder + "blind.csv")
	if err != nil {
		t.Fatal(err)
	}
	header, rows, _ := strings.Cut(string(blind), "\n")
	const script = `
import json, os, sys
import model
messages = []
for text in json.load(sys.stdin):
    with open("blind.csv", "wb") as file:
        file.write(text.encode("latin-1"))
    sys.argv = ["model.py", "blind.csv", "-o", "result.csv"]
    try:
        model.main()
        messages.append("no error")
    except SystemExit as error:
        written = [name for name in ("result.csv", "result.csv.part") if os.path.exists(name)]
        messages.append(str(error) + ("; a result was written" if written else ""))
json.dump(messages, sys.stdout)
`
	tests := []struct{ file, want string }{
		{"", "blind.csv: line 1: the file is empty"},
		{header + "\n", "blind.csv: line 1: no data row follows the header"},
		{header + "\n" + rows + "\n\nx,1\n", "blind.csv: line 34: expected 4 fields, got 2"},
		{"id,other\n1,2\n", "blind.csv: line 1: the columns 'size', 'colour', 'weight' of the training file are missing"},
		{"id,size,weight\n1,2,3\n", "blind.csv: line 1: the column 'colour' of the training file is missing"},
		{header + "\na\"b\"" + rows, "blind.csv: line 2: a field has a quote inside: put the field in quotes, and double each quote in it"},
		{header + "\n\"" + rows, "blind.csv: line 2: a quote is never closed"},
		{header + "\n\x00" + rows, "blind.csv: line 2: the record has a NUL byte, which a text file must not have"},
		{header + "\n\u00ff" + rows, "blind.csv: the file is not valid UTF-8: "},
	}
	var files, messages []string
	for _, tt := range tests {
		files = append(files, tt.file)
	}
	input, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(runPython(t, program, input, "-c", script), &messages); err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		if !strings.HasPrefix(messages[i], tt.want) || strings.Contains(messages[i], "was written") {
			t.Errorf("%q: %s, want %s", tt.file, messages[i], tt.want)
		}
	}
}
