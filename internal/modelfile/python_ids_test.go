package modelfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/learn"
	"foretell/internal/testenv"
)

// TestPythonIDs predicts files whose ID column differs from that of the training file, which is
// id. As with `foretell predict`, the program numbers the rows if no column can be the ID.
func TestPythonIDs(t *testing.T) {
	t.Parallel()
	testenv.Python(t)
	program := writePython(t, goldenFolder+"blend.model")
	const first, second = "5.42,red,0.36", "6.59,blue,-0.13"
	probabilities := map[string]string{} // by the cells of the features
	golden, err := os.ReadFile(goldenFolder + "result.csv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		for _, cells := range []string{first, second} {
			if _, rest, found := strings.Cut(line, ","+cells+","); found {
				probabilities[cells] = rest
			}
		}
	}
	for name, test := range map[string]struct {
		file string
		args []string
		want [3]string // the columns before the prediction
	}{
		"no_id":             {"size,colour,weight\n" + first + "\n" + second + "\n", nil, [3]string{"id,size,colour,weight", "r1," + first, "r2," + second}},
		"another_id":        {"name,size,colour,weight\na," + first + "\nb," + second + "\n", nil, [3]string{"name,size,colour,weight", "a," + first, "b," + second}},
		"measurements":      {"t,size,colour,weight\n1.5," + first + "\n2.5," + second + "\n", nil, [3]string{"id,t,size,colour,weight", "r1,1.5," + first, "r2,2.5," + second}},
		"id_named_by_flag":  {"size;colour;weight;code\n5.42;red;0.36;x,1\n6.59;blue;-0.13;y\n", []string{"--id", "code"}, [3]string{"code,size,colour,weight", `"x,1",` + first, "y," + second}},
		"other_case":        {"Id,SIZE,Colour,weight\na," + first + "\nb," + second + "\n", nil, [3]string{"id,size,colour,weight", "a," + first, "b," + second}},
		"feature_as_the_id": {"size,colour,weight\n" + first + "\n" + second + "\n", []string{"--id", "colour"}, [3]string{"id,size,colour,weight", "red," + first, "blue," + second}},
		"numbers_by_flag":   {"id,size,colour,weight\na," + first + "\nb," + second + "\n", []string{"--id", "-"}, [3]string{"id_2,id_3,size,colour,weight", "r1,a," + first, "r2,b," + second}},
		"repeated_id":       {"id,size,colour,weight\na," + first + "\na," + second + "\n", []string{"--id", "-"}, [3]string{"id_2,id_3,size,colour,weight", "r1,a," + first, "r2,a," + second}},
	} {
		t.Run(name, func(t *testing.T) {
			got := runPython(t, program, []byte(test.file), append([]string{program, "-", "-o", "-"}, test.args...)...)
			want := test.want[0] + ",prediction,probability,probability_ant,probability_bee,probability_cat\n" +
				test.want[1] + "," + probabilities[first] + test.want[2] + "," + probabilities[second]
			compareResults(t, []byte(want), got, 3)
			names, err := csv.NewReader(bytes.NewReader(got)).Read()
			if diff := cmp.Diff(strings.Split(test.want[0], ","), names[:strings.Count(test.want[0], ",")+1]); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestPythonRejectsInvalidIDs predicts files whose IDs are empty or repeated, also after the first
// block of rows and in a column that the user named. The program does not replace them by numbers.
func TestPythonRejectsInvalidIDs(t *testing.T) {
	t.Parallel()
	program := writePython(t, goldenFolder+"blend.model")
	const header, same = "id,size,colour,weight\n", "line 3: line 2 has the same ID; --id - numbers the rows"
	var long strings.Builder
	for i := range 16384 {
		fmt.Fprintf(&long, "%d,5.42,red,0.36\n", i)
	}
	for name, test := range map[string]struct {
		file, id, want string
	}{
		"repeated":         {header + "a,5.42,red,0.36\na,6.59,blue,-0.13\n", "", same},
		"spaces":           {header + "a,5.42,red,0.36\na ,6.59,blue,-0.13\n", "", same},
		"other_block":      {header + long.String() + "7,6.59,blue,-0.13\n", "", "line 16386: line 9 has the same ID"},
		"repeated_by_flag": {"code,size,colour,weight\na,5.42,red,0.36\na,6.59,blue,-0.13\n", "code", same},
		"repeated_feature": {header + "a,5.42,red,0.36\nb,6.59,red,-0.13\n", "colour", same},
		"empty":            {header + "a,5.42,red,0.36\n ,6.59,blue,-0.13\n", "", "line 3: the row has no ID; --id - numbers the rows"},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{program, "-", "-o", "result.csv"}
			if test.id != "" {
				args = append(args, "--id", test.id)
			}
			command := exec.CommandContext(t.Context(), testenv.Python(t), args...)
			command.Dir, command.Stdin = t.TempDir(), strings.NewReader(test.file)
			output, err := command.CombinedOutput()
			if err == nil || !strings.Contains(string(output), test.want) {
				t.Errorf("%v %s: want %s", err, output, test.want)
			}
			if left, _ := os.ReadDir(command.Dir); len(left) > 0 {
				t.Errorf("left %s", left[0].Name())
			}
		})
	}
}

// TestPythonAddsUnusedColumns predicts files without columns that were constant in training. As with
// `foretell predict`, the result has them after all other columns, without values.
func TestPythonAddsUnusedColumns(t *testing.T) {
	t.Parallel()
	testenv.Python(t)
	table := "id,size,country,year,label\n"
	for i := range 80 {
		table += fmt.Sprintf("r%d,%d,UK,2024,%s\n", i, i*7%31, []string{"small", "big"}[i*7%31/16])
	}
	program := trainPython(t, table)
	want := runPython(t, program, []byte("id,size,country,year\na,5,UK,2024\n"), program, "-", "--features")
	got := runPython(t, program, []byte("id,size\na,5\n"), program, "-", "--features")
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for file, want := range map[string]string{
		"id,size,country,year\na,5,UK,2024\n":   "id,size,country,year,prediction\na,5,UK,2024,small",
		"year,id,size\n2024,a,5\n":              "id,year,size,country,prediction\na,2024,5,,small",
		"id,size\na,5\n":                        "id,size,country,year,prediction\na,5,,,small",
		"size\n5\n":                             "id,size,country,year,prediction\nr1,5,,,small",
		"id;label;size;note\na;big;5;\"b;c\"\n": "id,size,note,label,country,year,prediction\na,5,b;c,big,,,small",
	} {
		rows := predictionsOf(t, program, []byte(file))
		header, _, _ := strings.Cut(rows[0], ",probability")
		result := strings.Split(rows[1], ",")
		if got := header + "\n" + strings.Join(result[:strings.Count(header, ",")+1], ","); got != want {
			t.Errorf("%q: got %q, want %q", file, got, want)
		}
	}
}

// trainPython trains a model on a table and writes its Python program.
func trainPython(t *testing.T, table string) (program string) {
	t.Helper()
	threshold := 0.0
	o, err := learn.Race(t.Context(), loadFrame(t, []byte(table)), learn.Params{Algorithms: []string{"BSIX01"}, Threshold: &threshold, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "table.model")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = o.Model.WriteTo(file)
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return writePython(t, path)
}
