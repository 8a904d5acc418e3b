package download

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBlindLabelNamesTheLineWithoutALabel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.csv")
	if err := os.WriteFile(path, []byte("id,n,y,prediction\n1,5,a,a\n2,6,,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	label := BlindLabel{Column: "y"}
	if err := label.scoreFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if want := `line 3 of the result: the column "y" has no label in this row`; label.reason != want {
		t.Errorf("%q, want %q", label.reason, want)
	}
}
