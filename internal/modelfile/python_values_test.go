package modelfile

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/testenv"
)

// trainValues trains a model with a date without separators, a number that is 0 or 1, and a category.
func trainValues(t *testing.T) (program string) {
	t.Helper()
	table := "id,day,flag,sure,label\n"
	for i := range 80 {
		table += fmt.Sprintf("r%d,2022%02d%02d,%d,%s,%s\n", i, 1+i%12, 1+i%28, i%2, []string{"True", "False"}[i/2%2], []string{"small", "big"}[i*7%31/16])
	}
	return trainPython(t, table)
}

// TestPythonConvertsValues calls the program with numbers and booleans in place of texts. Columns of
// integers are floats in pandas if a cell is empty.
func TestPythonConvertsValues(t *testing.T) {
	t.Parallel()
	testenv.Python(t)
	const script = `
import numpy as np
import model
wanted = model.features([{"day": "20221218", "flag": "1", "sure": "True"}, {"day": "", "flag": "0", "sure": "False"}])
values = model.features([{"day": 20221218.0, "flag": True, "sure": True}, {"day": float("nan"), "flag": np.bool_(False), "sure": np.bool_(False)}])
same = model.features([{"day": np.float64(20221218), "flag": np.float32(1), "sure": "True"}, {"day": None, "flag": 0, "sure": False}])
assert np.isfinite(wanted[0]).all(), wanted
np.testing.assert_array_equal(values, wanted)
np.testing.assert_array_equal(same, wanted)
`
	runPython(t, trainValues(t), nil, "-c", script)
}

// TestPythonWarnsOfUnreadCells predicts files with cells that mostly cannot be read as the numbers and
// dates of the training file. Empty cells, and texts such as NA, are not counted.
func TestPythonWarnsOfUnreadCells(t *testing.T) {
	t.Parallel()
	python, program := testenv.Python(t), trainValues(t)
	const dates = "warning: column 'day': 2 of 3 values cannot be read as dates, and are missing for the model\n"
	const numbers = "warning: column 'flag': 1 of 1 values cannot be read as numbers, and are missing for the model\n"
	for name, test := range map[string]struct{ file, want string }{
		"unread":  {"id,day,flag,sure\na,20221218.0,,True\nb,20221219.0,yes,True\nc,20221220,NA,True\n", dates + numbers},
		"missing": {"id,day,flag,sure\na,,NA,True\nb,,,\n", ""},
		"half":    {"id,day,flag,sure\na,20221218,1,True\nb,2022.5,x,maybe\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), python, program, "-", "-o", "-")
			var stderr strings.Builder
			command.Dir, command.Stdin, command.Stderr = filepath.Dir(program), strings.NewReader(test.file), &stderr
			if _, err := command.Output(); err != nil || stderr.String() != test.want {
				t.Errorf("%v, %q, want %q", err, stderr.String(), test.want)
			}
		})
	}
}
