package download

import (
	"testing"

	"foretell/internal/preflight"
)

func TestCommandsForLater(t *testing.T) {
	file, stream := preflight.NormalizedInput("blind.csv", "blind.csv", true), &preflight.InputTable{TempPaths: []string{"/tmp/x"}}
	plain, full := &OutputFile{Path: "my out.csv"}, &OutputFile{Path: "out.csv", Force: true, NoReceipt: true, Reasons: 3}
	if err := full.Columns.Set("id,prediction"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ got, want string }{
		{plain.ResumeCommand("KEY", file), "foretell predictions download KEY --blind blind.csv -o 'my out.csv'"},
		{plain.ResumeCommand("KEY", stream), "foretell predictions download KEY -o 'my out.csv'"},
		{full.ResumeCommand("KEY", file), "foretell predictions download KEY --blind blind.csv --columns id,prediction --force --no-receipt -o out.csv"},
		{plain.PredictCommand(file, "credit@v1"), "foretell predict blind.csv --with credit@v1 -o 'my out.csv'"},
		{plain.PredictCommand(stream, "KEY"), "foretell predict BLIND.csv --with KEY -o 'my out.csv'"},
		{full.PredictCommand(file, "KEY"), "foretell predict blind.csv --with KEY --explain 3 --columns id,prediction --force --no-receipt -o out.csv"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s\nwant %s", tt.got, tt.want)
		}
	}
}
